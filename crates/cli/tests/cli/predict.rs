//! `eaves predict`: figures of the calculator roofline-hack, with the right readings where it contradicts itself.

use serde_json::Value;

use crate::support::{Answer, run};

fn predict(arguments: &[&str]) -> Answer {
    let arguments: Vec<&str> = ["predict"].iter().chain(arguments).copied().collect();
    run(std::env::temp_dir().as_path(), &arguments)
}

fn json(arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = arguments.iter().chain(&["--json"]).copied().collect();
    let answer = predict(&arguments);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
    serde_json::from_str(&answer.stdout).unwrap()
}

/// The cells of a column of a table.
fn column(section: &Value, table: usize, id: &str) -> Vec<Value> {
    let table = &section["tables"][table];
    let index = table["columns"].as_array().unwrap().iter().position(|column| column["id"] == id).unwrap();
    table["rows"].as_array().unwrap().iter().map(|row| row[index].clone()).collect()
}

fn number(section: &Value, id: &str) -> f64 {
    let numbers = section["numbers"].as_array().unwrap();
    numbers.iter().find(|number| number["id"] == id).unwrap()["value"].as_f64().unwrap()
}

/// 287 GB/s; times in microseconds to the digits that the document has.
#[test]
fn matrix_vector_products_are_bound_by_memory() {
    let answer = json(&[
        "gemv",
        "--n",
        "4096",
        "--k",
        "4096",
        "--precision",
        "fp32,fp16,fp8,mxfp4,nvfp4,nvfp4_1024,int4",
        "--device",
        "gb10-287",
    ]);
    let section = &answer["sections"][0];
    let names = column(section, 0, "precision");
    let times = column(section, 0, "time_ns");
    for (name, microseconds) in [
        // The document has 233.91 with an output of FP16; this one is FP32: 67,141,632 bytes.
        ("fp32", 233.94),
        ("fp16", 116.97),
        ("fp8_e4m3", 58.50),
        ("mxfp4", 31.09),
        ("nvfp4", 32.92),
        ("nvfp4_1024", 33.15),
        ("int4", 29.26),
    ] {
        let index = names.iter().position(|cell| cell == name).unwrap_or_else(|| panic!("{name}"));
        let found = times[index].as_f64().unwrap() / 1e3;
        assert!((found - microseconds).abs() < 0.005 + 1e-9, "{name}: {found}");
        assert_eq!(column(section, 0, "class")[index], "memory-bound", "{name}");
    }
}

#[test]
fn products_attention_and_feed_forward_of_the_published_table() {
    for (arguments, flops, microseconds, within) in [
        (&["gemm", "--precision", "fp16"][..], 137_438_953_472.0, 2216.76, 0.005),
        (&["gemm", "--precision", "fp8"], 137_438_953_472.0, 1108.38, 0.005),
        (&["gemm", "--precision", "int4"], 137_438_953_472.0, 554.2, 0.05),
        (&["attention", "--precision", "fp16"], 274_877_906_944.0, 4433.5, 0.05),
        (&["ffn", "--precision", "fp16"], 352_321_536.0, 1227.8, 0.1),
    ] {
        let arguments: Vec<&str> = arguments.iter().chain(&["--device", "gb10-287"]).copied().collect();
        let answer = json(&arguments);
        let section = &answer["sections"][0];
        assert_eq!(column(section, 0, "flops")[0], flops, "{arguments:?}");
        let found = column(section, 0, "time_ns")[0].as_f64().unwrap() / 1e3;
        assert!((found - microseconds).abs() <= within, "{arguments:?}: {found}");
    }
}

/// One product has one intensity: 2 x 4096 operations for three matrices of four bytes an element, or two of half precision
/// where operands are narrower.
#[test]
fn the_output_is_as_wide_as_the_operands() {
    for (precision, intensity) in [
        ("fp64", 8192.0 / 24.0),
        ("fp32", 8192.0 / 12.0),
        ("tf32", 8192.0 / 12.0),
        ("bf16", 8192.0 / 6.0),
        ("fp16", 8192.0 / 6.0),
        ("fp8", 8192.0 / 4.0),
    ] {
        let answer = json(&["gemm", "--precision", precision, "--device", "h100-sxm"]);
        let found = column(&answer["sections"][0], 0, "intensity")[0].as_f64().unwrap();
        assert!((found / intensity - 1.0).abs() < 1e-9, "{precision}: {found}");
    }
}

/// A roof that no public document states is named in the answer.
#[test]
fn an_unverified_roof_is_said() {
    let claim = |precision: &str| {
        let answer = json(&["gemm", "--precision", precision, "--device", "gb10"]);
        answer["sections"][0]["findings"][0]["claim"].as_str().map(str::to_owned)
    };
    assert_eq!(claim("fp8").as_deref(), Some("Peak fp8_matrix of NVIDIA GB10 (DGX Spark) is unverified."));
    assert_eq!(claim("fp4"), None);
}

