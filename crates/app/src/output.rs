//! Where an answer goes and in which form: names of files mean the same at every door.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use eaves_present::{csv, terminal};
use eaves_store::staging::StagedFile;

use crate::{Answer, Failure, Form, Look, hinted};

/// Where an answer is shown that goes to no file.
pub trait Screen {
    /// Shows a text with its colors.
    ///
    /// # Errors
    /// If it cannot be written.
    fn text(&self, text: &str) -> anyhow::Result<()>;

    /// Passes data on as it is.
    ///
    /// # Errors
    /// If it cannot be written.
    fn data(&self, content: &[u8]) -> anyhow::Result<()>;
}

/// A file that appears when it is complete.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    file: StagedFile,
}

impl OutputFile {
    /// Makes sure that the file can be written, before there is anything to write.
    ///
    /// # Errors
    /// If it cannot.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let file = StagedFile::create(path).map_err(|error| {
            let reason = match error.kind() {
                io::ErrorKind::NotFound => "no such directory".to_owned(),
                // The whole error would name the temporary file.
                kind => kind.to_string(),
            };
            hinted(
                format!("cannot write the output: {reason}: {}", path.display()),
                "name a file in an existing, writable directory",
            )
        })?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes bytes as they are.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(mut self, content: &[u8]) -> anyhow::Result<()> {
        let written = self.file.file().write_all(content).and_then(|()| self.file.complete().map(drop));
        written.with_context(|| format!("cannot write the output: {}", self.path.display()))
    }

    /// Writes a text without its colors.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_text(self, text: &str) -> anyhow::Result<()> {
        self.write(anstream::adapter::strip_str(text).to_string().as_bytes())
    }
}

#[derive(Debug)]
enum Place {
    Screen,
    File(OutputFile),
    /// One file per table.
    Directory(PathBuf),
}

/// Where an answer goes and in which forms.
#[derive(Debug)]
pub struct Outputs(Vec<(Place, Form)>);

impl Outputs {
    /// Works out what a form and names mean and makes sure, before the work begins, that every file can be written.
    /// Without a name, and for the name `-`, the answer goes to the screen.
    ///
    /// # Errors
    /// If a name asks for a form that the answer does not have, or a file cannot be written.
    pub fn new(
        form: Option<Form>,
        paths: &[PathBuf],
        has_form: impl Fn(Form) -> bool,
    ) -> anyhow::Result<Self> {
        let mut outputs = Vec::new();
        for path in paths {
            outputs.push(place(form, path, &has_form)?);
        }
        if outputs.is_empty() {
            outputs.push((Place::Screen, form.unwrap_or(Form::Text)));
        }
        match outputs.iter().find(|(_, form)| !has_form(*form)) {
            Some((_, form)) => Err(cannot(*form, &has_form)),
            None => Ok(Self(outputs)),
        }
    }

    /// The forms.
    pub fn forms(&self) -> Vec<Form> {
        self.0.iter().map(|(_, form)| *form).collect()
    }

    /// True if the answer itself shows the warnings to whoever sees the screen.
    pub fn shows_warnings(&self) -> bool {
        self.0.iter().any(|(place, form)| matches!(place, Place::Screen) && *form == Form::Text)
    }

    /// True if a single file has CSV.
    pub fn is_one_csv(&self) -> bool {
        self.0.iter().any(|(place, form)| !matches!(place, Place::Directory(_)) && *form == Form::Csv)
    }

    /// Writes the answer everywhere; `look` is how a screen shows it.
    ///
    /// # Errors
    /// If there is nothing to draw, or a file cannot be written.
    pub fn write(self, answer: &Answer, look: Look, screen: &dyn Screen) -> anyhow::Result<()> {
        for (place, form) in self.0 {
            let look = match &place {
                Place::Screen => look,
                // A file has no screen to fit.
                Place::File(_) => Look { width: terminal::Options::default().width, full: true, ..look },
                Place::Directory(directory) => {
                    write_tables(answer, directory)?;
                    continue;
                }
            };
            let bytes = answer.render(form, look)?;
            let text = || String::from_utf8_lossy(&bytes);
            match (place, form) {
                (Place::File(file), Form::Text) => file.write_text(&text())?,
                (Place::File(file), _) => file.write(&bytes)?,
                (_, Form::Text) => screen.text(&text())?,
                _ => screen.data(&bytes)?,
            }
        }
        Ok(())
    }
}

