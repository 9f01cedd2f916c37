//! What stands around a table: messages of the profiler, and the output of the program itself.

use super::super::{Refused, quoted};

/// Messages that say why there may be nothing else.
#[derive(Debug, Default)]
pub(super) struct Noise {
    error: Option<String>,
    error_at: u64,
    warning: Option<String>,
    report: Option<String>,
    has_text_table: bool,
}

/// What to do if counters may not be read.
pub(in super::super) const ALLOW: &str = "run the profiler as root (`sudo`), or allow all users to access the \
    counters: put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into a file in /etc/modprobe.d and \
    reload the driver or reboot; start containers with `--cap-add=SYS_ADMIN`; see \
    https://developer.nvidia.com/ERR_NVGPUCTRPERM";

/// How to record what can be read.
pub(super) const RECORD: &str = "record again with `LC_ALL=C ncu --csv --page raw --print-units base --log-file launches.csv <program>`, or \
     export a report with `LC_ALL=C ncu -i report.ncu-rep --csv --page raw --print-units base > launches.csv`";

/// True for a message of the profiler: `==PROF== ...`.
pub(super) fn is_message(line: &[u8]) -> bool {
    [&b"==PROF=="[..], b"==ERROR==", b"==WARNING=="].iter().any(|mark| line.starts_with(mark))
}

impl Noise {
    /// Takes in a line that belongs to no table.
    pub(super) fn see(&mut self, line: &[u8], offset: Option<u64>) {
        let after = |mark: &[u8]| {
            let text = line.strip_prefix(mark)?;
            Some(
                String::from_utf8_lossy(text.get(..text.len().min(400)).unwrap_or_default())
                    .trim()
                    .to_owned(),
            )
        };
        if let Some(error) = after(b"==ERROR==") {
            // The first says the cause, except that of the permission, which others may stand before.
            if self.error.is_none() || (error.contains("ERR_NVGPUCTRPERM") && !self.is_forbidden()) {
                self.error = Some(error);
                self.error_at = offset.unwrap_or(0);
            }
        } else if let Some(warning) = after(b"==WARNING==") {
            self.warning.get_or_insert(warning);
        } else if let Some(report) = after(b"==PROF== Report:") {
            self.report.get_or_insert(report);
        } else if line.trim_ascii_start().starts_with(b"Section: ") {
            self.has_text_table = true;
        }
    }

    fn is_forbidden(&self) -> bool {
        self.error.as_deref().is_some_and(|error| error.contains("ERR_NVGPUCTRPERM"))
    }

    /// Why there are no launches, and what to do.
    pub(super) fn refuse(self, had_header: bool) -> Refused {
        let is_forbidden = self.is_forbidden();
        let Self { error, error_at, warning, report, has_text_table } = self;
        if let Some(error) = error {
            let hint = if is_forbidden {
                ALLOW
            } else if error.contains("application returned an error code") {
                "the program itself failed: run it without the profiler first, then profile it again"
            } else {
                RECORD
            };
            let what = format!("Nsight Compute recorded no launches: {error}");
            return Refused { offset: error_at, what, hint: hint.to_owned() };
        }
        let (what, hint) = if let Some(report) = report {
            let hint = format!("use that file: `eaves report {}`", quoted(&report));
            (format!("only messages of Nsight Compute; the launches are in {report}"), hint)
        } else if has_text_table {
            ("Nsight Compute's human-readable tables".to_owned(), RECORD.to_owned())
        } else if let Some(warning) = warning {
            (format!("Nsight Compute recorded no launches: {warning}"), RECORD.to_owned())
        } else if had_header {
            ("a Nsight Compute table without launches".to_owned(), RECORD.to_owned())
        } else {
            ("Nsight Compute messages without a launch table".to_owned(), RECORD.to_owned())
        };
        Refused { offset: 0, what, hint }
    }
}
