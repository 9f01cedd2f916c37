//! Files of one folder as a trace again. Whatever is in them, the answer is a sound trace or what is wrong.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt8Type, UInt32Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, RecordBatch, new_null_array};
use arrow_schema::{DataType, Schema};
use bytes::Bytes;
use eaves_model::{
    Column, ColumnData, Extent, Ident, MaybeF64, MaybeI64, MaybeU32, Ns, SliceId, SliceKind, StringId, Trace,
    TrackId,
};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use crate::arrow::field;
use crate::layout::{Marks, STRINGS, TEXT, expected, mark_name, number_in};
use crate::tables::{Cells, FlatTable};

/// Rows turned to columns at a time.
const BATCH: usize = 1 << 16;

/// Appends the rows of a file to the trace. Texts must have been read before other tables. After an error the trace is of
/// no use.
pub(crate) fn read_table(trace: &mut Trace, name: &str, rows: u64, bytes: Bytes) -> Result<(), String> {
    // The reader of Parquet asserts in places what a damaged file need not hold. No such file comes this far by accident,
    // for checksums are compared before, but one that is made to harm must not end the program.
    let read = AssertUnwindSafe(|| read_rows(trace, name, rows, bytes));
    catch_unwind(read).unwrap_or_else(|_| Err("not a readable Parquet file".to_owned()))
}

fn read_rows(trace: &mut Trace, name: &str, rows: u64, bytes: Bytes) -> Result<(), String> {
    let reader = open(rows, bytes)?;
    if name == STRINGS {
        return read_strings(trace, reader);
    }
    let (nothing, marks) = (Trace::default(), Marks::default());
    let table = expected(&nothing, &marks, name).ok_or_else(|| format!("no table `{name:.80}`"))?;
    let places = places(&table, arrow_array::RecordBatchReader::schema(&reader).as_ref())?;
    let mut caches = vec![Cache::default(); places.len()];
    let mut numbered = Numbered::default();
    for batch in reader {
        let batch = batch.map_err(|error| error.to_string())?;
        let mut columns = Vec::with_capacity(places.len());
        for (place, cache) in places.iter().zip(&mut caches) {
            match place.cells {
                Cells::Rank(_) => {}
                Cells::RowNumber => {
                    numbered.numbers.extend(place.numbers::<UInt32Type>(batch.column(place.at))?);
                }
                _ => columns.push(place.read(&batch, cache, trace)?),
            }
        }
        if numbered.numbers.is_empty() {
            trace.extend_table(name, columns).map_err(|unfit| unfit.to_string())?;
        } else {
            numbered.append(columns)?;
        }
    }
    let columns = numbered.in_order()?;
    if columns.is_empty() {
        Ok(())
    } else {
        trace.extend_table(name, columns).map_err(|unfit| unfit.to_string())
    }
}

/// Rows that have numbers, and stand in any order.
#[derive(Default)]
struct Numbered {
    numbers: Vec<u32>,
    columns: Vec<ColumnData>,
}

impl Numbered {
    fn append(&mut self, columns: Vec<ColumnData>) -> Result<(), String> {
        if self.columns.is_empty() {
            self.columns = columns;
            return Ok(());
        }
        let all = self.columns.iter_mut().zip(columns).all(|(column, more)| column.append(more));
        all.then_some(()).ok_or_else(|| "a column changes its type".to_owned())
    }

    /// The columns in the order of the numbers, each of which must be there once.
    fn in_order(self) -> Result<Vec<ColumnData>, String> {
        const NONE: u32 = u32::MAX;
        let mut rows = vec![NONE; self.numbers.len()];
        for (row, &number) in self.numbers.iter().enumerate() {
            let place = rows.get_mut(number as usize).filter(|place| **place == NONE);
            *place.ok_or_else(|| format!("there is no row for the number {number}, or two have it"))? =
                row as u32;
        }
        Ok(self.columns.into_iter().map(|column| column.in_order(&rows)).collect())
    }
}

