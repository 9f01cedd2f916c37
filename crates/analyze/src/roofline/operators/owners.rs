//! Which operator owns what was launched inside it.

use eaves_model::{GpuId, SliceId, StringId};
use eaves_roofline::Arithmetic;

use super::rows::{Answer, Around, Key, Rows};
use crate::{HostTree, KernelType, RankView};

const NONE: u32 = u32::MAX;

/// Something was launched inside the node.
const BUSY: u8 = 1;
/// The node launched something itself.
const LAUNCHES: u8 = 1 << 1;
/// It has a formula that has an answer.
const ANSWERED: u8 = 1 << 2;
/// A node inside it has.
const ANSWERED_INSIDE: u8 = 1 << 3;
/// It has a formula that has none.
const UNANSWERED: u8 = 1 << 4;
/// It has an answer, but usually calls operators that have answers too.
const WRAPPER: u8 = 1 << 5;

/// A node directly inside it launched something itself.
const LAUNCHES_BELOW: u8 = 1 << 6;
/// It is a backward function, and its forward operator says what it must do.
const BACKWARD: u8 = 1 << 7;

/// The owner of every operator inside which something was launched.
pub(super) struct Owners {
    /// For each node of the tree of operators the node that owns what was launched in it.
    owner: Vec<u32>,
    /// For each owner its row.
    row: Vec<u32>,
    /// Whether formulas decide, so that what an operator without an answer leaves open may be distinguished.
    pub(super) by_formula: bool,
}

impl Owners {
    /// Decides who owns what. `modelled` overrides which operators own what is inside them.
    pub(super) fn of(
        rank: &RankView<'_>,
        rows: &mut Rows<'_>,
        modelled: Option<&dyn Fn(&str) -> bool>,
    ) -> Self {
        let mut flags = vec![0u8; rank.operators().len()];
        let busy = busy_nodes(rank, rank.operators(), rows, &mut flags);
        Self::decide(rank, rows, modelled, (flags, busy))
    }

    /// The same where threads do the work themselves: in every operator some time passes.
    pub(super) fn of_host(rank: &RankView<'_>, rows: &mut Rows<'_>) -> Self {
        let (tree, slices) = (rank.operators(), &rank.trace.slices);
        let is_selected = |node: &u32| rank.selects(slices.start[tree.slice(*node as usize).index()]);
        let around = |node: u32| {
            let (parent, next) = beside(tree, node as usize);
            (node, Around { kernel: StringId::NONE, computed: None, parent, next })
        };
        let busy = (0..tree.len() as u32).filter(is_selected).map(around).collect();
        Self::decide(rank, rows, None, (vec![BUSY | LAUNCHES; tree.len()], busy))
    }

    fn decide(
        rank: &RankView<'_>,
        rows: &mut Rows<'_>,
        modelled: Option<&dyn Fn(&str) -> bool>,
        (mut flags, mut busy): (Vec<u8>, Vec<(u32, Around)>),
    ) -> Self {
        let tree = rank.operators();
        // Nodes are in pre-order: downwards in the list is upwards in the tree.
        busy.sort_unstable_by_key(|(node, _)| *node);
        for &(node, around) in busy.iter().rev() {
            let slice = tree.slice(node as usize);
            let parent = tree.parent(node as usize);
            let launches = flags[node as usize] & LAUNCHES != 0 && around.kernel != StringId::NONE;
            if let Some(parent) = parent.filter(|_| launches) {
                flags[parent] |= LAUNCHES_BELOW;
            }
            // A function that launches kernels itself, rather than through operators, owns them all.
            let is_backward = flags[node as usize] & LAUNCHES_BELOW != 0;
            flags[node as usize] |= match (modelled, rows.answer(slice, around)) {
                (Some(modelled), _) if modelled(rank.trace.slice_name(slice)) => ANSWERED,
                (None, Answer::NoFormula) if is_backward && rows.tells_backward(slice, around) => {
                    ANSWERED | BACKWARD
                }
                (Some(_), _) | (None, Answer::NoFormula) => 0,
                (None, Answer::Known) => ANSWERED,
                (None, Answer::Wrapper) => WRAPPER,
                (None, Answer::Unanswered) => UNANSWERED,
            };
            if flags[node as usize] & (ANSWERED | ANSWERED_INSIDE) != 0
                && let Some(parent) = parent
            {
                flags[parent] |= ANSWERED_INSIDE;
            }
        }
        let mut owners = Self {
            owner: vec![NONE; tree.len()],
            row: vec![NONE; tree.len()],
            by_formula: modelled.is_none(),
        };
        for &(node, around) in &busy {
            let place = node as usize;
            if let Some(parent) = tree.parent(place)
                && owners.owner[parent] != NONE
            {
                owners.owner[place] = owners.owner[parent];
                continue;
            }
            let slice = tree.slice(place);
            let flags = flags[place];
            let row = if flags & BACKWARD != 0 {
                rows.of_backward(slice, around)
            } else if flags & ANSWERED != 0 {
                Some(rows.of_operator(slice, around))
            } else if flags & ANSWERED_INSIDE != 0 {
                None
            } else if let Some(row) = rows.of_backward(slice, around) {
                Some(row)
            } else if flags & (WRAPPER | UNANSWERED | LAUNCHES) != 0 {
                Some(rows.of_operator(slice, around))
            } else {
                None
            };
            if let Some(row) = row {
                (owners.owner[place], owners.row[place]) = (node, row);
            }
        }
        owners
    }

