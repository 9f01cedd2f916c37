//! What samples come to.
//!
//! A call that is timed in pieces takes the sum of its pieces, so that each can be shorter than a timeslice and a dirty one
//! costs one piece, not the call. The estimate of each piece is made of clean samples alone; nothing else is rejected.

use super::Sample;

/// Clean samples that each piece needs before there is a number.
pub const LEAST_CLEAN: usize = 5;

/// The share of clean samples at which times are read that are compared with each other, those of roofs and those of kernels:
/// what others do on a shared machine slows both, at times for more than half of the samples.
pub const ESTIMATE: f64 = 0.25;

/// Between these shares lie the samples that say how sure a roof is.
pub const SPREAD: (f64, f64) = (0.1, 0.9);

/// Resamplings of the interval: its ends are then good to about a tenth of its width.
const RESAMPLINGS: usize = 400;

/// Seconds of one call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The fastest: what the hardware can do.
    pub min: f64,
    /// The median: what to hold against a prediction.
    pub median: f64,
    /// Lower end of the 95 % interval of the median, by bootstrap.
    pub low: f64,
    /// Upper end of the 95 % interval of the median, by bootstrap.
    pub high: f64,
    /// Median absolute deviation from the median.
    pub mad: f64,
    /// Clean samples of the piece that has the fewest.
    pub clean: usize,
    /// All samples.
    pub samples: usize,
}

/// What the clean ones of these samples come to; `None` if a piece has fewer than [`LEAST_CLEAN`].
pub fn summary(samples: &[Sample], pieces: usize) -> Option<Summary> {
    let mut clean: Vec<Vec<f64>> = vec![Vec::new(); pieces.max(1)];
    for sample in samples.iter().filter(|sample| sample.is_clean()) {
        clean.get_mut(sample.piece as usize)?.push(sample.seconds());
    }
    let fewest = clean.iter().map(Vec::len).min()?;
    if fewest < LEAST_CLEAN {
        return None;
    }
    for piece in &mut clean {
        piece.sort_by(f64::total_cmp);
    }
    let medians: Vec<f64> = clean.iter().map(|piece| middle(piece)).collect();
    let mad = clean.iter().zip(&medians).map(|(piece, median)| {
        let mut away: Vec<f64> = piece.iter().map(|seconds| (seconds - median).abs()).collect();
        away.sort_by(f64::total_cmp);
        middle(&away)
    });
    let (low, high) = interval(&clean);
    Some(Summary {
        min: clean.iter().filter_map(|piece| piece.first()).sum(),
        median: medians.iter().sum(),
        low,
        high,
        mad: mad.sum(),
        clean: fewest,
        samples: samples.len(),
    })
}

/// Seconds of a call that this share of the clean samples does not exceed, summed over pieces; `None` if a piece has fewer
/// than [`LEAST_CLEAN`]. What roofs and what is compared with them are both read at the same share: what others do on a shared
/// machine slows both, and is seen by neither.
pub fn quantile(samples: &[Sample], share: f64) -> Option<f64> {
    let pieces = samples.iter().map(|sample| sample.piece as usize + 1).max()?;
    let mut clean: Vec<Vec<f64>> = vec![Vec::new(); pieces];
    for sample in samples.iter().filter(|sample| sample.is_clean()) {
        clean.get_mut(sample.piece as usize)?.push(sample.seconds());
    }
    clean
        .iter_mut()
        .map(|piece| {
            piece.sort_by(f64::total_cmp);
            let enough = piece.len() >= LEAST_CLEAN;
            enough.then(|| between(piece, share)).flatten()
        })
        .sum()
}

/// The quantile of sorted numbers, on straight lines between them (type 7 of Hyndman and Fan, 1996).
fn between(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share.clamp(0.0, 1.0) * sorted.len().checked_sub(1)? as f64;
    let below = *sorted.get(place as usize)?;
    let above = sorted.get(place as usize + 1).copied().unwrap_or(below);
    Some(below + place.fract() * (above - below))
}

/// The median of sorted numbers; of an even count the mean of the two in the middle.
fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match (sorted.get(half), sorted.len() % 2, half.checked_sub(1).and_then(|below| sorted.get(below))) {
        (Some(upper), 0, Some(lower)) => f64::midpoint(*lower, *upper),
        (Some(one), _, _) => *one,
        (None, _, _) => f64::NAN,
    }
}

