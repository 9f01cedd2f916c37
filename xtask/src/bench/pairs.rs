//! Two things that were measured in pairs, and how sure their ratio is.

use crate::simulate::random::Random;

/// How often pairs are drawn again for an interval, and the share of ratios outside of it on either side.
const RESAMPLES: usize = 4000;
const TAIL: f64 = 0.025;

/// How many times the first the second is: by their medians, and where that lies with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) of_medians: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The ratio of pairs (first, second), none of which is zero; not known of none.
///
/// The interval is of percentiles over pairs drawn with replacement (Efron, "Bootstrap methods", 1979). Pairs are drawn whole,
/// for the two runs of a pair share what disturbed them. The seed is fixed: the same pairs give the same interval.
pub(super) fn ratio(pairs: &[(f64, f64)]) -> Option<Ratio> {
    let of_medians = of_medians(pairs)?;
    let mut random = Random::new(0);
    let mut drawn = Vec::with_capacity(pairs.len());
    let mut ratios = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        drawn.clear();
        drawn.extend(pairs.iter().map(|_| pairs[random.between(0, pairs.len() as u64 - 1) as usize]));
        ratios.extend(self::of_medians(&drawn));
    }
    ratios.sort_by(f64::total_cmp);
    Some(Ratio { of_medians, low: quantile(&ratios, TAIL)?, high: quantile(&ratios, 1.0 - TAIL)? })
}

fn of_medians(pairs: &[(f64, f64)]) -> Option<f64> {
    let middle = |side: fn(&(f64, f64)) -> f64| median(pairs.iter().map(side));
    Some(middle(|pair| pair.1)? / middle(|pair| pair.0)?)
}

/// The median; of an even count, half-way between the two in the middle.
pub(super) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

/// Type 7 of Hyndman and Fan ("Sample quantiles in statistical packages", 1996), the usual one.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let position = share * sorted.len().checked_sub(1)? as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    Some(sorted[below] + (sorted[above] - sorted[below]) * (position - below as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_lie_half_way_where_the_count_is_even() {
        assert_eq!(median([4.0, 1.0, 3.0].into_iter()), Some(3.0));
        assert_eq!(median([4.0, 1.0, 3.0, 2.0].into_iter()), Some(2.5));
        assert_eq!(median(std::iter::empty()), None);
        assert_eq!(ratio(&[]), None);
    }

    #[test]
    fn pairs_that_all_have_one_ratio_leave_no_doubt() {
        let pairs = [1.0, 2.0, 4.0].map(|first| (first, 1.5 * first));
        assert_eq!(ratio(&pairs), Some(Ratio { of_medians: 1.5, low: 1.5, high: 1.5 }));
    }

    /// Of three pairs there are 27 ways to draw three. Every interval is between two of their ratios, and those outside of
    /// it are as many as the level says.
    #[test]
    fn the_interval_is_that_of_every_way_to_draw() {
        let pairs = [(1.0, 1.02), (1.1, 1.0), (0.9, 1.2)];
        let mut all = Vec::new();
        for draw in 0..27_usize {
            let drawn = [draw % 3, draw / 3 % 3, draw / 9].map(|index| pairs[index]);
            all.extend(of_medians(&drawn));
        }
        all.sort_by(f64::total_cmp);
        let found = ratio(&pairs).unwrap();
        // By hand: the medians are 1.0 and 1.02.
        assert!((found.of_medians - 1.02).abs() < 1e-12);
        // 2.5 % of 27 are less than one, so the ends are the least and the most of all: three times the worst pair.
        assert_eq!((found.low, found.high), (all[0], all[26]));
        assert!((found.low - 1.0 / 1.1).abs() < 1e-12 && (found.high - 1.2 / 0.9).abs() < 1e-12);
    }
}
