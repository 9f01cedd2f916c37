//! Kernels by number: their names and registers.
//!
//! A file lists every kernel of every library that was loaded, thousands of long names of which a program uses a few.
//! So where the file can be read again, a symbol is known by the place of its name, and only the names that were used
//! are fetched at the end.

use std::io::{self, Read};

use eaves_model::MaybeU32;

use super::super::shared::amd::Registers;
use crate::json::cursor::{Cursor, Fault};
use crate::json::{number, text};
use crate::source::Source;

/// Names nearer to each other than this are reached by reading on.
const NEAR: u64 = 256 << 10;

/// A symbol.
#[derive(Clone, Copy)]
struct Symbol {
    kernel: i64,
    /// Vector, accumulation and scalar registers: files have thousands of symbols, so no byte is wasted on them.
    registers: [MaybeU32; 3],
    /// Place of the name, in the file or among the kept texts.
    at: u64,
    length: u32,
}

/// All symbols of a process.
pub(super) struct Symbols {
    list: Vec<Symbol>,
    /// The names, if the file cannot be read again.
    kept: Option<Vec<u8>>,
}

impl Symbols {
    /// No symbols yet.
    pub(super) fn new(source: &dyn Source) -> Self {
        Self { list: Vec::new(), kept: source.size().is_none().then(Vec::new) }
    }

    /// Reads the symbol the cursor stands at.
    pub(super) fn read(&mut self, cursor: &mut Cursor<'_>, base: u64) -> Result<(), Fault> {
        let mut kernel = None;
        let mut registers = Registers::default();
        // Formatted, demangled, mangled: the first that says something.
        let mut names = [(0, 0); 3];
        cursor.each_field(|cursor, key, value| {
            let count = |cursor: &Cursor<'_>| {
                number::integer(cursor.chunk, value).and_then(|count| u32::try_from(count).ok())
            };
            let mut name = |which: usize, cursor: &mut Cursor<'_>| {
                if cursor.chunk.at(value) != b'"' {
                    return cursor.skip(value);
                }
                names[which] = cursor.text()?;
                Ok(())
            };
            match key {
                b"kernel_id" => kernel = number::integer(cursor.chunk, value),
                b"arch_vgpr_count" => registers.vector = count(cursor),
                b"accum_vgpr_count" => registers.accumulation = count(cursor),
                b"sgpr_count" => registers.scalar = count(cursor),
                b"formatted_kernel_name" => return name(0, cursor),
                b"demangled_kernel_name" => return name(1, cursor),
                b"kernel_name" => return name(2, cursor),
                _ => {}
            }
            cursor.skip(value)
        })?;
        let Some(kernel) = kernel else { return Ok(()) };
        let (start, end) = names.into_iter().find(|(start, end)| end > start).unwrap_or_default();
        let at = match &mut self.kept {
            None => base + start as u64,
            Some(kept) => {
                kept.extend_from_slice(cursor.chunk.slice(start, end));
                (kept.len() - (end - start)) as u64
            }
        };
        let length = u32::try_from(end - start).unwrap_or(u32::MAX);
        let registers = [registers.vector, registers.accumulation, registers.scalar].map(MaybeU32::from);
        self.list.push(Symbol { kernel, registers, at, length });
        Ok(())
    }

    /// Registers and names of these kernels, in their order. A kernel without symbol has neither.
    pub(super) fn resolve(
        mut self,
        kernels: &[i64],
        source: &dyn Source,
    ) -> Vec<(Registers, Option<Vec<u8>>)> {
        self.list.sort_unstable_by_key(|symbol| (symbol.kernel, symbol.at));
        let find = |kernel: i64| {
            let at = self.list.binary_search_by_key(&kernel, |symbol| symbol.kernel).ok()?;
            self.list.get(at).filter(|symbol| symbol.length > 0)
        };
        let found: Vec<Option<&Symbol>> = kernels.iter().map(|&kernel| find(kernel)).collect();
        let registers = |symbol: &Symbol| {
            let [vector, accumulation, scalar] = symbol.registers.map(MaybeU32::get);
            Registers { vector, accumulation, scalar }
        };
        let mut answer: Vec<_> =
            found.iter().map(|symbol| (symbol.map(registers).unwrap_or_default(), None)).collect();
        let mut order: Vec<usize> = (0..found.len()).filter(|&at| found[at].is_some()).collect();
        order.sort_by_key(|&at| found[at].map(|symbol| symbol.at));
        let mut names = Names { source, kept: self.kept.as_deref(), reader: None };
        for at in order {
            let Some(symbol) = found[at] else { continue };
            answer[at].1 =
                names.get(symbol.at, symbol.length).map(|body| match memchr::memchr(b'\\', &body) {
                    Some(_) => text::unescape(&body).0,
                    None => body,
                });
        }
        answer
    }
}

/// Where names are, asked for in rising order.
struct Names<'a> {
    source: &'a dyn Source,
    kept: Option<&'a [u8]>,
    reader: Option<(u64, Box<dyn Read + Send + 'a>)>,
}

impl Names<'_> {
    fn get(&mut self, at: u64, length: u32) -> Option<Vec<u8>> {
        if let Some(kept) = self.kept {
            let start = usize::try_from(at).ok()?;
            return kept.get(start..start.checked_add(length as usize)?).map(<[u8]>::to_vec);
        }
        let (position, mut reader) = match self.reader.take() {
            Some((position, reader)) if position <= at && at - position <= NEAR => (position, reader),
            _ => (at, Box::new(io::BufReader::new(self.source.open(at).ok()?)) as Box<dyn Read + Send>),
        };
        io::copy(&mut reader.by_ref().take(at - position), &mut io::sink()).ok()?;
        let mut name = Vec::new();
        reader.by_ref().take(u64::from(length)).read_to_end(&mut name).ok()?;
        self.reader = Some((at + u64::from(length), reader));
        Some(name)
    }
}
