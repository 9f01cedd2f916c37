//! Quantities as people read them, the same in tables and in sentences: the unit that fits, two decimals, one of a percent.

use eaves_model::Ns;

use crate::{Column, Unit, Value};

/// Placeholder for a missing value.
pub const MISSING: &str = "-";

/// A value with its unit.
pub fn value(value: &Value, unit: Unit) -> String {
    match (value, unit) {
        (Value::Missing(_), _) => MISSING.to_owned(),
        (Value::Text(text), _) => text.clone(),
        (Value::Float(number), _) if !number.is_finite() => MISSING.to_owned(),
        (Value::Integer(number), Unit::Nanoseconds) => nanoseconds(*number as f64),
        (Value::Float(number), Unit::Nanoseconds) => nanoseconds(*number),
        (Value::Integer(number), Unit::Bytes) => size(*number),
        (Value::Float(number), Unit::Bytes) => bytes(*number),
        (Value::Integer(number), Unit::Percent) => percent(*number as f64),
        (Value::Float(number), Unit::Percent) => percent(*number),
        (Value::Integer(number), Unit::GigabytesPerSecond) => format!("{} GB/s", thousands(*number)),
        (Value::Float(number), Unit::GigabytesPerSecond) => format!("{} GB/s", decimal(*number)),
        (Value::Integer(number), Unit::Flop) => scaled_count(*number as f64, "FLOP"),
        (Value::Float(number), Unit::Flop) => scaled_count(*number, "FLOP"),
        (Value::Integer(number), Unit::GigaflopsPerSecond) => scaled_count(*number as f64 * 1e9, "FLOP/s"),
        (Value::Float(number), Unit::GigaflopsPerSecond) => scaled_count(*number * 1e9, "FLOP/s"),
        (Value::Integer(number), Unit::FlopPerByte) => thousands(*number),
        (Value::Float(number), Unit::FlopPerByte) => decimal(*number),
        // Without a unit an integer is a name (rank, stream, step), which has no thousands.
        (Value::Integer(number), Unit::None) => number.to_string(),
        (Value::Integer(number), Unit::Count) => thousands(*number),
        (Value::Float(number), Unit::Count) if number.fract() == 0.0 && number.abs() < 9e15 => {
            thousands(*number as i64)
        }
        // Two decimals of an error of rounding would be zeros.
        (Value::Float(number), Unit::None) if *number != 0.0 && number.abs() < 0.005 => {
            format!("{number:.1e}")
        }
        (Value::Float(number), Unit::None | Unit::Count) => decimal(*number),
    }
}

/// A value of a column. A change that is an increase has its sign.
pub fn cell(cell: &Value, column: &Column) -> String {
    let text = value(cell, column.unit);
    let increases = match cell {
        Value::Integer(number) => *number > 0,
        Value::Float(number) => *number > 0.0,
        Value::Text(_) | Value::Missing(_) => false,
    };
    if is_change(column) && increases { format!("+{text}") } else { text }
}

/// True for a column of differences between two runs.
pub fn is_change(column: &Column) -> bool {
    column.id.starts_with("delta_")
}

/// Whether a verdict of a comparison is good news (true), bad news (false) or neither.
pub fn tendency(verdict: &str) -> Option<bool> {
    match verdict {
        "faster" | "less" => Some(true),
        "slower" | "more" | "fails" => Some(false),
        _ => None,
    }
}

/// A count with the largest decimal prefix that leaves a digit before the point: `137.44 GFLOP`.
pub fn scaled_count(number: f64, unit: &str) -> String {
    let mut prefixes = ["", "k", "M", "G", "T", "P", "E"].into_iter();
    let mut prefix = prefixes.next().unwrap_or("");
    let mut scaled = number;
    // 999.996 would round to 1000.00.
    while (scaled * 100.0).round().abs() >= 100_000.0 {
        let Some(next) = prefixes.next() else { break };
        (scaled, prefix) = (scaled / 1000.0, next);
    }
    format!("{} {prefix}{unit}", decimal(scaled))
}

