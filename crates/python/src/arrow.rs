//! Tables of the model as Arrow. A column that lies in memory as Arrow wants it is lent, not copied; the recording lives as
//! long as anybody holds one of its columns.

use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int32Type, Int64Type, UInt8Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, Int64Array, PrimitiveArray, RecordBatch,
    RecordBatchOptions, StringArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use eaves_app::Recordings;
use eaves_model::{Column, Recording, SliceId, SliceKind, StringId, Trace, Values};
use eaves_store::arrow::{Keys, Rows, array, dictionary, field};
use eaves_store::tables::{Cells, FlatColumn, FlatTable, flat_table};

/// A table as Arrow has it: one batch after the other.
pub(crate) type Batches = (SchemaRef, Vec<RecordBatch>);

/// Rows of a table of all recordings.
pub(crate) fn rows(recordings: &Recordings, name: &str) -> usize {
    let tables = flat_table(&recordings.run.recordings, name);
    tables.iter().flatten().map(|table| table.rows).sum()
}

/// A table, one batch a recording.
pub(crate) fn table(recordings: &Arc<Recordings>, name: &str) -> Result<Batches, ArrowError> {
    put_together(recordings, name, |_, _, _| Ok(Vec::new()))
}

/// A table whose rows say more about slices, one batch a recording: what the slices are called, what they are and when
/// they were stands first.
pub(crate) fn table_of_slices(recordings: &Arc<Recordings>, name: &str) -> Result<Batches, ArrowError> {
    put_together(recordings, name, |recording, table, texts| {
        let slices = table.columns.iter().find_map(|column| match column.cells {
            Cells::Column(Column::Slice(slices)) => Some(slices),
            _ => None,
        });
        let trace = &recording.trace;
        Ok(slices.map(|slices| of_slices(trace, slices, table.rows, texts)).transpose()?.unwrap_or_default())
    })
}

type Named = (Field, ArrayRef);

