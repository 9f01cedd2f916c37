//! NVIDIA: metrics of Nsight Compute.
//!
//! Sources: the roofline sections of Nsight Compute (`SpeedOfLight_Roofline`, `..._Hierarchical*`, `..._Hierarchical
//! TensorRooflineChart`), its Profiling Guide, and NERSC's roofline method for Nsight Compute (Yang, "Hierarchical
//! roofline analysis", arXiv:2009.05257).

use super::{Convention, Done, Lookup, Missing, all, level};
use crate::{Arithmetic, Engine};

/// Bytes that L1 returns to registers in a cycle.
const WRITEBACK: f64 = 128.0;
/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// Work of a launch.
pub fn done(architecture: &str, counters: &dyn Lookup) -> Done {
    let report = Report { capability: capability(architecture), counters };
    let mut done = Done::default();
    threads(&mut done, &report);
    tensor(&mut done, &report);
    bytes(&mut done, &report);
    done
}

/// 90 of `sm_90` and `sm_90a`, 121 of `sm_121`.
fn capability(architecture: &str) -> Option<u32> {
    let digits = architecture.strip_prefix("sm_")?;
    digits.trim_end_matches(|letter: char| letter.is_ascii_alphabetic()).parse().ok()
}

struct Report<'a> {
    capability: Option<u32>,
    counters: &'a dyn Lookup,
}

impl Report<'_> {
    fn get(&self, name: &str) -> Option<f64> {
        self.counters.value(name)
    }

    /// The sum of a metric over the device. The roofline sections record rates instead: per cycle, of which there are so
    /// many a second, and per second.
    fn sum(&self, done: &mut Done, metric: &str) -> Option<f64> {
        if let Some(sum) = self.get(&format!("{metric}.sum")) {
            return Some(sum);
        }
        let seconds = self.seconds()?;
        let per_second = self.get(&format!("{metric}.sum.per_second")).or_else(|| {
            let unit = metric.split("__").next()?;
            let frequency = self.get(&format!("{unit}__cycles_elapsed.avg.per_second"))?;
            Some(self.get(&format!("{metric}.sum.per_cycle_elapsed"))? * frequency)
        })?;
        done.note(Convention::FromRates);
        Some(per_second * seconds)
    }

    /// How long the kernel ran, in seconds.
    fn seconds(&self) -> Option<f64> {
        let measured = self.get("gpu__time_duration.sum").map(|nanoseconds| nanoseconds * 1e-9);
        measured.or_else(|| {
            let cycles = self.get("sm__cycles_elapsed.avg")?;
            Some(cycles / self.get("sm__cycles_elapsed.avg.per_second")?)
                .filter(|seconds| seconds.is_finite())
        })
    }
}

/// Instructions of threads that were not predicated off, of one kind.
fn instructions(done: &mut Done, report: &Report<'_>, operation: &str) -> Option<f64> {
    ["smsp", "sm"].iter().find_map(|unit| {
        report.sum(done, &format!("{unit}__sass_thread_inst_executed_op_{operation}_pred_on"))
    })
}

const THREADS: [(&str, Arithmetic, f64, &str); 3] = [
    ("d", Arithmetic::Fp64, 1.0, "fp64 vector operations"),
    ("f", Arithmetic::Fp32, 1.0, "fp32 vector operations"),
    // HADD2, HMUL2 and HFMA2 work on pairs: Nsight Compute's own half-precision roofline weighs them by 2, 2 and 4.
    ("h", Arithmetic::Fp16, 2.0, "fp16 vector operations"),
];

/// `weight * (add + mul + 2 * fma)` for each type.
fn threads(done: &mut Done, report: &Report<'_>) {
    for (letter, arithmetic, weight, what) in THREADS {
        let names = ["add", "mul", "fma"].map(|kind| format!("{letter}{kind}"));
        let values = [0, 1, 2].map(|index: usize| instructions(done, report, &names[index]));
        let Some([add, multiply, fused]) = all(values) else {
            let absent = names.iter().zip(values).filter(|(_, value)| value.is_none());
            let metric = |name: &String| format!("smsp__sass_thread_inst_executed_op_{name}_pred_on.sum");
            miss(done, what, absent.map(|(name, _)| metric(name)).collect());
            continue;
        };
        let mut count = weight * (add + multiply + 2.0 * fused);
        if arithmetic == Arithmetic::Fp16 && count > 0.0 {
            done.note(Convention::HalfPairs);
        }
        if arithmetic == Arithmetic::Fp32 {
            count += packed(done, report);
        }
        done.count(arithmetic, Engine::Vector, count);
    }
}

