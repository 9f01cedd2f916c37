//! The `devices` section: what devices can do, with the source of every number.
//!
//! Sources are long and few, so they stand in their own table, and numbers name them by their place in it.

use eaves_roofline::device::detect::{Detected, Kind};
use eaves_roofline::device::{Device, Fact, Source};
use eaves_roofline::{Arithmetic, Counts, Engine};
use eaves_section::{Column, Finding, Number, Section, Severity, Table, Unit, Value};

use crate::unverified;

const UNKNOWN: Value = Value::Missing("not known");

/// One line for each device.
pub fn list(devices: &[Device]) -> Section {
    let peak = |device: &Device, arithmetic, engine| {
        let found = device
            .peaks
            .iter()
            .find(|peak| peak.arithmetic == Some(arithmetic) && peak.engine == Some(engine));
        found.map_or(UNKNOWN, |peak| rate(&peak.dense))
    };
    let row = |device: &Device| {
        let memory = device.main_memory();
        // Of the roofs: how sure a link or a cache is changes nothing at a glance.
        let bandwidth_fact = memory.and_then(|memory| memory.bandwidth.as_ref());
        let roofs = device.peaks.iter().map(|peak| &peak.dense).chain(bandwidth_fact);
        let least = roofs.map(|fact| fact.source.confidence).min();
        vec![
            device.id.as_str().into(),
            memory.and_then(|memory| memory.size.as_ref()).map_or(UNKNOWN, bytes),
            memory.and_then(|memory| memory.bandwidth.as_ref()).map_or(UNKNOWN, bandwidth),
            peak(device, Arithmetic::Fp32, Engine::Vector),
            peak(device, Arithmetic::Bf16, Engine::Matrix),
            peak(device, Arithmetic::Fp8, Engine::Matrix),
            least.map_or(UNKNOWN, |confidence| confidence.id().into()),
            device.isa.as_deref().map_or(UNKNOWN, Value::from),
            device.name.as_str().into(),
        ]
    };
    let columns = vec![
        Column::new("id", "Id", Unit::None),
        Column::new("memory_bytes", "Memory", Unit::Bytes),
        Column::new("bandwidth_gbps", "Bandwidth", Unit::GigabytesPerSecond),
        Column::new("fp32_vector_gflops", "FP32 vector", Unit::GigaflopsPerSecond),
        Column::new("bf16_matrix_gflops", "BF16 matrix", Unit::GigaflopsPerSecond),
        Column::new("fp8_matrix_gflops", "FP8 matrix", Unit::GigaflopsPerSecond),
        Column::new("least_confidence", "Least sure", Unit::None),
        Column::new("isa", "ISA", Unit::None),
        Column::new("full_name", "Name", Unit::None),
    ];
    let rows = devices.iter().map(row).collect();
    section(
        vec![count(devices.len())],
        vec![Table { id: "devices", title: "Devices", columns, rows }],
        Vec::new(),
    )
}

/// Everything about one device.
pub fn show(device: &Device) -> Section {
    let mut sources = Sources::default();
    let mut tables = vec![properties(device, &mut sources), peaks(device, &mut sources)];
    tables.push(memory(device, &mut sources));
    tables.push(links(device, &mut sources));
    tables.push(sources.table());
    tables.retain(|table| !table.rows.is_empty());
    section(Vec::new(), tables, unverified::note(device, &device.peaks).into_iter().collect())
}

/// The devices of a machine; what is not known of them is a finding that says what to do.
pub fn detected(found: &[Detected]) -> Section {
    let row = |one: &Detected| {
        let known = one.unknown.is_none() && one.has_roofs();
        vec![
            one.kind.id().into(),
            one.reported.as_str().into(),
            u64::from(one.count).into(),
            if known { one.device.id.as_str().into() } else { Value::Missing("not in the catalog") },
            one.device.units.as_ref().map_or(UNKNOWN, |fact| Value::Integer(fact.value.round() as i64)),
            one.device.clock.as_ref().map_or(UNKNOWN, |fact| Value::Float(fact.value / 1e6)),
            one.device.main_memory().and_then(|memory| memory.size.as_ref()).map_or(UNKNOWN, bytes),
            one.device.isa.as_deref().map_or(UNKNOWN, Value::from),
            one.place.as_str().into(),
        ]
    };
    let columns = vec![
        Column::new("kind", "Kind", Unit::None),
        Column::new("reported", "Name", Unit::None),
        Column::new("count", "Count", Unit::Count),
        Column::new("device", "Device", Unit::None),
        Column::new("units", "Units", Unit::Count),
        Column::new("clock_mhz", "Clock (MHz)", Unit::None),
        Column::new("memory_bytes", "Memory", Unit::Bytes),
        Column::new("isa", "ISA", Unit::None),
        Column::new("seen_in", "Seen in", Unit::None),
    ];
    let findings = found.iter().filter(|one| !one.has_roofs()).map(unknown).collect();
    let rows = found.iter().map(row).collect();
    let total = found.iter().map(|one| one.count as usize).sum();
    section(
        vec![count(total)],
        vec![Table { id: "detected", title: "This machine", columns, rows }],
        findings,
    )
}

