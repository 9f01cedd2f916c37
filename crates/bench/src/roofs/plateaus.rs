//! Levels of memory in a curve: the sizes up to which it is as quick as before.
//!
//! Larger sets are never faster to go through, so a point that is below one of a larger set was disturbed, and is taken to
//! be as quick as that one. What is left falls in steps. A step is the longest run of sizes whose rates agree within
//! [`FLAT`]; between steps are sizes of which a part still fits. Nothing is assumed of how many there are.

use std::ops::Range;

/// How quick it is to go through a set of this size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rung {
    /// Bytes of the set.
    pub bytes: usize,
    /// Bytes or accesses a second.
    pub rate: f64,
}

/// Sizes that are equally quick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plateau {
    /// The rate: that of the middle of its sizes.
    pub rate: f64,
    /// The largest size that has it.
    pub fits: usize,
    /// The smallest size that has it no more and was measured; `None` at the end.
    pub beyond: Option<usize>,
}

/// Rates of a level agree within this share.
const FLAT: f64 = 0.12;

/// Sizes that a level has at least, the largest of which is twice the smallest: fewer are a slope.
const SHORTEST: usize = 3;

/// A level is slower than the one before by this factor at least, or is the same.
const DROP: f64 = 1.25;

/// The levels in these rungs, smallest first. The last one is what the largest set comes from.
pub fn plateaus(rungs: &[Rung]) -> Vec<Plateau> {
    let mut rungs: Vec<Rung> = rungs.iter().copied().filter(|rung| rung.rate > 0.0).collect();
    rungs.sort_by_key(|rung| rung.bytes);
    let mut highest: f64 = 0.0;
    let mut is_own = vec![true; rungs.len()];
    for (rung, is_own) in rungs.iter_mut().zip(&mut is_own).rev() {
        highest = highest.max(rung.rate);
        *is_own = rung.rate >= highest * (1.0 - FLAT);
        rung.rate = highest;
    }
    let mut runs = Vec::new();
    longest(&rungs, &is_own, 0..rungs.len(), &mut runs);
    runs.sort_by_key(|run| run.start);
    // The largest set comes from somewhere, also where the curve has not become flat.
    if let Some(last) = rungs.len().checked_sub(1)
        && runs.last().is_none_or(|run| run.end <= last)
    {
        runs.push(last..last + 1);
    }
    let mut found: Vec<(Range<usize>, f64)> = Vec::new();
    for run in runs {
        let Some(rate) = middle(&rungs, &run) else { continue };
        match found.last_mut() {
            // Of two that are about as quick the longer one tells the rate, and both are one level.
            Some((before, known)) if *known < rate * DROP => {
                if run.len() > before.len() {
                    *known = rate;
                }
                *before = before.start..run.end;
            }
            _ => found.push((run, rate)),
        }
    }
    let bytes = |index: usize| rungs.get(index).map(|rung| rung.bytes);
    let plateau = |(run, rate): &(Range<usize>, f64)| {
        Some(Plateau { rate: *rate, fits: bytes(run.end.checked_sub(1)?)?, beyond: bytes(run.end) })
    };
    found.iter().filter_map(plateau).collect()
}

/// Finds the longest flat run in a range, then those on either side of it. A size whose rate is that of a larger one tells
/// nothing of its own, and does not count.
fn longest(rungs: &[Rung], is_own: &[bool], range: Range<usize>, runs: &mut Vec<Range<usize>>) {
    let length = |run: &Range<usize>| is_own.iter().take(run.end).skip(run.start).filter(|own| **own).count();
    let mut best = range.start..range.start;
    let mut end = range.start;
    for start in range.clone() {
        let Some(first) = rungs.get(start) else { return };
        while end < range.end && rungs.get(end).is_some_and(|rung| rung.rate >= first.rate * (1.0 - FLAT)) {
            end += 1;
        }
        if length(&(start..end)) > length(&best) {
            best = start..end;
        }
    }
    let bytes = |index: usize| rungs.get(index).map_or(0, |rung| rung.bytes);
    if length(&best) < SHORTEST || bytes(best.end.saturating_sub(1)) < 2 * bytes(best.start) {
        return;
    }
    // It may have begun on the slope above it, and then ends too early.
    if let Some(rate) = middle(rungs, &best) {
        let is_flat = |rung: &&Rung| rung.rate >= rate * (1.0 - FLAT);
        best.end += rungs.iter().take(range.end).skip(best.end).take_while(is_flat).count();
    }
    runs.push(best.clone());
    longest(rungs, is_own, range.start..best.start, runs);
    longest(rungs, is_own, best.end..range.end, runs);
}

