//! What moves through each level.

use eaves_roofline::measured::{CacheState, Measurement, Spec, Store, Stream};

use super::session::{Session, pooled};
use super::{Effort, Level, Pair, Rate, Traffic};
use crate::cpu::InstructionSet;

/// What one call takes of arrays that are in main memory, for each thread.
const WINDOW: usize = 2 << 20;

/// Samples of main memory are this many times as many: it is what others use too.
const MEMORY_SAMPLES: usize = 3;

/// All cores reach less than this share of this many times one core's bandwidth, each with a set that would fill the cache:
/// they share it.
const SHARED: f64 = 0.7;

/// A kind of traffic, and the streams that may be the best of it.
type Kind = (fn(&mut Traffic) -> &mut Pair, Vec<Stream>);

/// The four kinds. Stores past the caches are tried for main memory
/// alone: what fits a cache is to stay there.
fn kinds(memory: bool) -> [Kind; 4] {
    let stores = |stream: fn(Store) -> Stream| {
        let stores: &[Store] = if memory { &[Store::Normal, Store::NonTemporal] } else { &[Store::Normal] };
        stores.iter().copied().map(stream).collect()
    };
    [
        (|traffic| &mut traffic.read, [1, 4].map(|streams| Stream::Read { streams }).to_vec()),
        (|traffic| &mut traffic.write, stores(Stream::Write)),
        (|traffic| &mut traffic.copy, stores(Stream::Copy)),
        (|traffic| &mut traffic.triad, stores(Stream::Triad)),
    ]
}

/// The set of one thread that is in this level and in none before it.
pub(super) fn set(fits: usize, before: Option<usize>) -> usize {
    match before {
        None => fits / 2,
        Some(before) => {
            let middle = (fits as f64 * before as f64).sqrt() as usize;
            middle.max(3 * before).min(fits / 4 * 3)
        }
    }
}

/// The set of each of several threads that share a cache: half of it together, and more than the cache before holds. `None`
/// if no set is both in this level and in none before.
fn shared_set(fits: usize, before: Option<usize>, threads: usize) -> Option<usize> {
    let least = before.map_or(1024, |before| before + before / 2);
    let each = (fits / 2 / threads.max(1)).max(least);
    (each * threads <= fits / 4 * 3).then_some(each)
}

/// Measures the traffic of every cache on this many threads.
pub(super) fn measure_caches(session: &mut Session<'_>, levels: &mut [Level], threads: usize) {
    let mut before = None;
    for level in levels {
        let Some(fits) = level.fits else { continue };
        session.say(&format!("{}: {}", level.name, cores(threads)));
        let one = set(fits, before);
        let mut each = one;
        if threads > 1 {
            level.is_shared = is_shared(session, fits, one);
            if level.is_shared {
                let Some(share) = shared_set(fits, before, threads) else {
                    let name = &level.name;
                    session.missing.push(format!(
                        "{name}, all cores: what exceeds the cache before it exceeds {name} together"
                    ));
                    before = Some(fits);
                    continue;
                };
                each = share;
            }
        }
        cache(session, level, each, threads);
        before = Some(fits);
    }
}

/// What a kind of traffic of a level is measured with if it is not known what is best: for main memory four streams, and
/// stores past the caches.
pub(super) fn usual(
    level: &Level,
    before: Option<&Level>,
    kind: &str,
    threads: usize,
) -> Option<(Spec, CacheState)> {
    let before = before.and_then(|level| level.fits);
    let (bytes, state, store) = match level.fits {
        None => (WINDOW * threads, CacheState::Cold, Store::NonTemporal),
        Some(fits) if level.is_shared && threads > 1 => {
            (shared_set(fits, before, threads)? * threads, CacheState::Hot, Store::Normal)
        }
        Some(fits) => (set(fits, before) * threads, CacheState::Hot, Store::Normal),
    };
    let stream = match kind {
        "write" => Stream::Write(store),
        "copy" => Stream::Copy(store),
        "triad" => Stream::Triad(store),
        _ => Stream::Read { streams: 4 },
    };
    Some((Spec::Stream { stream, bytes }, state))
}

fn cores(threads: usize) -> &'static str {
    if threads == 1 { "one core" } else { "all cores" }
}

fn cache(session: &mut Session<'_>, level: &mut Level, each: usize, threads: usize) {
    for (pair, streams) in kinds(false) {
        let mut tried = Vec::new();
        for stream in streams {
            for instructions in session.instruction_sets() {
                let spec = Spec::Stream { stream, bytes: each * threads };
                let protocol = session.protocol();
                tried.extend(session.run(spec, threads, CacheState::Hot, instructions, protocol));
            }
        }
        let best = session.best(tried, |measurement| measurement.work.bytes());
        keep_quicker(pair(&mut level.traffic).of(threads > 1), best);
    }
}

/// Of two moments the faster one: what others do on the same core, which may be two to the system, only slows it down.
fn keep_quicker(known: &mut Option<Rate>, found: Option<Rate>) {
    let is_quicker = |found: &Rate| known.as_ref().is_none_or(|known| found.median > known.median);
    if let Some(found) = found.filter(is_quicker) {
        *known = Some(found);
    }
}