/// A duration in the largest unit that leaves a digit before the point.
pub fn duration(time: Ns) -> String {
    nanoseconds(time.0 as f64)
}

/// A duration that may be longer than any clock counts, such as a prediction.
pub fn nanoseconds(ns: f64) -> String {
    /// From here on digits that nobody knows would fill the line.
    const LONG: f64 = 1e15;
    let ns = ns.round();
    if ns.abs() < 1_000.0 {
        return format!("{} ns", ns as i64);
    }
    // 999,995 ns would round to 1000.00 us, which is 1.00 ms.
    let scaled = |divisor: f64| (ns / divisor * 100.0).round() / 100.0;
    for (divisor, unit) in [(1e3, "µs"), (1e6, "ms")] {
        let number = scaled(divisor);
        if number.abs() < 1_000.0 {
            return format!("{number:.2} {unit}");
        }
    }
    let seconds = scaled(1e9);
    if seconds.abs() < LONG { format!("{} s", decimal(seconds)) } else { format!("{seconds:.2e} s") }
}

/// A size in binary units: `1.5 GiB`.
pub fn size(size: i64) -> String {
    bytes(size as f64)
}

/// A size that need not be whole, such as a mean.
pub fn bytes(bytes: f64) -> String {
    if bytes.abs() < 1_024.0 {
        return format!("{bytes:.0} B");
    }
    let mut number = bytes / 1_024.0;
    for unit in ["KiB", "MiB", "GiB"] {
        // 1023.96 would round to 1024.0.
        if number.abs() < 1_023.95 {
            return format!("{number:.1} {unit}");
        }
        number /= 1_024.0;
    }
    format!("{number:.1} TiB")
}

/// A percentage with one decimal; what is not nothing or all never looks like it.
pub fn percent(percent: f64) -> String {
    if percent != 0.0 && percent.abs() < 0.05 {
        let sign = if percent < 0.0 { ">-" } else { "<" };
        return format!("{sign}0.1%");
    }
    let rounded = format!("{percent:.1}%");
    if percent < 100.0 && rounded == "100.0%" { ">99.9%".to_owned() } else { rounded }
}

/// A share of a whole: `12.3%`.
pub fn share(part: Ns, whole: Ns) -> String {
    percent(percentage(part, whole))
}

/// A share of a whole in percent; 0 of nothing.
pub fn percentage(part: Ns, whole: Ns) -> f64 {
    if whole == Ns::ZERO { 0.0 } else { 100.0 * part.as_f64() / whole.as_f64() }
}

/// An integer with commas.
pub fn thousands(number: i64) -> String {
    with_commas(&number.to_string())
}

/// A float with two decimals and commas.
pub fn decimal(number: f64) -> String {
    with_commas(&format!("{number:.2}"))
}

/// Digits, perhaps with a sign and decimals, with commas between thousands.
fn with_commas(digits: &str) -> String {
    let (sign, unsigned) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let whole = unsigned.find('.').unwrap_or(unsigned.len());
    let mut text = String::with_capacity(digits.len() + whole / 3);
    text.push_str(sign);
    for (index, digit) in unsigned[..whole].char_indices() {
        if index > 0 && (whole - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text.push_str(&unsigned[whole..]);
    text
}

/// A name that fits a sentence: template arguments can be a thousand letters long.
pub fn shortened(name: &str) -> String {
    const LETTERS: usize = 80;
    match name.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_owned(),
    }
}

/// A count with its noun: `1 row`, `2 rows`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(count as i64))
}

