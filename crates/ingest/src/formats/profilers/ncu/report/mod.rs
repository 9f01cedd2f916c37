//! The report that `ncu -o` writes: `.ncu-rep`, or `.ncu-repz` in zstd.
//!
//! `NVR\0` and a header with the version, then blocks: a header in protocol buffers, with texts that are numbered through
//! the whole file, and messages for code, results and ranges, each behind its size. NVIDIA documents this in the Nsight
//! Compute customization guide ("Report File Format") and ships the schema with the tool; fields that are not named here
//! are stepped over. Values are in base units. The environment of the process, which is in it too, is not looked at.

use std::io::{Read, sink};

use eaves_model::{Diagnostics, WarningKind};

use super::super::{Document, Input, Refused, quoted, whole};
use super::results::Results;
use crate::protobuf::{Field, Fields, Value};

/// Name of the format.
pub(super) const FORMAT: &str = "ncu-rep";

const MAGIC: &[u8; 4] = b"NVR\0";

/// The version that is known: that of the guide, and of every report since 2022 that was looked at.
const VERSION: u64 = 7;

/// The largest message that is taken into memory. Results have some hundred kilobytes.
const LARGEST: u32 = 256 << 20;

/// True for the beginning of a report.
pub(super) fn is_it(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}

/// Reads a report.
pub(super) fn read(input: Input<'_>) -> Result<Document, Refused> {
    let path = quoted(input.path);
    let refuse = |offset, what: String| Refused {
        offset,
        what,
        hint: format!(
            "export it with the `ncu` that wrote it, and use the result: `LC_ALL=C ncu -i {path} --csv --page raw \
            --print-units base > launches.csv`"
        ),
    };
    let mut report = Report { reader: input.rest, position: 0, diagnostics: Diagnostics::default() };
    let mut magic = [0; 4];
    report.read_into(&mut magic);
    let header = report.sized().unwrap_or_default();
    match version(&header) {
        Some(VERSION) => {}
        Some(other) => {
            let what = format!("a Nsight Compute report in format version {other}; supported is {VERSION}");
            return Err(refuse(4, what));
        }
        None => {
            return Err(refuse(4, "a Nsight Compute report that ends before its first block".to_owned()));
        }
    }
    let mut results = Results::default();
    while report.block(&mut results) {}
    let bytes = report.position;
    let Results { mut launches, .. } = results;
    launches.trace.diagnostics.absorb(report.diagnostics);
    launches.trace.events = launches.len() as u64;
    let what = "a Nsight Compute report without a launch result".to_owned();
    let trace = launches.finish("Nsight Compute").ok_or_else(|| refuse(bytes, what))?;
    Ok(whole(trace, bytes, FORMAT))
}

fn version(header: &[u8]) -> Option<u64> {
    Fields::new(header).flatten().find(|field| field.number == 1)?.value.integer()
}

/// A report under way.
struct Report<'a> {
    reader: Box<dyn Read + Send + 'a>,
    position: u64,
    diagnostics: Diagnostics,
}

/// What a block says of itself.
#[derive(Default)]
struct Block {
    sources: u64,
    results: u64,
    ranges: u64,
    payload: u64,
}

impl Report<'_> {
    /// Fills a buffer; the answer is how much of it there was.
    fn read_into(&mut self, buffer: &mut [u8]) -> usize {
        let mut filled = Vec::new();
        let read = self.reader.by_ref().take(buffer.len() as u64).read_to_end(&mut filled);
        if let Err(error) = read {
            self.diagnostics.note_detail(
                WarningKind::DamagedContainer,
                Some(self.position),
                error.to_string(),
            );
        }
        for (to, from) in buffer.iter_mut().zip(&filled) {
            *to = *from;
        }
        self.position += filled.len() as u64;
        filled.len()
    }

    /// The size that stands here; nothing at the end.
    fn size(&mut self) -> Option<u32> {
        let mut size = [0; 4];
        let start = self.position;
        match self.read_into(&mut size) {
            4 => Some(u32::from_le_bytes(size)),
            0 => None,
            _ => {
                self.diagnostics.note(WarningKind::Truncated, Some(start));
                None
            }
        }
    }

    /// That many bytes; nothing, and a note, if there are fewer.
    fn take(&mut self, size: u32) -> Option<Vec<u8>> {
        let start = self.position;
        let mut bytes = Vec::new();
        // What is there decides how much is taken, not what the size claims.
        let read = self.reader.by_ref().take(u64::from(size)).read_to_end(&mut bytes);
        self.position += bytes.len() as u64;
        if let Err(error) = read {
            self.diagnostics.note_detail(
                WarningKind::DamagedContainer,
                Some(self.position),
                error.to_string(),
            );
            return None;
        }
        if bytes.len() < size as usize {
            self.diagnostics.note(WarningKind::Truncated, Some(start));
            return None;
        }
        Some(bytes)
    }

    /// A message behind its size.
    fn sized(&mut self) -> Option<Vec<u8>> {
        let start = self.position;
        match self.size()? {
            size if size > LARGEST => {
                self.diagnostics.note(WarningKind::BadRecord, Some(start));
                None
            }
            size => self.take(size),
        }
    }

    /// Steps over bytes; false if they are not all there.
    fn skip(&mut self, bytes: u64) -> bool {
        let start = self.position;
        let copied = std::io::copy(&mut self.reader.by_ref().take(bytes), &mut sink());
        let copied = copied.unwrap_or(0);
        self.position += copied;
        if copied < bytes {
            self.diagnostics.note(WarningKind::Truncated, Some(start));
        }
        copied == bytes
    }

    /// Reads a block; false at the end.
    fn block(&mut self, results: &mut Results) -> bool {
        let Some(header) = self.sized() else { return false };
        let block = self.block_header(&header, results);
        let end = self.position.saturating_add(block.payload);
        for _ in 0..block.sources {
            if self.position >= end {
                break;
            }
            let Some(size) = self.size() else { return false };
            if !self.skip(u64::from(size)) {
                return false;
            }
        }
        for _ in 0..block.results {
            let start = self.position;
            if start >= end {
                self.diagnostics.note(WarningKind::BadRecord, Some(start));
                break;
            }
            let Some(result) = self.sized() else { return false };
            results.result(&result, start + 4, &mut self.diagnostics);
        }
        if block.ranges > 0 {
            let detail = "range results, which are not supported";
            self.diagnostics.note_detail(WarningKind::BadRecord, Some(self.position), detail);
        }
        match end.checked_sub(self.position) {
            Some(rest) => self.skip(rest),
            None => {
                // The payload is longer than it says; where the next block begins is not known.
                self.diagnostics.note(WarningKind::Garbage, Some(self.position));
                false
            }
        }
    }

    fn block_header(&mut self, header: &[u8], results: &mut Results) -> Block {
        let start = self.position.saturating_sub(header.len() as u64);
        let mut block = Block::default();
        for field in Fields::new(header) {
            let Ok(Field { number, value }) = field else {
                self.diagnostics.note(WarningKind::BadHeader, Some(start));
                break;
            };
            match (number, value) {
                (1, Value::Varint(count)) => block.sources = count,
                (2, Value::Varint(count)) => block.results = count,
                (4, Value::Bytes(table)) => results.texts(table),
                (5, Value::Varint(size)) => block.payload = size,
                (6, Value::Bytes(process)) => results.process(process),
                (7, Value::Varint(count)) => block.ranges = count,
                _ => {}
            }
        }
        block
    }
}

#[cfg(test)]
mod tests;
