//! Options of every verb, and writing the answer.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anstream::ColorChoice;
use clap::{Args, ValueEnum};
use eaves_app::{
    Answer, Context, Failure, Form, Look, NextStep, Outputs, Progress, Session, TooMuch, Verb, check_output,
};
use eaves_present::{Document, terminal};

use crate::Status;
use crate::destination::Target;
use crate::failure::hinted;
use crate::printer::Printer;
use crate::progress::{Bar, Steps};

/// Output options.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArguments {
    /// Print JSON
    #[arg(long, global = true, conflicts_with_all = ["csv", "markdown", "format"])]
    json: bool,
    /// Print every table as CSV
    #[arg(long, global = true, conflicts_with_all = ["markdown", "format"])]
    csv: bool,
    /// Print Markdown
    #[arg(long, global = true, conflicts_with = "format")]
    markdown: bool,
    /// Output format: text, json, csv, markdown, html, svg, png, folded, speedscope or d3
    #[arg(long = "format", global = true, value_name = "FORM", value_parser = form, id = "format")]
    form: Option<Form>,
    /// Write to a file: .html, .json, .csv, .md, .txt, or a picture where the verb
    /// draws one (.svg, .png); DIR/ for one CSV per table; may be repeated
    #[arg(short, long, global = true, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Rows per table in text and Markdown; 0 for all
    #[arg(long, global = true, value_name = "N")]
    top: Option<usize>,
    /// Show all sections and tables of a report instead of one screen
    #[arg(long, global = true)]
    full: bool,
    /// Exit with 2 if the input is damaged
    #[arg(long, global = true)]
    strict: bool,
    /// Suppress warnings and progress
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Use colors: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

fn form(text: &str) -> Result<Form, String> {
    Form::from_id(text).ok_or_else(|| {
        let known: Vec<&str> = Form::ALL.into_iter().map(Form::id).collect();
        format!("expected one of {}", known.join(", "))
    })
}

impl Progress for Printer {
    fn reading(&self, read: &mut dyn FnMut(Arc<eaves_ingest::Progress>)) {
        let bar = Bar::start(self);
        read(bar.progress.clone());
    }

    fn steps(&self, work: &mut dyn FnMut(&mut NextStep<'_>)) {
        let steps = Steps::start(self);
        work(&mut |done, of, what| steps.show(done, of, what));
    }

    fn note(&self, text: &str) {
        self.note(&format!("note: {text}\n"));
    }

    fn line(&self, line: &str) {
        self.note(&format!("{line}\n"));
    }

    fn is_silent(&self) -> bool {
        self.quiet
    }
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

    /// Runs a verb and writes its answer.
    pub(crate) fn run<V: Verb>(&self, verb: &V) -> anyhow::Result<Status> {
        let outputs = match V::MAKES_FILES {
            true => Outputs::new(self.format(), &[], |form| verb.has_form(form))?,
            false => self.outputs(&verb.files(), |form| verb.has_form(form))?,
        };
        self.answered(&self.ask(verb, &outputs)?, outputs)
    }

    /// Runs a verb whose answer goes where it was made sure before that it can.
    pub(crate) fn ask(&self, verb: &impl Verb, outputs: &Outputs) -> anyhow::Result<Answer> {
        self.with_context(&outputs.forms(), |context| verb.run(context))
    }

    /// Does something whose progress is shown, for an answer in these forms.
    pub(crate) fn with_context<R>(
        &self,
        forms: &[Form],
        work: impl FnOnce(&Context<'_>) -> Result<R, Failure>,
    ) -> anyhow::Result<R> {
        let (printer, session) = (self.printer(), Session::default());
        Ok(work(&Context { session: &session, progress: &printer, forms, captures: &[] })?)
    }

    /// Writes a text that is not a document, such as a schema.
    pub(crate) fn write_text(&self, text: &str) -> anyhow::Result<()> {
        Target::open(self.one_path()?)?.write(text.as_bytes(), &self.printer())
    }

    /// Shows a document on stdout next to what was written to a file.
    pub(crate) fn show(&self, document: &Document) -> anyhow::Result<()> {
        let outputs = Outputs::new(self.format(), &[], |_| true)?;
        self.finish(document, outputs, 0)
    }

    /// Where the document will go. Called before the work, so that a wrong name costs no time.
    pub(crate) fn destination(&self, inputs: &[PathBuf]) -> anyhow::Result<Outputs> {
        self.outputs(inputs, |form| Form::OF_DOCUMENTS.contains(&form))
    }

    /// The same of an answer that may have other forms than documents have.
    pub(crate) fn outputs(
        &self,
        inputs: &[PathBuf],
        has_form: impl Fn(Form) -> bool,
    ) -> anyhow::Result<Outputs> {
        for output in &self.output {
            check_output(output, inputs)?;
        }
        Outputs::new(self.format(), &self.output, has_form)
    }

    /// The file that was named, of a verb that writes one.
    ///
    /// # Errors
    /// If several were named.
    pub(crate) fn one_path(&self) -> anyhow::Result<Option<&Path>> {
        match self.output.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(one.as_path()).filter(|path| *path != Path::new("-"))),
            _ => Err(hinted("this verb writes only one file", "use -o once")),
        }
    }

