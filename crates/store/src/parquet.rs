//! Tables as Parquet: typed columns, texts as dictionaries, packed with Zstandard.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use eaves_model::Column;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnPath;

use crate::arrow::{Keys, Rows, array, field};
use crate::tables::{Cells, FlatColumn, FlatTable};

/// The name in the files, in the form that other readers take apart.
pub const CREATED_BY: &str = concat!("eaves version ", env!("CARGO_PKG_VERSION"));
/// Rows of one row group, the unit in which readers skip and share out the work.
const ROW_GROUP: usize = 1 << 20;
/// Rows turned to Arrow at a time.
const BATCH: usize = 1 << 16;

/// Zstandard at its fastest level: datasets are read again and again, and often over a network.
pub fn compression() -> Compression {
    Compression::ZSTD(ZstdLevel::default())
}

/// Writes one table, which may come in several parts with the same columns, as one Parquet file.
///
/// # Errors
/// Only those of the output.
pub fn write(parts: &[FlatTable<'_>], output: impl Write + Send) -> io::Result<()> {
    write_grouped(parts, ROW_GROUP, output)
}

/// The same with this many rows in a row group.
///
/// # Errors
/// Only those of the output.
pub fn write_grouped(parts: &[FlatTable<'_>], row_group: usize, output: impl Write + Send) -> io::Result<()> {
    write_parts(parts, None, row_group, output).map_err(io_error)
}

/// One table with its rows in another order: that of the time in one of its columns, which readers are told.
///
/// # Errors
/// Only those of the output.
pub(crate) fn write_sorted(
    table: FlatTable<'_>,
    order: &ByTime,
    row_group: usize,
    output: impl Write + Send,
) -> io::Result<()> {
    write_parts(&[table], Some(order), row_group, output).map_err(io_error)
}

/// Rows of a table in the order of a column of times.
#[derive(Debug)]
pub(crate) struct ByTime {
    column: usize,
    rows: Vec<u32>,
}

impl ByTime {
    /// Of a table whose rows are known by their own number, which the order does not change; nothing for others.
    pub(crate) fn of(table: &FlatTable<'_>) -> Option<Self> {
        if !table.columns.iter().any(|column| matches!(column.cells, Cells::RowNumber)) {
            return None;
        }
        let (column, times) =
            table.columns.iter().enumerate().find_map(|(place, column)| match column.cells {
                Cells::Column(Column::Ns(times)) => Some((place, times.rows(0..table.rows))),
                _ => None,
            })?;
        let mut rows: Vec<u32> = (0..u32::try_from(table.rows).ok()?).collect();
        rows.sort_by_key(|&row| times[row as usize]);
        Some(Self { column, rows })
    }
}

/// Output of the profiler; wrapped by this crate.
pub fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}

/// True if a file was written here.
pub fn is_export(path: &Path) -> bool {
    let name = |file: File| {
        let reader = SerializedFileReader::new(file).ok()?;
        reader.metadata().file_metadata().created_by().map(str::to_owned)
    };
    File::open(path).ok().and_then(name).is_some_and(|name| name.starts_with("eaves "))
}

fn write_parts(
    parts: &[FlatTable<'_>],
    order: Option<&ByTime>,
    row_group: usize,
    output: impl Write + Send,
) -> Result<()> {
    let Some(first) = parts.first() else {
        return Err(ParquetError::General("a table needs at least one part".to_owned()));
    };
    let schema: SchemaRef = Arc::new(Schema::new(first.columns.iter().map(field).collect::<Vec<_>>()));
    let mut writer = ArrowWriter::try_new(output, schema.clone(), Some(properties(first, order, row_group)))?;
    for part in parts {
        let mut keys = Keys::default();
        for start in (0..part.rows).step_by(BATCH) {
            let rows = start..part.rows.min(start + BATCH);
            let rows = match order {
                None => Rows::Run(rows),
                Some(order) => Rows::Listed(&order.rows[rows]),
            };
            let array = |column: &FlatColumn<'_>| array(column, part.strings, &rows, &mut keys);
            let arrays = part.columns.iter().map(array).collect::<Result<Vec<_>, ArrowError>>()?;
            writer.write(&RecordBatch::try_new(schema.clone(), arrays)?)?;
        }
    }
    writer.close()?;
    Ok(())
}

fn properties(table: &FlatTable<'_>, order: Option<&ByTime>, row_group: usize) -> WriterProperties {
    let by_time = order.and_then(|order| i32::try_from(order.column).ok());
    let by_time =
        by_time.map(|column_idx| vec![SortingColumn { column_idx, descending: false, nulls_first: false }]);
    let mut properties = WriterProperties::builder()
        .set_created_by(CREATED_BY.to_owned())
        .set_compression(compression())
        .set_sorting_columns(by_time)
        .set_max_row_group_row_count(Some(row_group));
    for column in table.columns.iter().filter(|column| is_ascending(&column.cells)) {
        let path = ColumnPath::from(column.name.as_ref());
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    properties.build()
}

/// True for numbers that mostly grow with the rows: row numbers, places in the file, most times. A dictionary of
/// these is useless, but their differences are small.
fn is_ascending(cells: &Cells<'_>) -> bool {
    match cells {
        Cells::RowNumber => true,
        Cells::Column(Column::Slice(values)) => mostly_grows(values.listed()),
        Cells::Column(Column::I64(values)) => mostly_grows(values.listed()),
        Cells::Column(Column::MaybeI64(values)) => mostly_grows(values.listed()),
        Cells::Column(Column::MaybeU32(values)) => mostly_grows(values.listed()),
        Cells::Column(Column::Ns(values)) => mostly_grows(values.listed()),
        _ => false,
    }
}

fn mostly_grows<T: PartialOrd>(values: &[T]) -> bool {
    let falls = values.windows(2).filter(|pair| pair[0] > pair[1]).count();
    falls < values.len() / 4
}
