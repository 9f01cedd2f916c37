//! Round times along an axis.

use eaves_model::{Interval, Ns};

/// Where marks stand, and what is written at them.
pub(crate) fn marks(window: Interval, most: usize) -> Vec<(Ns, String)> {
    let step = step(window.length(), most);
    let first = window.start.0.div_euclid(step) + i64::from(window.start.0.rem_euclid(step) != 0);
    (0..=most as i64 + 1)
        .filter_map(|index| first.checked_add(index)?.checked_mul(step))
        .take_while(|&time| time <= window.end.0)
        .map(|time| (Ns(time), label(time, step)))
        .collect()
}

/// The smallest of 1, 2, 5, 10, 20, ... that gives at most this many marks.
fn step(length: Ns, most: usize) -> i64 {
    let least = length.0 / most.max(1) as i64;
    let mut power: i64 = 1;
    loop {
        for factor in [1, 2, 5] {
            match power.checked_mul(factor) {
                Some(step) if step > least => return step,
                Some(_) => {}
                None => return i64::MAX,
            }
        }
        power = power.saturating_mul(10);
    }
}

/// A time in the unit of the step, with as many decimals as the step has.
fn label(time: i64, step: i64) -> String {
    if time == 0 {
        return "0".to_owned();
    }
    let units = [("ns", 1), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
    // The largest unit in which the time is not less than one.
    let size = time.saturating_abs();
    let (unit, divisor) = units.into_iter().rfind(|&(_, divisor)| size >= divisor).unwrap_or(units[0]);
    let mut decimals = 0;
    let mut rest = divisor;
    while rest > 1 && step % rest != 0 {
        rest /= 10;
        decimals += 1;
    }
    // Exact: the digits behind the point are those of the remainder.
    let (whole, fraction) = (time / divisor, time.saturating_abs() % divisor / rest.max(1));
    if decimals == 0 { format!("{whole} {unit}") } else { format!("{whole}.{fraction:0decimals$} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(start: i64, end: i64, most: usize) -> Vec<String> {
        marks(Interval::new(Ns(start), Ns(end)), most).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn marks_are_round() {
        assert_eq!(labels(0, 65_320_000, 5), ["0", "20 ms", "40 ms", "60 ms"]);
        assert_eq!(labels(1_400_000, 1_900_000, 4), ["1.4 ms", "1.6 ms", "1.8 ms"]);
        assert_eq!(labels(999_990, 1_000_021, 4), ["999.99 µs", "1.00000 ms", "1.00001 ms", "1.00002 ms"]);
        assert_eq!(labels(0, 3, 10), ["0", "1 ns", "2 ns", "3 ns"]);
        assert_eq!(labels(5, 5, 10), ["5 ns"]);
        assert!(labels(0, i64::MAX, 8).len() <= 9);
        assert!(labels(i64::MIN, i64::MAX, 8).len() <= 10);
    }
}
