//! What is known of work that can be avoided.

use serde::{Deserialize, Serialize};

/// Work that a fused operator or a setting avoids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[repr(u8)]
pub(super) enum Pattern {
    /// Attention as two products and a softmax over all scores.
    UnfusedAttention,
    /// An optimizer that updates parameters operation by operation.
    UnfusedOptimizer,
    /// Pointwise operators one after the other.
    ElementwiseChain,
    /// Conversions between element types.
    Cast,
    /// Copies into another layout.
    LayoutCopy,
    /// Products in FP32 without tensor cores.
    Float32Product,
}

impl Pattern {
    pub(super) const ALL: [Self; 6] = [
        Self::UnfusedAttention,
        Self::UnfusedOptimizer,
        Self::ElementwiseChain,
        Self::Cast,
        Self::LayoutCopy,
        Self::Float32Product,
    ];

    /// The finding about it, and its name in tables.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::UnfusedAttention => "unfused_attention",
            Self::UnfusedOptimizer => "unfused_optimizer",
            Self::ElementwiseChain => "elementwise_chain",
            Self::Cast => "casts",
            Self::LayoutCopy => "layout_copies",
            Self::Float32Product => "tf32_off",
        }
    }

    /// The subject of the claim.
    pub(super) fn subject(self) -> &'static str {
        match self {
            Self::UnfusedAttention => "attention runs as separate products and a softmax",
            Self::UnfusedOptimizer => "the optimizer updates parameters one operation at a time",
            Self::ElementwiseChain => "pointwise operators run unfused, each over the whole tensor",
            Self::Cast => "type conversions run as separate kernels",
            Self::LayoutCopy => "tensors are copied to another memory layout",
            Self::Float32Product => "FP32 matrix products run without tensor cores",
        }
    }

    pub(super) fn basis(self) -> &'static str {
        match self {
            Self::UnfusedAttention => {
                "a fused kernel never writes the scores and takes 35 to 80% of what the products alone take here"
            }
            Self::UnfusedOptimizer => {
                "a fused update reads and writes each tensor once, without pauses between kernels: it saves 55 to 70% of Adam's \
                 time, 20 to 50% of others'"
            }
            Self::ElementwiseChain => {
                "a fused kernel takes two thirds to one and a half times as long as the longest of its chain"
            }
            Self::Cast | Self::LayoutCopy => {
                "at most all of it, with the pauses before these kernels; how many are needed is unknown"
            }
            Self::Float32Product => {
                "the ratio of the TF32 and FP32 peaks; at least the gain if TF32 reaches 60% of the share of its peak that FP32 \
                 reaches"
            }
        }
    }

    pub(super) fn next(self) -> &'static str {
        match self {
            Self::UnfusedAttention => {
                "call `torch.nn.functional.scaled_dot_product_attention`, or set `attn_implementation=\"sdpa\"` in Transformers"
            }
            Self::UnfusedOptimizer => "pass `fused=True` to the optimizer",
            Self::ElementwiseChain => {
                "compile the surrounding code with `torch.compile`, or call one fused operator (`gelu`, `silu`, \
                `rms_norm`)"
            }
            Self::Cast => {
                "keep tensors in one type: `torch.autocast` around the whole forward pass, without `.float()` or `.to()` inside"
            }
            Self::LayoutCopy => {
                "keep one layout: drop `.contiguous()` where the next operator accepts strides, and use `channels_last` for all \
                 convolutions"
            }
            Self::Float32Product => {
                "allow TF32 with `torch.set_float32_matmul_precision(\"high\")`, or use BF16 with `torch.autocast`"
            }
        }
    }
}
