//! `rocprof`, the first of AMD's: a shell script around the program, deprecated since ROCm 6.4.
//!
//! What it takes is read in its own source, ROCm/rocprofiler `bin/rpl_run.sh`: no `--` before the program, `-o` must end
//! in `.csv`, `--hip-api` and the like are unknown, and an unknown option ends it. With `-d` it keeps what it recorded
//! before it makes tables of it, together with the program's exit code in `exit.txt`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::files::ProcessIn;
use crate::plan::{Invocation, Plan, Refused, quoted, without_blanks};
use crate::request::{Record, Request};

use super::{Noise, Tool, ending, refuse_metrics};

const NAME: &str = "rocprof";

/// How to install it; its successor is in the same package.
pub(super) const INSTALL: &[&str] = &[
    "Ubuntu, Debian: sudo apt install rocprofiler (from AMD's repository, ROCm 7 and older)",
    "RHEL, Fedora, SLES: sudo dnf install rocprofiler, or zypper",
    "Arch: sudo pacman -S rocprofiler",
    "it is in /opt/rocm/bin, which must be on the PATH; newer ROCm has rocprofv3 only",
];

pub(super) const TOOL: Tool = Tool {
    id: NAME,
    family: "rocprof",
    command: Some(NAME),
    install: INSTALL,
    probe: None,
    make,
    readable,
    process_in: ProcessIn::Nothing,
    noise: Noise {
        stdout: &[
            "RPL: *",
            "ROCProfiler: *",
            "ROCPRofiler: *",
            "ROCTracer (pid=#):*",
            "  # metrics",
            "    # metrics",
            "scan * data #:#*",
            "dump json #:#*",
            "File '*' is generating*",
            "\u{1b}[0;31mWARNING: We are phasing out*",
        ],
        stderr: &[],
        failures: &[
            "Profiling error found: *",
            "Profiling data corrupted: *",
            "* Error: Wrong option*",
            "* Error: Bad input file*",
            "* Error: Input file *",
            "error: file name must have .CSV extension",
            "Warning: Missing rocm_agent_enumerator binary",
        ],
    },
    program_code,
};

fn make(request: &Request, _: Option<&str>) -> Result<Plan, Refused> {
    refuse_metrics(request, NAME)?;
    without_blanks(NAME, &request.directory)?;
    let mut plan = Plan { directories: vec![request.directory.clone()], ..Plan::default() };
    let program = program(request, &mut plan)?;
    let traces = request.record.has_traces() || request.record.stats;
    if traces || request.counters.is_empty() {
        let run = Invocation::record(NAME)
            .arguments(options(request.record, &mut plan.notes))
            .arguments(places(request, &request.directory))
            .arguments(program.clone());
        plan.runs.push(run);
    }
    if !request.counters.is_empty() {
        let input = request.directory.join("counters.txt");
        plan.files.push((input.clone(), request.counters.to_text()));
        // Next to those of a trace, which have the same names.
        let directory = if traces { request.directory.join("pmc_1") } else { request.directory.clone() };
        let run = Invocation::record(NAME)
            .argument("-i")
            .argument(input)
            .arguments(["--timestamp", "on"])
            .arguments(places(request, &directory))
            .arguments(program);
        if traces {
            plan.directories.push(directory);
        }
        plan.runs.push(run);
    }
    Ok(plan)
}

fn options(record: Record, notes: &mut Vec<String>) -> Vec<&'static str> {
    // As the name of the tool promises: kernels, calls and sums.
    let record =
        if record.is_empty() { Record { runtime: true, stats: true, ..Record::default() } } else { record };
    let mut options = Vec::new();
    let calls = record.runtime || record.hsa || record.system;
    if record.stats || (record.kernels && !calls && !record.markers) {
        options.push("--stats");
    }
    let with_markers = record.markers && !calls;
    if with_markers {
        notes.push("rocprof records markers only with calls: added --hip-trace".to_owned());
    }
    for (wanted, option) in [
        (record.runtime || with_markers, "--hip-trace"),
        (record.hsa, "--hsa-trace"),
        (record.system, "--sys-trace"),
        (record.markers, "--roctx-trace"),
    ] {
        if wanted {
            options.push(option);
        }
    }
    options
}

fn places(request: &Request, directory: &Path) -> [OsString; 4] {
    ["-d".into(), request.directory.join("data").into(), "-o".into(), directory.join("results.csv").into()]
}

/// The program as the script takes it. It lets a shell read the arguments a second time, so that all but plain ones go
/// into a file.
fn program(request: &Request, plan: &mut Plan) -> Result<Vec<OsString>, Refused> {
    if request.program.iter().all(|word| word.to_str().is_some_and(|text| quoted(word) == text)) {
        return Ok(request.program.clone());
    }
    if request.program.iter().any(|word| word.to_str().is_none()) {
        return Err(Refused::new(
            "rocprof does not support non-UTF-8 arguments",
            "use rocprofv3, or start the program from a script",
        ));
    }
    let script = request.directory.join("program.sh");
    let words: Vec<String> = request.program.iter().map(|word| quoted(word)).collect();
    plan.files.push((script.clone(), format!("#!/bin/sh\nexec {}\n", words.join(" "))));
    Ok(vec!["/bin/sh".into(), script.into()])
}

/// The database has what the JSON has, to the nanosecond, but for the names of the devices; the tables have less. What was
/// kept before the tables were made counts only if they were not.
fn readable(files: &[PathBuf]) -> Vec<PathBuf> {
    let (raw, made): (Vec<PathBuf>, Vec<PathBuf>) =
        files.iter().cloned().partition(|file| file.components().any(|part| part.as_os_str() == "data"));
    let counters = made.iter().filter(|file| is_in_pass(file) && ends(file, ".csv"));
    let whole: Vec<PathBuf> = made.iter().filter(|file| !is_in_pass(file)).cloned().collect();
    for suffix in [".db", ".json", "results.csv", "stats.csv"] {
        let found: Vec<PathBuf> = ending(&whole, suffix).cloned().collect();
        if !found.is_empty() {
            let names = if suffix == ".db" { ending(&whole, ".json").cloned().collect() } else { Vec::new() };
            return found.into_iter().chain(names).chain(counters.cloned()).collect();
        }
    }
    let counters: Vec<PathBuf> = counters.cloned().collect();
    if !counters.is_empty() {
        return counters;
    }
    let known =
        ["results.txt", "hip_api_trace.txt", "hcc_ops_trace.txt", "async_copy_trace.txt", "roctx_trace.txt"];
    raw.into_iter().filter(|file| known.iter().any(|name| ends(file, name))).collect()
}

fn is_in_pass(file: &Path) -> bool {
    file.parent().and_then(Path::file_name).is_some_and(|name| name.to_string_lossy().starts_with("pmc_"))
}

fn ends(file: &Path, suffix: &str) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().ends_with(suffix))
}

/// `exit(3)` in the `exit.txt` of the last run.
fn program_code(directory: &Path) -> Option<i32> {
    let mut found: Vec<PathBuf> = Vec::new();
    for run in fs::read_dir(directory.join("data")).ok()?.flatten() {
        for results in fs::read_dir(run.path()).into_iter().flatten().flatten() {
            found.push(results.path().join("exit.txt"));
        }
    }
    let newest = found
        .iter()
        .filter_map(|file| Some((fs::metadata(file).ok()?.modified().ok()?, file)))
        .max_by_key(|(time, _)| *time)?;
    let text = fs::read_to_string(newest.1).ok()?;
    text.trim().strip_prefix("exit(")?.strip_suffix(')')?.parse().ok()
}
