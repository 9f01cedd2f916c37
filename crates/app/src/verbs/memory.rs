//! `memory`: the memory peak and what was in use then.

use std::path::PathBuf;

use clap::Args;
use eaves_present::{Document, memory};
use eaves_section::Section;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::{Closely, Question};
use crate::answer::painted;
use crate::{Answer, Context, Drawing, Failure, Form, Look, Verb, condition};

/// Report sections it shows.
const SECTIONS: &[&str] = &["memory"];

/// Show peak memory, what was allocated at the peak, and growth
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Memory {
    /// Files, directories with one recording per rank, patterns, or -
    #[arg(required_unless_present = "program", value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Exit with 1 if a condition holds: peak>70GB,
    /// unused_at_peak>4GiB; may be repeated
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    #[serde(deserialize_with = "crate::text_value::several")]
    pub fail_on: Vec<String>,
    /// What to analyze, and in how much detail.
    #[command(flatten)]
    #[serde(flatten)]
    pub closely: Closely,
}

impl Verb for Memory {
    const NAME: &'static str = "memory";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let conditions = condition::parse_all(&self.fail_on)?;
        let question = Question::of(Self::NAME, &self.inputs, &self.closely, SECTIONS);
        let mut answer = question.answer(context)?;
        let sections: Vec<&Section> = answer.document.sections().collect();
        answer.too_much = condition::check_all(&conditions, &sections)?;
        Ok(answer.drawn_by(OverTime))
    }

    fn files(&self) -> Vec<PathBuf> {
        self.inputs.clone()
    }

    fn has_form(&self, form: Form) -> bool {
        Form::OF_DOCUMENTS.contains(&form) || matches!(form, Form::Svg | Form::Png)
    }
}

/// Memory over time.
struct OverTime;

impl Drawing for OverTime {
    fn draw(&self, document: &Document, form: Form, _: Look) -> Result<Option<Vec<u8>>, Failure> {
        let drawing = || memory::svg(&document.sections().collect::<Vec<_>>());
        Ok(match form {
            Form::Svg => Some(drawing().into_bytes()),
            Form::Png => Some(painted(&drawing())?),
            _ => None,
        })
    }
}
