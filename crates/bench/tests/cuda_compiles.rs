//! Every CUDA kernel is compiled for every architecture that is checked, and accepted by exactly those that the table says.

use std::path::PathBuf;

use eaves_bench::cuda::{Architecture, Compiler, PROGRAMS, Program, compile_only, compile_only_with, nvrtc};
use eaves_bench::{Attend, BenchError, Execution, Spec, Store, Stream};
use eaves_roofline::{Arithmetic, Precision};

/// The compiler, from the folder that the environment names or from where `cargo xtask test` installs it.
fn compiler() -> Option<Compiler> {
    let tools = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/nvrtc/nvidia");
    let installed = ["cu13/lib", "cuda_nvrtc/lib"].map(|folder| tools.join(folder));
    let named = std::env::var_os(nvrtc::FOLDER).map(PathBuf::from);
    let folder = named.or_else(|| installed.into_iter().find(|folder| folder.is_dir()));
    match Compiler::load(folder.as_deref()) {
        Ok(compiler) => Some(compiler),
        Err(error) => {
            eaves_testing::skip(error);
            None
        }
    }
}

fn compiles(compiler: &Compiler, program: &Program, architecture: Architecture) -> Result<String, String> {
    let shape: Vec<String> = program.example.iter().map(|&define| define.to_owned()).collect();
    compiler
        .compile(program, &shape, architecture)
        .map(|compiled| {
            assert!(compiled.cubin.starts_with(b"\x7fELF"), "{} is no machine code", program.id);
            compiled.log
        })
        .map_err(|error| error.to_string())
}

#[test]
fn architectures_accept_what_the_table_says() {
    let Some(compiler) = compiler() else { return };
    let mut accepted = 0;
    for program in PROGRAMS {
        for architecture in Architecture::CHECKED {
            let result = compiles(&compiler, program, architecture);
            match (program.needs.met_by(architecture), result) {
                (true, Ok(log)) => {
                    accepted += 1;
                    // The assembler's account of each kernel: "0 bytes stack frame, 0 bytes spill stores, ...".
                    let spills = log.matches(" bytes spill stores").count();
                    assert_eq!(spills, program.functions.len(), "{} for {architecture}: {log}", program.id);
                    let none = log.matches(" 0 bytes spill stores").count();
                    assert_eq!(none, spills, "{} for {architecture} spills registers: {log}", program.id);
                }
                (true, Err(error)) => panic!("{} should compile for {architecture}: {error}", program.id),
                (false, Ok(_)) => panic!("{} should be refused for {architecture}", program.id),
                // Refused by the assembler for what the architecture lacks, not for a mistake of ours.
                (false, Err(error)) => {
                    let lacks =
                        error.contains("not supported on .target") || error.contains("requires .target");
                    assert!(lacks, "{}: {error}", program.id);
                }
            }
        }
    }
    eprintln!("{}: {accepted} compilations of {} programs", compiler.name(), PROGRAMS.len());
}

/// The boundaries by name, so that a table that is wrong in the same way as the kernels is noticed.
#[test]
fn eight_and_four_bit_floats_are_refused_before_the_hardware_had_them() {
    let Some(compiler) = compiler() else { return };
    for (id, architecture, expected) in [
        ("tensor fp8_e4m3", "sm_80", false),
        ("tensor fp8_e4m3", "sm_89", true),
        ("tensor fp8_e5m2", "sm_80", false),
        ("tensor fp8_e5m2", "sm_89", true),
        ("gemm fp8_e4m3", "sm_80", false),
        ("gemm fp8_e4m3", "sm_89", true),
        ("tensor nvfp4", "sm_90", false),
        ("tensor nvfp4", "sm_90a", false),
        ("tensor nvfp4", "sm_120", false),
        ("tensor nvfp4", "sm_120a", true),
    ] {
        let program = Program::named(id).unwrap();
        let result = compiles(&compiler, program, architecture.parse().unwrap());
        assert_eq!(result.is_ok(), expected, "{id} for {architecture}: {result:?}");
    }
}

/// A kernel that is wrong is an error with the compiler's words, not an answer.
#[test]
fn a_program_without_its_macros_is_refused() {
    let Some(compiler) = compiler() else { return };
    let decode = Program::named("attention decode fp16").unwrap();
    let error = compiler.compile(decode, &[], Architecture::of_device(9, 0)).unwrap_err().to_string();
    assert!(error.contains("attention.cu") && error.contains("DIMENSION"), "{error}");
}

fn specs() -> Vec<Spec> {
    let shape =
        Attend { batch: 1, heads: 32, kv_heads: 8, queries: 1, context: 4096, dimension: 128, causal: true };
    let (fp8, fp16, fp32) = (Precision::FP8_E4M3, Precision::FP16, Precision::FP32);
    vec![
        Spec::Stream { stream: Stream::Triad(Store::Normal), bytes: 1 << 30 },
        Spec::Fma { arithmetic: Arithmetic::Fp32 },
        Spec::Fma { arithmetic: Arithmetic::Fp8 },
        Spec::Fma { arithmetic: Arithmetic::Fp4 },
        Spec::Gemm { m: 2048, n: 4096, k: 4096, weights: fp8, activations: fp8 },
        Spec::Gemv { n: 4096, k: 4096, weights: Precision::NVFP4, activations: fp32 },
        Spec::Attention { shape, precision: fp16 },
        Spec::Attention { shape: Attend { queries: 4096, ..shape }, precision: fp16 },
    ]
}

/// What was compiled only says so, and has no number that could be taken for a measurement.
#[test]
fn what_was_not_run_has_no_time() {
    let Some(compiler) = compiler() else { return };
    for spec in specs() {
        let measurement = compile_only_with(&compiler, &spec, "sm_120a".parse().unwrap()).unwrap();
        assert_eq!(measurement.execution, Execution::CompiledOnly);
        assert_eq!(
            (measurement.time, measurement.samples.len(), measurement.verification.is_none()),
            (None, 0, true)
        );
        assert!(!measurement.is_sound() && measurement.bytes_per_second(true).is_none());
        assert_eq!(measurement.conditions.device, "sm_120a");
        assert!(measurement.work.bytes() > 0.0);
    }
    // By hand: 2 m n k operations, operands of one byte and results of four.
    let spec = specs().into_iter().find(|spec| matches!(spec, Spec::Gemm { .. })).unwrap();
    let hopper = compile_only_with(&compiler, &spec, "sm_90a".parse().unwrap()).unwrap();
    assert_eq!(hopper.work.flops, 2.0 * 2048.0 * 4096.0 * 4096.0);
    assert_eq!(hopper.work.bytes(), 2048.0 * 4096.0 + 4096.0 * 4096.0 + 4.0 * 2048.0 * 4096.0);
    assert!(hopper.conditions.implementation.contains("wgmma"), "{}", hopper.conditions.implementation);
}

/// What an architecture lacks is said without asking a compiler, so that it is said without one too.
#[test]
fn what_an_architecture_lacks_is_said() {
    for (arithmetic, architecture, needs) in
        [(Arithmetic::Fp8, "sm_80", "sm_89 or later"), (Arithmetic::Fp4, "sm_90a", "sm_120a or its like")]
    {
        let error = compile_only(&Spec::Fma { arithmetic }, architecture.parse().unwrap()).unwrap_err();
        assert!(matches!(&error, BenchError::Unsupported { why, .. } if why.contains(needs)), "{error}");
    }
}
