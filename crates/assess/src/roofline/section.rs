//! The `roofline` section.

use eaves_roofline::device::Peak;
use eaves_roofline::{Assessment, Ceiling, Counts, Device, Roof, Settings, Status, assess};
use eaves_section::{Chart, Column, Finding, Number, Provenance, Section, Severity, Table, Unit, Value};

use super::levels::Levels;
use super::{Load, Point};
use crate::unverified;

/// Holds points against a device. Points without a load are in their own table, never at zero on the chart.
pub fn section(points: &[Point], device: &Device, settings: &Settings) -> Section {
    let mut rows = Vec::new();
    let mut unmodelled = Vec::new();
    let mut totals = Totals::default();
    // Only inputs that are lists of records have them.
    let recorded = points.iter().any(|point| point.record.is_some());
    let levels = Levels::of(points);
    let mut used = Vec::new();
    for point in points {
        if let Some(time) = point.time {
            *totals.time.get_or_insert(0.0) += time;
        }
        match &point.load {
            Ok(load) => {
                let seconds = point.time.map(|time| time * 1e-9 / point.calls.max(1) as f64);
                let found = assessed(load, seconds, device, settings);
                used.extend(peak(load, device));
                totals.add(point, &found);
                let mut row = row(point, load, &found);
                row.extend(levels.cells(load));
                if recorded {
                    row.push(Value::known_text(point.record.as_deref(), "no records"));
                }
                rows.push(row);
            }
            Err(reason) => unmodelled.push(vec![
                point.name.as_str().into(),
                point.kind.as_str().into(),
                point.dtype.as_str().into(),
                point.calls.into(),
                nanoseconds(point.time),
                reason.as_str().into(),
            ]),
        }
    }
    let mut columns = POINTS.to_vec();
    columns.extend(levels.columns());
    if recorded {
        columns.push(Column::new("record", "Record", Unit::None));
    }
    let findings = unverified::note(device, used).into_iter().chain(too_few_bytes(points)).collect();
    Section {
        id: "roofline",
        title: "Roofline",
        numbers: totals.numbers(device),
        tables: vec![
            Table { id: "points", title: "Against the roof", columns, rows },
            Table { id: "roofs", title: "Roofs", columns: ROOFS.to_vec(), rows: roofs(device) },
            Table {
                id: "unmodelled",
                title: "Without a formula",
                columns: UNMODELLED.to_vec(),
                rows: unmodelled,
            },
        ],
        charts: vec![Chart::Roofline { points: "points", ceilings: "roofs", without_formula: "unmodelled" }],
        findings,
    }
}

/// A measurement of fewer bytes than the operands have, which is one of something else.
fn too_few_bytes(points: &[Point]) -> Option<Finding> {
    let efficiency = |point: &Point| point.load.as_ref().ok().and_then(efficiency);
    let wrong = points.iter().filter_map(|point| Some((efficiency(point)?, point.name.as_str())));
    let wrong: Vec<(f64, &str)> = wrong.filter(|(pct, _)| *pct > 100.0 * (1.0 + 1e-9)).collect();
    let (most, name) = wrong.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let subject = match wrong.len() {
        1 => format!("{name} moved"),
        count => format!("{count} points moved"),
    };
    Some(Finding {
        id: "too_few_bytes",
        severity: Severity::Warning,
        claim: format!("{subject} fewer bytes than the operands have: data efficiency is up to {most:.0}%."),
        gain: None,
        evidence: "column `data_efficiency_pct` of the table `points`".to_owned(),
        next: "Check `hw_bytes` and the shapes of these commands. If both are right, operands stayed in a cache or were \
               compressed, and the intensity is that of the bytes that were moved."
            .to_owned(),
    })
}

/// Bytes that must be moved in percent of those that were.
fn efficiency(load: &Load) -> Option<f64> {
    let needed = (!load.bytes_unknown).then_some(load.bytes)?;
    load.measured_bytes.map(|measured| 100.0 * needed / measured)
}

/// The columns of points. `intensity`, `achieved_gflops` and `roof_gflops` count what the device's peak counts.
const POINTS: [Column; 22] = [
    Column::new("name", "Name", Unit::None),
    Column::new("kind", "Kind", Unit::None),
    Column::new("dtype", "Type", Unit::None),
    Column::new("calls", "Calls", Unit::Count),
    Column::new("flops", "FLOPs per call", Unit::Flop),
    Column::new("macs", "MACs per call", Unit::Count),
    Column::new("bytes", "Bytes per call", Unit::Bytes),
    Column::new("time_ns", "Time", Unit::Nanoseconds),
    Column::new("intensity", "Intensity", Unit::FlopPerByte),
    Column::new("achieved_gflops", "Achieved", Unit::GigaflopsPerSecond),
    Column::new("achieved_gbps", "Bandwidth", Unit::GigabytesPerSecond),
    Column::new("roof_gflops", "Roof", Unit::GigaflopsPerSecond),
    Column::new("pct_of_roof", "Of roof", Unit::Percent),
    Column::new("class", "Class", Unit::None),
    Column::new("bound_by", "Bound by", Unit::None),
    Column::new("delta_log10_oi_to_knee", "To knee (log10)", Unit::None),
    Column::new("headroom_ns", "Headroom", Unit::Nanoseconds),
    Column::new("status", "Status", Unit::None),
    Column::new("symbol", "Symbol", Unit::None),
    Column::new("ideal_intensity", "Intensity without waste", Unit::FlopPerByte),
    Column::new("data_efficiency_pct", "Data efficiency", Unit::Percent),
    Column::new("flag", "Flag", Unit::None),
];

