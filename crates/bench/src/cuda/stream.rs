//! Streams through the device's memory.

use eaves_roofline::measured::{Spec, Store, Stream};
use eaves_roofline::{Precision, Work};

use super::device::to_bytes;
use super::plan::{Argument, Operands, Plan, Request, Stage, blocks, exact};
use crate::backend::BenchError;

/// Words that a thread reads or writes at a time.
const VECTOR: usize = 4;
const THREADS: usize = 256;
/// Blocks for each multiprocessor: all the threads that it can hold.
const BLOCKS: usize = 8;
const SCALE: f32 = 2.7;

pub(super) fn plan(request: &Request) -> Option<Result<Plan, BenchError>> {
    let Spec::Stream { stream, bytes } = request.spec else { return None };
    Some(stream_plan(request, stream, bytes))
}

fn stream_plan(request: &Request, stream: Stream, bytes: usize) -> Result<Plan, BenchError> {
    let function = match stream {
        Stream::Read { streams: 1 } => "stream_read_1",
        Stream::Read { streams: 2 } => "stream_read_2",
        Stream::Read { streams: 4 } => "stream_read_4",
        Stream::Read { .. } => return Err(request.unsupported("it reads as 1, 2 or 4 streams")),
        Stream::Write(Store::Normal) => "stream_write",
        Stream::Write(Store::NonTemporal) => "stream_write_nt",
        Stream::Copy(Store::Normal) => "stream_copy",
        Stream::Copy(Store::NonTemporal) => "stream_copy_nt",
        Stream::Triad(Store::Normal) => "stream_triad",
        Stream::Triad(Store::NonTemporal) => "stream_triad_nt",
    };
    let program = request.program("stream")?;
    let function = program.functions.iter().position(|name| *name == function).unwrap_or(0);
    let arrays = stream.arrays() as usize;
    let parts = if let Stream::Read { streams } = stream { usize::from(streams) } else { 1 };
    // Vectors of an array; each stream has as many.
    let count = (bytes / arrays / (4 * VECTOR) / parts).max(1) * parts;
    let copies = request.copies(arrays * count * 4 * VECTOR);
    let grid = blocks(count, THREADS).min(request.units.max(1) * BLOCKS as u32);
    let words = count * VECTOR;
    let numbers = words as f64;
    let fp32 = Precision::FP32;
    let work = match stream {
        Stream::Read { .. } => Work::movement().reads("a", numbers, fp32),
        Stream::Write(_) => Work::movement().writes("a", numbers, fp32),
        Stream::Copy(_) => Work::movement().reads("b", numbers, fp32).writes("a", numbers, fp32),
        Stream::Triad(_) => Work::vector(2.0 * numbers, numbers, fp32)
            .reads("b", numbers, fp32)
            .reads("c", numbers, fp32)
            .writes("a", numbers, fp32),
    };
    let prepare = move |device: &dyn super::device::Device| {
        let mut random = fastrand::Rng::with_seed(11);
        let mut array = || -> Vec<f32> { (0..words).map(|_| random.f32() + 0.5).collect() };
        let (b, c) = (array(), array());
        let of = |values: &[f32]| device.filled(&to_bytes(values), copies);
        let out = || device.allocate(words * 4 * copies);
        let (memory, mut arguments) = match stream {
            Stream::Read { .. } => (vec![of(&b)?, device.allocate(grid as usize * 4)?], vec![]),
            Stream::Write(_) => (vec![out()?], vec![]),
            Stream::Copy(_) => (vec![out()?, of(&b)?], vec![]),
            Stream::Triad(_) => (vec![out()?, of(&b)?, of(&c)?], vec![Argument::from(SCALE)]),
        };
        let mut all: Vec<Argument> = memory.iter().map(|one| Argument::rotating(one, copies)).collect();
        if let (Stream::Read { .. }, Some(out)) = (stream, memory.last()) {
            // The sums of blocks are always in the same place, behind the count.
            all.truncate(1);
            arguments.push(Argument::fixed(out));
        }
        all.push(Argument::from(count));
        all.append(&mut arguments);
        let check: super::plan::Check = Box::new(move |device, memory| {
            let sums = grid as usize;
            let result = match (stream, memory) {
                (Stream::Read { .. }, [_, out]) => device.numbers::<u32>(out, sums)?,
                (_, [out, ..]) => device.numbers::<u32>(out, words)?,
                _ => Vec::new(),
            };
            let host = "computed on the host, to the bit";
            Ok(match stream {
                Stream::Read { .. } => {
                    let all = b.iter().fold(0, |all, number| all ^ number.to_bits());
                    let found = result.iter().fold(0, |all, word| all ^ word);
                    exact(&[found], std::iter::once(all), "the exclusive or of all words on the host")
                }
                Stream::Write(_) => exact(&result, (0..words).map(written), host),
                Stream::Copy(_) => exact(&result, b.iter().map(|number| number.to_bits()), host),
                Stream::Triad(_) => {
                    exact(&result, b.iter().zip(&c).map(|(b, c)| SCALE.mul_add(*c, *b).to_bits()), host)
                }
            })
        });
        let stages = vec![Stage { function, grid: [grid, 1, 1], threads: THREADS as u32, arguments: all }];
        Ok(Operands { memory, stages, check })
    };
    Ok(Plan {
        program,
        defines: Vec::new(),
        implementation: "128-bit accesses".to_owned(),
        work,
        chores: Vec::new(),
        prepare: Box::new(prepare),
    })
}

/// What is written to a word; the same as `mixed` and `write` in the sources.
fn written(word: usize) -> u32 {
    mixed((word / VECTOR) as u32).wrapping_add((word % VECTOR) as u32)
}

/// Numbers that look random, the same as in the sources.
pub(super) fn mixed(index: u32) -> u32 {
    let product = index.wrapping_mul(2_654_435_761);
    product ^ product >> 15
}
