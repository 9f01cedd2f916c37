//! Logarithmic axes that fit what they show, and the numbers written along them.

/// A logarithmic axis between two places of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Log {
    /// Decimal logarithms of the ends.
    low: f64,
    high: f64,
    /// Pixels of the ends.
    from: f64,
    to: f64,
}

/// A mark of an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    /// What is written; empty for marks between those with a text.
    pub(crate) label: String,
}

/// Decades an axis has at least, so that a single point has neighbors to be compared with.
const LEAST_DECADES: f64 = 1.5;
/// Room at the ends, in decades.
const MARGIN: f64 = 0.22;

impl Log {
    /// An axis that holds all positive values, with room at its ends.
    pub(crate) fn fit(values: impl Iterator<Item = f64>) -> Self {
        let logs = values.filter(|value| *value > 0.0 && value.is_finite()).map(f64::log10);
        let (mut low, mut high) =
            logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| (low.min(log), high.max(log)));
        if low > high {
            (low, high) = (0.0, 0.0);
        }
        let missing = (LEAST_DECADES - (high - low) - 2.0 * MARGIN).max(0.0) / 2.0;
        Self { low: low - MARGIN - missing, high: high + MARGIN + missing, from: 0.0, to: 1.0 }
    }

    /// The same axis between two places.
    pub(crate) fn between(self, from: f64, to: f64) -> Self {
        Self { from, to, ..self }
    }

    /// The same axis with more room at its upper end, in decades.
    pub(crate) fn with_room_above(self, decades: f64) -> Self {
        Self { high: self.high + decades, ..self }
    }

    /// The same axis with at least this share of it above a value.
    pub(crate) fn with_share_above(self, value: f64, share: f64) -> Self {
        let log = value.log10();
        if !log.is_finite() || log < self.low {
            return self;
        }
        Self { high: self.high.max((log - self.low * share) / (1.0 - share)), ..self }
    }

    /// Where a value stands. What is beyond an end stands at it.
    pub(crate) fn at(&self, value: f64) -> f64 {
        self.at_log(value.log10()).clamp(self.from.min(self.to), self.from.max(self.to))
    }

    /// Where a decimal logarithm stands, also beyond the ends.
    pub(crate) fn at_log(&self, log: f64) -> f64 {
        self.from + (log - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// The decimal logarithms of the ends.
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// True if the value is between the ends.
    pub(crate) fn holds(&self, value: f64) -> bool {
        value > 0.0 && (self.low..=self.high).contains(&value.log10())
    }

    fn decade(&self) -> f64 {
        (self.to - self.from).abs() / (self.high - self.low)
    }

    /// Marks at powers of ten and between them. Labels are at least `apart` pixels from each other.
    pub(crate) fn ticks(&self, apart: f64, label: impl Fn(f64) -> String) -> Vec<Tick> {
        let decade = self.decade();
        let step = (apart / decade).ceil().max(1.0) as i32;
        // Where decades are wide, 2 and 5 have labels too.
        let between = step == 1 && decade * 0.3 >= apart;
        let mut ticks = Vec::new();
        for power in self.low.floor() as i32..=self.high.ceil() as i32 {
            for digit in 1..10 {
                let value = f64::from(digit) * 10f64.powi(power);
                if !self.holds(value) {
                    continue;
                }
                let labelled = match digit {
                    1 => power.rem_euclid(step) == 0,
                    2 | 5 => between,
                    _ => false,
                };
                if labelled {
                    ticks.push(Tick { value, label: label(value) });
                } else if decade >= 24.0 || digit == 1 {
                    ticks.push(Tick { value, label: String::new() });
                }
            }
        }
        ticks
    }

    /// Marks at powers of two, for sizes.
    pub(crate) fn binary_ticks(&self, apart: f64) -> Vec<Tick> {
        let doubling = self.decade() * 2f64.log10();
        let step = [1, 2, 5, 10, 20, 50, 100].into_iter().find(|step| f64::from(*step) * doubling >= apart);
        let step = step.unwrap_or(200);
        let powers = (self.low / 2f64.log10()).ceil() as i32..=(self.high / 2f64.log10()).floor() as i32;
        powers
            .filter(|power| power.rem_euclid(step) == 0)
            .map(|power| 2f64.powi(power))
            .map(|value| Tick { value, label: size(value) })
            .collect()
    }
}

/// Three significant digits at most, without zeros at the end: `3.35`, `989`, `0.25`.
fn digits(number: f64) -> String {
    let decimals = match number.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 => 2,
        _ => 3,
    };
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A rate or an amount with a decimal prefix: `3.35 T`, `989 G`, `12`.
pub(crate) fn prefixed(number: f64) -> String {
    let prefixes = ["", "k", "M", "G", "T", "P", "E"];
    let mut scaled = number;
    let mut at = 0;
    while scaled.abs() >= 999.5 && at + 1 < prefixes.len() {
        scaled /= 1e3;
        at += 1;
    }
    let plain = scaled == 0.0 || (0.000_95..1e5).contains(&scaled.abs());
    let text = if plain { digits(scaled) } else { format!("{scaled:.0e}") };
    if prefixes[at].is_empty() { text } else { format!("{text} {}", prefixes[at]) }
}

/// The same with a unit: `3.35 TB/s`.
pub(crate) fn with_unit(number: f64, unit: &str) -> String {
    let text = prefixed(number);
    if text.contains(' ') { format!("{text}{unit}") } else { format!("{text} {unit}") }
}

/// An intensity: plain up to thousands, because nobody reads k in a ratio.
pub(crate) fn ratio(number: f64) -> String {
    if (999.5..9_999.5).contains(&number) { format!("{number:.0}") } else { prefixed(number) }
}

/// A size in binary units without needless decimals: `64 KiB`.
pub(crate) fn size(bytes: f64) -> String {
    let mut scaled = bytes;
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] {
        if scaled < 1024.0 {
            break;
        }
        (scaled, unit) = (scaled / 1024.0, next);
    }
    let plain = (0.000_95..1e5).contains(&scaled);
    if plain { format!("{} {unit}", digits(scaled)) } else { format!("{scaled:.0e} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).filter(|label| !label.is_empty()).collect()
    }

    #[test]
    fn an_axis_holds_its_values_and_little_more() {
        let axis = Log::fit([1.0, 1000.0].into_iter()).between(0.0, 344.0);
        assert_eq!(axis.ends(), (-0.22, 3.22));
        assert!((axis.at(1.0) - 22.0).abs() < 1e-9 && (axis.at(100.0) - 222.0).abs() < 1e-9);
        assert_eq!(axis.at(1e-9), 0.0);
        let roomy = axis.with_share_above(1000.0, 0.5);
        assert!((roomy.ends().1 - 6.22).abs() < 1e-9, "{:?}", roomy.ends());
        assert_eq!(labels(&axis.ticks(40.0, ratio)), ["1", "10", "100", "1000"]);
    }

    #[test]
    fn one_value_and_none_have_an_axis_too() {
        let one = Log::fit([100.0].into_iter()).between(0.0, 600.0);
        assert_eq!(one.ends(), (1.25, 2.75));
        assert_eq!(labels(&one.ticks(40.0, ratio)), ["20", "50", "100", "200", "500"]);
        assert_eq!(Log::fit([0.0, -1.0, f64::NAN].into_iter()).ends(), (-0.75, 0.75));
    }

    #[test]
    fn a_long_axis_has_few_labels() {
        let axis = Log::fit([1e-300, 1e300].into_iter()).between(500.0, 0.0);
        let ticks = axis.ticks(40.0, prefixed);
        assert!((5..=13).contains(&labels(&ticks).len()), "{:?}", labels(&ticks));
        let places: Vec<f64> =
            ticks.iter().filter(|tick| !tick.label.is_empty()).map(|tick| axis.at(tick.value)).collect();
        assert!(places.windows(2).all(|pair| pair[0] - pair[1] >= 39.9), "{places:?}");
    }

    #[test]
    fn sizes_are_powers_of_two() {
        let axis = Log::fit([1e3, 1e9].into_iter()).between(0.0, 300.0);
        assert_eq!(labels(&axis.binary_ticks(40.0)), ["1 KiB", "32 KiB", "1 MiB", "32 MiB", "1 GiB"]);
        assert_eq!(labels(&axis.binary_ticks(100.0)), ["1 KiB", "1 MiB", "1 GiB"]);
    }

    #[test]
    fn numbers_have_three_digits() {
        let expected = [
            (0.0, "0"),
            (0.25, "0.25"),
            (999.6, "1 k"),
            (3.352e12, "3.35 T"),
            (989.4e12, "989 T"),
            (1e-7, "1e-7"),
            (1e25, "1e7 E"),
        ];
        for (number, text) in expected {
            assert_eq!(prefixed(number), text);
        }
        assert_eq!(with_unit(3.35e12, "B/s"), "3.35 TB/s");
        assert_eq!(with_unit(12.0, "B/s"), "12 B/s");
        assert_eq!((ratio(295.2), ratio(1234.0), ratio(2e6)), ("295".into(), "1234".into(), "2 M".into()));
    }
}
