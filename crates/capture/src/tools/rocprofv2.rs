//! `rocprofv2`: a shell script like its predecessor, deprecated since ROCm 6.4.
//!
//! Read in its own source, ROCm/rocprofiler `bin/rocprofv2`: every word that begins with `-` must be an option of its
//! own, so there is no `--`; every line of the input file that has `pmc` in it is a run of the program, into `pmc_<n>`.

use std::path::PathBuf;

use crate::files::ProcessIn;
use crate::plan::{Invocation, Plan, Refused, without_blanks};
use crate::request::{Record, Request};

use super::{Noise, Tool, ending, not_told, refuse_metrics};

const NAME: &str = "rocprofv2";

pub(super) const TOOL: Tool = Tool {
    id: NAME,
    family: "rocprof",
    command: Some(NAME),
    install: super::rocprof::INSTALL,
    probe: None,
    make,
    readable,
    process_in: ProcessIn::Back,
    noise: Noise {
        stdout: &[
            "\u{1b}[0;31mWARNING: We are phasing out*",
            "The output path for the following counters: *",
            "ROCProfilerV2: *",
            "ROCProfiler: *",
        ],
        stderr: &[],
        failures: &["Wrong option \"*", "Wrong input \"*", "Error: \"*\" doesn't exist!"],
    },
    program_code: not_told,
};

fn make(request: &Request, _: Option<&str>) -> Result<Plan, Refused> {
    refuse_metrics(request, NAME)?;
    without_blanks(NAME, &request.directory)?;
    let mut plan = Plan { directories: vec![request.directory.clone()], ..Plan::default() };
    if request.record.stats {
        plan.notes.push("rocprofv2 writes no statistics; see the report".to_owned());
    }
    let common = |run: Invocation| {
        run.arguments(["--plugin", "file", "-d"])
            .argument(request.directory.clone())
            .arguments(request.program.clone())
    };
    if request.record.has_traces() || request.counters.is_empty() {
        plan.runs.push(common(Invocation::record(NAME).arguments(options(request.record))));
    }
    if !request.counters.is_empty() {
        let input = request.directory.join("counters.txt");
        if !request.counters.ranges.is_empty() || !request.counters.devices.is_empty() {
            plan.notes.push(
                "rocprofv2 counts all launches on all devices: it does not support `range` and `gpu`"
                    .to_owned(),
            );
        }
        plan.files.push((input.clone(), request.counters.to_text()));
        plan.runs.push(common(Invocation::record(NAME).argument("-i").argument(input)));
    }
    Ok(plan)
}

fn options(record: Record) -> Vec<&'static str> {
    let record = if record.has_traces() {
        record
    } else {
        Record { runtime: true, kernels: true, ..Record::default() }
    };
    [
        (record.runtime, "--hip-trace"),
        (record.hsa, "--hsa-trace"),
        (record.system, "--sys-trace"),
        (record.markers, "--roctx-trace"),
        (record.kernels, "--kernel-trace"),
    ]
    .into_iter()
    .filter_map(|(wanted, option)| wanted.then_some(option))
    .collect()
}

fn readable(files: &[PathBuf]) -> Vec<PathBuf> {
    ending(files, ".csv").cloned().collect()
}
