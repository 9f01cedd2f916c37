//! The profilers, one file each. To add one: copy a file, add a `mod` line and a line in [`ALL`], in name order.

// tidy-alphabetical-start
mod ncu;
mod nsys;
mod rocprof;
mod rocprofv2;
mod rocprofv3;
mod torch;
// tidy-alphabetical-end

use std::path::{Path, PathBuf};

use crate::files::ProcessIn;
use crate::plan::{Plan, Refused};
use crate::request::Request;

/// A profiler.
#[derive(Debug)]
pub struct Tool {
    /// What `--with` calls it.
    pub id: &'static str,
    /// What it belongs to: the raw files go to `<family>_raw`, kernels to `<family>_kernels.parquet`.
    pub family: &'static str,
    /// The name of its program; none if it is a part of the program that is recorded.
    pub command: Option<&'static str>,
    /// Where it comes from, a line for each way to install it.
    pub install: &'static [&'static str],
    /// Arguments with which it tells what this installation can do.
    pub probe: Option<&'static [&'static str]>,
    /// The command lines for a request, given what the installation said of itself. Without that, those that the
    /// newest version takes.
    pub(crate) make: fn(&Request, said: Option<&str>) -> Result<Plan, Refused>,
    /// Which of the files that were written the report reads: one file may repeat what another says.
    pub(crate) readable: fn(&[PathBuf]) -> Vec<PathBuf>,
    /// Where the names of its files have the number of the process.
    pub(crate) process_in: ProcessIn,
    /// What of its output is its own and not the program's.
    pub(crate) noise: Noise,
    /// The program's own exit code where the profiler leaves it in a file.
    pub(crate) program_code: fn(&Path) -> Option<i32>,
}

impl Tool {
    /// What to run for a request, given what the installed profiler answered to its [`probe`](Self::probe).
    pub fn plan(&self, request: &Request, said: Option<&str>) -> Result<Plan, Refused> {
        match request.program.first() {
            None => Err(Refused::new("no program to run", "put it after `--`")),
            Some(program) if self.command.is_some() && program.to_string_lossy().starts_with('-') => {
                Err(Refused::new(
                    format!(
                        "{} would parse the program name as an option: {}",
                        self.id,
                        program.to_string_lossy()
                    ),
                    "give its path: ./-name",
                ))
            }
            Some(_) => (self.make)(request, said),
        }
    }

    /// The name of the directory for everything that it writes.
    pub fn raw_directory(&self) -> String {
        format!("{}_raw", self.family)
    }

    /// The name of the file of kernels next to that directory.
    pub fn kernels_file(&self) -> String {
        format!("{}_kernels.parquet", self.family)
    }
}

/// How lines of a profiler are told from those of the program: patterns of whole lines, in which `*` stands for
/// anything and `#` for a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    /// Lines of stdout that are the profiler's.
    pub(crate) stdout: &'static [&'static str],
    /// Lines of stderr that are the profiler's.
    pub(crate) stderr: &'static [&'static str],
    /// Lines of either in which the profiler says that it failed.
    pub(crate) failures: &'static [&'static str],
}

/// Every profiler.
pub const ALL: &[&Tool] = &[
    // tidy-alphabetical-start
    &ncu::TOOL,
    &nsys::TOOL,
    &rocprof::TOOL,
    &rocprofv2::TOOL,
    &rocprofv3::TOOL,
    &torch::TOOL,
    // tidy-alphabetical-end
];

/// The profiler of a name.
pub fn find(id: &str) -> Option<&'static Tool> {
    ALL.iter().copied().find(|tool| tool.id == id)
}

/// For profilers that leave the program's exit code nowhere but in their own.
fn not_told(_: &Path) -> Option<i32> {
    None
}

/// Those with one of these endings, if there are any.
fn ending<'a>(files: &'a [PathBuf], suffix: &'a str) -> impl Iterator<Item = &'a PathBuf> {
    files.iter().filter(move |file| {
        file.file_name().is_some_and(|name| name.to_string_lossy().to_ascii_lowercase().ends_with(suffix))
    })
}

/// A request that only profilers of the other vendor understand.
fn refuse_metrics(request: &Request, tool: &str) -> Result<(), Refused> {
    if request.metrics.is_empty() {
        return Ok(());
    }
    Err(Refused::new(
        format!("{tool} has counters, not metrics"),
        "--metrics is for ncu; use --counters for AMD profilers (`eaves counters list` shows the names)",
    ))
}

/// The same the other way round.
fn refuse_counters(request: &Request, tool: &str, hint: &str) -> Result<(), Refused> {
    if request.counters.is_empty() {
        return Ok(());
    }
    Err(Refused::new(format!("{tool} does not support AMD counters"), hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_in_order() {
        let names: Vec<&str> = ALL.iter().map(|tool| tool.id).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
        assert!(ALL.iter().all(|tool| !tool.install.is_empty()));
        assert_eq!(find("nsys").map(|tool| tool.id), Some("nsys"));
        assert!(find("perf").is_none());
    }
}
