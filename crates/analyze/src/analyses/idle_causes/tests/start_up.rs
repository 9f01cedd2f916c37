//! How a recording begins is apart from what the program does all the time.

use eaves_model::Ns;
use eaves_model::SliceKind::{Annotation, Op, Runtime};

use crate::section::{Finding, Severity};
use crate::test_trace::{TestTrace, run_of, section_of};

const MS: i64 = 1_000_000;

fn findings(test: TestTrace) -> Vec<Finding> {
    section_of(&run_of(vec![test]), "idle-causes").findings
}

fn ids(found: &[Finding]) -> Vec<&'static str> {
    found.iter().map(|finding| finding.id).collect()
}

/// Kernels of a millisecond one after the other, each launched in time.
fn busy(test: &mut TestTrace, start: i64, count: i64) {
    for index in 0..count {
        let (correlation, begin) = (start + index, start + index * MS);
        test.launch(correlation, begin - 20_000, begin - 10_000).kernel(
            "gemm",
            correlation,
            begin,
            begin + MS,
        );
    }
}

#[test]
fn what_the_host_does_before_the_first_kernel_is_not_launching_too_slowly() {
    let mut test = TestTrace::default();
    test.step(1, 0, 317 * MS).host(Op, "aten::resize", 0, 216 * MS);
    busy(&mut test, 217 * MS, 100);
    let found = findings(test);
    assert_eq!((ids(&found).as_slice(), found[0].severity), (["start_up"].as_slice(), Severity::Info));
    assert_eq!(
        found[0].claim,
        "start-up takes 68.5% (217.00 ms) of the recording and is excluded from all other findings: 217.00 ms before the first GPU \
         activity"
    );
    assert_eq!(found[0].gain, None);
}

#[test]
fn the_first_launch_of_a_kernel_loads_it() {
    let launch = |test: &mut TestTrace, correlation, name: &str, from: i64, to: i64| {
        test.launch(correlation, from, to).kernel(name, correlation, to, to + MS);
    };
    let mut test = TestTrace::default();
    busy(&mut test, MS, 10);
    launch(&mut test, 1, "softmax", 11 * MS + 1, 737 * MS);
    let found = findings(test);
    assert_eq!(ids(&found), ["start_up"]);
    assert!(found[0].claim.ends_with("726.00 ms one-time work (`cudaLaunchKernel`)"), "{}", found[0].claim);
    // The same kernel has been launched before: nothing is loaded, and the GPU waits for the host.
    let mut test = TestTrace::default();
    busy(&mut test, MS, 10);
    launch(&mut test, 1, "gemm", 11 * MS + 1, 737 * MS);
    assert_eq!(ids(&findings(test)), ["host_bound"]);
}

#[test]
fn the_first_call_that_takes_memory_makes_the_context() {
    let mut test = TestTrace::default();
    busy(&mut test, MS, 10);
    test.host(Runtime, "cudaFree", 11 * MS, 1011 * MS);
    busy(&mut test, 1012 * MS, 10);
    let found = findings(test);
    assert_eq!(ids(&found), ["start_up"]);
    assert!(found[0].claim.contains("1.00 s one-time work (`cudaFree`)"), "{}", found[0].claim);
}

#[test]
fn compiling_once_is_starting_up_and_compiling_again_is_not() {
    let steps = |compiling: &[i64]| {
        let mut test = TestTrace::default();
        for step in 0..4 {
            let start = step * 20 * MS;
            test.step(step as u64, start, start + 20 * MS);
            if compiling.contains(&step) {
                test.host(Annotation, "compile_inner (dynamo_timed)", start, start + 9 * MS);
            }
            busy(&mut test, start + 10 * MS, 10);
        }
        findings(test)
    };
    let once = steps(&[2]);
    assert!(!ids(&once).contains(&"compilation") && ids(&once).contains(&"start_up"), "{once:?}");
    let again = steps(&[1, 3]);
    let finding = again.iter().find(|finding| finding.id == "compilation").unwrap();
    // Nine milliseconds in two of four steps.
    assert_eq!(finding.gain.as_ref().unwrap().high, Ns(18 * MS / 4));
}
