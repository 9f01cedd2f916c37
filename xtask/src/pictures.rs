//! The pictures of the README: views of the page of an example, painted by a browser.

use anyhow::{Context, Result, bail};

use crate::page::Tools;
use crate::project;

/// Where they are committed.
const FOLDER: &str = "docs/pictures";

/// What a picture may weigh: readers load all of them.
const MOST_BYTES: u64 = 300_000;

/// Each is named after its view.
const VIEWS: [&str; 3] = ["overview", "roofline", "timeline"];

impl Tools {
    /// Paints them again.
    pub(crate) fn paint(&self) -> Result<()> {
        self.install()?;
        project::run(project::cargo().args(["build", "--quiet", "--package", "eaves-cli"]))?;
        let work = project::target().join("pictures");
        std::fs::create_dir_all(&work)?;
        let report = work.join("report.html");
        let program = project::target().join("debug/eaves");
        let mut eaves = project::command(&program.to_string_lossy());
        project::run(eaves.args(["report", "examples/training", "--quiet", "-o"]).arg(&report))?;
        let folder = project::root().join(FOLDER);
        std::fs::create_dir_all(&folder)?;
        project::run(self.script("pictures.mjs").arg(&report).arg(&folder).args(VIEWS))?;
        for view in VIEWS {
            let picture = folder.join(format!("{view}.png"));
            let size = std::fs::metadata(&picture)
                .with_context(|| format!("{} was not painted", picture.display()))?
                .len();
            println!("{FOLDER}/{view}.png: {:.0} kB", size as f64 / 1e3);
            if size > MOST_BYTES {
                bail!("{FOLDER}/{view}.png is heavier than {} kB", MOST_BYTES / 1000);
            }
        }
        Ok(())
    }
}
