//! Input files that rocprof-compute really used, for MI200 and MI300X: every name in them is known, and its passes fit.

use std::path::{Path, PathBuf};

use eaves_capture::counters::{Dialect, Input, architecture, check};

/// Recordings that may not be published, if this machine has them.
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/formats/amd/rocprof_compute/tests_workloads");
    if !folder.is_dir() {
        eprintln!("no recordings at {}: test left out", folder.display());
        return None;
    }
    Some(folder)
}

#[test]
fn inputs_of_rocprof_compute_are_sound() {
    let Some(folder) = folder() else { return };
    let mut counters = 0;
    for (workload, device) in [
        ("vcopy/MI200", "gfx90a"),
        ("vcopy/MI300X_A1", "gfx942"),
        ("dispatch_0/MI200", "gfx90a"),
        ("dispatch_0/MI300X_A1", "gfx942"),
    ] {
        for entry in std::fs::read_dir(folder.join(workload).join("perfmon")).unwrap() {
            let path = entry.unwrap().path();
            let input = Input::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
            assert!(input.unknown.is_empty(), "{}: {:?}", path.display(), input.unknown);
            let checked = check(architecture(device).unwrap(), &input.request.passes, Dialect::First);
            assert_eq!(checked.problems, [], "{}", path.display());
            assert_eq!(checked.passes, input.request.passes, "{}", path.display());
            counters += input.request.passes.iter().flatten().count();
        }
    }
    assert!(counters > 500, "{counters}");
}
