//! The command line as what a server asks: its verbs, and recordings that stay in memory.

mod known;

use std::path::PathBuf;
use std::sync::Arc;

use eaves_analyze::Selection;
use eaves_analyze::section::Section;
use eaves_app::{Context, Form, Look, Recordings, Session, Verb, flame, verbs};
use eaves_model::Run;
use eaves_present::{Document, json};
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
        let recordings = Arc::new(Recordings::read(inputs, Selection::default(), None)?);
        self.session.add(&recordings);
        let file = |path: &Option<PathBuf>| path.clone().filter(|path| path.is_file());
        let request = verbs::Report {
            inputs: inputs.to_vec(),
            config: file(&self.config),
            ops: file(&self.ops).filter(|_| !recordings.has_traces()),
            ..verbs::Report::default()
        };
        let answer = request.run(&Context::new(&Session::of(&recordings)))?;
        let look = Look { width: 0, top: 0, full: true };
        let json = answer.render(Form::Json, look)?;
        let recorded: Option<Arc<dyn Recorded>> = match recordings.run.recordings.is_empty() {
            true => None,
            false => Some(Arc::new(Kept(recordings))),
        };
        Ok(Opened { json, document: Some(answer.document), recorded })
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
