//! Streams through memory: read, write, copy and triad, as STREAM defines them (McCalpin 1995), with what STREAM leaves
//! open fixed: how results are stored, how many streams read, and where the arrays are.
//!
//! Arrays are never zero: some processors store lines of zeros twice as fast. Each thread has memory of its own, filled on
//! the processor that will use it, so that it is near it. Numbers have 16 random bits behind the point, so that `b + 3 c` is
//! exact and every result can be compared bit by bit.

mod portable;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use eaves_roofline::measured::{CacheState, Spec, Store, Stream, Verification};
use eaves_roofline::{Access, Arithmetic, Operand, Precision, Work};

use super::{InstructionSet, Making};
use crate::backend::BenchError;
use crate::buffer::Buffer;
use crate::kernel::{Kernel, Worker};
use crate::timing;

/// Numbers that are handled together: 256 bytes.
const BLOCK: usize = 64;

/// What is written, again and again.
type Pattern = [f32; BLOCK];

/// What `c` of the triad is multiplied with.
const FACTOR: f32 = 3.0;

/// A call touches at least this many bytes, by several passes if need be, so that calling costs nothing.
const LEAST_CALL: usize = 512 << 10;

/// A call touches about this many bytes at most: larger arrays are windows that calls take in turn.
const MOST_CALL: usize = 1 << 20;

/// Cold arrays are together this many times the last cache.
const COLD_CACHES: usize = 4;

/// One thread's pass through its share, this many times. Slices of one call have equal lengths.
///
/// Not safe to call without the instructions it is written for.
#[derive(Clone, Copy)]
enum Act {
    /// Answers the sum of all words, modulo 2^32.
    Read(unsafe fn(&[f32], usize) -> u32),
    Write(unsafe fn(&mut [f32], &Pattern, usize)),
    Copy(unsafe fn(&mut [f32], &[f32], usize)),
    Triad(unsafe fn(&mut [f32], &[f32], &[f32], usize)),
}

/// The kernel of a stream.
pub(super) fn kernel(spec: &Spec, making: &Making) -> Option<Result<Box<dyn Kernel>, BenchError>> {
    let Spec::Stream { stream, bytes } = *spec else { return None };
    Some(made(stream, bytes, making).map(|kernel| Box::new(kernel) as _))
}

fn made(stream: Stream, bytes: usize, making: &Making) -> Result<Streaming, BenchError> {
    let unsupported = |why: &str| BenchError::Unsupported {
        backend: "cpu".to_owned(),
        what: stream.to_string(),
        why: why.to_owned(),
    };
    let arrays = stream.arrays() as usize;
    let elements = bytes / arrays / size_of::<f32>();
    if elements == 0 {
        return Err(unsupported("the arrays would be empty"));
    }
    let (act, name) =
        code(stream, making.instructions).ok_or_else(|| unsupported("1 or 4 streams are supported"))?;
    let threads = making.threads.max(1);
    let shape = |thread: usize| {
        let share = elements / threads + usize::from(thread < elements % threads);
        Shape::new(arrays, share, threads, making)
    };
    let mut parts: Vec<(usize, Shape, Option<Part>)> =
        (0..threads).map(|thread| (thread, shape(thread), None)).collect();
    // Memory is near the processor that touches it first.
    timing::on_each_processor(&mut parts, |(thread, shape, part)| *part = Part::new(*shape, *thread));
    let parts: Option<Vec<Part>> = parts.into_iter().map(|(.., part)| part).collect();
    let parts = parts.ok_or_else(|| BenchError::Memory { what: stream.to_string() })?;
    Ok(Streaming { stream, bytes, act, name, state: making.state, parts, pattern: pattern() })
}

/// The code for a stream, and its name.
fn code(stream: Stream, instructions: InstructionSet) -> Option<(Act, String)> {
    #[cfg(target_arch = "x86_64")]
    let special = match instructions {
        InstructionSet::Avx2 => x86::avx2::act(stream),
        InstructionSet::Avx512 => x86::avx512::act(stream),
        InstructionSet::Portable | InstructionSet::Neon => None,
    };
    #[cfg(not(target_arch = "x86_64"))]
    let special = None;
    if let Some(act) = special {
        return Some((act, instructions.to_string()));
    }
    let ordinary = match stream {
        Stream::Write(Store::NonTemporal)
        | Stream::Copy(Store::NonTemporal)
        | Stream::Triad(Store::NonTemporal) => "portable, ordinary stores",
        _ => "portable",
    };
    portable::act(stream).map(|act| (act, ordinary.to_owned()))
}

