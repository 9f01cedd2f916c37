//! What a process costs: CPU time, wall time, memory.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// The cost of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cost {
    /// User and system time of all threads and of children that were waited for.
    pub(crate) cpu_seconds: f64,
    pub(crate) wall_seconds: f64,
    pub(crate) peak_bytes: u64,
}

/// Runs a command, discards what it prints, and measures it from start to end.
///
/// The peak counts from the moment of the fork, when the child still shares the memory of this process. So this
/// process must stay small: everything that reads a whole file into memory is a child too.
pub(crate) fn run(command: &mut Command) -> Result<Cost> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let start = Instant::now();
    let child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let (success, usage) = wait(child.id())?;
    let cost = Cost { wall_seconds: start.elapsed().as_secs_f64(), ..usage };
    if !success {
        bail!("{command:?} failed");
    }
    Ok(cost)
}

/// Runs several times; answers the median of each figure.
pub(crate) fn median(runs: usize, mut run: impl FnMut() -> Result<Cost>) -> Result<Cost> {
    let costs = (0..runs).map(|_| run()).collect::<Result<Vec<Cost>>>()?;
    let middle = |figure: fn(&Cost) -> f64| {
        let mut figures: Vec<f64> = costs.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures.get(figures.len() / 2).copied().unwrap_or_default()
    };
    Ok(Cost {
        cpu_seconds: middle(|cost| cost.cpu_seconds),
        wall_seconds: middle(|cost| cost.wall_seconds),
        peak_bytes: middle(|cost| cost.peak_bytes as f64) as u64,
    })
}

/// CPU seconds of this process so far.
#[cfg(unix)]
pub(crate) fn own_cpu_seconds() -> f64 {
    let mut usage = empty_usage();
    #[expect(unsafe_code, reason = "the call fills a structure that we own")]
    unsafe {
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
    }
    cpu_seconds(&usage)
}

#[cfg(unix)]
fn wait(process: u32) -> Result<(bool, Cost)> {
    let mut status = 0;
    let mut usage = empty_usage();
    #[expect(unsafe_code, reason = "the call fills two values that we own; nobody else waits for this child")]
    let waited = unsafe { libc::wait4(process as libc::pid_t, &mut status, 0, &mut usage) };
    if waited < 0 {
        bail!("cannot wait for process {process}: {}", std::io::Error::last_os_error());
    }
    let success = libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0;
    // Linux counts in kibibytes, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let peak_bytes = usage.ru_maxrss as u64 * unit;
    Ok((success, Cost { cpu_seconds: cpu_seconds(&usage), wall_seconds: 0.0, peak_bytes }))
}

#[cfg(unix)]
fn empty_usage() -> libc::rusage {
    #[expect(unsafe_code, reason = "the structure consists of integers, for which zero is a value")]
    unsafe {
        std::mem::zeroed()
    }
}

#[cfg(unix)]
fn cpu_seconds(usage: &libc::rusage) -> f64 {
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

#[cfg(not(unix))]
pub(crate) fn own_cpu_seconds() -> f64 {
    0.0
}

#[cfg(not(unix))]
fn wait(_process: u32) -> Result<(bool, Cost)> {
    bail!("benchmarks measure processes with `wait4`, which this system does not have")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_taken_figure_by_figure() {
        let mut walls = [3.0, 1.0, 2.0].into_iter();
        let cost = median(3, || {
            let wall_seconds = walls.next().unwrap();
            Ok(Cost { cpu_seconds: -wall_seconds, wall_seconds, peak_bytes: 7 })
        });
        assert_eq!(cost.unwrap(), Cost { cpu_seconds: -2.0, wall_seconds: 2.0, peak_bytes: 7 });
    }

    #[test]
    fn a_failing_command_is_an_error() {
        assert!(run(&mut Command::new("false")).is_err());
        assert!(run(&mut Command::new("true")).is_ok());
    }
}
