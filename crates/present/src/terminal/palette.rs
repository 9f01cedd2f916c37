//! What the colors mean. Every text says the same without them.

use anstyle::{AnsiColor, Style};
use eaves_section::Severity;

pub(super) const HEADING: Style = Style::new().bold();
pub(super) const QUIET: Style = Style::new().dimmed();
pub(super) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(super) const GAIN: Style = AnsiColor::Green.on_default();
pub(super) const COMPUTE: Style = AnsiColor::Green.on_default();
pub(super) const COMMUNICATION: Style = AnsiColor::Magenta.on_default();
pub(super) const MEMORY: Style = AnsiColor::Yellow.on_default();

pub(super) const BETTER: Style = AnsiColor::Green.on_default();
pub(super) const WORSE: Style = AnsiColor::Red.on_default();

/// The color of a severity.
pub(super) fn severity(severity: Severity) -> Style {
    match severity {
        Severity::Info => AnsiColor::Cyan.on_default(),
        Severity::Warning => AnsiColor::Yellow.on_default(),
        Severity::Critical => AnsiColor::Red.on_default().bold(),
    }
}

/// A text in a style.
pub(super) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}