/// Whether cores hinder each other: each with a set that nearly fills the level.
fn is_shared(session: &mut Session<'_>, fits: usize, one: usize) -> bool {
    let threads = session.threads;
    let stream = Stream::Read { streams: 1 };
    let (protocol, instructions) = (session.protocol(), session.instructions());
    let each = one.max(fits / 4 * 3);
    let mut rate = |threads: usize| {
        let spec = Spec::Stream { stream, bytes: each * threads };
        let measured = session.run(spec, threads, CacheState::Hot, instructions, protocol)?;
        measured.bytes_per_second(false)
    };
    match (rate(1), rate(threads)) {
        (Some(one), Some(all)) => all < SHARED * threads as f64 * one,
        _ => false,
    }
}

/// Measures main memory on this many threads: a window of arrays that no cache holds, another one each time. What was measured
/// of it before counts too.
pub(super) fn measure_memory(session: &mut Session<'_>, levels: &mut [Level], threads: usize) {
    let Some(level) = levels.iter_mut().find(|level| level.fits.is_none()) else { return };
    session.say(&format!("{}: {}", level.name, cores(threads)));
    for (pair, streams) in kinds(true) {
        let mut tried = Vec::new();
        for stream in streams {
            for instructions in memory_sets(session) {
                tried.extend(cold(session, stream, threads, instructions));
            }
        }
        if let Some(best) = session.best(tried, |measurement| measurement.work.bytes()) {
            *pair(&mut level.traffic).of(threads > 1) = Some(best);
        }
    }
}

fn memory_sets(session: &Session<'_>) -> Vec<InstructionSet> {
    match session.effort {
        Effort::Thorough => session.instruction_sets(),
        Effort::Quick | Effort::Default => vec![session.instructions()],
    }
}

/// A stream through main memory, with the samples of an earlier one.
fn cold(
    session: &mut Session<'_>,
    stream: Stream,
    threads: usize,
    instructions: InstructionSet,
) -> Option<Measurement> {
    let mut protocol = session.protocol();
    protocol.clean *= MEMORY_SAMPLES;
    protocol.limit *= 2;
    let spec = Spec::Stream { stream, bytes: WINDOW * threads };
    let measured = session.run(spec, threads, CacheState::Cold, instructions, protocol);
    let same = |earlier: &Measurement| {
        earlier.spec == spec
            && earlier.conditions.state == CacheState::Cold
            && earlier.conditions.implementation.starts_with(&instructions.to_string())
    };
    let earlier = session.measurements.iter().position(same).map(|index| session.measurements.remove(index));
    match (earlier, measured) {
        (Some(earlier), Some(measured)) => Some(pooled(earlier, measured)),
        (earlier, measured) => measured.or(earlier),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_of_a_level_is_in_no_level_before_it() {
        assert_eq!(set(32 << 10, None), 16 << 10);
        // The geometric middle of 32 KiB and 1 MiB.
        assert_eq!(set(1 << 20, Some(32 << 10)), 185_363);
        // Sizes that are near each other.
        assert_eq!(set(64 << 10, Some(32 << 10)), 48 << 10);
    }

    #[test]
    fn a_shared_cache_holds_the_sets_of_all_threads_or_is_not_measured() {
        // Half of 32 MiB for two, each far more than 1 MiB.
        assert_eq!(shared_set(32 << 20, Some(1 << 20), 2), Some(8 << 20));
        // Sixteen with second caches of 1 MiB: 1.5 MiB each are 24 MiB, three quarters.
        assert_eq!(shared_set(32 << 20, Some(1 << 20), 16), Some(3 << 19));
        // One more does not fit.
        assert_eq!(shared_set(32 << 20, Some(1 << 20), 17), None);
        assert_eq!(shared_set(32 << 10, None, 2), Some(8 << 10));
    }

    #[test]
    fn a_level_that_was_not_measured_has_a_usual_stream() {
        let level = |fits| Level { fits, ..Level::default() };
        let (first, memory) = (level(Some(32 << 10)), level(None));
        let triad = |stream: Stream, bytes: usize| Spec::Stream { stream, bytes };
        assert_eq!(
            usual(&memory, Some(&first), "triad", 2),
            Some((triad(Stream::Triad(Store::NonTemporal), 4 << 20), CacheState::Cold))
        );
        assert_eq!(
            usual(&first, None, "read", 2),
            Some((triad(Stream::Read { streams: 4 }, 32 << 10), CacheState::Hot))
        );
        // Seventeen threads that share what holds twelve of them.
        let shared = Level { is_shared: true, ..level(Some(512 << 10)) };
        assert_eq!(usual(&shared, Some(&first), "read", 17), None);
    }

    #[test]
    fn the_quicker_of_two_moments_is_kept_and_none_takes_nothing_away() {
        let rate =
            |median: f64| Some(Rate { median, best: median, by: String::new(), clean: 9, origin: None });
        let mut known = None;
        for (found, kept) in [(2.0, 2.0), (1.0, 2.0), (3.0, 3.0)] {
            keep_quicker(&mut known, rate(found));
            assert_eq!(known, rate(kept));
        }
        keep_quicker(&mut known, None);
        assert_eq!(known, rate(3.0));
    }

    #[test]
    fn stores_past_the_caches_are_for_memory_alone() {
        let streams = |memory: bool| kinds(memory).into_iter().flat_map(|kind| kind.1).collect::<Vec<_>>();
        assert_eq!(streams(false).len(), 5);
        assert_eq!(streams(true).len(), 8);
        assert!(!streams(false).contains(&Stream::Copy(Store::NonTemporal)));
        assert!(streams(true).contains(&Stream::Copy(Store::NonTemporal)));
    }
}