fn put_together(
    recordings: &Arc<Recordings>,
    name: &str,
    first: impl Fn(&Recording, &FlatTable<'_>, &Arc<StringArray>) -> Result<Vec<Named>, ArrowError>,
) -> Result<Batches, ArrowError> {
    let unknown = || ArrowError::SchemaError(format!("no table `{name}`"));
    // Of no recordings a table has columns all the same. Nothing is lent of it, for it has no row and no text.
    let nothing = [empty()];
    let run = &recordings.run.recordings;
    let parts = flat_table(if run.is_empty() { &nothing } else { run }, name).ok_or_else(unknown)?;
    let mut batches = Vec::with_capacity(parts.len());
    for (recording, part) in run.iter().chain(&nothing).zip(&parts) {
        let texts = texts(recordings, &recording.trace)?;
        let mut columns = first(recording, part, &texts)?;
        let mut keys = Keys::default();
        for column in &part.columns {
            let lent = lent(recordings, column, part.rows, &texts);
            let array = match lent {
                Some(array) => array?,
                None => array(column, part.strings, &Rows::Run(0..part.rows), &mut keys)?,
            };
            columns.push((with_unit(field(column)), array));
        }
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().unzip();
        let options = RecordBatchOptions::new().with_row_count(Some(part.rows));
        let schema = Arc::new(Schema::new(fields));
        batches.push(RecordBatch::try_new_with_options(schema, arrays, &options)?);
    }
    let schema = batches.first().map(RecordBatch::schema).ok_or_else(unknown)?;
    Ok((schema, batches))
}

fn empty() -> Recording {
    Recording {
        path: String::new(),
        format: "",
        container: "",
        bytes: 0,
        rank: 0,
        rank_source: eaves_model::RankSource::Assumed,
        trace: Trace::default(),
    }
}

/// A column with its unit where the name tells it.
fn with_unit(field: Field) -> Field {
    let units = [("_ns", "ns"), ("_pct", "%"), ("_gbps", "GB/s"), ("bytes", "B")];
    match units.iter().find(|(ending, _)| field.name().ends_with(ending)) {
        Some((_, unit)) => field.with_metadata([("unit".to_owned(), (*unit).to_owned())].into()),
        None => field,
    }
}

/// The column as it lies in memory, if it lies there as Arrow wants it.
fn lent(
    owner: &Arc<Recordings>,
    column: &FlatColumn<'_>,
    rows: usize,
    texts: &Arc<StringArray>,
) -> Option<Result<ArrayRef, ArrowError>> {
    let Cells::Column(column) = column.cells else { return None };
    match column {
        Column::U8(values) => numbers::<UInt8Type, _>(owner, values, rows, None),
        Column::U32(values) => numbers::<UInt32Type, _>(owner, values, rows, None),
        Column::I64(values) => numbers::<Int64Type, _>(owner, values, rows, None),
        Column::Ns(values) => numbers::<Int64Type, _>(owner, values, rows, None),
        Column::MaybeU32(values) => {
            numbers::<UInt32Type, _>(owner, values, rows, Some(&|value| value.is_some()))
        }
        Column::MaybeI64(values) => {
            numbers::<Int64Type, _>(owner, values, rows, Some(&|value| value.is_some()))
        }
        Column::MaybeF64(values) => {
            numbers::<Float64Type, _>(owner, values, rows, Some(&|value| value.get().is_some()))
        }
        Column::Slice(values) => {
            numbers::<UInt32Type, _>(owner, values, rows, Some(&|value| value.some().is_some()))
        }
        Column::Track(values) => {
            numbers::<UInt32Type, _>(owner, values, rows, Some(&|value| value.some().is_some()))
        }
        Column::String(values) => {
            let known = texts.len();
            let keys = primitive::<Int32Type, StringId>(owner, values, rows, Some(&|id| id.index() < known))?;
            Some(texts_of(keys, texts))
        }
        Column::Ident(_) | Column::Extent(_) | Column::Kind(_) => None,
    }
}

fn texts_of(keys: Int32Array, texts: &Arc<StringArray>) -> Result<ArrayRef, ArrowError> {
    let array = DictionaryArray::<Int32Type>::try_new(keys, texts.clone())?;
    Ok(Arc::new(array))
}

fn numbers<A: ArrowPrimitiveType, T: Copy>(
    owner: &Arc<Recordings>,
    values: Values<'_, T>,
    rows: usize,
    is_some: Option<&dyn Fn(&T) -> bool>,
) -> Option<Result<ArrayRef, ArrowError>> {
    let array: ArrayRef = Arc::new(primitive::<A, T>(owner, values, rows, is_some)?);
    Some(Ok(array))
}

/// The numbers of a column, if each row has its own in memory. `is_some` tells those that mean nothing.
fn primitive<A: ArrowPrimitiveType, T: Copy>(
    owner: &Arc<Recordings>,
    values: Values<'_, T>,
    rows: usize,
    is_some: Option<&dyn Fn(&T) -> bool>,
) -> Option<PrimitiveArray<A>> {
    let values = values.listed();
    // Types of the model that stand for numbers are transparent, so sizes differ only by a mistake.
    if values.len() != rows || rows == 0 || size_of::<T>() != size_of::<A::Native>() {
        return None;
    }
    let nulls = is_some
        .map(|is_some| NullBuffer::new(BooleanBuffer::collect_bool(rows, |row| is_some(&values[row]))));
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    let buffer = ScalarBuffer::new(lend(owner, values), 0, rows);
    Some(PrimitiveArray::new(buffer, nulls))
}

/// Memory of recordings as a buffer that keeps them alive.
fn lend<T: Copy>(owner: &Arc<Recordings>, values: &[T]) -> Buffer {
    let start = NonNull::from(values).cast::<u8>();
    #[expect(unsafe_code, reason = "only the caller knows that the memory lives as long as its owner")]
    // SAFETY: `values` are initialized numbers, without padding, inside the recordings that `owner` holds. These are
    // never changed once they are shared, for nothing in them has interior mutability, and the buffer holds them alive.
    unsafe {
        Buffer::from_custom_allocation(start, size_of_val(values), owner.clone())
    }
}

/// Every text of a trace in order of its id. The letters are lent; where texts end is copied, for Arrow counts in 32 bits.
fn texts(owner: &Arc<Recordings>, trace: &Trace) -> Result<Arc<StringArray>, ArrowError> {
    let (letters, ends) = trace.strings.joined();
    let too_long = |_| ArrowError::OffsetOverflowError(letters.len());
    let mut offsets: Vec<i32> = Vec::with_capacity(ends.len() + 1);
    offsets.push(0);
    for &end in ends {
        offsets.push(i32::try_from(end).map_err(too_long)?);
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let letters =
        if letters.is_empty() { Buffer::from(Vec::<u8>::new()) } else { lend(owner, letters.as_bytes()) };
    Ok(Arc::new(StringArray::try_new(offsets, letters, None)?))
}

/// What slices are called, what they are and when they were.
fn of_slices(
    trace: &Trace,
    slices: Values<'_, SliceId>,
    rows: usize,
    texts: &Arc<StringArray>,
) -> Result<Vec<Named>, ArrowError> {
    let at = |row: usize| slices[row].index();
    let known = texts.len();
    let name = |row: usize| trace.slices.name.get(at(row)).filter(|id| id.index() < known);
    let names: Int32Array = (0..rows).map(|row| name(row).map(|id| id.0 as i32)).collect();
    let kinds: Int32Array =
        (0..rows).map(|row| trace.slices.kind.get(at(row)).map(|&kind| kind as i32)).collect();
    let start: Int64Array = (0..rows).map(|row| trace.slices.start.get(at(row)).map(|time| time.0)).collect();
    let duration: Int64Array =
        (0..rows).map(|row| trace.slices.duration.get(at(row)).map(|time| time.0)).collect();
    let kind_names = Arc::new(StringArray::from_iter_values(SliceKind::ALL.map(SliceKind::name)));
    let time = |name: &str| with_unit(Field::new(name, DataType::Int64, true));
    Ok(vec![
        (Field::new("name", dictionary(), true), texts_of(names, texts)?),
        (Field::new("kind", dictionary(), true), texts_of(kinds, &kind_names)?),
        (time("start_ns"), Arc::new(start)),
        (time("duration_ns"), Arc::new(duration)),
    ])
}
