//! Kernels of a step that decodes one token with Llama 3 8B on an H100, as a table: amounts follow from shapes, times from
//! the share of memory bandwidth that such kernels reach, and from the least time that a kernel takes.

use std::fmt::Write;

/// Bytes a second of the device's memory.
const BANDWIDTH: f64 = 3350e9;
/// The least that a kernel takes, in milliseconds.
const LEAST: f64 = 0.002;

const LAYERS: u32 = 32;
const HIDDEN: f64 = 4096.0;
const INTERMEDIATE: f64 = 14_336.0;
const VOCABULARY: f64 = 128_256.0;
const CONTEXT: f64 = 8192.0;
/// Heads of queries, heads of keys and values, and the width of each.
const HEADS: [f64; 3] = [32.0, 8.0, 128.0];

struct Kernel {
    name: &'static str,
    calls: u32,
    flops: f64,
    bytes: f64,
    /// Of the bandwidth.
    share: f64,
}

/// A matrix of 2-byte weights, times one vector.
fn product(name: &'static str, calls: u32, [n, k]: [f64; 2], share: f64) -> Kernel {
    Kernel { name, calls, flops: 2.0 * n * k, bytes: 2.0 * (n * k + n + k), share }
}

/// Operations and bytes for each element of a vector.
fn elementwise(name: &'static str, calls: u32, elements: f64, [operations, bytes]: [f64; 2]) -> Kernel {
    Kernel { name, calls, flops: operations * elements, bytes: bytes * elements, share: 1.0 }
}

fn kernels() -> Vec<Kernel> {
    let [heads, cached, width] = HEADS;
    let cache = 2.0 * cached * width * CONTEXT * 2.0;
    vec![
        product("gemv_qkv", LAYERS, [(heads + 2.0 * cached) * width, HIDDEN], 0.81),
        Kernel {
            name: "attention_decode",
            calls: LAYERS,
            flops: 4.0 * heads * width * CONTEXT,
            bytes: cache + 2.0 * 2.0 * heads * width,
            share: 0.38,
        },
        product("gemv_out", LAYERS, [HIDDEN, HIDDEN], 0.74),
        product("gemv_gate_up", LAYERS, [2.0 * INTERMEDIATE, HIDDEN], 0.88),
        product("gemv_down", LAYERS, [HIDDEN, INTERMEDIATE], 0.86),
        product("gemv_logits", 1, [VOCABULARY, HIDDEN], 0.91),
        elementwise("rms_norm", 2 * LAYERS + 1, HIDDEN, [4.0, 6.0]),
        elementwise("rope", LAYERS, (heads + cached) * width, [3.0, 4.0]),
        elementwise("silu_and_mul", LAYERS, INTERMEDIATE, [5.0, 6.0]),
        elementwise("add_residual", 2 * LAYERS, HIDDEN, [1.0, 6.0]),
    ]
}

/// The table.
pub(super) fn csv() -> String {
    let mut text = "name,calls,flops,dram_bytes,time_ms,dtype_key\n".to_owned();
    for Kernel { name, calls, flops, bytes, share } in kernels() {
        let call = LEAST.max(1e3 * bytes / BANDWIDTH / share);
        let milliseconds = call * f64::from(calls);
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{name},{calls},{flops},{bytes},{milliseconds:.4},bf16_tensor");
    }
    text
}
