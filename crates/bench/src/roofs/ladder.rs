//! Sets of growing size.

use std::time::Duration;

use eaves_roofline::measured::{CacheState, Spec, Stream};

use super::chase::{Chase, STEPS};
use super::session::Session;
use super::{Effort, Level, Rung, plateaus};
use crate::timing::Protocol;

/// The smallest set, and how many doublings of it the largest is: 256 MiB.
const SMALLEST: usize = 4096;
const DOUBLINGS: u32 = 16;

/// A cache is at least this many times the one before it. Those of processors of the last decade are eight times and more.
const CACHE_TO_CACHE: usize = 8;

/// The sets that are gone through.
fn sizes(effort: Effort) -> Vec<usize> {
    let steps = match effort {
        Effort::Quick => 2,
        Effort::Default => 3,
        Effort::Thorough => 4,
    };
    let size = |step: u32| {
        let bytes = SMALLEST as f64 * 2_f64.powf(f64::from(step) / f64::from(steps));
        // Whole blocks of lines.
        (bytes as usize).next_multiple_of(1024)
    };
    let mut sizes: Vec<usize> = (0..=steps * DOUBLINGS).map(size).collect();
    sizes.dedup();
    sizes
}

/// Dependent accesses and bytes a second, by size. Gone up again if there is time: the better of two counts, since whatever
/// else runs makes them slower.
pub(super) fn climb(session: &mut Session<'_>) -> (Vec<Rung>, Vec<Rung>) {
    let sizes = sizes(session.effort);
    let empty = || sizes.iter().map(|bytes| Rung { bytes: *bytes, rate: 0.0 }).collect::<Vec<Rung>>();
    let (mut accesses, mut bandwidths) = (empty(), empty());
    session.stage(0.3);
    once(session, &mut accesses, &mut bandwidths);
    session.stage(0.15);
    if session.has_time() {
        session.stage(0.3);
        once(session, &mut accesses, &mut bandwidths);
    }
    for rungs in [&mut accesses, &mut bandwidths] {
        rungs.retain(|rung| rung.rate > 0.0);
    }
    (accesses, bandwidths)
}

fn once(session: &mut Session<'_>, accesses: &mut [Rung], bandwidths: &mut [Rung]) {
    let (protocol, instructions) = (session.protocol(), session.instructions());
    // Lines are in the caches when the way through them is made, and others take them away with every millisecond.
    let at_once = Protocol { warm_up: Duration::ZERO, sample: Duration::from_micros(200), ..protocol };
    for (access, bandwidth) in accesses.iter_mut().zip(bandwidths) {
        let bytes = access.bytes;
        session.say(&format!("levels of memory: {} KiB", bytes >> 10));
        if let Some(mut chase) = Chase::new(bytes)
            && let Some(time) = session.time(&mut chase, &at_once).and_then(|measured| measured.time)
        {
            access.rate = access.rate.max(STEPS as f64 / time.min);
        }
        let spec = Spec::Stream { stream: Stream::Read { streams: 1 }, bytes };
        if let Some(measured) = session.run(spec, 1, CacheState::Hot, instructions, protocol)
            && let Some(rate) = measured.bytes_per_second(true)
        {
            bandwidth.rate = bandwidth.rate.max(rate);
        }
    }
}

/// The levels in both ladders: caches by their number, the last one is main memory.
///
/// Dependent accesses distinguish caches that streams go through equally quickly. But they take so long to come back to a line
/// that others use up a large shared cache meanwhile, on a machine that does other things too; streams come back in time, and
/// tell of the caches beyond those that accesses tell of.
pub(super) fn levels(accesses: &[Rung], bandwidths: &[Rung]) -> Vec<Level> {
    let caches = |rungs: &[Rung]| {
        let mut found = plateaus(rungs);
        // The last one is not a cache.
        found.pop();
        found.into_iter().map(|cache| (cache.fits, cache.beyond)).collect::<Vec<_>>()
    };
    let mut found = caches(accesses);
    let known = found.last().map_or(0, |(fits, _)| *fits);
    for (fits, beyond) in caches(bandwidths).into_iter().filter(|(fits, _)| *fits > known) {
        if fits < CACHE_TO_CACHE * known {
            // The same, of which accesses keep a part.
            found.pop();
        }
        found.push((fits, beyond));
    }
    let mut levels = Vec::new();
    let mut before = None;
    for (index, (fits, beyond)) in found.into_iter().enumerate() {
        levels.push(Level {
            id: format!("l{}", index + 1),
            name: format!("L{}", index + 1),
            fits: Some(fits),
            beyond,
            latency: latency(accesses, super::levels::set(fits, before)),
            ..Level::default()
        });
        before = Some(fits);
    }
    if let Some(last) = accesses.last().or(bandwidths.last()) {
        let latency = latency(accesses, last.bytes);
        levels.push(Level { id: "hbm".to_owned(), name: "DRAM".to_owned(), latency, ..Level::default() });
    }
    levels
}

