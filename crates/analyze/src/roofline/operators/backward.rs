//! The forward operator of a backward function.

use eaves_model::SliceId;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::rows::{Key, Rows};
use crate::RankView;

/// How the engine of PyTorch's autograd names the evaluation of a backward function.
const EVALUATION: &str = "autograd::engine::evaluate_function: ";

/// Forward operators that have a formula for their backward, by sequence number. Made when first asked for: most
/// backward functions contain operators with formulas of their own.
#[derive(Default)]
pub(super) struct Forwards {
    by_number: Option<HashMap<i64, SliceId, FixedState>>,
}

impl Forwards {
    /// The row of a backward function, if its forward operator tells what it must do.
    pub(super) fn of(&mut self, rank: &RankView<'_>, rows: &mut Rows<'_>, slice: SliceId) -> Option<Key> {
        if !rank.trace.slice_name(slice).starts_with(EVALUATION) {
            return None;
        }
        let number = rank.trace.ops.sequence_number[rows.operator(slice)?].get()?;
        let forwards = self.by_number.get_or_insert_with(|| forwards(rank, rows));
        let forward = rows.key_of(*forwards.get(&number)?);
        let name = rank.trace.slices.name[slice.index()];
        Some(Key { name, of: forward.name, ..forward })
    }
}

/// Of several forward operators with one number the last is the one that made the node of the graph; here, the last
/// with a formula for its backward.
fn forwards(rank: &RankView<'_>, rows: &mut Rows<'_>) -> HashMap<i64, SliceId, FixedState> {
    let (ops, slices) = (&rank.trace.ops, &rank.trace.slices);
    let mut found: HashMap<i64, SliceId, FixedState> = HashMap::default();
    for row in 0..ops.len() {
        let is_backward = ops.forward_thread[row].get().is_some_and(|thread| thread != 0);
        let slice = ops.slice[row];
        let Some(number) = ops.sequence_number[row].get().filter(|_| !is_backward) else { continue };
        if rows.formula(slices.name[slice.index()]).is_none_or(|found| found.backward().is_none()) {
            continue;
        }
        let kept = found.entry(number).or_insert(slice);
        if slices.start[slice.index()] >= slices.start[kept.index()] {
            *kept = slice;
        }
    }
    found
}
