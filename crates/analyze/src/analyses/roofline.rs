//! Operators against what the device can do.

use std::borrow::Cow;

use eaves_roofline::Device;

use super::{Analyse, Rank, missing};
use crate::roofline::{Scope, TracePoints, reported_device, trace_points, trace_section};
use crate::section::Skipped;
use crate::{Job, Outcome, RankView};

pub(super) struct Roofline;

impl Analyse for Roofline {
    const ID: &'static str = "roofline";
    const PLACE: u32 = 45;
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
        match known_device(job, &points) {
            Ok(device) => Outcome::Section(trace_section(&points, scope, &device, &job.options.roofline)),
            Err(missing) => Outcome::Skipped(Skipped {
                id: Self::ID,
                missing,
                how_to_record: "name the device with `--device`; `eaves device list` has all that are known"
                    .to_owned(),
            }),
        }
    }
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
