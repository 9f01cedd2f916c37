//! Multiply-adds of the vector units, in registers.

use eaves_roofline::measured::Spec;
use eaves_roofline::{Arithmetic, Engine, Precision, Work};

use super::device::Device;
use super::plan::{Argument, Check, Operands, Plan, Request, Stage, exact};
use super::stream::mixed;
use crate::backend::BenchError;
use crate::formats::minifloat::FP16;

const THREADS: u32 = 256;
/// Blocks for each multiprocessor: all the threads that it can hold.
const BLOCKS: u32 = 8;
/// Chains of each thread; as in the source.
const CHAINS: u32 = 8;
/// Multiply-adds of each chain, a multiple of 16; fewer where a GPU is emulated.
const ROUNDS: usize = if cfg!(test) { 512 } else { 4096 };
/// Threads whose result is computed again on the host.
const CHECKED: u32 = 64;

/// One kind of multiply-add.
#[derive(Clone, Copy)]
struct Kind {
    function: &'static str,
    /// Operations of one instruction in one thread.
    operations: u32,
    /// Bits of what each thread writes.
    bits: u32,
    multiplier: u64,
    addend: u64,
    /// Where a chain starts, and one step of it: what the device does, in bits.
    start: fn(u32) -> u64,
    step: fn(u64, u64, u64) -> u64,
}

/// Near -1, so that a chain neither grows nor comes to rest.
const MULTIPLIER: f64 = -0.999_755_859_375;
const ADDEND: f64 = 1.5;

fn kind(arithmetic: Arithmetic) -> Option<Kind> {
    Some(match arithmetic {
        Arithmetic::Fp32 => Kind {
            function: "fma_fp32",
            operations: 2,
            bits: 32,
            multiplier: u64::from((MULTIPLIER as f32).to_bits()),
            addend: u64::from((ADDEND as f32).to_bits()),
            start: |random| u64::from(0x3f00_0000 | random >> 9),
            step: |x, a, b| {
                let [x, a, b] = [x, a, b].map(|bits| f32::from_bits(bits as u32));
                u64::from(x.mul_add(a, b).to_bits())
            },
        },
        Arithmetic::Fp64 => Kind {
            function: "fma_fp64",
            operations: 2,
            bits: 64,
            multiplier: MULTIPLIER.to_bits(),
            addend: ADDEND.to_bits(),
            start: |random| 0x3fe0_0000_0000_0000 | u64::from(random) << 20,
            step: |x, a, b| {
                let [x, a, b] = [x, a, b].map(f64::from_bits);
                x.mul_add(a, b).to_bits()
            },
        },
        // -1 itself, twice: 1.5 - x is exact.
        Arithmetic::Fp16 => Kind {
            function: "fma_fp16",
            operations: 4,
            bits: 32,
            multiplier: 0xbc00_bc00,
            addend: 0x3e00_3e00,
            start: |random| u64::from(0x3800_3800 | random & 0x03ff_03ff),
            step: |x, a, b| {
                let half = |shift: u32| {
                    let [x, a, b] = [x, a, b].map(|bits| FP16.decode((bits >> shift & 0xffff) as u32));
                    // Products and sums of halves this near to one another are exact in a double.
                    u64::from(FP16.encode(x * a + b)) << shift
                };
                half(0) | half(16)
            },
        },
        // Any numbers: sums of four products wrap around nowhere.
        Arithmetic::Int8 => Kind {
            function: "fma_int8",
            operations: 8,
            bits: 32,
            multiplier: 0x9d35_c77b,
            addend: 0x1234_5678,
            start: u64::from,
            step: |x, a, b| {
                let product = |byte: u32| {
                    let [x, a] = [x, a].map(|bits| i32::from((bits >> (8 * byte) & 0xff) as u8 as i8));
                    x * a
                };
                u64::from(
                    (0..4).map(product).fold(b as u32, |sum, one| sum.wrapping_add(one.cast_unsigned())),
                )
            },
        },
        _ => return None,
    })
}

/// What a thread writes.
fn result(kind: &Kind, thread: u32) -> u64 {
    (0..CHAINS).fold(0, |all, chain| {
        let start = (kind.start)(mixed(thread.wrapping_mul(CHAINS).wrapping_add(chain)));
        all ^ (0..ROUNDS).fold(start, |x, _| (kind.step)(x, kind.multiplier, kind.addend))
    })
}

pub(super) fn plan(request: &Request) -> Option<Result<Plan, BenchError>> {
    let Spec::Fma { arithmetic } = request.spec else { return None };
    if request.engine == Some(Engine::Matrix) {
        return None;
    }
    let kind = kind(arithmetic)?;
    Some(fma_plan(request, arithmetic, kind))
}

fn fma_plan(request: &Request, arithmetic: Arithmetic, kind: Kind) -> Result<Plan, BenchError> {
    let program = request.program("fma")?;
    let function = program.functions.iter().position(|name| *name == kind.function).unwrap_or(0);
    let grid = request.units.max(1) * BLOCKS;
    let threads = grid * THREADS;
    let operations = f64::from(threads) * f64::from(CHAINS) * ROUNDS as f64 * f64::from(kind.operations);
    let written = if kind.bits == 64 { 2.0 } else { 1.0 } * f64::from(threads);
    let work = Work {
        flops: operations,
        macs: operations / 2.0,
        arithmetic: Some(arithmetic),
        engine: Engine::Vector,
        ..Work::movement()
    }
    .writes("sums", written, Precision::INT32);
    let intensity = work.flops / work.bytes();
    let prepare = move |device: &dyn Device| {
        let bytes = (kind.bits / 8) as usize;
        let out = device.allocate(threads as usize * bytes)?;
        let arguments = vec![
            Argument::fixed(&out),
            Argument::from(ROUNDS),
            Argument::Number(kind.multiplier),
            Argument::Number(kind.addend),
        ];
        let stages = vec![Stage { function, grid: [grid, 1, 1], threads: THREADS, arguments }];
        let check: Check = Box::new(move |device, memory| {
            let found: Vec<u64> = match memory {
                [out] if bytes == 8 => device.numbers::<u64>(out, threads as usize)?,
                [out] => device.numbers::<u32>(out, threads as usize)?.into_iter().map(u64::from).collect(),
                _ => Vec::new(),
            };
            // The first, the last, and some between.
            let step = ((threads - 1) / (CHECKED - 1)).max(1) as usize;
            let picked: Vec<usize> =
                (0..threads as usize).step_by(step).chain([threads as usize - 1]).collect();
            let some: Vec<Option<u64>> = picked.iter().map(|thread| found.get(*thread).copied()).collect();
            let right = picked.iter().map(|thread| Some(result(&kind, *thread as u32)));
            Ok(exact(&some, right, "the same chains of some threads on the host, to the bit"))
        });
        Ok(Operands { memory: vec![out], stages, check })
    };
    Ok(Plan {
        program,
        defines: Vec::new(),
        implementation: format!("{CHAINS} chains a thread, {intensity:.0} operations a byte"),
        work,
        chores: Vec::new(),
        prepare: Box::new(prepare),
    })
}
