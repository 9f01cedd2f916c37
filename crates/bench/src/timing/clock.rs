//! The core clock, measured.
//!
//! A chain of additions that depend on each other does one of them a cycle on every processor made this century, so its length
//! over the time it takes is the clock. Neither privileges nor counters are needed, and it is right inside virtual machines,
//! where the frequency that the system reports is that of the time-stamp counter.

use std::time::Instant;

/// Additions in the loop below.
const CHAIN: u64 = 20;

/// How many times the chain is run: about 10 us at 4 GHz.
const ROUNDS: u64 = 2000;

/// Cycles per second of the core that this thread is on, from one short chain; `None` where there is no such chain.
/// Something else may have run in it: take the highest of several.
pub fn core_clock() -> Option<f64> {
    let start = Instant::now();
    let rounds = chain(ROUNDS)?;
    let seconds = start.elapsed().as_secs_f64();
    (seconds > 0.0).then(|| (rounds * CHAIN) as f64 / seconds)
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the compiler would fold additions that are not assembly")]
fn chain(rounds: u64) -> Option<u64> {
    let mut value = 1_u64;
    for _ in 0..rounds {
        // SAFETY: it adds to one register and touches nothing else.
        unsafe {
            std::arch::asm!(
                "add {0}, 1", "add {0}, 1", "add {0}, 1", "add {0}, 1", "add {0}, 1",
                "add {0}, 1", "add {0}, 1", "add {0}, 1", "add {0}, 1", "add {0}, 1",
                "add {0}, 1", "add {0}, 1", "add {0}, 1", "add {0}, 1", "add {0}, 1",
                "add {0}, 1", "add {0}, 1", "add {0}, 1", "add {0}, 1", "add {0}, 1",
                inout(reg) value, options(nomem, nostack)
            );
        }
    }
    std::hint::black_box(value);
    Some(rounds)
}

#[cfg(target_arch = "aarch64")]
#[expect(unsafe_code, reason = "the compiler would fold additions that are not assembly")]
fn chain(rounds: u64) -> Option<u64> {
    let mut value = 1_u64;
    for _ in 0..rounds {
        // SAFETY: it adds to one register and touches nothing else.
        unsafe {
            std::arch::asm!(
                "add {0}, {0}, #1", "add {0}, {0}, #1", "add {0}, {0}, #1", "add {0}, {0}, #1", "add {0}, {0}, #1",
                "add {0}, {0}, #1", "add {0}, {0}, #1", "add {0}, {0}, #1", "add {0}, {0}, #1", "add {0}, {0}, #1",
                "add {0}, {0}, #1", "add {0}, {0}, #1", "add {0}, {0}, #1", "add {0}, {0}, #1", "add {0}, {0}, #1",
                "add {0}, {0}, #1", "add {0}, {0}, #1", "add {0}, {0}, #1", "add {0}, {0}, #1", "add {0}, {0}, #1",
                inout(reg) value, options(nomem, nostack)
            );
        }
    }
    std::hint::black_box(value);
    Some(rounds)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn chain(_rounds: u64) -> Option<u64> {
    None
}