/// Numbers in order as ranges: `0-3, 5`.
pub fn ranges(numbers: &[i64]) -> String {
    let mut parts: Vec<(i64, i64)> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some((_, last)) if number == *last || number == *last + 1 => *last = number,
            _ => parts.push((number, number)),
        }
    }
    let texts: Vec<_> = parts
        .iter()
        .map(|&(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    #[test]
    fn durations_have_the_unit_that_fits() {
        let expected = [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (-1_500, "-1.50 µs"),
            (999_994, "999.99 µs"),
            (999_995, "1.00 ms"),
            (999_999_999, "1.00 s"),
            (12_345_678, "12.35 ms"),
            (1_234_560_000_000, "1,234.56 s"),
            (i64::MIN, "-9,223,372,036.85 s"),
        ];
        for (ns, text) in expected {
            assert_eq!(duration(Ns(ns)), text);
        }
        assert_eq!(nanoseconds(1e20), "100,000,000,000.00 s");
        assert_eq!(nanoseconds(2.0216e27), "2.02e18 s");
    }

    #[test]
    fn sizes_are_binary_and_say_so() {
        let expected = [
            (0.0, "0 B"),
            (1_023.0, "1023 B"),
            (1_024.0, "1.0 KiB"),
            (1_048_575.0, "1.0 MiB"),
            (1.5 * 1_073_741_824.0, "1.5 GiB"),
            (5_000.0 * 1_099_511_627_776.0, "5000.0 TiB"),
        ];
        for (size, text) in expected {
            assert_eq!(bytes(size), text);
        }
    }

    #[test]
    fn a_small_percentage_is_not_zero() {
        assert_eq!(percent(0.0), "0.0%");
        assert_eq!(percent(0.04), "<0.1%");
        assert_eq!(percent(-0.04), ">-0.1%");
        assert_eq!(percent(55.25), "55.2%");
        assert_eq!(percent(100.0), "100.0%");
        assert_eq!(percent(99.97), ">99.9%");
    }

    #[test]
    fn thousands_are_parted() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(-1_234_567), "-1,234,567");
        assert_eq!(value(&Value::Float(2.64e-7), Unit::None), "2.6e-7");
        assert_eq!(value(&Value::Float(0.0), Unit::None), "0.00");
        assert_eq!(decimal(-0.5), "-0.50");
        assert_eq!(decimal(12_345.678), "12,345.68");
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(1_000, "row"), "1,000 rows");
    }

    #[test]
    fn values_follow_their_unit() {
        assert_eq!(value(&Value::Integer(12_345), Unit::None), "12345");
        assert_eq!(value(&Value::Integer(12_345), Unit::Count), "12,345");
        assert_eq!(value(&Value::Integer(12_345), Unit::Nanoseconds), "12.35 µs");
        assert_eq!(value(&Value::Float(1_499.6), Unit::Nanoseconds), "1.50 µs");
        assert_eq!(value(&Value::Float(3.25), Unit::GigabytesPerSecond), "3.25 GB/s");
        assert_eq!(value(&Value::Float(137_438_953_472.0), Unit::Flop), "137.44 GFLOP");
        assert_eq!(value(&Value::Float(999_999_999.0), Unit::Flop), "1.00 GFLOP");
        assert_eq!(value(&Value::Float(4096.0), Unit::Count), "4,096");
        assert_eq!(value(&Value::Float(0.5), Unit::Count), "0.50");
        assert_eq!(value(&Value::Float(305_555.56), Unit::GigaflopsPerSecond), "305.56 TFLOP/s");
        assert_eq!(value(&Value::Float(f64::NAN), Unit::Percent), MISSING);
        assert_eq!(value(&Value::Missing("not recorded"), Unit::Percent), MISSING);
    }

    #[test]
    fn ranks_are_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 7, 8]), "0-2, 5, 7-8");
        assert_eq!(ranges(&[]), "");
        assert_eq!(words("exposed_comm_ns"), "Exposed comm");
        assert_eq!(words("rank"), "Rank");
        assert_eq!(words("gpu_idle_pct"), "GPU idle");
    }

    #[test]
    fn shares_are_of_a_whole() {
        assert_eq!(share(Ns(1), Ns(8)), "12.5%");
        assert_eq!(share(Ns(1), Ns(0)), "0.0%");
    }

    #[test]
    fn long_names_are_cut_between_letters() {
        assert_eq!(shortened("gemm"), "gemm");
        assert_eq!(shortened(&"µ".repeat(100)), format!("{}...", "µ".repeat(80)));
    }
}
