//! AMD: counters of rocprof, rocprofv2, rocprofv3 and rocprof-compute, CDNA architectures.
//!
//! Sources: `roofline_calc.py` and the analysis configurations of rocprof-compute 3.3.0 (ROCm/rocm-systems @1b1610fc,
//! `projects/rocprofiler-compute/src`); its correction for gfx950 (commit aa5dfb98, released in 3.5.0); "MI200, MI300
//! and MI350 performance counters" of the ROCm documentation; what L1 counts: ROCm/rocprofiler-compute issue 598.

use super::{Convention, Done, Missing, all, level};
use crate::{Arithmetic, Engine};

/// Lanes of a wave. Instructions are counted once for a wave (`SQ_INSTS_*`), and CDNA has waves of 64 alone.
const LANES: f64 = 64.0;
/// Operations of one unit of the counters `SQ_INSTS_VALU_MFMA_MOPS_*`.
const MATRIX_UNIT: f64 = 512.0;
/// Bytes of LDS for an active cycle: 32 banks of 4 bytes.
const LDS_CYCLE: f64 = 128.0;

/// Names of vector instructions by type.
const VECTOR: [(&str, Arithmetic, &str); 3] = [
    ("F16", Arithmetic::Fp16, "fp16 vector operations"),
    ("F32", Arithmetic::Fp32, "fp32 vector operations"),
    ("F64", Arithmetic::Fp64, "fp64 vector operations"),
];
const KINDS: [&str; 4] = ["ADD", "MUL", "FMA", "TRANS"];

/// Names of matrix instructions by type, and the first architecture that has them.
const MATRIX: [(&str, Arithmetic, Generation, &str); 7] = [
    ("F16", Arithmetic::Fp16, Generation::Cdna2, "fp16 matrix operations"),
    ("BF16", Arithmetic::Bf16, Generation::Cdna2, "bf16 matrix operations"),
    ("F32", Arithmetic::Fp32, Generation::Cdna2, "fp32 matrix operations"),
    ("F64", Arithmetic::Fp64, Generation::Cdna2, "fp64 matrix operations"),
    ("F8", Arithmetic::Fp8, Generation::Cdna3, "fp8 matrix operations"),
    // FP6 and FP4 have one counter; the wider of them is what it is compared with.
    ("F6F4", Arithmetic::Fp6, Generation::Cdna4, "fp6 and fp4 matrix operations"),
    ("I8", Arithmetic::Int8, Generation::Cdna2, "int8 matrix operations"),
];

/// What differs between architectures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Generation {
    /// gfx908 and older: no counters by type of instruction.
    Cdna1,
    /// gfx90a.
    Cdna2,
    /// gfx940, gfx941, gfx942.
    Cdna3,
    /// gfx950.
    Cdna4,
}

impl Generation {
    /// By the name of the architecture, or by the counters: those of the fabric are called `EA0` since CDNA3, and only
    /// CDNA4 counts reads of 128 bytes by themselves.
    fn of(architecture: &str, lookup: &dyn Fn(&str) -> Option<f64>) -> Option<Self> {
        match architecture {
            "gfx906" | "gfx908" => Some(Self::Cdna1),
            "gfx90a" => Some(Self::Cdna2),
            "gfx940" | "gfx941" | "gfx942" => Some(Self::Cdna3),
            "gfx950" => Some(Self::Cdna4),
            _ if summed(lookup, "TCC_EA0_RDREQ_128B").is_some() => Some(Self::Cdna4),
            _ if summed(lookup, "TCC_EA0_RDREQ").is_some() => Some(Self::Cdna3),
            _ if summed(lookup, "TCC_EA_RDREQ").is_some() => Some(Self::Cdna2),
            _ => None,
        }
    }
}

/// Work of a launch.
pub fn done(architecture: &str, lookup: &dyn Fn(&str) -> Option<f64>) -> Done {
    let generation = Generation::of(architecture, lookup);
    let mut done = Done::default();
    vector(&mut done, generation, lookup);
    matrix(&mut done, generation, lookup);
    main_memory(&mut done, generation, lookup);
    caches(&mut done, generation, lookup);
    if let Some([active, conflicts]) = all([lookup("SQ_LDS_IDX_ACTIVE"), lookup("SQ_LDS_BANK_CONFLICT")]) {
        done.bytes.push((level::LOCAL, LDS_CYCLE * (active - conflicts).max(0.0)));
        done.note(Convention::LdsCycles);
    } else {
        miss(&mut done, "bytes of LDS", &["SQ_LDS_IDX_ACTIVE", "SQ_LDS_BANK_CONFLICT"], lookup);
    }
    done
}

