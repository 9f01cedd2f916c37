//! Parquet read again: the same cells with the right types.

use std::fs::File;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt8Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use eaves_model::Column;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::sample;
use crate::parquet as parquet_export;
use crate::tables::{Cells, FlatTable, flat_table, flat_tables};

/// A cell as the model has it; nothing if not recorded.
fn expected(table: &FlatTable<'_>, cells: &Cells<'_>, row: usize) -> Option<String> {
    match *cells {
        Cells::Rank(rank) => Some(rank.to_string()),
        Cells::RowNumber => Some(row.to_string()),
        Cells::Axis(extents, axis) => extents[row].get().map(|extent| extent[axis].to_string()),
        Cells::Column(column) => column.text(table.strings, row).map(Into::into),
    }
}

fn cell(batch: &RecordBatch, column: usize, row: usize) -> Option<String> {
    let array = batch.column(column);
    if array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).to_string(),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).to_string(),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).to_string(),
        DataType::Dictionary(..) => {
            let dictionary = array.as_dictionary::<Int32Type>();
            let key = dictionary.keys().value(row);
            dictionary.values().as_string::<i32>().value(usize::try_from(key).unwrap()).to_owned()
        }
        other => panic!("{other}"),
    })
}

fn builder(parts: &[FlatTable<'_>]) -> ParquetRecordBatchReaderBuilder<File> {
    let file = tempfile::tempfile().unwrap();
    parquet_export::write(parts, &file).unwrap();
    ParquetRecordBatchReaderBuilder::try_new(file).unwrap()
}

fn read_parquet(parts: &[FlatTable<'_>]) -> Vec<RecordBatch> {
    builder(parts).with_batch_size(1 << 21).build().unwrap().map(Result::unwrap).collect()
}

fn is_wide(column: &Cells<'_>) -> bool {
    matches!(column, Cells::Rank(_) | Cells::Column(Column::I64(_) | Column::Ns(_) | Column::MaybeI64(_)))
}

#[test]
fn every_table_is_the_same_in_parquet() {
    let trace = sample::trace();
    for table in flat_tables(&trace, Some(-3)) {
        let batches = read_parquet(std::slice::from_ref(&table));
        assert_eq!(batches.len(), 1);
        let batch = &batches[0];
        assert_eq!((batch.num_rows(), batch.num_columns()), (table.rows, table.columns.len()));
        for (index, column) in table.columns.iter().enumerate() {
            let schema = batch.schema();
            let field = schema.field(index);
            let place = format!("{}.{}", table.name, column.name);
            assert_eq!(*field.name(), column.name, "{place}");
            assert_eq!(field.data_type() == &DataType::Int64, is_wide(&column.cells), "{place}");
            for row in 0..table.rows {
                let found = cell(batch, index, row);
                assert_eq!(found, expected(&table, &column.cells, row), "{place} in row {row}");
            }
        }
    }
}

#[test]
fn ranks_share_one_file_with_row_groups() {
    let recordings = [sample::recording(0), sample::recording(5)];
    let parts = flat_table(&recordings, "slices").unwrap();
    let batches = read_parquet(&parts);
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    assert_eq!(rows, 2 * parts[0].rows);
    let ranks: Vec<_> =
        batches.iter().flat_map(|batch| (0..batch.num_rows()).map(|row| cell(batch, 0, row))).collect();
    assert_eq!((&ranks[0], &ranks[rows - 1]), (&Some("0".to_owned()), &Some("5".to_owned())));
    assert!(flat_table(&recordings, "no_such_table").is_none());
}

#[test]
fn many_rows_are_several_batches_and_row_groups() {
    let mut trace = sample::trace();
    let row = trace.slices.row(3);
    let rows = (1 << 20) + 7;
    while trace.slices.len() < rows {
        trace.slices.push(row);
    }
    let tables = flat_tables(&trace, None);
    let slices = tables.iter().find(|table| table.name == "slices").unwrap();
    let metadata = builder(std::slice::from_ref(slices)).metadata().clone();
    let groups: Vec<_> = metadata.row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(groups, [1 << 20, 7]);
    let batches = read_parquet(std::slice::from_ref(slices));
    let last = batches.last().unwrap();
    let name = slices.columns.iter().position(|column| column.name == "name").unwrap();
    let expected = trace.strings.get(row.name).to_owned();
    assert_eq!(cell(last, name, last.num_rows() - 1), Some(expected));
    assert_eq!(cell(last, 0, last.num_rows() - 1), Some((rows - 1).to_string()));
}
