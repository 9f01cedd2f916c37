//! Records of comma separated values and their cells, without copying: cells are places in the record.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

/// The longest record. What has no end within it is damage.
pub(crate) const LONGEST: usize = 8 << 20;

/// Where a record ends: its length without the end of its line, and where the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) length: usize,
    pub(crate) next: usize,
}

/// The end of the line that text begins with; nothing if more text must be read to tell.
pub(crate) fn line(text: &[u8], ended: bool) -> Option<End> {
    match memchr(b'\n', text) {
        Some(at) => Some(end_at(text, at)),
        None if ended || text.len() > LONGEST => Some(End { length: text.len(), next: text.len() }),
        None => None,
    }
}

fn end_at(text: &[u8], newline: usize) -> End {
    let has_return = newline > 0 && text.get(newline - 1) == Some(&b'\r');
    End { length: newline - usize::from(has_return), next: newline + 1 }
}

/// The end of the record that text begins with: a line, or several if a cell in quotes goes over their ends. A quote
/// that is never closed must not swallow the records behind it, so a line that begins as a record does ends the one
/// before in any case.
pub(crate) fn record(text: &[u8], ended: bool) -> Option<End> {
    let mut from = 0;
    let mut quotes = 0;
    loop {
        let rest = text.get(from..)?;
        let end = line(rest, ended)?;
        quotes += memchr_iter(b'"', rest.get(..end.length)?).count();
        let end = End { length: from + end.length, next: from + end.next };
        if quotes % 2 == 0 || end.next >= LONGEST {
            return Some(end);
        }
        if end.next >= text.len() {
            return ended.then_some(end);
        }
        if !ended && text.len() - end.next < 32 {
            // Too little to tell whether a record begins here.
            return None;
        }
        if begins_record(text.get(end.next..)?) {
            return Some(end);
        }
        from = end.next;
    }
}

/// True for `"17","`, with which every record begins, and for the header.
fn begins_record(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"\"") else { return false };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0 && rest.get(digits..).is_some_and(|rest| rest.starts_with(b"\",\"")))
        || rest.starts_with(b"ID\",")
}

/// The cells of a record.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    places: Vec<(u32, u32)>,
    /// True if the last cell began with a quote and had none at its end.
    pub(crate) is_open: bool,
}

impl Cells {
    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// The content of a cell as it is written, without the quotes around it; empty if there is no such cell.
    #[inline]
    pub(crate) fn get<'a>(&self, record: &'a [u8], column: usize) -> &'a [u8] {
        let Some(&(start, end)) = self.places.get(column) else { return b"" };
        record.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The same by a column that there may be.
    #[inline]
    pub(crate) fn find<'a>(&self, record: &'a [u8], column: Option<usize>) -> &'a [u8] {
        column.map_or(b"", |column| self.get(record, column))
    }

    /// Splits a record. A quote inside of a cell that is not doubled stays what it is.
    pub(crate) fn split(&mut self, record: &[u8]) {
        self.places.clear();
        self.is_open = false;
        // Records are shorter than 4 GB by `LONGEST`.
        let place = |start: usize, end: usize| (start as u32, end as u32);
        let mut at = 0;
        loop {
            let rest = record.get(at..).unwrap_or_default();
            let end = if rest.first() == Some(&b'"') {
                let end = self.close(record, at + 1);
                self.places.push(place(at + 1, end));
                end + 1
            } else {
                let end = memchr(b',', rest).map_or(record.len(), |comma| at + comma);
                self.places.push(place(at, end));
                end
            };
            if end >= record.len() {
                return;
            }
            at = end + 1;
        }
    }

    /// The quote that closes the cell which begins here.
    #[inline]
    fn close(&mut self, record: &[u8], start: usize) -> usize {
        let mut from = start;
        loop {
            let Some(quote) = record.get(from..).and_then(|rest| memchr(b'"', rest)) else {
                self.is_open = true;
                return record.len();
            };
            let quote = from + quote;
            match record.get(quote + 1) {
                None | Some(b',') => return quote,
                Some(b'"') => from = quote + 2,
                Some(_) => from = quote + 1,
            }
        }
    }
}

/// The text of a cell, with doubled quotes as one.
pub(crate) fn text(cell: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'"', cell).is_none() {
        return cell.into();
    }
    let mut text = Vec::with_capacity(cell.len());
    let mut after_quote = false;
    for &byte in cell {
        if after_quote && byte == b'"' {
            after_quote = false;
            continue;
        }
        after_quote = byte == b'"';
        text.push(byte);
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(record: &str) -> Vec<String> {
        let mut cells = Cells::default();
        cells.split(record.as_bytes());
        let cell = |column| text(cells.get(record.as_bytes(), column)).into_owned();
        (0..cells.len()).map(|column| String::from_utf8(cell(column)).unwrap()).collect()
    }

    /// As Python's `csv` module splits them.
    #[test]
    fn records_are_split_as_other_readers_do() {
        for (record, expected) in [
            ("\"0\",\"a\",\"b\"", vec!["0", "a", "b"]),
            ("\"0\",\"a, b\",", vec!["0", "a, b", ""]),
            ("\"\",\"\",\"x\"", vec!["", "", "x"]),
            ("\"say \"\"hi\"\"\",\"1\"", vec!["say \"hi\"", "1"]),
            ("0,plain,1.5", vec!["0", "plain", "1.5"]),
            ("\"a\"\"\",2", vec!["a\"", "2"]),
            ("", vec![""]),
        ] {
            assert_eq!(cells(record), expected, "{record}");
        }
    }

    #[test]
    fn a_quote_inside_a_name_stays() {
        assert_eq!(cells("\"0\",\"a \"b\" c\",\"1\""), ["0", "a \"b\" c", "1"]);
    }

    #[test]
    fn records_go_over_lines_but_not_over_records() {
        let text = b"\"0\",\"two\nlines\"\r\n\"1\",\"x\"\n";
        assert_eq!(record(text, true), Some(End { length: 15, next: 17 }));
        let damaged = b"\"0\",\"open\n\"1\",\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\n";
        assert_eq!(record(damaged, false), Some(End { length: 9, next: 10 }));
        assert_eq!(record(b"\"0\",\"x\"", false), None);
        assert_eq!(record(b"\"0\",\"x\"", true), Some(End { length: 7, next: 7 }));
    }
}
