//! Measures the roofs of this processor and prints them, one number a line: a key, a tab, the number. For benchmarks of the
//! project, which depend on no crate of it.
//!
//! `roofs [quick|default|thorough]`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

use eaves_bench::cpu::Cpu;
use eaves_bench::roofs::{Effort, Pair, Roofs, measure_roofs};
use eaves_bench::timing::processors;

fn main() {
    let word = std::env::args().nth(1);
    let effort = match word.as_deref() {
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
    for missing in &roofs.missing {
        println!("missing\t{missing}");
    }
    for chore in &roofs.rates {
        pair(&format!("rate {}", chore.key), &chore.rate);
    }
}
