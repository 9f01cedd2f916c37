//! Count, mean, spread and quartiles of numbers, as data frames describe a column.

use eaves_model::Ns;
use serde::{Deserialize, Serialize};

use crate::{Statistics, Value};

/// Numbers described. Quartiles are interpolated between neighbors, as pandas and NumPy do by default (method 7 of
/// Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996).
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Description {
    count: u64,
    mean: f64,
    standard_deviation: Option<f64>,
    min: i64,
    quartiles: [f64; 3],
    max: i64,
}

impl Description {
    /// Describes numbers, whose order it changes; nothing if there are none.
    pub fn of(values: &mut [i64]) -> Option<Self> {
        let mut statistics = Statistics::default();
        // Any integers: the sums do not care that these are not durations.
        values.iter().for_each(|&value| statistics.add(Ns(value)));
        Some(Self {
            count: statistics.count(),
            mean: statistics.mean()?,
            standard_deviation: statistics.standard_deviation(),
            min: statistics.min()?.0,
            quartiles: [quantile(values, 1, 4)?, quantile(values, 1, 2)?, quantile(values, 3, 4)?],
            max: statistics.max()?.0,
        })
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The median.
    pub fn median(&self) -> f64 {
        self.quartiles[1]
    }

    /// The largest.
    pub fn max(&self) -> i64 {
        self.max
    }

    /// Count, mean, standard deviation, minimum, quartiles and maximum, the last seven of integers.
    pub fn values(&self) -> [Value; 8] {
        let mut values = self.scaled(1.0);
        values[3] = Value::Integer(self.min);
        values[7] = Value::Integer(self.max);
        values
    }

    /// The same in a unit that is `factor` times smaller.
    pub fn scaled(&self, factor: f64) -> [Value; 8] {
        let float = |value: f64| Value::float(value * factor, "too large");
        let [first, median, third] = self.quartiles.map(float);
        [
            self.count.into(),
            float(self.mean),
            self.standard_deviation.map_or(Value::Missing("one value only"), float),
            float(self.min as f64),
            first,
            median,
            third,
            float(self.max as f64),
        ]
    }

    /// The cells of a description that is not there.
    pub fn none(reason: &'static str) -> [Value; 8] {
        let missing = || Value::Missing(reason);
        [Value::Integer(0), missing(), missing(), missing(), missing(), missing(), missing(), missing()]
    }
}

/// The number below which a part of the numbers lies. Selects instead of sorting: linear in their number.
fn quantile(values: &mut [i64], part: usize, of: usize) -> Option<f64> {
    let steps = values.len().checked_sub(1)?.checked_mul(part)?;
    let (place, rest) = (steps / of, steps % of);
    let (_, &mut low, above) = values.select_nth_unstable(place);
    let low = low as f64;
    let high = above.iter().min().map_or(low, |&high| high as f64);
    Some(low + (high - low) * (rest as f64 / of as f64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_sample_by_hand() {
        // Quartiles at places 0.75, 1.5 and 2.25 of 1, 2, 4, 8.
        let description = Description::of(&mut [8, 1, 4, 2]).unwrap();
        assert_eq!(description.quartiles, [1.75, 3.0, 5.0]);
        let [count, mean, _, min, .., max] = description.values();
        let expected = [Value::Integer(4), Value::Float(3.75), Value::Integer(1), Value::Integer(8)];
        assert_eq!([count, mean, min, max], expected);
        assert_eq!(description.scaled(0.5)[7], Value::Float(4.0));
        assert_eq!(Description::of(&mut [7]).unwrap().values()[2], Value::Missing("one value only"));
        assert_eq!(Description::of(&mut []), None);
    }

    proptest! {
        /// Twin: the formula on sorted numbers.
        #[test]
        fn quartiles_agree_with_sorted_numbers(mut values in prop::collection::vec(-50i64..50, 1..40)) {
            let description = Description::of(&mut values).unwrap();
            values.sort_unstable();
            for (quartile, part) in description.quartiles.iter().zip([0.25, 0.5, 0.75]) {
                let place = part * (values.len() - 1) as f64;
                let (low, high) = (values[place.floor() as usize], values[place.ceil() as usize]);
                let expected = low as f64 + (high - low) as f64 * place.fract();
                prop_assert!((quartile - expected).abs() < 1e-9);
            }
            prop_assert_eq!((description.min, description.max), (values[0], values[values.len() - 1]));
        }
    }
}
