//! A question, and what was answered.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use eaves_app::{Answer, Context, Failure, Form, Progress, Recordings, Request, Session, verbs};

use crate::convert::Fields;

/// A question to a verb.
pub(crate) struct Question {
    request: Box<dyn Request>,
    session: Session,
    /// The session knows them, and does not keep them.
    _held: Vec<(PathBuf, Arc<Recordings>)>,
    /// Answers that draw rows, by the form that draws them.
    drawn: Mutex<Vec<(Form, Arc<Answer>)>>,
}

impl Question {
    /// A question that was not answered yet.
    ///
    /// # Errors
    /// If there is no such verb, or its request has no such field.
    pub(crate) fn new(verb: &str, fields: Fields) -> Result<Self, Failure> {
        let Some(entry) = verbs::find(verb) else {
            let known: Vec<&str> = verbs::ALL.iter().map(|entry| entry.name).collect();
            return Err(Failure::usage(
                format!("no verb `{verb}`"),
                format!("there are {}", known.join(", ")),
            ));
        };
        let session = Session::default();
        for (name, recordings) in &fields.held {
            session.add_as(name, recordings);
        }
        let request = (entry.request)(fields.json)?;
        Ok(Self { request, session, _held: fields.held, drawn: Mutex::default() })
    }

    /// The answer as data.
    pub(crate) fn answer(&self) -> Result<Answer, Failure> {
        self.asked(&[])
    }

    fn asked(&self, forms: &[Form]) -> Result<Answer, Failure> {
        let notes = Notes::default();
        let mut answer = self.request.answer(&Context {
            session: &self.session,
            progress: &notes,
            forms,
            captures: &[],
        })?;
        answer.notes.extend(notes.0.into_inner().unwrap_or_else(PoisonError::into_inner));
        Ok(answer)
    }

    /// True if an answer can have a form.
    pub(crate) fn has_form(&self, form: Form) -> bool {
        self.request.can_have(form)
    }

    /// The answer that a form can be made of: if rows are drawn, they are looked at for it, once.
    pub(crate) fn drawn(&self, form: Form, answer: &Arc<Answer>) -> Result<Arc<Answer>, Failure> {
        if !self.request.prepares(form) {
            return Ok(answer.clone());
        }
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, answer)) = drawn.iter().find(|(known, _)| *known == form) {
            return Ok(answer.clone());
        }
        let answer = Arc::new(self.asked(&[form])?);
        drawn.push((form, answer.clone()));
        Ok(answer)
    }
}

/// What is said while the work goes on.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Progress for Notes {
    fn note(&self, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
    }
}
