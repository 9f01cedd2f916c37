//! PyTorch's own profiler, inside the program. There is no command of its own: the program is run as it is, with an
//! environment in which Python finds us; see [`crate::torch`].

use std::path::PathBuf;

use crate::files::ProcessIn;
use crate::plan::{Plan, Refused};
use crate::request::Request;
use crate::torch::{self, TRACE, ending};

use super::{ALL, Noise, Tool, not_told, refuse_counters, refuse_metrics};

const NAME: &str = "torch";
const OTHERS: &str = "choose a profiler that has them: --with nsys, ncu or rocprofv3";

pub(super) const TOOL: Tool = Tool {
    id: NAME,
    family: "torch",
    command: None,
    install: &["install torch for the program's Python: pip install torch"],
    probe: None,
    make,
    readable,
    process_in: ProcessIn::Nothing,
    noise: Noise { stdout: &[], stderr: &[], failures: &[] },
    program_code: not_told,
};

fn make(request: &Request, _: Option<&str>) -> Result<Plan, Refused> {
    refuse_metrics(request, NAME)?;
    refuse_counters(request, NAME, OTHERS)?;
    if !request.record.is_empty() {
        return Err(Refused::new("PyTorch's profiler always records calls, kernels and copies", OTHERS));
    }
    if let Some(tool) = request.program.first().and_then(|program| profiler(program)) {
        return Err(Refused::new(
            format!("{tool} is a profiler itself"),
            format!("let eaves run it: eaves profile --with {tool} -- PROGRAM"),
        ));
    }
    torch::plan(&request.torch, &request.directory, &request.program)
}

/// The profiler that a program is, if it is one.
fn profiler(program: &std::ffi::OsStr) -> Option<&'static str> {
    let stem = std::path::Path::new(program).file_stem()?;
    ALL.iter().filter_map(|tool| tool.command).find(|command| stem == *command)
}

fn readable(files: &[PathBuf]) -> Vec<PathBuf> {
    ending(files, TRACE).cloned().collect()
}
