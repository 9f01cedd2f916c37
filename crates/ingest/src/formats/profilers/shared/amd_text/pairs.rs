//! Lines in which every value stands in brackets behind its name: `Dispatch_ID(1), Kernel_Name("f(int)"), SQ_WAVES(64)`.

use super::columns::{FIELDS, Field, field};

type Place = (usize, usize);

/// The values of one line, as places in it.
#[derive(Debug)]
pub(in super::super::super) struct Pairs {
    places: [Option<Place>; FIELDS],
    /// Names and values of what is not a field: counters.
    others: Vec<(Place, Place)>,
    count: usize,
}

impl Default for Pairs {
    fn default() -> Self {
        Self { places: [None; FIELDS], others: Vec::new(), count: 0 }
    }
}

impl Pairs {
    /// Reads a line; false if it is none of these.
    pub(in super::super::super) fn read(&mut self, line: &[u8]) -> bool {
        self.places = [None; FIELDS];
        self.others.clear();
        self.count = 0;
        let mut at = 0;
        while let Some(rest) = line.get(at..) {
            let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b',' | b'\t')).count();
            at += blanks;
            let rest = rest.get(blanks..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            let Some(open) = memchr::memchr(b'(', rest) else { return false };
            let name = rest.get(..open).unwrap_or_default();
            let is_name =
                |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'[' | b']' | b':');
            if name.is_empty() || !name.iter().all(is_name) {
                return false;
            }
            let Some((value, end)) = value(line, at + open + 1) else { return false };
            match field(name) {
                Some(Field::Ignored) => {}
                Some(field) => self.places[field as usize] = Some(value),
                None => self.others.push(((at, at + open), value)),
            }
            self.count += 1;
            at = end;
        }
        self.count > 1
    }

    /// The value of a field.
    pub(in super::super::super) fn get<'l>(&self, line: &'l [u8], field: Field) -> Option<&'l [u8]> {
        let (start, end) = self.places.get(field as usize).copied().flatten()?;
        line.get(start..end)
    }

    /// Names and values of what is not a field.
    pub(in super::super::super) fn others<'l>(
        &self,
        line: &'l [u8],
    ) -> impl Iterator<Item = (&'l [u8], &'l [u8])> {
        let cut = move |(start, end): Place| line.get(start..end).unwrap_or_default();
        self.others.iter().map(move |&(name, value)| (cut(name), cut(value)))
    }
}

/// The value behind an opening bracket, and where the line goes on. It ends at a closing bracket that a comma or the
/// line's end follows; one in quotes at such a bracket behind a quote.
fn value(line: &[u8], from: usize) -> Option<(Place, usize)> {
    let is_quoted = line.get(from) == Some(&b'"');
    let start = from + usize::from(is_quoted);
    let mut at = start;
    loop {
        let close = at + memchr::memchr(b')', line.get(at..)?)?;
        let behind = line.get(close + 1..)?.trim_ascii_start();
        let ends = behind.is_empty() || behind.first() == Some(&b',');
        let is_closed = !is_quoted || (close > start && line.get(close - 1) == Some(&b'"'));
        // A comma inside a name in brackets is followed by no name with a bracket, which quotes make sure of.
        if ends && is_closed {
            return Some(((start, close - usize::from(is_quoted)), close + 1));
        }
        at = close + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_behind_their_names() {
        let line = br#"Dispatch_ID(1), Kernel_Name("f("a", g(int), 2)"), SQ_WAVES(64.5), TCC_HIT[0](3)"#;
        let mut pairs = Pairs::default();
        assert!(pairs.read(line));
        assert_eq!(pairs.get(line, Field::KernelName), Some(&br#"f("a", g(int), 2)"#[..]));
        assert_eq!(pairs.get(line, Field::Number), Some(&b"1"[..]));
        let others: Vec<_> = pairs.others(line).collect();
        assert_eq!(others, [(&b"SQ_WAVES"[..], &b"64.5"[..]), (&b"TCC_HIT[0]"[..], &b"3"[..])]);
    }

    #[test]
    fn other_lines_are_none_of_these() {
        let mut pairs = Pairs::default();
        for line in
            ["Max error: 0.000000", "", "Success!", "a(1", "a(1)", "GPU1 is \"gfx90a\"", "f(x) and more"]
        {
            assert!(!pairs.read(line.as_bytes()), "{line}");
        }
        let mark = b"Domain(ROCTX_DOMAIN), Timestamp(5), ROCTX_ID(1),";
        assert!(pairs.read(mark));
        assert_eq!(pairs.get(mark, Field::Message), None);
    }
}
