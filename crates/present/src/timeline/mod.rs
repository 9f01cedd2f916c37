//! Pictures of recordings over time: a page to look around in, a still drawing, and lines of text.
//!
//! They draw the [`Charts`](eaves_analyze::timeline::Charts) of the analysis; the numbers beside them are those of its
//! section.

pub(crate) mod axis;
mod colours;
mod columns;
mod details;
mod entries;
mod page;
mod payload;
mod svg;

pub use page::{Page, page};
pub use svg::svg;

use eaves_analyze::section::Section;
use eaves_analyze::timeline::{Charts, Clocks};

use crate::human;

/// The numbers of a rank in the order of the section: words and value.
fn facts(section: Option<&Section>, rank: i64) -> Vec<(String, String)> {
    let numbers = section.map_or(&[][..], |section| &section.numbers);
    // The words of a time and of its share are the same; the share says more.
    let has_share = |id: &str| id.strip_suffix("_ns").map(|stem| format!("{stem}_pct"));
    numbers
        .iter()
        .filter(|number| number.rank == Some(rank))
        .filter(|number| !has_share(number.id).is_some_and(|share| numbers.iter().any(|n| n.id == share)))
        .map(|number| (human::words(number.id), human::value(&number.value, number.unit)))
        .collect()
}

/// How the ranks stand to each other, if there is anything to say.
pub(crate) fn clocks(charts: &Charts<'_>) -> Option<&'static str> {
    match charts.clocks {
        Clocks::One => None,
        Clocks::Common => Some("ranks are placed by the clocks of their machines"),
        Clocks::Own => {
            Some("each rank is drawn from its own start: their clocks do not say that they ran together")
        }
    }
}
