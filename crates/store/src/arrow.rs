//! Columns of the model as Arrow arrays: what Parquet files are made of, and what Python sees.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, StringArray, UInt8Array, UInt32Array,
};
use arrow_schema::{ArrowError, DataType, Field};
use eaves_model::{Column, Ident, SliceKind, StringId, Strings, Values, ident_text};

use crate::tables::{Cells, FlatColumn};

/// Texts, each once, and a number a row.
pub fn dictionary() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// The column as a schema has it.
pub fn field(column: &FlatColumn<'_>) -> Field {
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

/// Some rows of a table, which must be there.
#[derive(Clone, Debug)]
pub enum Rows<'a> {
    /// One after the other.
    Run(Range<usize>),
    /// By number, in any order.
    Listed(&'a [u32]),
}

impl Rows<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Run(rows) => rows.len(),
            Self::Listed(rows) => rows.len(),
        }
    }

    fn of<'v, T: Copy>(&self, values: &Values<'v, T>) -> Cow<'v, [T]> {
        match self {
            Self::Run(rows) => values.rows(rows.clone()),
            Self::Listed(rows) => rows.iter().map(|&row| values[row as usize]).collect(),
        }
    }
}

/// Some rows of a column of one trace. `keys` are those of the trace.
///
/// # Errors
/// None that a table of [`crate::tables`] can cause.
pub fn array(
    column: &FlatColumn<'_>,
    strings: &Strings,
    rows: &Rows<'_>,
    keys: &mut Keys,
) -> Result<ArrayRef, ArrowError> {
    Ok(match column.cells {
        Cells::Rank(rank) => Arc::new(Int64Array::from_value(rank, rows.len())),
        Cells::RowNumber => Arc::new(match rows {
            Rows::Run(rows) => UInt32Array::from_iter_values(rows.clone().map(|row| row as u32)),
            Rows::Listed(rows) => UInt32Array::from_iter_values(rows.iter().copied()),
        }),
        Cells::Axis(extents, axis) => {
            let extents = rows.of(&extents);
            let values = extents.iter().map(|extent| extent.get().map(|extent| extent[axis]));
            Arc::new(UInt32Array::from_iter(values))
        }
        Cells::Column(column) => return model_array(column, strings, rows, keys),
    })
}

fn model_array(
    column: Column<'_>,
    strings: &Strings,
    rows: &Rows<'_>,
    keys: &mut Keys,
) -> Result<ArrayRef, ArrowError> {
    Ok(match column {
        Column::U8(values) => Arc::new(UInt8Array::from_iter_values(rows.of(&values).iter().copied())),
        Column::U32(values) => Arc::new(UInt32Array::from_iter_values(rows.of(&values).iter().copied())),
        Column::I64(values) => Arc::new(Int64Array::from_iter_values(rows.of(&values).iter().copied())),
        Column::Ns(values) => {
            Arc::new(Int64Array::from_iter_values(rows.of(&values).iter().map(|time| time.0)))
        }
        Column::MaybeU32(values) => {
            Arc::new(UInt32Array::from_iter(rows.of(&values).iter().map(|value| value.get())))
        }
        Column::MaybeI64(values) => {
            Arc::new(Int64Array::from_iter(rows.of(&values).iter().map(|value| value.get())))
        }
        Column::MaybeF64(values) => {
            Arc::new(Float64Array::from_iter(rows.of(&values).iter().map(|value| value.get())))
        }
        Column::Slice(values) => Arc::new(UInt32Array::from_iter(
            rows.of(&values).iter().map(|slice| slice.some().map(|slice| slice.0)),
        )),
        Column::Track(values) => Arc::new(UInt32Array::from_iter(
            rows.of(&values).iter().map(|track| track.some().map(|track| track.0)),
        )),
        Column::Extent(_) => return Err(ArrowError::SchemaError("extents are three columns".to_owned())),
        Column::String(values) => keys.strings(&rows.of(&values), strings)?,
        Column::Ident(values) => idents(&rows.of(&values), strings)?,
        Column::Kind(values) => kinds(&rows.of(&values))?,
    })
}

/// Finds the place of a string in the dictionary of a batch without hashing: one slot per string of the trace,
/// emptied after each batch.
#[derive(Debug, Default)]
pub struct Keys {
    slots: Vec<i32>,
}

impl Keys {
    fn strings(&mut self, values: &[StringId], strings: &Strings) -> Result<ArrayRef, ArrowError> {
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

fn idents(values: &[Ident], strings: &Strings) -> Result<ArrayRef, ArrowError> {
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

fn kinds(values: &[SliceKind]) -> Result<ArrayRef, ArrowError> {
    let keys = Int32Array::from_iter_values(values.iter().map(|&kind| kind as i32));
    dictionary_array(keys, StringArray::from_iter_values(SliceKind::ALL.map(SliceKind::name)))
}

fn dictionary_array(keys: Int32Array, values: StringArray) -> Result<ArrayRef, ArrowError> {
    Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::new(values))?))
}
