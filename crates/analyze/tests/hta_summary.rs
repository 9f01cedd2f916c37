//! The shares of `eaves hta` against shares that were computed independently, from unions of intervals.

use crate::common::checks::Checks;
use crate::common::{data, read_run};
use eaves_analyze::analyses::HTA_SUMMARY;
use eaves_analyze::section::Value;
use eaves_analyze::{Options, report_of};

/// Idle, compute and the rest in percent of the GPU span, rounded to two decimals.
const EXPECTED: [(&str, [f64; 3]); 5] = [
    ("critical_path_alexnet_benchmark_result_2869224_1695835535_trace.json.gz", [99.49, 0.08, 0.43]),
    ("critical_path_simple_add_benchmark_result_493459_1694039959_trace.json.gz", [99.69, 0.07, 0.24]),
    ("amd_trace_mi250_minitoy_train_ROCm6_2_kineto.json.gz", [98.33, 1.24, 0.43]),
    ("critical_path_cuda_event_sync_multi_stream_event_sync_trace.json.gz", [98.09, 1.89, 0.02]),
    ("trace_filter_sampled_rank-0.json.gz", [55.21, 17.20, 27.59]),
];

#[test]
fn shares_are_those_of_unions_of_intervals() {
    let Some(root) = data("sources/004/hta_test_traces") else { return };
    let mut checks = Checks::default();
    for (file, [idle, compute, rest]) in EXPECTED {
        let run = read_run(&root.join(file));
        let outcomes = report_of(&run, &Options::default(), &[&HTA_SUMMARY]).unwrap();
        let section = outcomes[0].section().unwrap();
        let share = |id: &str| match section.numbers.iter().find(|number| number.id == id).unwrap().value {
            Value::Float(share) => share,
            _ => f64::NAN,
        };
        checks.near("idle", file, share("idle_pct"), idle, 0.005);
        checks.near("compute", file, share("compute_pct"), compute, 0.005);
        let ours = share("exposed_comm_pct") + share("exposed_memory_pct");
        checks.near("rest", file, ours, rest, 0.005);
        checks.near("sum", file, share("idle_pct") + share("compute_pct") + ours, 100.0, 1e-9);
    }
    checks.finish();
}
