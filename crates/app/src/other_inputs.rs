//! Report sections of inputs other than traces: measurements compared with a device's roofs, compile logs, and memory
//! snapshots next to traces.

use std::path::Path;

use anyhow::Result;
use eaves_analyze::analyses::{self, Analysis};
use eaves_analyze::{Measured, Options, assemble};
use eaves_assess::{OtherInput, compile};
use eaves_ingest::Kind;
use eaves_model::Measurements;
use eaves_present::Document;
use eaves_roofline::Settings;
use eaves_section::{Outcome, Skipped};

use crate::measurements::{Measuring, name_input};
use crate::npu_config::NpuConfig;
use crate::recordings::is_sums;
use crate::verbs::HIDDEN_OF_COMPILE;
use crate::{Against, Context, Failure, Recordings};

/// Sections that measurements and compile logs have, besides those of the analyses.
pub(crate) const SECTIONS: &[&str] = &compile::SECTIONS;

/// How these inputs are looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OtherInputs<'a> {
    /// The device that was named.
    pub(crate) device: &'a Against,
    /// The configuration of NPU commands.
    pub(crate) config: Option<&'a Path>,
    /// Formulas of the user.
    pub(crate) ops: Option<&'a Path>,
    /// The sections that were asked for; all if none was.
    pub(crate) sections: &'a [String],
}

impl OtherInputs<'_> {
    fn wants(&self, id: &str) -> bool {
        self.sections.is_empty() || self.sections.iter().any(|section| section == id)
    }

    /// Adds what they say to the document of the recordings.
    ///
    /// # Errors
    /// If a configuration or a script cannot be read.
    pub(crate) fn add(
        &self,
        document: Document,
        recordings: &Recordings,
        of_memory: &[Measured],
        (options, context): (&Options, &Context<'_>),
    ) -> Result<Document> {
        let mut document = list(document, recordings);
        if self.wants("memory") && !recordings.memory.recordings.is_empty() {
            self.add_memory(&mut document, recordings, of_memory, options);
        }
        if self.wants("roofline") {
            self.add_rooflines(&mut document, recordings, context)?;
        }
        document.has_first_screen |= self.sections.is_empty() && !options.details;
        let logs = &recordings.compile_logs;
        if !logs.is_empty() {
            let mut outcomes = compile::sections(logs);
            outcomes.retain(|outcome| self.wants(outcome.id()));
            document.outcomes.extend(outcomes);
            if self.sections.is_empty() && !options.details {
                document.overview.get_or_insert_default().extend(HIDDEN_OF_COMPILE);
            }
        }
        self.add_absent(&mut document, recordings);
        Ok(document)
    }

    /// The memory of recordings that lie next to traces: in the place of what the traces lack, or named next to it.
    fn add_memory(
        &self,
        document: &mut Document,
        recordings: &Recordings,
        measured: &[Measured],
        options: &Options,
    ) {
        let memory: Vec<&'static Analysis> = analyses::find("memory").into_iter().collect();
        let run = &recordings.memory;
        let outcomes = assemble(&run.recordings, measured, options, &memory).unwrap_or_else(|error| {
            let skipped = Skipped {
                id: "memory",
                missing: format!("the memory snapshot does not support this selection: {error}"),
                how_to_record: "drop --step, --time and --rank".to_owned(),
            };
            vec![Outcome::Skipped(skipped)]
        });
        let is_lacking = |outcome: &Outcome| matches!(outcome, Outcome::Skipped(one) if one.id == "memory");
        document.outcomes.retain(|outcome| !is_lacking(outcome));
        let is_first = document.outcomes.iter().all(|outcome| outcome.id() != "memory");
        let label = run.recordings.first().map_or("", |first| first.path.as_str());
        for mut outcome in outcomes {
            if !is_first {
                name_input(&mut outcome, label);
            }
            document.outcomes.push(outcome);
        }
    }

    fn add_rooflines(
        &self,
        document: &mut Document,
        recordings: &Recordings,
        context: &Context<'_>,
    ) -> Result<()> {
        let settings =
            |config: Option<&NpuConfig>| config.map_or_else(Settings::default, NpuConfig::settings);
        let measuring = Measuring {
            device: self.device,
            config: self.config,
            ops: self.ops,
            dtype: None,
            link: None,
            compatibility: false,
            settings: &settings,
        };
        let files: Vec<&Measurements> =
            recordings.measurements.iter().filter(|file| !is_sums(file)).collect();
        let has_own = document.outcomes.iter().any(|outcome| outcome.id() == "roofline");
        let is_named = files.len() > 1 || has_own;
        for file in files {
            let mut outcomes = match measuring.against(file, context) {
                Ok((device, settings)) => measuring.outcomes(file, (&device, &settings))?,
                Err(error) => vec![unknown_device(file, error)],
            };
            if is_named {
                outcomes.iter_mut().for_each(|outcome| name_input(outcome, &file.path));
            }
            document.outcomes.extend(outcomes);
        }
        Ok(())
    }

    /// Says of sections that were asked for by name that the inputs cannot have them.
    fn add_absent(&self, document: &mut Document, recordings: &Recordings) {
        let known = || analyses::REPORT.iter().map(|analysis| analysis.id).chain(SECTIONS.iter().copied());
        let is_absent = |id: &&'static str| document.outcomes.iter().all(|outcome| outcome.id() != *id);
        let wanted = self.sections.iter().filter_map(|id| known().find(|known| known == id));
        let absent: Vec<&'static str> = wanted.filter(is_absent).collect();
        for id in absent {
            let kinds: Vec<&str> = recordings.kinds().map(Kind::id).collect();
            let how_to_record = match SECTIONS.contains(&id) {
                true => "run with TORCH_TRACE=DIR, and pass DIR along with the trace",
                false => "pass a trace as well",
            };
            document.outcomes.push(Outcome::Skipped(Skipped {
                id,
                missing: format!("the inputs do not contain this: {}", kinds.join(", ")),
                how_to_record: how_to_record.to_owned(),
            }));
        }
    }
}

