//! Options that every verb has.

use std::path::PathBuf;

use anstream::ColorChoice;
use clap::{Args, ValueEnum};
use eaves_present::Document;
use eaves_present::terminal;

use crate::destination::{self, Destination, Format};
use crate::failure::hinted;
use crate::output::PendingFile;
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
    /// Write to a file: .json, .csv, .md or .txt; DIR/ for one CSV per table
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
}

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

    /// Writes a text that is no document, such as a schema.
    pub(crate) fn write_text(&self, text: &str) -> anyhow::Result<()> {
        destination::write_text(text, self.output.as_deref(), &self.printer())
    }

    /// Where the document will go. Called before the work, so that a wrong name costs no time.
    pub(crate) fn destination(&self, inputs: &[PathBuf]) -> anyhow::Result<Destination> {
        self.check_output(inputs)?;
        Destination::new(self.format(), self.output.as_deref())
    }

    /// The file that `-o` names and its ending, if that is one of those that only this verb writes. Called before the
    /// work, too.
    pub(crate) fn picture(
        &self,
        inputs: &[PathBuf],
        endings: &[&'static str],
    ) -> anyhow::Result<Option<(PendingFile, &'static str)>> {
        let ending = self.output.as_deref().and_then(|path| path.extension()?.to_str());
        let known = |ending: &str| endings.iter().copied().find(|known| known.eq_ignore_ascii_case(ending));
        let Some((path, ending)) = self.output.as_deref().zip(ending.and_then(known)) else {
            return Ok(None);
        };
        if self.format().is_some() {
            return Err(hinted(
                format!("--json, --csv and --markdown do not go with a picture: {}", path.display()),
                "give one of the two",
            ));
        }
        self.check_output(inputs)?;
        Ok(Some((destination::create(path)?, ending)))
    }

    fn check_output(&self, inputs: &[PathBuf]) -> anyhow::Result<()> {
        if let Some(output) = self.output.as_deref().and_then(|path| path.canonicalize().ok()) {
            let is_output = |input: &&PathBuf| input.canonicalize().is_ok_and(|input| input == output);
            if let Some(input) = inputs.iter().find(is_output) {
                return Err(hinted(
                    format!("the output would replace the input: {}", input.display()),
                    "give the output another name",
                ));
            }
        }
        Ok(())
    }

    fn format(&self) -> Option<Format> {
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
        self.finish_as(document, destination, top, &|options| terminal::render(document, options))
    }

    /// The same with another text for terminals.
    pub(crate) fn finish_as(
        &self,
        document: &Document,
        destination: Destination,
        top: usize,
        text: &dyn Fn(&terminal::Options) -> String,
    ) -> anyhow::Result<()> {
        let printer = self.printer();
        if !destination.shows_warnings() {
            self.tell_warnings(document);
        }
        destination.write(document, top, &printer, text)?;
        self.conclude(document)
    }

    /// Writes a picture, tells the warnings, and fails on them if the user wants it so.
    pub(crate) fn finish_picture(
        &self,
        document: &Document,
        file: PendingFile,
        picture: &str,
    ) -> anyhow::Result<()> {
        self.tell_warnings(document);
        destination::complete(file, picture.as_bytes())?;
        self.conclude(document)
    }

    fn tell_warnings(&self, document: &Document) {
        self.printer().note(&terminal::render_warnings(document, &terminal::Options::default()));
    }

    fn conclude(&self, document: &Document) -> anyhow::Result<()> {
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
