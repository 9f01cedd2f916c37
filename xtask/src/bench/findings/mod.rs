//! The benchmark of findings: jobs with a fault that is known, and without.
//!
//! A fault is simulated, and the same job without it. So it is known what a report has to say first, and what is
//! gained by following it.

mod answer;
mod cases;
mod score;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail};

use self::answer::Answer;
use self::cases::Case;
use super::ingest::{build, machine};
use crate::options::Options;
use crate::project;
use crate::simulate::faults::FAULTS;

/// Runs the benchmark.
pub(super) fn run(mut options: Options) -> Result<()> {
    let only = options.value("--case")?;
    let keep = options.value("--keep")?.map(PathBuf::from);
    let program = options.value("--program")?.map(PathBuf::from);
    let is_small = options.flag("--small");
    let is_list = options.flag("--list");
    options.finish()?;
    if is_list {
        for fault in &FAULTS {
            println!(
                "{}: {}\n  strengths {:?}, findings {:?}",
                fault.name, fault.what, fault.strengths, fault.findings
            );
        }
        return Ok(());
    }
    let mut cases = cases::all(is_small);
    if let Some(only) = &only {
        cases.retain(|case| case.name().contains(only));
    }
    if cases.is_empty() {
        bail!("no case has this name\nhint: `cargo xtask bench findings` names those that miss");
    }
    let work = Work {
        eaves: program.map_or_else(build, Ok)?,
        folder: keep.clone().unwrap_or_else(|| project::target().join("bench").join("findings")),
        is_kept: keep.is_some(),
    };
    println!("{}", machine());
    let answers = work.ask_all(&cases)?;
    if only.is_some() {
        answers.iter().for_each(score::print_one);
    }
    let holds = score::print(&answers);
    if is_small && !holds { bail!("the goals do not hold") } else { Ok(()) }
}

/// How cases are asked about.
struct Work {
    eaves: PathBuf,
    folder: PathBuf,
    is_kept: bool,
}

impl Work {
    fn ask(&self, case: &Case) -> Result<Answer> {
        let folder = self.folder.join(case.name());
        let answer = Answer::of(&self.eaves, case, &folder)?;
        if !self.is_kept {
            std::fs::remove_dir_all(&folder)?;
        }
        Ok(answer)
    }

    /// All answers in the order of the cases, on as many threads as there are.
    fn ask_all(&self, cases: &[Case]) -> Result<Vec<Answer>> {
        let next = AtomicUsize::new(0);
        let answers = Mutex::new(Vec::new());
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some((index, case)) = {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        cases.get(index).map(|case| (index, case))
                    } {
                        let answer = self.ask(case);
                        if let Ok(mut answers) = answers.lock() {
                            answers.push((index, answer));
                        }
                    }
                });
            }
        });
        let mut answers = answers.into_inner().unwrap_or_default();
        answers.sort_by_key(|(index, _)| *index);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }
}
