//! Hardware counters and the operators they belong to.

use std::collections::HashMap;

use eaves_analyze::section::Value;

use super::{Loaded, integer, number, rows_by_rank, text};
use crate::common::checks::Checks;

/// Floating-point operations of an instruction: HTA's `CUDA_SASS_INSTRUCTION_COUNTER_FLOPS`.
const FLOP: [(&str, f64); 9] = [
    ("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 2.0),
    ("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 1.0),
    ("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1.0),
    ("smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 2.0),
    ("smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", 1.0),
    ("smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", 1.0),
    ("smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 2.0),
    ("smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", 1.0),
    ("smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 1.0),
];

/// The operators of HTA's `['outer', 'inner']`.
fn stack(list: &str) -> Vec<&str> {
    let inner = list.trim_start_matches('[').trim_end_matches(']');
    inner.split(", ").map(|name| name.trim_matches('\'')).filter(|name| !name.is_empty()).collect()
}

pub(crate) fn check_counters(checks: &mut Checks, loaded: &Loaded<'_>) {
    let Some(theirs) = loaded.reference("cupti_counters.csv") else { return };
    let ranges = rows_by_rank(loaded, "counters", "ranges", "ranges");
    let mut counters: HashMap<i64, HashMap<String, f64>> = HashMap::new();
    for row in rows_by_rank(loaded, "counters", "range_counters", "range_counters") {
        let Value::Float(value) = row["value"] else { panic!("{row:?}") };
        counters.entry(integer(&row["range"])).or_default().insert(text(&row["counter"]).to_owned(), value);
    }
    checks.near("counters", "rows", ranges.len() as f64, theirs.len() as f64, 0.0);
    for (row, theirs) in ranges.iter().zip(&theirs) {
        let at = format!("{} range {}", loaded.case.name, integer(&row["range"]));
        let ours: Vec<&str> = text(&row["operators"]).split(" > ").collect();
        let same = ours == stack(&theirs["op_stack"])
            && ours.first() == Some(&&*theirs["top_level_op"])
            && ours.last() == Some(&&*theirs["bottom_level_op"])
            && text(&row["name"]) == theirs["name"];
        checks.near("counters", &format!("{at} {ours:?} {}", theirs["op_stack"]), f64::from(same), 1.0, 0.0);
        let flop: f64 = FLOP.iter().map(|(column, weight)| weight * number(theirs, column)).sum();
        checks.near("counters", &format!("{at} flop"), integer(&row["flop"]) as f64, flop, 0.0);
        for (counter, &value) in &counters[&integer(&row["range"])] {
            checks.near("counters", &format!("{at} {counter}"), value, number(theirs, counter), 0.0);
        }
    }
}
