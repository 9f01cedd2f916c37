//! Input files that rocprof-compute really used, for MI200 and MI300X: every name in them is known, and its passes fit.

use eaves_capture::counters::{Dialect, Input, architecture, check};
use eaves_testing::data;

#[test]
fn inputs_of_rocprof_compute_are_sound() {
    let Some(folder) = data("formats/amd/rocprof_compute/tests_workloads") else { return };
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
