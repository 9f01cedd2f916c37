//! Pictures of recordings over time: the data of the page's timeline, a still drawing, and lines of text.
//!
//! They draw the [`Charts`] of the analysis; the numbers next to them are those of its
//! section.

pub(crate) mod axis;
mod chart_lookup;
pub(crate) mod columns;
mod details;
mod entries;
mod fitting;
mod payload;
mod svg;

pub use chart_lookup::ChartLookup;
pub use entries::Scope;
pub use fitting::{fitting, overview};
pub use payload::payload;
pub use svg::svg;

use eaves_section::timeline::{Charts, Clocks};
use eaves_section::{Section, Unit};

use eaves_section::quantity;

/// The span of a rank and the shares of it, in the words of the section's table.
fn facts(section: Option<&Section>, rank: i64) -> Vec<(&'static str, String)> {
    let columns = section.and_then(|section| section.tables.first()).map_or(&[][..], |table| &table.columns);
    let value = |id: &str| {
        let number = section?.numbers.iter().find(|number| number.rank == Some(rank) && number.id == id)?;
        Some(quantity::value(&number.value, number.unit))
    };
    let told = columns.iter().filter(|column| column.unit == Unit::Percent || column.id == "span_ns");
    told.filter_map(|column| Some((column.title.trim_end_matches(", of span"), value(column.id)?))).collect()
}

/// How the ranks stand to each other, if there is anything to say.
pub(crate) fn clocks(charts: &Charts<'_>) -> Option<&'static str> {
    match charts.clocks {
        Clocks::One => None,
        Clocks::Common => Some("ranks are aligned by their machines' clocks"),
        Clocks::Own => Some("each rank starts at 0: their clocks do not overlap"),
    }
}