/// The columns of roofs: `kind` is `compute` or `memory`, `rate` is in GFLOP/s (or what `counts` says) or GB/s.
const ROOFS: [Column; 7] = [
    Column::new("name", "Name", Unit::None),
    Column::new("kind", "Kind", Unit::None),
    Column::new("rate", "Rate", Unit::None),
    Column::new("counts", "Counts", Unit::None),
    Column::new("knee", "Knee", Unit::FlopPerByte),
    Column::new("source", "Source", Unit::None),
    Column::new("confidence", "Confidence", Unit::None),
];

const UNMODELLED: [Column; 6] = [
    Column::new("name", "Name", Unit::None),
    Column::new("kind", "Kind", Unit::None),
    Column::new("dtype", "Type", Unit::None),
    Column::new("calls", "Calls", Unit::Count),
    Column::new("time_ns", "Time", Unit::Nanoseconds),
    Column::new("reason", "Why", Unit::None),
];

/// The peak that a call is compared with: the one that it names, or that of its type and units.
fn peak<'a>(load: &Load, device: &'a Device) -> Option<&'a Peak> {
    let named = load.peak_key.as_deref().and_then(|key| device.peak_by_key(key));
    named.or_else(|| device.peak(load.arithmetic?, load.engine))
}

/// One call, which took this many seconds, against its own roof.
pub fn assessed(load: &Load, seconds: Option<f64>, device: &Device, settings: &Settings) -> Assessment {
    let mut roof = Roof::under(device, peak(load, device));
    if let Some(level) = &load.at_level {
        roof = roof.from_level(level);
    }
    let amount = match roof.counts() {
        Counts::Operations => load.flops,
        Counts::Macs => load.macs,
    };
    let main = roof.levels.first().map(|level| level.id.clone()).unwrap_or_default();
    let mut bytes: Vec<(&str, f64)> = load.moved().map(|bytes| (main.as_str(), bytes)).into_iter().collect();
    bytes.extend(load.levels.iter().map(|(id, bytes)| (id.as_str(), *bytes)));
    let found = assess(&roof, amount, &bytes, seconds, settings);
    if !load.operations_unknown {
        return found;
    }
    // What memory takes at least is still true: its share of the time is the share of the bandwidth. Where it explains the
    // time, or types that were counted show no arithmetic, that is all there is to say. Elsewhere arithmetic that nobody
    // counted may have taken the rest, which is then neither headroom nor inefficiency.
    let is_memory = load.moves_alone || found.pct_of_roof.is_some_and(|pct| pct >= settings.bound_pct);
    let found = Assessment {
        intensity: None,
        delta_log10: None,
        attainable: None,
        achieved: None,
        class: None,
        ..found
    };
    if is_memory {
        return found;
    }
    let status = found.pct_of_roof.map_or(Status::Error, |_| Status::Normal);
    Assessment { headroom: None, status: Some(status), ..found }
}

const NOT_COUNTED: &str = "operations not counted";
const NO_WORK: &str = "no operations and no bytes";

