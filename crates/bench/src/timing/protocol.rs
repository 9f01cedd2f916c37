//! How samples are taken.

use std::time::{Duration, Instant};

use eaves_roofline::measured::{Conditions, Contamination, Execution, Measurement, Sample, summary};

use super::runner::{Order, Outcome, Runner};
use super::thread_team;
use crate::kernel::{Kernel, Worker};

/// A clock lower than the highest of the run by more than this share is another speed, not noise.
const CLOCK_SHARE: f64 = 0.95;

/// How samples are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Protocol {
    /// Running before the first sample, at least.
    pub warm_up: Duration,
    /// Length of a sample, about: shorter than a timeslice.
    pub sample: Duration,
    /// Clean samples of each piece after which a kernel is done.
    pub clean: usize,
    /// Time after which a kernel is done in any case, warm-up apart.
    pub limit: Duration,
}

impl Default for Protocol {
    fn default() -> Self {
        Self {
            warm_up: Duration::from_millis(20),
            sample: Duration::from_micros(1000),
            clean: 25,
            limit: Duration::from_secs(1),
        }
    }
}

/// The worker of a thread that a kernel has nothing for.
struct Idle;

impl Worker for Idle {
    fn run(&mut self, _piece: usize, _turn: usize) {}
}

/// One kernel being measured.
pub(crate) struct Run {
    /// Into how many pieces its calls are cut.
    pub(crate) pieces: usize,
    /// Calls in a sample of each piece.
    calls: Vec<u32>,
    /// Calls so far, which chooses the copy.
    turn: usize,
    /// Every sample so far.
    pub(crate) samples: Vec<Sample>,
    clean: Vec<usize>,
    spent: Duration,
    /// Whether the crew gave up on it.
    failed: bool,
}

/// Measures kernels in alternation on this many threads, one sample of each in random order until the last is done, then verifies
/// them. Limits other than a wrong result are checked by whoever knows the peaks.
pub fn measure(
    kernels: &mut [&mut dyn Kernel],
    threads: usize,
    device: &str,
    protocol: &Protocol,
) -> Vec<Measurement> {
    let threads = threads.max(1);
    let pieces: Vec<usize> = kernels.iter().map(|kernel| kernel.pieces().max(1)).collect();
    let mut workers: Vec<Vec<Box<dyn Worker + '_>>> = (0..threads).map(|_| Vec::new()).collect();
    for kernel in kernels.iter_mut() {
        let mut given = kernel.workers(threads).into_iter();
        for thread in &mut workers {
            thread.push(given.next().unwrap_or_else(|| Box::new(Idle)));
        }
    }
    let runs = thread_team::with(workers, |team| sample_all(team, &pieces, protocol));
    kernels.iter().zip(runs).map(|(kernel, run)| finished(&**kernel, run, threads, device)).collect()
}

/// Samples kernels in alternation, one of each in random order until all are done, and leaves the result of one whole call on
/// the first copy behind. `pieces[kernel]` is into how many pieces the calls of a kernel are cut.
pub(crate) fn sample_all(crew: &mut dyn Runner, pieces: &[usize], protocol: &Protocol) -> Vec<Run> {
    let mut runs: Vec<Run> = pieces
        .iter()
        .enumerate()
        .map(|(kernel, pieces)| Run::warm(crew, kernel, *pieces, protocol))
        .collect();
    let mut random = fastrand::Rng::with_seed(7);
    let mut running: Vec<usize> = (0..runs.len()).collect();
    // All go on until the last is done, so that all see the same seconds.
    while runs.iter().any(|run| run.wants_more(protocol)) {
        running.retain(|kernel| runs.get(*kernel).is_some_and(|run| run.may_go_on(protocol)));
        random.shuffle(&mut running);
        for kernel in &running {
            if let Some(run) = runs.get_mut(*kernel) {
                run.pass(crew, *kernel);
            }
        }
    }
    // What is verified is one whole call on the first copy.
    for (kernel, run) in runs.iter_mut().enumerate().filter(|(_, run)| !run.failed) {
        for piece in 0..run.pieces {
            run.failed |= crew.run(Order { kernel, piece, turn: 0, calls: 1 }).is_none();
        }
    }
    runs
}