fn middle(rungs: &[Rung], run: &Range<usize>) -> Option<f64> {
    rungs.get(run.start + run.len() / 2).map(|rung| rung.rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes from 4 KiB on, this many to a doubling.
    fn sizes(steps: u32, doublings: u32) -> Vec<usize> {
        (0..=steps * doublings)
            .map(|step| (4096.0 * 2_f64.powf(f64::from(step) / f64::from(steps))) as usize)
            .collect()
    }

    /// The rate of a machine with these levels: of a set that exceeds a level only a part is at the next one's rate, which
    /// over a doubling becomes all of it.
    fn rate(levels: &[(usize, f64)], memory: f64, bytes: usize) -> f64 {
        let mut time = 0.0;
        let mut rest = 1.0;
        for (size, rate) in levels {
            let excess = (bytes as f64 / *size as f64 - 1.0).clamp(0.0, 1.0);
            time += rest * (1.0 - excess) / rate;
            rest *= excess;
        }
        1.0 / (time + rest / memory)
    }

    fn curve(levels: &[(usize, f64)], memory: f64, noise: impl Fn(usize) -> f64) -> Vec<Rung> {
        let point =
            |(index, bytes): (usize, usize)| Rung { bytes, rate: rate(levels, memory, bytes) * noise(index) };
        sizes(3, 16).into_iter().enumerate().map(point).collect()
    }

    const ZEN: [(usize, f64); 3] = [(32 << 10, 235.0), (1 << 20, 105.0), (24 << 20, 60.0)];

    /// Sizes are found to the step below the true one, rates to the noise.
    fn assert_found(found: &[Plateau], levels: &[(usize, f64)], memory: f64, slack: f64) {
        assert_found_but(found, levels, memory, slack, |_| false);
    }

    /// The same where some sizes were disturbed: a level then reaches at least to its largest size that was not.
    fn assert_found_but(
        found: &[Plateau],
        levels: &[(usize, f64)],
        memory: f64,
        slack: f64,
        is_disturbed: impl Fn(usize) -> bool,
    ) {
        assert_eq!(found.len(), levels.len() + 1, "{found:?}");
        for (plateau, (size, rate)) in found.iter().zip(levels) {
            let sizes = sizes(3, 16);
            let mut good =
                sizes.iter().enumerate().filter(|(index, bytes)| **bytes <= *size && !is_disturbed(*index));
            let least = *good.next_back().unwrap().1;
            assert!(
                plateau.fits >= least && plateau.fits as f64 <= 1.26 * *size as f64,
                "{plateau:?} for {size}"
            );
            assert!((plateau.rate / rate - 1.0).abs() <= slack, "{plateau:?} for {rate}");
            assert!(plateau.beyond.is_some_and(|beyond| beyond > plateau.fits));
        }
        let last = found.last().unwrap();
        assert!((last.rate / memory - 1.0).abs() <= slack && last.beyond.is_none(), "{last:?}");
    }

    #[test]
    fn levels_of_a_clean_curve_are_found() {
        assert_found(&plateaus(&curve(&ZEN, 20.0, |_| 1.0)), &ZEN, 20.0, 0.02);
    }

    #[test]
    fn any_number_of_levels_is_found() {
        let two = [(48 << 10, 400.0), (2 << 20, 100.0)];
        assert_found(&plateaus(&curve(&two, 15.0, |_| 1.0)), &two, 15.0, 0.02);
        let one = [(64 << 10, 64.0)];
        assert_found(&plateaus(&curve(&one, 8.0, |_| 1.0)), &one, 8.0, 0.02);
        assert_found(&plateaus(&curve(&[], 10.0, |_| 1.0)), &[], 10.0, 0.02);
        let four = [(32 << 10, 200.0), (256 << 10, 100.0), (4 << 20, 50.0), (48 << 20, 25.0)];
        assert_found(&plateaus(&curve(&four, 8.0, |_| 1.0)), &four, 8.0, 0.02);
    }

    /// Every point is up to 4 % off, and every fifth is disturbed to as little as a third.
    #[test]
    fn noise_and_dips_make_no_levels() {
        for seed in 0..50 {
            let mut random = fastrand::Rng::with_seed(seed);
            let factors: Vec<f64> = (0..60)
                .map(|_| {
                    let dip = if random.u8(..5) == 0 { 0.33 + 0.6 * random.f64() } else { 1.0 };
                    dip * (0.96 + 0.04 * random.f64())
                })
                .collect();
            let mut rungs = curve(&ZEN, 20.0, |index| factors[index]);
            // What memory itself gives is the end of the curve, where nothing behind it says that it was disturbed.
            let last = rungs.len() - 1;
            rungs[last].rate = 19.5;
            assert_found_but(&plateaus(&rungs), &ZEN, 20.0, 0.06, |index| factors[index] < 0.96);
        }
    }

    /// Levels that are equally quick are one.
    #[test]
    fn what_cannot_be_told_apart_is_one_level() {
        let alike = [(32 << 10, 235.0), (1 << 20, 105.0), (24 << 20, 98.0)];
        let merged = [(32 << 10, 235.0), (24 << 20, 100.0)];
        assert_found(&plateaus(&curve(&alike, 20.0, |_| 1.0)), &merged, 20.0, 0.06);
    }

    /// A curve that falls all the way has no level but the last.
    #[test]
    fn a_slope_is_no_level() {
        let rungs: Vec<Rung> = sizes(2, 8)
            .into_iter()
            .enumerate()
            .map(|(index, bytes)| Rung { bytes, rate: 100.0 * 0.8_f64.powi(index as i32) })
            .collect();
        let found = plateaus(&rungs);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].fits, rungs.last().unwrap().bytes);
    }

    #[test]
    fn few_points_and_none_are_no_trouble() {
        assert_eq!(plateaus(&[]), []);
        assert_eq!(plateaus(&[Rung { bytes: 4096, rate: f64::NAN }]), []);
        let one = plateaus(&[Rung { bytes: 4096, rate: 1.0 }]);
        assert_eq!(one, [Plateau { rate: 1.0, fits: 4096, beyond: None }]);
    }
}
