//! Other tools: the environment they are installed into, and the tests that compare eaves with them (`peers/`).

use std::path::Path;

use anyhow::Result;

use crate::environment::Environment;
use crate::python;
use crate::test::{Counts, pytest};

/// Apart from the Python package, whose tests need other versions.
pub(crate) const ENVIRONMENT: Environment = Environment("peers");

/// The versions that `docs/hta.md` refers to. HTA is published as `traceinsight` since version 0.6.
const PACKAGES: [&str; 5] = ["orjson", "pandas==3.1.1", "pytest", "tlparse==0.4.3", "traceinsight==0.6.1"];

pub(crate) fn is_installed() -> bool {
    // tlparse is a program without a module.
    let tlparse = format!("tlparse{}", std::env::consts::EXE_SUFFIX);
    ENVIRONMENT.programs().join(tlparse).is_file() && ENVIRONMENT.has(&["hta", "orjson", "pytest"])
}

pub(crate) fn install() -> Result<()> {
    ENVIRONMENT.make(None)?;
    ENVIRONMENT.install(&PACKAGES, "about 400 MB")
}

/// Compares a program with them.
pub(crate) fn test(program: &Path) -> Counts {
    let mut command = ENVIRONMENT.python(&[]);
    command.env("EAVES", program);
    if let Some(python) = python::with_torch() {
        command.env(python::VARIABLE, python);
    }
    pytest(&mut command, &["peers"])
}
