//! The analyses, one file each. To add one: copy a file, add a `mod` line and a line to [`ALL`].

mod comm_overlap;
mod kernel_types;
mod kernels;
mod missing;
mod steps;
mod temporal_breakdown;

pub use temporal_breakdown::Breakdown;

use crate::{Context, Outcome};

/// An analysis: a pure function of the context.
#[derive(Clone, Copy, Debug)]
pub struct Analysis {
    /// The section it makes, kebab-case and stable.
    pub id: &'static str,
    /// Its place in the report; smaller comes first.
    pub place: u32,
    /// The function.
    pub run: fn(&Context<'_>) -> Outcome,
}

/// Every analysis, by id.
pub static ALL: &[Analysis] = &[
    comm_overlap::ANALYSIS,
    kernel_types::ANALYSIS,
    kernels::ANALYSIS,
    steps::ANALYSIS,
    temporal_breakdown::ANALYSIS,
];

/// The analysis that makes a section.
pub fn find(id: &str) -> Option<&'static Analysis> {
    ALL.binary_search_by_key(&id, |analysis| analysis.id).ok().map(|index| &ALL[index])
}

/// Every analysis in the order people want to read the sections.
pub fn in_report_order() -> Vec<&'static Analysis> {
    let mut analyses: Vec<_> = ALL.iter().collect();
    analyses.sort_by_key(|analysis| analysis.place);
    analyses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_alphabetical_and_without_doubles() {
        assert!(ALL.is_sorted_by(|a, b| a.id < b.id));
        let mut places: Vec<u32> = ALL.iter().map(|analysis| analysis.place).collect();
        places.sort_unstable();
        assert!(places.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn every_analysis_makes_the_section_of_its_name() {
        let run = eaves_model::Run::default();
        let context = Context::new(&run, crate::Options::default()).unwrap();
        for analysis in ALL {
            assert_eq!((analysis.run)(&context).id(), analysis.id);
            assert_eq!(find(analysis.id).map(|found| found.id), Some(analysis.id));
        }
        assert!(find("absent").is_none());
    }

    #[test]
    fn the_report_begins_with_where_the_time_went() {
        let order: Vec<_> = in_report_order().iter().map(|analysis| analysis.id).collect();
        assert_eq!(order, ["temporal-breakdown", "kernel-types", "comm-overlap", "kernels", "steps"]);
    }
}