/// Makes sure that an output replaces no input. A directory is not replaced but written into; whether it may be, the
/// writer decides.
///
/// # Errors
/// If it would.
pub fn check_output(output: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    let Some(output) = output.canonicalize().ok().filter(|output| !output.is_dir()) else { return Ok(()) };
    let is_output = |input: &&PathBuf| input.canonicalize().is_ok_and(|input| input == output);
    match inputs.iter().find(is_output) {
        Some(input) => Err(Failure::usage(
            format!("the output would replace the input: {}", input.display()),
            "name another output file",
        )),
        None => Ok(()),
    }
}

fn place(form: Option<Form>, path: &Path, has_form: &impl Fn(Form) -> bool) -> anyhow::Result<(Place, Form)> {
    if path == Path::new("-") {
        return Ok((Place::Screen, form.unwrap_or(Form::Text)));
    }
    if path.as_os_str().to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]) {
        return match form.unwrap_or(Form::Csv) {
            Form::Csv => Ok((Place::Directory(path.to_owned()), Form::Csv)),
            other => Err(hinted(
                format!("{} writes one file, not a directory: {}", option(other), path.display()),
                "drop the trailing `/`, or use --csv for one file per table",
            )),
        };
    }
    let form = form_of_file(form, path, has_form)?;
    if !has_form(form) {
        return Err(cannot(form, has_form));
    }
    Ok((Place::File(OutputFile::create(path)?), form))
}

fn option(form: Form) -> String {
    match form {
        Form::Json | Form::Csv | Form::Markdown => format!("--{}", form.id()),
        other => format!("--format {}", other.id()),
    }
}

fn cannot(form: Form, has_form: &impl Fn(Form) -> bool) -> anyhow::Error {
    hinted(format!("this verb has no {} output", form.id()), format!("supported are {}", endings(has_form)))
}

/// The endings of the forms that a verb has.
fn endings(has_form: &impl Fn(Form) -> bool) -> String {
    let known: Vec<&str> = Form::ALL.into_iter().filter(|form| has_form(*form)).map(Form::ending).collect();
    known.join(", ")
}

fn form_of_file(asked: Option<Form>, path: &Path, has_form: &impl Fn(Form) -> bool) -> anyhow::Result<Form> {
    match (asked, Form::of(path)) {
        (Some(asked), Some(named)) if asked != named => Err(hinted(
            format!("{} contradicts the file name: {}", option(asked), path.display()),
            "use one of the two",
        )),
        (Some(form), _) | (None, Some(form)) => Ok(form),
        (None, None) => Err(hinted(
            format!("unknown output format: {}", path.display()),
            format!("end the file name in {}, or add --json, --csv or --markdown", endings(has_form)),
        )),
    }
}

/// One file per table. All are ready before the first appears.
fn write_tables(answer: &Answer, directory: &Path) -> anyhow::Result<()> {
    let make = |folder: &Path| {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the directory: {}", folder.display()))
    };
    make(directory)?;
    let mut files = Vec::new();
    for named in answer.tables() {
        let path = directory.join(format!("{}.csv", named.name));
        path.parent().map_or(Ok(()), make)?;
        let mut bytes = Vec::new();
        csv::write_table(&named.table, &mut bytes)
            .with_context(|| format!("cannot write the output: {}", path.display()))?;
        files.push((OutputFile::create(&path)?, bytes));
    }
    files.into_iter().try_for_each(|(file, bytes)| file.write(&bytes))
}