/// Beyond what 64 bits of nanoseconds hold, in the terminal too.
#[test]
fn huge_shapes_have_their_time() {
    let size = "100000000000";
    let arguments = ["gemm", "--m", size, "--n", size, "--k", size, "--device", "h100-sxm"];
    // 2e33 operations at 989.4e12 a second.
    let answer = json(&arguments);
    let found = column(&answer["sections"][0], 0, "time_ns")[0].as_f64().unwrap();
    assert!((found / (2e33 / 989.4e12 * 1e9) - 1.0).abs() < 1e-9, "{found}");
    let text = predict(&arguments).stdout;
    assert!(text.contains("2.02e18 s") && !text.contains("9,223,372,036"), "{text}");
}

/// 4-bit weights move 4-bit bytes, and are multiplied at the FP16 peak.
#[test]
fn narrow_weights_move_less_and_compute_the_same() {
    let narrow =
        json(&["gemm", "--weights", "int4@128:fp16", "--activations", "fp16", "--device", "gb10-287"]);
    let section = &narrow["sections"][0];
    assert_eq!(column(section, 0, "bound_by")[0], "fp16 matrix");
    let weights = 4096.0 * 4096.0 * 4.125 / 8.0;
    assert_eq!(column(section, 0, "bytes")[0], weights + 2.0 * 4096.0 * 4096.0 * 2.0);
}

#[test]
fn what_a_device_cannot_do_is_said_and_nothing_stands_in_for_it() {
    let answer = json(&["gemm", "--precision", "all", "--device", "h100-sxm"]);
    let section = &answer["sections"][0];
    assert!(column(section, 0, "precision").iter().any(|name| name == "fp8_e4m3"));
    let refused = column(section, 1, "precision");
    assert!(refused.iter().any(|name| name == "nvfp4"), "{refused:?}");
    let reason = &column(section, 1, "reason")[refused.iter().position(|name| name == "nvfp4").unwrap()];
    assert!(reason.as_str().unwrap().contains("not supported by NVIDIA H100"), "{reason}");
}

#[test]
fn unknown_names_are_errors_with_suggestions() {
    for (arguments, words) in [
        (&["gemv", "--precision", "fp17", "--device", "h100-sxm"][..], &["fp17", "did you mean fp16"][..]),
        (&["gemv", "--compute", "fp17", "--device", "h100-sxm"], &["fp17", "did you mean `fp16`"]),
        (&["model", "lama-3-8b", "--device", "h100-sxm"], &["lama-3-8b", "did you mean `llama-3-8b`"]),
        (&["model", "llama-3-8b", "--config", "w4a16", "--device", "h100-sxm"], &["w4a16", "w4a16-awq"]),
        (&["gemm", "--sweep", "q=1,2", "--device", "h100-sxm"], &["`q`", "batch, m, n, k"]),
        (&["attention", "--queries", "9", "--keys", "8", "--causal", "--device", "h100-sxm"], &["9 queries"]),
        (&["conv", "--input", "1,64", "--channels", "8", "--device", "h100-sxm"], &["no spatial size"]),
        (
            &["conv", "--input", "1,3,8,8", "--channels", "4", "--groups", "2", "--device", "h100-sxm"],
            &["groups"],
        ),
    ] {
        let answer = predict(arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        for word in words {
            assert!(answer.stderr.contains(word), "{arguments:?}: {}", answer.stderr);
        }
    }
}

#[test]
fn a_model_is_the_sum_of_its_operators() {
    let answer = json(&["model", "llama-3-8b", "--device", "gb10-287"]);
    assert_eq!(answer["sections"].as_array().unwrap().len(), 2);
    for section in answer["sections"].as_array().unwrap() {
        let sum: f64 = column(section, 0, "time_ns").iter().map(|cell| cell.as_f64().unwrap()).sum();
        let total = number(section, "time_ns");
        assert!((sum - total).abs() < 1e-6 * total);
        assert_eq!(number(section, "parameters"), 8_030_261_248.0);
        assert_eq!(number(section, "cache_crossover_tokens"), 114_512.0);
    }
    let decode = &answer["sections"][1];
    // 52.3 ms of weights and 1.9 ms of caches at 287 GB/s.
    assert!((54.1e6..54.5e6).contains(&number(decode, "time_ns")));
    assert!((number(decode, "tokens_per_second") * number(decode, "time_ns") - 1e9).abs() < 1.0);
}

#[test]
fn a_configuration_file_is_a_model() {
    let directory = tempfile::tempdir().unwrap();
    let config = r#"{"model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 22,
        "num_attention_heads": 32, "num_key_value_heads": 4, "vocab_size": 32000, "tie_word_embeddings": false}"#;
    std::fs::write(directory.path().join("config.json"), config).unwrap();
    let arguments =
        ["predict", "model", "config.json", "--device", "h100-sxm", "--phase", "decode", "--json"];
    let answer = run(directory.path(), &arguments);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let found: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(number(&found["sections"][0], "parameters"), 1_100_048_384.0);
    std::fs::write(directory.path().join("config.json"), "{}").unwrap();
    assert_eq!(run(directory.path(), &arguments).code, Some(2));
}

