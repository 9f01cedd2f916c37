//! Lines of a file of any size, one at a time, with their places.

use std::io::{BufRead, BufReader, Read};

use eaves_model::{Diagnostics, WarningKind};

/// The longest line. A table of 3 000 counters has lines of 60 KB; anything longer than this is damage.
const LONGEST: usize = 16 << 20;

/// A file as lines.
pub(in super::super::super) struct Lines<'a> {
    reader: BufReader<Box<dyn Read + Send + 'a>>,
    line: Vec<u8>,
    /// Offset of the next byte.
    offset: u64,
}

/// One line, without its end.
pub(in super::super::super) struct Line<'a> {
    /// Offset of its first byte.
    pub(in super::super::super) offset: u64,
    /// Its bytes.
    pub(in super::super::super) bytes: &'a [u8],
    /// False for what stands behind the last line end.
    pub(in super::super::super) is_ended: bool,
}

impl<'a> Lines<'a> {
    /// The lines of a reader.
    pub(in super::super::super) fn new(reader: Box<dyn Read + Send + 'a>) -> Self {
        Self { reader: BufReader::with_capacity(1 << 16, reader), line: Vec::new(), offset: 0 }
    }

    /// Bytes read so far.
    pub(in super::super::super) fn bytes(&self) -> u64 {
        self.offset
    }

    /// The next line that is not blank. Faults of the reader end the file and are noted.
    pub(in super::super::super) fn next(&mut self, diagnostics: &mut Diagnostics) -> Option<Line<'_>> {
        loop {
            let mut start = self.offset;
            self.line.clear();
            let read = self.reader.by_ref().take(LONGEST as u64).read_until(b'\n', &mut self.line);
            if let Err(error) = read {
                let at = start + self.line.len() as u64;
                diagnostics.note_detail(WarningKind::DamagedContainer, Some(at), error.to_string());
            }
            if self.line.is_empty() {
                return None;
            }
            self.offset += self.line.len() as u64;
            let is_ended = self.line.last() == Some(&b'\n');
            if !is_ended && self.line.len() == LONGEST {
                diagnostics.note(WarningKind::Garbage, Some(start));
                self.pass_line(diagnostics);
                continue;
            }
            let mut from = 0;
            if start == 0 && self.line.starts_with(&[0xEF, 0xBB, 0xBF]) {
                (from, start) = (3, 3);
            }
            let length =
                self.line.len() - self.line[from..].iter().rev().take_while(|&&byte| is_end(byte)).count();
            if self.line[from..length].trim_ascii().is_empty() {
                continue;
            }
            return Some(Line { offset: start, bytes: &self.line[from..length], is_ended });
        }
    }

    /// Goes behind the end of a line that is too long.
    fn pass_line(&mut self, diagnostics: &mut Diagnostics) {
        loop {
            self.line.clear();
            let read = self.reader.by_ref().take(LONGEST as u64).read_until(b'\n', &mut self.line);
            self.offset += self.line.len() as u64;
            if let Err(error) = read {
                diagnostics.note_detail(WarningKind::DamagedContainer, Some(self.offset), error.to_string());
                return;
            }
            if self.line.is_empty() || self.line.last() == Some(&b'\n') {
                return;
            }
        }
    }
}

fn is_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// True for what rocprof prints of itself before, between and after what it was asked for.
pub(in super::super::super) fn is_banner(line: &[u8]) -> bool {
    const BANNERS: [&[u8]; 7] = [
        b"RPL:",
        b"ROCProfiler:",
        b"ROCPRofiler:",
        b"ROCTracer",
        b"ROCProfilerV2:",
        b"Enabling Counter Collection",
        b"Enabling API Tracing",
    ];
    let line = line.trim_ascii_start();
    BANNERS.iter().any(|banner| line.starts_with(banner))
}

/// The first lines of a file as far as they are known, banners and blank ones skipped. The last may be cut.
pub(in super::super::super) fn first_lines(first: &[u8]) -> impl Iterator<Item = &[u8]> {
    let first = first.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(first);
    let lines = first.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty() && !is_banner(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_places_and_blank_ones_are_passed_over() {
        let text = b"\xEF\xBB\xBFa,b\r\n\r\n\n1,2\n3";
        let mut lines = Lines::new(Box::new(&text[..]));
        let mut diagnostics = Diagnostics::default();
        let mut seen = Vec::new();
        while let Some(line) = lines.next(&mut diagnostics) {
            seen.push((line.offset, String::from_utf8(line.bytes.to_vec()).unwrap(), line.is_ended));
        }
        assert_eq!(seen, [(3, "a,b".into(), true), (11, "1,2".into(), true), (15, "3".into(), false)]);
        assert_eq!(lines.bytes(), text.len() as u64);
        assert!(diagnostics.warnings().is_empty());
    }

    #[test]
    fn banners_stand_before_the_table() {
        let text = b"RPL: on '221130_201416'\nROCProfiler: input from \"x\"\n\nIndex,KernelName\n0,\"k\"";
        assert_eq!(first_lines(text).next(), Some(&b"Index,KernelName"[..]));
    }
}
