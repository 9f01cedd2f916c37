//! Ranks on a cluster of Ray: through a Python of this machine that has `ray` and `eaves`, or, with neither, as a job that the
//! cluster is asked to run.

#[cfg(feature = "cloud")]
mod command;
mod driver;
#[cfg(feature = "cloud")]
mod jobs;
#[cfg(feature = "cloud")]
mod told;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::Context;
use eaves_analyze::Selection;
use tempfile::TempDir;

pub(crate) use self::driver::module;

use crate::printer::Printer;
use eaves_app::partial;

/// How a cluster is reached.
#[derive(Debug)]
pub(crate) enum Cluster {
    /// By a process of this machine that is part of it for a while.
    Driver(String),
    /// By its dashboard, which takes jobs.
    #[cfg(feature = "cloud")]
    Dashboard(jobs::Dashboard),
}

/// A module of the package as a program, without where its answer goes: the verb, its options, its inputs.
struct Call<'a> {
    verb: &'static str,
    options: Vec<OsString>,
    inputs: &'a [PathBuf],
}

impl Cluster {
    /// The cluster at an address: `auto`, `HOST:PORT`, or `http://HOST:PORT` of its dashboard.
    pub(crate) fn of(address: &str) -> anyhow::Result<Self> {
        if !address.starts_with("http://") && !address.starts_with("https://") {
            return Ok(Self::Driver(address.to_owned()));
        }
        #[cfg(feature = "cloud")]
        return jobs::Dashboard::at(address).map(Self::Dashboard);
        #[cfg(not(feature = "cloud"))]
        Err(crate::failure::hinted(
            "this program was built without the network (feature `cloud`)",
            "give `HOST:PORT` of the cluster's head, for which Python with `eaves[ray]` is needed here",
        ))
    }

    /// Measures recordings. The answer is a partial report, and the folder that it is in for as long as it is needed.
    pub(crate) fn measure(
        &self,
        inputs: &[PathBuf],
        selection: &Selection,
        details: bool,
        printer: Printer,
    ) -> anyhow::Result<(TempDir, PathBuf)> {
        let (folder, file) = place(partial::ENDING)?;
        let mut options: Vec<OsString> = Vec::new();
        if let Some(steps) = &selection.steps {
            options.extend(["--step".into(), format!("{}-{}", steps.start(), steps.end()).into()]);
        }
        if let Some(time) = selection.time {
            options.extend(["--time".into(), format!("{}ns..{}ns", time.start.0, time.end.0).into()]);
        }
        options.extend(details.then(|| "--details".into()));
        self.answer(&Call { verb: "measure", options, inputs }, &file, printer)?;
        Ok((folder, file))
    }

    /// Brings a run of a dataset up to date. The answer is what became of the inputs.
    pub(crate) fn ingest(
        &self,
        inputs: &[PathBuf],
        dataset: &str,
        run: Option<&str>,
        printer: Printer,
    ) -> anyhow::Result<Vec<u8>> {
        let (_folder, file) = place("json")?;
        let mut options: Vec<OsString> = vec!["--dataset".into(), dataset.into()];
        options
            .extend(run.iter().flat_map(|run| [OsStr::new("--run"), OsStr::new(run)]).map(OsStr::to_owned));
        self.answer(&Call { verb: "ingest", options, inputs }, &file, printer)?;
        std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))
    }

    fn answer(&self, call: &Call<'_>, file: &Path, printer: Printer) -> anyhow::Result<()> {
        match self {
            Self::Driver(address) => driver::run(call, address, file, printer),
            #[cfg(feature = "cloud")]
            Self::Dashboard(dashboard) => dashboard.run(call, file, printer),
        }
    }
}

/// A file that is gone with its folder.
fn place(ending: &str) -> anyhow::Result<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let file = folder.path().join("job").with_extension(ending);
    Ok((folder, file))
}

/// Stops the job that is waited for, if there is one. For the last act of a process.
pub(crate) fn stop() {
    #[cfg(feature = "cloud")]
    jobs::stop();
}