#[test]
fn a_sweep_has_a_row_for_each_value_and_precision() {
    let answer = json(&["gemm", "--sweep", "m=1..8:x2", "--precision", "fp16,fp8", "--device", "h100-sxm"]);
    let section = &answer["sections"][0];
    assert_eq!(section["tables"][0]["id"], "sweep");
    assert_eq!(column(section, 0, "value"), [1, 1, 2, 2, 4, 4, 8, 8]);
    let times: Vec<f64> = column(section, 0, "time_ns").iter().map(|cell| cell.as_f64().unwrap()).collect();
    assert!(times[0] < times[6] && times[1] < times[0], "{times:?}");
}

/// By hand, at 287 GB/s and 62 TFLOP/s: 33,570,816 bytes and 33,554,432 operations; FP8 has half the weights.
#[test]
fn both_times_and_the_speed_up_are_columns() {
    let device = ["--device", "gb10-287"];
    let gemv = ["gemv", "--n", "4096", "--k", "4096", "--precision", "fp8,fp16"];
    let answer = json(&[&gemv[..], &device].concat());
    let section = &answer["sections"][0];
    let of =
        |id: &str| -> Vec<f64> { column(section, 0, id).iter().map(|cell| cell.as_f64().unwrap()).collect() };
    let near =
        |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    near(of("time_memory_ns")[1], 33_570_816.0 / 287.0);
    near(of("time_compute_ns")[1], 33_554_432.0 / 62e3);
    let times = of("time_ns");
    for (row, time) in times.iter().enumerate() {
        near(of("time_memory_ns")[row].max(of("time_compute_ns")[row]), *time);
        near(of("speedup")[row], times[1] / time);
    }
    // One precision has nothing to be compared with.
    let alone = json(&[&["gemv", "--precision", "fp16"][..], &device].concat());
    assert_eq!(column(&alone["sections"][0], 0, "speedup"), [Value::Null]);
}

/// What predictions are read for stays at 80 columns, whatever else has to go.
#[test]
fn the_main_numbers_are_there_at_eighty_columns() {
    let conv = ["conv", "--input", "1,64,224,224", "--channels", "128"];
    for verb in [&["attention"][..], &["ffn"], &conv, &["gemm"], &["gemm", "--precision", "fp16,fp8,int8"]] {
        let answer = predict(&[verb, &["--device", "gb10-287"]].concat());
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let text = &answer.stdout;
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        for word in ["Bytes", "Intensity", "Knee", "Class", "Time", "-bound"] {
            assert!(text.contains(word), "{verb:?}: no {word} in {text}");
        }
        assert!(!text.contains("no room here"), "{text}");
    }
    let several = predict(&["gemm", "--precision", "fp16,fp8,int8", "--device", "gb10-287"]).stdout;
    assert!(several.contains("columns hidden at this width: "), "{several}");
}

#[test]
fn without_a_device_the_message_is_about_predictions() {
    for verb in [&["gemm"][..], &["model", "llama-3-8b"]] {
        let answer = predict(verb);
        assert_eq!(answer.code, Some(2), "{answer:?}");
        assert!(answer.stderr.contains("no device to predict for"), "{}", answer.stderr);
        assert!(
            answer.stderr.contains("--device") && !answer.stderr.contains("recorded"),
            "{}",
            answer.stderr
        );
    }
}

/// FP32 and TF32 results are FP32: prediction, roofline and benchmark of one product have the same bytes.
#[test]
fn bytes_of_a_product_are_the_same_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let product = ["gemm", "--m", "64", "--n", "32", "--k", "128", "--precision"];
    let answer = json(&[&product[..], &["fp32,tf32,fp16", "--device", "gb10"]].concat());
    let predicted = column(&answer["sections"][0], 0, "bytes");
    let rows = ["fp32", "tf32", "fp16"].map(
        |dtype| serde_json::json!({"op": "gemm", "shape": "64x32x128", "dtype": dtype, "latency_ms": 1.0}),
    );
    std::fs::write(folder.path().join("bench.json"), serde_json::json!(rows).to_string()).unwrap();
    let roofline = run(folder.path(), &["roofline", "bench.json", "--device", "gb10", "--json"]);
    let roofline: Value = serde_json::from_str(&roofline.stdout).unwrap();
    assert_eq!(column(&roofline["sections"][0], 0, "bytes"), predicted, "{roofline}");
    let bench = [&["bench"], &product[..], &["fp32", "--seconds", "0.05", "--json"]].concat();
    let bench: Value = serde_json::from_str(&run(folder.path(), &bench).stdout).unwrap();
    assert_eq!(column(&bench["sections"][0], 0, "bytes")[0].as_f64(), predicted[0].as_f64(), "{bench}");
    assert_eq!(predicted[0].as_f64(), Some(f64::from(4 * (64 * 128 + 128 * 32 + 64 * 32))));
}
