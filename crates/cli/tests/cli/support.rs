//! Runs the binary on small traces made on the spot.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// One rank: a step, a launch, a kernel of 30 us, a gap of 10 us, a kernel of 10 us, an all-reduce of 50 us.
pub(crate) const TRACE: &str = r#"{"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 1},
"traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 1, "tid": 1, "ts": 0, "dur": 200},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "args": {"correlation": 1}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 5, "dur": 2, "args": {"correlation": 2}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 9, "dur": 2, "args": {"correlation": 3}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 30, "args": {"correlation": 1, "device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "relu", "pid": 0, "tid": 7, "ts": 50, "dur": 10, "args": {"correlation": 2, "device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "pid": 0, "tid": 20, "ts": 60, "dur": 50, "args": {"correlation": 3, "device": 0, "stream": 20}}
]}
"#;

/// The command with the arguments, in a directory, without anything the environment says about colors
/// and about this machine.
pub(crate) fn eaves(directory: &Path, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_eaves"));
    command.current_dir(directory).args(arguments);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(name);
    }
    // What this machine was measured to do is not a part of a test.
    command.env("EAVES_CACHE_DIR", directory.join("no-cache"));
    command
}

/// What a finished command said.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Runs the command to its end.
pub(crate) fn run(directory: &Path, arguments: &[&str]) -> Answer {
    eaves(directory, arguments).output().unwrap().into()
}

/// A directory with one trace, and a folder `ranks` with the traces of two ranks.
pub(crate) fn traces() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("trace.json"), TRACE).unwrap();
    std::fs::create_dir(directory.path().join("ranks")).unwrap();
    for rank in 0..2 {
        let text = TRACE.replace("\"rank\": 0", &format!("\"rank\": {rank}"));
        std::fs::write(directory.path().join(format!("ranks/rank-{rank}.json")), text).unwrap();
    }
    directory
}

/// The names of the files in a directory, hidden ones too, sorted.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names
}

/// Runs the command, which must fail with a message and leave nothing behind.
pub(crate) fn fails(directory: &Path, arguments: &[&str], message: &str) {
    let before = names(directory);
    let answer = run(directory, arguments);
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{answer:?}");
    assert!(answer.stderr.contains(message), "{arguments:?}: {answer:?}");
    assert_eq!(names(directory), before, "nothing is left behind");
}
