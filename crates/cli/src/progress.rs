//! Progress bars for work that takes long.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use eaves_ingest::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::printer::Printer;

/// Shorter work shows no bar.
const PATIENCE: Duration = Duration::from_millis(300);
const INTERVAL: Duration = Duration::from_millis(100);

/// Shows a bar from when it is wanted until it is dropped.
pub(crate) struct Bar {
    /// What is read so far.
    pub(crate) progress: Arc<Progress>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// Starts to watch.
    pub(crate) fn start(printer: &Printer) -> Self {
        let progress = Arc::new(Progress::default());
        if !printer.shows_progress() {
            return Self { progress, stop: None, thread: None };
        }
        let (stop, stopped) = channel();
        let watched = Arc::clone(&progress);
        let thread = thread::spawn(move || {
            let mut bar = None;
            let mut wait = PATIENCE;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                show(bar.get_or_insert_with(new_bar), &watched);
                wait = INTERVAL;
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        Self { progress, stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A failed progress bar must not fail the work.
            drop(thread.join());
        }
    }
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::default_spinner());
    bar.set_message("reading");
    bar
}

fn show(bar: &ProgressBar, progress: &Progress) {
    let total = progress.total();
    if total > 0 && bar.length() != Some(total) {
        bar.set_length(total);
        let template = "reading [{bar:30}] {binary_bytes}/{binary_total_bytes}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸ "));
        }
    }
    if total == 0 {
        bar.set_message(format!("reading {}", indicatif::BinaryBytes(progress.done())));
    }
    // What is read twice to look at its first bytes is counted twice.
    bar.set_position(if total > 0 { progress.done().min(total) } else { progress.done() });
    bar.tick();
}

/// A line on stderr that says what is measured, where somebody sees it; gone when it is dropped.
pub(crate) struct Steps {
    bar: Option<ProgressBar>,
}

impl Steps {
    /// Starts without a step.
    pub(crate) fn start(printer: &Printer) -> Self {
        let bar = printer.shows_progress().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("measuring {pos}/{len} [{bar:20}] {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar }
    }

    /// That many of this many are done, and this is next.
    pub(crate) fn show(&self, done: usize, of: usize, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
            bar.set_message(what.to_owned());
            // Between samples nothing else may run, so the line is drawn here and by no thread of its own.
            bar.tick();
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
