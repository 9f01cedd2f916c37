//! The command line as what a server asks: its verbs, and recordings that stay in memory.

mod known;

use std::path::PathBuf;
use std::sync::Arc;

use eaves_analyze::Selection;
use eaves_analyze::section::Section;
use eaves_app::{Context, Recordings, Session, Verb, flame, verbs};
use eaves_model::Run;
use eaves_present::{Document, json, saved};
use eaves_roofline::scripts::Script;
use eaves_serve::{Engine, Opened, Part, Problem, Recorded};
use serde_json::{Map, Value};

use crate::library;

/// The verbs of this program.
#[derive(Debug, Default)]
pub struct Program {
    /// The recordings that runs hold.
    pub session: Session,
    /// Peaks and thresholds for inputs that have none, if the file is there.
    pub config: Option<PathBuf>,
    /// Formulas of the user, if the file is there.
    pub ops: Option<PathBuf>,
}

fn written(document: &Document) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    json::write(document, &mut bytes).map_err(|error| Problem::failed(error.to_string()))?;
    Ok(bytes)
}

impl Engine for Program {
    fn answer(&self, words: &[String]) -> Result<Vec<u8>, Problem> {
        written(&library::ask(words)?)
    }

    fn open(&self, inputs: &[PathBuf]) -> Result<Opened, Problem> {
        if let [input] = inputs {
            let read = saved::json(input).map_err(|error| {
                Problem::failed(error.to_string()).hint("make the report again, or open the trace")
            })?;
            if let Some(text) = read {
                return Ok(Opened { json: text.into_bytes(), document: None, recorded: None });
            }
        }
        let recordings = match Recordings::read(inputs, Selection::default(), None) {
            Ok(recordings) => Arc::new(recordings),
            // Tables of kernels, commands of NPUs and logs of compilers have verbs of their own.
            Err(failure) => return self.open_otherwise(inputs).ok_or_else(|| failure.into()),
        };
        self.session.add(&recordings);
        let request = verbs::Report { inputs: inputs.to_vec(), ..verbs::Report::default() };
        let document = request.run(&Context::new(&Session::of(&recordings)))?.document;
        let recorded: Option<Arc<dyn Recorded>> = match recordings.run.recordings.is_empty() {
            true => None,
            false => Some(Arc::new(Kept(recordings))),
        };
        Ok(Opened { json: written(&document)?, document: Some(document), recorded })
    }

    fn ask(&self, verb: &str, request: Map<String, Value>) -> Result<Vec<u8>, Problem> {
        let Some(entry) = verbs::find(verb) else {
            return Err(Problem::missing(format!("no verb `{verb}`")));
        };
        let answer = (entry.answer)(request, &Context::new(&self.session))?;
        written(&answer.document)
    }

    fn known(&self, kind: &str) -> Result<Vec<u8>, Problem> {
        let value = match kind {
            "precisions" => known::precisions(),
            "presets" => known::presets(),
            _ => return Err(Problem::missing(format!("nothing is known of `{kind}`"))),
        };
        Ok(value.to_string().into_bytes())
    }

    fn check_ops(&self, script: &str) -> Vec<(Option<usize>, String)> {
        match Script::compile(script, "ops.rhai") {
            Ok(_) => Vec::new(),
            Err(error) => vec![(error.place.map(|(line, _)| line), error.to_string())],
        }
    }
}

fn text(path: &std::path::Path) -> String {
    path.display().to_string()
}

impl Program {
    /// The document of a verb that takes other inputs than recordings; nothing if none does.
    fn open_otherwise(&self, inputs: &[PathBuf]) -> Option<Opened> {
        let files = || ["--".to_owned()].into_iter().chain(inputs.iter().map(|input| text(input)));
        let mut roofline = vec!["roofline".to_owned()];
        for (option, file) in [("--config", &self.config), ("--ops", &self.ops)] {
            if let Some(file) = file.as_ref().filter(|file| file.is_file()) {
                roofline.extend([option.to_owned(), text(file)]);
            }
        }
        let compile = vec!["compile".to_owned()];
        [roofline, compile].into_iter().find_map(|words| {
            let words: Vec<String> = words.into_iter().chain(files()).collect();
            let document = library::ask(&words).ok()?;
            Some(Opened { json: written(&document).ok()?, document: Some(document), recorded: None })
        })
    }
}

/// Recordings in memory.
struct Kept(Arc<Recordings>);

impl Recorded for Kept {
    fn run(&self) -> &Run {
        &self.0.run
    }

    fn timeline(&self) -> Option<Section> {
        let request = verbs::Timeline { inputs: self.0.inputs.clone(), ..verbs::Timeline::default() };
        let answer = request.run(&Context::new(&Session::of(&self.0))).ok()?;
        answer.document.sections().next().cloned()
    }

    fn flame(&self, part: &Part, base: Option<&Run>) -> Result<Vec<u8>, Problem> {
        Ok(flame::page_data(&self.0, part.rank, part.windows.as_deref(), base)?)
    }
}
