//! Nsight Compute's `--csv --page raw`: a row of units, then a row of some 470 metrics for each launch.

use std::io::{self, Write};
use std::path::Path;

use super::{KERNELS, fill};
use crate::simulate::random::Random;

/// The columns that say which launch it is.
const IDENTITY: [&str; 11] = [
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Kernel Name",
    "Context",
    "Stream",
    "Block Size",
    "Grid Size",
    "Device",
    "CC",
];

/// Facts about the device, the same in every row.
const DEVICE: [(&str, &str); 8] = [
    ("device__attribute_compute_capability_major", "9"),
    ("device__attribute_compute_capability_minor", "0"),
    ("device__attribute_display_name", "NVIDIA H100 80GB HBM3"),
    ("device__attribute_fb_bus_width", "5120"),
    ("device__attribute_l2_cache_size", "52428800"),
    ("device__attribute_max_mem_frequency_khz", "2619000"),
    ("device__attribute_multiprocessor_count", "132"),
    ("device__attribute_total_memory", "85017624576"),
];

/// Facts about the device that nobody asks for make up a third of the columns.
const OTHER_FACTS: usize = 150;

/// Metrics that a roofline needs, with their units and about how large they are.
const WANTED: [(&str, &str, u64); 12] = [
    ("dram__bytes.sum", "byte", 50_000_000),
    ("dram__bytes_read.sum", "byte", 30_000_000),
    ("dram__bytes_write.sum", "byte", 20_000_000),
    ("gpu__time_duration.sum", "ns", 40_000),
    ("l1tex__t_bytes.sum", "byte", 200_000_000),
    ("launch__registers_per_thread", "register/thread", 96),
    ("lts__t_bytes.sum", "byte", 90_000_000),
    ("sm__ops_path_tensor_src_bf16_dst_fp32.sum", "", 8_000_000_000),
    ("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst", 4_000_000),
    ("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst", 9_000_000),
    ("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "inst", 2_000_000),
    ("sm__cycles_elapsed.avg", "cycle", 60_000),
];

/// Pipes and ways to sum them up, which together are most of the columns.
const PIPES: [&str; 12] =
    ["adu", "alu", "cbu", "fma", "fp64", "lsu", "tc", "tensor", "tex", "tma", "uniform", "xu"];
const SUMS: [&str; 4] = ["avg", "max", "min", "sum"];
const SHARES: [&str; 2] = ["pct_of_peak_sustained_active", "pct_of_peak_sustained_elapsed"];
const STAGES: [&str; 3] = ["sm__inst_executed_pipe", "sm__pipe_cycles_active", "sm__inst_issued_pipe"];

/// Writes a file of about `size` bytes; answers the number of launches.
pub(crate) fn write(path: &Path, size: u64) -> io::Result<u64> {
    let shares = shares();
    let mut random = Random::new(7);
    let row = |launch: u64, out: &mut Vec<u8>| {
        let kernel = KERNELS[(random.next() % KERNELS.len() as u64) as usize];
        // A model has a few shapes, which come again in every layer and step.
        let blocks = 64 << random.between(0, 9);
        write!(
            out,
            "\"{launch}\",\"4711\",\"python3.12\",\"127.0.0.1\",\"{kernel}\",\"1\",\"7\",\"(256, 1, 1)\",\
             \"({blocks}, 1, 1)\",\"0\",\"9.0\""
        )?;
        for (_, value) in DEVICE {
            write!(out, ",\"{value}\"")?;
        }
        for fact in 0..OTHER_FACTS {
            write!(out, ",\"{}\"", fact * 37 % 4096)?;
        }
        for (_, _, size) in WANTED {
            write!(out, ",\"{}\"", random.around(size, 400))?;
        }
        for _ in &shares {
            let hundredths = random.between(0, 9_999);
            write!(out, ",\"{}.{:02}\"", hundredths / 100, hundredths % 100)?;
        }
        out.write_all(b"\n")
    };
    let noise = "==PROF== Connected to process 4711 (/usr/bin/python3.12)\n\
                 ==PROF== Disconnected from process 4711\n";
    fill(path, size, &format!("{noise}{}", header(&shares)), row, "")
}

fn shares() -> Vec<String> {
    let mut names = Vec::new();
    for stage in STAGES {
        for pipe in PIPES {
            for sum in SUMS {
                names.extend(SHARES.map(|share| format!("{stage}_{pipe}.{sum}.{share}")));
            }
        }
    }
    names
}

fn header(shares: &[String]) -> String {
    let facts: Vec<String> =
        (0..OTHER_FACTS).map(|fact| format!("device__attribute_other_{fact:03}")).collect();
    let names = IDENTITY
        .into_iter()
        .chain(DEVICE.map(|(name, _)| name))
        .chain(facts.iter().map(String::as_str))
        .chain(WANTED.map(|(name, ..)| name))
        .chain(shares.iter().map(String::as_str));
    let blank = IDENTITY.len() + DEVICE.len() + facts.len();
    let units = std::iter::repeat_n("", blank)
        .chain(WANTED.map(|(_, unit, _)| unit))
        .chain(shares.iter().map(|_| "%"));
    let line = |cells: Vec<&str>| format!("\"{}\"\n", cells.join("\",\""));
    line(names.collect()) + &line(units.collect())
}
