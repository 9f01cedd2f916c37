//! The rate of exponentials.

use eaves_roofline::measured::{Chore, Spec, Verification};
use eaves_roofline::{Precision, Work};

use super::device::Device;
use super::plan::{Argument, Check, Operands, Plan, Request, Stage};
use super::stream::mixed;
use crate::backend::BenchError;

const THREADS: u32 = 256;
/// Blocks for each multiprocessor: all the threads that it can hold.
const BLOCKS: u32 = 8;
/// Numbers of a thread, and how far apart their exponents are; as in the source.
const NUMBERS: u32 = 8;
const STEP: f64 = 1.0 / 1024.0;
/// Exponentials of each number.
const PASSES: usize = 1024;
/// Threads whose result is computed again on the host.
const CHECKED: usize = 64;

/// What a thread adds up.
fn sum(thread: u32) -> f64 {
    let number = |index: u32| {
        let start = -f64::from(mixed(thread.wrapping_mul(NUMBERS).wrapping_add(index)) >> 16) / 4096.0;
        (0..PASSES).map(|pass| (start - pass as f64 * STEP).exp2()).sum::<f64>()
    };
    (0..NUMBERS).map(number).sum()
}

pub(super) fn plan(request: &Request) -> Option<Result<Plan, BenchError>> {
    (request.spec == Spec::Exp).then(|| exp_plan(request))
}

fn exp_plan(request: &Request) -> Result<Plan, BenchError> {
    let program = request.program("exp")?;
    let grid = request.units.max(1) * BLOCKS;
    let threads = (grid * THREADS) as usize;
    let prepare = move |device: &dyn Device| {
        let out = device.allocate(threads * 4)?;
        let arguments = vec![Argument::fixed(&out), Argument::from(PASSES)];
        let stages = vec![Stage { function: 0, grid: [grid, 1, 1], threads: THREADS, arguments }];
        let check: Check = Box::new(move |device, memory| {
            let found = match memory {
                [out] => device.numbers::<f32>(out, threads)?,
                _ => Vec::new(),
            };
            let step = (threads / CHECKED).max(1);
            let picked = (0..threads).step_by(step).chain([threads - 1]);
            let error = picked.fold(0.0, |worst: f64, thread| {
                let found = found.get(thread).map_or(f64::NAN, |found| f64::from(*found));
                let error = (found / sum(thread as u32) - 1.0).abs();
                if error > worst || error.is_nan() { error } else { worst }
            });
            // ex2.approx is good to 2^-22 (PTX ISA), and every sum of what has one sign is rounded.
            let tolerance = 2_f64.powi(-22) + (PASSES as f64 + f64::from(NUMBERS)) * 2_f64.powi(-24);
            let against = "sums of powers of two in fp64 of some threads, relative".to_owned();
            Ok(Verification { error, tolerance, against })
        });
        Ok(Operands { memory: vec![out], stages, check })
    };
    Ok(Plan {
        program,
        defines: Vec::new(),
        implementation: "ex2.approx in registers".to_owned(),
        work: Work::movement().writes("y", threads as f64, Precision::FP32),
        chores: vec![Chore::exp((threads * PASSES) as f64 * f64::from(NUMBERS))],
        prepare: Box::new(prepare),
    })
}