/// Numbers from 1 to 2 with 16 bits behind the point.
fn number(random: u64) -> f32 {
    f32::from_bits(0x3F80_0000 | ((random & 0xFFFF) as u32) << 7)
}

fn pattern() -> Pattern {
    let mut random = fastrand::Rng::with_seed(11);
    std::array::from_fn(|_| number(random.u64(..)))
}

/// How the memory of one thread is laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shape {
    arrays: usize,
    /// Numbers of one array in one window.
    elements: usize,
    /// Windows that calls take in turn.
    windows: usize,
    /// How often a call goes through its window.
    passes: usize,
}

impl Shape {
    /// For `share` numbers of each of this many arrays, of one thread of several.
    fn new(arrays: usize, share: usize, threads: usize, making: &Making) -> Self {
        let bytes = (share * arrays * size_of::<f32>()).max(1);
        let (elements, windows) = if making.state == CacheState::Cold {
            (share, (COLD_CACHES * making.last_cache).div_ceil(bytes * threads).max(1))
        } else {
            let windows = (bytes / MOST_CALL).max(1);
            (share.div_ceil(windows), windows)
        };
        let call = (elements * arrays * size_of::<f32>()).max(1);
        let passes = if windows > 1 { 1 } else { LEAST_CALL.div_ceil(call) };
        Self { arrays, elements, windows, passes }
    }

    /// Numbers from one window to the next, so that each begins with a block.
    fn stride(self) -> usize {
        self.elements.next_multiple_of(BLOCK)
    }

    /// Numbers of one array in all windows.
    fn array(self) -> usize {
        self.stride() * self.windows
    }
}

/// The memory of one thread: its arrays one after the other, the one that is written first.
struct Part {
    shape: Shape,
    memory: Buffer<f32>,
    /// What was read last.
    sum: u32,
}

impl Part {
    fn new(shape: Shape, thread: usize) -> Option<Self> {
        // At least a huge page, lest the places of small pages decide what fits a cache.
        let length = (shape.array().checked_mul(shape.arrays)?).max((2 << 20) / size_of::<f32>());
        let mut memory = Buffer::zeroed(length)?;
        let mut random = fastrand::Rng::with_seed(17 + thread as u64);
        for four in memory.chunks_mut(4) {
            let bits = random.u64(..);
            for (index, word) in four.iter_mut().enumerate() {
                *word = number(bits >> (16 * index));
            }
        }
        Some(Self { shape, memory, sum: 0 })
    }

    /// The window of the written array and of the two that are read, as far as there are such.
    fn window(&mut self, turn: usize) -> Option<(&mut [f32], &[f32], &[f32])> {
        let Shape { arrays, elements, windows, .. } = self.shape;
        let start = turn % windows * self.shape.stride();
        let range = start..start + elements;
        let (first, rest) = self.memory.split_at_mut_checked(self.shape.array())?;
        let (second, third) = match arrays {
            1 => (&[][..], &[][..]),
            2 => (rest.get(range.clone())?, &[][..]),
            _ => {
                let (second, third) = rest.split_at_checked(self.shape.array())?;
                (second.get(range.clone())?, third.get(range.clone())?)
            }
        };
        Some((first.get_mut(range)?, second, third))
    }

