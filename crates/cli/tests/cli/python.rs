//! The Python that tests with PyTorch run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A Python that has torch. Without one, the test is skipped.
pub(crate) fn python() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python/bin/python");
        let path = std::env::var_os("EAVES_TEST_PYTHON").map_or(usual, PathBuf::from);
        let code = "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)";
        let has = Command::new(&path).args(["-c", code]).stderr(Stdio::null()).status();
        has.is_ok_and(|status| status.success()).then_some(path)
    });
    if found.is_none() {
        eaves_testing::skip("no Python with PyTorch; EAVES_TEST_PYTHON names one");
    }
    found.as_deref()
}
