//! A line as cells, and cells as numbers.
//!
//! rocprof and rocprofv3 put names in quotes and escape nothing inside them, so a name may hold quotes and commas that
//! end nothing. All other cells hold neither, which tells where the name ends: as many cells stand behind it as the
//! header has columns there.

use crate::json::number;

/// The cells of one line, as places in it.
#[derive(Debug, Default)]
pub(in super::super::super) struct Cells {
    places: Vec<(usize, usize)>,
}

impl Cells {
    /// Splits a line into as many cells as the header has; false if it has not that many. `name` is the column that
    /// may hold anything.
    pub(in super::super::super) fn split(
        &mut self,
        line: &[u8],
        columns: usize,
        name: Option<usize>,
    ) -> bool {
        self.split_quoted(line);
        if self.places.len() == columns {
            return true;
        }
        match name {
            Some(name) if self.places.len() > columns => self.split_around(line, columns, name),
            // A comma behind the last cell of each line.
            _ => {
                self.places.len() == columns + 1
                    && self.get(line, columns).is_empty()
                    && self.places.pop().is_some()
            }
        }
    }

    /// Splits a line however many cells it has: commas end cells, quotes end where a comma or the line's end follows.
    pub(in super::super::super) fn split_quoted(&mut self, line: &[u8]) {
        self.places.clear();
        let mut at = 0;
        loop {
            let rest = line.get(at..).unwrap_or_default();
            let blanks = rest.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
            let end = if rest.get(blanks) == Some(&b'"') {
                let from = at + blanks + 1;
                let closing = closing_quote(line, from);
                self.places.push((from, closing.unwrap_or(line.len())));
                closing.map(|quote| {
                    let behind = line.get(quote..).unwrap_or_default();
                    memchr::memchr(b',', behind).map_or(line.len(), |comma| quote + comma)
                })
            } else {
                let end = memchr::memchr(b',', rest).map_or(line.len(), |comma| at + comma);
                let cell = line.get(at..end).unwrap_or_default();
                let start = at + (cell.len() - cell.trim_ascii_start().len());
                self.places.push((start, start + cell.trim_ascii().len()));
                Some(end)
            };
            match end {
                Some(end) if end < line.len() => at = end + 1,
                _ => return,
            }
        }
    }

    /// The cells before the name from the left, those behind it from the right.
    fn split_around(&mut self, line: &[u8], columns: usize, name: usize) -> bool {
        let behind = columns.saturating_sub(name + 1);
        let Some(start) = (match name {
            0 => Some(0),
            _ => memchr::memchr_iter(b',', line).nth(name - 1).map(|comma| comma + 1),
        }) else {
            return false;
        };
        let end = match behind {
            0 => Some(line.len()),
            _ => memchr::memrchr_iter(b',', line).nth(behind - 1),
        };
        let Some(end) = end.filter(|&end| end >= start) else { return false };
        self.places.clear();
        let plain = |from: usize, to: usize, places: &mut Vec<(usize, usize)>| {
            let mut at = from;
            for cell in line.get(from..to).unwrap_or_default().split(|&byte| byte == b',') {
                let blanks = cell.len() - cell.trim_ascii_start().len();
                let cell_end = at + cell.len();
                let trimmed = cell.trim_ascii();
                let quoted =
                    trimmed.len() >= 2 && trimmed.first() == Some(&b'"') && trimmed.last() == Some(&b'"');
                let inner = usize::from(quoted);
                places.push((at + blanks + inner, at + blanks + trimmed.len() - inner));
                at = cell_end + 1;
            }
        };
        if name > 0 {
            plain(0, start - 1, &mut self.places);
        }
        let cell = line.get(start..end).unwrap_or_default();
        let inner = usize::from(cell.len() >= 2 && cell.first() == Some(&b'"') && cell.last() == Some(&b'"'));
        self.places.push((start + inner, end - inner));
        if behind > 0 {
            plain(end + 1, line.len(), &mut self.places);
        }
        self.places.len() == columns
    }

    /// Number of cells.
    pub(in super::super::super) fn len(&self) -> usize {
        self.places.len()
    }

    /// A cell of the line that was split; empty if there is none.
    pub(in super::super::super) fn get<'l>(&self, line: &'l [u8], column: usize) -> &'l [u8] {
        let place = self.places.get(column).and_then(|&(start, end)| line.get(start..end));
        place.unwrap_or_default()
    }
}

/// The quote that closes a cell: one that a comma or the end of the line follows. pandas doubles quotes inside; two of
/// them never close.
fn closing_quote(line: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let quote = at + memchr::memchr(b'"', line.get(at..)?)?;
        let behind = line.get(quote + 1..)?;
        match behind.trim_ascii_start().first() {
            None | Some(b',') => return Some(quote),
            Some(b'"') if behind.first() == Some(&b'"') => at = quote + 2,
            Some(_) => at = quote + 1,
        }
    }
}

