//! Every CUDA kernel is compiled for every architecture that is checked, and accepted by exactly those that the table says.
#![cfg(feature = "cuda")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::path::PathBuf;

use eaves_bench::cuda::{Architecture, Compiler, PROGRAMS, Program, nvrtc};

/// The compiler, from the folder that the environment names or from where `cargo xtask test` installs it.
fn compiler() -> Option<Compiler> {
    let tools = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/nvrtc/nvidia");
    let installed = ["cu13/lib", "cuda_nvrtc/lib"].map(|folder| tools.join(folder));
    let named = std::env::var_os(nvrtc::FOLDER).map(PathBuf::from);
    let folder = named.or_else(|| installed.into_iter().find(|folder| folder.is_dir()));
    match Compiler::load(folder.as_deref()) {
        Ok(compiler) => Some(compiler),
        Err(error) => {
            eprintln!("skipped: {error}");
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
