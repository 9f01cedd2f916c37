use clap::FromArgMatches;
use eaves_bench::{Attend, Conditions, Execution};
use eaves_roofline::measured::{Measurement as Measured, Violation};
use eaves_roofline::{Precision, Work};
use serde_json::json;

use super::*;
use crate::parse;

fn asked(fields: Value) -> Result<Bench, Failure> {
    parse(fields.as_object().unwrap().clone())
}

fn typed(words: &str) -> Bench {
    let command = Bench::augment_args(clap::Command::new("bench"));
    let words = std::iter::once("bench").chain(words.split_whitespace());
    Bench::from_arg_matches(&command.get_matches_from(words)).unwrap()
}

#[test]
fn json_and_words_make_the_same_request() {
    for (fields, words) in [
        (json!({"op": "attention"}), "attention"),
        (json!({"op": "fma"}), "fma"),
        (json!({"op": "gemm"}), "gemm"),
        (json!({"op": "gemv"}), "gemv"),
        (json!({"op": "stream"}), "stream"),
        (json!({"preset": "ffn-up"}), "--preset ffn-up"),
        (
            json!({"preset": "decode", "precision": "fp32,int8/int8", "threads": 1, "state": "hot"}),
            "--preset decode --precision fp32,int8/int8 --threads 1 --state hot",
        ),
        (
            json!({"op": "gemm", "n": "4k", "k": 17, "batch": [1, "2k"], "implementation": "own,crate",
                "precision": ["mxfp4/int8"], "seconds": 0.5, "backend": "opencl"}),
            "gemm --n 4096 --k 17 --batch 1,2k --implementation own,crate --precision mxfp4/int8 --seconds 0.5 \
             --backend opencl",
        ),
        (
            json!({"op": "stream", "bytes": "16k,1m", "kind": ["read-4", "triad"], "device": "h100-sxm"}),
            "stream --bytes 16k,1m --kind read-4,triad --device h100-sxm",
        ),
        (json!({"op": "fma", "types": "fp32"}), "fma --types fp32"),
    ] {
        assert_eq!(asked(fields).unwrap(), typed(words), "{words}");
    }
}

#[test]
fn what_cannot_be_run_is_refused() {
    for (fields, part) in [
        (json!({"op": "gemv", "m": 4}), "`bench` has no field `m`"),
        (json!({"op": "gemv", "preset": "decode"}), "`bench` has no field `preset`"),
        (json!({"preset": "decode", "m": 4}), "`bench` has no field `m`"),
        (json!({"op": "gemx"}), "unknown variant `gemx`"),
        (json!({"preset": "encode"}), "invalid `preset`: `encode`"),
        (json!({"op": "gemm", "implementation": "mine"}), "expected one of own, crate"),
        (json!({"op": "stream", "kind": "reed"}), "expected one of read, read-4"),
        (json!({"op": "fma", "types": "fp31"}), "expected one of fp64"),
        (json!({"op": "gemm", "threads": 0}), "expected a number from 1 to"),
    ] {
        let failure = asked(fields).unwrap_err();
        assert!(failure.message.contains(part), "{failure}");
    }
    let nothing = asked(json!({})).unwrap().wanted().map(drop).unwrap_err();
    assert!(nothing.message.contains("nothing to run"), "{nothing}");
}

/// The shapes of the calculator roofline-hack: its three buttons and its sweep of ten.
#[test]
fn presets_are_the_published_shapes() {
    let all = |preset: Preset| {
        preset.shapes().iter().map(|shape| format!("{}x{}x{}", shape.m, shape.n, shape.k)).collect::<Vec<_>>()
    };
    assert_eq!(all(Preset::Decode), ["1x4096x4096"]);
    assert_eq!(all(Preset::FfnUp), ["1x4096x14336"]);
    assert_eq!(all(Preset::Prefill), ["2048x4096x4096"]);
    let sweep = all(Preset::Sweep);
    assert_eq!(sweep.len(), 10);
    assert_eq!((sweep[2].as_str(), sweep[8].as_str()), ("1x14336x4096", "2048x4096x14336"));
}

#[test]
fn one_row_is_a_product_with_a_vector() {
    let pair = pair("mxfp4/int8").unwrap();
    assert!(matches!(Product { m: 1, n: 2, k: 3 }.spec(&pair), Spec::Gemv { n: 2, k: 3, .. }));
    assert!(matches!(Product { m: 2, n: 2, k: 3 }.spec(&pair), Spec::Gemm { m: 2, n: 2, k: 3, .. }));
}

#[test]
fn code_has_a_name() {
    let code = |name: &str| name.parse::<CodeName>();
    assert_eq!(code("own"), Ok(CodeName(Code::Own)));
    assert_eq!(code("vendor"), code("openblas"));
    assert_eq!(code("openblas").unwrap().to_string(), "openblas");
    assert!(code("mine").is_err());
}

fn attention(violations: Vec<Violation>) -> Ran {
    let shape =
        Attend { batch: 1, heads: 8, kv_heads: 8, queries: 1, context: 64, dimension: 32, causal: false };
    Ran::Measured(Measured {
        spec: Spec::Attention { shape, precision: Precision::FP32 },
        conditions: Conditions {
            backend: "cpu".to_owned(),
            device: "Stand-in".to_owned(),
            implementation: "none".to_owned(),
            threads: 1,
            state: CacheState::Cold,
            huge_pages: None,
        },
        work: Work::matrix(1.0, Precision::FP32),
        chores: Vec::new(),
        time: None,
        samples: Vec::new(),
        clock: None,
        verification: None,
        execution: Execution::Executed,
        violations,
    })
}

/// What is written first is contradicted afterwards.
#[test]
fn a_number_that_cannot_be_true_is_a_fault() {
    assert_eq!(broken(&[attention(Vec::new())]), None);
    let wrong = attention(vec![Violation::WrongResult { error: 1e-3, tolerance: 1e-6 }]);
    let fault = broken(&[wrong.clone(), wrong]).unwrap();
    let part = "in fp32: wrong result: error 1.00e-3, allowed 1.00e-6, and 1 more";
    assert!(fault.message.starts_with("attention ") && fault.message.ends_with(part), "{fault}");
}

#[test]
fn a_request_is_as_many_kernels_as_shapes_and_precisions() {
    let labels = |fields: Value| -> Vec<String> {
        asked(fields).unwrap().kernels().unwrap().iter().map(BenchKernel::label).collect()
    };
    let gemm = json!({"op": "gemm", "n": 8, "k": 8, "batch": "2,4", "precision": "fp32,int8/int8",
        "implementation": "own,crate"});
    assert_eq!(
        labels(gemm),
        [
            "gemm 2x8x8 fp32",
            "gemm 2x8x8 fp32 crate",
            "gemm 2x8x8 int8",
            "gemm 2x8x8 int8 crate",
            "gemm 4x8x8 fp32",
            "gemm 4x8x8 fp32 crate",
            "gemm 4x8x8 int8",
            "gemm 4x8x8 int8 crate",
        ]
    );
    assert_eq!(labels(json!({"preset": "decode", "precision": "all"})).len(), ALL_PRECISIONS.len());
    let far = json!({"op": "gemm", "batch": vec![8; 1000], "precision": vec!["fp32"; 1000]});
    assert!(asked(far).unwrap().kernels().unwrap_err().message.contains("exceed the limit of 100000"));
}