    /// The files that were named.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.output.iter().map(PathBuf::as_path)
    }

    /// The form that an option asks for.
    pub(crate) fn format(&self) -> Option<Form> {
        match (self.json, self.csv, self.markdown) {
            (true, ..) => Some(Form::Json),
            (_, true, _) => Some(Form::Csv),
            (.., true) => Some(Form::Markdown),
            _ => self.form,
        }
    }

    /// Writes a document, tells the warnings, and fails on them if the user wants it so.
    pub(crate) fn finish(&self, document: &Document, outputs: Outputs, top: usize) -> anyhow::Result<()> {
        self.answered(&Answer::new(document.clone()).with_top(top), outputs)?;
        Ok(())
    }

    /// Writes an answer, and says what holds that the user wants to fail on.
    pub(crate) fn answered(&self, answer: &Answer, outputs: Outputs) -> anyhow::Result<Status> {
        let shows_warnings = outputs.shows_warnings() && answer.shows_warnings();
        self.finish_with(&answer.document, shows_warnings, |printer| {
            for note in &answer.notes {
                printer.note(&format!("note: {note}\n"));
            }
            if let Some(note) = answer.csv_note.filter(|_| outputs.is_one_csv()) {
                printer.note(&format!("note: {note}\n"));
            }
            let top = self.top.unwrap_or(answer.top);
            outputs.write(answer, Look { width: printer.width(), top, full: self.is_full() }, printer)
        })?;
        if let Some(fault) = &answer.fault {
            return Err(fault.clone().into());
        }
        Ok(self.tell(&answer.too_much))
    }

    /// Says which conditions hold.
    pub(crate) fn tell(&self, too_much: &[TooMuch]) -> Status {
        let printer = self.printer();
        for one in too_much {
            printer.message(&format!("failed: `{}` holds: {}\n", one.condition, one.because));
        }
        if too_much.is_empty() { Status::Done } else { Status::ConditionHolds }
    }

    /// True if a report is shown whole. Whoever asks for more rows wants to see the tables.
    fn is_full(&self) -> bool {
        self.full || self.top.is_some()
    }

    /// True if programs read stdout, which must have nothing but the answer.
    pub(crate) fn prints_data(&self) -> bool {
        self.output.is_empty() && self.format().is_some()
    }

    /// True if people read stdout.
    pub(crate) fn prints_text(&self) -> bool {
        self.output.is_empty() && self.format().is_none()
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
        write(&printer)?;
        let harmful = document.warnings.iter().filter(|warning| !warning.kind.is_harmless()).count();
        if self.strict && harmful > 0 {
            let kinds = if harmful == 1 { "warning" } else { "warnings" };
            return Err(hinted(
                format!("the input has {harmful} {kinds} (--strict)"),
                "without --strict, the numbers cover everything that could be read",
            ));
        }
        Ok(())
    }
}
