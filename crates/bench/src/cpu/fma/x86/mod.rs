//! Chains in vectors of 256 and 512 bits.
#![expect(unsafe_code, reason = "vectors are loaded by pointers, and products of constants must be assembly")]

mod expected;

use std::arch::asm;
use std::arch::x86_64::*;

use eaves_roofline::Arithmetic;

use super::{Code, InstructionSet, Operands, Results};

/// Chains of floats: latencies of four or five cycles, two units.
const CHAINS: usize = 12;

/// Sums of products that are assembly: an addition has a latency of one cycle.
const SUMS: usize = 8;

/// The best code for these instructions.
pub(super) fn code(arithmetic: Arithmetic, instructions: InstructionSet) -> Option<Code> {
    let vnni = std::arch::is_x86_feature_detected!("avx512vnni");
    Some(match (instructions, arithmetic) {
        (InstructionSet::Avx2, Arithmetic::Fp64) => Code {
            name: "avx2, 12 chains of vfnmadd",
            macs: CHAINS * 4,
            run: doubles_256,
            expected: expected::doubles::<4>,
        },
        (InstructionSet::Avx2, Arithmetic::Fp32) => Code {
            name: "avx2, 12 chains of vfnmadd",
            macs: CHAINS * 8,
            run: singles_256,
            expected: expected::singles::<8>,
        },
        (InstructionSet::Avx2, Arithmetic::Int16) => Code {
            name: "avx2, vpmaddwd and vpaddd",
            macs: SUMS * 16,
            run: shorts_256,
            expected: expected::shorts::<SUMS, 8>,
        },
        (InstructionSet::Avx2, Arithmetic::Int8) => Code {
            name: "avx2, vpmaddubsw, vpmaddwd and vpaddd",
            macs: SUMS * 32,
            run: bytes_256,
            expected: expected::bytes::<SUMS, 8>,
        },
        (InstructionSet::Avx512, Arithmetic::Fp64) => Code {
            name: "avx512, 12 chains of vfnmadd",
            macs: CHAINS * 8,
            run: doubles_512,
            expected: expected::doubles::<8>,
        },
        (InstructionSet::Avx512, Arithmetic::Fp32) => Code {
            name: "avx512, 12 chains of vfnmadd",
            macs: CHAINS * 16,
            run: singles_512,
            expected: expected::singles::<16>,
        },
        (InstructionSet::Avx512, Arithmetic::Int16) if vnni => Code {
            name: "avx512, 12 chains of vpdpwssd",
            macs: CHAINS * 32,
            run: shorts_vnni,
            expected: expected::shorts::<CHAINS, 16>,
        },
        (InstructionSet::Avx512, Arithmetic::Int16) => Code {
            name: "avx512, vpmaddwd and vpaddd",
            macs: SUMS * 32,
            run: shorts_512,
            expected: expected::shorts::<SUMS, 16>,
        },
        (InstructionSet::Avx512, Arithmetic::Int8) if vnni => Code {
            name: "avx512, 12 chains of vpdpbusd",
            macs: CHAINS * 64,
            run: bytes_vnni,
            expected: expected::bytes::<CHAINS, 16>,
        },
        (InstructionSet::Avx512, Arithmetic::Int8) => Code {
            name: "avx512, vpmaddubsw, vpmaddwd and vpaddd",
            macs: SUMS * 64,
            run: bytes_512,
            expected: expected::bytes::<SUMS, 16>,
        },
        _ => return None,
    })
}

/// The chaotic map.
macro_rules! map {
    ($name:ident, $features:literal, $vector:ident, $load:ident, $step:ident, $starts:ident, $constant:ident) => {
        #[target_feature(enable = $features)]
        fn $name(operands: &Operands, rounds: usize, results: &mut Results) {
            let starts = operands.$starts.as_ptr().cast::<$vector>();
            // SAFETY: there are twelve of the longest vectors, aligned, and every pattern of bits is a vector.
            let mut chains: [$vector; CHAINS] =
                std::array::from_fn(|chain| unsafe { starts.add(chain).read() });
            // SAFETY: one of the longest vectors.
            let c = unsafe { $load(operands.$constant.as_ptr()) };
            for _ in 0..rounds {
                for x in &mut chains {
                    *x = $step(*x, *x, c);
                }
            }
            // SAFETY: there is room for twelve of the longest vectors, aligned.
            unsafe { results.0.as_mut_ptr().cast::<[$vector; CHAINS]>().write(chains) };
        }
    };
}

