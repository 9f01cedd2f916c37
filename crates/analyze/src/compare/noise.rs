//! How large a difference between two runs may be by chance, judged by their repeated steps.
//!
//! The steps of a run are a sample of what the program does over and over. The difference of two means is noise if it
//! lies within the 99 % confidence interval around zero of Welch's test, which lets both runs have their own spread and
//! their own number of steps. 99 % and not 95 %, because hundreds of rows are judged at once.
//!
//! Two sorts of steps would make that interval far too wide:
//!
//! - The first step of a recording. The queue of the device is still empty, or caches are. If it lies far from the steps
//!   after it ([`is_first_atypical`]), it is not a sample of them, and no mean or interval contains it.
//! - A single step somewhere else, as one in which garbage was collected. The program did that, so it stays in all
//!   means. But if the other steps alone show the same change more clearly, their interval decides ([`band_of_means`]).
//!
//! B. L. Welch, *The generalization of "Student's" problem when several different population variances are
//! involved*, Biometrika 34 (1947); degrees of freedom by F. E. Satterthwaite, Biometrics Bulletin 2 (1946).

/// What lies outside the interval on both sides together.
const OUTSIDE: f64 = 0.01;

/// What is far from the median is so by this many robust standard deviations, ...
const FAR_DEVIATIONS: f64 = 5.0;

/// ... and by this share of the median, since a few steps may agree by chance.
const FAR_SHARE: f64 = 0.1;

/// The median of the distances to the median of normal values is a standard deviation divided by this.
const DEVIATIONS_PER_MAD: f64 = 1.4826;

/// The first step is judged by this many others at least: the median of fewer is not a robust measure.
const STEPS_AFTER_FIRST: usize = 3;

/// Another step is judged by this many others at least. With fewer, leaving out the farthest of equal steps would call
/// their differences change noticeably more often than once in a hundred.
const STEPS_BESIDE_OUTLIER: usize = 6;

/// True if the first of a run's steps lies far from the rest.
pub(super) fn is_first_atypical(steps: &[f64]) -> bool {
    matches!(steps, [first, rest @ ..] if rest.len() >= STEPS_AFTER_FIRST && is_far(*first, rest))
}

/// True if a value lies outside the spread of the others.
fn is_far(value: f64, others: &[f64]) -> bool {
    let median = median(others.to_vec());
    let deviation = self::median(others.iter().map(|other| (other - median).abs()).collect());
    let distance = (value - median).abs();
    distance > FAR_DEVIATIONS * DEVIATIONS_PER_MAD * deviation && distance > FAR_SHARE * median.abs()
}

/// The middle value, or the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.get(half) {
        None => f64::NAN,
        Some(&upper) if values.len() % 2 == 1 => upper,
        Some(&upper) => (values[half - 1] + upper) / 2.0,
    }
}

/// The steps without the farthest one, if that lies outside the spread of the others.
fn without_outlier(steps: &[f64]) -> Option<Vec<f64>> {
    if steps.len() <= STEPS_BESIDE_OUTLIER {
        return None;
    }
    let median = median(steps.to_vec());
    let distance = |index: usize| (steps[index] - median).abs();
    let farthest = (0..steps.len()).max_by(|&a, &b| distance(a).total_cmp(&distance(b)))?;
    let mut others = steps.to_vec();
    let value = others.remove(farthest);
    is_far(value, &others).then_some(others)
}

/// Size, mean and variance of a sample.
#[derive(Clone, Copy, Debug)]
struct Sample {
    count: f64,
    mean: f64,
    variance: f64,
}

