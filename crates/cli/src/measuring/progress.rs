//! How far measuring has come.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::printer::Printer;

/// A line on stderr that says what runs, where somebody sees it.
pub(crate) struct Steps {
    bar: Option<ProgressBar>,
}

impl Steps {
    pub(crate) fn new(printer: &Printer) -> Self {
        let bar = printer.shows_progress().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("measuring {pos}/{len} [{bar:20}] {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar }
    }

    /// So many of so many are done, and this is next.
    pub(crate) fn show(&self, done: usize, of: usize, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
            bar.set_message(what.to_owned());
            // Between samples nothing else may run, so the line is drawn here and by no thread of its own.
            bar.tick();
        }
    }

    /// This share is done, and this is next.
    pub(crate) fn show_share(&self, share: f64, what: &str) {
        self.show((share.clamp(0.0, 1.0) * 100.0) as usize, 100, what);
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
