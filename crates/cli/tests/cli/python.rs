//! The Python that tests run: with PyTorch, or to check JSON.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// A Python that has torch. Without one, the test is skipped.
pub(crate) fn python() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| interpreter_with("torch"));
    if found.is_none() {
        eaves_testing::skip("no Python with PyTorch; EAVES_TEST_PYTHON names one");
    }
    found.as_deref()
}

fn interpreter_with(module: &str) -> Option<PathBuf> {
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python/bin/python");
    let path = std::env::var_os("EAVES_TEST_PYTHON").map_or(usual, PathBuf::from);
    let code = "import importlib.util as u, sys; sys.exit(u.find_spec(sys.argv[1]) is None)";
    let has = Command::new(&path).args(["-c", code, module]).stderr(Stdio::null()).status();
    has.is_ok_and(|status| status.success()).then_some(path)
}

/// Checks documents, each with a name, against a JSON Schema: with Python, because the crates that could do it select
/// features of what the SQL engine depends on, which would then be built twice.
pub(crate) fn check_schema(schema: &Value, documents: &[(String, Value)]) {
    const SCRIPT: &str = "import json, sys
from jsonschema.validators import validator_for
schema, documents = json.load(sys.stdin)
validator = validator_for(schema)
validator.check_schema(schema)
errors = [(name, error) for name, document in documents for error in validator(schema).iter_errors(document)]
sys.exit('\\n'.join(f'{name}: {error.json_path}: {error.message[:300]}' for name, error in errors) or 0)";
    let Some(python) = interpreter_with("jsonschema") else {
        return eaves_testing::skip("no Python with jsonschema; EAVES_TEST_PYTHON names one");
    };
    let mut child = Command::new(python)
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    serde_json::to_writer(child.stdin.take().unwrap(), &(schema, documents)).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
