//! What this processor can really do: its clock, its levels of memory, its peaks, and what is neither.
//!
//! Nothing is taken from what the processor says of itself: levels are found by going through sets of growing size
//! ([`plateaus()`]), peaks by multiply-adds in registers, rates by the kernels that need them. Each number is of clean samples,
//! and there is none where these are too few.

mod chase;
mod chores;
mod clock;
mod device;
mod gauges;
mod ladder;
mod levels;
mod limits;
mod peaks;
mod plateaus;
mod session;
mod sustained;
#[cfg(test)]
mod tests;

use eaves_roofline::Arithmetic;
use eaves_roofline::measured::{CacheState, Measurement, Spec};

use crate::cpu::{Cpu, InstructionSet};
use crate::timing;

pub use clock::Clock;
pub use gauges::{Beside, Gauges};
pub use plateaus::{Plateau, Rung, plateaus};
pub use sustained::{Second, sustained};

use session::Session;

/// How much time to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Some 15 seconds: fewer sizes and samples.
    Quick,
    /// Less than a minute, also on a busy machine.
    #[default]
    Default,
    /// Minutes: all instruction sets everywhere, four sizes to a doubling, many samples.
    Thorough,
}

/// Progress note on what is being measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// How much is done, from 0 to 1.
    pub share: f64,
    /// What is next.
    pub what: &'a str,
}

/// A rate of clean samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    /// At the median: what to compares kernels with.
    pub median: f64,
    /// At the fastest: what nothing may exceed.
    pub best: f64,
    /// What ran: `read-4, avx512`.
    pub by: String,
    /// Clean samples.
    pub clean: usize,
    /// What to run to measure it again.
    pub origin: Option<Origin>,
}

/// Provenance of a measured rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    /// The kernel.
    pub spec: Spec,
    /// Where its operands were.
    pub state: CacheState,
    /// The instructions it used.
    pub instructions: InstructionSet,
    /// The share of its time that the rate is of. The rest is what a call takes however large its operands are.
    pub share: f64,
}

/// A rate of one core, and of all together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pair {
    /// One core.
    pub one: Option<Rate>,
    /// All cores.
    pub all: Option<Rate>,
}

/// Traffic through a memory level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Bytes read a second.
    pub read: Pair,
    /// Bytes written a second.
    pub write: Pair,
    /// Bytes read and written a second, copying.
    pub copy: Pair,
    /// Bytes read and written a second, adding two arrays to a third.
    pub triad: Pair,
}

impl Traffic {
    /// Its pairs with their names.
    pub fn pairs(&self) -> [(&'static str, &Pair); 4] {
        [("read", &self.read), ("write", &self.write), ("copy", &self.copy), ("triad", &self.triad)]
    }
}

/// One level of memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// `l1`, `l2`; `hbm` for main memory, as in device files.
    pub id: String,
    /// `L1`, `L2`, `DRAM`.
    pub name: String,
    /// Bytes that were measured to fit, for one core; `None` for main memory.
    pub fits: Option<usize>,
    /// The smallest set that was measured not to.
    pub beyond: Option<usize>,
    /// Whether all cores share it, as far as can be told from their using it together.
    pub is_shared: bool,
    /// Seconds from one access to the next that depends on it, for a set of a size between this level and the one before.
    pub latency: Option<f64>,
    /// What moves through it.
    pub traffic: Traffic,
}

/// The peak of an arithmetic.
#[derive(Clone, Debug, PartialEq)]
pub struct Peak {
    /// Which.
    pub arithmetic: Arithmetic,
    /// Operations a second.
    pub rate: Pair,
    /// Operations per cycle of one core, at the clock next to the samples.
    pub per_cycle: Option<f64>,
    /// What the instruction set that ran could do.
    pub most_per_cycle: Option<f64>,
}

/// Processor abilities besides arithmetic and data movement.
#[derive(Clone, Debug, PartialEq)]
pub struct ChoreRate {
    /// What: `exp`, `dequantise mxfp4/int8`.
    pub key: String,
    /// How many a second.
    pub rate: Pair,
}

/// The roofs of a processor.
#[derive(Clone, Debug)]
pub struct Roofs {
    /// Its name.
    pub name: String,
    /// The best instructions it has.
    pub instructions: InstructionSet,
    /// All cores, as many threads: one on each where the system says which processors are one core.
    pub threads: usize,
    /// The core clock while it works.
    pub clock: Option<Clock>,
    /// The clock of the slowest core while all work, in hertz.
    pub clock_of_all: Option<f64>,
    /// Bytes read a second by one core, by the size of the set.
    pub bandwidths: Vec<Rung>,
    /// Dependent accesses a second, by the size of the set: what levels are found by.
    pub accesses: Vec<Rung>,
    /// Levels of memory, the first cache first and main memory last.
    pub levels: Vec<Level>,
    /// Bytes that exceed the last cache for sure, for kernels that must not find their operands in it.
    pub last_cache: usize,
    /// Peaks.
    pub peaks: Vec<Peak>,
    /// What else it does.
    pub rates: Vec<ChoreRate>,
    /// Seconds that handing a call to all threads and waiting for them takes.
    pub hand_over: Option<f64>,
    /// What is missing and why: no time left, too few clean samples, a limit that it breaks.
    pub missing: Vec<String>,
    /// Every measurement behind the numbers, with its samples.
    pub measurements: Vec<Measurement>,
}

/// Measures the roofs of this processor with this many threads as its cores.
pub fn measure_roofs(
    cpu: &Cpu,
    threads: usize,
    effort: Effort,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Roofs {
    let mut session = Session::new(cpu.clone(), threads, effort, progress);
    session.say("the core clock");
    let clock = clock::measure();
    let (accesses, bandwidths) = ladder::climb(&mut session);
    let mut levels = ladder::levels(&accesses, &bandwidths);
    let last_cache = session.exceed(&levels);
    let (mut peaks, mut rates) = (Vec::new(), Vec::new());
    // What matters most comes first, in case time runs out on a busy machine. Shares of the time: one core, all cores.
    for (threads, shares) in
        session.teams().into_iter().zip([[0.35, 0.45, 0.5, 0.6], [0.65, 0.75, 0.8, 0.95]])
    {
        session.stage(shares[0]);
        peaks::measure(&mut session, &mut peaks, threads);
        session.stage(shares[1]);
        levels::measure_memory(&mut session, &mut levels, threads);
        session.stage(shares[2]);
        levels::measure_caches(&mut session, &mut levels, threads);
        session.stage(shares[3]);
        chores::measure(&mut session, &levels, &mut rates, threads);
    }
    // What other programs leave of bandwidths changes with the seconds, so they are measured again while there is time.
    session.stage(0.95);
    let named = session.missing.len();
    for threads in session.teams() {
        levels::measure_memory(&mut session, &mut levels, threads);
        levels::measure_caches(&mut session, &mut levels, threads);
    }
    session.missing.truncate(named);
    let processors = timing::processors();
    if processors > session.threads {
        session.missing.push(format!(
            "{processors} processors are {} cores: all-core roofs use one thread per core",
            session.threads
        ));
    }
    session.say("handing a call to all threads");
    let hand_over = timing::hand_over(session.threads);
    let clock_of_all = clock::of_all(&session.measurements, session.threads);
    Roofs {
        name: cpu.name.clone(),
        instructions: cpu.instructions,
        threads: session.threads,
        clock,
        clock_of_all,
        bandwidths,
        accesses,
        levels,
        last_cache,
        peaks,
        rates,
        hand_over,
        missing: session.missing,
        measurements: session.measurements,
    }
}
