//! PoCL, an OpenCL that runs on the processor: kernels for OpenCL are run on it where there is no graphics processor.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::project;

/// Packages of Debian and its relatives: the device, and the library that finds it.
const PACKAGES: [&str; 2] = ["pocl-opencl-icd", "ocl-icd-libopencl1"];

/// Where devices say that they are there (the ICD loader's folder).
const VENDORS: &str = "/etc/OpenCL/vendors";

/// Whether the system has any device of OpenCL.
pub(crate) fn is_installed() -> bool {
    let is_device = |path: &Path| path.extension().is_some_and(|extension| extension == "icd");
    Path::new(VENDORS)
        .read_dir()
        .is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|entry| is_device(&entry.path()))))
}

/// Installs PoCL for the whole system, which needs to be allowed.
pub(crate) fn install() -> Result<()> {
    println!("installing {} with apt-get: about 200 MB", PACKAGES.join(" and "));
    let root = project::output(project::command("id").arg("-u"))?.trim() == "0";
    let mut apt = if root {
        project::command("apt-get")
    } else {
        let mut sudo = project::command("sudo");
        // Nobody is asked for a password in the middle of tests.
        sudo.args(["-n", "apt-get"]);
        sudo
    };
    apt.args(["install", "--yes", "--no-install-recommends", "-qq"]).args(PACKAGES);
    project::run(apt.env("DEBIAN_FRONTEND", "noninteractive")).context("cannot install PoCL")?;
    if !is_installed() {
        bail!("there is no device in {VENDORS} after PoCL was installed");
    }
    Ok(())
}
