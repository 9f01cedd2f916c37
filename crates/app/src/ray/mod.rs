//! Ranks on a Ray cluster: through a local Python with `ray` and `eaves`, or, without one, as a job submitted to the
//! cluster.

#[cfg(feature = "cloud")]
mod command;
mod driver;
#[cfg(feature = "cloud")]
mod job_log;
#[cfg(feature = "cloud")]
mod jobs;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::Context;
use eaves_analyze::Selection;
use tempfile::TempDir;

pub use self::driver::module;

use crate::ingesting::Outcome;
use crate::{Failure, Progress, partial};

/// A cluster.
#[derive(Debug)]
pub struct Cluster(Door);

/// How a cluster is reached.
#[derive(Debug)]
enum Door {
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
    ///
    /// # Errors
    /// If it is reached by the network, and this build has none.
    pub fn of(address: &str) -> Result<Self, Failure> {
        if !address.starts_with("http://") && !address.starts_with("https://") {
            return Ok(Self(Door::Driver(address.to_owned())));
        }
        #[cfg(feature = "cloud")]
        return Ok(Self(Door::Dashboard(jobs::Dashboard::at(address)?)));
        #[cfg(not(feature = "cloud"))]
        Err(Failure::new(
            "this build of eaves has no network support, which cluster jobs need",
            "build it with: `cargo install --path crates/cli --features cloud`, or pass `HOST:PORT` of the cluster's head, \
             which needs a local Python with `eaves[ray]`",
        ))
    }

    /// Measures recordings. The answer is a partial report, and the folder that it is in for as long as it is needed.
    ///
    /// # Errors
    /// If the cluster cannot be reached, or could not do it.
    pub fn measure(
        &self,
        inputs: &[PathBuf],
        selection: &Selection,
        details: bool,
        progress: &dyn Progress,
    ) -> Result<(TempDir, PathBuf), Failure> {
        let (folder, file) = place(partial::ENDING)?;
        let mut options: Vec<OsString> = Vec::new();
        if let Some(steps) = &selection.steps {
            options.extend(["--step".into(), format!("{}-{}", steps.start(), steps.end()).into()]);
        }
        if let Some(time) = selection.time {
            options.extend(["--time".into(), format!("{}ns..{}ns", time.start.0, time.end.0).into()]);
        }
        options.extend(details.then(|| "--details".into()));
        self.answer(&Call { verb: "measure", options, inputs }, &file, progress)?;
        Ok((folder, file))
    }

    /// Brings a run of a dataset up to date. The answer is what became of the inputs.
    ///
    /// # Errors
    /// If the cluster cannot be reached, or could not do it.
    pub fn ingest(
        &self,
        inputs: &[PathBuf],
        dataset: &str,
        run: Option<&str>,
        progress: &dyn Progress,
    ) -> Result<Outcome, Failure> {
        let (_folder, file) = place("json")?;
        let mut options: Vec<OsString> = vec!["--dataset".into(), dataset.into()];
        options
            .extend(run.iter().flat_map(|run| [OsStr::new("--run"), OsStr::new(run)]).map(OsStr::to_owned));
        self.answer(&Call { verb: "ingest", options, inputs }, &file, progress)?;
        let answer = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        Outcome::from_bytes(&answer)
    }

    fn answer(&self, call: &Call<'_>, file: &Path, progress: &dyn Progress) -> anyhow::Result<()> {
        match &self.0 {
            Door::Driver(address) => driver::run(call, address, file, progress),
            #[cfg(feature = "cloud")]
            Door::Dashboard(dashboard) => dashboard.run(call, file, progress),
        }
    }
}

/// A file that is gone with its folder.
fn place(ending: &str) -> anyhow::Result<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir().context("cannot create a temporary directory")?;
    let file = folder.path().join("job").with_extension(ending);
    Ok((folder, file))
}

/// Stops the job that is waited for, if there is one. For the last act of a process.
pub fn stop() {
    #[cfg(feature = "cloud")]
    jobs::stop();
}