fn section(numbers: Vec<Number>, tables: Vec<Table>, findings: Vec<Finding>) -> Section {
    Section { id: "devices", title: "Devices", numbers, tables, charts: Vec::new(), findings }
}

fn count(devices: usize) -> Number {
    Number::counter("devices", devices.into(), Unit::Count, "Devices in this list.")
}

fn unknown(one: &Detected) -> Finding {
    let near = match &one.unknown {
        Some(unknown) if !unknown.near.is_empty() => format!(" It may be {}.", unknown.near.join(" or ")),
        _ => String::new(),
    };
    Finding {
        id: "unknown_peaks",
        severity: Severity::Info,
        claim: format!("Unknown peaks and bandwidth: {}.{near}", one.reported),
        gain: None,
        evidence: format!("table `detected`, seen in {}", one.place),
        next: match one.kind {
            Kind::Cpu => "Measure them with `eaves device measure -o roofs.yaml`.",
            Kind::Gpu => {
                "Measure them with `eaves device measure --backend opencl -o roofs.yaml`, or add `hbm_bw_GBps` and \
                 `compute_peaks_GFLOPs` from a datasheet to the file that `-o peaks.yaml` writes."
            }
        }
        .to_owned(),
    }
}

/// Sources in order of first use.
#[derive(Default)]
struct Sources<'a>(Vec<&'a Source>);

impl<'a> Sources<'a> {
    /// The place of the source of a number, and how sure it is.
    fn of(&mut self, fact: &'a Fact) -> [Value; 2] {
        let place = self.0.iter().position(|known| known.text == fact.source.text).unwrap_or_else(|| {
            self.0.push(&fact.source);
            self.0.len() - 1
        });
        [(place + 1).into(), fact.source.confidence.id().into()]
    }

    fn of_maybe(&mut self, fact: Option<&'a Fact>) -> [Value; 2] {
        fact.map_or([UNKNOWN, UNKNOWN], |fact| self.of(fact))
    }

    fn table(&self) -> Table {
        let columns =
            vec![Column::new("source", "Source", Unit::None), Column::new("text", "Text", Unit::None)];
        let rows = self
            .0
            .iter()
            .enumerate()
            .map(|(place, source)| vec![(place + 1).into(), source.text.as_str().into()]);
        Table { id: "sources", title: "Sources", columns, rows: rows.collect() }
    }
}

const SOURCE: [Column; 2] =
    [Column::new("source", "Source", Unit::None), Column::new("confidence", "Confidence", Unit::None)];

fn properties<'a>(device: &'a Device, sources: &mut Sources<'a>) -> Table {
    let words = [
        ("id", Some(&device.id)),
        ("name", Some(&device.name)),
        ("vendor", device.vendor.as_ref()),
        ("architecture", device.architecture.as_ref()),
        ("isa", device.isa.as_ref()),
        ("form", device.form.as_ref()),
        ("scope", device.scope.as_ref()),
    ];
    let none = || Value::Missing("a name has no source");
    let mut rows: Vec<Vec<Value>> = words
        .into_iter()
        .filter_map(|(name, value)| Some(vec![name.into(), value?.as_str().into(), none(), none()]))
        .collect();
    let lists = [("aliases", &device.aliases), ("reports", &device.reports)];
    for (name, values) in lists.into_iter().filter(|(_, values)| !values.is_empty()) {
        rows.push(vec![name.into(), values.join(", ").into(), none(), none()]);
    }
    let units = device.unit_kind.as_deref().unwrap_or("units");
    let facts =
        [(units, &device.units, 1.0), ("clock (MHz)", &device.clock, 1e6), ("power (W)", &device.tdp, 1.0)];
    for (name, fact, factor) in facts {
        if let Some(fact) = fact {
            let [source, confidence] = sources.of(fact);
            rows.push(vec![name.into(), format!("{}", fact.value / factor).into(), source, confidence]);
        }
    }
    if let Some(notes) = &device.notes {
        rows.push(vec!["notes".into(), notes.as_str().into(), none(), none()]);
    }
    let mut columns =
        vec![Column::new("property", "Property", Unit::None), Column::new("text", "Value", Unit::None)];
    columns.extend(SOURCE);
    Table { id: "properties", title: "Device", columns, rows }
}