/// The interval that holds 95 % of the sums of medians of resampled pieces. Samples are sorted, so that the median of a
/// resampling is that of the indices drawn.
fn interval(pieces: &[Vec<f64>]) -> (f64, f64) {
    // The same samples always give the same interval.
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut draw = move |below: usize| {
        // xorshift64*, Vigna 2016: more than random enough to resample by.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let random = state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        ((random * below as u64) >> 32) as usize
    };
    let mut drawn = Vec::new();
    let mut sums: Vec<f64> = (0..RESAMPLINGS)
        .map(|_| {
            let resampled = pieces.iter().map(|piece| {
                drawn.clear();
                drawn.extend(piece.iter().map(|_| piece.get(draw(piece.len())).copied().unwrap_or(f64::NAN)));
                drawn.sort_unstable_by(f64::total_cmp);
                middle(&drawn)
            });
            resampled.sum()
        })
        .collect();
    sums.sort_unstable_by(f64::total_cmp);
    let cut = RESAMPLINGS / 40;
    let end = |index: usize| sums.get(index).copied().unwrap_or(f64::NAN);
    (end(cut), end(RESAMPLINGS - 1 - cut))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::Contamination;

    fn sample(piece: u32, calls: u32, wall_ns: u64) -> Sample {
        Sample { piece, calls, wall_ns, ..Sample::default() }
    }

    /// Two pieces by hand: medians 3 and 20, deviations {2,1,0,1,2} and {10,5,0,5,10}.
    #[test]
    fn pieces_are_summed() {
        let mut samples: Vec<Sample> = (1..=5).map(|time| sample(0, 1, time)).collect();
        samples.extend([10, 15, 20, 25, 30].map(|time| sample(1, 2, 2 * time)));
        let summary = summary(&samples, 2).unwrap();
        let near = |got: f64, nanoseconds: f64| assert!((got * 1e9 - nanoseconds).abs() < 1e-9, "{got}");
        near(summary.min, 11.0);
        near(summary.median, 23.0);
        near(summary.mad, 6.0);
        assert!(summary.low <= summary.median && summary.median <= summary.high);
        assert_eq!((summary.clean, summary.samples), (5, 10));
    }

    /// By hand, and with what numpy says of [1, 2, 4, 8, 16]: the quarter is 2, a tenth 1.4, nine tenths 12.8.
    #[test]
    fn quantiles_lie_between_samples_and_are_summed_over_pieces() {
        let mut samples: Vec<Sample> = [16, 1, 8, 2, 4].map(|time| sample(0, 1, time)).to_vec();
        let near = |samples: &[Sample], share: f64, nanoseconds: f64| {
            let got = quantile(samples, share).unwrap() * 1e9;
            assert!((got - nanoseconds).abs() < 1e-9, "{got} {nanoseconds}");
        };
        for (share, nanoseconds) in
            [(0.0, 1.0), (0.1, 1.4), (0.25, 2.0), (0.5, 4.0), (0.9, 12.8), (1.0, 16.0)]
        {
            near(&samples, share, nanoseconds);
        }
        samples.extend([10, 20, 30, 40, 50].map(|time| sample(1, 2, time)));
        near(&samples, 0.25, 2.0 + 10.0);
        samples.pop();
        assert_eq!(quantile(&samples, 0.25), None);
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn dirty_samples_do_not_count() {
        let mut samples: Vec<Sample> = (0..5).map(|_| sample(0, 1, 100)).collect();
        samples.push(Sample { contamination: Some(Contamination::Switched), ..sample(0, 1, 1) });
        assert!((summary(&samples, 1).unwrap().min - 100e-9).abs() < 1e-18);
        samples.remove(0);
        assert_eq!(summary(&samples, 1), None);
    }

    /// Of 101 samples 0..=100 the exact order-statistics interval of the median is about [40, 60].
    #[test]
    fn the_interval_is_that_of_order_statistics() {
        let samples: Vec<Sample> = (0..=100).map(|time| sample(0, 1, 1000 + time)).collect();
        let summary = summary(&samples, 1).unwrap();
        let (low, high) = (summary.low * 1e9 - 1000.0, summary.high * 1e9 - 1000.0);
        assert!((36.0..=44.0).contains(&low), "{low}");
        assert!((56.0..=64.0).contains(&high), "{high}");
    }
}
