//! Which kernel needs which architecture: the one table that answers of the backend and tests of compilation are made from.

use std::fmt;

use super::Architecture;

/// Architecture requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// This one or any later.
    AtLeast(u32, u32),
    /// One of this generation, with the instructions that only it has.
    Only(u32),
}

impl Needs {
    /// True if the architecture has what is needed.
    pub fn met_by(self, architecture: Architecture) -> bool {
        let Architecture { major, minor, specific } = architecture;
        match self {
            Self::AtLeast(least_major, least_minor) => (major, minor) >= (least_major, least_minor),
            Self::Only(generation) => major == generation && specific,
        }
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(major, minor) => write!(formatter, "sm_{major}{minor} or later"),
            Self::Only(generation) => write!(formatter, "sm_{generation}0a or its like"),
        }
    }
}

/// A source compiled in one way.
#[derive(Debug, PartialEq, Eq)]
pub struct Program {
    /// A name for people: `gemm fp16`.
    pub id: &'static str,
    /// The file.
    pub file: &'static str,
    /// What it says.
    source: &'static str,
    /// Macros that choose what is compiled of it.
    pub defines: &'static [&'static str],
    /// Macros for shapes, in tests; otherwise the spec decides.
    pub example: &'static [&'static str],
    /// Kernels in it.
    pub functions: &'static [&'static str],
    /// What the architecture must be.
    pub needs: Needs,
    /// Where it is not the fastest way to the matrix units: generations whose own instructions are faster.
    pub quicker: &'static [(u32, &'static str)],
}

impl Program {
    /// What the compiler gets: the instructions, what sources share, and the source.
    pub fn text(&self) -> String {
        let shared = include_str!("kernels/shared.cu");
        let prelude = include_str!("kernels/prelude.cu");
        format!("{prelude}\n#line 1 \"shared.cu\"\n{shared}\n{}", self.body())
    }

    /// The source without what it needs.
    pub(super) fn body(&self) -> String {
        format!("#line 1 \"{}\"\n{}", self.file, self.source)
    }

    /// The instructions that would be faster than those used here, if the architecture has any.
    pub fn quicker_on(&self, architecture: Architecture) -> Option<&'static str> {
        self.quicker.iter().find(|(major, _)| *major == architecture.major).map(|(_, name)| *name)
    }

    /// The program with this name.
    pub fn named(id: &str) -> Option<&'static Self> {
        PROGRAMS.iter().find(|program| program.id == id)
    }
}

const STREAM: &str = include_str!("kernels/stream.cu");
const FMA: &str = include_str!("kernels/fma.cu");
const EXP: &str = include_str!("kernels/exp.cu");
const TENSOR: &str = include_str!("kernels/tensor.cu");
const GEMM: &str = include_str!("kernels/gemm.cu");
const GEMV: &str = include_str!("kernels/gemv.cu");
const ATTENTION: &str = include_str!("kernels/attention.cu");

/// Ampere, the first with `cp.async` and with `mma` of BF16, TF32 and FP64.
const AMPERE: Needs = Needs::AtLeast(8, 0);
/// Ada, the first with `mma` of FP8 (PTX ISA, `mma`: "`.e4m3` and `.e5m2` require sm_89 or higher").
const ADA: Needs = Needs::AtLeast(8, 9);
/// Blackwell of workstations, which alone has `mma` with scales of blocks; that of data centres has `tcgen05` instead.
const BLACKWELL: Needs = Needs::Only(12);

/// Data-center Hopper and Blackwell reach the peak of their matrix units with instructions of their own alone, which take
/// operands from shared or tensor memory.
const WARP_GROUPS: &[(u32, &str)] = &[(9, "wgmma"), (10, "tcgen05.mma")];

