//! Sections: what analyses return and outputs show.
//!
//! A [`Section`] is plain data, so every output can show every analysis. [`flame`] and [`timeline`] hold the data behind
//! pictures. [`quantity`] is the only place that formats durations, bytes and rates.

mod chart;
pub mod constants;
pub mod description;
mod finding;
pub mod flame;
pub mod kernel_name;
mod number;
pub mod quantity;
pub mod saved;
mod statistics;
mod table;
pub mod timeline;
mod value;
mod view;

pub use chart::Chart;
pub use description::Description;
pub use finding::{Budget, Finding, Gain, Severity};
pub use number::{Number, words};
pub use statistics::Statistics;
pub use table::{Column, DISTRIBUTION_ENDING, Table};
pub use value::{Provenance, Unit, Value};
pub use view::{VIEWS, view_of};

/// The answer of one analysis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Stable kebab-case name.
    pub id: &'static str,
    /// Heading for people.
    pub title: &'static str,
    /// Headline numbers.
    pub numbers: Vec<Number>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Pictures that its tables can be drawn as.
    pub charts: Vec<Chart>,
    /// What follows, most important first.
    pub findings: Vec<Finding>,
}

impl Section {
    /// The table of an id.
    pub fn table(&self, id: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.id == id)
    }
}

/// An analysis either has something to say or lacks something to say it from.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It had what it needs.
    Section(Section),
    /// It lacked something.
    Skipped(Skipped),
}

impl Outcome {
    /// The section it is about.
    pub fn id(&self) -> &'static str {
        match self {
            Self::Section(section) => section.id,
            Self::Skipped(skipped) => skipped.id,
        }
    }

    /// The section, if there is one.
    pub fn section(&self) -> Option<&Section> {
        match self {
            Self::Section(section) => Some(section),
            Self::Skipped(_) => None,
        }
    }
}

/// Why an analysis said nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The section that is missing.
    pub id: &'static str,
    /// What the input lacks.
    pub missing: String,
    /// How to record it.
    pub how_to_record: String,
}
