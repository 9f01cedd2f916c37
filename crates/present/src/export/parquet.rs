//! Tables as Parquet: typed columns, texts as dictionaries, Snappy, which every reader knows.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, UInt8Array,
    UInt32Array,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use eaves_model::{Column, Ident, SliceKind, StringId, Strings, ident_text};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnPath;

use super::tables::{Cells, FlatColumn, FlatTable};

/// The name in the files, in the form that other readers take apart.
pub(super) const CREATED_BY: &str = concat!("eaves version ", env!("CARGO_PKG_VERSION"));
/// What every reader knows.
pub(super) const COMPRESSION: Compression = Compression::SNAPPY;
/// Rows of one row group, the unit in which readers skip and share out the work.
const ROW_GROUP: usize = 1 << 20;
/// Rows turned to Arrow at a time.
const BATCH: usize = 1 << 16;

/// Writes one table, which may come in several parts with the same columns, as one Parquet file.
///
/// # Errors
/// Only those of the output.
pub fn write(parts: &[FlatTable<'_>], output: impl Write + Send) -> io::Result<()> {
    write_parts(parts, output).map_err(io_error)
}

/// What the output said; the crate wraps it.
pub(super) fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}

/// True if a file was written here.
pub(super) fn is_export(path: &Path) -> bool {
    let name = |file: File| {
        let reader = SerializedFileReader::new(file).ok()?;
        reader.metadata().file_metadata().created_by().map(str::to_owned)
    };
    File::open(path).ok().and_then(name).is_some_and(|name| name.starts_with("eaves "))
}

