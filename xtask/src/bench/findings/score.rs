//! How often eaves is right.

use std::collections::BTreeMap;

use super::super::ingest::goal;
use super::super::table::Table;
use super::answer::{Answer, Verdict};

/// What eaves promises.
const GOAL_FIRST_PCT: f64 = 95.0;
const GOAL_HEALTHY_PCT: f64 = 99.0;
const GOAL_MEDIAN_ERROR_PCT: f64 = 10.0;
const GOAL_IN_RANGE_PCT: f64 = 90.0;

/// A range whose ends are further from its middle than this says little.
const WIDE_PCT: f64 = 30.0;

/// Misses that are listed.
const LISTED: usize = 40;

/// What is counted over cases.
#[derive(Default)]
struct Score {
    cases: usize,
    first: usize,
    found: usize,
    in_range: usize,
    errors: Vec<f64>,
    widths: Vec<f64>,
    /// What the faults cost, of the step.
    shares: Vec<f64>,
}

impl Score {
    fn add(&mut self, verdict: &Verdict<'_>, is_first: bool, step: u64) {
        self.cases += 1;
        self.first += usize::from(is_first);
        self.found += usize::from(verdict.place.is_some());
        self.in_range += usize::from(verdict.is_in_range);
        self.errors.extend(verdict.error);
        self.widths.extend(verdict.width);
        self.shares.push(verdict.truth.gain as f64 / step.max(1) as f64);
    }

    fn merge(&mut self, other: &Self) {
        self.cases += other.cases;
        self.first += other.first;
        self.found += other.found;
        self.in_range += other.in_range;
        self.errors.extend(&other.errors);
        self.widths.extend(&other.widths);
        self.shares.extend(&other.shares);
    }

    fn first_pct(&self) -> f64 {
        percentage(self.first, self.cases)
    }

    fn in_range_pct(&self) -> f64 {
        percentage(self.in_range, self.cases)
    }

    /// Middle of the errors, in percent of what is true.
    fn median_pct(&self) -> f64 {
        median_pct(&self.errors)
    }

    /// Share of the ranges whose ends are too far from their middle to be of use.
    fn wide_pct(&self) -> f64 {
        let wide = self.widths.iter().filter(|width| 100.0 * **width > WIDE_PCT).count();
        percentage(wide, self.widths.len())
    }

    /// What the faults cost in percent of a step, from and to.
    fn cost(&self) -> String {
        let shares = sorted(&self.shares);
        let end = |share: Option<&f64>| 100.0 * share.copied().unwrap_or_default();
        format!("{:.0} to {:.0} %", end(shares.first()), end(shares.last()))
    }

    fn cells(&self, name: &str) -> [String; 8] {
        [
            name.to_owned(),
            self.cases.to_string(),
            self.cost(),
            format!("{:.1} %", self.first_pct()),
            format!("{:.1} %", percentage(self.found, self.cases)),
            format!("{:.1} %", self.median_pct()),
            format!("{:.1} %", self.in_range_pct()),
            format!("{:.0} %", median_pct(&self.widths)),
        ]
    }
}

