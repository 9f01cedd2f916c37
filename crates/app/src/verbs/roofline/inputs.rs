//! From inputs to sections: each measurement file, and all traces together, with its own device.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use eaves_analyze::roofline::{analyses_of_traces, of_traces};
use eaves_analyze::{Measured, MeasuredMachine, Options, RankView, assemble, measure};
use eaves_ingest::Form;
use eaves_model::Run;
use eaves_present::Document;
use eaves_roofline::{Device, Settings};
use eaves_section::Outcome;

use super::Roofline;
use crate::measurements::{Measuring, name_input, script};
use crate::npu_config::NpuConfig;
use crate::{Against, Context, Failure, Keep, Reading, hinted, machine};

/// What there is to say about one input.
pub(super) struct OneInput {
    /// The input as people call it.
    pub(super) label: String,
    pub(super) document: Document,
}

/// An input to be read with what it is compared with.
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
        for OneInput { label, document } in &mut answers {
            document.outcomes.iter_mut().for_each(|outcome| name_input(outcome, label));
        }
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
        let reading = Reading::Measurements(self.task.form);
        let read = context.read(&self.task.inputs, reading, Keep::Nothing, |trace| {
            measure(&RankView::new(trace, &options), &wanted)
        })?;
        let settings = |config: Option<&NpuConfig>| {
            config.map_or(*self.settings, |config| self.request.settings(Some(config)))
        };
        let measuring = Measuring {
            device: &self.task.device,
            config: None,
            ops,
            dtype: self.task.dtype.as_deref(),
            link: self.request.link.as_deref(),
            compatibility: self.request.compat,
            settings: &settings,
        };
        let mut answers = Vec::new();
        let run = &read.recordings.run;
        if !run.recordings.is_empty() {
            let (options, device) = self.against(run, (&options, &read.answers), &measuring, context)?;
            let outcomes =
                assemble(&run.recordings, &read.answers, &options, &wanted).map_err(Failure::from)?;
            answers.push(self.of_traces(run, outcomes, &device));
        }
        for one in &read.recordings.measurements {
            let (device, settings) = measuring.against(one, context)?;
            let outcomes = measuring.outcomes(one, (&device, &settings))?;
            let document = Document::of_measurements("roofline", one, outcomes);
            answers.push(OneInput { label: one.path.clone(), document });
        }
        Ok(answers)
    }

    /// The options with the device that recordings are compared with: the one that was named, the one they name, or
    /// this machine.
    fn against(
        &self,
        run: &Run,
        (options, measured): (&Options, &[Measured]),
        measuring: &Measuring<'_>,
        context: &Context<'_>,
    ) -> Result<(Options, Device)> {
        let recorded = run.recordings.iter();
        let devices: Vec<_> =
            recorded.flat_map(|recording| recording.trace.metadata.devices.iter().cloned()).collect();
        let is_of_cpu = !measured.iter().any(Measured::recorded_gpu);
        let machine = (is_of_cpu && self.task.device.is_unnamed()).then(this_machine).transpose()?;
        let device = match &machine {
            // The analysis takes the one of as many threads as were recorded.
            Some(machine) => machine.device(None).cloned().unwrap_or_default(),
            None => self.task.device.resolve_recorded(&devices)?,
        };
        let device = measuring.checked(device)?;
        let named = machine.is_none() && !self.task.device.is_silent();
        if machine.is_some() {
            context.progress.note(&format!(
                "compared with this machine ({}), because the recording names no device",
                device.name
            ));
        }
        let options = options
            .clone()
            .with_device(named.then(|| Arc::new(device.clone())))
            .with_machine(machine.map(Arc::new));
        Ok((options, device))
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
}

/// This machine as it was measured. Nothing is measured here: that takes a while, and disturbs whatever runs.
fn this_machine() -> Result<MeasuredMachine> {
    machine::measured().ok_or_else(|| {
        hinted(
            "a CPU recording without a device, and this machine has not been measured yet",
            "run `eaves device measure` once, in less than a minute, or name a device with --device",
        )
    })
}
