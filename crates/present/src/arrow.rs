//! Tables of sections as Arrow: a typed column each, nulls where there is no value, units in the metadata.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, Float64Array, Int64Array, NullArray, RecordBatch, RecordBatchOptions, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use eaves_section::{Column, Table, Value};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Nothing,
    Integers,
    Floats,
    Texts,
}

/// The table as one batch. Integers among floats become floats, and numbers among texts become texts; of what cannot be
/// a number in JSON there is none here either.
///
/// # Errors
/// None that a table with rows as long as its columns can cause.
pub fn batch(table: &Table) -> Result<RecordBatch, ArrowError> {
    let mut fields = Vec::with_capacity(table.columns.len());
    let mut arrays = Vec::with_capacity(table.columns.len());
    for (index, column) in table.columns.iter().enumerate() {
        let cells = table.rows.iter().map(|row| row.get(index));
        let kind = cells.clone().flatten().fold(Kind::Nothing, together);
        let array = array(cells, kind);
        fields.push(field(column, array.data_type().clone()));
        arrays.push(array);
    }
    // Without columns the number of rows would not be known.
    let options = RecordBatchOptions::new().with_row_count(Some(table.rows.len()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
}

/// What a column can hold that held this much and now a value.
fn together(kind: Kind, value: &Value) -> Kind {
    let of_value = match value {
        Value::Integer(_) => Kind::Integers,
        Value::Float(number) if number.is_finite() => Kind::Floats,
        Value::Text(_) => Kind::Texts,
        Value::Float(_) | Value::Missing(_) => Kind::Nothing,
    };
    match (kind, of_value) {
        (Kind::Texts, _) | (_, Kind::Texts) => Kind::Texts,
        (Kind::Floats, _) | (_, Kind::Floats) => Kind::Floats,
        (Kind::Integers, _) | (_, Kind::Integers) => Kind::Integers,
        (Kind::Nothing, Kind::Nothing) => Kind::Nothing,
    }
}

fn array<'a>(cells: impl ExactSizeIterator<Item = Option<&'a Value>>, kind: Kind) -> ArrayRef {
    match kind {
        Kind::Nothing => Arc::new(NullArray::new(cells.len())),
        Kind::Integers => Arc::new(Int64Array::from_iter(cells.map(|cell| match cell {
            Some(Value::Integer(number)) => Some(*number),
            _ => None,
        }))),
        Kind::Floats => Arc::new(Float64Array::from_iter(cells.map(|cell| match cell {
            Some(Value::Integer(number)) => Some(*number as f64),
            Some(Value::Float(number)) => Some(*number).filter(|number| number.is_finite()),
            _ => None,
        }))),
        Kind::Texts => Arc::new(StringArray::from_iter(cells.map(|cell| match cell {
            Some(Value::Text(text)) => Some(text.clone()),
            Some(Value::Integer(number)) => Some(number.to_string()),
            Some(Value::Float(number)) => {
                Some(*number).filter(|number| number.is_finite()).map(|number| number.to_string())
            }
            Some(Value::Missing(_)) | None => None,
        }))),
    }
}

fn field(column: &Column, data_type: DataType) -> Field {
    let mut metadata = HashMap::from([("title".to_owned(), column.title.to_owned())]);
    metadata.extend(column.unit.id().map(|unit| ("unit".to_owned(), unit.to_owned())));
    Field::new(column.id, data_type, true).with_metadata(metadata)
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use eaves_section::Unit;

    use super::*;

    #[test]
    fn columns_have_the_narrowest_type_that_holds_all() {
        let column = |id| Column::new(id, "", Unit::Nanoseconds);
        let missing = || Value::Missing("why");
        let table = Table {
            columns: ["integers", "floats", "texts", "nothing"].map(column).to_vec(),
            rows: vec![
                vec![Value::Integer(i64::MAX), Value::Integer(1), Value::Integer(7), missing()],
                vec![missing(), Value::Float(0.5), Value::Text("a".to_owned()), Value::Float(f64::NAN)],
                vec![Value::Integer(-1), Value::Float(f64::INFINITY), missing(), missing()],
            ],
            ..Table::default()
        };
        let batch = batch(&table).unwrap();
        let integers = batch.column(0).as_any().downcast_ref::<Int64Array>().unwrap();
        assert_eq!(integers.iter().collect::<Vec<_>>(), [Some(i64::MAX), None, Some(-1)]);
        let floats = batch.column(1).as_any().downcast_ref::<Float64Array>().unwrap();
        assert_eq!(floats.iter().collect::<Vec<_>>(), [Some(1.0), Some(0.5), None]);
        let texts = batch.column(2).as_any().downcast_ref::<StringArray>().unwrap();
        assert_eq!(texts.iter().collect::<Vec<_>>(), [Some("7"), Some("a"), None]);
        assert_eq!(batch.column(3).data_type(), &DataType::Null);
        assert_eq!(batch.schema().field(0).metadata()["unit"], "ns");
    }

    #[test]
    fn a_table_without_columns_or_rows_is_a_table() {
        let nothing = Table { rows: vec![Vec::new(); 3], ..Table::default() };
        assert_eq!(batch(&nothing).unwrap().num_rows(), 3);
        let empty = Table { columns: vec![Column::new("a", "", Unit::None)], ..Table::default() };
        assert_eq!((batch(&empty).unwrap().num_rows(), batch(&empty).unwrap().num_columns()), (0, 1));
    }
}
