//! The tables of a rank as a dataset has them: those of the export, but for what must be exact and for names that would
//! clash with those of folders. Writing and reading both go by this.

use std::borrow::Cow;

use eaves_model::{Column, Ident, Strings, TableView, Trace, Values};

use crate::tables::{Cells, FlatColumn, FlatTable, flatten};

/// The table of all texts in the order of their numbers: rows of others name texts, and this keeps the numbers.
pub(crate) const STRINGS: &str = "strings";
/// The only column of [`STRINGS`].
pub(crate) const TEXT: &str = "text";
/// Behind the name of a column of identifiers: 1 where a text looks like a number. The column is there only if one does.
const IS_TEXT: &str = "_is_text";
/// The folder gives the column `rank`, so the rank within a group must be called otherwise.
const RENAMED: [(&str, &str, &str); 1] = [("collectives", "rank", "group_rank")];

/// The name of the column that tells texts that look like numbers.
pub(crate) fn mark_name(column: &str) -> String {
    format!("{column}{IS_TEXT}")
}

/// Which identifiers of a table are texts that look like numbers, column by column.
#[derive(Default)]
pub(crate) struct Marks {
    columns: Vec<(&'static str, Vec<u8>)>,
}

impl Marks {
    pub(crate) fn of(table: &TableView<'_>, strings: &Strings) -> Self {
        let mut columns = Vec::new();
        for (name, column) in &table.columns {
            let Column::Ident(values) = column else { continue };
            let mark = |row| u8::from(is_text_like_number(values[row], strings));
            let marks: Vec<u8> = (0..table.rows).map(mark).collect();
            if marks.contains(&1) {
                columns.push((*name, marks));
            }
        }
        Self { columns }
    }
}

/// The number that a text would be taken for.
pub(crate) fn number_in(text: &str) -> Option<Ident> {
    let first = text.as_bytes().first()?;
    if !(first.is_ascii_digit() || *first == b'-') {
        return None;
    }
    let number = text.parse().ok().map(Ident::number)?;
    // What is written otherwise, as `007`, is no number of ours.
    let same = number.as_number().is_some_and(|number| number.to_string() == text);
    same.then_some(number)
}

fn is_text_like_number(ident: Ident, strings: &Strings) -> bool {
    ident.as_text().is_some_and(|id| number_in(strings.get(id)).is_some())
}

/// A table of a trace as a dataset has it.
pub(crate) fn stored<'a>(table: TableView<'a>, strings: &'a Strings, marks: &'a Marks) -> FlatTable<'a> {
    let mut flat = flatten(table, strings, None);
    for (table, from, to) in RENAMED {
        let renamed = flat.columns.iter_mut().find(|column| flat.name == table && column.name == from);
        if let Some(column) = renamed {
            column.name = Cow::Borrowed(to);
        }
    }
    for (name, marks) in &marks.columns {
        if let Some(at) = flat.columns.iter().position(|column| column.name == *name) {
            let cells = Cells::Column(Column::U8(Values::Plain(marks)));
            flat.columns.insert(at + 1, FlatColumn { name: mark_name(name).into(), cells });
        }
    }
    flat
}

/// The columns that a table has, by the name of the table. The answer has no rows.
pub(crate) fn expected<'a>(nothing: &'a Trace, marks: &'a Marks, name: &str) -> Option<FlatTable<'a>> {
    let table = nothing.all_tables().into_iter().find(|table| table.name == name)?;
    Some(stored(table, &nothing.strings, marks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_would_be_taken_for_numbers_are_told() {
        for (text, number) in [
            ("7", Some(7)),
            ("-12", Some(-12)),
            ("0", Some(0)),
            ("007", None),
            ("-0", None),
            ("+7", None),
            ("", None),
            ("-", None),
            ("7 ", None),
            ("Spans", None),
            ("99999999999999999999", None),
            // Identifiers of texts are where the smallest numbers are, so none of these is a number.
            ("-9223372036854775808", None),
        ] {
            assert_eq!(number_in(text).and_then(Ident::as_number), number, "{text}");
        }
    }

    #[test]
    fn no_table_has_a_column_of_the_name_of_a_folder() {
        let (nothing, marks) = (Trace::default(), Marks::default());
        for table in nothing.all_tables() {
            let table = stored(table, &nothing.strings, &marks);
            let mut names: Vec<_> = table.columns.iter().map(|column| column.name.as_ref()).collect();
            assert!(!names.contains(&"rank") && !names.contains(&"run"), "{}", table.name);
            names.sort_unstable();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count, "{}", table.name);
        }
    }
}
