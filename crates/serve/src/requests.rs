//! Requests of clients. JSON becomes a request of a verb, and one rule says whether a client may make it: it answers and
//! does nothing else, and every file that it reads is a run, or lies below a folder that this server was given.

use std::path::Path;
use std::sync::Arc;

use eaves_app::{Answer, Context, Entry, Form, Look, Request, TooMuch, verbs};
use eaves_model::suggestion::did_you_mean;
use serde_json::{Map, Value, json};

use crate::Problem;
use crate::runs::{Loaded, Run};
use crate::state::Shared;

/// Entries of a list: more are not question that somebody waits for.
const LONGEST_LIST: usize = 1_000;

/// Runs that a request is about: they stay in memory until it is answered.
type Held = Vec<Arc<Loaded>>;

/// The verb of a name.
fn verb(name: &str) -> Result<&'static Entry, Problem> {
    verbs::find(name).ok_or_else(|| {
        let names = || verbs::ALL.iter().map(|entry| entry.name);
        let hint = match did_you_mean(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        };
        Problem::missing(format!("no verb `{name}`")).hint(hint)
    })
}

/// Checks that lists are of a length that somebody means.
pub(crate) fn check_lists(fields: &Map<String, Value>) -> Result<(), Problem> {
    let length = |value: &Value| match value {
        Value::Array(values) => values.len(),
        Value::String(text) => text.bytes().filter(|letter| *letter == b',').count(),
        _ => 0,
    };
    match fields.iter().find(|(_, value)| length(value) > LONGEST_LIST) {
        Some((name, _)) => {
            Err(Problem::bad(format!("`{name}` exceeds {LONGEST_LIST} entries")).hint("ask in parts"))
        }
        None => Ok(()),
    }
}

impl Shared {
    /// Reads a request of a client.
    pub(crate) fn request(
        &self,
        name: &str,
        mut fields: Map<String, Value>,
    ) -> Result<Box<dyn Request>, Problem> {
        let entry = verb(name)?;
        check_lists(&fields)?;
        fields.values_mut().try_for_each(|value| self.spell_out(value))?;
        Ok((entry.request)(fields)?)
    }

    /// Replaces runs by the names that they have in memory, and those that stand among others in a list by their inputs.
    fn spell_out(&self, value: &mut Value) -> Result<(), Problem> {
        match value {
            Value::String(text) => {
                if let Some(id) = Run::id_in(Path::new(text.as_str())) {
                    *text = self.runs.find(id)?.name();
                }
            }
            Value::Array(entries) if entries.len() == 1 => self.spell_out(&mut entries[0])?,
            Value::Array(entries) => {
                let mut all = Vec::new();
                for entry in entries.drain(..) {
                    match entry.as_str().and_then(|text| Run::id_in(Path::new(text))) {
                        Some(id) => all.extend(self.inputs_of(id)?),
                        None => all.push(entry),
                    }
                }
                *entries = all;
            }
            _ => {}
        }
        Ok(())
    }

    fn inputs_of(&self, id: &str) -> Result<Vec<Value>, Problem> {
        let run = self.runs.find(id)?;
        let texts = run.inputs.iter().map(|input| input.to_str().map(Value::from));
        texts.collect::<Option<Vec<Value>>>().ok_or_else(|| {
            Problem::failed(format!("an input of run {id} has a name that is not text"))
                .hint("name one run only")
        })
    }

    /// Checks that a client may make a request, and holds the runs that it is about.
    pub(crate) fn permitted(&self, request: &dyn Request) -> Result<Held, Problem> {
        if let Some(effect) = request.side_effect() {
            return Err(Problem::forbidden(format!("this {effect}, which clients may not request"))
                .hint("run it on the server's command line"));
        }
        let mut held = Held::new();
        for path in request.reads() {
            if let Some(id) = Run::id_in(&path) {
                held.push(self.runs.load(&*self.runs.find(id)?)?);
            } else if !self.is_known(&path) {
                self.allowed(&path)?;
            }
        }
        Ok(held)
    }

    /// True for what a run was made of, and for devices that clients described.
    fn is_known(&self, path: &Path) -> bool {
        let is_input = |run: &Arc<Run>| run.inputs.iter().any(|input| input == path);
        self.runs.all().iter().any(is_input) || self.described.is_file(path)
    }

    /// The answer to a request that a client may make.
    pub(crate) fn answer(&self, request: &dyn Request) -> Result<Vec<u8>, Problem> {
        let _held = self.permitted(request)?;
        self.run(request)
    }

    /// The answer to a request, as the command line prints it with `--json`. Conditions of the request that hold are in
    /// `failed`.
    pub(crate) fn run(&self, request: &dyn Request) -> Result<Vec<u8>, Problem> {
        let answer = request.answer(&Context::new(&self.session))?;
        let json = printed(&answer)?;
        if answer.too_much.is_empty() {
            return Ok(json);
        }
        let mut document: Value =
            serde_json::from_slice(&json).map_err(|error| Problem::internal(error.to_string()))?;
        let held = |one: &TooMuch| json!({"condition": one.condition, "because": one.because});
        document["failed"] = answer.too_much.iter().map(held).collect();
        Ok(document.to_string().into_bytes())
    }
}

/// An answer as JSON.
pub(crate) fn printed(answer: &Answer) -> Result<Vec<u8>, Problem> {
    Ok(answer.render(Form::Json, Look { width: 0, top: 0, full: true })?)
}
