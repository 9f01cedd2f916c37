//! Tables.

use crate::{Unit, Value};

/// How the id of a distribution ends, after that of its table.
pub const DISTRIBUTION_ENDING: &str = "_distribution";

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Stable snake_case name, unique in the section.
    pub id: &'static str,
    /// Heading for people.
    pub title: &'static str,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows, as long as there are columns.
    pub rows: Vec<Vec<Value>>,
}

impl Table {
    /// True if it says how the figures of many ranks are distributed; the table behind it has the rows furthest out.
    pub fn is_distribution(&self) -> bool {
        self.id.ends_with(DISTRIBUTION_ENDING)
    }
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// Stable snake_case name with the unit at its end.
    pub id: &'static str,
    /// Heading for people, without the unit.
    pub title: &'static str,
    /// Unit of all values.
    pub unit: Unit,
    /// What the table is there for: it is shown wherever the table is, however narrow the place.
    pub is_main: bool,
}

impl Column {
    /// The rank that a row is of.
    pub const RANK: Self = Self::new("rank", "Rank", Unit::None);

    /// A column.
    pub const fn new(id: &'static str, title: &'static str, unit: Unit) -> Self {
        Self { id, title, unit, is_main: false }
    }

    /// The same as one that is always shown.
    #[must_use]
    pub const fn main(self) -> Self {
        Self { is_main: true, ..self }
    }
}
