//! Packages of Debian and its relatives.

use anyhow::{Context, Result};

use crate::project;

/// Installs packages for the whole system, which needs to be allowed.
pub(crate) fn install(packages: &[&str], size: &str) -> Result<()> {
    let names = packages.join(" and ");
    println!("installing {names} with apt-get: {size}");
    let root = project::output(project::command("id").arg("-u"))?.trim() == "0";
    let apt = || {
        // Nobody is asked for a password in the middle of tests.
        let mut apt = project::command(if root { "apt-get" } else { "sudo" });
        if !root {
            apt.args(["-n", "apt-get"]);
        }
        apt
    };
    // A new machine has no list of packages, or an old one.
    project::run(apt().args(["update", "-qq"])).context("cannot list packages")?;
    let mut install = apt();
    install.args(["install", "--yes", "--no-install-recommends", "-qq"]).args(packages);
    project::run(install.env("DEBIAN_FRONTEND", "noninteractive"))
        .with_context(|| format!("cannot install {names}"))
}
