//! A burst against minutes: whether the clock holds when all cores work.

use std::time::{Duration, Instant};

use eaves_roofline::Arithmetic;
use eaves_roofline::measured::{CacheState, Spec};

use super::Progress;
use crate::backend::{BenchError, Options};
use crate::cpu::Cpu;
use crate::timing::{self, Protocol};

/// One second of a long run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Second {
    /// Seconds from the start to its end.
    pub at: f64,
    /// Operations a second, of all threads: the median of clean samples; `None` if they were too few.
    pub rate: Option<f64>,
    /// The core clock next to them, in hertz.
    pub clock: Option<f64>,
    /// Samples that were clean, and all.
    pub clean: usize,
    /// All samples.
    pub samples: usize,
}

/// Runs multiply-adds in FP32 on this many threads for this long and tells what each second came to. The first is the burst.
///
/// # Errors
/// If there is no such kernel.
pub fn sustained(
    cpu: &Cpu,
    threads: usize,
    length: Duration,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Vec<Second>, BenchError> {
    let second = length.min(Duration::from_secs(1));
    let protocol =
        Protocol { warm_up: Duration::ZERO, clean: usize::MAX, limit: second, ..Protocol::default() };
    let options = Options { threads, state: CacheState::Hot, protocol };
    let mut kernel = cpu.kernel(&Spec::Fma { arithmetic: Arithmetic::Fp32 }, &options)?;
    let start = Instant::now();
    let mut seconds = Vec::new();
    while start.elapsed() < length {
        let share = start.elapsed().as_secs_f64() / length.as_secs_f64();
        progress(Progress { share, what: "multiply-adds without a pause" });
        for measured in timing::measure(&mut [&mut *kernel], threads, &cpu.name, &protocol) {
            seconds.push(Second {
                at: start.elapsed().as_secs_f64(),
                rate: measured.is_sound().then(|| measured.flops_per_second(false)).flatten(),
                clock: measured.clock,
                clean: measured.clean(),
                samples: measured.samples.len(),
            });
        }
    }
    Ok(seconds)
}
