//! What eaves says of a simulated job, next to what is true.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::cases::{Case, Simulated};
use crate::project;

/// Steps of the same job differ by a hundredth, so no range can be told more sharply.
const NOISE: u64 = 100;

/// A finding of a report.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) id: String,
    pub(super) severity: String,
    /// Nanoseconds a step, at least and at most.
    pub(super) gain: Option<(i64, i64)>,
    pub(super) claim: String,
}

/// A case with what eaves said of it.
pub(super) struct Answer {
    pub(super) name: String,
    pub(super) found: Vec<Found>,
    /// Each fault with the findings that name it, and what a step would be shorter without it.
    pub(super) truth: Vec<Truth>,
    /// A step with all faults, in nanoseconds.
    pub(super) step: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Truth {
    pub(super) fault: &'static str,
    pub(super) accepted: &'static [&'static str],
    pub(super) gain: i64,
}

/// What became of a fault in a report.
#[derive(Clone, Debug)]
pub(super) struct Verdict<'a> {
    pub(super) truth: &'a Truth,
    /// The place of the finding that names it.
    pub(super) place: Option<usize>,
    /// Error of the gain that it promises, relative to what is true.
    pub(super) error: Option<f64>,
    pub(super) is_in_range: bool,
    /// How far the ends of the stated range are from its middle, relative to that: 1 for "up to".
    pub(super) width: Option<f64>,
}

impl Answer {
    /// Asks eaves about a job whose traces are written into a folder.
    pub(super) fn of(eaves: &Path, case: &Case, folder: &Path) -> Result<Self> {
        let Simulated { traces, step, gains } = case.simulate()?;
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        for (rank, trace) in traces.iter().enumerate() {
            std::fs::write(folder.join(format!("rank{rank}.json")), trace)?;
        }
        let mut command = project::command(&eaves.to_string_lossy());
        let command = command.arg("report").arg(folder).args(["--json", "--quiet"]).env("EAVES_THREADS", "1");
        let document: Value = serde_json::from_str(&project::output(command)?)?;
        let truth = case.faults.iter().zip(gains).map(|((fault, _), gain)| Truth {
            fault: fault.name,
            accepted: fault.findings,
            gain,
        });
        Ok(Self { name: case.name(), found: findings(&document)?, truth: truth.collect(), step })
    }

    /// The findings that say something is wrong.
    pub(super) fn serious(&self) -> impl Iterator<Item = &Found> {
        self.found.iter().filter(|found| found.severity != "info")
    }

    pub(super) fn verdicts(&self) -> Vec<Verdict<'_>> {
        self.truth.iter().map(|truth| self.verdict(truth)).collect()
    }

    fn verdict<'a>(&'a self, truth: &'a Truth) -> Verdict<'a> {
        let place = self.found.iter().position(|found| truth.accepted.contains(&found.id.as_str()));
        let gain = place.and_then(|place| self.found[place].gain);
        let noise = (self.step / NOISE) as i64;
        Verdict {
            truth,
            place,
            error: gain.map(|gain| (promised(gain) - truth.gain as f64).abs() / truth.gain.max(1) as f64),
            is_in_range: gain.is_some_and(|(low, high)| (low - noise..=high + noise).contains(&truth.gain)),
            width: gain.map(|(low, high)| (high - low) as f64 / (high + low).max(1) as f64),
        }
    }
}

/// What a range promises: "up to X" promises X, "X to Y" the middle.
fn promised((low, high): (i64, i64)) -> f64 {
    if low == 0 { high as f64 } else { (low + high) as f64 / 2.0 }
}

/// The findings of all sections in the order in which people see them: what may gain most first, what gains nothing
/// by severity.
fn findings(document: &Value) -> Result<Vec<Found>> {
    let sections = document["sections"].as_array().context("a report has sections")?;
    let steps = steps(sections);
    let mut found = Vec::new();
    for finding in sections.iter().filter_map(|section| section["findings"].as_array()).flatten() {
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let divisor = if finding["gain_of"] == "step" { 1 } else { steps.max(1) };
        let end = |index: usize| finding["gain_ns"][index].as_i64().map(|gain| gain / divisor);
        found.push(Found {
            id: text("id"),
            severity: text("severity"),
            gain: end(0).zip(end(1)),
            claim: text("claim"),
        });
    }
    let severity = |found: &Found| ["critical", "warning"].iter().position(|one| *one == found.severity);
    found.sort_by_key(|found| {
        let gain = found.gain.map(|(low, high)| (high, low));
        (std::cmp::Reverse(gain), severity(found).unwrap_or(2))
    });
    Ok(found)
}

/// How many steps the first rank has.
fn steps(sections: &[Value]) -> i64 {
    let section = sections.iter().find(|section| section["id"] == "steps");
    let numbers = section.and_then(|section| section["numbers"].as_array());
    let number = numbers.and_then(|numbers| numbers.iter().find(|number| number["id"] == "steps"));
    number.and_then(|number| number["value"].as_i64()).unwrap_or(1)
}
