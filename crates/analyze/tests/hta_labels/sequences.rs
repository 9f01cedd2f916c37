//! Kernels that an operator launches one after the other.

use std::collections::HashMap;

use eaves_analyze::analyses::{Sequence, sequences_of};
use eaves_analyze::{Options, RankView};
use eaves_model::{CallTree, SliceId, SliceKind, Trace};

use super::call_graph::as_hta_links;
use super::{FLOAT_ERROR, Loaded, number};
use crate::common::checks::{Checks, microseconds};

/// Hides the matching operators that HTA does not look at: it takes those at the smallest depth of call only, though
/// the same operator may be called from deeper Python code elsewhere.
fn hide_deeper(trace: &mut Trace, operator: &str) {
    let tree = CallTree::build(&trace.slices);
    let matching: Vec<(usize, SliceId)> = tree
        .in_order()
        .iter()
        .filter(|&&slice| trace.slice_name(slice).contains(operator))
        .map(|&slice| (tree.ancestors(slice).count(), slice))
        .collect();
    let smallest = matching.iter().map(|&(depth, _)| depth).min();
    for &(depth, slice) in &matching {
        if Some(depth) != smallest {
            trace.slices.kind[slice.index()] = SliceKind::Other;
        }
    }
}

pub(crate) fn check_sequences(checks: &mut Checks, loaded: &Loaded<'_>) {
    for operator in ["aten::linear", "aten::conv2d"] {
        for (suffix, min_len) in [("default", 3), ("minlen1", 1)] {
            let file = format!("frequent_sequences_{}_{suffix}.csv", operator.replace("::", "__"));
            let Some(theirs) = loaded.reference(&file) else { continue };
            let mut trace = as_hta_links(loaded.trace(0));
            hide_deeper(&mut trace, operator);
            let options = Options::default();
            let rank = RankView::new(&trace, &options);
            let ours = sequences_of(&rank, operator, min_len);
            let pattern =
                |one: &Sequence| [std::slice::from_ref(&one.operator), &one.kernels].concat().join("|");
            let by_pattern: HashMap<String, &Sequence> = ours.iter().map(|one| (pattern(one), one)).collect();
            let place = format!("{} {operator} {suffix}", loaded.case.name);
            checks.near("sequences", &format!("{place} rows"), ours.len() as f64, theirs.len() as f64, 0.0);
            for row in &theirs {
                let found = by_pattern.get(&row["pattern"]);
                let values = [
                    ("count", found.map(|one| one.count as f64)),
                    ("GPU kernel duration (us)", found.map(|one| microseconds(one.gpu))),
                    ("CPU op duration (us)", found.map(|one| microseconds(one.cpu))),
                ];
                for (column, value) in values {
                    let at = format!("{place} {column} {}", row["pattern"]);
                    checks.near(
                        "sequences",
                        &at,
                        value.unwrap_or(f64::NAN),
                        number(row, column),
                        FLOAT_ERROR,
                    );
                }
            }
        }
    }
}
