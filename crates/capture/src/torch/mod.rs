//! Programs that use PyTorch, recorded by PyTorch's own profiler without a change to their code.
//!
//! Python imports a module `sitecustomize` when it starts. Ours stands in front of the path, hands over to the one that
//! it hides, and waits for `torch` to be imported; see `sitecustomize.py` and `recorder.py`, which are part of the
//! program. What they do is said by variables of the environment, so that every process that the program starts knows
//! it too.

mod interpreter;
mod request;
mod told;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::plan::{Invocation, Plan, Refused};

pub use self::request::Request;
pub use self::told::{Told, told};

/// The directory, below the one that is recorded into, that Python finds `sitecustomize` in.
pub const INJECTED: &str = "injected";
/// How the name of a trace ends.
pub const TRACE: &str = ".pt.trace.json";
/// How the name of a snapshot of CUDA memory ends.
pub const SNAPSHOT: &str = ".snapshot.pickle";
/// How the name of a file ends in which a process says what became of its recording.
pub const NOTE: &str = ".note.txt";

const SITECUSTOMIZE: &str = include_str!("sitecustomize.py");
const RECORDER: &str = include_str!("recorder.py");

/// How a program is run so that every process of it that uses PyTorch writes a trace into a directory.
///
/// # Errors
///
/// If Python is started such that it imports no `sitecustomize`, so that nothing would be recorded.
pub fn plan(request: &Request, directory: &Path, program: &[OsString]) -> Result<Plan, Refused> {
    interpreter::check(program)?;
    let Some((first, arguments)) = program.split_first() else {
        return Err(Refused::new("there is no program to run", "put it after `--`"));
    };
    let injected = directory.join(INJECTED);
    let mut run = Invocation::record(first).arguments(arguments.iter().cloned());
    run.search.push(("PYTHONPATH", injected.clone()));
    run.environment = request.environment(directory);
    Ok(Plan {
        files: vec![
            (injected.join("recorder.py"), RECORDER.to_owned()),
            (injected.join("sitecustomize.py"), SITECUSTOMIZE.to_owned()),
        ],
        directories: vec![directory.to_owned(), injected],
        runs: vec![run],
        notes: Vec::new(),
    })
}

/// The files with names that end so, of those that were written.
pub fn ending<'a>(files: &'a [PathBuf], suffix: &'a str) -> impl Iterator<Item = &'a PathBuf> {
    files.iter().filter(move |file| file.to_string_lossy().ends_with(suffix))
}