fn open(rows: u64, bytes: Bytes) -> Result<ParquetRecordBatchReader, String> {
    let not_parquet = |error| format!("not a readable Parquet file ({error})");
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes).map_err(not_parquet)?;
    let found = builder.metadata().file_metadata().num_rows();
    if u64::try_from(found) != Ok(rows) {
        return Err(format!("{found} rows where {rows} were written"));
    }
    let in_groups: i64 = builder
        .metadata()
        .row_groups()
        .iter()
        .fold(0, |sum: i64, group| sum.saturating_add(group.num_rows()));
    if in_groups != found {
        return Err(format!("{in_groups} rows in row groups of a file of {found}"));
    }
    builder.with_batch_size(BATCH).build().map_err(not_parquet)
}

fn read_strings(trace: &mut Trace, reader: ParquetRecordBatchReader) -> Result<(), String> {
    for batch in reader {
        let batch = batch.map_err(|error| error.to_string())?;
        let texts = batch.column_by_name(TEXT).and_then(|column| column.as_string_opt::<i32>());
        let texts = texts.ok_or_else(|| format!("no column `{TEXT}` of texts"))?;
        for text in texts {
            let text = text.ok_or("a text is missing")?;
            let next = trace.strings.len();
            if trace.strings.intern(text).index() != next {
                return Err(format!("text {next} is there twice"));
            }
        }
    }
    Ok(())
}

/// A column of the model and where it is in the file.
struct Place<'a> {
    name: String,
    /// The first of its columns in the file; beyond the last in an older file that lacks it.
    at: usize,
    data_type: DataType,
    cells: Cells<'a>,
    /// The column that tells texts that look like numbers.
    mark: Option<usize>,
}

/// Finds the columns of a table in a file. All must be there with their types, in their order; others may follow. An
/// older file may end before the last ones: of these no value is known.
fn places<'a>(table: &FlatTable<'a>, schema: &Schema) -> Result<Vec<Place<'a>>, String> {
    let mut places: Vec<Place<'a>> = Vec::with_capacity(table.columns.len());
    let mut at = 0;
    for column in &table.columns {
        let wanted = field(column);
        match schema.fields().get(at) {
            None if wanted.is_nullable() => {}
            None => return Err(format!("no column `{}`", wanted.name())),
            Some(found) if found.name() != wanted.name() => {
                return Err(format!("column `{:.80}` where `{}` belongs", found.name(), wanted.name()));
            }
            Some(found) if found.data_type() != wanted.data_type() => {
                let (found, wanted_type) = (found.data_type(), wanted.data_type());
                return Err(format!("column `{}` is {found}, not {wanted_type}", wanted.name()));
            }
            Some(_) => {}
        }
        let (name, data_type) = (wanted.name().clone(), wanted.data_type().clone());
        // The axes of an extent are one column.
        if !matches!(column.cells, Cells::Axis(_, 1 | 2)) {
            places.push(Place { name, at, data_type, cells: column.cells, mark: None });
        }
        at += 1;
        let is_mark = |name: &str| schema.fields().get(at).is_some_and(|field| field.name() == name);
        if let (Cells::Column(Column::Ident(_)), Some(place)) = (column.cells, places.last_mut())
            && is_mark(&mark_name(&place.name))
        {
            place.mark = Some(at);
            at += 1;
        }
    }
    Ok(places)
}

/// The texts of the last dictionary, as numbers of the trace: batches of one row group share it.
#[derive(Clone, Default)]
struct Cache {
    of: Option<ArrayRef>,
    texts: Vec<StringId>,
}

impl Cache {
    fn texts(&mut self, values: &ArrayRef, trace: &mut Trace) -> Result<&[StringId], String> {
        if !self.of.as_ref().is_some_and(|of| std::sync::Arc::ptr_eq(of, values)) {
            let texts = values.as_string_opt::<i32>().ok_or("a dictionary of something that is no text")?;
            self.texts.clear();
            // A text that no row has may be missing.
            self.texts.extend(
                texts.iter().map(|text| text.map_or(StringId::NONE, |text| trace.strings.intern(text))),
            );
            self.of = Some(values.clone());
        }
        Ok(&self.texts)
    }
}

