//! Multiply-adds in registers.

use std::rc::Rc;

use eaves_roofline::measured::{CacheState, Spec};
use eaves_roofline::{Arithmetic, Engine, Precision, Work};

use super::backend::OpenCl;
use super::driver::{Argument, Memory};
use super::launch::{Check, Prepared, Stage};
use super::stream::exact;
use crate::backend::BenchError;
use crate::buffer::Plain;
use crate::formats::minifloat::FP16;

const SOURCE: &str = include_str!("kernels/fma.cl");

/// Chains of the source.
const CHAINS: u32 = 10;

/// Steps of each chain in a call.
const ROUNDS: u32 = 512;

/// Items begin with one of this many seeds, so that all results can be checked with few computed.
const PERIOD: usize = 32;

/// The factor is so near to one that chains remember what they began with, and the addend so large that they show how many
/// steps they did.
const FACTOR: f32 = 1.0 - 1.0 / 1024.0;
const ADDEND: f32 = 0.25;

/// Bytes that words are multiplied with.
const BYTES: u32 = 0x9B47_D305;

/// What a type needs of the device, of the compiler and of the host.
struct Type {
    options: String,
    width: usize,
    operations: f64,
}

pub(super) fn prepare(device: &OpenCl, arithmetic: Arithmetic) -> Result<Prepared, BenchError> {
    let info = device.info();
    // Vectors of eight even where the device's are shorter: they are more chains there. Those of a processor may be longer.
    let width = if device.is_processor() { info.vector.clamp(8, 16) as usize } else { 8 };
    let floats = |options: &str, width: usize| Type {
        options: format!("{options} -DWIDTH={width}"),
        width,
        operations: 2.0,
    };
    match arithmetic {
        Arithmetic::Fp32 => chains(device, arithmetic, &floats("-DREAL=float", width), single),
        Arithmetic::Fp64 if info.fp64 => {
            chains(device, arithmetic, &floats("-DREAL=double -DDOUBLE", width / 2), double)
        }
        Arithmetic::Fp16 if info.fp16 => chains(device, arithmetic, &floats("-DREAL=half -DHALF", 8), half),
        Arithmetic::Int8 => {
            // The built-in product takes single words.
            let (width, dot) = if info.dot { (1, " -DDOT") } else { (width, "") };
            let options = format!(
                "-DINTEGER{dot} -DWIDTH={}",
                if width == 1 { String::new() } else { width.to_string() }
            );
            chains(device, arithmetic, &Type { options, width, operations: 8.0 }, bytes)
        }
        Arithmetic::Fp64 => Err(device.unsupported("fp64", "the device has no cl_khr_fp64")),
        Arithmetic::Fp16 => Err(device.unsupported("fp16", "the device has no cl_khr_fp16")),
        other => Err(device.unsupported(
            other.id(),
            "OpenCL computes in fp64, fp32, fp16 and int8; matrix units need extensions of vendors",
        )),
    }
}

fn chains<T: Plain + Default + PartialEq>(
    device: &OpenCl,
    arithmetic: Arithmetic,
    kind: &Type,
    of: fn(seeds: &[u16]) -> Numbers<T>,
) -> Result<Prepared, BenchError> {
    let spec = Spec::Fma { arithmetic };
    let driver = device.driver();
    let local = if device.is_processor() { 16 } else { device.info().largest_group.clamp(1, 256) };
    let groups = (device.info().units.max(1) as usize) * if device.is_processor() { 32 } else { 16 };
    let items = groups * local;
    let mut random = fastrand::Rng::with_seed(12);
    let seeds: Vec<u16> = (0..PERIOD * kind.width).map(|_| random.u16(..)).collect();
    let Numbers { seeds, factor, addend, results } = of(&seeds);
    let program = device.program(SOURCE, &kind.options)?;
    let name = if arithmetic.is_integer() { "dot_chains" } else { "fma_chains" };
    let kernel = driver.kernel(&program, name)?;
    let out = driver.upload(&vec![T::default(); items * kind.width])?;
    let arguments = vec![
        Argument::Memory(Rc::clone(&out)),
        Argument::Memory(driver.upload(&seeds)?),
        Argument::U32(PERIOD as u32),
        factor,
        addend,
        Argument::U32(ROUNDS),
        Argument::U32(u32::try_from(items).unwrap_or(u32::MAX)),
    ];
    let stage = Stage::new(driver, kernel, arguments, [groups, 1], [local, 1])?;
    let steps = f64::from(CHAINS * ROUNDS) * (items * kind.width) as f64;
    let precision = Precision::FP32;
    let written = items * kind.width * size_of::<T>() / size_of::<f32>();
    let work = Work {
        flops: steps * kind.operations,
        macs: steps * kind.operations / 2.0,
        arithmetic: Some(arithmetic),
        engine: Engine::Vector,
        ..Work::movement()
    }
    .writes("out", written as f64, precision);
    let check = checked(out, items * kind.width, results);
    let implementation = format!("{CHAINS} chains of {}", kind.width);
    Ok(Prepared::new(spec, CacheState::Hot, work, vec![stage], check).called(implementation))
}