impl Sample {
    /// Two values at least: one has no spread.
    fn of(values: &[f64]) -> Option<Self> {
        if values.len() < 2 {
            return None;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Some(Self { count, mean, variance })
    }
}

/// Half the width of the interval for the difference of the means of two samples.
///
/// It is that of all steps, unless one run has a single step that lies far from its others, and the means of all and those
/// of the others alone both differ, in the same direction, by more than the interval of the others.
pub(super) fn band_of_means(base: &[f64], new: &[f64]) -> Option<f64> {
    let all = [Sample::of(base)?, Sample::of(new)?];
    let band = welch(all);
    let usual = [without_outlier(base), without_outlier(new)];
    if usual.iter().all(Option::is_none) {
        return Some(band);
    }
    let [base, new] = [(&usual[0], base), (&usual[1], new)]
        .map(|(usual, steps)| Sample::of(usual.as_deref().unwrap_or(steps)));
    let usual = [base?, new?];
    let narrow = welch(usual);
    let [difference, usual_difference] = [all, usual].map(|[base, new]| new.mean - base.mean);
    let agree = difference.signum() == usual_difference.signum()
        && difference.abs().min(usual_difference.abs()) > narrow;
    Some(if agree { band.min(narrow) } else { band })
}

fn welch([base, new]: [Sample; 2]) -> f64 {
    half_width(base, new, (base.variance / base.count + new.variance / new.count).sqrt())
}

/// The same for the difference of one value of each.
pub(super) fn band_of_values(base: &[f64], new: &[f64]) -> Option<f64> {
    let (base, new) = (Sample::of(base)?, Sample::of(new)?);
    let error = (base.variance + new.variance).sqrt();
    Some(half_width(base, new, error))
}

fn half_width(base: Sample, new: Sample, error: f64) -> f64 {
    let parts = [base, new].map(|sample| sample.variance / sample.count);
    let whole: f64 = parts.iter().sum();
    if whole <= 0.0 {
        return 0.0;
    }
    let weights: f64 =
        parts.iter().zip([base, new]).map(|(part, sample)| part * part / (sample.count - 1.0)).sum();
    error * student_quantile(whole * whole / weights)
}

/// The value that Student's t with this many degrees of freedom exceeds in size with probability [`OUTSIDE`].
///
/// G. W. Hill, *Algorithm 396: Student's t-quantiles*, Communications of the ACM 13 (1970).
fn student_quantile(freedom: f64) -> f64 {
    // Welch's formula never gives less than the smaller sample has, which is one.
    let freedom = freedom.max(1.0);
    let half_pi = std::f64::consts::FRAC_PI_2;
    if freedom < 1.0 + 1e-9 {
        return (OUTSIDE * half_pi).cos() / (OUTSIDE * half_pi).sin();
    }
    let a = 1.0 / (freedom - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * half_pi).sqrt() * freedom;
    let mut y = (d * OUTSIDE).powf(2.0 / freedom);
    if y > 0.05 + a {
        let x = NORMAL_QUANTILE;
        y = x * x;
        if freedom < 5.0 {
            c += 0.3 * (freedom - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
        y = (a * y * y).exp_m1();
    } else {
        let inner = (freedom + 6.0) / (freedom * y) - 0.089 * d - 0.822;
        y = ((1.0 / (inner * (freedom + 2.0) * 3.0) + 0.5 / (freedom + 4.0)) * y - 1.0) * (freedom + 1.0)
            / (freedom + 2.0)
            + 1.0 / y;
    }
    (freedom * y).sqrt()
}

/// The value that a normal variable falls below with probability `OUTSIDE / 2`.
const NORMAL_QUANTILE: f64 = -2.575_829_303_548_901;

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles as statistical tables print them (two-sided, 1 %).
    #[test]
    fn quantiles_of_the_tables() {
        let printed = [
            (1.0, 63.657),
            (2.0, 9.925),
            (3.0, 5.841),
            (4.0, 4.604),
            (5.0, 4.032),
            (6.0, 3.707),
            (8.0, 3.355),
            (10.0, 3.169),
            (20.0, 2.845),
            (30.0, 2.750),
            (60.0, 2.660),
            (120.0, 2.617),
            (1e9, 2.576),
        ];
        for (freedom, quantile) in printed {
            let ours = student_quantile(freedom);
            assert!((ours - quantile).abs() < 0.002 * quantile, "{freedom}: {ours} and {quantile}");
        }
        let between: Vec<f64> = (10..200).map(|tenth| student_quantile(f64::from(tenth) / 10.0)).collect();
        assert!(between.is_sorted_by(|a, b| a > b), "{between:?}");
    }

    /// Means 10 and 13, both variances 1, three values each: sqrt(2/3) times t with 4 degrees of freedom.
    #[test]
    fn a_band_by_hand() {
        let band = band_of_means(&[9.0, 10.0, 11.0], &[12.0, 13.0, 14.0]).unwrap();
        assert!((band - 4.604 * (2.0f64 / 3.0).sqrt()).abs() < 0.01, "{band}");
        let band = band_of_values(&[9.0, 10.0, 11.0], &[12.0, 13.0, 14.0]).unwrap();
        assert!((band - 4.604 * 2.0f64.sqrt()).abs() < 0.01, "{band}");
    }

    /// The median of 10.2, 10.0, 9.9 and 10.3 is 10.1, the distances to it are 0.1, 0.1, 0.2 and 0.2, their median is 0.15
    /// and five deviations are 5 * 1.4826 * 0.15 = 1.112: more than a tenth of the median, which is 1.01.
    #[test]
    fn a_first_step_far_from_the_rest() {
        let is_atypical = |first: f64| is_first_atypical(&[first, 10.2, 10.0, 9.9, 10.3]);
        assert!(is_atypical(1.3) && is_atypical(8.98) && is_atypical(11.22) && is_atypical(40.0));
        assert!(!is_atypical(9.0) && !is_atypical(10.1) && !is_atypical(11.2));
        // Steps that agree by chance: a tenth decides.
        assert!(!is_first_atypical(&[10.9, 10.0, 10.0, 10.0]));
        assert!(is_first_atypical(&[11.1, 10.0, 10.0, 10.0]));
        // Two others tell nothing of their spread.
        assert!(!is_first_atypical(&[1.0, 10.0, 10.0]));
        assert!(!is_first_atypical(&[]));
        assert!(!is_first_atypical(&[0.0, 0.0, 0.0, 0.0]));
    }

    /// Both variances of the usual steps are 4/5 (100 six times, twice one more and twice one less), so the interval is
    /// t with 10 degrees of freedom, 3.169, times sqrt(2 * 0.8 / 6) = 0.5164, that is 1.637.
    #[test]
    fn one_odd_step_hides_no_change_of_all_others() {
        let steps = |shift: f64, odd: Option<f64>| {
            let mut steps: Vec<f64> =
                [100.0, 101.0, 99.0, 101.0, 99.0, 100.0].map(|step| step + shift).to_vec();
            odd.into_iter().for_each(|odd| steps.insert(3, odd));
            steps
        };
        let band = |base: &[f64], new: &[f64]| band_of_means(base, new).unwrap();
        let near = |value: f64, expected: f64| (value - expected).abs() < 0.002 * expected;
        // Five more in every step, and an odd one in the new run, or in both.
        assert!(near(band(&steps(0.0, None), &steps(5.0, Some(300.0))), 1.637));
        assert!(near(band(&steps(0.0, Some(300.0)), &steps(5.0, Some(310.0))), 1.637));
        // The others do not differ, or in the other direction: then all steps decide. The odd one makes the mean
        // (600 + 300) / 7 = 128.6 and the interval wider than the difference of 28.6.
        assert!(band(&steps(0.0, None), &steps(0.0, Some(300.0))) > 28.6);
        assert!(band(&steps(0.0, Some(300.0)), &steps(5.0, None)) > 23.6);
        // One step in six is no exception yet.
        let six = [100.0, 101.0, 300.0, 99.0, 101.0, 99.0];
        assert!(band(&six, &steps(5.0, None)) > 30.0);
    }

    #[test]
    fn without_repetition_nothing_is_known_and_without_spread_nothing_is_noise() {
        assert_eq!(band_of_means(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(band_of_means(&[5.0, 5.0], &[7.0, 7.0, 7.0]), Some(0.0));
        let (base, new) = ([9.0, 10.0, 11.0, 12.0], [12.0, 13.0]);
        assert_eq!(band_of_means(&base, &new), band_of_means(&new, &base));
    }
}
