//! Selection: steps, a time window, ranks.

use std::ops::RangeInclusive;
use std::str::FromStr;

use clap::Args;
use eaves_analyze::Selection;
use eaves_model::{Interval, Ns};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Failure;
use crate::duration::nanoseconds;
use crate::text_value::{joined, written_as_text};

/// What to analyze.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(next_help_heading = "Selection")]
#[serde(default)]
pub struct Selected {
    /// Only work launched in these profiler steps: N or A-B
    #[arg(long, value_name = "STEPS")]
    pub step: Option<Steps>,
    /// Only this time window, from the start of the recording: 1.5ms..20ms
    #[arg(long, value_name = "FROM..TO")]
    pub time: Option<Window>,
    /// Only these ranks: 0,3-5
    #[arg(long, value_name = "RANKS")]
    pub rank: Option<Ranks>,
}

impl Selected {
    /// The part that texts name, each written as after its option.
    ///
    /// # Errors
    /// If a text means nothing.
    pub fn parse(step: Option<&str>, time: Option<&str>, rank: Option<&str>) -> Result<Self, String> {
        Ok(Self {
            step: step.map(str::parse).transpose()?,
            time: time.map(str::parse).transpose()?,
            rank: rank.map(str::parse).transpose()?,
        })
    }

    /// The request for a part.
    pub fn of(selection: &Selection) -> Self {
        Self {
            step: selection.steps.clone().map(Steps),
            time: selection.time.map(Window),
            rank: selection.ranks.clone().map(Ranks),
        }
    }

    /// The part that fields of a request name.
    ///
    /// # Errors
    /// If a field means nothing.
    pub fn from_json(fields: serde_json::Map<String, serde_json::Value>) -> Result<Self, Failure> {
        serde_json::from_value(fields.into())
            .map_err(|error| Failure::usage(error.to_string(), "docs/report.md has the syntax"))
    }

    /// The part.
    pub fn selection(&self) -> Selection {
        let mut selection = Selection::default();
        if let Some(Steps(steps)) = &self.step {
            selection = selection.with_steps(steps.clone());
        }
        if let Some(Window(time)) = self.time {
            selection = selection.with_time(time);
        }
        if let Some(Ranks(ranks)) = &self.rank {
            selection = selection.with_ranks(ranks.clone());
        }
        selection
    }
}

/// Profiler steps: `3` or `3-7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps(pub RangeInclusive<u64>);

/// A window of time: `1.5ms..20ms`; either side may be left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window(pub Interval);

/// Ranks, sorted and each once: `0,3-5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranks(pub Vec<i64>);

impl FromStr for Steps {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        steps(text).map(Self)
    }
}

impl FromStr for Window {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        time(text).map(Self)
    }
}

impl FromStr for Ranks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        ranks(text)
    }
}

written_as_text!(
    Steps,
    "Steps",
    {"type": ["string", "integer", "array"], "items": {"type": "integer"}, "minItems": 2, "maxItems": 2,
        "examples": ["3-7", 3, [3, 7]]},
    |both| if both.len() == 2 { joined(both, "-", "") } else { None }
);
written_as_text!(
    Window,
    "Window",
    {"type": ["string", "array"], "items": {"type": "integer"}, "minItems": 2, "maxItems": 2,
        "examples": ["1.5ms..20ms", [1_500_000, 20_000_000]]},
    |both| if both.len() == 2 { joined(both, "..", "ns") } else { None }
);
written_as_text!(
    Ranks,
    "Ranks",
    {"type": ["string", "integer", "array"], "items": {"type": "integer"}, "examples": ["0,3-5", 0, [0, 3]]},
    |all| joined(all, ",", "")
);

/// `3` or `3-7`.
fn steps(text: &str) -> Result<RangeInclusive<u64>, String> {
    range(text).ok_or_else(|| "expected a step such as `3` or steps such as `3-7`".to_owned())
}

/// `0,3-5`, sorted and each once.
fn ranks(text: &str) -> Result<Ranks, String> {
    /// More would be a slip of the keyboard, and the list would fill the memory.
    const MOST_RANKS: u64 = 1 << 20;
    let wrong = || "expected ranks such as `0` or `0,3-5`".to_owned();
    let mut ranks = Vec::new();
    for part in text.split(',') {
        let range = range(part.trim()).ok_or_else(wrong)?;
        if range.end() - range.start() >= MOST_RANKS || *range.end() > i64::MAX as u64 {
            return Err(format!("more than {MOST_RANKS} ranks"));
        }
        ranks.extend(range.map(|rank| rank as i64));
    }
    ranks.sort_unstable();
    ranks.dedup();
    Ok(Ranks(ranks))
}

fn range(text: &str) -> Option<RangeInclusive<u64>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last).then_some(first..=last)
}

/// `1.5ms..2s`; either side may be left open.
fn time(text: &str) -> Result<Interval, String> {
    let (from, to) =
        text.split_once("..").ok_or("expected a window such as `1.5ms..20ms`, `20ms..` or `..20ms`")?;
    let start = if from.trim().is_empty() { Ns::ZERO } else { nanoseconds(from.trim())? };
    let end = if to.trim().is_empty() { Ns::MAX } else { nanoseconds(to.trim())? };
    if start >= end {
        return Err("the window ends before it begins".to_owned());
    }
    Ok(Interval::new(start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_one_or_a_range() {
        assert_eq!(steps("3"), Ok(3..=3));
        assert_eq!(steps("3-7"), Ok(3..=7));
        for wrong in ["", "-", "7-3", "3-", "-3", "a", "1-2-3"] {
            assert!(steps(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranks_are_a_list_of_ranges() {
        assert_eq!(ranks("3-5,0, 4"), Ok(Ranks(vec![0, 3, 4, 5])));
        for wrong in ["", ",", "1,", "0-99999999999999", "18446744073709551615"] {
            assert!(ranks(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_exact() {
        let window = |start, end| Ok(Interval::new(Ns(start), Ns(end)));
        assert_eq!(time("1.5ms..2s"), window(1_500_000, 2_000_000_000));
        assert_eq!(time("0..0.001us"), window(0, 1));
        assert_eq!(time(" 7 ns .. 8µs "), window(7, 8_000));
        assert_eq!(time("20ms.."), window(20_000_000, i64::MAX));
        assert_eq!(time("..20ms"), window(0, 20_000_000));
        for wrong in
            ["", "5ms", "1..2", "2s..1s", "1s..1s", "1.0005us..2us", "..s", "1.2.3s..9s", "-1s..2s", "9e9s.."]
        {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
