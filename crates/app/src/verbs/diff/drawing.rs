//! The pictures of a comparison: a flame graph of the differences, and the timelines of both runs.

use eaves_analyze::flame::{self, RankFlame};
use eaves_analyze::timeline::TIMELINE;
use eaves_analyze::{Measured, Options, assemble};
use eaves_model::Trace;
use eaves_present::Document;
use eaves_present::page::{self, Parts};
use eaves_section::Outcome;

use crate::analysis::flame_of_page;
use crate::context::HeldRun;
use crate::flame::{Trees, View};
use crate::{Drawing, Failure, Form, Look};

/// A run with its rows, and what its pictures are made of.
pub(super) struct Drawn {
    name: String,
    run: HeldRun,
    timeline: Vec<Measured>,
    flame: Vec<RankFlame>,
}

/// What pictures need to know of a recording.
pub(super) fn measure(trace: &Trace, options: &Options) -> (Measured, RankFlame) {
    let timeline = eaves_analyze::measure(trace, options, &[&TIMELINE]);
    (timeline, flame::measure(trace, options, &flame_of_page(true)))
}

impl Drawn {
    pub(super) fn new(
        name: String,
        run: HeldRun,
        measured: impl Iterator<Item = (Measured, RankFlame)>,
    ) -> Self {
        let (timeline, flame) = measured.unzip();
        Self { name, run, timeline, flame }
    }

    fn facts(&self, options: &Options) -> Vec<Outcome> {
        assemble(&self.run.recordings, &self.timeline, options, &[&TIMELINE]).unwrap_or_default()
    }
}

/// Both runs, as the page of a comparison draws them.
pub(super) struct Pictures {
    pub(super) base: Drawn,
    pub(super) new: Drawn,
    pub(super) options: Options,
}

impl Drawing for Pictures {
    fn draw(&self, document: &Document, form: Form, _: Look) -> Result<Option<Vec<u8>>, Failure> {
        let page = || page(document, &self.base, &self.new, &self.options).into_bytes();
        Ok((form == Form::Html).then(page))
    }
}

/// The comparison as a page with its pictures.
fn page(document: &Document, base: &Drawn, new: &Drawn, options: &Options) -> String {
    let compared = ((&*base.run, base.flame.as_slice()), base.name.as_str());
    let trees = Trees::new((&new.run, &new.flame), Some(compared), options).ok();
    // Recordings without calls have no flame graph, and still a comparison.
    let flame = |frames| trees.as_ref()?.data(&View::OF_PAGE, frames).ok();
    let facts = [new, base].map(|side| side.facts(options));
    let charts = [new, base].map(|side| eaves_analyze::timeline::charts(&side.run.recordings, options));
    let timeline = |at: usize| {
        let section = facts[at].iter().find_map(Outcome::section);
        charts.iter().all(|charts| !charts.charts.is_empty()).then_some((&charts[at], section))
    };
    let parts =
        Parts { timeline: timeline(0), base_timeline: timeline(1), flame: Some(&flame), ..Parts::default() };
    page::offline(document, &parts, page::BUDGET)
}
