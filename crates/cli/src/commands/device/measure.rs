//! `eaves device measure`: what this machine can really do.

use std::path::Path;

use clap::Args;
use eaves_analyze::Outcome;
use eaves_analyze::section::{Column, Number, Section, Table, Unit, Value};
use eaves_assess::bench;
use eaves_assess::roofline;
use eaves_bench::roofs::{Effort, Second};
use eaves_present::Document;
use eaves_roofline::device::{Peak, find_reported, to_yaml};
use eaves_roofline::{Device, Settings};

use crate::arguments::OutputArguments;
use crate::measuring::{self, Against, BackendName};
use eaves_app::Form;
use eaves_app::HELP_TEMPLATE;
use eaves_app::machine;

/// Measure what this machine can do, and keep it for CPU recordings
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves device measure
  eaves device measure -o roofs.yaml
  eaves device measure --thorough --sustained -o roofs.yaml
  eaves device measure -o roofs.png"
)]
pub(super) struct Arguments {
    /// Fewer sizes and samples: some seconds
    #[arg(long, conflicts_with = "thorough")]
    quick: bool,
    /// More sizes and samples: some minutes
    #[arg(long)]
    thorough: bool,
    /// Compute for a minute and say what is left of the burst
    #[arg(long)]
    sustained: bool,
    /// What to measure: cpu or opencl
    #[arg(long, value_name = "NAME", default_value = "cpu", hide_possible_values = true)]
    backend: BackendName,
    /// The device of the catalogue to draw beside it; found by its name if
    /// not said
    #[arg(long, value_name = "NAME")]
    datasheet: Option<String>,
}

/// Measures, and writes a file or shows what was measured.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<()> {
    let is_yaml = |path: &Path| {
        path.extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("yaml") || end.eq_ignore_ascii_case("yml"))
    };
    let yaml = output.one_path()?.is_some_and(is_yaml);
    let destination = if yaml { None } else { Some(output.outputs(&[], Form::is_of_charts)?) };
    let mut opened = measuring::open(arguments.backend, None)?;
    let datasheet = match &arguments.datasheet {
        Some(name) => Some(eaves_app::device::named(name)?),
        None => find_reported(&opened.backend().device()).ok(),
    };
    let effort = match (arguments.quick, arguments.thorough) {
        (true, _) => Effort::Quick,
        (_, true) => Effort::Thorough,
        _ => Effort::Default,
    };
    let against = Against::measure(&mut opened, effort, output)?;
    if arguments.backend == BackendName::Cpu {
        keep(&against, output);
    }
    let mut document = document(&against, datasheet.as_ref());
    if arguments.sustained {
        let seconds = measuring::sustained(&opened, output)?;
        document.outcomes.insert(1, Outcome::Section(sustained(&seconds)));
    }
    match destination {
        Some(destination) => output.finish(&document, destination, 0),
        // The file is for programs; people see the table all the same.
        None => {
            output.write_text(&to_yaml(&against.devices))?;
            output.show(&document)
        }
    }
}

/// Keeps the measurement, so that recordings of this machine's CPU are held against it.
fn keep(against: &Against, output: &OutputArguments) {
    let has_roofs = |device: &Device| {
        !device.peaks.is_empty() && device.main_memory().is_some_and(|memory| memory.bandwidth.is_some())
    };
    let text = if !against.devices.iter().all(has_roofs) {
        "note: too little could be measured to be kept; try again on a quieter machine\n".to_owned()
    } else {
        match machine::keep(&against.devices) {
            Ok(file) => format!(
                "note: kept in {}; `eaves roofline` and `eaves report` hold CPU recordings against it\n",
                file.display()
            ),
            Err(error) => format!("note: the measurement is not kept: {error:#}\n"),
        }
    };
    output.printer().note(&text);
}

fn document(against: &Against, datasheet: Option<&Device>) -> Document {
    let roofs = against.roofs();
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
    let named = |name: &str| format!("{name} by datasheet");
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
            Value::known(second.clock.map(|clock| clock / 1e9), "the clock cannot be measured"),
            second.clean.into(),
            second.samples.into(),
        ]
    });
    Section {
        id: "sustained",
        title: "Burst against a minute",
        numbers: vec![Number::measured(
            "sustained_pct",
            Value::known(left, "too few samples were clean"),
            Unit::Percent,
            "FP32 multiply-adds of the last ten seconds, of those of the first three.",
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
        findings: Vec::new(),
    }
}

fn middle(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_owned();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}
