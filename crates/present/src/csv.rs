//! Tables as CSV: plain numbers in the unit that the column name says, empty where there is no value.

use std::borrow::Cow;
use std::io::{self, Write};

use eaves_section::{Column, Section, Table, Unit, Value};

use crate::Document;

/// A table with the name that sets it apart in the document.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTable<'a> {
    /// `section-id.table_id`.
    pub name: String,
    /// The table.
    pub table: Cow<'a, Table>,
}

/// Every table of the document. A section that has only numbers gives them as the table `numbers`.
pub fn tables(document: &Document) -> Vec<NamedTable<'_>> {
    let mut tables = Vec::new();
    for section in document.sections() {
        if section.tables.is_empty() && !section.numbers.is_empty() {
            tables.push(NamedTable { name: format!("{}.numbers", section.id), table: numbers(section) });
        }
        tables.extend(section.tables.iter().map(|table| NamedTable {
            name: format!("{}.{}", section.id, table.id),
            table: Cow::Borrowed(table),
        }));
    }
    tables
}

/// Writes every table below a comment line with its name, an empty line between two; a single table without
/// that line, so that any reader of CSV takes it.
pub fn write(document: &Document, mut writer: impl Write) -> io::Result<()> {
    let tables = tables(document);
    for (index, named) in tables.iter().enumerate() {
        if index > 0 {
            writeln!(writer)?;
        }
        if tables.len() > 1 {
            writeln!(writer, "# {}", named.name)?;
        }
        write_table(&named.table, &mut writer)?;
    }
    writer.flush()
}

/// Writes one table with the ids of its columns as header.
pub fn write_table(table: &Table, writer: impl Write) -> io::Result<()> {
    // A row of the wrong length is a mistake of an analysis, not a reason to write nothing.
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(writer);
    writer.write_record(table.columns.iter().map(|column| column.id))?;
    for row in &table.rows {
        writer.write_record(row.iter().map(cell).map(|cell| cell.into_owned()))?;
    }
    writer.flush()
}

fn cell(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Integer(number) => number.to_string().into(),
        Value::Float(number) if number.is_finite() => number.to_string().into(),
        Value::Text(text) => text.as_str().into(),
        Value::Float(_) | Value::Missing(_) => "".into(),
    }
}

fn numbers(section: &Section) -> Cow<'_, Table> {
    let columns = ["id", "rank", "value", "unit", "provenance"].map(|id| Column::new(id, id, Unit::None));
    let rows = section.numbers.iter().map(|number| {
        vec![
            Value::from(number.id),
            number.rank.map_or(Value::Missing("of no single rank"), Value::Integer),
            number.value.clone(),
            number.unit.id().map_or(Value::Missing("no unit"), Value::from),
            Value::from(number.provenance.id()),
        ]
    });
    Cow::Owned(Table { id: "numbers", title: "Numbers", columns: columns.to_vec(), rows: rows.collect() })
}

#[cfg(test)]
mod tests {
    use eaves_section::{Number, Outcome, Provenance};

    use super::*;

    fn table(id: &'static str) -> Table {
        Table {
            id,
            title: "",
            columns: vec![
                Column::new("name", "Name", Unit::None),
                Column::new("idle_pct", "Idle", Unit::Percent),
            ],
            rows: vec![
                vec![Value::from("void f<int, 2>(\"a\")"), Value::Float(1.0 / 3.0)],
                vec![Value::from("two\nlines"), Value::Float(f64::NAN)],
                vec![Value::from("plain"), Value::Integer(-1)],
            ],
        }
    }

    fn text(section: Section) -> String {
        let document = Document { outcomes: vec![Outcome::Section(section)], ..Document::default() };
        let mut bytes = Vec::new();
        write(&document, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    const ROWS: &str =
        "name,idle_pct\n\"void f<int, 2>(\"\"a\"\")\",0.3333333333333333\n\"two\nlines\",\nplain,-1\n";

    #[test]
    fn one_table_is_pure() {
        let section = Section { id: "kernels", tables: vec![table("top")], ..Section::default() };
        assert_eq!(text(section), ROWS);
    }

    #[test]
    fn several_tables_are_named() {
        let section =
            Section { id: "kernels", tables: vec![table("top"), table("all")], ..Section::default() };
        assert_eq!(text(section), format!("# kernels.top\n{ROWS}\n# kernels.all\n{ROWS}"));
    }

    #[test]
    fn numbers_without_a_table_are_a_table() {
        let number = Number {
            id: "overlap_pct",
            rank: None,
            value: Value::Float(12.5),
            unit: Unit::Percent,
            provenance: Provenance::Formula,
            explain: "",
        };
        let section = Section { id: "comm-overlap", numbers: vec![number], ..Section::default() };
        assert_eq!(text(section), "id,rank,value,unit,provenance\noverlap_pct,,12.5,%,formula\n");
    }
}
