//! `compile`: what `torch.compile` did, from its logs.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use eaves_assess::compile;
use eaves_model::compile::CompileLog;
use eaves_present::Document;
use eaves_section::Section;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text_value::names;
use crate::{Answer, Context, Failure, Verb, condition};

/// Sections shown only with `--details`.
pub(crate) const HIDDEN: &[&str] = &["compile-stacks"];

/// Show graph breaks, recompilations, compile time and fusion
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Compile {
    /// TORCH_TRACE or TORCH_LOGS logs: files, directories, patterns, or - for
    /// stdin
    #[arg(value_name = "LOG", required_unless_present = "program", conflicts_with = "program")]
    pub inputs: Vec<PathBuf>,
    /// Compare with another run's log
    #[arg(long, value_name = "LOG")]
    pub against: Option<PathBuf>,
    /// Exit with 1 if a condition holds: graph_breaks>0, recompiles>2,
    /// compile_time>60s, fusion_ratio<2; may be repeated
    #[arg(long, value_name = "CONDITION")]
    #[serde(deserialize_with = "crate::text_value::several")]
    pub fail_on: Vec<String>,
    /// Show all tables
    #[arg(long)]
    pub details: bool,
    /// Show only this section, with all its tables; may be repeated
    #[arg(long, value_name = "ID", value_parser = PossibleValuesParser::new(compile::SECTIONS))]
    #[serde(deserialize_with = "names")]
    pub section: Vec<String>,
}

impl Verb for Compile {
    const NAME: &'static str = "compile";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let conditions = condition::parse_all(&self.fail_on)?;
        if let Some(unknown) = self.section.iter().find(|id| !compile::SECTIONS.contains(&id.as_str())) {
            return Err(Failure::usage(
                format!("no section `{unknown}`"),
                format!("sections are {}", compile::SECTIONS.join(", ")),
            ));
        }
        let base = self.against.clone().map(|log| context.compile_logs(&[log])).transpose()?;
        let logs = context.compile_logs(&self.inputs)?;
        let document = match &base {
            Some(base) => difference(Self::NAME, base, &logs),
            None => self.alone(&logs),
        };
        let mut answer = Answer::new(document);
        let sections: Vec<&Section> = answer.document.sections().collect();
        answer.too_much = condition::check_all(&conditions, &sections)?;
        Ok(answer)
    }

    fn files(&self) -> Vec<PathBuf> {
        self.inputs.iter().chain(&self.against).cloned().collect()
    }
}

impl Compile {
    fn alone(&self, logs: &[CompileLog]) -> Document {
        let mut outcomes = compile::sections(logs);
        if !self.section.is_empty() {
            outcomes.retain(|outcome| self.section.iter().any(|id| id == outcome.id()));
        }
        let document = Document::of_compile_logs(Self::NAME, logs, outcomes);
        if self.details || !self.section.is_empty() {
            document
        } else {
            document.with_overview(HIDDEN.to_vec())
        }
    }
}

/// Two runs side by side.
pub(super) fn difference(verb: &'static str, base: &[CompileLog], new: &[CompileLog]) -> Document {
    let mut document = Document::of_compile_logs(verb, base, compile::compare(base, new));
    let other = Document::of_compile_logs(verb, new, Vec::new());
    for input in &mut document.inputs {
        input.role = Some("base");
    }
    document.inputs.extend(other.inputs.into_iter().map(|mut input| {
        input.role = Some("new");
        input
    }));
    document.warnings.extend(other.warnings);
    document
}