fn row(point: &Point, load: &Load, found: &Assessment) -> Vec<Value> {
    let calls = point.calls.max(1) as f64;
    let efficiency = efficiency(load);
    let no_efficiency = match load.measured_bytes {
        Some(_) => "required bytes unknown",
        None => "moved bytes not measured",
    };
    // What is known to be nothing has no roof, whatever the device has peaks for.
    let is_nothing = load.operations() == Some(0.0) && load.moved() == Some(0.0) && load.levels.is_empty();
    let or_not_counted = |reason| match (load.operations_unknown, is_nothing) {
        (true, _) => NOT_COUNTED,
        (_, true) => NO_WORK,
        _ => reason,
    };
    let ideal_intensity =
        load.measured_bytes.and(found.intensity).zip(efficiency).map(|(real, pct)| real * 100.0 / pct);
    vec![
        point.name.as_str().into(),
        point.kind.as_str().into(),
        point.dtype.as_str().into(),
        point.calls.into(),
        Value::known(load.operations(), NOT_COUNTED),
        Value::known(load.operations().map(|_| load.macs), NOT_COUNTED),
        Value::known(load.moved(), "no main memory counters recorded"),
        nanoseconds(point.time),
        Value::known(found.intensity, or_not_counted("nothing is moved")),
        Value::known(found.achieved.map(|rate| rate / 1e9), or_not_counted("no time recorded")),
        Value::known(found.bandwidth.map(|rate| rate / 1e9), "no time recorded"),
        Value::known(
            found.attainable.map(|rate| rate / 1e9),
            or_not_counted("the device has no peak for this"),
        ),
        Value::known(found.pct_of_roof, or_not_counted("no time or no peak")),
        Value::known_text(
            found.class.map(|class| class.id()),
            or_not_counted("the device has no peak for this"),
        ),
        Value::known_text(found.bound_by.as_deref(), or_not_counted("the device has no peak for this")),
        Value::known(found.delta_log10, or_not_counted("no intensity or no knee")),
        match found.headroom {
            // None is left above the roof.
            Some(seconds) => nanoseconds(Some(seconds.max(0.0) * 1e9 * calls)),
            None => Value::Missing(or_not_counted("no time or no peak")),
        },
        Value::known_text(found.status.map(|status| status.id()), ""),
        point.mark.id().into(),
        Value::known(ideal_intensity, no_efficiency),
        Value::known(efficiency, no_efficiency),
        Value::known_text(found.flag.as_ref().map(|flag| flag.cause()).as_deref(), "not above the roof"),
    ]
}

fn roofs(device: &Device) -> Vec<Vec<Value>> {
    let bandwidth = device.main_memory().and_then(|memory| memory.bandwidth.as_ref()).map(|fact| fact.value);
    let compute = device.peaks.iter().map(|peak| {
        let counts = match peak.counts {
            Counts::Operations => "flop",
            Counts::Macs => "mac",
        };
        vec![
            Ceiling::of(peak).name.into(),
            "compute".into(),
            Value::known(Some(peak.dense.value / 1e9), ""),
            counts.into(),
            Value::known(bandwidth.map(|bandwidth| peak.dense.value / bandwidth), "the bandwidth is unknown"),
            peak.dense.source.text.as_str().into(),
            peak.dense.source.confidence.id().into(),
        ]
    });
    let memory = device.memory.iter().filter_map(|memory| {
        let bandwidth = memory.bandwidth.as_ref()?;
        Some(vec![
            memory.name.as_str().into(),
            "memory".into(),
            Value::known(Some(bandwidth.value / 1e9), ""),
            "byte".into(),
            Value::Missing("a bandwidth has no knee"),
            bandwidth.source.text.as_str().into(),
            bandwidth.source.confidence.id().into(),
        ])
    });
    memory.chain(compute).collect()
}

/// Sums over all points; nothing of what no point has.
#[derive(Default)]
struct Totals {
    time: Option<f64>,
    assessed: f64,
    headroom: Option<f64>,
    above: usize,
}

impl Totals {
    fn add(&mut self, point: &Point, found: &Assessment) {
        if found.ideal.is_some() {
            self.assessed += point.time.unwrap_or(0.0);
        }
        if let Some(headroom) = found.headroom {
            *self.headroom.get_or_insert(0.0) += headroom.max(0.0) * 1e9 * point.calls.max(1) as f64;
        }
        self.above += usize::from(found.flag.is_some());
    }

    fn numbers(&self, device: &Device) -> Vec<Number> {
        let new = Number::new;
        let share = self.time.filter(|time| *time > 0.0).map(|time| 100.0 * self.assessed / time);
        vec![
            new(
                "device",
                device.name.as_str().into(),
                Unit::None,
                Provenance::Datasheet,
                "Device that points are compared with.",
            ),
            new(
                "time_ns",
                nanoseconds(self.time),
                Unit::Nanoseconds,
                Provenance::Counter,
                "Time of all points, including those without a formula.",
            ),
            new(
                "assessed_pct",
                Value::known(share, "no time recorded"),
                Unit::Percent,
                Provenance::Formula,
                "Time of points with a formula and a roof, relative to all points.",
            ),
            new(
                "headroom_ns",
                match self.headroom {
                    None => Value::Missing("no point has a best time"),
                    headroom => nanoseconds(headroom),
                },
                Unit::Nanoseconds,
                Provenance::Formula,
                "Time taken minus best time, over all points below their roof.",
            ),
            new(
                "above_roof",
                self.above.into(),
                Unit::Count,
                Provenance::Formula,
                "Points above their roof, which is impossible; the flag names the likely cause.",
            ),
        ]
    }
}

fn nanoseconds(value: Option<f64>) -> Value {
    match value {
        None => Value::Missing("no time recorded"),
        Some(value) if value.abs() < 9e18 => Value::Integer(value.round() as i64),
        Some(_) => Value::Missing("too long for the clock"),
    }
}