    #[expect(
        unsafe_code,
        reason = "code for instructions that the compiler does not know this processor has"
    )]
    fn run(&mut self, act: Act, pattern: &Pattern, turn: usize) {
        let passes = self.shape.passes;
        let Some((first, second, third)) = self.window(turn) else { return };
        // SAFETY: `code` chose functions for instructions that this processor has; slices have equal lengths and begin
        // at multiples of 256 bytes.
        unsafe {
            match act {
                Act::Read(read) => self.sum = read(first, passes),
                Act::Write(write) => write(first, pattern, passes),
                Act::Copy(copy) => copy(first, second, passes),
                Act::Triad(triad) => triad(first, second, third, passes),
            }
        }
    }

    /// Numbers of window 0 that are not what they should be. Of a sum that is wrong none is known to be right.
    fn wrong(&self, stream: Stream, pattern: &Pattern) -> usize {
        let Shape { elements, passes, .. } = self.shape;
        let window = |array: usize| self.memory.iter().skip(array * self.shape.array()).take(elements);
        match stream {
            Stream::Read { .. } => {
                let sum = window(0).fold(0_u32, |sum, word| sum.wrapping_add(word.to_bits()));
                let right = sum.wrapping_mul(passes as u32) == self.sum;
                if right { 0 } else { elements }
            }
            Stream::Write(_) => window(0).zip(pattern.iter().cycle()).filter(|(is, be)| is != be).count(),
            Stream::Copy(_) => window(0).zip(window(1)).filter(|(is, be)| is != be).count(),
            Stream::Triad(_) => window(0)
                .zip(window(1).zip(window(2)))
                .filter(|(is, (b, c))| f64::from(**is) != f64::from(**b) + f64::from(FACTOR) * f64::from(**c))
                .count(),
        }
    }
}

/// A stream with its arrays.
struct Streaming {
    stream: Stream,
    bytes: usize,
    act: Act,
    name: String,
    state: CacheState,
    parts: Vec<Part>,
    pattern: Pattern,
}

/// The parts of one thread: one, unless there are fewer threads than were announced.
struct Streamer<'a> {
    act: Act,
    pattern: &'a Pattern,
    parts: Vec<&'a mut Part>,
}

impl Kernel for Streaming {
    fn spec(&self) -> Spec {
        Spec::Stream { stream: self.stream, bytes: self.bytes }
    }

    fn implementation(&self) -> String {
        self.name.clone()
    }

    fn work(&self) -> Work {
        let each = |part: &Part| (part.shape.elements * part.shape.passes) as f64;
        let elements: f64 = self.parts.iter().map(each).sum();
        let operand = |name, access| Operand { name, access, elements, precision: Precision::FP32 };
        let (operands, flops) = match self.stream {
            Stream::Read { .. } => (vec![operand("a", Access::Read)], 0.0),
            Stream::Write(_) => (vec![operand("a", Access::Write)], 0.0),
            Stream::Copy(_) => (vec![operand("a", Access::Write), operand("b", Access::Read)], 0.0),
            Stream::Triad(_) => {
                let read = ["b", "c"].map(|name| operand(name, Access::Read));
                ([operand("a", Access::Write)].into_iter().chain(read).collect(), 2.0 * elements)
            }
        };
        let arithmetic = (flops > 0.0).then_some(Arithmetic::Fp32);
        Work { flops, macs: flops / 2.0, operands, arithmetic, ..Work::movement() }
    }

    fn state(&self) -> CacheState {
        self.state
    }

    fn huge_pages(&self) -> Option<bool> {
        self.parts
            .iter()
            .map(|part| part.memory.has_huge_pages())
            .reduce(|one, other| Some(one? && other?))?
    }

    fn workers(&mut self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        let mut shares: Vec<Vec<&mut Part>> = (0..threads.max(1)).map(|_| Vec::new()).collect();
        let count = shares.len();
        for (index, part) in self.parts.iter_mut().enumerate() {
            if let Some(share) = shares.get_mut(index % count) {
                share.push(part);
            }
        }
        let (act, pattern) = (self.act, &self.pattern);
        shares.into_iter().map(|parts| Box::new(Streamer { act, pattern, parts }) as _).collect()
    }

    fn verify(&self) -> Verification {
        let wrong: usize = self.parts.iter().map(|part| part.wrong(self.stream, &self.pattern)).sum();
        let against = match self.stream {
            Stream::Read { .. } => "numbers missing from the exact sum",
            _ => "numbers that differ from the expected output",
        };
        Verification { error: wrong as f64, tolerance: 0.0, against: against.to_owned() }
    }
}

impl Worker for Streamer<'_> {
    fn run(&mut self, _piece: usize, turn: usize) {
        for part in &mut self.parts {
            part.run(self.act, self.pattern, turn);
        }
    }
}
