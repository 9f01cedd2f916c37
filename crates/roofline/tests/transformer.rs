//! Whole models against published figures, and against the rows that the calculator roofline-hack computes.

use eaves_roofline::device::{Confidence, Device, Fact, Link, Memory, Peak, Source};
use eaves_roofline::ops::Gemm;
use eaves_roofline::predict::{Pass, Phase, Precisions, Transformer, Window, estimate, models, steps};
use eaves_roofline::{Arithmetic, Counts, Engine, Precision};

fn fact(value: f64) -> Fact {
    Fact { value, source: Source { text: "test".into(), confidence: Confidence::Low } }
}

/// 287 GB/s, 62 TFLOP/s in FP16 and BF16, 124 in FP8, 31 in FP32 on vector units, 900 GB/s of links.
fn device() -> Device {
    let peak = |arithmetic: Arithmetic, engine, tera: f64| Peak {
        key: arithmetic.id().into(),
        arithmetic: Some(arithmetic),
        engine: Some(engine),
        dense: fact(tera * 1e12),
        sparse: None,
        counts: Counts::Operations,
    };
    Device {
        id: "test".into(),
        name: "Test".into(),
        peaks: vec![
            peak(Arithmetic::Fp16, Engine::Matrix, 62.0),
            peak(Arithmetic::Bf16, Engine::Matrix, 62.0),
            peak(Arithmetic::Fp8, Engine::Matrix, 124.0),
            peak(Arithmetic::Fp32, Engine::Vector, 31.0),
        ],
        memory: vec![Memory {
            id: "hbm".into(),
            name: "LPDDR5X".into(),
            bandwidth: Some(fact(287e9)),
            size: Some(fact(128e9)),
            ..Memory::default()
        }],
        links: vec![Link {
            name: "NVLink".into(),
            aliases: vec![],
            kind: None,
            per_direction: fact(50e9),
            count: 18,
        }],
        ..Device::default()
    }
}