fn write_parts(parts: &[FlatTable<'_>], output: impl Write + Send) -> Result<()> {
    let Some(first) = parts.first() else {
        return Err(ParquetError::General("a table needs at least one part".to_owned()));
    };
    let schema: SchemaRef = Arc::new(Schema::new(first.columns.iter().map(field).collect::<Vec<_>>()));
    let mut writer = ArrowWriter::try_new(output, schema.clone(), Some(properties(first)))?;
    for part in parts {
        let mut keys = Keys::default();
        for start in (0..part.rows).step_by(BATCH) {
            let rows = start..part.rows.min(start + BATCH);
            let array = |column: &FlatColumn<'_>| array(column, part.strings, rows.clone(), &mut keys);
            let arrays = part.columns.iter().map(array).collect::<Result<Vec<_>>>()?;
            writer.write(&RecordBatch::try_new(schema.clone(), arrays)?)?;
        }
    }
    writer.close()?;
    Ok(())
}

fn properties(table: &FlatTable<'_>) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_created_by(CREATED_BY.to_owned())
        .set_compression(COMPRESSION)
        .set_max_row_group_row_count(Some(ROW_GROUP));
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

fn dictionary() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

fn field(column: &FlatColumn<'_>) -> Field {
    let (data_type, nullable) = match column.cells {
        Cells::Rank(_) => (DataType::Int64, false),
        Cells::RowNumber => (DataType::UInt32, false),
        Cells::Axis(..) => (DataType::UInt32, true),
        Cells::Column(column) => match column {
            Column::U8(_) => (DataType::UInt8, false),
            Column::U32(_) => (DataType::UInt32, false),
            Column::I64(_) | Column::Ns(_) => (DataType::Int64, false),
            Column::MaybeI64(_) => (DataType::Int64, true),
            Column::MaybeF64(_) => (DataType::Float64, true),
            Column::Kind(_) => (dictionary(), false),
            Column::Ident(_) | Column::String(_) => (dictionary(), true),
            Column::MaybeU32(_) | Column::Slice(_) | Column::Track(_) | Column::Extent(_) => {
                (DataType::UInt32, true)
            }
        },
    };
    Field::new(column.name.as_ref(), data_type, nullable)
}

fn array(
    column: &FlatColumn<'_>,
    strings: &Strings,
    rows: Range<usize>,
    keys: &mut Keys,
) -> Result<ArrayRef> {
    Ok(match column.cells {
        Cells::Rank(rank) => Arc::new(Int64Array::from_value(rank, rows.len())),
        Cells::RowNumber => Arc::new(UInt32Array::from_iter_values(rows.map(|row| row as u32))),
        Cells::Axis(extents, axis) => {
            let extents = extents.rows(rows);
            let values = extents.iter().map(|extent| extent.get().map(|extent| extent[axis]));
            Arc::new(UInt32Array::from_iter(values))
        }
        Cells::Column(column) => return model_array(column, strings, rows, keys),
    })
}

fn model_array(
    column: Column<'_>,
    strings: &Strings,
    rows: Range<usize>,
    keys: &mut Keys,
) -> Result<ArrayRef> {
    Ok(match column {
        Column::U8(values) => Arc::new(UInt8Array::from_iter_values(values.rows(rows).iter().copied())),
        Column::U32(values) => Arc::new(UInt32Array::from_iter_values(values.rows(rows).iter().copied())),
        Column::I64(values) => Arc::new(Int64Array::from_iter_values(values.rows(rows).iter().copied())),
        Column::Ns(values) => {
            Arc::new(Int64Array::from_iter_values(values.rows(rows).iter().map(|time| time.0)))
        }
        Column::MaybeU32(values) => {
            Arc::new(UInt32Array::from_iter(values.rows(rows).iter().map(|value| value.get())))
        }
        Column::MaybeI64(values) => {
            Arc::new(Int64Array::from_iter(values.rows(rows).iter().map(|value| value.get())))
        }
        Column::MaybeF64(values) => {
            Arc::new(Float64Array::from_iter(values.rows(rows).iter().map(|value| value.get())))
        }
        Column::Slice(values) => Arc::new(UInt32Array::from_iter(
            values.rows(rows).iter().map(|slice| slice.some().map(|slice| slice.0)),
        )),
        Column::Track(values) => Arc::new(UInt32Array::from_iter(
            values.rows(rows).iter().map(|track| track.some().map(|track| track.0)),
        )),
        Column::Extent(_) => return Err(ParquetError::General("extents are three columns".to_owned())),
        Column::String(values) => keys.strings(&values.rows(rows), strings)?,
        Column::Ident(values) => idents(&values.rows(rows), strings)?,
        Column::Kind(values) => kinds(&values.rows(rows))?,
    })
}

/// Finds the place of a string in the dictionary of a batch without hashing: one slot per string of the trace,
/// emptied after each batch.
#[derive(Default)]
struct Keys {
    slots: Vec<i32>,
}

impl Keys {
    fn strings(&mut self, values: &[StringId], strings: &Strings) -> Result<ArrayRef> {
        self.slots.resize(strings.len(), -1);
        let mut used: Vec<StringId> = Vec::new();
        let slots = &mut self.slots;
        let keys: Int32Array = values
            .iter()
            .map(|id| {
                let slot = slots.get_mut(id.index())?;
                if *slot < 0 {
                    *slot = used.len() as i32;
                    used.push(*id);
                }
                Some(*slot)
            })
            .collect();
        for id in &used {
            self.slots[id.index()] = -1;
        }
        dictionary_array(keys, StringArray::from_iter_values(used.iter().map(|&id| strings.get(id))))
    }
}

fn idents(values: &[Ident], strings: &Strings) -> Result<ArrayRef> {
    let mut known: HashMap<Ident, i32> = HashMap::new();
    let mut used = Vec::new();
    let keys: Int32Array = values
        .iter()
        .map(|&ident| {
            let text = ident_text(ident, strings)?;
            Some(*known.entry(ident).or_insert_with(|| {
                used.push(text);
                used.len() as i32 - 1
            }))
        })
        .collect();
    dictionary_array(keys, StringArray::from_iter_values(used))
}

fn kinds(values: &[SliceKind]) -> Result<ArrayRef> {
    let keys = Int32Array::from_iter_values(values.iter().map(|&kind| kind as i32));
    dictionary_array(keys, StringArray::from_iter_values(SliceKind::ALL.map(SliceKind::name)))
}

fn dictionary_array(keys: Int32Array, values: StringArray) -> Result<ArrayRef> {
    Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::new(values))?))
}
