//! Kernels in turns with the roofs that bound them.

use eaves_assess::bench::Ran;
use eaves_assess::validate::Beside;
use eaves_bench::cpu::Cpu;
use eaves_bench::roofs::{Gauges, Roofs};
use eaves_bench::{Limits, Measurement, Spec};

use super::{Against, Runner, Task, guards};

impl Runner<'_> {
    /// Runs each task in turns with the roofs that bound it, and answers the roofs of those seconds too; `None` where there
    /// are none of so many threads.
    pub(crate) fn run_beside(
        &self,
        cpu: &Cpu,
        tasks: &[Task],
        against: &Against,
    ) -> (Vec<Ran>, Vec<Option<Beside>>) {
        let Some(roofs) = &against.measured else {
            return (self.run(tasks, against), Vec::new());
        };
        let mut gauges: Option<(usize, Gauges<'_>)> = None;
        let (mut ran, mut beside) = (Vec::new(), Vec::new());
        for task in tasks {
            let threads = task.options.threads;
            self.steps.show(ran.len(), tasks.len(), &super::described(task, 1));
            // As many kernels as there are threads are not kept twice.
            if gauges.as_ref().is_none_or(|(known, _)| *known != threads) {
                gauges = known(roofs, threads).then(|| (threads, Gauges::new(cpu, roofs, threads)));
            }
            let (answer, roofs_of_it) = match &mut gauges {
                Some((_, gauges)) => in_turns(gauges, task, against),
                None => (self.run(std::slice::from_ref(task), against).pop(), None),
            };
            ran.extend(answer);
            beside.push(roofs_of_it);
        }
        self.steps.finish();
        (ran, beside)
    }
}

/// Whether roofs of so many threads were measured.
fn known(roofs: &Roofs, threads: usize) -> bool {
    threads == 1 || threads == roofs.threads
}

fn in_turns(gauges: &mut Gauges<'_>, task: &Task, against: &Against) -> (Option<Ran>, Option<Beside>) {
    match gauges.measure(&task.spec, &task.options) {
        Err(error) => (Some(Ran::Refused { spec: task.spec, why: error.to_string() }), None),
        Ok((mut measurement, beside, roofs)) => {
            let limits = raised(against.limits(&measurement), &measurement, &beside);
            guards::add(&mut measurement, &limits);
            let roofs = Beside { middle: roofs.middle, quick: roofs.quick, slow: roofs.slow };
            (Some(Ran::Measured(measurement)), Some(roofs))
        }
    }
}

/// Limits with what roofs were seen to reach beside the measurement: others may have left less of the machine before.
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
