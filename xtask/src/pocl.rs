//! PoCL, an OpenCL that runs on the processor: kernels for OpenCL are run on it where there is no graphics processor.

use std::path::Path;

use anyhow::{Result, bail};

use crate::apt;

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
    apt::install(&PACKAGES, "about 200 MB")?;
    if !is_installed() {
        bail!("there is no device in {VENDORS} after PoCL was installed");
    }
    Ok(())
}
