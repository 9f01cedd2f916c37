//! The rows of a trace against a device.

use eaves_assess::roofline::{self, Load};
use eaves_model::Ns;
use eaves_roofline::{Assessment, Device, Settings};

use super::{Arguments, Class, OperatorRow, TracePoints, findings, gaps};
use crate::section::{Column, Number, Provenance, Section, Table, Unit, Value};
use crate::untimed;
use eaves_roofline::operand_text::compact;

/// The part of a job that the rows are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// How many recordings were combined.
    pub ranks: u64,
    /// Their selected profiler steps, all ranks together.
    pub steps: u64,
}

/// A row with what its roof says.
pub(super) struct Held<'a> {
    pub(super) row: &'a OperatorRow,
    /// One call against its roof; nothing without a load.
    pub(super) found: Option<Assessment>,
}

impl Held<'_> {
    /// Best time of all calls in nanoseconds.
    pub(super) fn ideal(&self) -> Option<f64> {
        Some(self.found.as_ref()?.ideal? * 1e9 * self.row.times.count() as f64)
    }

    /// Time above the best time in nanoseconds; nothing above the roof, or if the best time may be longer.
    pub(super) fn headroom(&self) -> Option<f64> {
        if self.row.load.as_ref().is_ok_and(|load| load.at_least) {
            return None;
        }
        let headroom = self.found.as_ref()?.headroom?;
        (headroom > 0.0).then_some(headroom * 1e9 * self.row.times.count() as f64)
    }
}

/// Holds the rows of a trace against a device.
///
/// The tables of [`section()`](eaves_assess::roofline::section()), and besides: `by_arguments` with every row, whose counted times add up
/// to the busy time exactly, `by_operator` and `by_class`.
pub fn trace_section(points: &TracePoints, scope: Scope, device: &Device, settings: &Settings) -> Section {
    let points = &points.on(device);
    let held: Vec<Held<'_>> = points
        .rows
        .iter()
        .map(|row| Held { row, found: row.load.as_ref().ok().map(|load| found(row, load, device, settings)) })
        .collect();
    let mut section = roofline::section(&points.points(), device, settings);
    section.numbers.extend(numbers(points));
    section.tables.extend([
        by_operator(points, &held),
        by_class(points),
        gaps::table(points),
        by_arguments(points),
    ]);
    section.findings.extend(findings::findings(points, &held, scope, settings));
    if !points.rows.is_empty() && points.time() == Ns::ZERO {
        untimed::without_times(&mut section);
    }
    section
}

fn found(row: &OperatorRow, load: &Load, device: &Device, settings: &Settings) -> Assessment {
    roofline::assessed(load, row.times.mean().map(|mean| mean * 1e-9), device, settings)
}

fn numbers(points: &TracePoints) -> Vec<Number> {
    let number = Number::new;
    let time =
        |id, time: Ns, explain| number(id, time.into(), Unit::Nanoseconds, Provenance::Counter, explain);
    let (covered, whole) = points.covered();
    vec![
        time(
            "busy_ns",
            points.busy,
            if points.is_of_host() {
                "Time with a thread inside an operator, over all ranks."
            } else {
                "Device busy time, over all devices and ranks."
            },
        ),
        time(
            "overlap_ns",
            points.overlap(),
            "Time of all rows minus the busy time: concurrent work is in several rows.",
        ),
        number(
            "covered_pct",
            share(covered, whole),
            Unit::Percent,
            Provenance::Formula,
            "Busy time of rows with a formula result, relative to busy time without communication and framework \
            overhead.",
        ),
        time(
            "unrecorded_ns",
            points.unrecorded(),
            "Busy time without a model because the recording lacks its inputs; see table gaps.",
        ),
        time(
            "communication_ns",
            points.counted(Class::Communication),
            "Busy time with communication only, which is not compared with memory.",
        ),
        time(
            "framework_ns",
            points.counted(Class::Framework),
            "CPU time in the framework itself: views, allocation, dispatch, autograd bookkeeping.",
        ),
        time(
            "graph_replay_ns",
            points.counted(Class::Replay),
            "Busy time of graph replays whose operators are not recorded.",
        ),
        time(
            "captured_ns",
            points.counted(Class::Captured),
            "Busy time of graph replays whose operators are known from a capture trace.",
        ),
        time(
            "matched_ns",
            points.counted(Class::Matched),
            "Busy time of unrecorded calls, matched to recorded ones by their kernels.",
        ),
        time(
            "unattributed_ns",
            points.counted(Class::Unattributed),
            "Busy time of activities launched by no operator.",
        ),
    ]
}