/// A timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super::super) enum Stamp {
    /// Nanoseconds.
    At(i64),
    /// A spreadsheet rounded it to more than a microsecond; the time is lost.
    Rounded,
    /// There is none.
    Missing,
}

impl Stamp {
    /// The time, if it is known.
    pub(in super::super::super) fn get(self) -> Option<i64> {
        match self {
            Self::At(time) => Some(time),
            Self::Rounded | Self::Missing => None,
        }
    }
}

/// Nanoseconds, whole or with a fraction (rocprof-compute writes means of several passes), or with an exponent. Zero
/// means that the profiler did not fill it in.
pub(in super::super::super) fn stamp(cell: &[u8]) -> Stamp {
    if let Some(plain) = integer(cell) {
        return if plain > 0 { Stamp::At(plain) } else { Stamp::Missing };
    }
    let Some(time) = number::scaled(cell, 0).filter(|&time| time > 0) else { return Stamp::Missing };
    let Some(exponent_at) = cell.iter().position(|byte| matches!(byte, b'e' | b'E')) else {
        return Stamp::At(time);
    };
    let (mantissa, exponent) = cell.split_at(exponent_at);
    let fraction = mantissa.iter().position(|&byte| byte == b'.').map_or(0, |dot| mantissa.len() - dot - 1);
    let exponent: i64 = std::str::from_utf8(exponent.get(1..).unwrap_or_default())
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    // A float printed in full has 17 digits; what keeps the microsecond is a time, what does not was rounded.
    if exponent.saturating_sub(fraction as i64) <= 3 { Stamp::At(time) } else { Stamp::Rounded }
}

/// A whole number, decimal or hexadecimal behind `0x`.
pub(in super::super::super) fn integer(cell: &[u8]) -> Option<i64> {
    number::integer_of_text(cell)
}

/// A whole number that fits and is not negative, also if written as `64.0`.
pub(in super::super::super) fn count(cell: &[u8]) -> Option<u64> {
    let whole = integer(cell).or_else(|| {
        let value = number::float(cell)?;
        (value.fract() == 0.0 && value.abs() < 9.0e15).then_some(value as i64)
    });
    u64::try_from(whole?).ok()
}

/// A finite number.
pub(in super::super::super) fn float(cell: &[u8]) -> Option<f64> {
    number::float(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(line: &str, columns: usize, name: Option<usize>) -> Option<Vec<&str>> {
        let mut cells = Cells::default();
        let fits = cells.split(line.as_bytes(), columns, name);
        fits.then(|| {
            (0..cells.len()).map(|at| std::str::from_utf8(cells.get(line.as_bytes(), at)).unwrap()).collect()
        })
    }

    #[test]
    fn names_may_hold_commas_and_quotes() {
        assert_eq!(cells(r#"0,"k(float*, int)",4"#, 3, Some(1)), Some(vec!["0", "k(float*, int)", "4"]));
        assert_eq!(cells(r#"0,"f("a", 1)",4,"x""#, 4, Some(1)), Some(vec!["0", r#"f("a", 1)"#, "4", "x"]));
        assert_eq!(cells(r#""f("a", "b")",4"#, 2, Some(0)), Some(vec![r#"f("a", "b")"#, "4"]));
        assert_eq!(cells(r#"1,"operator"" _s(int)""#, 2, Some(1)), Some(vec!["1", r#"operator"" _s(int)"#]));
        assert_eq!(
            cells(r#"1,"an "inner" quote",2"#, 3, Some(1)),
            Some(vec!["1", r#"an "inner" quote"#, "2"])
        );
        assert_eq!(cells("1, 2 ,3,", 3, None), Some(vec!["1", "2", "3"]));
        assert_eq!(cells("1,2", 3, None), None);
        assert_eq!(cells(r#"1,"cut"#, 3, Some(1)), None);
        assert_eq!(cells("", 1, None), Some(vec![""]));
    }

    #[test]
    fn stamps_say_when_they_are_lost() {
        for (cell, stamp) in [
            ("1591372809872935", Stamp::At(1_591_372_809_872_935)),
            ("41551790928449.54", Stamp::At(41_551_790_928_450)),
            ("1.3386742234691896e+16", Stamp::At(13_386_742_234_691_896)),
            ("8.1097E+14", Stamp::Rounded),
            ("8E14", Stamp::Rounded),
            ("0", Stamp::Missing),
            ("-5", Stamp::Missing),
            ("", Stamp::Missing),
            ("None", Stamp::Missing),
        ] {
            assert_eq!(super::stamp(cell.as_bytes()), stamp, "{cell}");
        }
    }

    #[test]
    fn counts_are_whole() {
        assert_eq!(count(b"64"), Some(64));
        assert_eq!(count(b"64.0"), Some(64));
        assert_eq!(count(b"0x40"), Some(64));
        assert_eq!([count(b"-1"), count(b"1.5"), count(b""), count(b"1e300")], [None; 4]);
    }
}
