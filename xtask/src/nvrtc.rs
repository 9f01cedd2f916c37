//! NVIDIA's compiler, which kernels for CUDA are checked with on machines without a GPU.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::project;

/// Names the folder of the library.
pub(crate) const VARIABLE: &str = "EAVES_NVRTC";

/// The package that is installed, so that the same compiler checks everywhere.
const PACKAGE: &str = "nvidia-cuda-nvrtc==13.4.92";

/// Where the library is in the package.
const LIBRARY: &str = "nvidia/cu13/lib";

/// The folder that it is installed into.
fn tools() -> PathBuf {
    project::target().join("tools").join("nvrtc")
}

/// The folder of the library, if it is installed.
pub(crate) fn installed() -> Option<PathBuf> {
    // Tests run in folders of their own, so that it must not be relative.
    tools().join(LIBRARY).canonicalize().ok()
}

pub(crate) fn is_installed() -> bool {
    installed().is_some()
}

/// Installs it from PyPI.
pub(crate) fn install() -> Result<()> {
    println!("installing {PACKAGE} from PyPI into {}: about 50 MB", tools().display());
    let mut pip = project::command("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"]);
    project::run(pip.arg(tools()).arg(PACKAGE))
        .context("cannot install NVRTC, which needs Python with pip")?;
    if !is_installed() {
        bail!("{PACKAGE} has no {LIBRARY}");
    }
    Ok(())
}
