//! One quantity in two runs: the means, their difference, and whether it is more than noise.

use super::noise;
use crate::section::Value;

/// A quantity of one run: a sum over ranks and steps, and what it is divided by to compare it with another run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Side {
    pub(super) total: i128,
    /// Never zero.
    pub(super) divisor: u64,
    /// The values of the steps, each a mean over the ranks; empty if not known.
    pub(super) samples: Vec<f64>,
}

impl Side {
    /// The mean, rounded to an integer.
    pub(super) fn value(&self) -> i64 {
        let divisor = i128::from(self.divisor.max(1));
        let half = if self.total < 0 { -divisor } else { divisor };
        saturated((2 * self.total + half) / (2 * divisor))
    }

    /// The mean as it is, for counts: an integer if it is one.
    pub(super) fn exact_value(&self) -> Value {
        let divisor = i128::from(self.divisor.max(1));
        if self.total % divisor == 0 {
            Value::Integer(saturated(self.total / divisor))
        } else {
            Value::Float(self.total as f64 / divisor as f64)
        }
    }

    fn add(&mut self, other: &Self) {
        self.total += other.total;
        for (mine, theirs) in self.samples.iter_mut().zip(&other.samples) {
            *mine += theirs;
        }
    }
}

fn saturated(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

/// What a change means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Takes less time.
    Faster,
    /// Takes more time.
    Slower,
    /// Fewer bytes or calls.
    Less,
    /// More bytes or calls.
    More,
    /// The difference is no larger than that between repeated steps.
    Noise,
    /// No difference at all.
    Unchanged,
    /// Only the new run has it.
    Added,
    /// Only the base has it.
    Removed,
    /// A step that is in no mean.
    LeftOut,
}

impl Verdict {
    /// The name in tables.
    pub fn id(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Less => "less",
            Self::More => "more",
            Self::Noise => "noise",
            Self::Unchanged => "unchanged",
            Self::Added => "added",
            Self::Removed => "removed",
            Self::LeftOut => "left_out",
        }
    }
}

/// A quantity in both runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Change {
    pub(super) base: Side,
    pub(super) new: Side,
    /// False if only the new run has such a thing.
    pub(super) in_base: bool,
    /// False if only the base has such a thing.
    pub(super) in_new: bool,
}

impl Change {
    /// A quantity that both runs have.
    pub(super) fn of(base: Side, new: Side) -> Self {
        Self { base, new, in_base: true, in_new: true }
    }

    /// The difference of the means as a fraction.
    pub(super) fn numerator(&self) -> i128 {
        let (base, new) = (i128::from(self.base.divisor), i128::from(self.new.divisor));
        self.new.total * base - self.base.total * new
    }

    /// The denominator of the same, equal for all changes between two runs.
    pub(super) fn denominator(&self) -> i128 {
        i128::from(self.base.divisor.max(1)) * i128::from(self.new.divisor.max(1))
    }

    /// The difference, rounded towards zero.
    pub(super) fn delta(&self) -> i64 {
        saturated(self.numerator() / self.denominator())
    }

    /// The difference in percent of the base.
    pub(super) fn percent(&self) -> Option<f64> {
        let base = self.base.total * i128::from(self.new.divisor);
        (base != 0).then(|| 100.0 * self.numerator() as f64 / base as f64)
    }

    /// How large a difference may be by chance; nothing if steps were not repeated.
    pub(super) fn band(&self) -> Option<f64> {
        noise::band_of_means(&self.base.samples, &self.new.samples)
    }

    /// The same in percent of the base.
    pub(super) fn band_percent(&self) -> Option<f64> {
        let base = self.base.total as f64 / self.base.divisor.max(1) as f64;
        (base != 0.0).then_some(100.0 * self.band()? / base.abs())
    }

    /// True if the difference may be chance.
    pub(super) fn is_noise(&self) -> bool {
        let delta = self.numerator() as f64 / self.denominator() as f64;
        self.band().is_some_and(|band| delta.abs() <= band)
    }

    /// What it means; `better` and `worse` are the words for less and more.
    pub(super) fn verdict(&self, better: Verdict, worse: Verdict) -> Verdict {
        match (self.in_base, self.in_new, self.numerator()) {
            (false, true, _) => Verdict::Added,
            (true, false, _) => Verdict::Removed,
            (.., 0) => Verdict::Unchanged,
            _ if self.is_noise() => Verdict::Noise,
            (.., numerator) if numerator < 0 => better,
            _ => worse,
        }
    }