fn share(part: Ns, whole: Ns) -> Value {
    Value::percent(part.0, whole.0)
}

const BY_OPERATOR: [Column; 12] = [
    Column::new("name", "Name", Unit::None),
    Column::new("kind", "Kind", Unit::None),
    Column::new("calls", "Calls", Unit::Count),
    Column::new("time_ns", "Time", Unit::Nanoseconds),
    Column::new("counted_ns", "Counted once", Unit::Nanoseconds),
    Column::new("share_pct", "Of busy time", Unit::Percent),
    Column::new("flops", "FLOPs", Unit::Flop),
    Column::new("bytes", "Bytes", Unit::Bytes),
    Column::new("ideal_ns", "Best time", Unit::Nanoseconds),
    Column::new("pct_of_roof", "Of roof", Unit::Percent),
    Column::new("headroom_ns", "Headroom", Unit::Nanoseconds),
    Column::new("assessed_pct", "Assessed", Unit::Percent),
];

/// Sums over the rows of one name.
#[derive(Default)]
struct Sum<'a> {
    name: &'a str,
    class: Option<Class>,
    kind: &'static str,
    calls: u64,
    time: Ns,
    counted: Ns,
    /// Nothing once a row of the name has an amount that was not counted.
    flops: Option<f64>,
    bytes: Option<f64>,
    /// Best time and time of the rows that have one.
    ideal: f64,
    assessed: f64,
    headroom: f64,
}

fn by_operator(points: &TracePoints, held: &[Held<'_>]) -> Table {
    let mut places = std::collections::HashMap::new();
    let mut sums: Vec<Sum<'_>> = Vec::new();
    for one in held {
        let row = one.row;
        let place = *places.entry((row.class, row.name.as_str())).or_insert_with(|| {
            sums.push(Sum {
                name: &row.name,
                class: Some(row.class),
                kind: row.category,
                flops: Some(0.0),
                bytes: Some(0.0),
                ..Sum::default()
            });
            sums.len() - 1
        });
        let sum = &mut sums[place];
        sum.calls += row.times.count();
        sum.time += row.time();
        sum.counted += row.counted;
        if let Ok(load) = &row.load {
            let calls = row.times.count() as f64;
            let add = |sum: Option<f64>, one: Option<f64>| Some(sum? + one? * calls);
            sum.flops = add(sum.flops, load.operations());
            sum.bytes = add(sum.bytes, load.moved());
        }
        if let Some(ideal) = one.ideal() {
            sum.ideal += ideal;
            sum.assessed += row.time().as_f64();
            sum.headroom += one.headroom().unwrap_or(0.0);
        }
    }
    sums.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| (a.class, a.name).cmp(&(b.class, b.name))));
    let rows = sums.iter().map(|sum| {
        let known = sum.assessed > 0.0;
        let only = |value: Value| if known { value } else { Value::Missing("no formula or no roof") };
        let amount = |sum: Option<f64>| match sum {
            Some(sum) => only(Value::float(sum, "too large")),
            None => Value::Missing("not counted"),
        };
        let whole = |value: f64| Value::Integer(value.round() as i64);
        vec![
            sum.name.into(),
            sum.kind.into(),
            sum.calls.into(),
            sum.time.into(),
            sum.counted.into(),
            share(sum.counted, points.busy),
            amount(sum.flops),
            amount(sum.bytes),
            only(whole(sum.ideal)),
            only(Value::float(100.0 * sum.ideal / sum.assessed, "no time")),
            only(whole(sum.headroom)),
            Value::float(100.0 * sum.assessed / sum.time.as_f64(), "no time"),
        ]
    });
    Table { id: "by_operator", title: "By operator", columns: BY_OPERATOR.to_vec(), rows: rows.collect() }
}

const BY_CLASS: [Column; 6] = [
    Column::new("class", "Class", Unit::None),
    Column::new("calls", "Calls", Unit::Count),
    Column::new("time_ns", "Time", Unit::Nanoseconds),
    Column::new("counted_ns", "Counted once", Unit::Nanoseconds),
    Column::new("overlap_ns", "Overlap", Unit::Nanoseconds),
    Column::new("share_pct", "Of busy time", Unit::Percent),
];

