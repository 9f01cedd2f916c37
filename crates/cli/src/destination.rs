//! Stdout or a file: where a text goes that is not a document, such as a schema.

use std::path::Path;

use anyhow::Context;
use eaves_app::{OutputFile, Screen};

use crate::printer::Printer;

/// Stdout or a file.
#[derive(Debug)]
pub(crate) enum Target {
    Stdout,
    File(OutputFile),
}

impl Target {
    /// Makes sure, before the work begins, that the file can be written.
    pub(crate) fn open(output: Option<&Path>) -> anyhow::Result<Self> {
        match output.filter(|path| *path != Path::new("-")) {
            Some(path) => Ok(Self::File(OutputFile::create(path)?)),
            None => Ok(Self::Stdout),
        }
    }

    /// Writes bytes as they are.
    pub(crate) fn write(self, content: &[u8], printer: &Printer) -> anyhow::Result<()> {
        match self {
            Self::Stdout => Screen::data(printer, content),
            Self::File(file) => file.write(content),
        }
    }
}

impl Screen for Printer {
    fn text(&self, text: &str) -> anyhow::Result<()> {
        self.data(text.as_bytes()).context("cannot write to stdout")
    }

    fn data(&self, content: &[u8]) -> anyhow::Result<()> {
        self.raw_data(content).context("cannot write to stdout")
    }
}
