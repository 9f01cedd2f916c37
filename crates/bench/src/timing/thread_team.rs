//! Threads that start together.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use eaves_roofline::measured::Contamination;

use super::clock::core_clock;
use super::runner::{Order, Outcome, Runner};
use super::tags::{Reading, Tags};
use crate::kernel::Worker;
use crate::system::{Places, steal};

/// Threads may start this share of the sample apart.
const SKEW: f64 = 0.05;

/// Processors that this program may use.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Cores that this program may use, as far as the system says which processors are one core; processors otherwise.
pub fn cores() -> usize {
    let processors = processors();
    Places::here().cores().map_or(processors, |cores| cores.min(processors))
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

/// Runs `lead` with a team of threads, each pinned to its own processor. `workers[t]` are those of thread `t`, one for
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
    let places = Places::here();
    places.pin(0, threads);
    let answer = std::thread::scope(|scope| {
        for (index, mut workers) in workers.into_iter().enumerate() {
            let shared = &shared;
            scope.spawn(move || {
                places.pin(index + 1, threads);
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
        // Whatever happens to the leader, the others must not wait forever.
        let _release = Release(&shared);
        lead(&mut Team { shared: &shared, workers: own })
    });
    places.unpin();
    answer
}

/// Has each part made by a thread on the processor that thread of a team will be on, so that its memory is near it.
pub(crate) fn on_each_processor<T: Send>(parts: &mut [T], make: fn(&mut T)) {
    let threads = parts.len();
    if let [one] = parts {
        return make(one);
    }
    let places = Places::here();
    std::thread::scope(|scope| {
        for (index, part) in parts.iter_mut().enumerate() {
            scope.spawn(move || {
                places.pin(index, threads);
                make(part);
            });
        }
    });
}

/// Seconds from handing a call to this many threads to the moment when all are done with it, if it is nothing: the lower tenth
/// of many, since a thread that others interrupt keeps the rest waiting. `None` for a single thread, which is handed nothing.
pub fn hand_over(threads: usize) -> Option<f64> {
    const ROUNDS: usize = 400;
    if threads < 2 {
        return None;
    }
    let (begin, end) = (Barrier::new(threads), Barrier::new(threads));
    let places = Places::here();
    places.pin(0, threads);
    let mut seconds = std::thread::scope(|scope| {
        for index in 1..threads {
            let (begin, end) = (&begin, &end);
            scope.spawn(move || {
                places.pin(index, threads);
                for _ in 0..ROUNDS {
                    begin.wait();
                    end.wait();
                }
            });
        }
        let round = |_| {
            let start = Instant::now();
            begin.wait();
            end.wait();
            start.elapsed().as_secs_f64()
        };
        (0..ROUNDS).map(round).collect::<Vec<f64>>()
    });
    places.unpin();
    seconds.sort_by(f64::total_cmp);
    seconds.get(ROUNDS / 10).copied()
}

struct Release<'a>(&'a Shared);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Release);
        self.0.begin.wait();
    }
}

impl Runner for Team<'_, '_> {
    /// Has all threads do this at the same time.
    fn run(&mut self, order: Order) -> Option<Outcome> {
        let before = steal();
        set(&self.shared.order, order);
        self.shared.begin.wait();
        self.shared.work(0, &mut self.workers);
        self.shared.end.wait();
        let stolen =
            before.zip(steal()).and_then(|(before, after)| u32::try_from(after.checked_sub(before)?).ok());
        let seen: Option<Vec<Seen>> = self.shared.seen.iter().map(get).collect();
        Some(outcome(&seen?, stolen))
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
        // The others wait for this thread, whatever happens in it.
        let ran = catch_unwind(AssertUnwindSafe(|| {
            for call in 0..order.calls as usize {
                worker.run(order.piece, order.turn + call);
            }
        }));
        let end = Instant::now();
        let after = Reading::now();
        let wall_ns = u64::try_from((end - start).as_nanos()).unwrap_or(u64::MAX);
        let seen = Seen { start, end, tags: before.until(after, wall_ns), clock: core_clock() };
        if let Some(slot) = self.seen.get(thread) {
            set(slot, ran.is_ok().then_some(seen));
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Each thread of a team is on its own processor, as far as there are this many.
    #[test]
    fn threads_are_pinned_apart() {
        struct Where<'a>(&'a Mutex<usize>);
        impl Worker for Where<'_> {
            fn run(&mut self, _piece: usize, _turn: usize) {
                set(self.0, rustix::thread::sched_getcpu());
            }
        }
        let threads = processors().min(4);
        let before = rustix::thread::sched_getaffinity(None).unwrap();
        let places: Vec<Mutex<usize>> = (0..threads).map(|_| Mutex::new(usize::MAX)).collect();
        let workers = places.iter().map(|place| vec![Box::new(Where(place)) as Box<dyn Worker>]).collect();
        with(workers, |team| team.run(Order { kernel: 0, piece: 0, turn: 0, calls: 1 }));
        let mut seen: Vec<usize> = places.iter().map(|place| *place.lock().unwrap()).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), threads, "{seen:?}");
        assert_eq!(rustix::thread::sched_getaffinity(None).unwrap(), before);
    }
}
