//! `device measure`: this machine's measured roofs.

use clap::Args;
use eaves_assess::{bench, roofline};
use eaves_bench::roofs::{Effort, Second};
use eaves_bench::running::{BackendKind, KnownRoofs};
use eaves_present::Document;
use eaves_roofline::Settings;
use eaves_roofline::device::{Device, Peak, find_reported, to_yaml};
use eaves_section::{Column, Number, Outcome, Section, Table, Unit, Value};
use schemars::JsonSchema;
use serde::Deserialize;

use super::detect::PeaksFile;
use crate::running::{BackendName, measured_roofs, roof_steps};
use crate::{Answer, Context, Failure, machine};

/// What to measure, and how thoroughly.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Measure {
    /// Use fewer sizes and samples; takes seconds
    #[arg(long, conflicts_with = "thorough")]
    pub quick: bool,
    /// Use more sizes and samples; takes minutes
    #[arg(long)]
    pub thorough: bool,
    /// Also compute for a minute and show sustained against burst speed
    #[arg(long)]
    pub sustained: bool,
    /// Backend: cpu or opencl
    #[arg(long, value_name = "NAME", default_value = "cpu", hide_possible_values = true)]
    pub backend: BackendName,
    /// Catalog device to compare with [default: found by name]
    #[arg(long, value_name = "NAME")]
    pub datasheet: Option<String>,
}

impl Measure {
    pub(super) fn answer(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let kind = BackendKind::from(self.backend);
        let mut opened = kind.open(None)?;
        let datasheet = match &self.datasheet {
            Some(name) => Some(crate::device::named(name)?),
            None => find_reported(&opened.backend().device()).ok(),
        };
        let known = measured_roofs(&mut opened, self.effort()?, context)?;
        let mut document = document(&known, datasheet.as_ref());
        if self.sustained {
            let seconds = roof_steps(context, |tell| opened.sustained(tell))??;
            document.outcomes.insert(1, Outcome::Section(sustained(&seconds)));
        }
        let file = PeaksFile(to_yaml(&known.devices));
        let mut answer = Answer::new(document).with_top(0).drawn_by(file);
        if kind == BackendKind::Cpu {
            answer.notes.push(kept(&known));
        }
        Ok(answer)
    }

    fn effort(&self) -> Result<Effort, Failure> {
        match (self.quick, self.thorough) {
            (true, true) => {
                Err(Failure::usage("--quick and --thorough are mutually exclusive", "drop one of them"))
            }
            (true, _) => Ok(Effort::Quick),
            (_, true) => Ok(Effort::Thorough),
            _ => Ok(Effort::Default),
        }
    }
}

/// Saves the measurement for recordings of this machine's CPU, and says where.
fn kept(known: &KnownRoofs) -> String {
    let has_roofs = |device: &Device| {
        !device.peaks.is_empty() && device.main_memory().is_some_and(|memory| memory.bandwidth.is_some())
    };
    if !known.devices.iter().all(has_roofs) {
        return "not saved: too few samples; try again on a quieter machine".to_owned();
    }
    match machine::keep(&known.devices) {
        Ok(file) => format!(
            "saved in {}; `eaves roofline` and `eaves report` compare CPU recordings with it",
            file.display()
        ),
        Err(error) => format!("measurement not saved: {error:#}"),
    }
}

fn document(known: &KnownRoofs, datasheet: Option<&Device>) -> Document {
    let roofs = known.roofs();
    let mut outcomes = vec![Outcome::Section(bench::roofs(&roofs, datasheet))];
    for device in roofs.all.into_iter().chain(roofs.one) {
        if device.peaks.is_empty() && device.memory.iter().all(|level| level.bandwidth.is_none()) {
            continue;
        }
        let mut section = roofline::section(&[], &beside(device, datasheet), &Settings::default());
        // There are no points to sum up.
        section.numbers.retain(|number| number.id == "device");
        outcomes.push(Outcome::Section(section));
    }
    Document { verb: "device", outcomes, ..Document::default() }
}

/// The device with the roofs of the datasheet under names of their own, for one chart of both.
fn beside(device: &Device, datasheet: Option<&Device>) -> Device {
    let mut both = device.clone();
    if let Some(scope) = &device.scope {
        both.name = format!("{}, {scope}", device.name);
    }
    let Some(datasheet) = datasheet else { return both };
    let named = |name: &str| format!("{name}, datasheet");
    both.memory.extend(datasheet.memory.iter().cloned().map(|mut level| {
        level.id = named(&level.id);
        level.name = named(&level.name);
        level
    }));
    both.peaks.extend(datasheet.peaks.iter().map(|peak| Peak {
        key: named(&peak.key),
        arithmetic: None,
        engine: None,
        ..peak.clone()
    }));
    both
}

/// What is left of the first seconds at the end of a minute.
fn sustained(seconds: &[Second]) -> Section {
    let known: Vec<f64> = seconds.iter().filter_map(|second| second.rate).collect();
    let first = known.get(..known.len().min(3)).and_then(middle);
    let last = known.get(known.len().saturating_sub(10)..).and_then(middle);
    let left = first.zip(last).map(|(first, last)| 100.0 * last / first);
    let rows = seconds.iter().map(|second| {
        vec![
            Value::known(Some(second.at), ""),
            Value::known(second.rate.map(|rate| rate / 1e9), "contaminated"),
            Value::known(second.clock.map(|clock| clock / 1e9), "clock not measurable"),
            second.clean.into(),
            second.samples.into(),
        ]
    });
    Section {
        id: "sustained",
        title: "Sustained speed",
        numbers: vec![Number::measured(
            "sustained_pct",
            Value::known(left, "too few samples were clean"),
            Unit::Percent,
            "FP32 multiply-add rate of the last ten seconds, relative to the first three.",
        )],
        tables: vec![Table {
            id: "seconds",
            title: "Multiply-adds on all processors",
            columns: vec![
                Column::new("seconds", "Second", Unit::None),
                Column::new("gflops", "FP32", Unit::GigaflopsPerSecond),
                Column::new("clock_ghz", "GHz", Unit::None),
                Column::new("clean", "Clean", Unit::Count),
                Column::new("samples", "Samples", Unit::Count),
            ],
            rows: rows.collect(),
        }],
        charts: Vec::new(),
        findings: Vec::new(),
    }
}

fn middle(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_owned();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}
