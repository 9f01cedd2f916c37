//! What pages draw next to sections: timelines and flame graphs of recordings.

use std::sync::Arc;

use eaves_analyze::flame::{self, RankFlame};
use eaves_analyze::timeline::{self, Charts, RankChart, TIMELINE};
use eaves_analyze::{Measured, Options, RankView, assemble, measure};
use eaves_model::Run;
use eaves_section::Outcome;

use crate::flame::measuring_for_page;

/// Data of one recording for pictures.
#[derive(Debug)]
pub struct RankPictures {
    timeline: Measured,
    chart: Option<Arc<RankChart>>,
    flame: RankFlame,
}

impl RankPictures {
    /// Measures a recording by the view that its sections are made from. `compares` says that two runs are drawn.
    pub fn of(rank: &RankView<'_>, compares: bool) -> Self {
        Self {
            timeline: measure(rank, &[&TIMELINE]),
            chart: timeline::measure(rank),
            flame: flame::measure(rank, &measuring_for_page(compares)),
        }
    }
}

/// Data of a run for pictures, per recording.
#[derive(Debug, Default)]
pub struct Pictures {
    timeline: Vec<Measured>,
    charts: Vec<Option<Arc<RankChart>>>,
    flame: Vec<RankFlame>,
}

impl FromIterator<RankPictures> for Pictures {
    fn from_iter<I: IntoIterator<Item = RankPictures>>(ranks: I) -> Self {
        let mut all = Self::default();
        for rank in ranks {
            all.timeline.push(rank.timeline);
            all.charts.push(rank.chart);
            all.flame.push(rank.flame);
        }
        all
    }
}

impl Pictures {
    /// The numbers of the timeline.
    pub fn facts(&self, run: &Run, options: &Options) -> Vec<Outcome> {
        assemble(&run.recordings, &self.timeline, options, &[&TIMELINE]).unwrap_or_default()
    }

    /// The timeline.
    pub fn charts<'a>(&self, run: &'a Run, options: &Options) -> Charts<'a> {
        timeline::assemble(&run.recordings, &self.charts, options)
    }

    /// The call trees.
    pub fn flame(&self) -> &[RankFlame] {
        &self.flame
    }
}
