//! The autograd tape: what the forward leaves behind for the backward.

use super::device::Kernel;
use super::kernels::AttentionShape;
use super::memory::Block;
use super::recorder::GraphNode;
use super::tensor::{Element, Tensor};

/// What the backward of a node does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// A matrix product with a bias: input and weight.
    Addmm {
        input: Tensor,
        weight: Tensor,
    },
    /// Attention over three inputs of one shape.
    Attention {
        shape: AttentionShape,
        query: Tensor,
    },
    /// A batch of matrix products.
    Bmm {
        left: Tensor,
        right: Tensor,
    },
    /// A look-up of rows: the table and the indices.
    Embedding {
        table: Tensor,
        tokens: Tensor,
    },
    /// A gated activation.
    Gelu,
    /// A normalization of the last axis. One that begins a branch adds the gradient that passed the branch by.
    LayerNorm {
        width: u64,
        ends_branch: bool,
    },
    LogSoftmax,
    /// The loss of this many rows.
    Loss {
        logits: Tensor,
        targets: Tensor,
    },
    /// An operator whose backward is one kernel, or none.
    Operator {
        node: &'static str,
        operator: &'static str,
        kernel: Option<Kernel>,
    },
    /// Another shape of the same memory.
    Reshape {
        input: Tensor,
    },
    /// The sum at the end of a branch: the gradient goes on into the branch and past it.
    Residual,
    /// A softmax of the last axis.
    Softmax,
    /// A cut of the last axis into equal parts.
    Split {
        part: Tensor,
    },
    /// An exchange of two axes.
    Transpose {
        first: u64,
        second: u64,
    },
    /// The transposition of a weight, after which its gradient is complete.
    Weight {
        weight: Tensor,
    },
}

impl Work {
    /// The name of the node.
    pub(crate) fn node_name(self) -> &'static str {
        match self {
            Self::Addmm { .. } => "AddmmBackward0",
            Self::Attention { query, .. } if query.element == Element::Float => {
                "ScaledDotProductEfficientAttentionBackward0"
            }
            Self::Attention { .. } => "ScaledDotProductFlashAttentionBackward0",
            Self::Bmm { .. } => "BmmBackward0",
            Self::Embedding { .. } => "EmbeddingBackward0",
            Self::Gelu => "GeluBackward0",
            Self::LayerNorm { .. } => "NativeLayerNormBackward0",
            Self::LogSoftmax => "LogSoftmaxBackward0",
            Self::Loss { .. } => "NllLossBackward0",
            Self::Operator { node, .. } => node,
            Self::Reshape { .. } => "ViewBackward0",
            Self::Residual => "AddBackward0",
            Self::Softmax => "SoftmaxBackward0",
            Self::Split { .. } => "SplitBackward0",
            Self::Transpose { .. } => "TransposeBackward0",
            Self::Weight { .. } => "TBackward0",
        }
    }
}

/// A node of the graph with what its backward needs.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) graph: GraphNode,
    /// The gradient that arrives.
    pub(crate) gradient: Tensor,
    pub(crate) work: Work,
    /// What the forward allocated. Nobody needs it once this node is done.
    pub(crate) saved: Vec<Block>,
}
