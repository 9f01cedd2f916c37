//! What verbs share that run a program: how long it may take, where it writes, and how it ended.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use eaves_app::Timeout;
use eaves_capture::{Conditions, Ended, Outcome, Passed};

use crate::arguments::OutputArguments;
use crate::failure::hinted;
use crate::printer::Printer;

/// How long a program may run.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Running")]
pub(crate) struct RunningArguments {
    /// Kill the program and its children after this time, such as 300s
    #[arg(long, value_name = "TIME")]
    timeout: Option<Timeout>,
    /// Grace period to write recordings before the program is killed
    #[arg(long, value_name = "TIME", default_value = "30s")]
    grace: Timeout,
}

impl RunningArguments {
    /// How the program runs. What programs read must not be mixed with what the program says.
    pub(crate) fn conditions(
        self,
        environment: Vec<(OsString, OsString)>,
        output: &OutputArguments,
    ) -> Conditions {
        Conditions {
            environment,
            timeout: self.timeout.map(Into::into),
            grace: self.grace.into(),
            passed: if output.prints_data() { Passed::ToStderr } else { Passed::ToStdout },
        }
    }

    /// Says how the program ended, if not as it should.
    pub(crate) fn tell_end(self, ended: Ended, printer: &Printer) {
        match ended {
            Ended::Exited(0) => {}
            Ended::Exited(code) => printer.note(&format!("note: the program ended with exit code {code}\n")),
            Ended::Killed(signal) => {
                printer.note(&format!("note: the program was killed by signal {signal}\n"));
            }
            Ended::TimedOut => {
                let seconds = self.timeout.map_or(0.0, |time| Duration::from(time).as_secs_f64());
                printer.note(&format!(
                    "note: timed out after {seconds} s; what was recorded until then follows\n"
                ));
            }
            Ended::Interrupted => printer.note("note: interrupted; what was recorded until then follows\n"),
        }
    }

    /// Says how a recorded program ended, and what its recorder has to say.
    pub(crate) fn tell(self, outcome: &Outcome, printer: &Printer) {
        self.tell_end(outcome.ended, printer);
        for note in &outcome.told.notes {
            printer.note(&format!("note: {note}\n"));
        }
    }
}

/// An absolute directory: the one that was named, or a new one of this name.
pub(crate) fn directory_of(named: Option<&Path>, usual: &str) -> anyhow::Result<PathBuf> {
    let absolute = |path: &Path| {
        std::path::absolute(path).map_err(|error| {
            hinted(
                format!("no such directory: {}: {error}", path.display()),
                "use --output-dir to name a directory",
            )
        })
    };
    match named {
        Some(path) => absolute(path),
        None => {
            let numbered = (2..).map(|number| PathBuf::from(format!("{usual}-{number}")));
            let free = std::iter::once(PathBuf::from(usual)).chain(numbered).find(|path| !path.exists());
            absolute(&free.unwrap_or_default())
        }
    }
}

/// Files of an earlier run would be taken for those of this one.
pub(crate) fn check_empty(raw: &Path) -> anyhow::Result<()> {
    let empty = std::fs::read_dir(raw).map_or(true, |mut entries| entries.next().is_none());
    if empty {
        return Ok(());
    }
    Err(hinted(
        format!("directory contains files from an earlier run: {}", raw.display()),
        "remove them, or use another --output-dir",
    ))
}

/// `NAME=VALUE`.
pub(crate) fn variable(text: &str) -> Result<(OsString, OsString), String> {
    // What a shell would take, as `--dry-run` prints it for one.
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    match text.split_once('=') {
        Some((name, value)) if is_name(name) => Ok((name.into(), value.into())),
        _ => Err("expected a variable such as `HIP_VISIBLE_DEVICES=0`".to_owned()),
    }
}
