//! Options that every verb has.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anstream::ColorChoice;
use clap::{Args, ValueEnum};
use eaves_present::Document;
use eaves_present::terminal;

use crate::destination::{self, Destination, Format};
use crate::failure::hinted;
use crate::printer::Printer;

/// Examples stand before the options: most people need no more.
pub(crate) const HELP_TEMPLATE: &str = "\
{about}

Examples:
{before-help}{usage-heading} {usage}

{all-args}";

/// Where the output goes and how it looks.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArguments {
    /// Print JSON
    #[arg(long, global = true, conflicts_with_all = ["csv", "markdown"])]
    json: bool,
    /// Print every table as CSV
    #[arg(long, global = true, conflicts_with = "markdown")]
    csv: bool,
    /// Print Markdown
    #[arg(long, global = true)]
    markdown: bool,
    /// Write to a file: .html, .json, .csv, .md or .txt; DIR/ for one CSV per table
    #[arg(short, long, global = true, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Exit with 2 if the input is damaged in any way
    #[arg(long, global = true)]
    strict: bool,
    /// Print no warnings and no progress
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Use colours: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    color: Color,
    /// Takes the answer in place of the terminal and of files.
    #[arg(skip)]
    answer: Option<Answer>,
}

/// Where an answer is left for a caller in this process.
pub(crate) type Answer = Arc<Mutex<Option<Document>>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

impl OutputArguments {
    /// The printer that follows these options.
    pub(crate) fn printer(&self) -> Printer {
        let color = match self.color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Printer { quiet: self.quiet, color }
    }

    /// Leaves the answer to the caller, with everything that programs get, and says nothing besides.
    pub(crate) fn answer_to(&mut self, answer: &Answer) {
        (self.json, self.csv, self.markdown) = (true, false, false);
        (self.output, self.quiet, self.color) = (None, true, Color::Never);
        self.answer = Some(answer.clone());
    }

    /// Writes a text that is no document, such as a schema.
    pub(crate) fn write_text(&self, text: &str) -> anyhow::Result<()> {
        if self.answer.is_some() {
            return Ok(());
        }
        destination::write_text(text, self.output.as_deref(), &self.printer())
    }

    /// Shows a document on stdout beside what was written to a file.
    pub(crate) fn show(&self, document: &Document) -> anyhow::Result<()> {
        let destination = Destination::new(self.format(), None)?;
        self.finish(document, destination, 0)
    }

    /// Where the document will go. Called before the work, so that a wrong name costs no time.
    pub(crate) fn destination(&self, inputs: &[PathBuf]) -> anyhow::Result<Destination> {
        check_output(self.output.as_deref(), inputs)?;
        Destination::new(self.format(), self.output.as_deref())
    }

    /// The file that was named.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// True if the file that was named is a page.
    pub(crate) fn is_page(&self) -> bool {
        self.format().is_none() && self.path().and_then(Format::of) == Some(Format::Html)
    }

    /// The form that an option asks for.
    pub(crate) fn format(&self) -> Option<Format> {
        match (self.json, self.csv, self.markdown) {
            (true, ..) => Some(Format::Json),
            (_, true, _) => Some(Format::Csv),
            (.., true) => Some(Format::Markdown),
            _ => None,
        }
    }

    /// Writes the document, tells the warnings, and fails on them if the user wants it so.
    pub(crate) fn finish(
        &self,
        document: &Document,
        destination: Destination,
        top: usize,
    ) -> anyhow::Result<()> {
        let shows_warnings = destination.shows_warnings();
        self.finish_with(document, shows_warnings, |printer| destination.write(document, top, printer))
    }

    /// The same for an answer that is written in another way; it may show the warnings itself.
    pub(crate) fn finish_with(
        &self,
        document: &Document,
        shows_warnings: bool,
        write: impl FnOnce(&Printer) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let printer = self.printer();
        if !shows_warnings {
            printer.note(&terminal::render_warnings(document, &terminal::Options::default()));
        }
        match &self.answer {
            Some(answer) => {
                *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(document.clone());
            }
            None => write(&printer)?,
        }
        let harmful = document.warnings.iter().filter(|warning| !warning.kind.is_harmless()).count();
        if self.strict && harmful > 0 {
            let kinds = if harmful == 1 { "warning" } else { "warnings" };
            return Err(hinted(
                format!("the input has {harmful} {kinds}, and --strict is set"),
                "without --strict the numbers are those of everything that could be read",
            ));
        }
        Ok(())
    }
}

/// Makes sure that no input is replaced.
pub(crate) fn check_output(output: Option<&Path>, inputs: &[PathBuf]) -> anyhow::Result<()> {
    let Some(output) = output.and_then(|path| path.canonicalize().ok()) else { return Ok(()) };
    let is_output = |input: &&PathBuf| input.canonicalize().is_ok_and(|input| input == output);
    match inputs.iter().find(is_output) {
        Some(input) => Err(hinted(
            format!("the output would replace the input: {}", input.display()),
            "give the output another name",
        )),
        None => Ok(()),
    }
}
