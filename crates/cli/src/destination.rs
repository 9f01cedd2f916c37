//! `--json`, `--csv`, `--markdown` and `-o`: where a document goes and in which form.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context;
use eaves_present::{Document, csv, json, markdown, page, terminal};

use crate::failure::hinted;
use crate::output::PendingFile;
use crate::printer::Printer;

/// The form of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Csv,
    Html,
    Json,
    Markdown,
    Terminal,
}

impl Format {
    /// The form that a file name asks for.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "html" | "htm" => Some(Self::Html),
            "json" => Some(Self::Json),
            "md" => Some(Self::Markdown),
            "txt" => Some(Self::Terminal),
            _ => None,
        }
    }

    fn option(self) -> &'static str {
        match self {
            Self::Csv => "--csv",
            Self::Html => "a page",
            Self::Json => "--json",
            Self::Markdown => "--markdown",
            Self::Terminal => "plain text",
        }
    }
}

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

/// Where a document goes and in which form.
#[derive(Debug)]
pub(crate) struct Destination {
    place: Place,
    format: Format,
}

impl Destination {
    /// Works out what the options mean and makes sure, before the work begins, that the file can be written.
    pub(crate) fn new(format: Option<Format>, output: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = output.filter(|path| *path != Path::new("-")) else {
            let format = format.unwrap_or(Format::Terminal);
            return Ok(Self { place: Place::One(Target::Stdout), format });
        };
        if path.as_os_str().to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]) {
            return match format.unwrap_or(Format::Csv) {
                Format::Csv => Ok(Self { place: Place::Directory(path.to_owned()), format: Format::Csv }),
                other => Err(hinted(
                    format!("{} makes one file, not a directory: {}", other.option(), path.display()),
                    "leave out the `/` at the end, or use --csv for one file per table",
                )),
            };
        }
        let format = format_of_file(format, path)?;
        Ok(Self { place: Place::One(Target::open(Some(path))?), format })
    }

    /// True if the document itself shows the warnings to whoever sees stdout.
    pub(crate) fn shows_warnings(&self) -> bool {
        matches!(self.place, Place::One(Target::Stdout)) && self.format == Format::Terminal
    }

    /// True if a page is made.
    pub(crate) fn is_page(&self) -> bool {
        self.format == Format::Html
    }

    /// Writes the document.
    pub(crate) fn write(self, document: &Document, top: usize, printer: &Printer) -> anyhow::Result<()> {
        self.write_with(document, top, || page::of(document), printer)
    }

    /// The same, with a page that may have more than the document.
    pub(crate) fn write_with(
        self,
        document: &Document,
        top: usize,
        page: impl FnOnce() -> String,
        printer: &Printer,
    ) -> anyhow::Result<()> {
        let target = match self.place {
            Place::One(target) => target,
            Place::Directory(directory) => return write_tables(document, &directory),
        };
        let mut bytes = Vec::new();
        match self.format {
            Format::Csv => csv::write(document, &mut bytes)?,
            Format::Html => bytes = page().into_bytes(),
            Format::Json => json::write(document, &mut bytes)?,
            Format::Markdown => bytes = markdown::render(document, top).into_bytes(),
            Format::Terminal => {
                let options = terminal::Options { width: target.width(printer), top };
                return target.write_styled(&terminal::render(document, &options), printer);
            }
        }
        target.write(&bytes, printer)
    }
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

fn format_of_file(asked: Option<Format>, path: &Path) -> anyhow::Result<Format> {
    match (asked, Format::of(path)) {
        (Some(asked), Some(named)) if asked != named => Err(hinted(
            format!("{} does not go with the name of the file: {}", asked.option(), path.display()),
            "give one of the two",
        )),
        (Some(format), _) | (None, Some(format)) => Ok(format),
        (None, None) => Err(hinted(
            format!("the name does not say which form the output has: {}", path.display()),
            "end it in .html, .json, .csv, .md or .txt, or add --json, --csv or --markdown",
        )),
    }
}

/// One file per table. All are ready before the first appears.
fn write_tables(document: &Document, directory: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the directory: {}", directory.display()))?;
    let mut files = Vec::new();
    for named in csv::tables(document) {
        let path = directory.join(format!("{}.csv", named.name));
        let failed = || format!("cannot write the output: {}", path.display());
        let mut bytes = Vec::new();
        csv::write_table(&named.table, &mut bytes).with_context(failed)?;
        files.push((create(&path)?, bytes));
    }
    files.into_iter().try_for_each(|(file, bytes)| complete(file, &bytes))
}
