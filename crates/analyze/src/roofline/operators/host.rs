//! The calls of a recording without GPU activity: operators, and how long their threads were in them.
//!
//! Who owns what is inside an operator is decided as for GPU activities, with the time of a thread in the place of what
//! was launched: an operator with a formula owns all inside it, and one that calls such operators what is left between
//! them. So every instant of a thread belongs to one call.
//!
//! PyTorch's operators do more than their work: they make views, allocate, and call one another. That time moves and
//! computes nothing that a roof bounds, and is its own class.

use eaves_model::{Interval, Ns, StringId};

use super::Class;
use super::attribution::{Attribution, Busy, Call};
use super::autograd::EVALUATION;
use super::launches::Launches;
use super::owners::Owners;
use super::rows::{Key, Rows};
use crate::RankView;

/// Operators that talk to other processes.
const COMMUNICATION: [&str; 2] = ["c10d::", "record_param_comms"];

/// What the functions of TorchRec that ask for a collective, or wait for it, are called: `All2All_Pooled_Req`,
/// `ReduceScatterBase_WaitBackward`.
const REQUESTED: [&str; 4] = ["All2All", "AllGather", "ReduceScatter", "Variable_Batch_All2All"];

/// The time of a thread that belongs to a call.
struct Piece {
    interval: Interval,
    node: usize,
}

/// Which instant belongs to which call, and which call to which row.
pub(super) fn attribution(rank: &RankView<'_>) -> Attribution {
    let mut rows = Rows::new(rank.trace, rank.options.formulas.as_deref(), Launches::default());
    let owners = Owners::of_host(rank, &mut rows);
    let mut by_node = vec![u32::MAX; rank.operators().len()];
    let mut calls: Vec<Call> = Vec::new();
    let mut busy = Busy::default();
    let mut communication = Vec::new();
    for Piece { interval, node } in pieces(rank, &owners) {
        if by_node[node] == u32::MAX {
            by_node[node] = calls.len() as u32;
            let slice = rank.operators().slice(node);
            let row = if is_communication(rank, node) {
                let name = rank.trace.slices.name[slice.index()];
                rows.of(Key::kernel(Class::Communication, name, StringId::NONE))
            } else {
                row(rank, &owners, &mut rows, node)
            };
            calls.push(Call { row, slice, activities: 0, time: Ns::ZERO, counted: Ns::ZERO });
        }
        let place = by_node[node];
        let call = &mut calls[place as usize];
        call.time += interval.length();
        // All threads are of one machine.
        if is_communication(rank, node) {
            communication.push((place, 0, interval));
        } else {
            call.counted += busy.add(0, interval);
        }
    }
    for (call, exposed) in busy.exposed(&communication) {
        calls[call as usize].counted += exposed;
    }
    let busy = calls.iter().map(|call| call.counted).sum();
    let (rows, launches) = rows.into_rows();
    Attribution { calls, call_of: Vec::new(), busy, rows, launches }
}

/// The row of what happens in an operator itself.
fn row(rank: &RankView<'_>, owners: &Owners, rows: &mut Rows<'_>, node: usize) -> u32 {
    let (row, owner) = owners.row_of(rank, rows, node);
    let name = rank.trace.slice_name(rank.operators().slice(node));
    let is_between = owner == node && !owners.is_owned(node) && is_built_in(name);
    if rows.is_unanswered(row)
        && (is_between || WITHOUT_WORK.binary_search(&name).is_ok() || is_bookkeeping(name))
    {
        return rows.of(Key::kernel(
            Class::Framework,
            rank.trace.slices.name[rank.operators().slice(node).index()],
            StringId::NONE,
        ));
    }
    row
}

/// Operators that neither read nor write elements: they make views, or take memory.
const WITHOUT_WORK: [&str; 47] = [
    // tidy-alphabetical-start
    "aten::_conj",
    "aten::_has_compatible_shallow_copy_type",
    "aten::_reshape_alias",
    "aten::_unsafe_view",
    "aten::alias",
    "aten::as_strided",
    "aten::as_strided_",
    "aten::broadcast_tensors",
    "aten::chunk",
    "aten::conj",
    "aten::detach",
    "aten::detach_",
    "aten::diagonal",
    "aten::empty",
    "aten::empty_like",
    "aten::empty_strided",
    "aten::expand",
    "aten::expand_as",
    "aten::flatten",
    "aten::is_nonzero",
    "aten::is_same_size",
    "aten::lift_fresh",
    "aten::movedim",
    "aten::narrow",
    "aten::new_empty",
    "aten::new_empty_strided",
    "aten::numpy_T",
    "aten::permute",
    "aten::real",
    "aten::record_stream",
    "aten::resize_",
    "aten::result_type",
    "aten::select",
    "aten::set_",
    "aten::slice",
    "aten::split",
    "aten::split_with_sizes",
    "aten::squeeze",
    "aten::t",
    "aten::transpose",
    "aten::unbind",
    "aten::unflatten",
    "aten::unfold",
    "aten::unsqueeze",
    "aten::view",
    "aten::view_as",
    "detach",
    // tidy-alphabetical-end
];

/// True for what PyTorch itself records; other operators may compute without calling any.
fn is_built_in(name: &str) -> bool {
    name.starts_with("aten::") || is_bookkeeping(name)
}

/// True for the engine of autograd and its generated functions, which call operators for all they compute: functions that
/// users write have no number at the end of their names.
fn is_bookkeeping(name: &str) -> bool {
    let function = name.strip_prefix(EVALUATION).unwrap_or(name);
    let is_generated = function
        .rsplit_once("Backward")
        .is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()));
    is_generated || function == "torch::autograd::AccumulateGrad"
}

fn is_communication(rank: &RankView<'_>, node: usize) -> bool {
    let name = rank.trace.slice_name(rank.operators().slice(node));
    COMMUNICATION.iter().any(|prefix| name.starts_with(prefix)) || is_requested(name)
}

fn is_requested(name: &str) -> bool {
    let name = name.strip_suffix("Backward").unwrap_or(name);
    REQUESTED.iter().any(|prefix| name.starts_with(prefix))
        && (name.ends_with("_Req") || name.ends_with("_Wait"))
}

/// The pieces of all threads in time order: an owner whole, and of what is owned by nobody what is between the
/// operators inside it.
fn pieces(rank: &RankView<'_>, owners: &Owners) -> Vec<Piece> {
    let (tree, slices) = (rank.operators(), &rank.trace.slices);
    let interval = |node: usize| slices.interval(tree.slice(node).index());
    let is_selected = |node: usize| rank.selects(interval(node).start);
    let mut pieces = Vec::new();
    let mut reached: Vec<Ns> = (0..tree.len()).map(|node| interval(node).start).collect();
    for node in 0..tree.len() {
        let Interval { start, end } = interval(node);
        if let Some(parent) = tree.parent(node) {
            if owners.is_owned(parent) {
                continue;
            }
            if is_selected(parent) && start > reached[parent] {
                pieces.push(Piece { interval: Interval::new(reached[parent], start), node: parent });
            }
            reached[parent] = reached[parent].max(end);
        }
        if owners.is_owned(node) && is_selected(node) {
            pieces.push(Piece { interval: Interval { start, end }, node });
        }
    }
    for (node, &reached) in reached.iter().enumerate() {
        let Interval { end, .. } = interval(node);
        if !owners.is_owned(node) && is_selected(node) && end > reached {
            pieces.push(Piece { interval: Interval::new(reached, end), node });
        }
    }
    pieces.sort_by_key(|piece| piece.interval.start);
    pieces
}