/// Name of the class of replays of graphs.
const REPLAY: &str = "graph replay";

/// Name of the class of what the framework does itself.
const FRAMEWORK: &str = "framework";

/// Names of the classes of operators whose calls were not recorded.
const MATCHED: [&str; 2] =
    ["operator matched by its kernels", "operator matched by its kernels, without a formula"];

/// Names of the classes of operators of replayed graphs.
const CAPTURED: [&str; 2] =
    ["operator of a replayed graph", "operator of a replayed graph, without a formula"];

/// Names of the classes of kernels with counters.
const COUNTED: [&str; 2] = ["kernel with counters", "kernel with unrelated counters"];

/// A row for each class, also where it has nothing: that no time is unattributed is worth a row.
fn by_class(points: &TracePoints) -> Table {
    type Group = (&'static str, fn(&OperatorRow) -> bool);
    let groups: [Group; 12] = [
        ("operator", |row| row.class == Class::Operator && row.load.is_ok()),
        ("operator without a formula", |row| row.class == Class::Operator && row.load.is_err()),
        (COUNTED[0], |row| row.class == Class::Kernel && row.load.is_ok()),
        (COUNTED[1], |row| row.class == Class::Kernel && row.load.is_err()),
        ("communication", |row| row.class == Class::Communication),
        (REPLAY, |row| row.class == Class::Replay),
        (CAPTURED[0], |row| row.class == Class::Captured && row.load.is_ok()),
        (CAPTURED[1], |row| row.class == Class::Captured && row.load.is_err()),
        (MATCHED[0], |row| row.class == Class::Matched && row.load.is_ok()),
        (MATCHED[1], |row| row.class == Class::Matched && row.load.is_err()),
        (FRAMEWORK, |row| row.class == Class::Framework),
        ("unattributed", |row| row.class == Class::Unattributed),
    ];
    // Few recordings have counters of kernels, replays or matched calls, and only they have these classes.
    let has = |class| points.rows.iter().any(|row| row.class == class);
    let (has_counters, has_replays) = (has(Class::Kernel), has(Class::Replay));
    let has_captured = has(Class::Captured);
    let (has_matched, has_framework) = (has(Class::Matched), has(Class::Framework));
    let is_shown = |name: &str| {
        (has_counters || !COUNTED.contains(&name))
            && (has_framework || name != FRAMEWORK)
            && (has_replays || name != REPLAY)
            && (has_captured || !CAPTURED.contains(&name))
            && (has_matched || !MATCHED.contains(&name))
    };
    let rows = groups.iter().filter(|(name, _)| is_shown(name)).map(|(name, is_in)| {
        let rows = || points.rows.iter().filter(|row| is_in(row));
        let time: Ns = rows().map(OperatorRow::time).sum();
        let counted: Ns = rows().map(|row| row.counted).sum();
        vec![
            (*name).into(),
            rows().map(|row| row.times.count()).sum::<u64>().into(),
            time.into(),
            counted.into(),
            (time - counted).into(),
            share(counted, points.busy),
        ]
    });
    Table {
        id: "by_class",
        title: "Busy time by owner; times counted once add up to it",
        columns: BY_CLASS.to_vec(),
        rows: rows.collect(),
    }
}

const BY_ARGUMENTS: [Column; 23] = [
    Column::new("class", "Class", Unit::None),
    Column::new("name", "Name", Unit::None),
    Column::new("of", "Of", Unit::None),
    Column::new("dims", "Shapes", Unit::None),
    Column::new("types", "Types", Unit::None),
    Column::new("strides", "Strides", Unit::None),
    Column::new("concrete", "Scalars", Unit::None),
    Column::new("calls", "Calls", Unit::Count),
    Column::new("activities", "Activities", Unit::Count),
    Column::new("time_ns", "Time", Unit::Nanoseconds),
    Column::new("counted_ns", "Counted once", Unit::Nanoseconds),
    Column::new("overlap_ns", "Overlap", Unit::Nanoseconds),
    Column::new("mean_ns", "Mean", Unit::Nanoseconds),
    Column::new("min_ns", "Min", Unit::Nanoseconds),
    Column::new("max_ns", "Max", Unit::Nanoseconds),
    Column::new("flops", "FLOPs per call", Unit::Flop),
    Column::new("bytes", "Bytes per call", Unit::Bytes),
    Column::new("computed_in", "Computed in", Unit::None),
    Column::new("assumes", "Assumes", Unit::None),
    Column::new("precision_from", "Precision from", Unit::None),
    Column::new("work_from", "Work from", Unit::None),
    Column::new("attributed_by", "Attributed by", Unit::None),
    Column::new("reason", "Why no formula", Unit::None),
];

/// What amounts take for granted.
fn assumes(load: &Load) -> Value {
    match (load.assumes, load.at_least) {
        ("", _) => Value::Missing("nothing"),
        (what, false) => what.into(),
        (what, true) => format!("at least: {what}").into(),
    }
}

/// What the amounts of a row were taken from.
fn work_from(row: &OperatorRow) -> &'static str {
    let Arguments { dims, step, launches, list_type, gradient, told_by, .. } = &row.arguments;
    match row.class {
        Class::Kernel => "counters",
        _ if dims.ends_with(" bytes") => "recorded bytes",
        Class::Unattributed => "kernel name and launch size",
        _ if !told_by.is_empty() => told_by,
        _ if !launches.is_empty() => "arguments and launched kernels",
        _ if !step.is_empty() => "arguments and step annotation",
        _ if !gradient.is_empty() => "arguments and gradient",
        _ if !list_type.is_empty() => "arguments and kernel name",
        _ => "arguments",
    }
}