fn peaks<'a>(device: &'a Device, sources: &mut Sources<'a>) -> Table {
    let memory = device.main_memory().and_then(|memory| memory.bandwidth.as_ref());
    let mut rows = Vec::new();
    for peak in &device.peaks {
        for (kind, fact) in [("dense", Some(&peak.dense)), ("sparse", peak.sparse.as_ref())] {
            let Some(fact) = fact else { continue };
            let counts = match peak.counts {
                Counts::Operations => "op",
                Counts::Macs => "mac",
            };
            let knee = memory.map_or(Value::Missing("unknown bandwidth"), |memory| {
                Value::float(fact.value / memory.value, "not finite")
            });
            let [source, confidence] = sources.of(fact);
            rows.push(vec![
                peak.key.as_str().into(),
                kind.into(),
                rate(fact),
                counts.into(),
                knee,
                source,
                confidence,
            ]);
        }
    }
    let mut columns = vec![
        Column::new("peak", "Peak", Unit::None),
        Column::new("kind", "Kind", Unit::None),
        Column::new("rate_gflops", "Rate", Unit::GigaflopsPerSecond),
        Column::new("counts", "Counts", Unit::None),
        Column::new("knee", "Knee", Unit::FlopPerByte),
    ];
    columns.extend(SOURCE);
    Table { id: "peaks", title: "Peaks", columns, rows }
}

fn memory<'a>(device: &'a Device, sources: &mut Sources<'a>) -> Table {
    let mut rows = Vec::new();
    for level in &device.memory {
        let mut row = vec![
            level.id.as_str().into(),
            level.name.as_str().into(),
            level.bandwidth.as_ref().map_or(UNKNOWN, bandwidth),
        ];
        row.extend(sources.of_maybe(level.bandwidth.as_ref()));
        row.push(level.size.as_ref().map_or(UNKNOWN, bytes));
        row.extend(sources.of_maybe(level.size.as_ref()));
        rows.push(row);
    }
    let columns = vec![
        Column::new("id", "Level", Unit::None),
        Column::new("name", "Name", Unit::None),
        Column::new("bandwidth_gbps", "Bandwidth", Unit::GigabytesPerSecond),
        Column::new("bandwidth_source", "From", Unit::None),
        Column::new("bandwidth_confidence", "Sure", Unit::None),
        Column::new("size_bytes", "Size", Unit::Bytes),
        Column::new("size_source", "Size from", Unit::None),
        Column::new("size_confidence", "Size sure", Unit::None),
    ];
    Table { id: "memory", title: "Memory", columns, rows }
}

fn links<'a>(device: &'a Device, sources: &mut Sources<'a>) -> Table {
    let mut rows = Vec::new();
    for link in &device.links {
        let mut row = vec![
            link.name.as_str().into(),
            link.kind.map_or(UNKNOWN, |kind| kind.id().into()),
            bandwidth(&link.per_direction),
            u64::from(link.count).into(),
            Value::float(link.total() / 1e9, "not finite"),
            link.aliases.join(", ").into(),
        ];
        row.extend(sources.of(&link.per_direction));
        rows.push(row);
    }
    let mut columns = vec![
        Column::new("name", "Link", Unit::None),
        Column::new("kind", "Kind", Unit::None),
        Column::new("per_direction_gbps", "Each, one way", Unit::GigabytesPerSecond),
        Column::new("count", "Count", Unit::Count),
        Column::new("total_gbps", "Total, one way", Unit::GigabytesPerSecond),
        Column::new("aliases", "Aliases", Unit::None),
    ];
    columns.extend(SOURCE);
    Table { id: "links", title: "Links", columns, rows }
}

fn rate(fact: &Fact) -> Value {
    Value::float(fact.value / 1e9, "not finite")
}

fn bandwidth(fact: &Fact) -> Value {
    Value::float(fact.value / 1e9, "not finite")
}

fn bytes(fact: &Fact) -> Value {
    Value::Integer(fact.value.round() as i64)
}
