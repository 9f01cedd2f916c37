//! Units of Nsight Compute, with the factor to the base unit: nanoseconds, bytes, hertz, percent; rates per second.
//!
//! Base units are written `ns, byte, hz, byte/s, %` since 2023 and `nsecond, byte, hz, byte/second, %` before; without
//! `--print-units base` every one of them may have a decimal prefix, as `Gbyte/second` or `cycle/nsecond` has.

use std::borrow::Cow;

/// A unit and what a value in it has to be multiplied by.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit<'a> {
    /// Factor to the base unit.
    pub(super) factor: f64,
    /// Name of the base unit; empty for plain numbers.
    pub(super) base: Cow<'a, str>,
}

/// Units without a prefix that prefixes are put in front of.
const COUNTED: [&str; 20] = [
    "block",
    "byte",
    "cluster",
    "cycle",
    "event",
    "hz",
    "inst",
    "op",
    "pass",
    "register",
    "request",
    "s",
    "sample",
    "second",
    "sector",
    "SM",
    "tag",
    "thread",
    "warp",
    "wavefront",
];

/// The unit that a text names. What is not known stays as it is.
pub(super) fn unit(text: &str) -> Unit<'_> {
    let text = text.trim();
    let Some((above, below)) = text.split_once('/') else {
        let (power, base) = one(text);
        // Times are in nanoseconds.
        return match base {
            "s" => Unit { factor: ten_to(power + 9), base: "ns".into() },
            _ => Unit { factor: ten_to(power), base: base.into() },
        };
    };
    let ((above_power, above), (below_power, below)) = (one(above), one(below));
    let power = above_power - below_power;
    match (above, below) {
        ("cycle", "s") => Unit { factor: ten_to(power), base: "hz".into() },
        ("s", _) => Unit { factor: ten_to(power + 9), base: format!("ns/{below}").into() },
        _ => Unit { factor: ten_to(power), base: format!("{above}/{below}").into() },
    }
}

/// A unit without its prefix, seconds for any time, and the power of ten that the prefix means.
fn one(text: &str) -> (i32, &str) {
    if matches!(text, "s" | "second") {
        return (0, "s");
    }
    if COUNTED.contains(&text) {
        return (0, text);
    }
    let Some(prefix) = text.chars().next() else { return (0, text) };
    let rest = text.get(prefix.len_utf8()..).unwrap_or_default();
    let is_time = matches!(rest, "s" | "second");
    let power = match prefix {
        'n' if is_time => -9,
        'u' | 'µ' | 'μ' if is_time => -6,
        'm' if is_time => -3,
        'K' | 'k' => 3,
        'M' => 6,
        'G' => 9,
        'T' => 12,
        'P' => 15,
        _ => return (0, text),
    };
    match rest {
        _ if is_time => (power, "s"),
        _ if COUNTED.contains(&rest) => (power, rest),
        _ => (0, text),
    }
}

/// A power of ten, exact where floats have it.
fn ten_to(power: i32) -> f64 {
    let ten = 10_f64.powi(power.abs());
    if power < 0 { ten.recip() } else { ten }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_that_was_seen() {
        for (text, factor, base) in [
            ("", 1.0, ""),
            ("%", 1.0, "%"),
            ("ns", 1.0, "ns"),
            ("us", 1e3, "ns"),
            ("ms", 1e6, "ns"),
            ("s", 1e9, "ns"),
            ("nsecond", 1.0, "ns"),
            ("usecond", 1e3, "ns"),
            ("msecond", 1e6, "ns"),
            ("second", 1e9, "ns"),
            ("byte", 1.0, "byte"),
            ("Kbyte", 1e3, "byte"),
            ("Mbyte", 1e6, "byte"),
            ("Gbyte", 1e9, "byte"),
            ("Tbyte", 1e12, "byte"),
            ("hz", 1.0, "hz"),
            ("Khz", 1e3, "hz"),
            ("Mhz", 1e6, "hz"),
            ("Ghz", 1e9, "hz"),
            ("byte/s", 1.0, "byte/s"),
            ("byte/second", 1.0, "byte/s"),
            ("Gbyte/s", 1e9, "byte/s"),
            ("Gbyte/second", 1e9, "byte/s"),
            ("byte/nsecond", 1e9, "byte/s"),
            ("byte/usecond", 1e6, "byte/s"),
            ("cycle", 1.0, "cycle"),
            ("Kcycle", 1e3, "cycle"),
            ("cycle/second", 1.0, "hz"),
            ("cycle/nsecond", 1e9, "hz"),
            ("cycle/usecond", 1e6, "hz"),
            ("cycle/s", 1.0, "hz"),
            ("inst", 1.0, "inst"),
            ("Kinst", 1e3, "inst"),
            ("Minst", 1e6, "inst"),
            ("inst/cycle", 1.0, "inst/cycle"),
            ("op", 1.0, "op"),
            ("Gop/s", 1e9, "op/s"),
            ("sector", 1.0, "sector"),
            ("Msector", 1e6, "sector"),
            ("request", 1.0, "request"),
            ("warp", 1.0, "warp"),
            ("thread", 1.0, "thread"),
            ("block", 1.0, "block"),
            ("SM", 1.0, "SM"),
            ("register/thread", 1.0, "register/thread"),
            ("byte/block", 1.0, "byte/block"),
            ("Kbyte/block", 1e3, "byte/block"),
            ("sample", 1.0, "sample"),
            ("pass", 1.0, "pass"),
            ("cluster", 1.0, "cluster"),
            ("something new", 1.0, "something new"),
        ] {
            let unit = unit(text);
            assert_eq!((unit.factor, unit.base.as_ref()), (factor, base), "{text}");
        }
    }
}