/// `64 * (ADD + MUL + 2 * FMA + TRANS)` for each type. Derived counters such as `TOTAL_32_OPS` have integers in them and
/// are not used.
fn vector(done: &mut Done, generation: Option<Generation>, lookup: &dyn Fn(&str) -> Option<f64>) {
    if generation == Some(Generation::Cdna1) {
        return;
    }
    for (suffix, arithmetic, what) in VECTOR {
        let names = KINDS.map(|kind| format!("SQ_INSTS_VALU_{kind}_{suffix}"));
        let values = [0, 1, 2, 3].map(|index: usize| lookup(&names[index]));
        match all(values) {
            Some([add, multiply, fused, transcendental]) => {
                let instructions = add + multiply + 2.0 * fused + transcendental;
                done.count(arithmetic, Engine::Vector, LANES * instructions);
                if instructions > 0.0 {
                    done.note(Convention::ExecMaskIgnored);
                }
                if transcendental > 0.0 {
                    done.note(Convention::TranscendentalsCounted);
                }
                if arithmetic == Arithmetic::Fp16 && instructions > 0.0 {
                    done.note(Convention::PackedHalfOnce);
                }
            }
            None => miss(done, what, &names.each_ref().map(String::as_str), lookup),
        }
    }
    let integers = [lookup("SQ_INSTS_VALU_INT32"), lookup("SQ_INSTS_VALU_INT64")];
    done.vector_integers = all(integers).map(|[narrow, wide]| LANES * (narrow + wide));
}

fn matrix(done: &mut Done, generation: Option<Generation>, lookup: &dyn Fn(&str) -> Option<f64>) {
    for (suffix, arithmetic, since, what) in MATRIX {
        let name = format!("SQ_INSTS_VALU_MFMA_MOPS_{suffix}");
        match lookup(&name) {
            Some(units) => done.count(arithmetic, Engine::Matrix, MATRIX_UNIT * units),
            // A type that the architecture does not have is not missing; of an unknown one the oldest types are.
            None if generation.unwrap_or(Generation::Cdna2) >= since => miss(done, what, &[&name], lookup),
            None => {}
        }
    }
}

fn main_memory(done: &mut Done, generation: Option<Generation>, lookup: &dyn Fn(&str) -> Option<f64>) {
    let fabric = if generation >= Some(Generation::Cdna3) { "TCC_EA0" } else { "TCC_EA" };
    let count = |suffix: &str| summed(lookup, &format!("{fabric}_{suffix}"));
    // Counters of a sum may come from different runs of the program, so differences may be below zero.
    let rest = |whole: f64, parts: f64| (whole - parts).max(0.0);
    let read = match generation {
        Some(Generation::Cdna4) => all([count("RDREQ_128B"), count("RDREQ_64B"), count("RDREQ_32B")])
            .map(|[wide, middle, narrow]| 128.0 * wide + 64.0 * middle + 32.0 * narrow),
        Some(Generation::Cdna3) => all([summed(lookup, "TCC_BUBBLE"), count("RDREQ"), count("RDREQ_32B")])
            .map(|[wide, every, narrow]| 128.0 * wide + 32.0 * narrow + 64.0 * rest(every, wide + narrow)),
        _ => all([count("RDREQ"), count("RDREQ_32B")])
            .map(|[every, narrow]| 32.0 * narrow + 64.0 * rest(every, narrow)),
    };
    let written =
        all([count("WRREQ"), count("WRREQ_64B")]).map(|[every, wide]| 64.0 * wide + 32.0 * rest(every, wide));
    if let Some((read, written)) = read.zip(written) {
        done.bytes.push((level::MAIN, read + written));
        note_fabric(done, generation);
        return;
    }
    // The profiler's own sums are in kilobytes of 1024. Those of gfx950 counted reads of 128 bytes as 64 up to ROCm 7.
    let sizes = all([lookup("FETCH_SIZE"), lookup("WRITE_SIZE")]);
    if let Some([fetched, stored]) = sizes.filter(|_| generation != Some(Generation::Cdna4)) {
        done.bytes.push((level::MAIN, 1024.0 * (fetched + stored)));
        done.note(Convention::ProfilersKilobytes);
        note_fabric(done, generation);
        return;
    }
    let needed: &[&str] = match generation {
        Some(Generation::Cdna4) => &[
            "TCC_EA0_RDREQ_128B_sum",
            "TCC_EA0_RDREQ_64B_sum",
            "TCC_EA0_RDREQ_32B_sum",
            "TCC_EA0_WRREQ_sum",
            "TCC_EA0_WRREQ_64B_sum",
        ],
        Some(Generation::Cdna3) => &[
            "TCC_BUBBLE_sum",
            "TCC_EA0_RDREQ_sum",
            "TCC_EA0_RDREQ_32B_sum",
            "TCC_EA0_WRREQ_sum",
            "TCC_EA0_WRREQ_64B_sum",
        ],
        Some(_) => &["TCC_EA_RDREQ_sum", "TCC_EA_RDREQ_32B_sum", "TCC_EA_WRREQ_sum", "TCC_EA_WRREQ_64B_sum"],
        // The names differ between architectures, but these two are everywhere.
        None => &["FETCH_SIZE", "WRITE_SIZE"],
    };
    miss(done, "main memory bytes", needed, lookup);
}

