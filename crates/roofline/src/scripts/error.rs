//! What can be wrong with a script, and where.

use std::fmt;

use rhai::{EvalAltResult, ParseError, Position};

/// An error of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptError {
    /// The script, by file name.
    pub script: String,
    /// The operator whose function failed.
    pub operator: Option<String>,
    /// Line and column, both from one.
    pub place: Option<(usize, usize)>,
    /// What is wrong.
    pub reason: String,
}

impl ScriptError {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::default() }
    }

    pub(super) fn in_script(self, script: &str) -> Self {
        Self { script: script.to_owned(), ..self }
    }

    pub(super) fn in_operator(self, operator: &str) -> Self {
        Self { operator: Some(operator.to_owned()), ..self }
    }

    pub(super) fn parsing(error: &ParseError) -> Self {
        Self { place: place(error.position()), ..Self::new(error.err_type().to_string()) }
    }

    /// Where it went wrong is innermost: in the function that a function called.
    pub(super) fn running(error: &EvalAltResult, limits: &super::Limits) -> Self {
        let innermost = error.unwrap_inner();
        let position = [innermost.position(), error.position()].into_iter().find(|at| !at.is_none());
        let reason = match innermost {
            EvalAltResult::ErrorTooManyOperations(_) => {
                format!("more than {} steps: does a loop not end?", limits.steps)
            }
            EvalAltResult::ErrorTerminated(..) => format!("took longer than {:?}", limits.time),
            EvalAltResult::ErrorStackOverflow(_) => {
                format!("functions call each other more than {} deep", limits.depth)
            }
            EvalAltResult::ErrorDataTooLarge(..) => {
                format!("a text of more than {} bytes or a list of more than {}", limits.text, limits.list)
            }
            EvalAltResult::ErrorTooManyVariables(_) => format!("more than {} variables", limits.variables),
            other => without_place(&other.to_string()),
        };
        Self { place: position.and_then(place), ..Self::new(reason) }
    }
}

fn place(position: Position) -> Option<(usize, usize)> {
    Some((position.line()?, position.position().unwrap_or(1)))
}

/// Messages end in `(line 3, position 5)`, which is said in front.
fn without_place(message: &str) -> String {
    let end = message.rfind(" (line ").filter(|_| message.ends_with(')'));
    message[..end.unwrap_or(message.len())].to_owned()
}

impl fmt::Display for ScriptError {
    /// `ops.rhai:3:5: ID_MYOP: Property not found: shape`, as compilers write it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.script)?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        if let Some(operator) = &self.operator {
            write!(f, ": {operator}")?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for ScriptError {}
