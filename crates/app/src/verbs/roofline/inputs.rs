//! From inputs to sections: each file of measurements, and all traces together, with a device of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use eaves_analyze::roofline::{analyses_of_traces, of_traces};
use eaves_analyze::{Measured, MeasuredMachine, Options, RankView, assemble, measure};
use eaves_assess::roofline::{self, Transfer};
use eaves_ingest::Form;
use eaves_model::{Measurements, Run};
use eaves_present::Document;
use eaves_roofline::scripts::Script;
use eaves_roofline::{Device, Precision, Settings};
use eaves_section::{Number, Outcome, Section, Unit};

use super::{Config, Roofline};
use crate::{Against, Context, Keep, Reading, hinted, machine};

/// The name of a script beside an input.
const SCRIPT: &str = "ops.rhai";
/// The name of a configuration beside NPU commands.
const CONFIG: &str = "roofline_config.json";

/// What there is to say about one input.
pub(super) struct OneInput {
    /// The input as people call it.
    pub(super) label: String,
    pub(super) document: Document,
}

/// An input to be read with what it is held against.
struct Task {
    inputs: Vec<PathBuf>,
    device: Against,
    dtype: Option<String>,
    form: Option<Form>,
}

/// Everything asked for, in order.
pub(super) fn read(request: &Roofline, settings: &Settings, context: &Context<'_>) -> Result<Vec<OneInput>> {
    let mut answers = Vec::new();
    for task in tasks(request) {
        let scope = Scope { request, settings, task: &task };
        answers.extend(scope.answers(context)?);
    }
    if answers.len() > 1 {
        answers.iter_mut().for_each(name_input);
    }
    Ok(answers)
}

fn tasks(request: &Roofline) -> Vec<Task> {
    let config = request.config.as_ref().map(|path| path.display().to_string());
    let usual = request.device.clone().or_named(config).or_macs(request.compat);
    let pairs = request.pair.iter().map(|pair| Task {
        inputs: vec![pair.input.clone()],
        device: match &pair.peaks {
            Some(peaks) => usual.clone().named(peaks.clone()),
            None => usual.clone(),
        },
        dtype: pair.dtype.clone().or_else(|| request.dtype.clone()),
        form: pair.from.or(request.from).map(|form| form.0),
    });
    let inputs = (!request.inputs.is_empty()).then(|| Task {
        inputs: request.inputs.clone(),
        device: usual.clone(),
        dtype: request.dtype.clone(),
        form: request.from.map(|form| form.0),
    });
    inputs.into_iter().chain(pairs).collect()
}

struct Scope<'a> {
    request: &'a Roofline,
    settings: &'a Settings,
    task: &'a Task,
}

