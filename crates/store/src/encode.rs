//! A trace as files of one folder.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use eaves_model::{Strings, Trace};
use flate2::Crc;
use parquet::arrow::ArrowWriter;
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;

use crate::layout::{Marks, STRINGS, TEXT, stored};
use crate::parquet::{ByTime, CREATED_BY, compression, io_error, write_grouped, write_sorted};
use crate::rank_file::StoredTable;

/// Rows of a row group: what a reader passes over by its smallest and largest values, and what it shares out to threads.
const ROW_GROUP: usize = 1 << 17;
/// Texts turned to Arrow at a time.
const BATCH: usize = 1 << 15;

/// Writes the tables that have rows: slices in time order, with the numbers by which others know them, so that readers
/// pass over what is outside of a range of time; the others as the model has them.
pub(crate) fn write_tables(trace: &Trace, folder: &Path) -> io::Result<Vec<StoredTable>> {
    let mut written = Vec::new();
    if !trace.strings.is_empty() {
        let rows = trace.strings.len();
        written.push(one(folder, STRINGS, rows, |output| {
            write_strings(&trace.strings, output).map_err(io_error)
        })?);
    }
    for table in trace.tables().into_iter().filter(|table| table.rows > 0) {
        let marks = Marks::of(&table, &trace.strings);
        let (name, rows) = (table.name, table.rows);
        let table = stored(table, &trace.strings, &marks);
        written.push(one(folder, name, rows, |output| match ByTime::of(&table) {
            Some(order) => write_sorted(table, &order, ROW_GROUP, output),
            None => write_grouped(&[table], ROW_GROUP, output),
        })?);
    }
    Ok(written)
}

/// The file of a table.
pub(crate) fn file_name(table: &str) -> String {
    format!("{table}.parquet")
}

fn one(
    folder: &Path,
    name: &str,
    rows: usize,
    write: impl FnOnce(&mut Summed) -> io::Result<()>,
) -> io::Result<StoredTable> {
    let file = File::create_new(folder.join(file_name(name)))?;
    let mut output = Summed { output: BufWriter::new(file), crc: Crc::new(), bytes: 0 };
    write(&mut output)?;
    output.flush()?;
    let (bytes, crc32) = (output.bytes, output.crc.sum());
    Ok(StoredTable { name: name.to_owned(), rows: rows as u64, bytes, crc32 })
}

fn write_strings(strings: &Strings, output: impl Write + Send) -> Result<()> {
    let schema = Arc::new(Schema::new(vec![Field::new(TEXT, DataType::Utf8, false)]));
    let properties = WriterProperties::builder()
        .set_created_by(CREATED_BY.to_owned())
        .set_compression(compression())
        // Each text is there once.
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(Some(ROW_GROUP));
    let mut writer = ArrowWriter::try_new(output, schema.clone(), Some(properties.build()))?;
    let mut texts = strings.iter();
    loop {
        let batch = StringArray::from_iter_values(texts.by_ref().take(BATCH));
        if arrow_array::Array::is_empty(&batch) {
            break;
        }
        writer.write(&RecordBatch::try_new(schema.clone(), vec![Arc::new(batch)])?)?;
    }
    writer.close()?;
    Ok(())
}

/// Counts and sums up what is written.
struct Summed {
    output: BufWriter<File>,
    crc: Crc,
    bytes: u64,
}

impl Write for Summed {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.output.write(buffer)?;
        self.crc.update(&buffer[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
