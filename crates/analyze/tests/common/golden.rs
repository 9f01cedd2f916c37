//! Which comparison answers for which table of HTA, so that none is skipped unsaid.
//!
//! A test calls [`answer`] at its end, which fails unless it read every table that it answers for. That every table has
//! a test that answers for it, or a reason why none does, is its own test (`hta_golden.rs`).

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::checks::files_read;
use crate::common::{data, folders};

/// What becomes of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duty {
    /// This test compares it.
    Compared(&'static str),
    /// Nothing does: the id of the defect in `docs/hta.md`, and the reason.
    Deviates(&'static str, &'static str),
}

use Duty::{Compared, Deviates};

const HOST_ENDS_LAST: &str = "the host ends last and waits for nothing; HTA's path leaves it for the device, because \
    there the gaps count and on the host they do not (`hta_critical_path.rs` checks that this is the reason)";

/// The first rule whose case is the folder (`*` is any) and whose file is the beginning of the name decides.
pub(crate) const RULES: &[(&str, &str, Duty)] = &[
    ("diff_trace_compare", "", Compared("hta_diff")),
    ("hta_memory_timeline", "", Compared("memory")),
    ("*", "aten_op_kernels_and_delay_rank", Compared("hta_streams")),
    ("*", "blocked_on_full_queue_", Compared("hta_streams")),
    ("*", "counter_events_rank", Compared("hta_streams")),
    ("hta_cp_simple_add", "critical_path0_breakdown", Deviates("-", HOST_ENDS_LAST)),
    ("hta_cp_simple_add", "critical_path0_summary", Deviates("-", HOST_ENDS_LAST)),
    ("tl_h100_bert_small", "critical_path0_breakdown", Deviates("-", HOST_ENDS_LAST)),
    ("tl_h100_bert_small", "critical_path0_summary", Deviates("-", HOST_ENDS_LAST)),
    ("*", "critical_path", Compared("hta_critical_path")),
    ("*", "cuda_kernel_launch_stats_", Compared("hta_streams")),
    ("*", "idle_time_", Compared("hta_streams")),
    ("*", "memory_bw_", Compared("hta_streams")),
    ("*", "queue_length_", Compared("hta_streams")),
    ("*", "call_graph_", Compared("hta_labels")),
    ("*", "cpu_user_annotation_breakdown.", Compared("hta_labels")),
    ("*", "cupti_counters.", Compared("hta_labels")),
    ("*", "frequent_sequences_", Compared("hta_labels")),
    ("*", "gpu_user_annotation_breakdown.", Compared("hta_labels")),
    ("*", "kernels_with_user_annotations_rank", Compared("hta_labels")),
    ("*", "temporal_breakdown.", Compared("hta")),
    ("*", "comm_comp_overlap.", Compared("hta")),
    ("*", "gpu_kernel_type_breakdown.", Compared("hta")),
    ("*", "gpu_kernel_breakdown_all.", Compared("hta")),
    ("*", "gpu_kernel_breakdown_default.", Compared("hta")),
    ("*", "events_rank", Compared("hta_events")),
    ("*", "events_summary_rank", Compared("hta_events")),
    ("*", "filters.", Compared("hta_events")),
    ("*", "kernel_types.", Compared("hta_events")),
    ("*", "potential_stragglers.", Compared("collectives")),
    ("*", "profiler_steps.", Compared("hta_events")),
];

/// The rule of a table, by its path below the reference, whether its times are rounded or not (`nsoff`).
pub(crate) fn rule(path: &str) -> Option<usize> {
    let (case, file) = path.strip_prefix("nsoff/").unwrap_or(path).split_once('/')?;
    RULES
        .iter()
        .position(|(of_case, of_file, _)| (*of_case == "*" || *of_case == case) && file.starts_with(of_file))
}

/// What becomes of a table.
pub(crate) fn duty(path: &str) -> Option<Duty> {
    rule(path).map(|rule| RULES[rule].2)
}

/// Every table of the reference, as a path below it.
pub(crate) fn tables(root: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let cases = folders(root).into_iter().filter(|name| name != "traces" && name != "nsoff");
    let exact = folders(&root.join("nsoff")).into_iter().map(|name| format!("nsoff/{name}"));
    for case in cases.chain(exact) {
        for entry in std::fs::read_dir(root.join(&case)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".csv") {
                found.insert(format!("{case}/{name}"));
            }
        }
    }
    found
}

/// Fails unless this thread read every table that the test answers for.
pub(crate) fn answer(test: &'static str) {
    let root = data("hta").unwrap();
    let read = files_read();
    let mut mine: Vec<String> = tables(&root).into_iter().collect();
    mine.retain(|table| duty(table) == Some(Compared(test)));
    let missed: Vec<&String> = mine.iter().filter(|table| !read.contains(&root.join(table))).collect();
    assert!(missed.is_empty(), "{} of {} tables were not read: {missed:#?}", missed.len(), mine.len());
    println!("{test}: {} tables", mine.len());
}