/// All of them, by family.
pub const PROGRAMS: &[Program] = &[
    Program {
        id: "stream",
        file: "stream.cu",
        source: STREAM,
        defines: &[],
        example: &[],
        functions: &[
            "stream_read_1",
            "stream_read_2",
            "stream_read_4",
            "stream_write",
            "stream_write_nt",
            "stream_copy",
            "stream_copy_nt",
            "stream_triad",
            "stream_triad_nt",
            "spin",
        ],
        needs: AMPERE,
        quicker: &[],
    },
    Program {
        id: "fma",
        file: "fma.cu",
        source: FMA,
        defines: &[],
        example: &[],
        functions: &["fma_fp32", "fma_fp64", "fma_fp16", "fma_int8"],
        needs: AMPERE,
        quicker: &[],
    },
    Program {
        id: "exp",
        file: "exp.cu",
        source: EXP,
        defines: &[],
        example: &[],
        functions: &["exponentials"],
        needs: AMPERE,
        quicker: &[],
    },
    tensor("tensor fp64", &["TYPE_fp64"], &["tensor_fp64"], AMPERE, &[]),
    tensor("tensor tf32", &["TYPE_tf32"], &["tensor_tf32"], AMPERE, WARP_GROUPS),
    tensor("tensor fp16", &["TYPE_fp16"], &["tensor_fp16"], AMPERE, WARP_GROUPS),
    tensor("tensor bf16", &["TYPE_bf16"], &["tensor_bf16"], AMPERE, WARP_GROUPS),
    tensor("tensor int8", &["TYPE_int8"], &["tensor_int8"], AMPERE, WARP_GROUPS),
    tensor("tensor fp8_e4m3", &["TYPE_fp8_e4m3"], &["tensor_fp8_e4m3"], ADA, WARP_GROUPS),
    tensor("tensor fp8_e5m2", &["TYPE_fp8_e5m2"], &["tensor_fp8_e5m2"], ADA, WARP_GROUPS),
    tensor("tensor nvfp4", &["TYPE_nvfp4"], &["tensor_nvfp4"], BLACKWELL, &[]),
    gemm("gemm fp32", &["TYPE_fp32"], &["gemm_fp32"], AMPERE, &[]),
    gemm("gemm tf32", &["TYPE_tf32"], &["gemm_tf32"], AMPERE, WARP_GROUPS),
    gemm("gemm fp16", &["TYPE_fp16"], &["gemm_fp16"], AMPERE, WARP_GROUPS),
    gemm("gemm bf16", &["TYPE_bf16"], &["gemm_bf16"], AMPERE, WARP_GROUPS),
    gemm("gemm int8", &["TYPE_int8"], &["gemm_int8"], AMPERE, WARP_GROUPS),
    gemm("gemm fp8_e4m3", &["TYPE_fp8_e4m3"], &["gemm_fp8_e4m3"], ADA, WARP_GROUPS),
    gemm("gemm fp8_e5m2", &["TYPE_fp8_e5m2"], &["gemm_fp8_e5m2"], ADA, WARP_GROUPS),
    gemv("gemv fp64", &["W_fp64"]),
    gemv("gemv fp32", &["W_fp32"]),
    gemv("gemv fp16", &["W_fp16"]),
    gemv("gemv bf16", &["W_bf16"]),
    gemv("gemv int8", &["W_int8"]),
    gemv("gemv fp8_e4m3", &["W_fp8_e4m3"]),
    gemv("gemv fp8_e5m2", &["W_fp8_e5m2"]),
    gemv("gemv int4", &["W_int4"]),
    gemv("gemv mxfp4", &["W_mxfp4"]),
    gemv("gemv nvfp4", &["W_nvfp4"]),
    gemv("gemv nf4", &["W_nf4"]),
    decode("attention decode fp32", &["TYPE_fp32", "DECODE"]),
    decode("attention decode fp16", &["TYPE_fp16", "DECODE"]),
    decode("attention decode bf16", &["TYPE_bf16", "DECODE"]),
    prefill("attention prefill fp32", &["TYPE_fp32"], &[]),
    prefill("attention prefill fp16", &["TYPE_fp16"], WARP_GROUPS),
    prefill("attention prefill bf16", &["TYPE_bf16"], WARP_GROUPS),
];

type Texts = &'static [&'static str];
type Quicker = &'static [(u32, &'static str)];

const fn tensor(
    id: &'static str,
    defines: Texts,
    functions: Texts,
    needs: Needs,
    quicker: Quicker,
) -> Program {
    Program { id, file: "tensor.cu", source: TENSOR, defines, example: &[], functions, needs, quicker }
}

const fn gemm(id: &'static str, defines: Texts, functions: Texts, needs: Needs, quicker: Quicker) -> Program {
    Program { id, file: "gemm.cu", source: GEMM, defines, example: &[], functions, needs, quicker }
}

/// Activations are another macro, which the spec decides.
const fn gemv(id: &'static str, defines: Texts) -> Program {
    Program {
        id,
        file: "gemv.cu",
        source: GEMV,
        defines,
        example: &["X_fp32"],
        functions: &["gemv"],
        needs: AMPERE,
        quicker: &[],
    }
}

/// Shapes of Llama 3 8B.
const HEADS: Texts = &["DIMENSION=128", "GROUP=4"];

const fn decode(id: &'static str, defines: Texts) -> Program {
    Program {
        id,
        file: "attention.cu",
        source: ATTENTION,
        defines,
        example: HEADS,
        functions: &["attention_decode", "attention_combine"],
        needs: AMPERE,
        quicker: &[],
    }
}

const fn prefill(id: &'static str, defines: Texts, quicker: Quicker) -> Program {
    Program {
        id,
        file: "attention.cu",
        source: ATTENTION,
        defines,
        example: HEADS,
        functions: &["attention_prefill"],
        needs: AMPERE,
        quicker,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_kernel_of_a_source_is_listed() {
        for (index, program) in PROGRAMS.iter().enumerate() {
            assert!(PROGRAMS.iter().skip(index + 1).all(|other| other.id != program.id), "{}", program.id);
        }
        for program in PROGRAMS.iter().filter(|program| program.defines.is_empty()) {
            assert_eq!(
                program.source.matches("\nKERNEL ").count(),
                program.functions.len(),
                "{}",
                program.id
            );
        }
    }

    /// What the architectures of NVIDIA's PTX ISA, section `mma`, have.
    #[test]
    fn formats_need_the_architectures_of_the_instruction_set() {
        let met = |id: &str, architecture: &str| {
            Program::named(id).unwrap().needs.met_by(architecture.parse().unwrap())
        };
        for (id, architecture, expected) in [
            ("tensor fp8_e4m3", "sm_80", false),
            ("tensor fp8_e4m3", "sm_86", false),
            ("tensor fp8_e4m3", "sm_89", true),
            ("tensor fp8_e4m3", "sm_90", true),
            ("tensor nvfp4", "sm_90", false),
            ("tensor nvfp4", "sm_90a", false),
            ("tensor nvfp4", "sm_100a", false),
            ("tensor nvfp4", "sm_120", false),
            ("tensor nvfp4", "sm_120a", true),
            ("tensor nvfp4", "sm_121a", true),
            ("gemm fp16", "sm_75", false),
            ("gemm fp16", "sm_80", true),
        ] {
            assert_eq!(met(id, architecture), expected, "{id} on {architecture}");
        }
    }
}