/// Why a file has no roofline: nobody knows its device.
fn unknown_device(file: &Measurements, error: anyhow::Error) -> Outcome {
    let failure = Failure::from(error);
    Outcome::Skipped(Skipped {
        id: "roofline",
        missing: format!("{}: {}", file.path, failure.message),
        how_to_record: failure.hint.unwrap_or_default(),
    })
}

/// With all of these inputs in the list of what was read.
pub(crate) fn list(mut document: Document, recordings: &Recordings) -> Document {
    let verb = document.verb;
    let measurements =
        recordings.measurements.iter().map(|one| Document::of_measurements(verb, one, Vec::new()));
    let memory = Document::new(verb, &recordings.memory, Vec::new());
    let logs = Document::of_compile_logs(verb, &recordings.compile_logs, Vec::new());
    for other in measurements.chain([memory, logs]) {
        // The phases of a compiler are a recording, too.
        let is_listed =
            |path: Option<&str>| document.inputs.iter().any(|known| Some(known.path.as_str()) == path);
        let warnings = other.warnings.into_iter().filter(|warning| !is_listed(warning.path.as_deref()));
        let inputs = other.inputs.into_iter().filter(|input| !is_listed(Some(&input.path)));
        let (warnings, inputs): (Vec<_>, Vec<_>) = (warnings.collect(), inputs.collect());
        document.warnings.extend(warnings);
        document.inputs.extend(inputs);
    }
    document.inputs.extend(recordings.saved.as_ref().map(|saved| saved.input.clone()));
    document
}

/// What these inputs are.
pub(crate) fn inputs(recordings: &Recordings) -> Vec<OtherInput<'_>> {
    let kind_of =
        |path: &str| recordings.found.iter().find(|found| found.path == path).map(|found| found.kind);
    let measurements = recordings.measurements.iter().map(|file| OtherInput {
        path: &file.path,
        kind: kind_of(&file.path).unwrap_or(Kind::ProfilerSums).id(),
        format: file.format,
        container: Some(file.container),
        bytes: Some(file.bytes),
        records: Some(file.records.len() as u64),
        device: file.device.as_deref().ok_or("not recorded; name it with --device"),
    });
    let logs = recordings.compile_logs.iter().map(|log| OtherInput {
        path: &log.path,
        kind: Kind::CompileLog.id(),
        format: log.format,
        container: Some(log.container),
        bytes: Some(log.bytes),
        records: Some(log.records),
        device: Err("not recorded"),
    });
    let memory = recordings.memory.recordings.iter().map(|recording| OtherInput {
        path: &recording.path,
        kind: kind_of(&recording.path).unwrap_or(Kind::MemorySnapshot).id(),
        format: recording.format,
        container: Some(recording.container),
        bytes: Some(recording.bytes),
        records: Some(recording.trace.events),
        device: Err("not recorded"),
    });
    let ours =
        recordings.found.iter().filter(|found| matches!(found.kind, Kind::SavedReport | Kind::Partial));
    let ours = ours.map(|found| OtherInput {
        path: &found.path,
        kind: found.kind.id(),
        format: "eaves",
        container: None,
        bytes: None,
        records: None,
        device: Err("not recorded"),
    });
    measurements.chain(logs).chain(memory).chain(ours).collect()
}
