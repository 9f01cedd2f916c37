//! Trees of traces made by hand, and of random ones against a count of instants.

mod by_hand;
mod random;

use std::collections::BTreeMap;

use eaves_model::{Allocation, Ident, MaybeI64, Ns, RuntimeCall, Slice, SliceId, SliceKind, TrackId};

use super::{Flame, FlameOptions, Metric, NodeId, Tree, Values, Visit, assemble, measure};
use crate::test_trace::{TestTrace, run_of};
use crate::{Options, RankView, Selection};

impl TestTrace {
    fn thread(&mut self, thread: i64) -> TrackId {
        self.trace.tracks.get_or_add(Ident::number(1), Ident::number(1_000 + thread))
    }

    /// A call on a thread; one into the runtime may have the number of what it launches.
    pub(super) fn call(&mut self, thread: i64, kind: SliceKind, name: &str, times: (i64, i64)) -> &mut Self {
        self.call_with(thread, kind, name, times, None)
    }

    pub(super) fn call_with(
        &mut self,
        thread: i64,
        kind: SliceKind,
        name: &str,
        (start, end): (i64, i64),
        correlation: Option<i64>,
    ) -> &mut Self {
        let track = self.thread(thread);
        let name = self.trace.strings.intern(name);
        let slice = SliceId::from(self.trace.slices.len());
        self.trace.slices.push(Slice {
            start: Ns(start),
            duration: Ns(end.saturating_sub(start)),
            name,
            track,
            kind,
            ..Slice::default()
        });
        if kind == SliceKind::Runtime {
            self.trace.runtime.push(RuntimeCall {
                slice,
                correlation: correlation.into(),
                ..RuntimeCall::default()
            });
        }
        self
    }

    pub(super) fn allocate(&mut self, thread: i64, time: i64, bytes: i64) -> &mut Self {
        let track = self.thread(thread);
        self.trace.allocations.push(Allocation {
            time: Ns(time),
            track,
            bytes: MaybeI64::new(bytes),
            ..Allocation::default()
        });
        self
    }
}

fn flame_of(traces: Vec<TestTrace>, selection: Selection, merge_threads: bool) -> Flame {
    let run = run_of(traces);
    let options = Options::default().with_selection(selection);
    let flame = FlameOptions { chart: Some(usize::MAX), merge_threads };
    let parts: Vec<_> = run
        .recordings
        .iter()
        .map(|recording| measure(&RankView::new(&recording.trace, &options), &flame))
        .collect();
    assemble(&run.recordings, &parts, &options, false).unwrap()
}

fn flame(trace: TestTrace) -> Flame {
    flame_of(vec![trace], Selection::default(), false)
}

/// The name path of every frame with what belongs to it, in order; paths that occur more than once are summed.
fn paths(names: &[String], tree: &Tree) -> BTreeMap<String, Values> {
    let mut paths = BTreeMap::new();
    let mut stack: Vec<&str> = Vec::new();
    tree.walk(&tree.children(Metric::Cpu), |visit| match visit {
        Visit::Enter(id) => {
            stack.push(&names[tree.node(id).name as usize]);
            *paths.entry(stack[1..].join(";")).or_insert(Values::default()) += tree.node(id).own;
        }
        Visit::Leave(_) => drop(stack.pop()),
    });
    paths
}

/// One metric of every path that has something of it.
fn amounts(names: &[String], tree: &Tree, metric: Metric) -> Vec<(String, i64)> {
    let own = paths(names, tree).into_iter().map(|(path, own)| (path, own[metric]));
    own.filter(|(_, amount)| *amount > 0).collect()
}

fn expected(pairs: &[(&str, i64)]) -> Vec<(String, i64)> {
    pairs.iter().map(|&(path, amount)| (path.to_owned(), amount)).collect()
}

/// Every amount adds up, nothing is negative, parents come first.
fn check(tree: &Tree) {
    let mut totals: Vec<Values> = tree.nodes.iter().map(|node| node.own).collect();
    let mut base: Vec<Values> = tree.base.iter().map(|base| base.own).collect();
    for (index, node) in tree.nodes.iter().enumerate().skip(1) {
        assert!((node.parent as usize) < index);
        for (sums, total) in [
            (&mut totals, node.total),
            (&mut base, tree.base.get(index).map_or(node.total, |base| base.total)),
        ] {
            if let Some(sum) = sums.get_mut(node.parent as usize) {
                for metric in Metric::ALL {
                    sum[metric] = sum[metric].checked_add(total[metric]).unwrap();
                }
            }
        }
    }
    for (index, node) in tree.nodes.iter().enumerate() {
        assert_eq!(node.total, totals[index], "frame {index}");
        assert!(node.own.0.iter().all(|&amount| amount >= 0));
        assert_eq!(node.kind == super::FrameKind::Small, node.grouped > 0);
    }
    for (index, one) in tree.base.iter().enumerate() {
        assert_eq!(one.total, base[index], "base of frame {index}");
    }
    let children = tree.children(Metric::Gpu);
    let count: usize = (0..tree.nodes.len()).map(|id| children.get(id as NodeId).len()).sum();
    assert_eq!(count, tree.nodes.len() - 1);
}