    /// Takes in another quantity of the same runs.
    pub(super) fn add(&mut self, other: &Self) {
        self.base.add(&other.base);
        self.new.add(&other.new);
        self.in_base |= other.in_base;
        self.in_new |= other.in_new;
    }
}

/// Fractions with one denominator as integers that add up to their sum, which is rounded towards zero. Each is off by
/// less than one, none changes its sign, and the negative fractions give the negative integers.
///
/// The rest goes where rounding took most, as seats are given to parties (A. Hamilton's method).
pub(super) fn apportion(numerators: &[i128], denominator: i128) -> Vec<i64> {
    let denominator = denominator.max(1);
    let mut shares: Vec<i128> = numerators.iter().map(|numerator| numerator / denominator).collect();
    let total = numerators.iter().sum::<i128>() / denominator;
    let left = total - shares.iter().sum::<i128>();
    let mut order: Vec<usize> = (0..numerators.len()).collect();
    // The largest rest in the direction of what is left.
    order.sort_by_key(|&index| -(numerators[index] % denominator) * left.signum());
    for &index in order.iter().take(usize::try_from(left.unsigned_abs()).unwrap_or(usize::MAX)) {
        shares[index] += left.signum();
    }
    shares.into_iter().map(saturated).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn side(total: i128, divisor: u64, samples: &[f64]) -> Side {
        Side { total, divisor, samples: samples.to_vec() }
    }

    #[test]
    fn means_of_different_numbers_of_steps_are_compared() {
        let change = Change::of(side(300, 3, &[]), side(440, 4, &[]));
        assert_eq!((change.base.value(), change.new.value(), change.delta()), (100, 110, 10));
        assert_eq!((change.percent(), change.band()), (Some(10.0), None));
        assert_eq!(change.verdict(Verdict::Faster, Verdict::Slower), Verdict::Slower);
    }

    #[test]
    fn a_difference_inside_the_spread_of_the_steps_is_noise() {
        let base = side(300, 3, &[90.0, 100.0, 110.0]);
        let verdict = |new: Side| Change::of(base.clone(), new).verdict(Verdict::Faster, Verdict::Slower);
        assert_eq!(verdict(side(315, 3, &[95.0, 105.0, 115.0])), Verdict::Noise);
        assert_eq!(verdict(side(600, 3, &[190.0, 200.0, 210.0])), Verdict::Slower);
        assert_eq!(verdict(side(30, 3, &[9.0, 10.0, 11.0])), Verdict::Faster);
        assert_eq!(verdict(base.clone()), Verdict::Unchanged);
    }

    #[test]
    fn rounding_goes_where_it_took_most() {
        assert_eq!(apportion(&[5, 5, 4, 0], 10), [1, 0, 0, 0]);
        assert_eq!(apportion(&[-5, -5, -4, 0], 10), [-1, 0, 0, 0]);
        assert_eq!(apportion(&[-30, 5], 10), [-3, 1]);
        assert_eq!(apportion(&[20, -10], 10), [2, -1]);
        assert_eq!(apportion(&[], 10), Vec::<i64>::new());
    }

    proptest! {
        #[test]
        fn integers_add_up_to_the_sum_of_the_fractions(
            numerators in prop::collection::vec(-1_000i128..1_000, 0..40),
            denominator in 1i128..50,
        ) {
            let shares = apportion(&numerators, denominator);
            let sum: i128 = shares.iter().map(|&share| i128::from(share)).sum();
            prop_assert_eq!(sum, numerators.iter().sum::<i128>() / denominator);
            for (&numerator, &share) in numerators.iter().zip(&shares) {
                let off = numerator - i128::from(share) * denominator;
                prop_assert!(off.abs() < denominator);
                prop_assert!(numerator.signum() * i128::from(share.signum()) >= 0);
            }
            let negated: Vec<i128> = numerators.iter().map(|numerator| -numerator).collect();
            let opposite: Vec<i64> = shares.iter().map(|share| -share).collect();
            prop_assert_eq!(apportion(&negated, denominator), opposite);
        }
    }
}
