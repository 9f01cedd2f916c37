//! Which comparison answers for which table of HTA, so that none is left out unsaid.
//!
//! A test calls [`answer`] at its end, which fails unless it read every table that it answers for. That every table has
//! a test that answers for it, or a reason why none does, is a test of its own (`hta_golden.rs`).

use std::collections::BTreeSet;
use std::path::Path;

use crate::checks::files_read;
use crate::common::{data, folders};

/// What becomes of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duty {
    /// This test compares it.
    Compared(&'static str),
    /// Nothing does: the id of the defect in `docs/hta.md`, and the reason.
    Deviates(&'static str, &'static str),
}

/// Which outputs of a trace a rule is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Times {
    Any,
    /// As the file has them: outputs with rounding switched off, and those of traces without fractions.
    Exact,
    /// Rounded to microseconds (D1), where the same tables are there with exact times too.
    RoundedToo,
}

use Duty::{Compared, Deviates};
use Times::{Any, Exact, RoundedToo};

const HOST_ENDS_LAST: &str = "the host ends last and waits for nothing; HTA's path leaves it for the device, because \
    there the gaps count and on the host they do not (`hta_critical_path.rs` checks that this is the reason)";

/// The first rule whose case is the folder (`*` is any) and whose file is the beginning of the name decides.
const RULES: &[(&str, Times, &str, Duty)] = &[
    ("diff_trace_compare", Any, "", Compared("hta_diff")),
    ("hta_memory_timeline", Any, "", Compared("memory")),
    ("*", Any, "aten_op_kernels_and_delay_rank", Compared("hta_streams")),
    ("*", Any, "blocked_on_full_queue_", Compared("hta_streams")),
    ("*", Any, "counter_events_rank", Compared("hta_streams")),
    ("hta_cp_simple_add", Any, "critical_path0_breakdown", Deviates("-", HOST_ENDS_LAST)),
    ("hta_cp_simple_add", Any, "critical_path0_summary", Deviates("-", HOST_ENDS_LAST)),
    ("tl_h100_bert_small", Any, "critical_path0_breakdown", Deviates("-", HOST_ENDS_LAST)),
    ("tl_h100_bert_small", Any, "critical_path0_summary", Deviates("-", HOST_ENDS_LAST)),
    ("*", Any, "critical_path", Compared("hta_critical_path")),
    ("*", Any, "cuda_kernel_launch_stats_", Compared("hta_streams")),
    ("*", Any, "idle_time_", Compared("hta_streams")),
    ("*", Any, "memory_bw_", Compared("hta_streams")),
    ("*", Any, "queue_length_", Compared("hta_streams")),
    ("*", Any, "call_graph_", Compared("hta_labels")),
    ("*", Any, "cpu_user_annotation_breakdown.", Compared("hta_labels")),
    ("*", Any, "cupti_counters.", Compared("hta_labels")),
    ("*", Any, "frequent_sequences_", Compared("hta_labels")),
    ("*", Any, "gpu_user_annotation_breakdown.", Compared("hta_labels")),
    ("*", Any, "kernels_with_user_annotations_rank", Compared("hta_labels")),
    ("*", Any, "temporal_breakdown.", Compared("hta")),
    ("*", Any, "comm_comp_overlap.", Compared("hta")),
    ("*", Any, "gpu_kernel_type_breakdown.", Compared("hta")),
    ("*", Any, "gpu_kernel_breakdown_all.", Compared("hta")),
    ("*", Any, "gpu_kernel_breakdown_default.", Compared("hta")),
    ("*", Any, "events_rank", Compared("hta_events")),
    ("*", Any, "events_summary_rank", Compared("hta_events")),
    ("*", Any, "filters.", Compared("hta_events")),
    ("*", Any, "kernel_types.", Compared("hta_events")),
    ("*", Any, "potential_stragglers.", Compared("hta_events")),
    ("*", Any, "profiler_steps.", Compared("hta_events")),
];

/// The traces with fractions that have no exact outputs.
const ROUNDED_ONLY: &str = "hta_mtia_train";

/// What becomes of a table, by its path below the reference.
pub(crate) fn duty(root: &Path, path: &str) -> Option<Duty> {
    let (exact, path) = path.strip_prefix("nsoff/").map_or((false, path), |path| (true, path));
    let (case, file) = path.split_once('/')?;
    let rounded = !exact && root.join("nsoff").join(case).is_dir();
    let holds = |times: Times| match times {
        Any => true,
        Exact => !rounded && case != ROUNDED_ONLY,
        RoundedToo => rounded,
    };
    let rule = RULES.iter().find(|(of_case, times, of_file, _)| {
        (*of_case == "*" || *of_case == case) && holds(*times) && file.starts_with(of_file)
    });
    rule.map(|(.., duty)| *duty)
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
    let Some(root) = data("hta") else { return };
    let read = files_read();
    let mut mine: Vec<String> = tables(&root).into_iter().collect();
    mine.retain(|table| duty(&root, table) == Some(Compared(test)));
    let missed: Vec<&String> = mine.iter().filter(|table| !read.contains(&root.join(table))).collect();
    assert!(missed.is_empty(), "{} of {} tables were not read: {missed:#?}", missed.len(), mine.len());
    println!("{test}: {} tables", mine.len());
}
