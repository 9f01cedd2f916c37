//! Measurements of a device that does not exist: what `eaves roofline` reads besides traces. Amounts follow from shapes,
//! times from the share of the roof that a sensible program reaches.

use std::fmt::Write;

/// Bytes a second of the device's memory.
const BANDWIDTH: f64 = 2000e9;
const BF16: f64 = 400e12;

/// The device.
pub(super) const PEAKS: &str = r#"# A device that does not exist, for the examples beside this file.
name: Example accelerator
source: made up
confidence: low
compute_peaks_GFLOPs:
  fp32: 60000
  bf16_tensor: 400000
  int8_tensor: 800000
memory:
  - {id: hbm, name: HBM, bw_GBps: 2000, size_GB: 64}
  - {id: l2, name: L2, size_MiB: 40}
links:
  - {name: NVLink4 per-link, bw_GBps: 50, count: 8, kind: scale-up}
  - {name: PCIe Gen5 x16, bw_GBps: 63, kind: host}
  - {name: 400G NIC (1 dir), bw_GBps: 50, kind: network}
"#;

struct Kernel {
    name: &'static str,
    flops: f64,
    bytes: f64,
    milliseconds: f64,
    dtype: &'static str,
    grid: &'static str,
}

/// A product of matrices of 2-byte elements.
fn product(name: &'static str, [m, n, k]: [f64; 3], share: f64) -> Kernel {
    let (flops, bytes) = (2.0 * m * n * k, 2.0 * (m * k + k * n + m * n));
    let best = (flops / BF16).max(bytes / BANDWIDTH);
    Kernel { name, flops, bytes, milliseconds: 1e3 * best / share, dtype: "bf16_tensor", grid: "(128,1,1)" }
}

/// Elementwise work in single precision: this many operations and bytes for each element.
fn elementwise(name: &'static str, elements: f64, [operations, bytes]: [f64; 2], share: f64) -> Kernel {
    let (flops, bytes) = (operations * elements, bytes * elements);
    let milliseconds = 1e3 * bytes / BANDWIDTH / share;
    Kernel { name, flops, bytes, milliseconds, dtype: "fp32", grid: "(4096,1,1)" }
}

fn kernels() -> Vec<Kernel> {
    vec![
        product("gemm_qkv<bf16, 128>", [4096.0, 6144.0, 4096.0], 0.78),
        product("gemm_down<bf16, 128>", [4096.0, 4096.0, 14336.0], 0.82),
        product("gemv_decode", [1.0, 14336.0, 4096.0], 0.85),
        Kernel { milliseconds: 0.9, ..product("gemm_tail<bf16, 64>", [192.0, 4096.0, 4096.0], 1.0) },
        elementwise("softmax", 33_554_432.0, [5.0, 8.0], 0.71),
        elementwise("rms_norm", 16_777_216.0, [4.0, 8.0], 0.32),
        elementwise("copy", 67_108_864.0, [0.0, 8.0], 0.9),
        // 8 MB stay in the cache, so they come faster than memory could give them.
        elementwise("add_in_cache", 524_288.0, [1.0, 16.0], 1.6),
        Kernel { dtype: "posit16", ..product("gemm_posit", [512.0, 512.0, 512.0], 0.5) },
    ]
}

/// The kernel table.
pub(super) fn kernels_csv() -> String {
    let mut text = "name,flops,dram_bytes,time_ms,dtype_key,grid\n".to_owned();
    for kernel in kernels() {
        let Kernel { name, flops, bytes, milliseconds, dtype, grid } = kernel;
        // Writing to a text cannot fail.
        let _ = writeln!(text, "\"{name}\",{flops},{bytes},{milliseconds:.6},{dtype},\"{grid}\"");
    }
    text
}

/// Kernels and messages in one file. One message is faster than its link.
pub(super) const EVENTS: &str = r#"{
  "device": "Example accelerator",
  "events": [
    {"type": "compute", "name": "gemm_up", "flops": 481036337152, "dram_bytes": 268435456, "dur_us": 1508.4, "dtype_key": "bf16_tensor"},
    {"type": "compute", "name": "attention", "flops": 137438953472, "dram_bytes": 134217728, "dur_us": 611.2, "dtype_key": "bf16_tensor"},
    {"type": "compute", "name": "rms_norm", "flops": 67108864, "dram_bytes": 134217728, "dur_us": 104.9, "dtype_key": "fp32"},
    {"type": "comm", "name": "all_to_all", "bytes": 268435456, "dur_us": 894.8, "link": "NVLink4"},
    {"type": "a2a", "name": "all_to_all_small", "bytes": 65536, "dur_us": 11.2, "link": "NVLink4"},
    {"type": "copy", "name": "offload", "size": 536870912, "dur_us": 10123.0, "bus": "PCIe"},
    {"type": "p2p", "name": "pipeline_stage", "bytes": 134217728, "dur_us": 1830.1, "link": "NIC"}
  ]
}
"#;

/// Commands of an NPU. One has a type without a formula.
pub(super) const COMMANDS: &str = r#"[
  {"type": "ID_CONV", "name": "stem", "data_type": "INT8", "input_shape": [1, 64, 1, 112, 112], "output_channels": 128,
   "kernel_size": [1, 3, 3], "stride": [1, 1, 1], "padding": [0, 1, 1], "time_ns": 74000, "hw_bytes": 2700000},
  {"type": "ID_MM", "name": "scores", "data_type": "INT8", "input_mat1": [1, 8, 512, 64], "input_mat2": [1, 8, 64, 512], "time_ns": 61000},
  {"type": "ID_ADDMM", "name": "projection", "data_type": "INT8", "input_input": [1, 2048], "input_mat1": [1, 2048], "input_mat2": [2048, 2048], "time_ns": 112000},
  {"type": "ID_MUL", "name": "gate", "data_type": "INT8", "input_self": [1, 2048], "input_other": [1, 2048], "time_ns": 900},
  {"type": "ID_TOPK", "name": "given", "data_type": "INT8", "macs": 1000000, "bytes": 524288, "time_ns": 19000, "note": "counted by hand"},
  {"type": "ID_ROTARY", "name": "unknown", "data_type": "INT8", "input_shape": [1, 2048], "time_ns": 5000}
]
"#;

/// Peaks and thresholds of the NPU.
pub(super) const NPU_CONFIG: &str = r#"{"peak_tops": 32.0, "mem_bw": 50.0, "mem_thresh": 40, "comp_thresh": 40}
"#;

/// What else may be measured, for the fuzzer.
pub(super) const BENCHMARK: &str = r#"{"gpu": "x", "unit": "us", "gemv_64x64": {"FP16": 3.5, "INT8": NaN}, "results": [
{"op": "matmul", "shape": [64, 64, 64], "dtype": "fp32", "latency_ms": 2.0, "tflops": 0.5, "memory_bw_gb_s": 10.0, "device": "x"},
{"shape": "4096x4096", "precision": "FP16", "time_us": 203.4}, {"ai": 2, "tflops": 1, "time_us": -4, "label": "p"}]}
"#;
