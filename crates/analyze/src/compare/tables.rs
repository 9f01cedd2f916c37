//! A comparison as a section.

use std::cmp::Reverse;

use super::change::{Change, Verdict, apportion};
use super::comparison::{Comparison, Row};
use super::condition::Checked;
use super::metric::{Basis, Metric};
use super::{findings, noise};
use crate::section::{Column, Number, Outcome, Section, Skipped, Table, Unit, Value};

/// The section.
pub(super) const ID: &str = "diff";

impl Comparison {
    /// The comparison as a section, and what could not be compared. `checked` are the user's conditions.
    pub fn outcomes(&self, checked: &[Checked]) -> Vec<Outcome> {
        let mut tables: Vec<Table> = Vec::new();
        tables.extend((!checked.is_empty()).then(|| conditions(checked)));
        tables.extend([self.summary(), self.counts(), self.kernels_table()]);
        tables.extend(self.operators.as_ref().map(|rows| self.operators_table(rows)));
        tables.extend([self.steps_table()]);
        tables.extend(self.collectives.as_ref().map(|rows| self.collectives_table(rows)));
        tables.extend(self.memory.as_ref().map(|rows| memory_table(rows, "memory", PEAKS)));
        tables.extend(self.lines.as_ref().map(|rows| memory_table(rows, "memory_at_peak", LINES)));
        tables.retain(|table| !table.rows.is_empty());
        let section = Section {
            id: ID,
            title: "Changes",
            numbers: self.numbers(),
            tables,
            charts: Vec::new(),
            findings: findings::of(self),
        };
        std::iter::once(Outcome::Section(section)).chain(self.skipped()).collect()
    }

    fn skipped(&self) -> Vec<Outcome> {
        let skipped = |id, missing: &str, how: &str| {
            Outcome::Skipped(Skipped { id, missing: missing.to_owned(), how_to_record: how.to_owned() })
        };
        let mut outcomes = Vec::new();
        if self.operators.is_none() {
            outcomes.push(skipped(
                "diff-operators",
                "operators in both runs: saved reports do not contain them, or the host was not recorded",
                "compare the traces themselves, recorded with `ProfilerActivity.CPU`",
            ));
        }
        if self.terms.basis == Basis::Recording {
            outcomes.push(skipped(
                "diff-steps",
                "profiler steps in both runs: whole recordings are compared, without a noise estimate",
                "call `prof.step()` at the end of every iteration and record at least five steps of each run",
            ));
        }
        if self.memory.is_none() {
            outcomes.push(skipped(
                "diff-memory",
                "memory in both runs: no allocations recorded, or saved reports do not contain them",
                "record with `torch.profiler.profile(profile_memory=True)` and compare the traces",
            ));
        }
        outcomes
    }

    fn numbers(&self) -> Vec<Number> {
        let number = Number::counter;
        let mut numbers = Vec::new();
        if self.base.ranks > 1 || self.new.ranks > 1 {
            let ranks = "recordings that times are averaged over";
            numbers.push(number("base_ranks", self.base.ranks.into(), Unit::Count, ranks));
            numbers.push(number("new_ranks", self.new.ranks.into(), Unit::Count, ranks));
        }
        if self.terms.basis == Basis::Step {
            let steps = "profiler steps of all ranks that times are averaged over";
            numbers.push(number("base_steps", self.base.steps.into(), Unit::Count, steps));
            numbers.push(number("new_steps", self.new.steps.into(), Unit::Count, steps));
        }
        if self.base.left_out != 0 || self.new.left_out != 0 {
            let steps = "outlying first steps of the ranks, excluded from the means";
            numbers.push(number("base_left_out_steps", self.base.left_out.into(), Unit::Count, steps));
            numbers.push(number("new_left_out_steps", self.new.left_out.into(), Unit::Count, steps));
            let time = "summed duration of GPU activities launched by excluded steps; in no other number";
            let (base, new) = (self.base.left_out_time, self.new.left_out_time);
            if self.terms.by_step && (base != 0 || new != 0) {
                numbers.push(number("base_left_out_ns", base.into(), Unit::Nanoseconds, time));
                numbers.push(number("new_left_out_ns", new.into(), Unit::Nanoseconds, time));
            }
        }
        if self.base.outside != 0 || self.new.outside != 0 {
            let outside = "summed duration of GPU activities launched by no step; in no other number";
            numbers.push(number("base_outside_ns", self.base.outside.into(), Unit::Nanoseconds, outside));
            numbers.push(number("new_outside_ns", self.new.outside.into(), Unit::Nanoseconds, outside));
        }
        numbers
    }

