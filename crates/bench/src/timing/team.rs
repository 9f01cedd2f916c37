//! Threads that start together.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use eaves_roofline::measured::Contamination;

use super::clock::core_clock;
use super::crew::{Crew, Order, Outcome};
use super::tags::{Reading, Tags, steal};
use crate::kernel::Worker;

/// Threads may start this share of the sample apart.
const SKEW: f64 = 0.05;

/// Processors that this program may use.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// What one thread saw.
#[derive(Clone, Copy, Debug)]
struct Seen {
    start: Instant,
    end: Instant,
    tags: Tags,
    clock: Option<f64>,
}

/// The team, as its leader sees it. The leader works too.
pub(super) struct Team<'a, 'k> {
    shared: &'a Shared,
    workers: Vec<Box<dyn Worker + 'k>>,
}

struct Shared {
    order: Mutex<Order>,
    seen: Vec<Mutex<Option<Seen>>>,
    begin: Barrier,
    end: Barrier,
    over: AtomicBool,
}

/// Runs `lead` with a team of threads, each pinned to a processor of its own. `workers[t]` are those of thread `t`, one for
/// each kernel.
pub(super) fn with<'k, R>(
    mut workers: Vec<Vec<Box<dyn Worker + 'k>>>,
    lead: impl FnOnce(&mut Team<'_, 'k>) -> R,
) -> R {
    let threads = workers.len().max(1);
    let shared = Shared {
        order: Mutex::default(),
        seen: (0..threads).map(|_| Mutex::new(None)).collect(),
        begin: Barrier::new(threads),
        end: Barrier::new(threads),
        over: AtomicBool::new(false),
    };
    let own = if workers.is_empty() { Vec::new() } else { workers.remove(0) };
    let unpinned = pin(0, threads);
    let answer = std::thread::scope(|scope| {
        for (index, mut workers) in workers.into_iter().enumerate() {
            let shared = &shared;
            scope.spawn(move || {
                pin(index + 1, threads);
                loop {
                    shared.begin.wait();
                    if shared.over.load(Ordering::Acquire) {
                        return;
                    }
                    shared.work(index + 1, &mut workers);
                    shared.end.wait();
                }
            });
        }
        // Whatever happens to the leader, the others must not wait for ever.
        let _release = Release(&shared);
        lead(&mut Team { shared: &shared, workers: own })
    });
    restore(unpinned);
    answer
}

/// Has each part made by a thread on the processor that thread of a team will be on, so that its memory is near it.
pub(crate) fn on_each_processor<T: Send>(parts: &mut [T], make: fn(&mut T)) {
    let threads = parts.len();
    if let [one] = parts {
        return make(one);
    }
    std::thread::scope(|scope| {
        for (index, part) in parts.iter_mut().enumerate() {
            scope.spawn(move || {
                pin(index, threads);
                make(part);
            });
        }
    });
}

struct Release<'a>(&'a Shared);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Release);
        self.0.begin.wait();
    }
}

impl Crew for Team<'_, '_> {
    /// Has all threads do this at the same time.
    fn run(&mut self, order: Order) -> Option<Outcome> {
        let before = steal();
        set(&self.shared.order, order);
        self.shared.begin.wait();
        self.shared.work(0, &mut self.workers);
        self.shared.end.wait();
        let stolen =
            before.zip(steal()).and_then(|(before, after)| u32::try_from(after.checked_sub(before)?).ok());
        let seen: Vec<Seen> = self.shared.seen.iter().filter_map(get).collect();
        Some(outcome(&seen, stolen))
    }
}

fn outcome(seen: &[Seen], steal: Option<u32>) -> Outcome {
    let nanoseconds =
        |from: Instant, to: Instant| u64::try_from(to.duration_since(from).as_nanos()).unwrap_or(u64::MAX);
    let first = seen.iter().map(|seen| seen.start).min();
    let last_start = seen.iter().map(|seen| seen.start).max();
    let last = seen.iter().map(|seen| seen.end).max();
    let wall_ns = first.zip(last).map_or(0, |(first, last)| nanoseconds(first, last));
    let skew = first.zip(last_start).map_or(0, |(first, last)| nanoseconds(first, last));
    let dirty = seen.iter().find_map(|seen| seen.tags.contamination);
    let contamination = if dirty.is_some() {
        dirty
    } else if steal.is_some_and(|ticks| ticks > 0) {
        Some(Contamination::Stolen)
    } else {
        (skew as f64 > wall_ns as f64 * SKEW).then_some(Contamination::Skewed)
    };
    Outcome {
        wall_ns,
        other_ns: seen.iter().filter_map(|seen| seen.tags.cpu_ns).min(),
        switches: seen.iter().map(|seen| seen.tags.switches).sum(),
        steal,
        clock: seen.iter().filter_map(|seen| seen.clock).min_by(f64::total_cmp),
        contamination,
    }
}

impl Shared {
    fn work(&self, thread: usize, workers: &mut [Box<dyn Worker + '_>]) {
        let order = self.order.lock().map_or_else(|poisoned| *poisoned.into_inner(), |order| *order);
        let Some(worker) = workers.get_mut(order.kernel) else { return };
        let before = Reading::now();
        let start = Instant::now();
        for call in 0..order.calls as usize {
            worker.run(order.piece, order.turn + call);
        }
        let end = Instant::now();
        let after = Reading::now();
        let wall_ns = u64::try_from((end - start).as_nanos()).unwrap_or(u64::MAX);
        let seen = Seen { start, end, tags: before.until(after, wall_ns), clock: core_clock() };
        if let Some(slot) = self.seen.get(thread) {
            set(slot, Some(seen));
        }
    }
}

fn set<T>(slot: &Mutex<T>, value: T) {
    match slot.lock() {
        Ok(mut held) => *held = value,
        Err(poisoned) => *poisoned.into_inner() = value,
    }
}

fn get(slot: &Mutex<Option<Seen>>) -> Option<Seen> {
    slot.lock().map_or_else(|poisoned| *poisoned.into_inner(), |held| *held)
}

/// A barrier that spins: threads that sleep wake up at different times.
struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
}

impl Barrier {
    /// Turns of the loop before the processor is offered to others.
    const SPINS: u32 = 20_000;

    fn new(threads: usize) -> Self {
        Self { threads, arrived: AtomicUsize::new(0), round: AtomicUsize::new(0) }
    }

    fn wait(&self) {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Release);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut spins = 0;
        while self.round.load(Ordering::Acquire) == round {
            if spins < Self::SPINS {
                spins += 1;
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

/// Pins this thread to one of the processors that it may use; the answer is what it could use before. A single thread stays
/// where the scheduler put it.
#[cfg(target_os = "linux")]
fn pin(index: usize, threads: usize) -> Option<rustix::thread::CpuSet> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    let allowed = sched_getaffinity(None).ok()?;
    let mut usable = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu));
    let cpu = if threads == 1 { sched_getcpu() } else { usable.nth(index)? };
    let mut one = CpuSet::new();
    one.set(cpu);
    sched_setaffinity(None, &one).ok()?;
    Some(allowed)
}

#[cfg(target_os = "linux")]
fn restore(allowed: Option<rustix::thread::CpuSet>) {
    if let Some(allowed) = allowed {
        // A thread that stays pinned is slower at worst.
        let _unrestored = rustix::thread::sched_setaffinity(None, &allowed);
    }
}

#[cfg(not(target_os = "linux"))]
fn pin(_index: usize, _threads: usize) {}

#[cfg(not(target_os = "linux"))]
fn restore((): ()) {}