fn checked<T: Plain + Default + PartialEq>(out: Rc<Memory>, count: usize, results: Vec<T>) -> Check {
    Box::new(move |driver| {
        let found = driver.download::<T>(&out, count)?;
        let wrong = found.iter().zip(results.iter().cycle()).filter(|(found, right)| found != right).count();
        Ok(exact(wrong as u64, count, "the same chains on the host"))
    })
}

/// Chains of one type: what they begin with, what they are multiplied with and what they end with.
struct Numbers<T> {
    seeds: Vec<T>,
    factor: Argument,
    addend: Argument,
    results: Vec<T>,
}

/// The sum in order of chains that begin with the seed plus their number.
fn summed<T: Copy>(seed: T, number: impl Fn(u32) -> T, step: impl Fn(T) -> T, add: impl Fn(T, T) -> T) -> T {
    let chain = |index: u32| (0..ROUNDS).fold(add(seed, number(index)), |a, _| step(a));
    (1..CHAINS).fold(chain(0), |sum, index| add(sum, chain(index)))
}

fn single(seeds: &[u16]) -> Numbers<f32> {
    let seeds: Vec<f32> = seeds.iter().map(|seed| f32::from(*seed) / 4096.0).collect();
    let result =
        |seed: &f32| summed(*seed, |index| index as f32, |a| a.mul_add(FACTOR, ADDEND), |a, b| a + b);
    let results = seeds.iter().map(result).collect();
    Numbers { seeds, factor: Argument::F32(FACTOR), addend: Argument::F32(ADDEND), results }
}

fn double(seeds: &[u16]) -> Numbers<f64> {
    let seeds: Vec<f64> = seeds.iter().map(|seed| f64::from(*seed) / 4096.0).collect();
    let (factor, addend) = (f64::from(FACTOR), f64::from(ADDEND));
    let result = |seed: &f64| summed(*seed, f64::from, |a| a.mul_add(factor, addend), |a, b| a + b);
    let results = seeds.iter().map(result).collect();
    Numbers { seeds, factor: Argument::F64(factor), addend: Argument::F64(addend), results }
}

/// Halves are computed in double precision, where products and sums of them are exact, and rounded after each step.
fn half(seeds: &[u16]) -> Numbers<u16> {
    let numbers: Vec<f64> = seeds.iter().map(|seed| f64::from(*seed & 0xFF) / 64.0).collect();
    let half_of = |number: f64| FP16.encode(number) as u16;
    let round = |number: f64| FP16.decode(FP16.encode(number));
    let (factor, addend) = (round(f64::from(FACTOR)), round(f64::from(ADDEND)));
    let result = |seed: &f64| {
        let sum = summed(*seed, f64::from, |a| round(a * factor + addend), |a, b| round(a + b));
        half_of(sum)
    };
    Numbers {
        seeds: numbers.iter().copied().map(half_of).collect(),
        factor: Argument::F16(half_of(factor)),
        addend: Argument::F16(half_of(addend)),
        results: numbers.iter().map(result).collect(),
    }
}

/// Words are multiplied byte by byte, and wrap.
fn bytes(seeds: &[u16]) -> Numbers<u32> {
    let seeds: Vec<u32> = seeds.iter().map(|seed| (u32::from(*seed) * 65_537) ^ 0x1234).collect();
    let dot = |word: u32| {
        let pairs = word.to_le_bytes().into_iter().zip(BYTES.to_le_bytes());
        pairs.map(|(one, other)| i32::from(one as i8) * i32::from(other as i8)).sum::<i32>() as u32
    };
    let result = |seed: &u32| summed(*seed, |index| index, |a| a.wrapping_add(dot(a)), u32::wrapping_add);
    let results = seeds.iter().map(result).collect();
    Numbers { seeds, factor: Argument::U32(BYTES), addend: Argument::U32(0), results }
}
