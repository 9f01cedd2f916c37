//! Packages of Debian and its relatives.

use anyhow::{Context, Result};

use crate::project;

/// Installs packages for the whole system, which needs to be allowed.
pub(crate) fn install(packages: &[&str], size: &str) -> Result<()> {
    let names = packages.join(" and ");
    println!("installing {names} with apt-get: {size}");
    let root = project::output(project::command("id").arg("-u"))?.trim() == "0";
    let mut apt = if root {
        project::command("apt-get")
    } else {
        let mut sudo = project::command("sudo");
        // Nobody is asked for a password in the middle of tests.
        sudo.args(["-n", "apt-get"]);
        sudo
    };
    apt.args(["install", "--yes", "--no-install-recommends", "-qq"]).args(packages);
    project::run(apt.env("DEBIAN_FRONTEND", "noninteractive"))
        .with_context(|| format!("cannot install {names}"))
}
