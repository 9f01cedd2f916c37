use clap::FromArgMatches;
use serde_json::{Value, json};

use super::*;
use crate::{FailureKind, Session, parse};

fn asked(fields: Value) -> Result<Predict, Failure> {
    parse(fields.as_object().unwrap().clone())
}

fn typed(words: &str) -> Predict {
    let command = Predict::augment_args(clap::Command::new("predict"));
    let words = std::iter::once("predict").chain(words.split_whitespace());
    Predict::from_arg_matches(&command.get_matches_from(words)).unwrap()
}

#[test]
fn json_and_words_make_the_same_request() {
    for (fields, words) in [
        (json!({"op": "attention"}), "attention"),
        (json!({"op": "ffn"}), "ffn"),
        (json!({"op": "gemm"}), "gemm"),
        (json!({"op": "gemv"}), "gemv"),
        (
            json!({"op": "conv", "input": [1, 64, "1k"], "channels": 128}),
            "conv --input 1,64,1k --channels 128",
        ),
        (json!({"op": "model", "model": "llama-3-8b"}), "model llama-3-8b"),
        (
            json!({"op": "gemm", "m": 4096, "n": "4k", "k": 17, "bias": true, "precision": "fp16,fp8",
                "weights": "int4@128:fp16", "device": "h100-sxm", "sparse": true, "sweep": "m=1..4k:x2"}),
            "gemm --m 4k --n 4096 --k 17 --bias --precision fp16,fp8 --weights int4@128:fp16 --device h100-sxm \
             --sparse --sweep m=1..4k:x2",
        ),
        (
            json!({"op": "attention", "kv_heads": 8, "queries": 1, "causal": true, "precision": ["bf16"]}),
            "attention --kv-heads 8 --queries 1 --causal --precision bf16",
        ),
        (
            json!({"op": "conv", "input": "1,64,56,56", "channels": "64", "kernel": 3, "padding": [0, 1]}),
            "conv --input 1,64,56,56 --channels 64 --kernel 3 --padding 0,1",
        ),
        (
            json!({"op": "model", "model": "gpt-2", "phase": "decode", "batch": 16, "tensor_parallel": 2,
                "peak_unit": "macs"}),
            "model gpt-2 --phase decode --batch 16 --tensor-parallel 2 --peak-unit macs",
        ),
    ] {
        assert_eq!(asked(fields).unwrap(), typed(words), "{words}");
    }
}

#[test]
fn what_a_shape_has_not_is_refused() {
    for (fields, part) in [
        (json!({"op": "gemv", "m": 4}), "`predict` has no field `m`"),
        (json!({"op": "gemm", "heads": 4}), "`predict` has no field `heads`"),
        (json!({"op": "gemn", "m": 4}), "unknown variant `gemn`, expected one of `attention`"),
        (json!({"m": 4}), "missing field `op`"),
        (json!({"op": "gemm", "m": 0}), "expected a size from 1 to"),
        (json!({"op": "gemm", "m": "four"}), "`four` is not a size unit"),
        (json!({"op": "conv", "input": [1, 2, 3]}), "missing field `channels`"),
        (json!({"op": "model"}), "missing field `model`"),
    ] {
        let failure = asked(fields).unwrap_err();
        assert!(failure.message.contains(part), "{failure}");
        assert_eq!(failure.kind, FailureKind::Usage);
    }
}

/// 2 x 4096^3 operations at 989.4 TFLOP/s.
#[test]
fn a_request_is_answered() {
    let session = Session::default();
    let request = asked(json!({"op": "gemm", "device": "h100-sxm"})).unwrap();
    let answer = request.run(&Context::new(&session)).unwrap();
    let section = answer.document.sections().next().unwrap();
    let table = &section.tables[0];
    let time = table.columns.iter().position(|column| column.id == "time_ns").unwrap();
    let eaves_section::Value::Float(time) = table.rows[0][time] else { panic!("{table:?}") };
    assert!((time / (2.0 * 4096f64.powi(3) / 989.4e12 * 1e9) - 1.0).abs() < 1e-9, "{time}");
}