/// Seconds of an access to a set of about this size.
fn latency(accesses: &[Rung], bytes: usize) -> Option<f64> {
    let nearest = accesses.iter().min_by_key(|rung| rung.bytes.abs_diff(bytes))?;
    Some(1.0 / nearest.rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_from_four_kibibytes_to_a_quarter_of_a_gibibyte() {
        for (effort, least) in [(Effort::Quick, 30), (Effort::Default, 45), (Effort::Thorough, 60)] {
            let sizes = sizes(effort);
            assert!(sizes.is_sorted() && sizes.len() >= least, "{}", sizes.len());
            assert_eq!((sizes.first(), sizes.last()), (Some(&4096), Some(&(256 << 20))));
        }
    }

    #[test]
    fn levels_are_numbered_and_the_last_is_memory() {
        let rate = |bytes: usize| match bytes >> 10 {
            0..=32 => 800e6,
            33..=1024 => 250e6,
            _ => 10e6,
        };
        let rungs: Vec<Rung> =
            sizes(Effort::Quick).into_iter().map(|bytes| Rung { bytes, rate: rate(bytes) }).collect();
        let levels = levels(&rungs, &[]);
        let ids: Vec<&str> = levels.iter().map(|level| level.id.as_str()).collect();
        assert_eq!(ids, ["l1", "l2", "hbm"]);
        assert_eq!([levels[0].fits, levels[1].fits, levels[2].fits], [Some(32 << 10), Some(1 << 20), None]);
        assert_eq!((levels[2].name.as_str(), levels[2].beyond), ("DRAM", None));
        assert!((levels[1].latency.unwrap() - 4e-9).abs() < 1e-15);
    }

    fn curve(rates: &[(usize, f64)], last: f64) -> Vec<Rung> {
        let rate =
            |bytes: usize| rates.iter().find(|(size, _)| bytes <= *size).map_or(last, |(_, rate)| *rate);
        sizes(Effort::Default).into_iter().map(|bytes| Rung { bytes, rate: rate(bytes) }).collect()
    }

    /// Accesses know the second cache, which streams cannot tell from the third; streams know the third, which accesses
    /// cannot keep.
    #[test]
    fn caches_are_those_of_either_ladder() {
        let accesses = curve(&[(32 << 10, 615e6), (1 << 20, 230e6)], 9e6);
        let bandwidths = curve(&[(32 << 10, 222e9), (1 << 20, 118e9), (16 << 20, 99e9)], 30e9);
        let sizes = |levels: &[Level]| levels.iter().map(|level| level.fits).collect::<Vec<_>>();
        let expected = [Some(32 << 10), Some(1 << 20), Some(16 << 20), None];
        assert_eq!(sizes(&levels(&accesses, &bandwidths)), expected);
        // A part of the third that accesses keep is still the third.
        let part = curve(&[(32 << 10, 615e6), (1 << 20, 230e6), (4 << 20, 80e6)], 9e6);
        assert_eq!(sizes(&levels(&part, &bandwidths)), expected);
        // Accesses that know all of them are not told twice.
        let all = curve(&[(32 << 10, 615e6), (1 << 20, 230e6), (16 << 20, 60e6)], 9e6);
        assert_eq!(sizes(&levels(&all, &bandwidths)), expected);
        assert_eq!(sizes(&levels(&[], &bandwidths)), [Some(32 << 10), Some(16 << 20), None]);
        assert_eq!(levels(&[], &[]), []);
    }
}
