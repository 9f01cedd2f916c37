//! Roofs that were measured, one core and all of them, with the datasheet next to them.

use eaves_roofline::Device;
use eaves_roofline::device::Fact;
use eaves_section::{Column, Number, Section, Table, Unit, Value};

use super::Roofs;

const COLUMNS: [Column; 9] = [
    Column::new("name", "Roof", Unit::None),
    Column::new("one_core", "One core", Unit::None),
    Column::new("all", "All cores", Unit::None),
    Column::new("unit", "Unit", Unit::None),
    Column::new("scaling", "All / one", Unit::None),
    Column::new("size_bytes", "Size", Unit::Bytes),
    Column::new("datasheet", "Datasheet", Unit::None),
    Column::new("pct_of_datasheet", "Of datasheet", Unit::Percent),
    Column::new("kind", "Kind", Unit::None),
];

/// What is bounded, and by what it is found in another device.
struct Roof<'a> {
    kind: &'static str,
    unit: &'static str,
    name: &'a str,
    size: Option<f64>,
    key: &'a str,
}

/// The rate of a roof on a device.
fn fact<'a>(device: &'a Device, roof: &Roof<'_>) -> Option<&'a Fact> {
    match roof.kind {
        "memory" => device.memory.iter().find(|level| level.id == roof.key)?.bandwidth.as_ref(),
        "arithmetic" => device.peak_by_key(roof.key).map(|peak| &peak.dense),
        _ => device.rate(roof.key),
    }
}

/// The `measured-roofs` section.
pub fn roofs(roofs: &Roofs<'_>, datasheet: Option<&Device>) -> Section {
    let device = roofs.all.or(roofs.one);
    // What could be measured on all cores may be less, and the other way round.
    let mut every: Vec<Roof<'_>> = Vec::new();
    for roof in [roofs.one, roofs.all].into_iter().flatten().flat_map(all) {
        if !every.iter().any(|known| (known.kind, known.key) == (roof.kind, roof.key)) {
            every.push(roof);
        }
    }
    let order = |kind: &str| ["memory", "arithmetic", "chore"].iter().position(|known| *known == kind);
    every.sort_by_key(|roof| order(roof.kind));
    let rows = every
        .iter()
        .map(|roof| {
            let rate = |device: Option<&Device>| fact(device?, roof).map(|fact| fact.value / 1e9);
            let (one, whole, said) = (rate(roofs.one), rate(roofs.all), rate(datasheet));
            let share = whole.or(one).zip(said).map(|(measured, said)| 100.0 * measured / said);
            vec![
                roof.name.into(),
                Value::known(one, "not measured on one core"),
                Value::known(whole, "not measured on all cores"),
                roof.unit.into(),
                Value::known(whole.zip(one).map(|(all, one)| all / one), "not measured on both"),
                Value::known(roof.size, "only memory levels have a size"),
                Value::known(said, "not in the catalog"),
                Value::known(share, "not in the catalog"),
                roof.kind.into(),
            ]
        })
        .collect();
    let number = Number::measured;
    let name = Value::known_text(device.map(|device| device.name.as_str()), "nothing was measured");
    let clock = device.and_then(|device| device.clock.as_ref()).map(|clock| clock.value / 1e9);
    let numbers = vec![
        number("device", name, Unit::None, "Name of the measured device, as it reports itself."),
        number(
            "clock_ghz",
            Value::known(clock, "clock not measurable"),
            Unit::None,
            "Core clock during the measurement.",
        ),
        number(
            "datasheet",
            Value::known_text(datasheet.map(|device| device.name.as_str()), "device not in the catalog"),
            Unit::None,
            "Catalog device shown for comparison.",
        ),
    ];
    Section {
        id: "measured-roofs",
        title: "Measured roofs",
        numbers,
        tables: vec![Table { id: "roofs", title: "Measured", columns: COLUMNS.to_vec(), rows }],
        charts: Vec::new(),
        findings: Vec::new(),
    }
}

fn all(device: &Device) -> Vec<Roof<'_>> {
    let memory = device.memory.iter().map(|level| Roof {
        kind: "memory",
        unit: "GB/s",
        name: &level.name,
        size: level.size.as_ref().map(|size| size.value),
        key: &level.id,
    });
    let peaks = device.peaks.iter().map(|peak| Roof {
        kind: "arithmetic",
        unit: "GFLOP/s",
        name: &peak.key,
        size: None,
        key: &peak.key,
    });
    let rates = device.rates.iter().map(|rate| Roof {
        kind: "chore",
        unit: "G/s",
        name: &rate.key,
        size: None,
        key: &rate.key,
    });
    memory.chain(peaks).chain(rates).collect()
}
