//! JSON that people can read and `grep` can search: indented, but every table row on one line.

use std::io;

use serde_json::ser::{Formatter, PrettyFormatter};

/// Indents like [`PrettyFormatter`], but an array inside an array, which is a table row, stays on its line.
#[derive(Default)]
pub(super) struct RowFormatter {
    pretty: PrettyFormatter<'static>,
    /// For every open array or object whether it is an array.
    arrays: Vec<bool>,
}

impl RowFormatter {
    fn in_row(&self) -> bool {
        self.arrays.ends_with(&[true, true])
    }
}

impl Formatter for RowFormatter {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.arrays.push(true);
        if self.in_row() { writer.write_all(b"[") } else { self.pretty.begin_array(writer) }
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let in_row = self.in_row();
        self.arrays.pop();
        if in_row { writer.write_all(b"]") } else { self.pretty.end_array(writer) }
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        match (self.in_row(), first) {
            (true, true) => Ok(()),
            (true, false) => writer.write_all(b", "),
            (false, _) => self.pretty.begin_array_value(writer, first),
        }
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.in_row() { Ok(()) } else { self.pretty.end_array_value(writer) }
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.arrays.push(false);
        self.pretty.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.arrays.pop();
        self.pretty.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.pretty.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;

    #[test]
    fn a_row_is_one_line() {
        let value = serde_json::json!({"rows": [[1, "a", null], []], "empty": [], "next": {"list": [1, 2]}});
        let mut text = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut text, RowFormatter::default());
        value.serialize(&mut serializer).unwrap();
        let expected = r#"{
  "rows": [
    [1, "a", null],
    []
  ],
  "empty": [],
  "next": {
    "list": [
      1,
      2
    ]
  }
}"#;
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
