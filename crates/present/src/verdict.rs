//! The verdict of a report: the numbers that people ask for first, taken from its sections.

use eaves_section::{Section, Table, Unit, Value, quantity};

use crate::Document;

/// One line of the verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictLine {
    /// What it is about.
    pub label: &'static str,
    /// The numbers.
    pub text: String,
}

/// Causes that are named of the time of a main thread.
const NAMED_CAUSES: usize = 4;

/// The verdict of a report; empty for documents whose sections have none of its numbers.
pub fn verdict(document: &Document) -> Vec<VerdictLine> {
    let section = |id: &str| document.sections().find(|section| section.id == id);
    let breakdown = section("temporal-breakdown");
    let lines = [
        ("Step time", section("steps").and_then(|steps| step_time(document, steps))),
        ("GPU busy", breakdown.and_then(gpu_busy)),
        ("Exposed communication", breakdown.and_then(exposed_communication)),
        ("Main thread", section("cpu-time").and_then(main_thread)),
        ("Roofline", section("roofline").and_then(headroom)),
        ("Peak memory", section("memory").and_then(peak_memory)),
    ];
    lines.into_iter().filter_map(|(label, text)| Some(VerdictLine { label, text: text? })).collect()
}

/// A number of a section with its rank.
struct OfRank<'a> {
    rank: Option<i64>,
    value: &'a Value,
    unit: Unit,
}

impl OfRank<'_> {
    fn amount(&self) -> f64 {
        match self.value {
            Value::Integer(value) => *value as f64,
            Value::Float(value) => *value,
            _ => 0.0,
        }
    }

    fn shown(&self) -> String {
        quantity::value(self.value, self.unit)
    }
}

/// The known values of a number, by rank.
fn of_ranks<'a>(section: &'a Section, id: &str) -> Vec<OfRank<'a>> {
    let numbers = section.numbers.iter().filter(|number| number.id == id);
    let known = numbers.filter(|number| matches!(number.value, Value::Integer(_) | Value::Float(_)));
    known.map(|number| OfRank { rank: number.rank, value: &number.value, unit: number.unit }).collect()
}

/// The smallest and the largest of some values.
fn ends<'a, 'b>(values: &'b [OfRank<'a>]) -> Option<(&'b OfRank<'a>, &'b OfRank<'a>)> {
    let order = |a: &&OfRank<'_>, b: &&OfRank<'_>| a.amount().total_cmp(&b.amount());
    Some((values.iter().min_by(order)?, values.iter().max_by(order)?))
}

/// The value of one rank, or the smallest and the largest of several with whose they are.
fn range(values: &[OfRank<'_>]) -> Option<String> {
    let (least, most) = ends(values)?;
    let named = |of: &OfRank<'_>| match of.rank {
        Some(rank) => format!("{} (rank {rank})", of.shown()),
        None => of.shown(),
    };
    Some(match (values.len(), least.shown() == most.shown()) {
        (1, _) => least.shown(),
        (ranks, true) => format!("{} on each of {ranks} ranks", least.shown()),
        _ => format!("{} to {}", named(least), named(most)),
    })
}

fn step_time(document: &Document, steps: &Section) -> Option<String> {
    let medians = of_ranks(steps, "median_ns");
    let (least, most) = ends(&medians)?;
    let text = match (least.shown(), most.shown()) {
        (least, most) if least == most => format!("{least} (median)"),
        (least, most) => format!("{least} to {most} (medians)"),
    };
    let findings = document.findings();
    let first = findings.iter().find_map(|(_, finding)| finding.gain.as_ref());
    Some(match first.filter(|gain| gain.per_step && gain.high.0 > 0) {
        Some(gain) => format!("{text}, up to {} avoidable", quantity::duration(gain.high)),
        None => text,
    })
}

fn gpu_busy(breakdown: &Section) -> Option<String> {
    Some(format!("{} of the GPU span", range(&of_ranks(breakdown, "busy_pct"))?))
}

