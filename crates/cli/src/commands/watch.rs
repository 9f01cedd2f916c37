//! `eaves watch`: live CPU, memory and GPU load.

use std::io::IsTerminal;
use std::process::{Child, Command};
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use eaves_section::quantity;
use eaves_serve::live::{Sample, Sampler};

use crate::Status;
use crate::arguments::OutputArguments;
use crate::failure::hinted;
use crate::printer::Printer;
use eaves_app::Form;
use eaves_app::HELP_TEMPLATE;

/// Show live CPU, memory and GPU load, optionally of a program
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves watch
  eaves watch --json --samples 10
  eaves watch -- python train.py"
)]
pub(crate) struct Arguments {
    /// Seconds between samples
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "1")]
    interval: Duration,
    /// Stop after this many samples
    #[arg(long, value_name = "N")]
    samples: Option<u64>,
    /// Program to run and watch, with its arguments
    #[arg(value_name = "CMD", last = true)]
    command: Vec<String>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| (0.05..=3600.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "expected 0.05 to 3600 seconds".to_owned())
}

/// Watches until the program ends, the samples are taken, or it is interrupted.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<Status> {
    let printer = output.printer();
    let mut child = start(&arguments.command)?;
    let mut sampler = Sampler::new(child.as_ref().map(Child::id));
    let json = output.format() == Some(Form::Json);
    // The output of the program has stdout for itself.
    let mut view = View { printer, json, beside: child.is_some(), lines: 0 };
    let mut taken = 0;
    loop {
        let code = wait(child.as_mut(), arguments.interval)?;
        if let Some(code) = code {
            return Ok(Status::Program(code));
        }
        if arguments.samples.is_none_or(|samples| taken < samples) {
            view.show(&sampler.sample())?;
            taken += 1;
        }
        if child.is_none() && arguments.samples == Some(taken) {
            return Ok(Status::Done);
        }
    }
}

fn start(command: &[String]) -> Result<Option<Child>> {
    let Some((program, arguments)) = command.split_first() else { return Ok(None) };
    let started = Command::new(program).args(arguments).spawn();
    started.map(Some).map_err(|error| {
        hinted(format!("cannot start `{program}`: {}", error.kind()), "is it installed and on the PATH?")
    })
}

/// Waits for the next sample; the exit code of the program if it ends before that.
fn wait(child: Option<&mut Child>, interval: Duration) -> Result<Option<u8>> {
    /// How soon the end of the program is seen.
    const LOOK: Duration = Duration::from_millis(20);
    let Some(child) = child else {
        std::thread::sleep(interval);
        return Ok(None);
    };
    let begun = std::time::Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(code(status)));
        }
        let left = interval.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Ok(None);
        }
        std::thread::sleep(left.min(LOOK));
    }
}

/// The exit code as a shell tells it.
fn code(status: std::process::ExitStatus) -> u8 {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return u8::try_from(128 + signal).unwrap_or(u8::MAX);
        }
    }
    status.code().map_or(1, |code| code as u8)
}

/// Where samples are shown.
struct View {
    printer: Printer,
    json: bool,
    beside: bool,
    /// Lines that stand on the screen and are written over.
    lines: usize,
}

impl View {
    fn show(&mut self, sample: &Sample) -> Result<()> {
        if self.json {
            let mut line = serde_json::to_string(sample)?;
            line.push('\n');
            if self.beside {
                self.printer.message(&line);
            } else {
                self.printer.raw_data(line.as_bytes())?;
            }
            return Ok(());
        }
        let lines = lines(sample);
        let on_screen = match self.beside {
            true => std::io::stderr().is_terminal(),
            false => std::io::stdout().is_terminal(),
        };
        // Up, and away with what was there.
        let back =
            if on_screen && self.lines > 0 { format!("\x1b[{}A\x1b[J", self.lines) } else { String::new() };
        let text = format!("{back}{}\n", lines.join(if on_screen { "\n" } else { "  " }));
        // Next to a program nothing is written over: its own lines may stand between.
        self.lines = if self.beside { 0 } else { lines.len() };
        if self.beside {
            self.printer.note(&text);
        } else {
            self.printer.raw_data(text.as_bytes())?;
        }
        Ok(())
    }
}

/// A sample in a few lines.
fn lines(sample: &Sample) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(cpu) = &sample.cpu {
        let cores: String = cpu.cores_pct.iter().map(|share| block(*share)).collect();
        lines.push(format!("cpu {} {cores}", quantity::percent(cpu.total_pct)));
    }
    if let Some(memory) = sample.memory {
        let used = memory.total_bytes.saturating_sub(memory.available_bytes);
        lines.push(format!(
            "memory {} of {}",
            quantity::bytes(used as f64),
            quantity::bytes(memory.total_bytes as f64)
        ));
    }
    if let Some([one, five, fifteen]) = sample.load {
        lines.push(format!("load {one:.2} {five:.2} {fifteen:.2}"));
    }
    if let Some(program) = &sample.program {
        let cpu = program.cpu_pct.map_or_else(|| quantity::MISSING.to_owned(), quantity::percent);
        let processes = match program.count {
            1 => "1 process".to_owned(),
            count => format!("{count} processes"),
        };
        let threads = program.threads.map(|threads| quantity::counted(threads, "thread") + " in ");
        lines.push(format!(
            "program {cpu} cpu, {}, {}{processes}",
            quantity::bytes(program.memory_bytes as f64),
            threads.unwrap_or_default(),
        ));
    }
    for gpu in &sample.gpus {
        let mut parts = vec![gpu.name.clone()];
        parts.extend(gpu.utilisation_pct.map(quantity::percent));
        parts.extend(gpu.memory_used_bytes.map(|bytes| quantity::bytes(bytes as f64)));
        parts.extend(gpu.power_w.map(|power| format!("{power:.0} W")));
        parts.extend(gpu.temperature_c.map(|degrees| format!("{degrees:.0} °C")));
        parts.extend(gpu.clock_mhz.map(|clock| format!("{clock:.0} MHz")));
        lines.push(parts.join("  "));
    }
    lines
}

/// A share as a bar of one letter.
fn block(share: f64) -> char {
    const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    BLOCKS[((share / 100.0 * 8.0).round() as usize).min(8)]
}

#[cfg(test)]
mod tests {
    use eaves_serve::live::Cores;

    use super::*;

    #[test]
    fn a_sample_is_a_few_lines() {
        let cpu = Some(Cores { total_pct: 50.0, cores_pct: vec![0.0, 100.0, f64::NAN] });
        let sample = Sample { cpu, load: Some([0.5, 1.0, 2.0]), ..Sample::default() };
        assert_eq!(lines(&sample), ["cpu 50.0%  █ ", "load 0.50 1.00 2.00"]);
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert!(seconds("0").is_err() && seconds("x").is_err());
    }
}