    /// Why a change has no band.
    fn no_band(&self) -> &'static str {
        match (self.terms.basis, self.terms.by_step) {
            (Basis::Recording, _) => "only one run has steps, or neither",
            (_, false) => "a saved report has no values per step",
            _ => "fewer than two steps",
        }
    }

    fn band(&self, change: &Change) -> [Value; 2] {
        let reason = if change.base.samples.is_empty() { self.no_band() } else { "fewer than two steps" };
        [
            change.band().map_or(Value::Missing(reason), |band| Value::Integer(band.round() as i64)),
            match (change.band(), change.band_percent()) {
                (None, _) => Value::Missing(reason),
                (_, None) => Value::Missing("the base is 0"),
                (_, Some(percent)) => Value::Float(percent),
            },
        ]
    }

    fn summary(&self) -> Table {
        let row = |(metric, change): &(Metric, Change)| {
            let [band, band_percent] = self.band(change);
            let verdict = change.verdict(Verdict::Faster, Verdict::Slower);
            let mut cells = vec![metric.id().into()];
            cells.extend(sides(change));
            cells.extend([change.delta().into(), percent(change), band_percent, verdict.id().into(), band]);
            cells
        };
        let times = self.metrics.iter().filter(|(metric, _)| metric.unit() == Unit::Nanoseconds);
        Table {
            id: "summary",
            title: match self.terms.basis {
                Basis::Step => "Summary, means per step and rank; changes in percent of the base",
                Basis::Recording => "Summary, means per rank; changes in percent of the base",
            },
            columns: vec![
                Column::new("metric", "Metric", Unit::None),
                Column::new("base_ns", "Base", Unit::Nanoseconds),
                Column::new("new_ns", "New", Unit::Nanoseconds),
                Column::new("delta_ns", "Change", Unit::Nanoseconds),
                Column::new("delta_pct", "In %", Unit::Percent),
                Column::new("band_pct", "Noise", Unit::Percent),
                Column::new("verdict", "Verdict", Unit::None),
                Column::new("band_ns", "Noise band", Unit::Nanoseconds),
            ],
            rows: times.map(row).collect(),
        }
    }

    fn counts(&self) -> Table {
        let row = |(metric, change): &(Metric, Change)| {
            let delta = change.numerator() as f64 / change.denominator() as f64;
            let delta = if delta.fract() == 0.0 { Value::Integer(delta as i64) } else { Value::Float(delta) };
            let verdict = change.verdict(Verdict::Less, Verdict::More).id();
            let [base, new] = [&change.base, &change.new].map(|side| side.exact_value());
            vec![metric.id().into(), base, new, delta, percent(change), verdict.into()]
        };
        let counts = self.metrics.iter().filter(|(metric, _)| metric.unit() == Unit::Count);
        Table {
            id: "counts",
            title: match self.terms.basis {
                Basis::Step => "Counts, means per step and rank",
                Basis::Recording => "Counts, means per rank",
            },
            columns: vec![
                Column::new("metric", "Metric", Unit::None),
                Column::new("base_count", "Base", Unit::Count),
                Column::new("new_count", "New", Unit::Count),
                Column::new("delta_count", "Change", Unit::Count),
                Column::new("delta_pct", "In %", Unit::Percent),
                Column::new("verdict", "Verdict", Unit::None),
            ],
            rows: counts.map(row).collect(),
        }
    }

    fn kernels_table(&self) -> Table {
        Table {
            id: "kernels",
            title: match (self.terms.basis, self.terms.by_step) {
                (Basis::Recording, _) => "GPU activities, means per rank; rows add up to kernels_time",
                (_, true) => "GPU activities, means per step and rank; rows add up to kernels_time",
                (_, false) => {
                    "GPU activities of the whole recordings, divided by steps and ranks; rows add up to kernels_time"
                }
            },
            columns: columns("type", "Type", &[]),
            rows: self.rows(&self.kernels, |_, _| Vec::new()),
        }
    }

    fn operators_table(&self, rows: &[Row]) -> Table {
        let more = [
            Column::new("base_gpu_ns", "Base on the GPU", Unit::Nanoseconds),
            Column::new("new_gpu_ns", "New on the GPU", Unit::Nanoseconds),
            Column::new("delta_gpu_ns", "Change on the GPU", Unit::Nanoseconds),
            Column::new("base_total_ns", "Base, inclusive", Unit::Nanoseconds),
            Column::new("new_total_ns", "New, inclusive", Unit::Nanoseconds),
        ];
        let gpu: Vec<i128> = rows.iter().map(|row| row.gpu.numerator()).collect();
        let gpu = apportion(&gpu, rows.first().map_or(1, |row| row.gpu.denominator()));
        let cells = |index: usize, row: &Row| {
            let [base_gpu, new_gpu] = sides(&row.gpu);
            let [base_total, new_total] = sides(&row.total);
            vec![base_gpu, new_gpu, gpu.get(index).copied().unwrap_or(0).into(), base_total, new_total]
        };
        Table {
            id: "operators",
            title: match self.terms.basis {
                Basis::Step => {
                    "Host operators, calls and ranges, exclusive time, means per step and rank; rows add up to \
                    operators_time"
                }
                Basis::Recording => {
                    "Host operators, calls and ranges, exclusive time, means per rank; rows add up to operators_time"
                }
            },
            columns: columns("kind", "Kind", &more),
            rows: self.rows(rows, cells),
        }
    }

    fn collectives_table(&self, rows: &[Row]) -> Table {
        Table {
            id: "collectives",
            title: match self.terms.basis {
                Basis::Step => "Collectives, means per step and rank; rows add up to comm_time",
                Basis::Recording => "Collectives, means per rank; rows add up to comm_time",
            },
            columns: columns("type", "Type", &[]),
            rows: self.rows(rows, |_, _| Vec::new()),
        }
    }

    /// Rows with their changes as integers that add up, the largest change first.
    fn rows(&self, rows: &[Row], more: impl Fn(usize, &Row) -> Vec<Value>) -> Vec<Vec<Value>> {
        let numerators: Vec<i128> = rows.iter().map(|row| row.time.numerator()).collect();
        let deltas = apportion(&numerators, rows.first().map_or(1, |row| row.time.denominator()));
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|&a, &b| {
            let key = |index: usize| Reverse(numerators[index].unsigned_abs());
            key(a).cmp(&key(b)).then_with(|| rows[a].name.cmp(&rows[b].name))
        });
        let cells = |index: usize| {
            let row = &rows[index];
            let mut cells = vec![row.name.as_str().into()];
            cells.extend(sides(&row.time));
            cells.extend([
                deltas[index].into(),
                percent(&row.time),
                row.time.verdict(Verdict::Faster, Verdict::Slower).id().into(),
                count(&row.calls.base, row.calls.in_base, NOT_IN_BASE),
                count(&row.calls.new, row.calls.in_new, NOT_IN_NEW),
                self.band(&row.time)[0].clone(),
                row.by.map_or(Value::Missing("in one run only"), |by| by.id().into()),
                row.class.into(),
                row.new_name.as_deref().map_or(Value::Missing("the same name"), Value::from),
            ]);
            cells.extend(more(index, row));
            cells
        };
        order.into_iter().map(cells).collect()
    }

    fn steps_table(&self) -> Table {
        let rows = self.steps.iter().map(|row| {
            let change = &row.time;
            let number = |number: Option<u64>| number.map_or(Value::Missing("fewer steps"), Value::from);
            let band = noise::band_of_values(&change.base.samples, &change.new.samples);
            let delta = change.numerator() as f64 / change.denominator() as f64;
            let verdict = match change.verdict(Verdict::Faster, Verdict::Slower) {
                _ if row.is_left_out => Verdict::LeftOut,
                verdict @ (Verdict::Added | Verdict::Removed | Verdict::Unchanged) => verdict,
                _ if band.is_some_and(|band| delta.abs() <= band) => Verdict::Noise,
                _ if delta < 0.0 => Verdict::Faster,
                _ => Verdict::Slower,
            };
            let [base, new] = sides(change);
            vec![
                number(row.base),
                number(row.new),
                base,
                new,
                change.delta().into(),
                percent(change),
                verdict.id().into(),
                match band {
                    _ if row.is_left_out => Value::Missing("outlying first step"),
                    None => Value::Missing("fewer than two steps"),
                    Some(band) => Value::Integer(band.round() as i64),
                },
                row.by.map_or(Value::Missing("in one run only"), |by| by.id().into()),
            ]
        });
        Table {
            id: "steps",
            title: "Steps on the host, means over the ranks; noise is the variation of single steps",
            columns: vec![
                Column::new("base_step", "Base step", Unit::None),
                Column::new("new_step", "New step", Unit::None),
                Column::new("base_ns", "Base", Unit::Nanoseconds),
                Column::new("new_ns", "New", Unit::Nanoseconds),
                Column::new("delta_ns", "Change", Unit::Nanoseconds),
                Column::new("delta_pct", "In %", Unit::Percent),
                Column::new("verdict", "Verdict", Unit::None),
                Column::new("band_ns", "Noise band", Unit::Nanoseconds),
                Column::new("matched_by", "Matched by", Unit::None),
            ],
            rows: rows.collect(),
        }
    }
}

