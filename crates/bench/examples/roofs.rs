//! Measures the roofs of this processor and prints them, one number a line: a key, a tab, the number. For benchmarks of the
//! project, which depend on no crate of it.
//!
//! `roofs [quick|default|thorough]` prints all of them, `roofs fma` the multiply-adds of every instruction set, `roofs memory`
//! the streams through main memory.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

use std::time::Duration;

use eaves_bench::cpu::{Cpu, InstructionSet};
use eaves_bench::roofs::{Effort, Pair, Roofs, measure_roofs};
use eaves_bench::timing::processors;
use eaves_bench::{Backend, CacheState, Options, Protocol, Spec, Store, Stream};
use eaves_roofline::Arithmetic;

fn main() {
    let effort = match std::env::args().nth(1).as_deref() {
        Some("fma") => return fma(),
        Some("memory") => return memory(),
        Some("quick") => Effort::Quick,
        Some("thorough") => Effort::Thorough,
        _ => Effort::Default,
    };
    let start = std::time::Instant::now();
    let roofs = measure_roofs(&Cpu::detect(), processors(), effort, &mut |progress| {
        eprintln!("{:3.0} %  {}", progress.share * 100.0, progress.what);
    });
    print(&roofs);
    println!("seconds\t{}", start.elapsed().as_secs_f64());
}

/// Multiply-adds of one core with every instruction set, and what it could do.
fn fma() {
    let protocol = Protocol { sample: Duration::from_micros(300), clean: 50, ..Protocol::default() };
    let options = Options { threads: 1, state: CacheState::Hot, protocol };
    for instructions in InstructionSet::all() {
        let cpu = Cpu { instructions: *instructions, ..Cpu::detect() };
        for arithmetic in [Arithmetic::Fp64, Arithmetic::Fp32, Arithmetic::Int16, Arithmetic::Int8] {
            let Some(Ok(measured)) = cpu.measure(&[Spec::Fma { arithmetic }], &options).pop() else {
                continue;
            };
            let rate = measured.flops_per_second(true).filter(|_| measured.is_sound());
            if let (Some(rate), Some(per_cycle)) = (rate, measured.flops_per_cycle()) {
                let most = instructions.most_per_cycle(arithmetic).unwrap_or(f64::NAN);
                println!("{instructions} {arithmetic}\t{rate}\t{per_cycle}\t{most}");
            }
        }
    }
}

/// Streams through main memory, the best of every way to store, on one core and on all: best and median.
fn memory() {
    let both = [Store::Normal, Store::NonTemporal];
    let kinds = [
        ("read", [1, 4].map(|streams| Stream::Read { streams }).to_vec()),
        ("copy", both.map(Stream::Copy).to_vec()),
        ("triad", both.map(Stream::Triad).to_vec()),
    ];
    let cpu = Cpu::detect();
    for (cores, threads) in [("one", 1), ("all", processors())] {
        let protocol = Protocol { clean: 60, ..Protocol::default() };
        let options = Options { threads, state: CacheState::Cold, protocol };
        for (kind, streams) in &kinds {
            let spec = |stream: &Stream| Spec::Stream { stream: *stream, bytes: (2 << 20) * threads };
            let specs: Vec<Spec> = streams.iter().map(spec).collect();
            // Several times, since all threads at once are seldom undisturbed on a busy machine.
            let measured: Vec<_> = (0..3).flat_map(|_| cpu.measure(&specs, &options)).flatten().collect();
            let sound = || measured.iter().filter(|measured| measured.is_sound());
            let highest = |best: bool| {
                sound().filter_map(|measured| measured.bytes_per_second(best)).max_by(f64::total_cmp)
            };
            if let (Some(best), Some(median)) = (highest(true), highest(false)) {
                println!("{kind} {cores}\t{best}\t{median}");
            }
        }
    }
}

fn print(roofs: &Roofs) {
    let number = |key: &str, value: Option<f64>| {
        if let Some(value) = value {
            println!("{key}\t{value}");
        }
    };
    let pair = |key: &str, pair: &Pair| {
        for (cores, rate) in [("one", &pair.one), ("all", &pair.all)] {
            if let Some(rate) = rate {
                println!("{key} {cores} best\t{}", rate.best);
                println!("{key} {cores} median\t{}\t{}", rate.median, rate.by);
            }
        }
    };
    number("threads", Some(roofs.threads as f64));
    number("clock", roofs.clock.map(|clock| clock.hertz));
    number("clock spread", roofs.clock.map(|clock| clock.spread));
    number("hand over", roofs.hand_over);
    for (what, rungs) in [("read", &roofs.bandwidths), ("chase", &roofs.accesses)] {
        for rung in rungs {
            println!("ladder {what} {}\t{}", rung.bytes, rung.rate);
        }
    }
    number("last cache", Some(roofs.last_cache as f64));
    for level in &roofs.levels {
        number(&format!("{} fits", level.id), level.fits.map(|fits| fits as f64));
        number(&format!("{} beyond", level.id), level.beyond.map(|beyond| beyond as f64));
        number(&format!("{} shared", level.id), Some(f64::from(u8::from(level.is_shared))));
        number(&format!("{} latency", level.id), level.latency);
        for (kind, rates) in level.traffic.pairs() {
            pair(&format!("{} {kind}", level.id), rates);
        }
    }
    for peak in &roofs.peaks {
        pair(&format!("peak {}", peak.arithmetic), &peak.rate);
        number(&format!("peak {} per cycle", peak.arithmetic), peak.per_cycle);
        number(&format!("peak {} most per cycle", peak.arithmetic), peak.most_per_cycle);
    }
    for chore in &roofs.rates {
        pair(&format!("rate {}", chore.key), &chore.rate);
    }
    for missing in &roofs.missing {
        println!("missing\t{missing}");
    }
}
