//! Which instructions this processor has, and how much they can do at most.

use std::fmt;

use eaves_roofline::Arithmetic;

/// Instructions that kernels are written for. Chosen once; each kernel has a table of functions by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// What the compiler makes of plain loops.
    Portable,
    /// 128-bit vectors of AArch64.
    Neon,
    /// 256-bit vectors with fused multiply-add and FP16 conversion.
    Avx2,
    /// 512-bit vectors (F, BW, VL, DQ) with what [`InstructionSet::Avx2`] has.
    Avx512,
}

impl InstructionSet {
    /// The best this processor has.
    pub fn best() -> Self {
        Self::all().last().copied().unwrap_or(Self::Portable)
    }

    /// All that this processor has, worst first.
    pub fn all() -> &'static [Self] {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("fma")
                && std::arch::is_x86_feature_detected!("f16c");
            let avx512 = std::arch::is_x86_feature_detected!("avx512f")
                && std::arch::is_x86_feature_detected!("avx512bw")
                && std::arch::is_x86_feature_detected!("avx512vl")
                && std::arch::is_x86_feature_detected!("avx512dq");
            match (avx2, avx512) {
                (true, true) => &[Self::Portable, Self::Avx2, Self::Avx512],
                (true, false) => &[Self::Portable, Self::Avx2],
                _ => &[Self::Portable],
            }
        }
        #[cfg(target_arch = "aarch64")]
        {
            &[Self::Portable, Self::Neon]
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            &[Self::Portable]
        }
    }

    /// Operations that one core can do in a cycle at the very most: two vectors of fused multiply-adds, which no core of
    /// these instruction sets exceeds but those that have more than two (Zen 5 has two of 512 bits, Apple's and Neoverse V
    /// four of 128). `None` where it is not known.
    pub fn most_per_cycle(self, arithmetic: Arithmetic) -> Option<f64> {
        let vectors = match self {
            Self::Portable => return None,
            Self::Neon => 4.0 * 16.0,
            Self::Avx2 => 2.0 * 32.0,
            Self::Avx512 => 2.0 * 64.0,
        };
        match arithmetic {
            Arithmetic::Fp64 => Some(vectors / 8.0 * 2.0),
            Arithmetic::Fp32 => Some(vectors / 4.0 * 2.0),
            _ => None,
        }
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        })
    }
}