impl Scope<'_> {
    fn answers(&self, context: &Context<'_>) -> Result<Vec<OneInput>> {
        let wanted = analyses_of_traces();
        let ops = self.request.ops.as_deref();
        let files = context.files(&self.task.inputs);
        let formulas = files.first().map(|input| script(ops, input)).transpose()?.flatten();
        let options = Options::default()
            .with_selection(context.part(self.request.selected.selection(), &self.task.inputs))
            .with_roofline(*self.settings)
            .with_formulas(formulas.map(Arc::new));
        let contents =
            context.read(&self.task.inputs, Reading::Any(self.task.form), Keep::Nothing, |trace| {
                measure(&RankView::new(trace, &options), &wanted)
            })?;
        let mut answers = Vec::new();
        if !contents.run.recordings.is_empty() {
            let recorded = contents.run.recordings.iter();
            let devices: Vec<_> =
                recorded.flat_map(|recording| recording.trace.metadata.devices.iter().cloned()).collect();
            let is_of_cpu = !contents.answers.iter().any(Measured::recorded_gpu);
            let machine = (is_of_cpu && self.task.device.is_unnamed()).then(this_machine).transpose()?;
            let device = match &machine {
                // The analysis takes the one of as many threads as were recorded.
                Some(machine) => machine.device(None).cloned().unwrap_or_default(),
                None => self.task.device.resolve_recorded(&devices)?,
            };
            let device = self.checked(device)?;
            let named = machine.is_none() && !self.task.device.is_silent();
            if machine.is_some() {
                context.progress.note(&format!(
                    "held against this machine ({}), as the recording names no device",
                    device.name
                ));
            }
            let options = options
                .clone()
                .with_device(named.then(|| Arc::new(device.clone())))
                .with_machine(machine.map(Arc::new));
            let outcomes = assemble(&contents.run.recordings, &contents.answers, &options, &wanted).map_err(
                |error| {
                    hinted(error.to_string(), "`eaves info` shows the ranks, steps and times of a recording")
                },
            )?;
            answers.push(self.of_traces(&contents.run, outcomes, &device));
        }
        for measurements in &contents.measurements {
            let (device, settings) = self.against(measurements, context)?;
            let device = self.checked(device)?;
            let script = script(ops, Path::new(&measurements.path))?;
            answers.push(self.of_measurements(measurements, &device, &settings, script.as_ref()));
        }
        Ok(answers)
    }

    /// The device and the limits of a file: as asked for, or as the configuration beside NPU commands says.
    fn against(&self, measurements: &Measurements, context: &Context<'_>) -> Result<(Device, Settings)> {
        let beside = Path::new(&measurements.path).with_file_name(CONFIG);
        let is_open = measurements.format == "commands"
            && measurements.device.is_none()
            && self.task.device.is_unnamed()
            && beside.is_file();
        if !is_open {
            return Ok((self.task.device.resolve(measurements.device.as_deref())?, *self.settings));
        }
        context.progress.note(&format!("peaks and thresholds are those of {}", beside.display()));
        let config = Config::read(&beside, context.progress)?;
        let device = self.task.device.clone().named(beside.display().to_string()).resolve(None)?;
        Ok((device, self.request.settings(Some(&config))))
    }

    /// The device, checked to have what `--dtype` and `--link` ask for.
    fn checked(&self, device: Device) -> Result<Device> {
        if let Some(dtype) = &self.task.dtype
            && device.peak_by_key(dtype).is_none()
            && let Err(unknown) = dtype.parse::<Precision>()
        {
            let mut keys: Vec<&str> = device.peaks.iter().map(|peak| peak.key.as_str()).collect();
            keys.sort_unstable();
            return Err(hinted(
                format!("`--dtype {dtype}`: {unknown}"),
                format!("{} has {}", device.name, keys.join(", ")),
            ));
        }
        Ok(device)
    }

    fn of_traces(&self, run: &Run, outcomes: Vec<Outcome>, device: &Device) -> OneInput {
        let outcomes = of_traces(outcomes, device, self.request.link.as_deref());
        let label = match run.recordings.as_slice() {
            [] => String::new(),
            [only] => only.path.clone(),
            [first, others @ ..] => format!("{} and {} more", first.path, others.len()),
        };
        OneInput { label, document: Document::new("roofline", run, outcomes) }
    }

    fn of_measurements(
        &self,
        measurements: &Measurements,
        device: &Device,
        settings: &Settings,
        script: Option<&Script>,
    ) -> OneInput {
        let custom = |name: &str, record: &str| script.and_then(|script| script.command(name, record));
        let reading = roofline::Reading {
            device,
            dtype: self.task.dtype.as_deref(),
            compatibility: self.request.compat,
            custom: Some(&custom),
        };
        let points = roofline::points(measurements, &reading);
        let transfers = roofline::transfers(measurements);
        let mut outcomes = Vec::new();
        // A file of messages alone has no kernels to speak of; an empty one is about kernels.
        if !points.is_empty() || transfers.is_empty() {
            let section = roofline::section(&points, device, settings);
            outcomes.push(roofline::classified(Outcome::Section(section)));
        }
        outcomes.extend(self.communication(&transfers, device));
        OneInput {
            label: measurements.path.clone(),
            document: Document::of_measurements("roofline", measurements, outcomes),
        }
    }

    fn communication(&self, transfers: &[Transfer], device: &Device) -> Option<Outcome> {
        let link = self.request.link.as_deref();
        (!transfers.is_empty()).then(|| Outcome::Section(roofline::communication(transfers, device, link)))
    }
}

/// This machine as it was measured. Nothing is measured here: that takes a while, and disturbs whatever runs.
fn this_machine() -> Result<MeasuredMachine> {
    machine::measured().ok_or_else(|| {
        hinted(
            "the recording is of a CPU and names no device, and this machine was not measured yet",
            "run `eaves device measure` once, which takes less than a minute and is kept; or name a device with --device",
        )
    })
}

/// The user's formulas: those that were named, or those beside the input.
fn script(named: Option<&Path>, input: &Path) -> Result<Option<Script>> {
    let beside = input.with_file_name(SCRIPT);
    let path = match named {
        Some(path) => path,
        None if beside.is_file() => &beside,
        None => return Ok(None),
    };
    let read = Script::read(path);
    read.map(Some).map_err(|error| hinted(error.to_string(), "`eaves ops check` tries a script by itself"))
}

/// Sections of several inputs have the same name: a number says whose they are.
fn name_input(answer: &mut OneInput) {
    let name = |section: &mut Section| {
        section.numbers.insert(
            0,
            Number::counter(
                "input",
                answer.label.as_str().into(),
                Unit::None,
                "The input that the section is about.",
            ),
        );
    };
    for outcome in &mut answer.document.outcomes {
        if let Outcome::Section(section) = outcome {
            name(section);
        }
    }
}