/// FADD2, FMUL2 and FFMA2 of Blackwell do two numbers at once and have metrics of their own.
fn packed(done: &mut Done, report: &Report<'_>) -> f64 {
    let names = ["fadd2", "fmul2", "ffma2"];
    let values = names.map(|name| instructions(done, report, name));
    let [add, multiply, fused] = values.map(|value| value.unwrap_or(0.0));
    if values.iter().any(Option::is_some) {
        done.note(Convention::SinglePairs);
    }
    // sm_100, sm_103 and later; GeForce (sm_120) has them too.
    if report.capability.is_some_and(|capability| capability >= 100) && values.iter().any(Option::is_none) {
        done.note(Convention::SinglePairsUncounted);
        let absent = names.iter().zip(values).filter(|(_, value)| value.is_none());
        let metric = |name: &str| format!("smsp__sass_thread_inst_executed_op_{name}_pred_on.sum");
        miss(done, "packed fp32 operations", absent.map(|(name, _)| metric(name)).collect());
    }
    2.0 * add + 2.0 * multiply + 4.0 * fused
}

/// The paths of the tensor units by source type: each is a metric, or several that together are one.
const PATHS: [(&[&[&str]], Arithmetic); 10] = [
    (&[&["src_fp64"], &["src_fp64_dst_fp64"]], Arithmetic::Fp64),
    (&[&["src_tf32_dst_fp32"], &["src_tf32"]], Arithmetic::Tf32),
    (&[&["src_bf16_dst_fp32"], &["src_bf16"]], Arithmetic::Bf16),
    (&[&["src_fp16"], &["src_fp16_dst_fp16", "src_fp16_dst_fp32"]], Arithmetic::Fp16),
    (&[&["src_fp8"], &["src_fp8_dst_fp16", "src_fp8_dst_fp32"]], Arithmetic::Fp8),
    (&[&["src_fp4_fp6_dst_fp16", "src_fp4_fp6_dst_fp32"]], Arithmetic::Fp6),
    (&[&["src_fp4_dst_fp32"], &["src_fp4"]], Arithmetic::Fp4),
    (&[&["src_int8"]], Arithmetic::Int8),
    (&[&["src_int4"]], Arithmetic::Int4),
    (&[&["src_int1"]], Arithmetic::Int1),
];

/// Where FP8, FP6 and FP4 share a path, as on sm_120.
const SHARED: [&str; 2] = ["src_fp4_fp6_fp8_dst_fp16", "src_fp4_fp6_fp8_dst_fp32"];

/// Instructions that a path is split by on Hopper.
const SPLITS: [&str; 6] = ["op_hgmma", "op_hmma", "op_igmma", "op_imma", "op_bgmma", "op_dmma"];

fn tensor(done: &mut Done, report: &Report<'_>) {
    let before = done.operations.len();
    for (ways, arithmetic) in PATHS {
        // The first way that is there: a whole and its parts must not both count.
        let found = ways.iter().find_map(|parts| {
            let known = parts.iter().filter_map(|part| path(done, report, part));
            known.collect::<Vec<f64>>().into_iter().reduce(|a, b| a + b)
        });
        if let Some(count) = found {
            done.count(arithmetic, Engine::Matrix, count);
        }
    }
    let has_fp8 = done.operations.iter().any(|one| one.arithmetic == Arithmetic::Fp8);
    let shared: Vec<f64> = SHARED.iter().filter_map(|part| path(done, report, part)).collect();
    if !shared.is_empty() && !has_fp8 {
        done.count(Arithmetic::Fp8, Engine::Matrix, shared.iter().sum());
        done.note(Convention::NarrowPathShared);
    }
    if done.operations.len() > before {
        return;
    }
    // Operations of one instruction: 512 on Volta and Turing (Nsight Compute's first tensor roofline), 2048 to 4096 on
    // Ampere by the shape of the instruction. Later ones differ too much to say.
    let per_instruction = report.capability.and_then(|capability| match capability {
        70..=75 => Some(512.0),
        80..=89 => Some(2048.0),
        _ => None,
    });
    let instructions = report.sum(done, "sm__inst_executed_pipe_tensor");
    match (instructions, per_instruction) {
        (Some(0.0), _) => done.count(Arithmetic::Fp16, Engine::Matrix, 0.0),
        (Some(instructions), Some(operations)) => {
            done.count(Arithmetic::Fp16, Engine::Matrix, operations * instructions);
            done.note(Convention::TensorInstructions);
        }
        _ => {
            let metric = match report.capability {
                Some(70..=75) => "sm__inst_executed_pipe_tensor.sum",
                _ => "regex:^sm__ops_path_tensor_src_.*sum$",
            };
            miss(done, "matrix operations", vec![metric.to_owned()]);
        }
    }
}

