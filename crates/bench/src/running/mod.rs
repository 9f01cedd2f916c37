//! Running kernels: on what, in which groups, and compared with physical limits.
//!
//! A number leaves this module only with the limits it breaks: [`Runner`] checks each measurement against the roofs that are
//! known and against what the instructions of the processor can do at all.

mod groups;
mod guards;
mod interleaved;
mod known_roofs;
mod opened;
#[cfg(test)]
mod stand_in;

use eaves_roofline::measured::Ran;

use crate::cpu::gemm::Implementation;
use crate::{Backend, BenchError, Measurement, Options, Spec};

pub use known_roofs::KnownRoofs;
pub use opened::{BackendKind, Opened, Unavailable};

/// One kernel to be run.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// What to run.
    pub spec: Spec,
    /// How to run it.
    pub options: Options,
    /// Whose code, where it is not the backend's own.
    pub code: Code,
}

/// Whose code runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Code {
    /// That of the backend.
    #[default]
    Own,
    /// Another for products of matrices.
    Product(Implementation),
}

/// Kernels that are about to run.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Tasks that finished.
    pub done: usize,
    /// Tasks in all.
    pub total: usize,
    /// The tasks that run in alternation now.
    pub group: &'a [Task],
}

/// Runs tasks, and says before each group of them what it is.
pub struct Runner<'a> {
    backend: &'a dyn Backend,
    tell: &'a mut dyn FnMut(Step<'_>),
}

impl std::fmt::Debug for Runner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runner").field("backend", &self.backend.id()).finish_non_exhaustive()
    }
}

impl<'a> Runner<'a> {
    /// A runner of this backend.
    pub fn new(backend: &'a dyn Backend, tell: &'a mut dyn FnMut(Step<'_>)) -> Self {
        Self { backend, tell }
    }

    /// Runs them, neighbors under the same conditions in alternation, and checks each against what the roofs allow.
    pub fn run(&mut self, tasks: &[Task], roofs: &KnownRoofs) -> Vec<Ran> {
        let mut ran = Vec::with_capacity(tasks.len());
        let mut rest = tasks;
        let room = groups::room();
        while let Some(first) = rest.first() {
            let (group, others) = rest.split_at(groups::together(rest, first, room));
            rest = others;
            (self.tell)(Step { done: ran.len(), total: tasks.len(), group });
            ran.extend(self.run_group(group, roofs));
        }
        ran
    }

    /// Runs tasks under the same conditions in alternation.
    fn run_group(&self, group: &[Task], roofs: &KnownRoofs) -> Vec<Ran> {
        let Some(first) = group.first() else { return Vec::new() };
        let answers = if group.iter().all(|task| task.code == Code::Own) {
            let specs: Vec<Spec> = group.iter().map(|task| task.spec).collect();
            self.backend.measure(&specs, &first.options)
        } else {
            groups::in_turns(group, &first.options)
        };
        group.iter().zip(answers).map(|(task, answer)| checked(task, answer, roofs)).collect()
    }
}

fn checked(task: &Task, answer: Result<Measurement, BenchError>, roofs: &KnownRoofs) -> Ran {
    match answer {
        Err(error) => Ran::Refused { spec: task.spec, why: error.to_string() },
        Ok(mut measurement) => {
            guards::check(&mut measurement, roofs);
            Ran::Measured(measurement)
        }
    }
}

#[cfg(test)]
mod tests;
