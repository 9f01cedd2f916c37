//! The core clock while it works.

use eaves_roofline::measured::{Measurement, Spec};

use crate::timing::core_clock;

/// Readings; each takes some 10 us.
const READINGS: usize = 400;

/// Readings before the first that counts: a core that was idle takes its time to speed up.
const WARM_UP: usize = 1000;

/// A reading higher than the middle one by more is an error of the clock it is read with, not a clock.
const PLAUSIBLE: f64 = 1.05;

/// The core clock, from many short chains of additions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Hertz: the highest that is plausible, since whatever else runs makes a reading lower.
    pub hertz: f64,
    /// The middle half of the readings is so wide, as a share of it.
    pub spread: f64,
    /// How many readings there were.
    pub readings: usize,
}

/// Measures it; `None` where it cannot be.
pub(super) fn measure() -> Option<Clock> {
    for _ in 0..WARM_UP {
        core_clock()?;
    }
    clock(&(0..READINGS).filter_map(|_| core_clock()).collect::<Vec<f64>>())
}

fn clock(readings: &[f64]) -> Option<Clock> {
    let mut sorted = readings.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: usize| sorted.get(sorted.len() * share / 4).copied();
    let (low, middle, high) = (at(1)?, at(2)?, at(3)?);
    let hertz = sorted.iter().rev().copied().find(|reading| *reading <= middle * PLAUSIBLE)?;
    Some(Clock { hertz, spread: (high - low) / hertz, readings: readings.len() })
}

/// The clock while all of this many threads multiply and add: that of the slowest of them, in the measurement that has the
/// highest. With one thread there is none but its own.
pub(super) fn of_all(measurements: &[Measurement], threads: usize) -> Option<f64> {
    let all = |measurement: &&Measurement| {
        threads > 1
            && measurement.conditions.threads == threads
            && matches!(measurement.spec, Spec::Fma { .. })
    };
    measurements.iter().filter(all).filter_map(|measurement| measurement.clock).max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_plausible_reading_is_the_clock() {
        // Half are interrupted, one is an error of the clock.
        let readings = [3.0, 3.69, 3.70, 3.68, 2.0, 3.69, 9.0, 3.69].map(|gigahertz| gigahertz * 1e9);
        let clock = clock(&readings).unwrap();
        assert_eq!((clock.hertz, clock.readings), (3.70e9, 8));
        assert!((clock.spread - (3.70 - 3.68) / 3.70).abs() < 1e-12, "{}", clock.spread);
        assert_eq!(super::clock(&[]), None);
    }
}
