//! `ncu`, Nsight Compute: metrics of each kernel, which it runs as often as it needs to.
//!
//! Numbers follow the locale and units the eye, so both are set. An unknown metric ends it, and which ones there are
//! depends on the chip, so it is asked first (`--query-metrics`). Its log file has the table and its own messages; the
//! program's output stays apart.

use std::path::PathBuf;

use crate::files::ProcessIn;
use crate::plan::{Invocation, Plan, Refused};
use crate::request::Request;

use super::{Noise, Tool, ending, not_told, refuse_counters};

const NAME: &str = "ncu";

pub(super) const TOOL: Tool = Tool {
    id: NAME,
    family: "ncu",
    command: Some(NAME),
    install: &[
        "Ubuntu, Debian: sudo apt install nsight-compute (from NVIDIA's repository: cuda-nsight-compute-<version>)",
        "RHEL, Fedora: sudo dnf install cuda-nsight-compute-<version>; SLES: the same with zypper",
        "Arch: sudo pacman -S nsight-compute",
        "or from https://developer.nvidia.com/nsight-compute; its directory must be on the PATH",
    ],
    probe: Some(&["--query-metrics"]),
    make,
    readable,
    process_in: ProcessIn::Nothing,
    noise: Noise {
        stdout: &["==PROF== *", "==WARNING== *"],
        stderr: &["==PROF== *", "==WARNING== *"],
        failures: &["==ERROR== *"],
    },
    program_code: not_told,
};

/// What a roofline needs, with the precisions of the arithmetic units (vendor's roofline sections).
const USUAL: &[&str] = &[
    "gpu__time_duration.sum",
    "sm__cycles_elapsed.avg",
    "sm__cycles_elapsed.avg.per_second",
    "dram__bytes.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__t_bytes.sum",
    "l1tex__t_bytes.sum",
    "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum",
];

/// What only some chips have.
const ON_SOME_CHIPS: &[&str] = &[
    "dram__bytes_op_read.sum",
    "dram__bytes_op_write.sum",
    "smsp__sass_thread_inst_executed_op_fadd2_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul2_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_ffma2_pred_on.sum",
    "sm__inst_executed_pipe_tensor.sum",
];

/// Operations of tensor cores, by type of operands: other names on each chip.
const TENSOR_PATHS: &str = "sm__ops_path_tensor_src_";

/// What is always there, because it is not a counter; `--query-metrics` does not list it.
const OF_THE_LAUNCH: &[&str] = &[
    "launch__registers_per_thread",
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
    "device__attribute_display_name",
    "device__attribute_multiprocessor_count",
    "device__attribute_max_mem_frequency_khz",
    "device__attribute_fb_bus_width",
    "device__attribute_compute_capability_major",
    "device__attribute_compute_capability_minor",
];

fn make(request: &Request, said: Option<&str>) -> Result<Plan, Refused> {
    refuse_counters(request, NAME, "use --metrics for NVIDIA devices")?;
    let record = request.record;
    if record.runtime || record.hsa || record.system {
        return Err(Refused::new(
            "ncu records individual kernels, not calls or timelines",
            "use --with nsys for a timeline; ncu takes --metrics, --kernels and --markers",
        ));
    }
    let known: Option<Vec<&str>> = said
        .map(|text| text.lines().filter_map(metric_of_line).collect())
        .filter(|names: &Vec<&str>| !names.is_empty());
    let mut notes = Vec::new();
    if request.record.stats {
        notes.push("ncu writes no statistics; see the report".to_owned());
    }
    let metrics = match &known {
        _ if !request.metrics.is_empty() => asked(&request.metrics, known.as_deref())?,
        Some(known) => usual(known, &mut notes),
        None => {
            notes.push("ncu did not list this machine's metrics; skipping tensor core metrics".to_owned());
            USUAL.iter().chain(OF_THE_LAUNCH).map(|name| (*name).to_owned()).collect()
        }
    };
    let mut run = Invocation::record(NAME)
        .arguments(["--csv", "--page", "raw", "--print-units", "base", "--print-fp", "--log-file"])
        .argument(request.directory.join("ncu.csv"))
        .arguments(["--target-processes", "all", "--disable-extra-suffixes"]);
    if record.markers {
        run = run.argument("--nvtx");
    }
    let mut run = run.argument("--metrics").argument(metrics.join(",")).arguments(request.program.clone());
    run.environment.push(("LC_ALL", "C".into()));
    Ok(Plan { directories: vec![request.directory.clone()], runs: vec![run], notes, ..Plan::default() })
}

/// Lines of the list are `name  kind  unit  description`; the rest is headings and rules.
fn metric_of_line(line: &str) -> Option<&str> {
    line.split_whitespace().next().filter(|word| word.contains("__"))
}

/// The part of a metric's name that the list has: `dram__bytes` of `dram__bytes.sum.per_second`.
fn base(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

fn usual(known: &[&str], notes: &mut Vec<String>) -> Vec<String> {
    let has = |name: &str| known.contains(&base(name));
    let mut metrics: Vec<String> =
        USUAL.iter().chain(ON_SOME_CHIPS).filter(|name| has(name)).map(|name| (*name).to_owned()).collect();
    let missing: Vec<&str> = USUAL.iter().copied().filter(|name| !has(name)).collect();
    if !missing.is_empty() {
        notes.push(format!("this machine has no {}", missing.join(", ")));
    }
    // Those of sparse operands are part of those without the suffix.
    let paths = known.iter().filter(|name| name.starts_with(TENSOR_PATHS) && !name.contains("_sparsity_"));
    metrics.extend(paths.map(|name| format!("{name}.sum")));
    metrics.extend(OF_THE_LAUNCH.iter().map(|name| (*name).to_owned()));
    metrics
}

/// The metrics of the user, all of which must exist.
fn asked(metrics: &[String], known: Option<&[&str]>) -> Result<Vec<String>, Refused> {
    let Some(known) = known else { return Ok(metrics.to_vec()) };
    let unchecked = |name: &str| {
        name.contains(':') || name.starts_with("launch__") || name.starts_with("device__attribute_")
    };
    for name in metrics.iter().filter(|name| !unchecked(name)) {
        if !known.contains(&base(name)) {
            let hint = match eaves_model::suggestion::did_you_mean(base(name), known.iter().copied()) {
                Some(near) => format!("did you mean {near}?"),
                None => "`ncu --query-metrics` lists them".to_owned(),
            };
            return Err(Refused::new(format!("this machine has no metric `{name}`"), hint));
        }
    }
    Ok(metrics.to_vec())
}

fn readable(files: &[PathBuf]) -> Vec<PathBuf> {
    ending(files, ".csv").cloned().collect()
}
