//! Programs that use PyTorch, recorded by PyTorch's own profiler without a change to their code.
//!
//! Python imports a module `sitecustomize` when it starts. Ours stands in front of the path, hands over to the one that
//! it hides, and waits for `torch` to be imported; see `sitecustomize.py` and `recorder.py`, which are part of the
//! program. What they do is said by variables of the environment, so that every process that the program starts knows
//! it too.

mod interpreter;
mod process_notes;
mod request;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::plan::{Invocation, Plan, Refused};

pub use self::process_notes::{ProcessNotes, process_notes};
pub use self::request::Request;

/// The directory, below the one that is recorded into, that Python finds `sitecustomize` in.
pub const INJECTED: &str = "injected";
/// How the name of a trace ends.
pub const TRACE: &str = ".pt.trace.json";
/// How the name of a snapshot of CUDA memory ends.
pub const SNAPSHOT: &str = ".snapshot.pickle";
/// How the name of a file ends in which a process says what became of its recording.
pub const NOTE: &str = ".note.txt";

/// What is injected. All of it every time, for the environment says which part is run.
const PARTS: [(&str, &str); 7] = [
    ("attach.py", include_str!("attach.py")),
    ("categories.py", include_str!("categories.py")),
    ("ending.py", include_str!("ending.py")),
    ("processes.py", include_str!("processes.py")),
    ("recorder.py", include_str!("recorder.py")),
    ("signs.py", include_str!("signs.py")),
    ("sitecustomize.py", include_str!("sitecustomize.py")),
];

/// How a program is run so that every process of it that uses PyTorch writes a trace into a directory.
///
/// # Errors
///
/// If Python is started such that it imports no `sitecustomize`, so that nothing would be recorded.
pub fn plan(request: &Request, directory: &Path, program: &[OsString]) -> Result<Plan, Refused> {
    injected(request.environment(directory), directory, program)
}

/// How a program is run with an environment in which Python finds us.
pub(crate) fn injected(
    environment: Vec<(&'static str, OsString)>,
    directory: &Path,
    program: &[OsString],
) -> Result<Plan, Refused> {
    interpreter::check(program)?;
    let Some((first, arguments)) = program.split_first() else {
        return Err(Refused::new("no program to run", "put it after `--`"));
    };
    let injected = directory.join(INJECTED);
    let mut run = Invocation::record(first).arguments(arguments.iter().cloned());
    run.search.push(("PYTHONPATH", injected.clone()));
    run.environment = environment;
    let files = PARTS.iter().map(|(name, text)| (injected.join(name), (*text).to_owned())).collect();
    let directories = vec![directory.to_owned(), injected];
    Ok(Plan { files, directories, runs: vec![run], notes: Vec::new() })
}

/// The files with names that end so, of those that were written.
pub fn ending<'a>(files: &'a [PathBuf], suffix: &'a str) -> impl Iterator<Item = &'a PathBuf> {
    files.iter().filter(move |file| file.to_string_lossy().ends_with(suffix))
}
