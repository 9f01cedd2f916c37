//! `--json`, `--csv`, `--markdown` and `-o`: where a document goes and in which form.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context;
use eaves_app::{Answer, Form, Look};
use eaves_present::{csv, terminal};

use crate::failure::hinted;
use crate::output::PendingFile;
use crate::printer::Printer;

/// Where a document goes.
#[derive(Debug)]
enum Place {
    One(Target),
    /// One file per table.
    Directory(PathBuf),
}

/// Stdout or a file.
#[derive(Debug)]
pub(crate) enum Target {
    Stdout,
    File(PendingFile),
}

impl Target {
    /// Makes sure, before the work begins, that the file can be written.
    pub(crate) fn open(output: Option<&Path>) -> anyhow::Result<Self> {
        match output.filter(|path| *path != Path::new("-")) {
            Some(path) => Ok(Self::File(create(path)?)),
            None => Ok(Self::Stdout),
        }
    }

    /// The columns of a text that goes there.
    pub(crate) fn width(&self, printer: &Printer) -> usize {
        match self {
            Self::Stdout => printer.width(),
            Self::File(_) => terminal::Options::default().width,
        }
    }

    /// Writes bytes as they are.
    pub(crate) fn write(self, content: &[u8], printer: &Printer) -> anyhow::Result<()> {
        match self {
            Self::Stdout => printer.raw_data(content).context("cannot write to stdout"),
            Self::File(file) => complete(file, content),
        }
    }

    /// Writes a text for people, with colours where they are wanted.
    pub(crate) fn write_styled(self, text: &str, printer: &Printer) -> anyhow::Result<()> {
        match self {
            Self::Stdout => printer.data(text.as_bytes()).context("cannot write to stdout"),
            Self::File(file) => complete(file, anstream::adapter::strip_str(text).to_string().as_bytes()),
        }
    }
}

fn complete(file: PendingFile, content: &[u8]) -> anyhow::Result<()> {
    let path = file.path().display().to_string();
    file.complete(content).with_context(|| format!("cannot write the output: {path}"))
}

/// Where an answer goes and in which forms.
#[derive(Debug)]
pub(crate) struct Outputs(Vec<(Place, Form)>);

impl Outputs {
    /// Works out what options and names mean and makes sure, before the work begins, that every file can be written.
    pub(crate) fn new(
        form: Option<Form>,
        paths: &[PathBuf],
        has_form: impl Fn(Form) -> bool,
    ) -> anyhow::Result<Self> {
        let to_stdout = |form: Option<Form>| (Place::One(Target::Stdout), form.unwrap_or(Form::Text));
        let mut outputs = Vec::new();
        for path in paths {
            if path == Path::new("-") {
                outputs.push(to_stdout(form));
                continue;
            }
            if path.as_os_str().to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]) {
                match form.unwrap_or(Form::Csv) {
                    Form::Csv => outputs.push((Place::Directory(path.clone()), Form::Csv)),
                    other => {
                        return Err(hinted(
                            format!("{} makes one file, not a directory: {}", option(other), path.display()),
                            "leave out the `/` at the end, or use --csv for one file per table",
                        ));
                    }
                }
                continue;
            }
            let form = form_of_file(form, path, &has_form)?;
            if !has_form(form) {
                return Err(cannot(form, &has_form));
            }
            outputs.push((Place::One(Target::open(Some(path))?), form));
        }
        if outputs.is_empty() {
            outputs.push(to_stdout(form));
        }
        match outputs.iter().find(|(_, form)| !has_form(*form)) {
            Some((_, form)) => Err(cannot(*form, &has_form)),
            None => Ok(Self(outputs)),
        }
    }

    /// The forms.
    pub(crate) fn forms(&self) -> Vec<Form> {
        self.0.iter().map(|(_, form)| *form).collect()
    }

    /// True if the answer itself shows the warnings to whoever sees stdout.
    pub(crate) fn shows_warnings(&self) -> bool {
        self.0.iter().any(|(place, form)| matches!(place, Place::One(Target::Stdout)) && *form == Form::Text)
    }

    /// True if a single file has CSV.
    pub(crate) fn is_one_csv(&self) -> bool {
        self.0.iter().any(|(place, form)| matches!(place, Place::One(_)) && *form == Form::Csv)
    }

    /// Writes the answer everywhere.
    pub(crate) fn write(
        self,
        answer: &Answer,
        top: usize,
        full: bool,
        printer: &Printer,
    ) -> anyhow::Result<()> {
        for (place, form) in self.0 {
            match place {
                Place::Directory(directory) => write_tables(answer, &directory)?,
                Place::One(target) => {
                    // A file has no screen to fit.
                    let full = full || matches!(target, Target::File(_));
                    let bytes = answer.render(form, Look { width: target.width(printer), top, full })?;
                    match form {
                        Form::Text => target.write_styled(&String::from_utf8_lossy(&bytes), printer)?,
                        _ => target.write(&bytes, printer)?,
                    }
                }
            }
        }
        Ok(())
    }
}

fn option(form: Form) -> String {
    match form {
        Form::Json | Form::Csv | Form::Markdown => format!("--{}", form.id()),
        other => format!("--format {}", other.id()),
    }
}

fn cannot(form: Form, has_form: &impl Fn(Form) -> bool) -> anyhow::Error {
    hinted(format!("this verb has no {} form", form.id()), format!("it writes {}", endings(has_form)))
}

/// The endings of the forms that a verb has.
fn endings(has_form: &impl Fn(Form) -> bool) -> String {
    let known: Vec<&str> = Form::ALL.into_iter().filter(|form| has_form(*form)).map(Form::ending).collect();
    known.join(", ")
}

fn create(path: &Path) -> anyhow::Result<PendingFile> {
    PendingFile::create(path).map_err(|error| {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "no such directory".to_owned(),
            // The whole error would name the temporary file.
            kind => kind.to_string(),
        };
        hinted(
            format!("cannot write the output: {reason}: {}", path.display()),
            "give the name of a file in a directory that exists and may be written to",
        )
    })
}

/// Writes a text that is no document.
pub(crate) fn write_text(text: &str, output: Option<&Path>, printer: &Printer) -> anyhow::Result<()> {
    Target::open(output)?.write(text.as_bytes(), printer)
}

fn form_of_file(asked: Option<Form>, path: &Path, has_form: &impl Fn(Form) -> bool) -> anyhow::Result<Form> {
    match (asked, Form::of(path)) {
        (Some(asked), Some(named)) if asked != named => Err(hinted(
            format!("{} does not match the file name: {}", option(asked), path.display()),
            "give one of the two",
        )),
        (Some(form), _) | (None, Some(form)) => Ok(form),
        (None, None) => Err(hinted(
            format!("the file name does not say which form the output has: {}", path.display()),
            format!("end it in {}, or add --json, --csv or --markdown", endings(has_form)),
        )),
    }
}

/// One file per table. All are ready before the first appears.
fn write_tables(answer: &Answer, directory: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the directory: {}", directory.display()))?;
    let mut files = Vec::new();
    for named in answer.tables() {
        let path = directory.join(format!("{}.csv", named.name));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)
                .with_context(|| format!("cannot create the directory: {}", parent.display()))?;
        }
        let failed = || format!("cannot write the output: {}", path.display());
        let mut bytes = Vec::new();
        csv::write_table(&named.table, &mut bytes).with_context(failed)?;
        files.push((create(&path)?, bytes));
    }
    files.into_iter().try_for_each(|(file, bytes)| complete(file, &bytes))
}
