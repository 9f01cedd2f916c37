//! Streams through the device's memory.

use std::rc::Rc;

use eaves_roofline::measured::{CacheState, Spec, Store, Stream, Verification};
use eaves_roofline::{Precision, Work};

use super::backend::OpenCl;
use super::driver::{Argument, Memory};
use super::launch::{Check, Prepared, Stage};
use crate::backend::BenchError;

const SOURCE: &str = include_str!("kernels/stream.cl");

/// What the written words are made with; the same numbers as in the source.
const SPREAD: u32 = 2_654_435_761;
const SEED: u32 = 0x5EED_1E55;
const SCALE: f32 = 2.75;

/// Copies begin at a multiple of this many words: a vector of the source, and a line of every cache.
const ALIGNMENT: usize = 64;

/// Groups for each unit, so that one which finishes early has something left to do.
const GROUPS: usize = 8;

pub(super) fn prepare(
    device: &OpenCl,
    stream: Stream,
    bytes: usize,
    state: CacheState,
) -> Result<Prepared, BenchError> {
    let spec = Spec::Stream { stream, bytes };
    if let Stream::Write(Store::NonTemporal)
    | Stream::Copy(Store::NonTemporal)
    | Stream::Triad(Store::NonTemporal) = stream
    {
        return Err(device.unsupported(spec.shape(), "OpenCL has no stores that pass the caches"));
    }
    let arrays = stream.arrays() as usize;
    let count = (bytes / arrays / size_of::<f32>()).max(1);
    let stride = count.next_multiple_of(ALIGNMENT);
    let copies = device.copies(state, arrays * count * size_of::<f32>())?;
    let (groups, local, width) = if device.is_processor() {
        (device.info().units as usize * GROUPS, 1, 16)
    } else {
        (device.info().units as usize * GROUPS, device.info().largest_group.clamp(1, 256), 4)
    };
    let items = groups * local;
    let streams = if let Stream::Read { streams } = stream { streams.max(1) } else { 1 };
    let order = if device.is_processor() { " -DCONTIGUOUS" } else { "" };
    let options = format!("-DWIDTH={width} -DSTREAMS={streams}{order}");
    let program = device.program(SOURCE, &options)?;

    let mut random = fastrand::Rng::with_seed(11);
    // The first copy is random, and the others repeat it: no memory knows.
    let first: Vec<Vec<f32>> = (0..2).map(|_| (0..stride).map(|_| random.f32() + 0.5).collect()).collect();
    let array = |index: usize| -> Result<Rc<Memory>, BenchError> {
        device.driver().upload(&first.get(index % 2).map_or(Vec::new(), |one| one.repeat(copies)))
    };
    let sizes = [
        Argument::U64(0),
        Argument::U64(count as u64),
        Argument::U32(u32::try_from(items).unwrap_or(u32::MAX)),
    ];
    let offsets = (0..copies).map(|copy| Argument::U64((copy * stride) as u64)).collect();
    let number = count as f64;
    let fp32 = Precision::FP32;
    let mut first = first.clone();
    first.iter_mut().for_each(|array| array.truncate(count));
    let [b, c] = <[Vec<f32>; 2]>::try_from(first).unwrap_or_default();
    let (kernel, memory, mut arguments, work, check): (_, Vec<Rc<Memory>>, _, _, Check) = match stream {
        Stream::Read { .. } => {
            let out = device.driver().upload(&vec![0_u32; items])?;
            let right = b.iter().fold(0, |all, number| all ^ number.to_bits());
            let result = Rc::clone(&out);
            let check: Check = Box::new(move |driver| {
                let found = driver.download::<u32>(&result, items)?.iter().fold(0, |all, word| all ^ word);
                Ok(exact(u64::from(found != right), 1, "the exclusive or of all words, on the host"))
            });
            let from = array(0)?;
            ("stream_read", vec![out, from], vec![], Work::movement().reads("a", number, fp32), check)
        }
        Stream::Write(_) => {
            let to = array(0)?;
            let check = compared(Rc::clone(&to), count, |index| {
                (index as u32).wrapping_mul(SPREAD).wrapping_add(SEED)
            });
            let work = Work::movement().writes("a", number, fp32);
            ("stream_write", vec![to], vec![Argument::U32(SEED)], work, check)
        }
        Stream::Copy(_) => {
            let (to, from) = (array(1)?, array(0)?);
            let check = compared(Rc::clone(&to), count, move |index| {
                b.get(index).map_or(0, |number| number.to_bits())
            });
            let work = Work::movement().reads("b", number, fp32).writes("a", number, fp32);
            ("stream_copy", vec![to, from], vec![], work, check)
        }
        Stream::Triad(_) => {
            let (to, left, right) = (array(0)?, array(0)?, array(1)?);
            let check = compared(Rc::clone(&to), count, move |index| {
                let (b, c) = b.get(index).zip(c.get(index)).unwrap_or((&0.0, &0.0));
                SCALE.mul_add(*c, *b).to_bits()
            });
            let work = Work::vector(2.0 * number, number, fp32)
                .reads("b", number, fp32)
                .reads("c", number, fp32)
                .writes("a", number, fp32);
            ("stream_triad", vec![to, left, right], vec![Argument::F32(SCALE)], work, check)
        }
    };
    let place = memory.len();
    let mut all: Vec<Argument> = memory.into_iter().map(Argument::Memory).chain(sizes).collect();
    all.append(&mut arguments);
    let kernel = device.driver().kernel(&program, kernel)?;
    let stage = Stage::new(device.driver(), kernel, all, [groups, 1], [local, 1])?.rotating(place, offsets);
    Ok(Prepared::new(spec, state, work, vec![stage], check).called(format!("vectors of {width}")))
}

/// Every word must be this.
fn compared(memory: Rc<Memory>, count: usize, right: impl Fn(usize) -> u32 + 'static) -> Check {
    Box::new(move |driver| {
        let found = driver.download::<u32>(&memory, count)?;
        let wrong = found.iter().enumerate().filter(|(index, word)| **word != right(*index)).count();
        Ok(exact(wrong as u64, count, "the same words, computed on the host"))
    })
}

/// Results that must be equal to the bit: the error is the share that is not.
pub(super) fn exact(wrong: u64, count: usize, against: &str) -> Verification {
    Verification {
        error: wrong as f64 / count.max(1) as f64,
        tolerance: 0.0,
        against: format!("{against}, to the bit"),
    }
}
