//! Operators against what the device can do.

use std::borrow::Cow;

use eaves_roofline::Device;

use super::{Analyse, Rank, missing};
use crate::roofline::{Scope, TracePoints, reported_device, trace_points, trace_section};
use crate::section::{Provenance, Skipped};
use crate::{Job, MeasuredMachine, Outcome, RankView};

pub(super) struct Roofline;

impl Analyse for Roofline {
    const ID: &'static str = "roofline";
    const NEEDS_TIMES: bool = false;
    type Part = TracePoints;

    fn measure(rank: &RankView<'_>) -> TracePoints {
        trace_points(rank)
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, TracePoints>]) -> Outcome {
        let ranks: Vec<_> = ranks.iter().filter(|rank| !rank.part.rows.is_empty()).collect();
        if ranks.is_empty() {
            return missing::gpu_activity(job, Self::ID);
        }
        let scope = Scope { ranks: ranks.len() as u64, steps: ranks.iter().map(|rank| rank.steps).sum() };
        let points = TracePoints::merged(ranks.iter().map(|rank| rank.part));
        if points.is_of_host() && job.options.device.is_none() {
            return against_machine(job, &points, scope);
        }
        match known_device(job, &points) {
            Ok(device) => Outcome::Section(trace_section(&points, scope, &device, &job.options.roofline)),
            Err(missing) => Outcome::Skipped(Skipped {
                id: Self::ID,
                missing,
                how_to_record: "name the device with `--device`; `eaves device list` lists all known devices"
                    .to_owned(),
            }),
        }
    }
}

/// Recordings of a CPU name no device. The machine that runs this may be another than the one that was recorded, which the
/// section says.
fn against_machine(job: &Job, points: &TracePoints, scope: Scope) -> Outcome {
    let is_here = |machine: &&std::sync::Arc<MeasuredMachine>| {
        machine.host_name.is_none() || points.hosts.iter().all(|host| host.name == machine.host_name)
    };
    let threads = points.hosts.first().and_then(|host| host.operator_threads);
    let threads = threads.filter(|_| points.hosts.iter().all(|host| host.operator_threads == threads));
    let machine = job.options.machine.as_ref().filter(is_here);
    let Some((machine, device)) = machine.and_then(|machine| Some((machine, machine.device(threads)?)))
    else {
        return Outcome::Skipped(Skipped {
            id: Roofline::ID,
            missing: "the device, which CPU recordings do not name".to_owned(),
            how_to_record:
                "run `eaves device measure` once, in less than a minute, to compare recordings made on \
                this machine; or name a device with `--device`"
                    .to_owned(),
        });
    };
    let mut section = trace_section(points, scope, device, &job.options.roofline);
    for number in section.numbers.iter_mut().filter(|number| number.id == "device") {
        number.provenance = Provenance::Measured;
        number.explain = match machine.host_name {
            Some(_) => "This machine, as measured; the recording names the same host.",
            None => "This machine, as measured, because the recording names no device; it may differ.",
        };
    }
    Outcome::Section(section)
}

/// The device that was asked for, or the one that the recordings name, if they name one that is known.
fn known_device<'a>(job: &'a Job, points: &TracePoints) -> Result<Cow<'a, Device>, String> {
    if let Some(device) = &job.options.device {
        return Ok(Cow::Borrowed(device));
    }
    let device = reported_device(&points.devices)?;
    Ok(Cow::Owned(match points.ceilings() {
        Some(ceilings) => ceilings.applied_to(device),
        None => device,
    }))
}