impl Place<'_> {
    /// The rows of a batch.
    fn read(&self, batch: &RecordBatch, cache: &mut Cache, trace: &mut Trace) -> Result<ColumnData, String> {
        let column = match self.cells {
            Cells::Axis(..) => return self.extents(batch),
            Cells::Column(column) => column,
            Cells::Rank(_) | Cells::RowNumber => {
                return Err(format!("`{}` is no column of a table", self.name));
            }
        };
        let absent;
        let array = match batch.columns().get(self.at) {
            Some(array) => array,
            None => {
                absent = new_null_array(&self.data_type, batch.num_rows());
                &absent
            }
        };
        Ok(match column {
            Column::U8(_) => ColumnData::U8(self.numbers::<UInt8Type>(array)?.to_vec()),
            Column::U32(_) => ColumnData::U32(self.numbers::<UInt32Type>(array)?.to_vec()),
            Column::I64(_) => ColumnData::I64(self.numbers::<Int64Type>(array)?.to_vec()),
            Column::Ns(_) => {
                ColumnData::Ns(self.numbers::<Int64Type>(array)?.iter().map(|&time| Ns(time)).collect())
            }
            Column::MaybeU32(_) => ColumnData::MaybeU32(
                self.primitive::<UInt32Type>(array)?.iter().map(MaybeU32::from).collect(),
            ),
            Column::MaybeI64(_) => {
                ColumnData::MaybeI64(self.primitive::<Int64Type>(array)?.iter().map(MaybeI64::from).collect())
            }
            Column::MaybeF64(_) => ColumnData::MaybeF64(
                self.primitive::<Float64Type>(array)?.iter().map(MaybeF64::from).collect(),
            ),
            Column::Slice(_) => {
                let rows = self.primitive::<UInt32Type>(array)?.iter();
                ColumnData::Slice(rows.map(|row| row.map_or(SliceId::NONE, SliceId)).collect())
            }
            Column::Track(_) => {
                let rows = self.primitive::<UInt32Type>(array)?.iter();
                ColumnData::Track(rows.map(|row| row.map_or(TrackId::NONE, TrackId)).collect())
            }
            Column::String(_) => ColumnData::String(self.texts(array, cache, trace)?),
            Column::Ident(_) => {
                let marks = self.mark.map(|at| self.numbers::<UInt8Type>(batch.column(at))).transpose()?;
                ColumnData::Ident(self.idents(array, marks, trace)?)
            }
            Column::Kind(_) => ColumnData::Kind(self.kinds(array)?),
            Column::Extent(_) => return Err(format!("extents in one column `{}`", self.name)),
        })
    }

    fn primitive<'b, T: ArrowPrimitiveType>(
        &self,
        array: &'b ArrayRef,
    ) -> Result<&'b PrimitiveArray<T>, String> {
        array.as_primitive_opt::<T>().ok_or_else(|| self.wrong(array.data_type()))
    }

    /// Numbers of which none is missing.
    fn numbers<'b, T: ArrowPrimitiveType>(&self, array: &'b ArrayRef) -> Result<&'b [T::Native], String> {
        let numbers = self.primitive::<T>(array)?;
        match numbers.null_count() {
            0 => Ok(numbers.values()),
            _ => Err(format!("a value of `{}` is missing", self.name)),
        }
    }

    fn wrong(&self, found: &DataType) -> String {
        format!("column `{}` is {found}", self.name)
    }

    fn extents(&self, batch: &RecordBatch) -> Result<ColumnData, String> {
        let mut axes = Vec::with_capacity(3);
        for axis in 0..3 {
            let array = batch.columns().get(self.at + axis);
            axes.push(self.primitive::<UInt32Type>(array.ok_or("an axis is missing")?)?);
        }
        let extent = |row: usize| {
            let known = |axis: usize| axes[axis].is_valid(row).then(|| axes[axis].value(row));
            match [known(0), known(1), known(2)] {
                [Some(x), Some(y), Some(z)] => Ok(Extent([x, y, z])),
                [None, None, None] => Ok(Extent::default()),
                _ => Err(format!("an axis of `{}` is missing", self.name)),
            }
        };
        Ok(ColumnData::Extent((0..batch.num_rows()).map(extent).collect::<Result<_, _>>()?))
    }

    fn texts(&self, array: &ArrayRef, cache: &mut Cache, trace: &mut Trace) -> Result<Vec<StringId>, String> {
        let dictionary =
            array.as_dictionary_opt::<Int32Type>().ok_or_else(|| self.wrong(array.data_type()))?;
        let texts = cache.texts(dictionary.values(), trace)?;
        let text = |key: Option<i32>| match key {
            None => Some(StringId::NONE),
            Some(key) => texts.get(usize::try_from(key).ok()?).copied(),
        };
        let ids: Option<Vec<StringId>> = dictionary.keys().iter().map(text).collect();
        ids.ok_or_else(|| format!("a text of `{}` is not in its dictionary", self.name))
    }

    /// Numbers and texts that are used as identifiers. What looks like a number is one, unless it is marked.
    fn idents(
        &self,
        array: &ArrayRef,
        marks: Option<&[u8]>,
        trace: &mut Trace,
    ) -> Result<Vec<Ident>, String> {
        let dictionary =
            array.as_dictionary_opt::<Int32Type>().ok_or_else(|| self.wrong(array.data_type()))?;
        let texts = dictionary.values().as_string_opt::<i32>().ok_or("a dictionary of no texts")?;
        let mut known: Vec<Option<Ident>> = vec![None; texts.len()];
        let mut ident = |(row, key): (usize, Option<i32>)| {
            let Some(key) = key else { return Some(Ident::NONE) };
            let place =
                usize::try_from(key).ok().filter(|&place| place < texts.len() && texts.is_valid(place))?;
            let text = texts.value(place);
            if marks.is_some_and(|marks| marks[row] != 0) {
                return Some(Ident::text(trace.strings.intern(text)));
            }
            let meant = || number_in(text).unwrap_or_else(|| Ident::text(trace.strings.intern(text)));
            Some(*known[place].get_or_insert_with(meant))
        };
        let idents: Option<Vec<Ident>> = dictionary.keys().iter().enumerate().map(&mut ident).collect();
        idents.ok_or_else(|| format!("a text of `{}` is not in its dictionary", self.name))
    }

    fn kinds(&self, array: &ArrayRef) -> Result<Vec<SliceKind>, String> {
        let dictionary =
            array.as_dictionary_opt::<Int32Type>().ok_or_else(|| self.wrong(array.data_type()))?;
        let names = dictionary.values().as_string_opt::<i32>().ok_or("a dictionary of no texts")?;
        let known = |name: Option<&str>| SliceKind::ALL.into_iter().find(|kind| Some(kind.name()) == name);
        let kinds: Vec<Option<SliceKind>> = names.iter().map(known).collect();
        let kind = |key: Option<i32>| kinds.get(usize::try_from(key?).ok()?).copied().flatten();
        let rows: Option<Vec<SliceKind>> = dictionary.keys().iter().map(kind).collect();
        rows.ok_or_else(|| format!("a kind in `{}` that is not known", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_there_once() {
        let in_order = |numbers: &[u32]| {
            let columns = vec![ColumnData::I64(numbers.iter().map(|&number| i64::from(number)).collect())];
            Numbered { numbers: numbers.to_vec(), columns }.in_order()
        };
        let sorted = in_order(&[2, 0, 1]).unwrap();
        assert!(matches!(&sorted[..], [ColumnData::I64(values)] if *values == [0, 1, 2]));
        assert!(in_order(&[0, 0]).is_err(), "twice");
        assert!(in_order(&[0, 2]).is_err(), "beyond the end");
        assert!(in_order(&[u32::MAX]).is_err());
    }
}
