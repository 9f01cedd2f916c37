//! Lengths of time as people write them: `30us`, `2s`.

use std::str::FromStr;
use std::time;

use eaves_model::Ns;

use crate::text_value::written_as_text;

/// A length of time: `30us`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duration(pub Ns);

/// How long to wait for a program: `300s`; a number alone is seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeout(pub Ns);

impl FromStr for Duration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        nanoseconds(text).map(Self)
    }
}

impl FromStr for Timeout {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        seconds(text).map(Self)
    }
}

written_as_text!(Duration, "Duration", "30us");
written_as_text!(Timeout, "Timeout", "300s");

impl From<Duration> for time::Duration {
    fn from(Duration(ns): Duration) -> Self {
        Self::from_nanos(u64::try_from(ns.0).unwrap_or(0))
    }
}

impl From<Timeout> for time::Duration {
    fn from(Timeout(ns): Timeout) -> Self {
        Duration(ns).into()
    }
}

/// A time; a number alone is seconds, as the options of other tools have it.
fn seconds(text: &str) -> Result<Ns, String> {
    let is_plain = text.starts_with(|first: char| first.is_ascii_digit())
        && text.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    if is_plain { nanoseconds(&format!("{text}s")) } else { nanoseconds(text) }
}

/// A decimal number with a unit, exactly: no float on the way.
///
/// # Errors
/// If it is no time.
pub(crate) fn nanoseconds(text: &str) -> Result<Ns, String> {
    let wrong = || format!("`{text}` is not a time; write a number and `ns`, `us`, `ms` or `s`");
    let units = [("ns", 0), ("us", 3), ("µs", 3), ("ms", 6), ("s", 9)];
    let split = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..split], text[split..].trim());
    let digits = match units.iter().find(|(name, _)| *name == unit) {
        Some((_, digits)) => *digits,
        None if unit.is_empty() && number.parse() == Ok(0) => 0,
        None => return Err(wrong()),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return Err(wrong());
    }
    if fraction.len() > digits {
        return Err(format!("`{text}` is finer than a nanosecond"));
    }
    let nanoseconds = format!("{whole}{fraction:0<digits$}");
    nanoseconds.parse().map(Ns).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_number_is_a_timeout_in_seconds_and_no_duration() {
        assert_eq!("1.5".parse(), Ok(Timeout(Ns(1_500_000_000))));
        assert_eq!("300ms".parse(), Ok(Timeout(Ns(300_000_000))));
        assert_eq!("30us".parse(), Ok(Duration(Ns(30_000))));
        assert!("1.5".parse::<Duration>().is_err() && "-1".parse::<Timeout>().is_err());
        assert_eq!(time::Duration::from(Timeout(Ns(2_000_000_000))), time::Duration::from_secs(2));
    }
}
