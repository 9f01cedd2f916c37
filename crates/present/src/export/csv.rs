//! Tables as CSV: a line of names, then a line a row. What was not recorded is an empty cell.

use std::io::{self, Write};
use std::path::Path;

use eaves_model::{Column, Trace};

use super::json;
use eaves_store::tables::{Cells, FlatTable, flat_table_of};

/// Writes one table, which may come in several parts with the same columns, as one CSV file.
///
/// # Errors
/// Only those of the output.
pub fn write(parts: &[FlatTable<'_>], output: impl Write) -> io::Result<()> {
    // The crate wraps errors of the output; whoever reads a closed pipe must see which one it was.
    write_parts(parts, output).map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    })
}

fn write_parts(parts: &[FlatTable<'_>], output: impl Write) -> csv::Result<()> {
    let mut writer = csv::Writer::from_writer(output);
    if let Some(first) = parts.first() {
        writer.write_record(first.columns.iter().map(|column| column.name.as_bytes()))?;
    }
    let mut cell = Vec::new();
    for part in parts {
        for row in 0..part.rows {
            for column in &part.columns {
                cell.clear();
                push_cell(&mut cell, part, &column.cells, row);
                writer.write_field(&cell)?;
            }
            writer.write_record(None::<&[u8]>)?;
        }
    }
    Ok(writer.flush()?)
}

/// True if a file has the columns of a table of the model and so was written here.
pub(super) fn is_export(path: &Path, table: &str) -> bool {
    let Ok(mut reader) = csv::Reader::from_path(path) else { return false };
    let Ok(found) = reader.headers() else { return false };
    let model = Trace::default();
    let has_columns = |rank: Option<i64>| {
        flat_table_of(&model, table, rank).is_some_and(|table| {
            let names = table.columns.iter().map(|column| column.name.as_ref());
            found.iter().eq(names)
        })
    };
    has_columns(None) || has_columns(Some(0))
}

fn push_cell(cell: &mut Vec<u8>, table: &FlatTable<'_>, cells: &Cells<'_>, row: usize) {
    match *cells {
        Cells::Rank(rank) => json::push_integer(cell, rank),
        Cells::RowNumber => json::push_unsigned(cell, row as u64),
        Cells::Axis(extents, axis) => {
            if let Some(extent) = extents[row].get() {
                json::push_unsigned(cell, u64::from(extent[axis]));
            }
        }
        // The common kinds are written without their own text in between.
        Cells::Column(Column::Ns(values)) => json::push_integer(cell, values[row].0),
        Cells::Column(Column::I64(values)) => json::push_integer(cell, values[row]),
        Cells::Column(Column::MaybeI64(values)) => {
            if let Some(value) = values[row].get() {
                json::push_integer(cell, value);
            }
        }
        Cells::Column(Column::MaybeU32(values)) => {
            if let Some(value) = values[row].get() {
                json::push_unsigned(cell, u64::from(value));
            }
        }
        Cells::Column(column) => {
            if let Some(text) = column.text(table.strings, row) {
                cell.extend_from_slice(text.as_bytes());
            }
        }
    }
}
