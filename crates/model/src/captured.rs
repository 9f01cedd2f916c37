//! Graphs as they were captured: the operators and launches that a replay does not record.

use crate::{Extent, MaybeI64, SliceKind, StringId, Strings};

/// A graph, from the beginning of its capture to the end. Texts are those of the trace that holds it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CapturedGraph {
    /// The file that recorded the capture.
    pub source: String,
    /// Number of the graph in that file, from 0.
    pub number: u32,
    /// Rows of the batch it was captured for, where that is recorded.
    pub batch_size: Option<u64>,
    /// What of a model it holds, such as `FULL` or `PIECEWISE`; empty if not recorded.
    pub mode: String,
    /// The operators around launches, each before those inside it.
    pub operators: Vec<CapturedOperator>,
    /// The launches, in order.
    pub launches: Vec<CapturedLaunch>,
}

/// An operator that launched something while a graph was captured, itself or through an operator inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedOperator {
    /// Its name.
    pub name: StringId,
    /// Shapes, types, strides and scalars of the inputs, as JSON.
    pub arguments: [StringId; 4],
    /// Links a forward operator to its backward.
    pub sequence_number: MaybeI64,
    /// The operator around it.
    pub parent: Option<u32>,
}

/// A launch that became a node of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedLaunch {
    /// The function that launched it.
    pub call: StringId,
    /// The kernel; nothing where the profiler did not record it.
    pub kernel: StringId,
    /// What it launches: a kernel, a copy, a set.
    pub kind: SliceKind,
    /// Blocks launched.
    pub grid: Extent,
    /// Threads per block.
    pub block: Extent,
    /// The innermost operator around it.
    pub operator: Option<u32>,
}

impl CapturedGraph {
    /// The same graph with its texts in another list.
    #[must_use]
    pub fn moved(&self, from: &Strings, to: &mut Strings) -> Self {
        let mut text = |id: StringId| match id {
            StringId::NONE => StringId::NONE,
            id => to.intern(from.get(id)),
        };
        let mut graph = self.clone();
        for operator in &mut graph.operators {
            operator.name = text(operator.name);
            operator.arguments = operator.arguments.map(&mut text);
        }
        for launch in &mut graph.launches {
            (launch.call, launch.kernel) = (text(launch.call), text(launch.kernel));
        }
        graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_graph_has_the_same_texts() {
        let mut from = Strings::default();
        let [call, kernel, name, dims] =
            ["hipLaunchKernel", "gemm", "aten::mm", "[[2, 3]]"].map(|text| from.intern(text));
        let none = StringId::NONE;
        let graph = CapturedGraph {
            operators: vec![CapturedOperator {
                name,
                arguments: [dims, none, none, none],
                sequence_number: MaybeI64::NONE,
                parent: None,
            }],
            launches: vec![CapturedLaunch {
                call,
                kernel,
                kind: SliceKind::Kernel,
                grid: Extent::default(),
                block: Extent::default(),
                operator: Some(0),
            }],
            ..CapturedGraph::default()
        };
        let mut to = Strings::default();
        to.intern("something else");
        let moved = graph.moved(&from, &mut to);
        assert_eq!(to.get(moved.operators[0].name), "aten::mm");
        assert_eq!(to.get(moved.operators[0].arguments[0]), "[[2, 3]]");
        assert_eq!(moved.operators[0].arguments[1], none);
        assert_eq!(to.get(moved.launches[0].kernel), "gemm");
        assert_eq!(to.get(moved.launches[0].call), "hipLaunchKernel");
    }
}
