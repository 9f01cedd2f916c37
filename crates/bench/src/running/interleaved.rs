//! Kernels in alternation with the roofs that bound them.

use eaves_roofline::measured::Ran;

use super::{KnownRoofs, Runner, Step, Task, guards};
use crate::cpu::Cpu;
use crate::roofs::{Beside, Gauges, Roofs};
use crate::{Limits, Measurement, Spec};

impl Runner<'_> {
    /// Runs each task in alternation with the roofs that bound it, and answers the roofs of those seconds too; `None` where there
    /// are none of this many threads.
    pub fn run_beside(
        &mut self,
        cpu: &Cpu,
        tasks: &[Task],
        known: &KnownRoofs,
    ) -> (Vec<Ran>, Vec<Option<Beside>>) {
        let Some(roofs) = &known.measured else {
            return (self.run(tasks, known), Vec::new());
        };
        let mut gauges: Option<(usize, Gauges<'_>)> = None;
        let (mut ran, mut beside) = (Vec::new(), Vec::new());
        for task in tasks {
            let threads = task.options.threads;
            let group = std::slice::from_ref(task);
            (self.tell)(Step { done: ran.len(), total: tasks.len(), group });
            // As many kernels as there are threads are not kept twice.
            if gauges.as_ref().is_none_or(|(made_for, _)| *made_for != threads) {
                gauges = are_known(roofs, threads).then(|| (threads, Gauges::new(cpu, roofs, threads)));
            }
            let (answer, roofs_of_it) = match &mut gauges {
                Some((_, gauges)) => in_turns(gauges, task, known),
                None => (self.run_group(group, known).pop(), None),
            };
            ran.extend(answer);
            beside.push(roofs_of_it);
        }
        (ran, beside)
    }
}

/// Whether roofs of this many threads were measured.
fn are_known(roofs: &Roofs, threads: usize) -> bool {
    threads == 1 || threads == roofs.threads
}

fn in_turns(gauges: &mut Gauges<'_>, task: &Task, known: &KnownRoofs) -> (Option<Ran>, Option<Beside>) {
    match gauges.measure(&task.spec, &task.options) {
        Err(error) => (Some(Ran::Refused { spec: task.spec, why: error.to_string() }), None),
        Ok((mut measurement, beside, roofs)) => {
            let limits = raised(known.limits(&measurement), &measurement, &beside);
            guards::add(&mut measurement, &limits);
            (Some(Ran::Measured(measurement)), Some(roofs))
        }
    }
}

/// Limits with what roofs were seen to reach next to the measurement: others may have left less of the machine before.
fn raised(mut limits: Limits, measurement: &Measurement, beside: &[Measurement]) -> Limits {
    for gauge in beside.iter().filter(|gauge| gauge.is_sound()) {
        let (limit, rate) = match gauge.spec {
            Spec::Fma { .. } if gauge.work.arithmetic == measurement.work.arithmetic => {
                (&mut limits.peak, gauge.flops_per_second(true))
            }
            Spec::Stream { .. } if gauge.conditions.state == measurement.conditions.state => {
                (&mut limits.bandwidth, gauge.bytes_per_second(true))
            }
            _ => continue,
        };
        if let (Some((_, limit)), Some(rate)) = (limit, rate) {
            *limit = limit.max(rate);
        }
    }
    limits
}
