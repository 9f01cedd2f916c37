//! How large a difference between two runs may be by chance, judged by their repeated steps.
//!
//! The steps of a run are a sample of what the program does over and over. The difference of two means is noise if it
//! lies within the 99 % confidence interval around zero of Welch's test, which lets both runs have their own spread and
//! their own number of steps. 99 % and not 95 %, because hundreds of rows are judged at once.
//!
//! B. L. Welch, *The generalization of "Student's" problem when several different population variances are
//! involved*, Biometrika 34 (1947); degrees of freedom by F. E. Satterthwaite, Biometrics Bulletin 2 (1946).

/// What lies outside the interval on both sides together.
const OUTSIDE: f64 = 0.01;

/// Mean and variance of a sample.
#[derive(Clone, Copy, Debug)]
struct Sample {
    count: f64,
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
        Some(Self { count, variance })
    }
}

/// Half the width of the interval for the difference of the means of two samples.
pub(super) fn band_of_means(base: &[f64], new: &[f64]) -> Option<f64> {
    let (base, new) = (Sample::of(base)?, Sample::of(new)?);
    let error = (base.variance / base.count + new.variance / new.count).sqrt();
    Some(half_width(base, new, error))
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

/// The value that Student's t with so many degrees of freedom exceeds in size with probability [`OUTSIDE`].
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

    #[test]
    fn without_repetition_nothing_is_known_and_without_spread_nothing_is_noise() {
        assert_eq!(band_of_means(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(band_of_means(&[5.0, 5.0], &[7.0, 7.0, 7.0]), Some(0.0));
        let (base, new) = ([9.0, 10.0, 11.0, 12.0], [12.0, 13.0]);
        assert_eq!(band_of_means(&base, &new), band_of_means(&new, &base));
    }
}
