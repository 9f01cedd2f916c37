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

    /// Operations that one core can do in a cycle at the very most: two vectors of multiply-adds, four of NEON's. No core
    /// exceeds it: Zen 5 and Intel's servers have two of 512 bits, Apple's and Neoverse V four of 128; Zen 4 does a vector of
    /// 512 bits in two passes. Products of 8- and 16-bit integers count as many as fit a vector, as VNNI does them.
    /// `None` where it is not known.
    pub fn most_per_cycle(self, arithmetic: Arithmetic) -> Option<f64> {
        let bytes = match self {
            Self::Portable => return None,
            Self::Neon => 4.0 * 16.0,
            Self::Avx2 => 2.0 * 32.0,
            Self::Avx512 => {
                if has_two_passes() {
                    64.0
                } else {
                    2.0 * 64.0
                }
            }
        };
        let size = match arithmetic {
            Arithmetic::Fp64 => 8.0,
            Arithmetic::Fp32 => 4.0,
            Arithmetic::Int16 => 2.0,
            Arithmetic::Int8 => 1.0,
            _ => return None,
        };
        Some(bytes / size * 2.0)
    }
}

/// Whether the processor does vectors of 512 bits in two passes through units of 256: AMD's family 19h ("Software
/// Optimization Guide for the AMD Zen4 Microarchitecture", 57647, section 2.11).
#[cfg(target_arch = "x86_64")]
fn has_two_passes() -> bool {
    use std::arch::x86_64::__cpuid;
    let vendor = __cpuid(0);
    let signature = __cpuid(1).eax;
    let family = (signature >> 8 & 0xF) + (signature >> 20 & 0xFF);
    // "AuthenticAMD", four letters a register.
    let is_amd = [vendor.ebx, vendor.edx, vendor.ecx] == [0x6874_7541, 0x6974_6E65, 0x444D_4163];
    is_amd && family == 0x19
}

#[cfg(not(target_arch = "x86_64"))]
fn has_two_passes() -> bool {
    false
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Zen 3 and Haswell: 32 operations of FP32 and 16 of FP64 (Fog, "The microarchitecture of Intel, AMD and VIA CPUs");
    /// Neoverse V1: 32 of FP32 (Arm's Software Optimization Guide). VNNI of 512 bits: 256 of INT8.
    #[test]
    fn limits_are_those_of_published_cores() {
        let most = InstructionSet::most_per_cycle;
        assert_eq!(most(InstructionSet::Avx2, Arithmetic::Fp32), Some(32.0));
        assert_eq!(most(InstructionSet::Avx2, Arithmetic::Fp64), Some(16.0));
        assert_eq!(most(InstructionSet::Neon, Arithmetic::Fp32), Some(32.0));
        let passes = if has_two_passes() { 2.0 } else { 1.0 };
        assert_eq!(most(InstructionSet::Avx512, Arithmetic::Int8), Some(256.0 / passes));
        assert_eq!(most(InstructionSet::Avx512, Arithmetic::Int16), Some(128.0 / passes));
        assert_eq!(most(InstructionSet::Portable, Arithmetic::Fp32), None);
        assert_eq!(most(InstructionSet::Avx2, Arithmetic::Fp8), None);
    }

    #[test]
    fn sets_are_in_order_and_begin_with_what_every_processor_has() {
        let all = InstructionSet::all();
        assert!(all.is_sorted() && all.first() == Some(&InstructionSet::Portable));
        assert_eq!(all.last(), Some(&InstructionSet::best()));
    }
}