map!(singles_256, "avx2,fma", __m256, _mm256_loadu_ps, _mm256_fnmadd_ps, singles, single);
map!(doubles_256, "avx2,fma", __m256d, _mm256_loadu_pd, _mm256_fnmadd_pd, doubles, double);
map!(singles_512, "avx512f", __m512, _mm512_loadu_ps, _mm512_fnmadd_ps, singles, single);
map!(doubles_512, "avx512f", __m512d, _mm512_loadu_pd, _mm512_fnmadd_pd, doubles, double);

/// Sums of products of constants, by instructions that the compiler would do once for all rounds.
macro_rules! sums {
    ($name:ident, $features:literal, $vector:ident, $class:ident, $first:expr, $second:expr, [$($line:literal),*]) => {
        #[target_feature(enable = $features)]
        fn $name(operands: &Operands, rounds: usize, results: &mut Results) {
            let (first, second): (*const u8, *const u8) = ($first(operands), $second(operands));
            // SAFETY: operands are at least one of the longest vectors each.
            let (first, second) =
                unsafe { (first.cast::<$vector>().read_unaligned(), second.cast::<$vector>().read_unaligned()) };
            const SHORTS: usize = size_of::<$vector>() / 2;
            // SAFETY: zeros and ones are vectors of integers.
            let (zero, ones) = unsafe {
                (std::mem::zeroed::<$vector>(), std::mem::transmute::<[i16; SHORTS], $vector>([1; SHORTS]))
            };
            let mut sums = [zero; SUMS];
            for _ in 0..rounds {
                for sum in &mut sums {
                    // SAFETY: it changes the registers that it names.
                    unsafe {
                        asm!(
                            $($line),*,
                            sum = inout($class) *sum,
                            product = out($class) _,
                            first = in($class) first,
                            second = in($class) second,
                            ones = in($class) ones,
                            options(pure, nomem, nostack, preserves_flags)
                        );
                    }
                }
            }
            // SAFETY: there is room for twelve of the longest vectors, aligned.
            unsafe { results.0.as_mut_ptr().cast::<[$vector; SUMS]>().write(sums) };
        }
    };
}

fn unsigned(operands: &Operands) -> *const u8 {
    operands.unsigned.as_ptr()
}

fn signed(operands: &Operands) -> *const u8 {
    operands.signed.as_ptr().cast()
}

fn first_shorts(operands: &Operands) -> *const u8 {
    operands.shorts[0].as_ptr().cast()
}

fn second_shorts(operands: &Operands) -> *const u8 {
    operands.shorts[1].as_ptr().cast()
}

sums!(
    bytes_256,
    "avx2",
    __m256i,
    ymm_reg,
    unsigned,
    signed,
    [
        "vpmaddubsw {product}, {first}, {second}",
        "vpmaddwd {product}, {product}, {ones}",
        "vpaddd {sum}, {sum}, {product}"
    ]
);
sums!(
    shorts_256,
    "avx2",
    __m256i,
    ymm_reg,
    first_shorts,
    second_shorts,
    ["vpmaddwd {product}, {first}, {second}", "vpaddd {sum}, {sum}, {product} // {ones}"]
);
sums!(
    bytes_512,
    "avx512f,avx512bw",
    __m512i,
    zmm_reg,
    unsigned,
    signed,
    [
        "vpmaddubsw {product}, {first}, {second}",
        "vpmaddwd {product}, {product}, {ones}",
        "vpaddd {sum}, {sum}, {product}"
    ]
);
sums!(
    shorts_512,
    "avx512f,avx512bw",
    __m512i,
    zmm_reg,
    first_shorts,
    second_shorts,
    ["vpmaddwd {product}, {first}, {second}", "vpaddd {sum}, {sum}, {product} // {ones}"]
);

/// Sums by the instructions that add products themselves.
macro_rules! dots {
    ($name:ident, $step:ident, $first:expr, $second:expr) => {
        #[target_feature(enable = "avx512f,avx512vnni")]
        fn $name(operands: &Operands, rounds: usize, results: &mut Results) {
            let (first, second): (*const u8, *const u8) = ($first(operands), $second(operands));
            // SAFETY: operands are one of the longest vectors each.
            let (first, second) =
                unsafe { (_mm512_loadu_si512(first.cast()), _mm512_loadu_si512(second.cast())) };
            let mut sums = [_mm512_setzero_si512(); CHAINS];
            for _ in 0..rounds {
                for sum in &mut sums {
                    *sum = $step(*sum, first, second);
                }
            }
            // SAFETY: there is room for twelve of the longest vectors, aligned.
            unsafe { results.0.as_mut_ptr().cast::<[__m512i; CHAINS]>().write(sums) };
        }
    };
}

dots!(bytes_vnni, _mm512_dpbusd_epi32, unsigned, signed);
dots!(shorts_vnni, _mm512_dpwssd_epi32, first_shorts, second_shorts);