const NOT_IN_BASE: &str = "not in the base";
const NOT_IN_NEW: &str = "not in the new run";

/// The means of both runs.
fn sides(change: &Change) -> [Value; 2] {
    [
        if change.in_base { change.base.value().into() } else { Value::Missing(NOT_IN_BASE) },
        if change.in_new { change.new.value().into() } else { Value::Missing(NOT_IN_NEW) },
    ]
}

fn count(side: &super::change::Side, is_there: bool, otherwise: &'static str) -> Value {
    if is_there { side.exact_value() } else { Value::Missing(otherwise) }
}

fn percent(change: &Change) -> Value {
    match change.percent() {
        _ if !change.in_base => Value::Missing(NOT_IN_BASE),
        Some(percent) => Value::Float(percent),
        None => Value::Missing("the base is 0"),
    }
}

fn columns(class: &'static str, class_title: &'static str, more: &[Column]) -> Vec<Column> {
    let mut columns = vec![
        Column::new("name", "Name", Unit::None),
        Column::new("base_ns", "Base", Unit::Nanoseconds),
        Column::new("new_ns", "New", Unit::Nanoseconds),
        Column::new("delta_ns", "Change", Unit::Nanoseconds),
        Column::new("delta_pct", "In %", Unit::Percent),
        Column::new("verdict", "Verdict", Unit::None),
        Column::new("base_calls", "Base calls", Unit::Count),
        Column::new("new_calls", "New calls", Unit::Count),
        Column::new("band_ns", "Noise band", Unit::Nanoseconds),
        Column::new("matched_by", "Matched by", Unit::None),
        Column::new(class, class_title, Unit::None),
        Column::new("new_name", "Name in the new run", Unit::None),
    ];
    columns.extend(more);
    columns
}