fn median_pct(values: &[f64]) -> f64 {
    let values = sorted(values);
    values.get(values.len() / 2).map_or(f64::INFINITY, |value| 100.0 * value)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

fn percentage(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// The places of the faults of a case are right: the fault itself first, of two faults the first two findings, what
/// costs more before what costs less.
fn are_first(verdicts: &[Verdict<'_>]) -> bool {
    let mut by_gain: Vec<&Verdict<'_>> = verdicts.iter().collect();
    by_gain.sort_by_key(|verdict| std::cmp::Reverse(verdict.truth.gain));
    by_gain.iter().enumerate().all(|(place, verdict)| verdict.place == Some(place))
}

/// Prints the table, the goals and the worst misses; answers whether all goals hold.
pub(super) fn print(answers: &[Answer]) -> bool {
    let mut faults: BTreeMap<&str, Score> = BTreeMap::new();
    let mut pairs = Score::default();
    let (mut healthy, mut sound) = (0, 0);
    let mut misses: Vec<(f64, String)> = Vec::new();
    for answer in answers {
        let verdicts = answer.verdicts();
        if verdicts.is_empty() {
            healthy += 1;
            let is_sound = answer.serious().next().is_none();
            sound += usize::from(is_sound);
            if !is_sound {
                misses.push((f64::INFINITY, line(answer, "a healthy job")));
            }
            continue;
        }
        let is_first = are_first(&verdicts);
        for verdict in &verdicts {
            let score = match verdicts.len() {
                1 => faults.entry(verdict.truth.fault).or_default(),
                _ => &mut pairs,
            };
            score.add(verdict, is_first, answer.step);
        }
        if !is_first {
            misses.push((1e9, line(answer, "not first")));
        } else if let Some(worst) = verdicts
            .iter()
            .filter(|verdict| !verdict.is_in_range)
            .max_by(|a, b| a.error.unwrap_or_default().total_cmp(&b.error.unwrap_or_default()))
        {
            misses.push((worst.error.unwrap_or_default(), line(answer, "out of range")));
        }
    }
    let mut table =
        Table::new(&["fault", "cases", "costs", "first", "found", "median error", "in range", "width ±"]);
    let mut all = Score::default();
    for (name, score) in &faults {
        table.row(score.cells(name));
        all.merge(score);
    }
    table.row(all.cells("every single fault"));
    if pairs.cases > 0 {
        table.row(pairs.cells("two faults at once"));
        all.merge(&pairs);
    }
    println!("{} simulated jobs\n\n{table}", answers.len());
    misses.sort_by(|a, b| b.0.total_cmp(&a.0));
    if !misses.is_empty() {
        println!("Misses, the worst first ({} in all)", misses.len());
        misses.iter().take(LISTED).for_each(|(_, text)| println!("{text}"));
        println!("  see one: cargo xtask bench findings --case NAME --keep DIR\n");
    }
    println!("{:.1} % of the ranges are wider than ±{WIDE_PCT:.0} % of their middle\n", all.wide_pct());
    println!("Goals");
    let sound = percentage(sound, healthy);
    let (first, error, in_range) = (all.first_pct(), all.median_pct(), all.in_range_pct());
    goal("% of faults are the first finding", first, ">=", GOAL_FIRST_PCT);
    goal("% of healthy jobs have no finding above info", sound, ">=", GOAL_HEALTHY_PCT);
    goal("% median error of the promised gain", error, "<=", GOAL_MEDIAN_ERROR_PCT);
    goal("% of true gains are within the stated range", in_range, ">=", GOAL_IN_RANGE_PCT);
    first >= GOAL_FIRST_PCT
        && (healthy == 0 || sound >= GOAL_HEALTHY_PCT)
        && error <= GOAL_MEDIAN_ERROR_PCT
        && in_range >= GOAL_IN_RANGE_PCT
}

fn milliseconds(nanoseconds: i64) -> String {
    format!("{:.3}", nanoseconds as f64 / 1e6)
}

/// A case on one line: what is true, and what was said.
fn line(answer: &Answer, what: &str) -> String {
    let truth: Vec<String> = answer.truth.iter().map(|truth| milliseconds(truth.gain)).collect();
    let said: Vec<String> = answer
        .found
        .iter()
        .take(3)
        .map(|found| match found.gain {
            Some((low, high)) => format!("{} {}..{}", found.id, milliseconds(low), milliseconds(high)),
            None => format!("{} ({})", found.id, found.severity),
        })
        .collect();
    format!(
        "  {what}: {}  step {} ms, true gain {} ms; said {}",
        answer.name,
        milliseconds(answer.step as i64),
        truth.join(" and "),
        if said.is_empty() { "nothing".to_owned() } else { said.join(", ") }
    )
}

/// Prints all findings of a case.
pub(super) fn print_one(answer: &Answer) {
    println!("{}", line(answer, "case"));
    for found in &answer.found {
        let gain = found.gain.map(|(low, high)| format!("{}..{} ms", milliseconds(low), milliseconds(high)));
        println!("    {} {} {}: {}", found.severity, found.id, gain.unwrap_or_default(), found.claim);
    }
}