fn precision(name: &str) -> Precision {
    name.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn precisions(weights: &str, activations: &str, cache: &str) -> Precisions {
    let [weights, activations, cache] = [weights, activations, cache].map(precision);
    Precisions { weights, activations, cache, compute: None }
}

fn model(key: &str) -> Transformer {
    models::all()
        .into_iter()
        .find(|(name, _)| *name == key)
        .map(|(_, model)| model)
        .unwrap_or_else(|| panic!("{key}"))
}

/// Each layer apart, by the definition: with a window of 100 a token sees itself and the 99 before it.
#[test]
fn layers_with_a_window_see_and_keep_less() {
    let plain = model("llama-3-8b");
    let windowed = Transformer { window: Some(Window { tokens: 100, layers: 8 }), ..plain.clone() };
    let precisions = precisions("fp16", "fp16", "fp16");
    let calls = |model: &Transformer, pass: &Pass, name: &str| {
        let found = steps(model, pass, &precisions).into_iter().filter(|step| step.name == name);
        found.map(|step| (step.calls, step.work.flops, step.work.bytes())).next()
    };
    for (phase, context) in [(Phase::Decode, 4096), (Phase::Prefill, 4096), (Phase::Prefill, 60)] {
        let pass = Pass { phase, context, ..DECODE };
        let (calls_of_all, flops_of_all, bytes_of_all) = calls(&plain, &pass, "attention").unwrap();
        let (full, flops, bytes) = calls(&windowed, &pass, "attention").unwrap();
        assert_eq!((calls_of_all, full, flops, bytes), (32.0, 24.0, flops_of_all, bytes_of_all));
        let (near, flops, bytes) = calls(&windowed, &pass, "window_attention").unwrap();
        let first = if phase == Phase::Decode { context - 1 } else { 0 };
        let pairs: u64 = (first..context).map(|token| (token + 1).min(100)).sum();
        let (queries, keys) = (context - first, if phase == Phase::Decode { 100 } else { context });
        // 32 heads of 128 with two products, and 8 heads of keys and values of two bytes.
        assert_eq!((near, flops), (8.0, 4.0 * 32.0 * 128.0 * pairs as f64));
        assert_eq!(bytes, 2.0 * 128.0 * (2 * 32 * queries + 2 * 8 * keys) as f64);
    }
    let kept = estimate(&windowed, &DECODE, &precisions, &device()).memory.cache;
    assert_eq!(kept, 2.0 * 2.0 * 8.0 * 128.0 * (24 * 4096 + 8 * 100) as f64);
    // 24 layers with all tokens and 8 with 100 hold as much as 32 layers would at the plain crossover.
    let crossover = |model: &Transformer| estimate(model, &DECODE, &precisions, &device()).crossover;
    assert_eq!(crossover(&windowed), (32.0 * crossover(&plain) - 800.0) / 24.0);
    let everywhere = Transformer { window: Some(Window { tokens: 100, layers: 32 }), ..plain };
    assert!(crossover(&everywhere).is_infinite());
}

const DECODE: Pass = Pass {
    phase: Phase::Decode,
    batch: 1,
    context: 4096,
    fused: true,
    causal: true,
    all_logits: false,
    devices: 1,
};

/// Weights read per token over bytes cached per token. Llama 3 8B: 32 (2 H^2 + 2 H d_kv + 3 H d_ff) + V H = 7,504,658,432
/// elements against 65,536.
#[test]
fn caches_outgrow_weights_where_their_bytes_say() {
    for (key, weights, cache, context) in [
        ("llama-3-8b", "fp16", "fp16", 114_512.0),
        ("llama-3-8b", "fp8", "fp8", 114_512.0),
        ("llama-2-70b", "fp16", "fp16", 419_392.0),
    ] {
        let found = estimate(&model(key), &DECODE, &precisions(weights, "fp16", cache), &device());
        assert_eq!(found.crossover, context, "{key} {weights} {cache}");
    }
    // 1 byte a weight against 4.5 bits a cached number, and 4 bytes for the scale of all.
    let found = estimate(&model("llama-3-8b"), &DECODE, &precisions("fp8", "fp16", "nvfp4"), &device());
    assert!((found.crossover - 203_577.0).abs() < 0.5, "{}", found.crossover);
}

/// 15.009 GB of weights at 287 GB/s are 52.30 ms, the caches of 4096 tokens 1.87 ms; activations add little.
#[test]
fn decoding_is_reading_weights_and_caches() {
    let found = estimate(&model("llama-3-8b"), &DECODE, &precisions("fp16", "fp16", "fp16"), &device());
    assert_eq!(found.streamed, 7_504_658_432.0 * 2.0);
    let seconds = found.time.expect("every operator has a roof");
    let sum: f64 = found.rows.iter().filter_map(|row| row.time).sum();
    assert!((seconds - sum).abs() < 1e-12);
    assert!((54.1e-3..54.5e-3).contains(&seconds), "{seconds}");
    let rate = found.tokens_per_second.expect("a time gives a rate");
    assert!((rate * seconds - 1.0).abs() < 1e-12);
    let cache = found.rows.iter().find(|row| row.step.name == "attention").and_then(|row| row.time);
    let cached = 32.0 * 4096.0 * 2.0 * 8.0 * 128.0 * 2.0 / 287e9;
    assert!(cache.is_some_and(|seconds| (seconds - cached).abs() < 0.01 * cached), "{cache:?}");
    assert_eq!(found.memory.fits(), Some(true));
    assert_eq!(found.memory.weights, 8_030_261_248.0 * 2.0);
}

/// A ring of four devices: each sends 2 (3/4) of T H numbers, twice a layer, over 18 links of 50 GB/s.
#[test]
fn devices_that_share_layers_talk_twice_a_layer() {
    let pass = Pass { devices: 4, phase: Phase::Prefill, context: 1024, batch: 2, ..DECODE };
    let found = estimate(&model("llama-3-8b"), &pass, &precisions("fp16", "fp16", "fp16"), &device());
    let reduce = found.rows.iter().find(|row| row.step.name == "all_reduce").expect("there is communication");
    let sent = 2.0 * 0.75 * 2.0 * 1024.0 * 4096.0 * 2.0;
    assert_eq!((reduce.step.calls, reduce.step.sent), (64.0, sent));
    let seconds = 64.0 * sent / 900e9;
    assert!(reduce.time.is_some_and(|time| (time - seconds).abs() < 1e-12));
    assert_eq!(reduce.bound_by.as_deref(), Some("NVLink"));
    let alone = estimate(
        &model("llama-3-8b"),
        &Pass { devices: 1, ..pass },
        &precisions("fp16", "fp16", "fp16"),
        &device(),
    );
    let flops = |rows: &[eaves_roofline::predict::Row]| -> f64 {
        rows.iter()
            .filter(|row| row.step.name.ends_with("_proj"))
            .map(|row| row.step.calls * row.step.work.flops)
            .sum()
    };
    assert_eq!(flops(&found.rows) * 4.0, flops(&alone.rows));
}

/// Published: 37 B of 671 B parameters are active for a token (arXiv 2412.19437, section 4.2); two operations each.
#[test]
fn a_token_passes_the_chosen_experts_only() {
    let pass = Pass { context: 1, ..DECODE };
    let steps = steps(&model("deepseek-v3"), &pass, &precisions("fp8", "bf16", "bf16"));
    let macs: f64 =
        steps.iter().filter(|step| step.name != "attention").map(|step| step.calls * step.work.macs).sum();
    assert!((36.0e9..38.5e9).contains(&macs), "{macs}");
}

/// More of anything never takes less time.
#[test]
fn time_grows_with_batch_and_context() {
    for (key, _) in models::all() {
        let model = model(key);
        let time = |phase, batch, context| {
            let pass = Pass { phase, batch, context, ..DECODE };
            estimate(&model, &pass, &precisions("fp16", "fp16", "fp16"), &device()).time.expect("a time")
        };
        for phase in [Phase::Prefill, Phase::Decode] {
            assert!(time(phase, 1, 512) <= time(phase, 2, 512), "{key}");
            assert!(time(phase, 1, 512) <= time(phase, 1, 513), "{key}");
        }
    }
}

/// The 96 rows of the calculator roofline-hack, by its own counting: one norm a layer with 5 operations, softmax with
/// 5, three for the activation, two for the residual with 6 bytes-per-element, attention that is not fused and not
/// causal, no rotation, logits of every token, everything against the matrix peak, scales spread evenly.
#[test]
fn rows_of_the_calculator_follow_from_its_counting() {
    let Some(folder) = eaves_testing::data("sources/001") else { return };
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
    let (rows, catalogue) = (read("frontend_transformer_reference.json"), read("frontend_catalogue.json"));
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).expect("rows");
    let catalogue: serde_json::Value = serde_json::from_str(&catalogue).expect("catalogue");
    assert_eq!(rows.len(), 96);
    for row in rows {
        let text = |key: &str| row[key].as_str().expect("text").to_owned();
        let config = &catalogue["CONFIGS"][text("config")];
        let bytes = |role: &str| bytes_of_format(config[role].as_str().expect("format"));
        let peak = match config["computeAs"].as_str().expect("format") {
            "BF16" | "FP16" => 62e12,
            "FP8_E4M3" => 124e12,
            "NVFP4" | "MXFP4" => 1000e12,
            other => panic!("{other}"),
        };
        let shape = &catalogue["MODELS"][text("model")];
        let [layers, hidden, heads, key_heads, width, inner, vocabulary] =
            ["L", "H", "nh", "nkv", "dh", "dff", "V"].map(|key| shape[key].as_f64().expect("number"));
        let (batch, context) = (row["B"].as_f64().expect("batch"), row["S"].as_f64().expect("context"));
        let new = if text("phase") == "decode" { 1.0 } else { context };
        let (weight, activation, cache) = (bytes("w"), bytes("a"), bytes("kv"));
        let tokens = batch * new;
        let mut operators: Vec<(f64, f64, f64)> = Vec::new();
        // Operations come from our product; bytes are its elements at an even number of bytes each.
        let product = |n: f64, k: f64| {
            let fp16 = precision("fp16");
            let gemm = Gemm {
                batch: 1.0,
                m: tokens,
                n,
                k,
                a: fp16,
                b: fp16,
                output: fp16,
                bias: None,
                compute: None,
            };
            let work = gemm.work();
            let moved: f64 = work
                .operands
                .iter()
                .map(|operand| operand.elements * if operand.name == "b" { weight } else { activation })
                .sum();
            (work.flops, moved)
        };
        let key = key_heads * width;
        for (n, k) in [
            (hidden, hidden),
            (key, hidden),
            (key, hidden),
            (hidden, hidden),
            (inner, hidden),
            (inner, hidden),
            (hidden, inner),
        ] {
            let (flops, moved) = product(n, k);
            operators.push((layers, flops, moved));
        }
        let pairs = batch * heads * new * context;
        let scored = 2.0 * pairs * width;
        let queries = batch * heads * new * width * activation;
        let keys = batch * key_heads * context * width * cache;
        operators.push((2.0 * layers, scored, queries + keys + pairs * activation));
        operators.push((layers, 5.0 * pairs, 2.0 * pairs * activation));
        let elements = tokens * hidden;
        operators.push((layers, 5.0 * elements, 2.0 * elements * activation));
        operators.push((layers, 3.0 * tokens * inner, 3.0 * tokens * inner * activation));
        operators.push((layers, 2.0 * elements, 6.0 * elements * activation));
        let (flops, moved) = product(vocabulary, hidden);
        operators.push((1.0, flops, moved));
        let total =
            |value: fn(&(f64, f64, f64)) -> f64| operators.iter().map(|op| op.0 * value(op)).sum::<f64>();
        let milliseconds: f64 = operators
            .iter()
            .map(|(calls, flops, bytes)| calls * 1e3 * (flops / peak).max(bytes / 287e9))
            .sum();
        for (name, found) in
            [("flops", total(|op| op.1)), ("bytes", total(|op| op.2)), ("time_sum_ms", milliseconds)]
        {
            let expected = row[name].as_f64().expect("number");
            assert!((found - expected).abs() <= 1e-9 * expected, "{row}: {name} {found}");
        }
    }
}

/// Bytes an element as the tool counts them: scales spread evenly, 4.53125 bits for NVFP4, 16-bit scales for NF4.
fn bytes_of_format(format: &str) -> f64 {
    let name = match format {
        "NVFP4" | "NVFP4_KV" => "nvfp4_1024",
        "NF4" => "nf4@64:fp16",
        other => other,
    };
    precision(name).bytes(1_048_576.0) / 1_048_576.0
}

/// Qwen3 235B has 4 heads of keys: 8 devices hold what 4 do. DeepSeek's latent cache is whole on each.
#[test]
fn caches_are_not_cut_below_a_head() {
    let held = |key: &str, devices| {
        let pass = Pass { devices, ..DECODE };
        estimate(&model(key), &pass, &precisions("fp8", "bf16", "bf16"), &device()).memory.cache
    };
    assert_eq!(held("qwen3-235b-a22b", 8), held("qwen3-235b-a22b", 4));
    assert_eq!(held("qwen3-235b-a22b", 4) * 4.0, held("qwen3-235b-a22b", 1));
    // 61 layers, 4096 tokens, 576 numbers of 2 bytes.
    assert_eq!(held("deepseek-v3", 32), 61.0 * 4096.0 * 576.0 * 2.0);
}