fn note_fabric(done: &mut Done, generation: Option<Generation>) {
    if generation >= Some(Generation::Cdna3) {
        done.note(Convention::FabricUpperBound);
    }
}

fn caches(done: &mut Done, generation: Option<Generation>, lookup: &dyn Fn(&str) -> Option<f64>) {
    let requests = [
        "TCP_TCC_READ_REQ_sum",
        "TCP_TCC_WRITE_REQ_sum",
        "TCP_TCC_ATOMIC_WITH_RET_REQ_sum",
        "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum",
    ];
    // Since CDNA3 a line of L1 is 128 bytes and read as a whole: 65 536 reads of a copy of 8 MiB. rocprof-compute 3.3
    // counts 64 bytes on every architecture and finds half of them.
    let wide = generation >= Some(Generation::Cdna3);
    match (generation, all(requests.map(|name| lookup_sum(lookup, name)))) {
        (Some(_), Some([read, written, returning, silent])) => {
            let line = if wide { 128.0 } else { 64.0 };
            done.bytes.push((level::L2, line * read + 64.0 * (written + returning + silent)));
            if wide {
                done.note(Convention::WideReads);
            }
        }
        _ => miss(done, "bytes of L2", &requests, lookup),
    }
    match lookup_sum(lookup, "TCP_TOTAL_CACHE_ACCESSES_sum") {
        Some(lines) => {
            done.bytes.push((level::L1, 64.0 * lines));
            done.note(Convention::LinesLookedUp);
        }
        None => miss(done, "bytes of L1", &["TCP_TOTAL_CACHE_ACCESSES_sum"], lookup),
    }
}

/// The sum of a counter over all instances of its block. rocprofv3 adds them up under the plain name too.
fn summed(lookup: &dyn Fn(&str) -> Option<f64>, name: &str) -> Option<f64> {
    lookup(&format!("{name}_sum")).or_else(|| lookup(name))
}

fn lookup_sum(lookup: &dyn Fn(&str) -> Option<f64>, name: &str) -> Option<f64> {
    lookup(name).or_else(|| lookup(name.strip_suffix("_sum")?))
}

fn miss(done: &mut Done, what: &'static str, needed: &[&str], lookup: &dyn Fn(&str) -> Option<f64>) {
    let absent = needed.iter().filter(|name| lookup_sum(lookup, name).is_none());
    let counters: Vec<String> = absent.map(|name| (*name).to_owned()).collect();
    if !counters.is_empty() {
        let how =
            format!("`{}` in the file of `rocprofv3 -i` (or `rocprof -i`)", lines(&counters).join("`, `"));
        done.missing.push(Missing { what, counters, how });
    }
}

/// Lines of an input file that record these counters: a line is one run, and a run has room for this many of each block.
pub fn lines(counters: &[String]) -> Vec<String> {
    let mut lines: Vec<Vec<&str>> = Vec::new();
    for name in counters {
        let block = block(name);
        let has_room = |line: &&mut Vec<&str>| {
            line.iter().filter(|other| self::block(other) == block).count() < limit(block)
        };
        match lines.iter_mut().find(has_room) {
            Some(line) => line.push(name),
            None => lines.push(vec![name]),
        }
    }
    lines.iter().map(|line| format!("pmc: {}", line.join(" "))).collect()
}

/// The hardware block of a counter. The profiler's own sums are made of counters of the L2.
fn block(name: &str) -> &str {
    match name {
        "FETCH_SIZE" | "WRITE_SIZE" => "TCC",
        _ => name.split('_').next().unwrap_or(name),
    }
}

/// Counters of a block in one run (rocprof-compute 3.3.0, `perfmon_config`).
fn limit(block: &str) -> usize {
    match block {
        "SQ" => 8,
        "TCC" | "TCP" => 4,
        _ => 2,
    }
}