/// Operations of one path: its metric, or those of dense and sparse ones, or those by instruction.
fn path(done: &mut Done, report: &Report<'_>, source: &str) -> Option<f64> {
    let whole = |done: &mut Done, name: &str| {
        if let Some(sum) = report.sum(done, name) {
            return Some(sum);
        }
        let halves = ["off", "on"].map(|half| report.sum(done, &format!("{name}_sparsity_{half}")));
        if halves.iter().flatten().count() == 1 {
            done.note(Convention::TensorPartly);
        }
        halves.into_iter().flatten().reduce(|a, b| a + b)
    };
    let name = format!("sm__ops_path_tensor_{source}");
    let found = if report.counters.has_any(&name) { whole(done, &name) } else { None };
    found.or_else(|| {
        if !report.counters.has_any("sm__ops_path_tensor_op_") {
            return None;
        }
        let split = |done: &mut Done, operation: &str| {
            whole(done, &format!("sm__ops_path_tensor_{operation}_{source}"))
        };
        SPLITS.iter().filter_map(|operation| split(done, operation)).reduce(|a, b| a + b)
    })
}

fn bytes(done: &mut Done, report: &Report<'_>) {
    let mut together = |whole: &str, parts: [&str; 2]| {
        report.sum(done, whole).or_else(|| {
            let parts = parts.map(|part| report.sum(done, part));
            all(parts).map(|[read, written]| read + written)
        })
    };
    let main = together("dram__bytes", ["dram__bytes_read", "dram__bytes_write"])
        .or_else(|| together("dram__bytes_op", ["dram__bytes_op_read", "dram__bytes_op_write"]));
    let second = report
        .sum(done, "lts__t_bytes")
        .or_else(|| report.sum(done, "lts__t_sectors").map(|sectors| SECTOR * sectors))
        .or_else(|| {
            let read = report.sum(done, "l1tex__m_xbar2l1tex_read_bytes")?;
            done.note(Convention::ReadsOnly);
            Some(read)
        });
    let first = report.sum(done, "l1tex__t_bytes").or_else(|| {
        // Turing and later count returns of local and global memory apart.
        let cycles = match report.capability? {
            ..75 => report.sum(done, "l1tex__lsu_writeback_active"),
            _ => report.sum(done, "l1tex__lsu_writeback_active_mem_lg"),
        }?;
        done.note(Convention::WritebackOnly);
        Some(WRITEBACK * cycles)
    });
    let known = second.is_some() || first.is_some();
    for (id, what, metric, found) in [
        (level::MAIN, "main memory bytes", main_metric(report), main),
        (level::L2, "bytes of L2", "lts__t_bytes.sum", second),
        (level::L1, "bytes of L1", "l1tex__t_bytes.sum", first),
    ] {
        match found {
            Some(found) => done.bytes.push((id, found)),
            None => miss(done, what, metric.split(',').map(str::to_owned).collect()),
        }
    }
    if main.is_none() && known {
        done.note(Convention::NoMainMemoryCounters);
    }
}

/// What records the bytes of main memory: Nsight Compute 2026 has other names on GeForce Blackwell.
fn main_metric(report: &Report<'_>) -> &'static str {
    match report.capability {
        Some(120) => "dram__bytes_op_read.sum,dram__bytes_op_write.sum",
        _ => "dram__bytes.sum",
    }
}

fn miss(done: &mut Done, what: &'static str, counters: Vec<String>) {
    let how = format!("`ncu --metrics {}`", counters.join(","));
    done.missing.push(Missing { what, counters, how });
}
