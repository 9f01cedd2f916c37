//! Answers: columns of four kinds, and what they look like in files.

use std::io::{self, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use eaves_store::parquet::{CREATED_BY, compression, io_error};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};

/// The answer to a question. Its columns are whole numbers of 64 bits, floats of 64 bits, texts or truths, whatever the
/// engine computed them in.
#[derive(Clone, Debug)]
pub struct ResultSet {
    /// Columns, as Arrow has them.
    pub schema: SchemaRef,
    /// Rows.
    pub batches: Vec<RecordBatch>,
    /// True if there are more rows than were asked for.
    pub truncated: bool,
}

/// A column of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column<'a> {
    /// Name.
    pub name: &'a str,
    /// `int`, `float`, `text` or `bool`.
    pub kind: &'static str,
}

/// One value of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    Missing,
    Int(i64),
    Float(f64),
    Text(&'a str),
    Bool(bool),
}

impl Cell<'_> {
    /// As programs read it; nothing if there is none.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Missing => String::new(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) => value.to_string(),
            Self::Text(value) => value.to_owned(),
            Self::Bool(value) => value.to_string(),
        }
    }

    /// JSON has neither infinity nor what is not a number.
    fn json(self) -> Value {
        match self {
            Self::Missing => Value::Null,
            Self::Int(value) => value.into(),
            Self::Float(value) => value.into(),
            Self::Text(value) => value.into(),
            Self::Bool(value) => value.into(),
        }
    }
}

/// What a column of this type holds.
fn kind_of(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Int64 => "int",
        DataType::Float64 => "float",
        DataType::Boolean => "bool",
        _ => "text",
    }
}

impl ResultSet {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The columns, in order.
    pub fn columns(&self) -> Vec<Column<'_>> {
        let column = |field: &'_ std::sync::Arc<arrow_schema::Field>| kind_of(field.data_type());
        let fields = self.schema.fields().iter();
        fields.map(|field| Column { name: field.name(), kind: column(field) }).collect()
    }

    pub(crate) fn cell<'a>(batch: &'a RecordBatch, column: usize, row: usize) -> Cell<'a> {
        let array = batch.column(column);
        if array.is_null(row) {
            return Cell::Missing;
        }
        match array.data_type() {
            DataType::Int64 => Cell::Int(array.as_primitive::<Int64Type>().value(row)),
            DataType::Float64 => Cell::Float(array.as_primitive::<Float64Type>().value(row)),
            DataType::Boolean => Cell::Bool(array.as_boolean().value(row)),
            DataType::Utf8 => Cell::Text(array.as_string::<i32>().value(row)),
            // The engine makes no others.
            _ => Cell::Missing,
        }
    }

    /// The answer as JSON: `columns`, `rows` and `truncated`.
    pub fn json(&self) -> Value {
        let columns: Vec<Value> =
            self.columns().iter().map(|column| json!({"name": column.name, "type": column.kind})).collect();
        let mut rows = Vec::with_capacity(self.rows());
        for batch in &self.batches {
            for row in 0..batch.num_rows() {
                let cells = (0..batch.num_columns()).map(|column| Self::cell(batch, column, row).json());
                rows.push(Value::Array(cells.collect()));
            }
        }
        json!({"columns": columns, "rows": rows, "truncated": self.truncated})
    }

    /// The answer as CSV with a line of names. What is missing is empty.
    ///
    /// # Errors
    /// Only those of the output.
    pub fn write_csv(&self, output: impl Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(output);
        writer.write_record(self.columns().iter().map(|column| column.name))?;
        for batch in &self.batches {
            for row in 0..batch.num_rows() {
                let cells = (0..batch.num_columns()).map(|column| Self::cell(batch, column, row).text());
                writer.write_record(cells)?;
            }
        }
        writer.flush()
    }

    /// The answer as a table in Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let columns = self.columns();
        let mut text = line(columns.iter().map(|column| escaped(column.name)).collect());
        text += &line(
            columns
                .iter()
                .map(|column| (if column.kind == "text" { "---" } else { "--:" }).to_owned())
                .collect(),
        );
        for batch in &self.batches {
            for row in 0..batch.num_rows() {
                let cells =
                    (0..batch.num_columns()).map(|column| escaped(&Self::cell(batch, column, row).text()));
                text += &line(cells.collect());
            }
        }
        text
    }

    /// The answer as a Parquet file.
    ///
    /// # Errors
    /// Only those of the output.
    pub fn write_parquet(&self, output: impl Write + Send) -> io::Result<()> {
        let properties = WriterProperties::builder()
            .set_created_by(CREATED_BY.to_owned())
            .set_compression(compression())
            .build();
        let write = || {
            let mut writer = ArrowWriter::try_new(output, self.schema.clone(), Some(properties))?;
            self.batches.iter().try_for_each(|batch| writer.write(batch))?;
            writer.close()
        };
        write().map(drop).map_err(io_error)
    }
}

/// A text that ends no cell of a table, and is not a markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => escaped.push(' '),
            '|' | '\\' | '<' | '>' | '*' | '_' | '`' | '[' | ']' => escaped.extend(['\\', letter]),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray};

    use super::*;

    pub(crate) fn sample() -> ResultSet {
        let columns: [(&str, ArrayRef); 4] = [
            ("name", Arc::new(StringArray::from(vec![Some("a, \"b\""), None]))),
            ("count", Arc::new(Int64Array::from(vec![Some(3), Some(-1)]))),
            ("share", Arc::new(Float64Array::from(vec![0.25, f64::NAN]))),
            ("busy", Arc::new(BooleanArray::from(vec![true, false]))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        ResultSet { schema: batch.schema(), batches: vec![batch], truncated: false }
    }

    #[test]
    fn every_kind_is_written_in_every_form() {
        let answer = sample();
        assert_eq!(
            answer.json().to_string(),
            r#"{"columns":[{"name":"name","type":"text"},{"name":"count","type":"int"},{"name":"share","type":"float"},{"name":"busy","type":"bool"}],"rows":[["a, \"b\"",3,0.25,true],[null,-1,null,false]],"truncated":false}"#
        );
        let mut bytes = Vec::new();
        answer.write_csv(&mut bytes).unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "name,count,share,busy\n\"a, \"\"b\"\"\",3,0.25,true\n,-1,NaN,false\n"
        );
        let mut bytes = Vec::new();
        answer.write_parquet(&mut bytes).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    }
}