fn exposed_communication(breakdown: &Section) -> Option<String> {
    let exposed = of_ranks(breakdown, "exposed_comm_pct");
    let (_, most) = ends(&exposed)?;
    (most.amount() > 0.0).then(|| range(&exposed))?.map(|range| format!("{range} of the GPU span"))
}

/// What the main thread of the first rank did, the longest first.
fn main_thread(cpu: &Section) -> Option<String> {
    let table = cpu.tables.iter().find(|table| table.id == "by_cause")?;
    let (rank, cause, share) = (index(table, "rank")?, index(table, "cause")?, index(table, "share_pct")?);
    let first = table.rows.first()?.get(rank)?;
    let of_first = table.rows.iter().filter(|row| row.get(rank) == Some(first));
    let parts: Vec<String> = of_first
        .take(NAMED_CAUSES)
        .filter_map(|row| {
            let share = quantity::value(row.get(share)?, Unit::Percent);
            Some(format!("{} {share}", quantity::value(row.get(cause)?, Unit::None)))
        })
        .collect();
    let window = of_ranks(cpu, "window_ns");
    Some(format!("{} of {}", parts.join(", "), window.first()?.shown()))
}

fn headroom(roofline: &Section) -> Option<String> {
    let whole = |id: &str| of_ranks(roofline, id).first().map(OfRank::shown);
    Some(format!(
        "{} headroom in {}; {} of it has a roof",
        whole("headroom_ns")?,
        whole("time_ns")?,
        whole("assessed_pct")?
    ))
}

fn peak_memory(memory: &Section) -> Option<String> {
    let text = range(&of_ranks(memory, "peak_bytes"))?;
    let capacity = memory.tables.iter().find(|table| table.id == "by_device").and_then(|table| {
        let value = table.rows.first()?.get(index(table, "capacity_bytes")?)?;
        matches!(value, Value::Integer(_)).then(|| quantity::value(value, Unit::Bytes))
    });
    Some(match capacity {
        Some(capacity) => format!("{text}, of {capacity}"),
        None => text,
    })
}

fn index(table: &Table, column: &str) -> Option<usize> {
    table.columns.iter().position(|known| known.id == column)
}

#[cfg(test)]
mod tests {
    use eaves_section::{Number, Outcome, Provenance};

    use super::*;

    fn number(id: &'static str, rank: i64, value: Value, unit: Unit) -> Number {
        Number { id, rank: Some(rank), value, unit, provenance: Provenance::Formula, explain: "" }
    }

    fn document(id: &'static str, numbers: Vec<Number>) -> Document {
        let section = Section { id, numbers, ..Section::default() };
        Document { outcomes: vec![Outcome::Section(section)], ..Document::default() }
    }

    fn texts(document: &Document) -> Vec<(&'static str, String)> {
        verdict(document).into_iter().map(|line| (line.label, line.text)).collect()
    }

    #[test]
    fn ranks_are_a_range_whose_ends_are_named() {
        let share = |rank, share| number("busy_pct", rank, Value::Float(share), Unit::Percent);
        let numbers = vec![share(0, 96.0), share(1, 76.0), share(2, 80.0)];
        let text = "76.0% (rank 1) to 96.0% (rank 0) of the GPU span";
        assert_eq!(texts(&document("temporal-breakdown", numbers)), [("GPU busy", text.to_owned())]);
        let peak = |rank| number("peak_bytes", rank, Value::Integer(3 << 30), Unit::Bytes);
        let text = "3.0 GiB on each of 2 ranks";
        assert_eq!(texts(&document("memory", vec![peak(0), peak(1)])), [("Peak memory", text.to_owned())]);
    }

    #[test]
    fn what_was_not_recorded_is_not_in_the_verdict() {
        let missing = number("peak_bytes", 0, Value::Missing("not recorded"), Unit::Bytes);
        assert!(verdict(&document("memory", vec![missing])).is_empty());
        assert!(verdict(&Document::default()).is_empty());
        let none = number("exposed_comm_pct", 0, Value::Float(0.0), Unit::Percent);
        assert!(verdict(&document("temporal-breakdown", vec![none])).is_empty());
    }
}
