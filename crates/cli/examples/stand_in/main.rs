//! A stand-in for profilers on machines without them: takes and refuses the options that the real one does, runs the
//! program, and writes files of the real form to the real place. Which one it is depends on the name it is called by.
//!
//! Written from the tools' own sources and manuals, for the tests of `eaves profile`.

#![expect(clippy::print_stdout, clippy::print_stderr, clippy::exit, reason = "it is a program of its own")]

mod ncu;
mod nsys;
mod rocprof;
mod rocprofv2;
mod rocprofv3;

use std::path::Path;
use std::process::{Command, ExitStatus, exit};

fn main() {
    let mut arguments = std::env::args();
    let name = arguments.next().unwrap_or_default();
    let arguments: Vec<String> = arguments.collect();
    let name = Path::new(&name).file_name().map(|name| name.to_string_lossy().into_owned());
    let code = match name.as_deref() {
        Some("ncu") => ncu::main(&arguments),
        Some("nsys") => nsys::main(&arguments),
        Some("rocprof") => rocprof::main(&arguments),
        Some("rocprofv2") => rocprofv2::main(&arguments),
        Some("rocprofv3") => rocprofv3::main(&arguments),
        other => {
            eprintln!("link it as the profiler it is to stand in for, not {other:?}");
            2
        }
    };
    exit(code);
}

/// Runs the program as it is given.
fn run(program: &[String]) -> i32 {
    let Some((name, arguments)) = program.split_first() else { return 127 };
    match Command::new(name).args(arguments).status() {
        Ok(status) => code(status),
        Err(error) => {
            eprintln!("{name}: {error}");
            127
        }
    }
}

/// As a shell tells it.
fn code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(1)
}

/// Writes a file, or says why not and ends.
fn write(path: impl AsRef<Path>, content: &str) {
    let path = path.as_ref();
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    if let Err(error) = made.and_then(|()| std::fs::write(path, content)) {
        eprintln!("{}: {error}", path.display());
        exit(1);
    }
}
