//! The tables of a trace as flat columns that data bases understand. Nothing here knows a table by more than its
//! name: a new table of the model is exported without a change.

use std::borrow::Cow;

use eaves_model::{Column, Extent, Recording, Strings, TableView, Trace, Values};

/// Tables whose rows others point at, and how these call the row number. The number is written as a column of
/// that name, so that tables can be joined by it.
const KEYS: [(&str, &str); 2] = [("slices", "slice"), ("tracks", "track")];

/// A table to export.
#[derive(Clone, Debug)]
pub struct FlatTable<'a> {
    /// Name of the table in the model.
    pub name: &'static str,
    /// Number of rows.
    pub rows: usize,
    /// Columns, each with one simple value a row.
    pub columns: Vec<FlatColumn<'a>>,
    /// Where texts are.
    pub strings: &'a Strings,
}

/// A column to export.
#[derive(Clone, Debug)]
pub struct FlatColumn<'a> {
    /// Name, with the unit at its end where there is one.
    pub name: Cow<'static, str>,
    /// What stands in it.
    pub cells: Cells<'a>,
}

/// Content of a column.
#[derive(Clone, Copy, Debug)]
pub enum Cells<'a> {
    /// The same number in all rows: the rank.
    Rank(i64),
    /// The number of the row.
    RowNumber,
    /// A column of the model as it is, but never one of extents.
    Column(Column<'a>),
    /// One axis of extents.
    Axis(Values<'a, Extent>, usize),
}

/// The tables of a trace that have rows. With a rank it is the first column of all.
pub fn flat_tables(trace: &Trace, rank: Option<i64>) -> Vec<FlatTable<'_>> {
    let with_rows = trace.tables().into_iter().filter(|table| table.rows > 0);
    with_rows.map(|table| flatten(table, &trace.strings, rank)).collect()
}

/// One table of each recording, also where it has no rows. Several recordings are distinguished by rank. `None` if
/// no table has that name.
pub fn flat_table<'a>(recordings: &'a [Recording], name: &str) -> Option<Vec<FlatTable<'a>>> {
    let part =
        |recording: &'a Recording| flat_table_of(&recording.trace, name, rank_column(recordings, recording));
    recordings.iter().map(part).collect()
}

/// One table of a trace, also where it has no rows.
pub fn flat_table_of<'a>(trace: &'a Trace, name: &str, rank: Option<i64>) -> Option<FlatTable<'a>> {
    let table = trace.tables().into_iter().find(|table| table.name == name)?;
    Some(flatten(table, &trace.strings, rank))
}

/// The rank, if there is more than one recording to distinguish.
pub fn rank_column(recordings: &[Recording], recording: &Recording) -> Option<i64> {
    (recordings.len() > 1).then_some(recording.rank)
}

/// The names of all tables.
pub fn table_names() -> Vec<&'static str> {
    Trace::default().tables().iter().map(|table| table.name).collect()
}

/// A table of the model as flat columns.
pub(crate) fn flatten<'a>(table: TableView<'a>, strings: &'a Strings, rank: Option<i64>) -> FlatTable<'a> {
    let mut columns = Vec::with_capacity(table.columns.len() + 6);
    let mut add = |name: Cow<'static, str>, cells| columns.push(FlatColumn { name, cells });
    if let Some(rank) = rank {
        add("rank".into(), Cells::Rank(rank));
    }
    if let Some(&(_, key)) = KEYS.iter().find(|(name, _)| *name == table.name) {
        add(key.into(), Cells::RowNumber);
    }
    for (name, column) in table.columns {
        match column {
            Column::Extent(extents) => {
                for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
                    add(format!("{name}_{letter}").into(), Cells::Axis(extents, axis));
                }
            }
            Column::Ns(_) => add(format!("{name}_ns").into(), Cells::Column(column)),
            _ => add(name.into(), Cells::Column(column)),
        }
    }
    FlatTable { name: table.name, rows: table.rows, columns, strings }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample;

    fn names(table: &FlatTable<'_>) -> Vec<String> {
        table.columns.iter().map(|column| column.name.to_string()).collect()
    }

    #[test]
    fn columns_say_their_unit_and_extents_are_three() {
        let trace = sample::trace();
        let tables = flat_tables(&trace, Some(3));
        let of = |name: &str| names(tables.iter().find(|table| table.name == name).unwrap());
        assert_eq!(
            of("slices"),
            ["rank", "slice", "start_ns", "duration_ns", "name", "category", "track", "kind", "position"]
        );
        assert_eq!(of("tracks")[..3], ["rank", "track", "process"]);
        assert_eq!(of("flows")[..3], ["rank", "time_ns", "track"]);
        let runtime_arguments = of("runtime_arguments");
        assert_eq!(runtime_arguments[3..6], ["grid_x", "grid_y", "grid_z"]);
        assert_eq!(tables.len(), table_names().len(), "the sample has rows in every table");
    }

    #[test]
    fn tables_without_rows_are_left_out() {
        assert!(flat_tables(&Trace::default(), None).is_empty());
    }
}