const PEAKS: &str = "Memory peaks, maximum over all ranks; one value per run, so noise is unknown";
const LINES: &str = "Memory in use at the peak by source line, maximum over all ranks";

fn memory_table(rows: &[(String, Change)], id: &'static str, title: &'static str) -> Table {
    let row = |(name, change): &(String, Change)| {
        let [base, new] = sides(change);
        let verdict = change.verdict(Verdict::Less, Verdict::More).id();
        vec![name.as_str().into(), base, new, change.delta().into(), percent(change), verdict.into()]
    };
    Table {
        id,
        title,
        columns: vec![
            Column::new("name", "Memory", Unit::None),
            Column::new("base_bytes", "Base", Unit::Bytes),
            Column::new("new_bytes", "New", Unit::Bytes),
            Column::new("delta_bytes", "Change", Unit::Bytes),
            Column::new("delta_pct", "In %", Unit::Percent),
            Column::new("verdict", "Verdict", Unit::None),
        ],
        rows: rows.iter().map(row).collect(),
    }
}

fn conditions(checked: &[Checked]) -> Table {
    let row = |checked: &Checked| {
        vec![
            checked.text.as_str().into(),
            checked.result.id().into(),
            checked.percent.map_or(Value::Missing("the base is 0"), Value::Float),
            checked.message.as_str().into(),
        ]
    };
    Table {
        id: "conditions",
        title: "Conditions of --fail-on",
        columns: vec![
            Column::new("condition", "Condition", Unit::None),
            Column::new("verdict", "Result", Unit::None),
            Column::new("delta_pct", "Change in %", Unit::Percent),
            Column::new("note", "Because", Unit::None),
        ],
        rows: checked.iter().map(row).collect(),
    }
}
