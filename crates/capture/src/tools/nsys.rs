//! `nsys`, Nsight Systems: records a timeline into a report that only it can read, and exports that to SQLite.
//!
//! Long options take their value after `=` (User Guide, Command Line Options). The exit code is the program's.

use std::path::PathBuf;

use crate::files::ProcessIn;
use crate::plan::{Invocation, Plan, Purpose, Refused};
use crate::request::Request;

use super::{Noise, Tool, ending, not_told, refuse_counters, refuse_metrics};

const NAME: &str = "nsys";

pub(super) const TOOL: Tool = Tool {
    id: NAME,
    family: "nsys",
    command: Some(NAME),
    install: &[
        "Ubuntu, Debian: sudo apt install nsight-systems-cli (from NVIDIA's repository)",
        "RHEL, Fedora: sudo dnf install nsight-systems-cli; SLES: sudo zypper install nsight-systems-cli",
        "Arch: sudo pacman -S nsight-systems",
        "or from https://developer.nvidia.com/nsight-systems; its bin directory must be on the PATH",
    ],
    probe: None,
    make,
    readable,
    process_in: ProcessIn::Nothing,
    noise: Noise {
        stdout: NOISE,
        stderr: NOISE,
        failures: &["unrecognised option '*", "Unrecognized option *", "The * argument is invalid*"],
    },
    program_code: not_told,
};

const NOISE: &[&str] = &[
    "Generating '*",
    "[#/#] [*",
    "Generated:",
    "Generated:\t*",
    "Generated: *",
    "    /*.nsys-rep",
    "\t/*.nsys-rep",
    "Collecting data...",
    "Processing events...",
    "Capturing symbol files...",
    "Saving temporary *",
    "Creating final output files...",
    "Saved report file to *",
    "Report file moved to *",
];

fn make(request: &Request, _: Option<&str>) -> Result<Plan, Refused> {
    refuse_metrics(request, NAME)?;
    refuse_counters(request, NAME, "nsys records timelines; use ncu with --metrics for kernel counters")?;
    if request.record.hsa {
        return Err(Refused::new("nsys does not record HSA, which is AMD's", "drop --hsa, or use rocprofv3"));
    }
    let record = request.record;
    let all = !record.has_traces();
    let mut traces = Vec::new();
    for (wanted, trace) in [
        (all || record.runtime || record.kernels || record.system, "cuda"),
        (all || record.markers || record.system, "nvtx"),
        (record.system, "osrt"),
    ] {
        if wanted {
            traces.push(trace);
        }
    }
    let base = request.directory.join("report");
    let report = request.directory.join("report.nsys-rep");
    let mut run = Invocation::record(NAME)
        .arguments(["profile", "--force-overwrite=true"])
        .argument(format!("--trace={}", traces.join(",")));
    if !record.system {
        // Samples of the CPU need rights that users often lack, and the report uses none.
        run = run.arguments(["--sample=none", "--cpuctxsw=none"]);
    }
    let run = run.argument(joined("--output=", &base)).arguments(request.program.clone());
    let convert = |arguments: Vec<std::ffi::OsString>| Invocation {
        purpose: Purpose::Convert,
        arguments,
        needs: Some(report.clone()),
        ..Invocation::record(NAME)
    };
    let mut runs = vec![
        run,
        convert(vec![
            "export".into(),
            "--type=sqlite".into(),
            "--force-overwrite=true".into(),
            joined("--output=", &request.directory.join("report.sqlite")),
            report.clone().into(),
        ]),
    ];
    if record.stats {
        runs.push(convert(vec![
            "stats".into(),
            "--report=cuda_gpu_kern_sum,cuda_api_sum,cuda_gpu_mem_time_sum".into(),
            "--format=csv".into(),
            joined("--output=", &base),
            report.clone().into(),
        ]));
    }
    Ok(Plan { directories: vec![request.directory.clone()], runs, ..Plan::default() })
}

fn joined(option: &str, path: &std::path::Path) -> std::ffi::OsString {
    let mut word = std::ffi::OsString::from(option);
    word.push(path);
    word
}

/// The export, or the report itself, of which the reader says what to do with it.
fn readable(files: &[PathBuf]) -> Vec<PathBuf> {
    for suffix in [".sqlite", ".nsys-rep"] {
        let found: Vec<PathBuf> = ending(files, suffix).cloned().collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}
