//! `rocprofv3` of the ROCprofiler SDK.
//!
//! Read in its own source, ROCm/rocprofiler-sdk `source/bin/rocprofv3.py`: the program stands after `--`; `--hip-trace`
//! means calls alone; an option that is given in the input file and on the command line must say the same in both;
//! each job of an input file is a run of the program, into `pass_<n>`. The default format changed between versions and
//! is never left to it.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::files::ProcessIn;
use crate::plan::{Invocation, Plan, Refused};
use crate::request::{Record, Request};

use super::{Noise, Tool, ending, not_told, refuse_metrics};

const NAME: &str = "rocprofv3";

pub(super) const TOOL: Tool = Tool {
    id: NAME,
    family: "rocprof",
    command: Some(NAME),
    install: &[
        "Ubuntu, Debian: sudo apt install rocprofiler-sdk (from AMD's repository; newer: amdrocm-profiler-base)",
        "RHEL, Fedora, SLES: sudo dnf install rocprofiler-sdk, or zypper (newer: amdrocm-profiler-base)",
        "Arch: sudo pacman -S rocprofiler-sdk",
        "it is in /opt/rocm/bin, which must be on the PATH; ROCm 6.2 and newer have it",
    ],
    probe: Some(&["--help"]),
    make,
    readable,
    process_in: ProcessIn::Front,
    noise: Noise {
        stdout: &[],
        stderr: &["I# #:#:#.# *", "W# #:#:#.# *", "E# #:#:#.# *"],
        failures: &["Fatal error: *", "rocprofv3: error: *", "F# #:#:#.# *"],
    },
    program_code: not_told,
};

/// What is recorded unless something else is asked for.
const USUAL: &[&str] =
    &["--kernel-trace", "--memory-copy-trace", "--marker-trace", "--hip-runtime-trace", "--rccl-trace"];

fn make(request: &Request, said: Option<&str>) -> Result<Plan, Refused> {
    refuse_metrics(request, NAME)?;
    let knows = |option: &str| said.is_none_or(|help| help.contains(option));
    let mut plan = Plan { directories: vec![request.directory.clone()], ..Plan::default() };
    let places = |run: Invocation| {
        let run = if knows("--agent-index") { run.arguments(["-A", "absolute"]) } else { run };
        // The process in the name, because a program may be several.
        run.argument("-d")
            .argument(request.directory.clone())
            .arguments(["-o", "%pid%", "--"])
            .arguments(request.program.clone())
    };
    if request.record.has_traces() || request.record.stats || request.counters.is_empty() {
        let wanted = options(request.record).into_iter().filter(|option| knows(option));
        // SQLite has the sizes of copies, which the tables have not; before version 1.0 there is JSON for it. Next to
        // counters, which are tables, only tables are known to be of the same run.
        let format = match request.counters.is_empty() {
            false => "csv",
            true if knows("rocpd") => "rocpd",
            true => "json",
        };
        let mut run = Invocation::record(NAME).arguments(wanted).arguments(["-f", format]);
        if request.record.stats {
            run = run.arguments((format != "csv").then_some("csv")).argument("--stats");
        }
        plan.runs.push(places(run));
    }
    if !request.counters.is_empty() {
        let input = request.directory.join("counters.json");
        plan.files.push((input.clone(), jobs(request, &mut plan.notes)?));
        let run = Invocation::record(NAME).argument("-i").argument(input).arguments([
            "--kernel-trace",
            "-f",
            "csv",
        ]);
        plan.runs.push(places(run));
    }
    Ok(plan)
}

fn options(record: Record) -> Vec<&'static str> {
    if !record.has_traces() {
        return if record.stats { vec!["--kernel-trace", "--memory-copy-trace"] } else { USUAL.to_vec() };
    }
    // Calls brought their kernels and copies with them in older profilers, which is what people expect of the words.
    let calls = record.runtime || record.hsa;
    [
        (record.system, "--sys-trace"),
        (record.runtime, "--hip-trace"),
        (record.hsa, "--hsa-trace"),
        (record.markers, "--marker-trace"),
        (record.kernels || calls || record.markers, "--kernel-trace"),
        (calls, "--memory-copy-trace"),
    ]
    .into_iter()
    .filter_map(|(wanted, option)| wanted.then_some(option))
    .collect()
}

/// The input file: one job for each pass. JSON, because YAML needs a package that may not be there.
fn jobs(request: &Request, notes: &mut Vec<String>) -> Result<String, Refused> {
    let counters = &request.counters;
    if let Some(name) = counters.passes.iter().flatten().find(|name| name.contains('[')) {
        let base = name.split('[').next().unwrap_or_default();
        return Err(Refused::new(
            format!("rocprofv3 does not support counter instances: {name}"),
            format!("use {base}, the sum over all instances"),
        ));
    }
    if !counters.ranges.is_empty() || !counters.devices.is_empty() {
        notes.push(
            "rocprofv3 counts all launches on all devices: it does not support `gpu`, and ranges apply per kernel".to_owned(),
        );
    }
    let jobs = counters.passes.iter().map(|pass| {
        let mut job = serde_json::Map::new();
        if !pass.is_empty() {
            job.insert("pmc".to_owned(), json!(pass));
        }
        if !counters.kernels.is_empty() {
            let parts: Vec<String> = counters.kernels.iter().map(|part| literal(part)).collect();
            job.insert("kernel_include_regex".to_owned(), json!(parts.join("|")));
        }
        Value::Object(job)
    });
    Ok(format!("{:#}\n", json!({ "jobs": jobs.collect::<Vec<_>>() })))
}

/// A regular expression that matches just this.
fn literal(text: &str) -> String {
    let mut expression = String::with_capacity(text.len());
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$".contains(letter) {
            expression.push('\\');
        }
        expression.push(letter);
    }
    expression
}

/// Databases or JSON for traces, tables for counters. Sums repeat what the traces say.
fn readable(files: &[PathBuf]) -> Vec<PathBuf> {
    let counted = |file: &&PathBuf| {
        file.parent().and_then(|parent| parent.file_name()).is_some_and(|name| {
            let name = name.to_string_lossy();
            name.starts_with("pass_") || name.starts_with("pmc_")
        })
    };
    let tables = |file: &&PathBuf| !file.to_string_lossy().ends_with("_stats.csv");
    let mut found: Vec<PathBuf> = ending(files, ".csv").filter(counted).filter(tables).cloned().collect();
    let others: Vec<PathBuf> = files.iter().filter(|file| !counted(file)).cloned().collect();
    for suffix in ["_results.db", "_results.json", ".csv"] {
        let whole: Vec<PathBuf> = ending(&others, suffix).filter(tables).cloned().collect();
        if !whole.is_empty() {
            found.extend(whole);
            break;
        }
    }
    found.sort_unstable();
    found
}
