//! The `eaves` binary.

fn main() -> std::process::ExitCode {
    eaves_cli::run(std::env::args_os())
}
