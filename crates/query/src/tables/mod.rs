//! The tables, one file each: what they are called in SQL, what stands in them, and where it comes from. To add one: copy
//! a file, add a `mod` line and a line to [`ALL`].

mod collectives;
mod column;
mod counters;
mod kernels;
mod launches;
mod memory;
mod ops;
mod ranks;
mod slices;
mod steps;

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, StringViewArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use eaves_analyze::RankView;
use eaves_model::Recording;

use self::column::Column;
use crate::{ColumnInfo, TableInfo};

/// Rows made at a time.
const BATCH: usize = 8192;

/// The column that says which run a row is of, in all tables.
pub(crate) const RUN: ColumnInfo = ColumnInfo { name: "run", kind: "text", about: "The run" };
/// The column that says which rank a row is of, in all tables but `runs`.
pub(crate) const RANK: ColumnInfo = ColumnInfo { name: "rank", kind: "int", about: "The rank" };

/// Columns that say when something was, in any table: nothing where durations alone were recorded.
const OF_TIMES: [&str; 6] = ["delay_ns", "end_ns", "exposed_ns", "start_ns", "step", "time_ns"];

/// A rank whose rows are in memory.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) run: &'a str,
    pub(crate) recording: &'a Recording,
    pub(crate) rank: &'a RankView<'a>,
}

/// A table: how the rows of a rank are found, and what stands in each.
trait Table {
    /// The name in SQL.
    const NAME: &'static str;
    /// Meaning of a row.
    const ABOUT: &'static str;
    /// The rows of a rank.
    type Rows<'a>;

    /// Finds the rows.
    fn rows<'a>(view: &View<'a>) -> Self::Rows<'a>;

    /// How many there are.
    fn count(rows: &Self::Rows<'_>) -> usize;

    /// The columns behind run and rank.
    fn columns<'a>() -> Vec<Column<Self::Rows<'a>>>;
}

/// Takes batches; false if no more are wanted.
type Take<'t> = &'t mut dyn FnMut(Result<RecordBatch, ArrowError>) -> bool;

/// A table of whichever kind.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    about: &'static str,
    columns: fn() -> Vec<ColumnInfo>,
    fill: fn(&View<'_>, &[usize], &SchemaRef, Take<'_>) -> bool,
}

/// All that have rows of ranks, by name. `runs` is made of their names alone.
pub(crate) static ALL: &[Entry] = &[
    // tidy-alphabetical-start
    entry::<collectives::Collectives>(),
    entry::<counters::Counters>(),
    entry::<kernels::Kernels>(),
    entry::<launches::Launches>(),
    entry::<memory::Memory>(),
    entry::<ops::Ops>(),
    entry::<ranks::Ranks>(),
    entry::<slices::Slices>(),
    entry::<steps::Steps>(),
    // tidy-alphabetical-end
];

/// The table of runs: nothing is read for it.
pub(crate) fn runs() -> TableInfo {
    let ranks = ColumnInfo { name: "ranks", kind: "int", about: "Number of ranks" };
    TableInfo { name: "runs", about: "Runs; reads no rank", columns: vec![RUN, ranks] }
}

/// What there is.
pub(crate) fn all() -> Vec<TableInfo> {
    let mut tables: Vec<TableInfo> = ALL.iter().map(Entry::info).collect();
    tables.push(runs());
    tables.sort_by_key(|table| table.name);
    tables
}

const fn entry<T: Table>() -> Entry {
    Entry { name: T::NAME, about: T::ABOUT, columns: columns::<T>, fill: fill::<T> }
}

fn columns<T: Table>() -> Vec<ColumnInfo> {
    let own = T::columns();
    [RUN, RANK].into_iter().chain(own.iter().map(Column::info)).collect()
}

impl Entry {
    /// What it is.
    pub(crate) fn info(&self) -> TableInfo {
        TableInfo { name: self.name, about: self.about, columns: (self.columns)() }
    }

    /// The columns as the engine has them.
    pub(crate) fn schema(&self) -> SchemaRef {
        schema_of(&(self.columns)())
    }

    /// Makes batches of some columns; false if no more are wanted.
    pub(crate) fn fill(
        &self,
        view: &View<'_>,
        projection: &[usize],
        schema: &SchemaRef,
        take: Take<'_>,
    ) -> bool {
        (self.fill)(view, projection, schema, take)
    }
}

/// Columns as the engine has them.
pub(crate) fn schema_of(columns: &[ColumnInfo]) -> SchemaRef {
    let field = |column: &ColumnInfo| {
        let data_type = match column.kind {
            "int" => DataType::Int64,
            "float" => DataType::Float64,
            "bool" => DataType::Boolean,
            _ => DataType::Utf8View,
        };
        Field::new(column.name, data_type, true)
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

fn fill<T: Table>(view: &View<'_>, projection: &[usize], schema: &SchemaRef, take: Take<'_>) -> bool {
    let rows = T::rows(view);
    let columns = T::columns();
    let count = T::count(&rows);
    let mut start = 0;
    while start < count {
        let part = start..count.min(start + BATCH);
        start = part.end;
        let arrays = projection.iter().map(|&index| array(view, &columns, &rows, index, part.clone()));
        let options = RecordBatchOptions::new().with_row_count(Some(part.len()));
        if !take(RecordBatch::try_new_with_options(schema.clone(), arrays.collect(), &options)) {
            return false;
        }
    }
    true
}

fn array<R>(view: &View<'_>, columns: &[Column<R>], rows: &R, index: usize, part: Range<usize>) -> ArrayRef {
    match index {
        0 => Arc::new(StringViewArray::from_iter_values(part.map(|_| view.run))),
        1 => Arc::new(Int64Array::from_value(view.recording.rank, part.len())),
        // The engine asks for columns of the schema and no others.
        own => {
            let column = &columns[own - 2];
            let times = view.recording.trace.metadata.times;
            let name = column.info().name;
            let is_unknown = (!times.has_starts() && OF_TIMES.contains(&name))
                || (!times.has_durations() && name == "duration_ns");
            if is_unknown {
                return Arc::new(Int64Array::new_null(part.len()));
            }
            column.array(rows, part)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_each_column_is_there_once() {
        let tables = all();
        assert!(tables.is_sorted_by_key(|table| table.name));
        let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
        assert_eq!(
            names,
            [
                "collectives",
                "counters",
                "kernels",
                "launches",
                "memory",
                "ops",
                "ranks",
                "runs",
                "slices",
                "steps"
            ]
        );
        for table in tables {
            assert_eq!(table.columns[0], RUN);
            let is_of_times = |column: &&ColumnInfo| OF_TIMES.contains(&column.name);
            assert!(table.columns.iter().filter(is_of_times).all(|column| column.kind == "int"));
            let mut columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            columns.sort_unstable();
            assert!(columns.windows(2).all(|pair| pair[0] != pair[1]), "{}", table.name);
        }
    }
}
