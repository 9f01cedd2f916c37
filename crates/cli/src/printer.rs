//! The one place that writes to the terminal: data to stdout, everything else to stderr.

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use crate::failure;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default();

/// Widest text that is comfortable to read.
const WIDEST: usize = 120;
/// Narrower terminals wrap.
const NARROWEST: usize = 40;
/// Where nothing says how wide the terminal is.
const USUAL: usize = 80;

/// What is printed, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer {
    /// Suppresses everything on stderr except errors.
    pub(crate) quiet: bool,
    /// Whether to use colors.
    pub(crate) color: ColorChoice,
}

impl Printer {
    /// Writes data to stdout. A reader that stops early (`| head`) is not an error.
    pub(crate) fn data(&self, content: &[u8]) -> io::Result<()> {
        let mut stream = AutoStream::new(io::stdout().lock(), self.color);
        match stream.write_all(content).and_then(|()| stream.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    /// Writes bytes to stdout as they are: JSON and CSV may hold escape characters of their own.
    pub(crate) fn raw_data(&self, content: &[u8]) -> io::Result<()> {
        let mut stream = io::stdout().lock();
        match stream.write_all(content).and_then(|()| stream.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    /// Tells the user something.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.message(text);
        }
    }

    /// Tells the user what went wrong and what to try.
    pub(crate) fn error(&self, error: &anyhow::Error) {
        let mut text = format!("{ERROR}error:{ERROR:#} {error:#}\n");
        if let Some(hint) = failure::hint(error) {
            text.push_str(&format!("{HINT}hint:{HINT:#} {hint}\n"));
        }
        self.message(&text);
    }

    /// Writes a text that is there whatever `--quiet` says.
    pub(crate) fn message(&self, text: &str) {
        let mut stream = AutoStream::new(io::stderr().lock(), self.color);
        // If stderr is gone, there is nowhere to report to.
        drop(stream.write_all(text.as_bytes()).and_then(|()| stream.flush()));
    }

    /// True if a progress bar would be seen and is wanted.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// The columns of the terminal that stdout goes to.
    pub(crate) fn width(&self) -> usize {
        let of_terminal =
            terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
        let asked_for = || std::env::var("COLUMNS").ok()?.parse().ok();
        of_terminal.or_else(asked_for).unwrap_or(USUAL).clamp(NARROWEST, WIDEST)
    }
}