impl Run {
    /// Warms up by time, until two medians in a row agree, and finds how many calls make a sample.
    fn warm(crew: &mut dyn Runner, kernel: usize, pieces: usize, protocol: &Protocol) -> Self {
        let mut run = Self {
            pieces,
            calls: vec![1; pieces],
            turn: 0,
            samples: Vec::new(),
            clean: vec![0; pieces],
            spent: Duration::ZERO,
            failed: false,
        };
        let start = Instant::now();
        let mut medians: [f64; 2] = [0.0, f64::INFINITY];
        loop {
            let mut times = Vec::new();
            for _ in 0..5 {
                let mut whole = 0.0;
                for piece in 0..pieces {
                    let calls = run.calls.get(piece).copied().unwrap_or(1);
                    let Some(outcome) = crew.run(Order { kernel, piece, turn: run.turn, calls }) else {
                        run.failed = true;
                        return run;
                    };
                    let each = outcome.wall_ns as f64 / f64::from(calls);
                    whole += each;
                    run.aim(piece, each, protocol);
                }
                run.turn += 1;
                times.push(whole);
                if start.elapsed() > 5 * protocol.warm_up {
                    break;
                }
            }
            times.sort_by(f64::total_cmp);
            medians = [medians[1], times.get(times.len() / 2).copied().unwrap_or(f64::NAN)];
            let agree = (medians[0] - medians[1]).abs() <= 0.02 * medians[1];
            let elapsed = start.elapsed();
            if elapsed >= protocol.warm_up && agree || elapsed >= 5 * protocol.warm_up {
                return run;
            }
        }
    }

    /// As many calls as make a sample of the wanted length.
    fn aim(&mut self, piece: usize, each_ns: f64, protocol: &Protocol) {
        let wanted = protocol.sample.as_nanos() as f64 / each_ns.max(1.0);
        if let Some(calls) = self.calls.get_mut(piece) {
            // Saturates; a call is never shorter than a nanosecond.
            *calls = (wanted.round() as u32).max(1);
        }
    }

    /// Whether it has time left.
    fn may_go_on(&self, protocol: &Protocol) -> bool {
        !self.failed && (self.samples.is_empty() || self.spent < protocol.limit)
    }

    /// Whether it has time left and not enough clean samples.
    fn wants_more(&self, protocol: &Protocol) -> bool {
        let has_few = self.samples.is_empty() || self.clean.iter().any(|clean| *clean < protocol.clean);
        has_few && self.may_go_on(protocol)
    }

    /// One sample of each piece.
    fn pass(&mut self, crew: &mut dyn Runner, kernel: usize) {
        let start = Instant::now();
        for piece in 0..self.pieces {
            let calls = self.calls.get(piece).copied().unwrap_or(1);
            let Some(outcome) = crew.run(Order { kernel, piece, turn: self.turn, calls }) else {
                self.failed = true;
                return;
            };
            if self.pieces == 1 {
                self.turn += calls as usize;
            }
            self.keep(piece, calls, outcome);
        }
        if self.pieces > 1 {
            self.turn += 1;
        }
        self.spent += start.elapsed();
    }

    fn keep(&mut self, piece: usize, calls: u32, outcome: Outcome) {
        if let (None, Some(clean)) = (outcome.contamination, self.clean.get_mut(piece)) {
            *clean += 1;
        }
        self.samples.push(Sample {
            piece: u32::try_from(piece).unwrap_or(u32::MAX),
            calls,
            wall_ns: outcome.wall_ns,
            other_ns: outcome.other_ns,
            switches: outcome.switches,
            steal: outcome.steal,
            clock: outcome.clock,
            contamination: outcome.contamination,
        });
    }
}

fn finished(kernel: &dyn Kernel, mut run: Run, threads: usize, device: &str) -> Measurement {
    let clock = drop_slow(&mut run.samples);
    let verification = kernel.verify();
    let mut measurement = Measurement {
        spec: kernel.spec(),
        conditions: Conditions {
            backend: "cpu".to_owned(),
            device: device.to_owned(),
            implementation: kernel.implementation(),
            threads,
            state: kernel.state(),
            huge_pages: kernel.huge_pages(),
        },
        work: kernel.work(),
        chores: kernel.chores(),
        time: summary(&run.samples, run.pieces),
        samples: run.samples,
        clock,
        verification: Some(verification),
        execution: Execution::Executed,
        violations: Vec::new(),
    };
    measurement.violations = eaves_roofline::measured::violations(&measurement, &Default::default());
    measurement
}

/// Drops samples at a lower clock than the others, and tells the clock of those that are left: the median, since the chain
/// that measures it may itself be interrupted, which only makes it lower.
fn drop_slow(samples: &mut [Sample]) -> Option<f64> {
    let clean = |samples: &[Sample]| {
        let mut clocks: Vec<f64> =
            samples.iter().filter(|sample| sample.is_clean()).filter_map(|sample| sample.clock).collect();
        clocks.sort_by(f64::total_cmp);
        clocks
    };
    let clocks = clean(samples);
    // Not the highest of all, which may be an error of the clock that it is read with.
    let high = *clocks.get(clocks.len() * 9 / 10)?;
    for sample in samples.iter_mut() {
        if sample.is_clean() && sample.clock.is_some_and(|clock| clock < CLOCK_SHARE * high) {
            sample.contamination = Some(Contamination::SlowClock);
        }
    }
    let left = clean(samples);
    left.get(left.len() / 2).copied()
}