/// How it is known whose work a row is.
fn attributed_by(row: &OperatorRow) -> Value {
    match (row.class, row.arguments.matched_by) {
        (Class::Operator, _) => "launch".into(),
        (Class::Captured | Class::Matched, by) => by.into(),
        (Class::Framework, _) => "its thread".into(),
        (Class::Kernel | Class::Communication | Class::Replay | Class::Unattributed, _) => {
            Value::Missing("no operator")
        }
    }
}

/// Every row.
fn by_arguments(points: &TracePoints) -> Table {
    let cells = |row: &OperatorRow| {
        let text = |text: &str, otherwise| match text {
            "" => Value::Missing(otherwise),
            text => text.into(),
        };
        let argument = |argument: &str| text(&compact(argument), "not recorded");
        let time = |time: Option<Ns>| time.map_or(Value::Missing("no calls"), Value::from);
        let load = row.load.as_ref().ok();
        let number = |value: Option<f64>| {
            value.map_or(Value::Missing("no formula"), |value| Value::float(value, "too large"))
        };
        let computed_in = load.and_then(|load| Some(format!("{} {}", load.arithmetic?, load.engine)));
        vec![
            row.class.id().into(),
            row.name.as_str().into(),
            text(&row.of, "neither a backward function nor unattributed"),
            argument(&row.arguments.dims),
            argument(&row.arguments.types),
            argument(&row.arguments.strides),
            argument(&row.arguments.concrete),
            row.times.count().into(),
            row.activities.into(),
            row.time().into(),
            row.counted.into(),
            row.overlap().into(),
            row.times.mean().map_or(Value::Missing("no calls"), Value::Float),
            time(row.times.min()),
            time(row.times.max()),
            number(load.and_then(Load::operations)),
            number(load.and_then(Load::moved)),
            computed_in.map_or(Value::Missing("no arithmetic"), Value::from),
            load.map_or(Value::Missing("no formula"), assumes),
            match (load.and_then(|load| load.arithmetic), row.arguments.computed_in) {
                (None, _) => Value::Missing("no arithmetic"),
                (_, "") if row.class == Class::Kernel => "counters".into(),
                (_, "") => "operator".into(),
                _ => "kernel name".into(),
            },
            load.map_or(Value::Missing("no formula"), |_| work_from(row).into()),
            attributed_by(row),
            row.load.as_ref().err().map_or(Value::Missing("it has one"), |reason| reason.as_str().into()),
        ]
    };
    Table {
        id: "by_arguments",
        title: "By operator and arguments; times counted once add up to the busy time",
        columns: BY_ARGUMENTS.to_vec(),
        rows: points.rows.iter().map(cells).collect(),
    }
}
