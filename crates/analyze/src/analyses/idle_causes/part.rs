//! What stays of a rank when its rows are gone.

use eaves_model::{Interval, Ns};
use serde::{Deserialize, Serialize};

use super::cause::Cause;
use super::gains::Gains;
use super::launches::Launches;
use super::overhead::Overhead;
use crate::text::percentage;

/// What stays of a rank.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(in crate::analyses) struct Part {
    pub(super) totals: [Total; Cause::ALL.len()],
    /// Gaps inside the GPU span.
    pub(super) gaps: u64,
    /// Time of [`Cause::Device`] in gaps with no more of it than kernels take to start.
    pub(super) short_pauses: Ns,
    /// The longest ones of each cause, longest first.
    pub(super) names: Vec<NameTime>,
    /// Where the host waited for the device, the most costly place first.
    pub(super) places: Vec<Place>,
    pub(super) overhead: Overhead,
    /// True if batches are fetched in the training process itself.
    pub(super) loads_in_process: bool,
    /// Looked at only if launching takes notable time.
    pub(super) launches: Option<Launches>,
    /// What the steady state would gain without each of the stalls.
    pub(super) gains: Gains,
    /// True if hardware counters were collected, which runs kernels one at a time.
    pub(super) collects_counters: bool,
    /// Idle time in what happens once: the first use of the device, of a module, of a kernel.
    pub(super) start_up: Ns,
    /// The longest of these calls.
    pub(super) start_up_call: Option<String>,
    /// In how many steps of the steady state the GPU waited for a compilation.
    pub(super) compiling_steps: u64,
    /// Every gap, if details are wanted.
    pub(super) details: Vec<GapRow>,
}

impl Part {
    /// The time of a cause in the steady state.
    pub(super) fn steady(&self, cause: Cause) -> Ns {
        self.totals[cause as usize].steady
    }

    /// Time for ordinary work of the host, but for that in gaps which a synchronizing call began.
    pub(super) fn host_work(&self) -> Ns {
        let totals = Cause::HOST_WORK.iter().map(|&cause| self.totals[cause as usize]);
        totals.map(|total| total.steady - total.after_sync).sum()
    }

    /// Time for ordinary work of the host in gaps which a synchronizing call began.
    pub(super) fn after_sync(&self) -> Ns {
        self.totals.iter().map(|total| total.after_sync).sum()
    }

    /// What waiting for the device costs: the idle time inside the calls, and as much of that up to the next launch as
    /// the host would do without them.
    pub(super) fn synchronisation(&self) -> Ns {
        let inside = self.steady(Cause::Synchronisation);
        let behind = (self.gains.synchronisation.high - inside).max(Ns::ZERO);
        inside + behind.min(self.after_sync())
    }

    /// Idle time in which launched work waited for something else than its way to the device.
    pub(super) fn held(&self) -> Ns {
        self.steady(Cause::Device) - self.short_pauses + self.steady(Cause::Held)
    }

    /// What of the steady state happens once, and is not a part of any other finding.
    pub(super) fn once(&self) -> Ns {
        self.start_up + self.compiling_once()
    }

    /// Compiling that does not come back.
    pub(super) fn compiling_once(&self) -> Ns {
        if self.recompiles() { Ns::ZERO } else { self.steady(Cause::Compilation) }
    }

    /// True if the launch of what ended some gap was recorded.
    pub(super) fn has_launches(&self) -> bool {
        let known = Cause::ALL.iter().filter(|&&cause| cause != Cause::Unknown);
        known.map(|&cause| self.totals[cause as usize].gaps).sum::<u64>() > 0
    }

    /// Compiling that happens in one step only is part of starting up.
    pub(super) fn recompiles(&self) -> bool {
        self.compiling_steps > 1
    }

    /// Time before the first activity.
    pub(super) fn lead_in(&self) -> Ns {
        self.totals.iter().map(|total| total.lead_in).sum()
    }
}

/// True if a finding is made of a time.
pub(super) fn is_notable(time: Ns, whole: Ns) -> bool {
    percentage(time, whole) >= NOTABLE_PCT
}

/// Share of the steady state above which a cause is worth a sentence. Steps of one job differ by about this much from run
/// to run, so a smaller gain could not be seen.
const NOTABLE_PCT: f64 = 2.0;

/// The time of one cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Total {
    /// Inside the GPU span.
    pub(super) time: Ns,
    /// Before the first activity.
    pub(super) lead_in: Ns,
    /// Gaps with any of it, and the most in one of them; lead-in skipped.
    pub(super) gaps: u64,
    pub(super) longest: Ns,
    /// In the steady state, calls of the start-up apart.
    pub(super) steady: Ns,
    /// The part of that which belongs to gaps that began inside a synchronizing call.
    pub(super) after_sync: Ns,
}

impl Total {
    /// In the span and before it.
    pub(super) fn all(&self) -> Ns {
        self.time + self.lead_in
    }
}

/// The time of one name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct NameTime {
    pub(super) cause: Cause,
    pub(super) name: String,
    pub(super) time: Ns,
    pub(super) lead_in: Ns,
}

/// A place in the program that waits for the device.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Place {
    /// The call that waits.
    pub(super) call: String,
    /// The outermost operator around it.
    pub(super) operator: Option<String>,
    /// The innermost line of Python around it.
    pub(super) line: Option<String>,
    /// Idle time of the GPU in which the host still waited.
    pub(super) time: Ns,
    /// Gaps that began in it.
    pub(super) gaps: u64,
    /// Time from its end to the next launch in these gaps, as far as ordinary work took it.
    pub(super) after: Ns,
}

/// A gap as a row.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct GapRow {
    pub(super) interval: Interval,
    /// The cause that took most of it.
    pub(super) cause: Cause,
    /// The longest thing of this cause.
    pub(super) what: Option<String>,
    /// The activity that ended it.
    pub(super) ended_by: Option<String>,
}
