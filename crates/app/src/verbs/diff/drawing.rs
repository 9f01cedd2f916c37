//! The pictures of a comparison: a flame graph of the differences, and the timelines of both runs.

use std::sync::Arc;

use eaves_analyze::Options;
use eaves_present::Document;
use eaves_present::page::{self, Parts};
use eaves_section::Outcome;

use crate::flame::{Trees, View};
use crate::pictures::Pictures;
use crate::{Drawing, Failure, Form, Look, Recordings};

/// A run with its rows, and what its pictures are made of.
pub(super) struct Drawn {
    pub(super) name: String,
    pub(super) recordings: Arc<Recordings>,
    pub(super) pictures: Pictures,
    pub(super) options: Options,
}

/// Both runs, as the page of a comparison draws them.
pub(super) struct Page {
    pub(super) base: Drawn,
    pub(super) new: Drawn,
}

impl Drawing for Page {
    fn draw(&self, document: &Document, form: Form, _: Look) -> Result<Option<Vec<u8>>, Failure> {
        let page = || page(document, &self.base, &self.new).into_bytes();
        Ok((form == Form::Html).then(page))
    }
}

/// The comparison as a page with its pictures.
fn page(document: &Document, base: &Drawn, new: &Drawn) -> String {
    let compared = ((&base.recordings.run, base.pictures.flame()), base.name.as_str());
    let trees = Trees::new((&new.recordings.run, new.pictures.flame()), Some(compared), &new.options).ok();
    // Recordings without calls have no flame graph, and still a comparison.
    let flame = |frames| trees.as_ref()?.data(&View::OF_PAGE, frames).ok();
    let facts = [new, base].map(|side| side.pictures.facts(&side.recordings.run, &side.options));
    let charts = [new, base].map(|side| side.pictures.charts(&side.recordings.run, &side.options));
    let timeline = |at: usize| {
        let section = facts[at].iter().find_map(Outcome::section);
        charts.iter().all(|charts| !charts.charts.is_empty()).then_some((&charts[at], section))
    };
    let parts =
        Parts { timeline: timeline(0), base_timeline: timeline(1), flame: Some(&flame), ..Parts::default() };
    page::offline(document, &parts, page::BUDGET)
}
