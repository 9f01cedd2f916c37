//! Texts for people: what `TORCH_LOGS` prints, what `torch._dynamo.explain` returns, and what a program ends with whose graph
//! must not break.

use eaves_model::compile::CompileId;

use super::builder::Builder;
use super::{breaks, reasons};

/// The most lines of one report that are kept.
const MOST: usize = 4096;

/// True for what follows the place in PyTorch where a line comes from: `[0/0] [__graph_breaks] ...`.
pub(super) fn is_it(content: &[u8]) -> bool {
    std::str::from_utf8(content).is_ok_and(|content| tagged(content).is_some())
}

/// The line of an exception, before its text.
const REFUSED: &str = "torch._dynamo.exc.Unsupported: ";
/// What follows the text.
const AFTER_REFUSAL: &str = "Set TORCHDYNAMO_VERBOSE=1";
/// In this many lines a text is looked for: before an exception there is a stack.
const FIRST: usize = 512;

/// True for the text of an explanation or of a refusal.
pub(super) fn is_explanation(first: &[u8]) -> bool {
    first
        .split(|byte| *byte == b'\n')
        .take(FIRST)
        .any(|line| line.starts_with(b"Graph Break Count: ") || line.starts_with(REFUSED.as_bytes()))
}

/// What is being collected.
#[derive(Default)]
pub(super) struct Reader {
    tag: String,
    id: CompileId,
    lines: Vec<String>,
    /// True inside the list of reasons of an explanation.
    explaining: bool,
}

/// `[5/1] [__recompiles] text` in its parts.
fn tagged(content: &str) -> Option<(CompileId, &str, &str)> {
    let (id, rest) = match content.strip_prefix('[')?.split_once("] ") {
        Some((id, rest)) if id.starts_with(|letter: char| letter.is_ascii_digit() || letter == '!') => {
            (id_of(id), rest)
        }
        _ => (CompileId::default(), content),
    };
    let (tag, text) = rest.strip_prefix("[__")?.split_once(']')?;
    Some((id, tag, text.strip_prefix(' ').unwrap_or(text)))
}

/// `5/1`, `5/1_1` at a further attempt, `!0/5/1` under compiled autograd.
fn id_of(text: &str) -> CompileId {
    let text = text.split('_').next().unwrap_or_default();
    let (autograd, rest) = match text.strip_prefix('!') {
        Some(rest) => {
            rest.split_once('/').map_or((Some(rest), ""), |(autograd, rest)| (Some(autograd), rest))
        }
        None => (None, text),
    };
    let (frame, compile) = rest.split_once('/').unwrap_or((rest, ""));
    CompileId {
        autograd: autograd.and_then(|number| number.parse().ok()),
        frame: frame.parse().ok(),
        compile: compile.parse().ok(),
    }
}

impl Reader {
    /// A line behind its place in PyTorch.
    pub(super) fn line(&mut self, content: &[u8], builder: &mut Builder) {
        let content = String::from_utf8_lossy(content);
        let Some((id, tag, text)) = tagged(&content) else { return };
        builder.record();
        builder.compile(id);
        let begins = match tag {
            "graph_breaks" => breaks::begins(text),
            "recompiles" => text.starts_with("Recompiling function "),
            _ => return,
        };
        if begins || tag != self.tag || id != self.id {
            self.finish(builder);
            if !begins {
                return;
            }
            (self.tag, self.id) = (tag.to_owned(), id);
        }
        if self.lines.len() < MOST {
            self.lines.push(text.to_owned());
        }
    }

    /// A line by itself. True if it belongs to something.
    pub(super) fn bare(&mut self, line: &[u8], builder: &mut Builder) -> bool {
        let line = String::from_utf8_lossy(line);
        if let Some(title) = line.strip_prefix(REFUSED) {
            builder.record();
            self.finish(builder);
            self.tag = "refused".to_owned();
            self.lines.push(title.to_owned());
            return true;
        }
        if self.tag == "refused" {
            if line.starts_with(AFTER_REFUSAL) {
                self.finish(builder);
            } else if self.lines.len() < MOST {
                self.lines.push(line.into_owned());
            }
            return true;
        }
        if line.starts_with("Graph Count: ") {
            return true;
        }
        if line.starts_with("Graph Break Count: ") {
            builder.record();
            self.finish(builder);
            self.explaining = true;
            return true;
        }
        if !self.explaining {
            return false;
        }
        if line.trim_start().starts_with("Break Reason ") {
            self.finish(builder);
            self.tag = "explained".to_owned();
        } else if line.starts_with("Ops per Graph:") || line.starts_with("Out Guards:") {
            self.finish(builder);
        } else if !self.tag.is_empty() && self.lines.len() < MOST {
            self.lines.push(line.into_owned());
        }
        true
    }

    /// Takes in what was collected.
    pub(super) fn finish(&mut self, builder: &mut Builder) {
        let lines = std::mem::take(&mut self.lines);
        let tag = std::mem::take(&mut self.tag);
        if lines.is_empty() {
            return;
        }
        let texts = lines.iter().map(String::as_str);
        match tag.as_str() {
            "graph_breaks" => builder.told_break(self.id, breaks::parse(texts)),
            "recompiles" => {
                // `    - 5/0: k == 1`; a stack follows, whose lines begin with no id.
                let reasons = texts.filter_map(|line| line.trim_start().strip_prefix("- "));
                let told: Vec<_> = reasons.map(reasons::one).filter(|told| !told.of.is_empty()).collect();
                builder.told_recompile(self.id, &told);
            }
            "refused" => {
                let Some(mut told) = breaks::refusal(texts) else { return };
                if let Some((file, line, _)) = told.stack.last() {
                    (told.file, told.line) = (file.clone(), *line);
                }
                builder.told_break(CompileId::default(), told);
            }
            _ => {
                let mut told = breaks::parse(texts.clone());
                // `<FrameSummary file foo.py, line 5 in toy_example>`
                for line in texts {
                    let summary = line.trim().strip_prefix("<FrameSummary file ");
                    let parts = summary.and_then(|rest| rest.strip_suffix('>')?.split_once(", line "));
                    let Some((file, rest)) = parts else { continue };
                    let (line, function) = rest.split_once(" in ").unwrap_or((rest, ""));
                    told.file = file.to_owned();
                    told.line = line.parse().unwrap_or(0);
                    told.stack.push((file.to_owned(), told.line, function.to_owned()));
                }
                builder.told_break(CompileId::default(), told);
            }
        }
    }
}