    /// The row and the operator, by its node, that an activity belongs to.
    pub(super) fn owner(
        &self,
        rank: &RankView<'_>,
        rows: &mut Rows<'_>,
        activity: GpuId,
    ) -> Option<(u32, usize)> {
        let tree = rank.operators();
        let node = tree.launcher(rank.links(), activity)?;
        Some(self.row_of(rank, rows, node))
    }

    /// The row and the operator that what happens in an operator itself belongs to.
    pub(super) fn row_of(&self, rank: &RankView<'_>, rows: &mut Rows<'_>, node: usize) -> (u32, usize) {
        match self.owner[node] {
            // It has operators with formulas inside it and owns only what it does itself.
            NONE => {
                let key = Key { partly: true, ..rows.key_of(rank.operators().slice(node)) };
                (rows.of(key), node)
            }
            owner => (self.row[owner as usize], owner as usize),
        }
    }

    /// True if all inside an operator belongs to it or to one around it.
    pub(super) fn is_owned(&self, node: usize) -> bool {
        self.owner[node] != NONE
    }
}

/// The operator around a node, and the next inside that.
fn beside(tree: &HostTree, node: usize) -> (Option<SliceId>, Option<SliceId>) {
    let parent = tree.parent(node);
    // Nodes are in pre-order: the next one of the same parent comes right behind what is inside this one.
    let next = Some(tree.inside(node).end).filter(|next| *next < tree.len() && tree.parent(*next) == parent);
    (parent.map(|parent| tree.slice(parent)), parent.and(next).map(|next| tree.slice(next)))
}

/// The nodes inside which something was launched, each once with what the kernels say of it. Replays of graphs belong to
/// no operator.
fn busy_nodes(
    rank: &RankView<'_>,
    tree: &HostTree,
    rows: &mut Rows<'_>,
    flags: &mut [u8],
) -> Vec<(u32, Around)> {
    let mut busy = Vec::new();
    let mut computed: Vec<Option<Arithmetic>> = vec![None; tree.len()];
    for (index, &activity) in rank.gpu.row.iter().enumerate() {
        if rank.gpu.kernel_type[index] == KernelType::Communication || rows.replays(rank, activity) {
            continue;
        }
        let Some(launcher) = tree.launcher(rank.links(), activity) else { continue };
        let kernel = rank.gpu.name[index];
        flags[launcher] |= LAUNCHES;
        let mut node = Some(launcher);
        while let Some(place) = node.filter(|&place| flags[place] & BUSY == 0) {
            flags[place] |= BUSY;
            let (parent, next) = beside(tree, place);
            busy.push((place as u32, Around { kernel, computed: None, parent, next }));
            node = tree.parent(place);
        }
        let arithmetic = rows.arithmetic(kernel);
        let mut node = Some(launcher).filter(|_| arithmetic.is_some());
        while let Some(place) = node.filter(|&place| computed[place].is_none()) {
            computed[place] = arithmetic;
            node = tree.parent(place);
        }
    }
    for (node, around) in &mut busy {
        around.computed = computed[*node as usize];
    }
    busy
}
