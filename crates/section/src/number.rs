//! Headline numbers.

use crate::{Column, Provenance, Unit, Value};

/// A headline number.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// Stable snake_case name with the unit at its end.
    pub id: &'static str,
    /// The rank it belongs to, if to one.
    pub rank: Option<i64>,
    /// The value.
    pub value: Value,
    /// Its unit.
    pub unit: Unit,
    /// Where it comes from.
    pub provenance: Provenance,
    /// How it is computed and of what it is a share, in one sentence.
    pub explain: &'static str,
}

impl Number {
    /// A number of the whole; [`of_rank`](Self::of_rank) makes it one of a rank.
    pub fn new(
        id: &'static str,
        value: Value,
        unit: Unit,
        provenance: Provenance,
        explain: &'static str,
    ) -> Self {
        Self { id, rank: None, value, unit, provenance, explain }
    }

    /// A number computed from what was recorded.
    pub fn formula(id: &'static str, value: Value, unit: Unit, explain: &'static str) -> Self {
        Self::new(id, value, unit, Provenance::Formula, explain)
    }

    /// A number read from what was recorded.
    pub fn counter(id: &'static str, value: Value, unit: Unit, explain: &'static str) -> Self {
        Self::new(id, value, unit, Provenance::Counter, explain)
    }

    /// A number measured on this machine.
    pub fn measured(id: &'static str, value: Value, unit: Unit, explain: &'static str) -> Self {
        Self::new(id, value, unit, Provenance::Measured, explain)
    }

    /// A number published by the vendor.
    pub fn datasheet(id: &'static str, value: Value, unit: Unit, explain: &'static str) -> Self {
        Self::new(id, value, unit, Provenance::Datasheet, explain)
    }

    /// The number that stands in a column of a table too, computed from what was recorded.
    pub fn of_column(column: Column, value: Value, explain: &'static str) -> Self {
        Self::formula(column.id, value, column.unit, explain)
    }

    /// The number as one of a rank.
    #[must_use]
    pub fn of_rank(self, rank: i64) -> Self {
        Self { rank: Some(rank), ..self }
    }
}

/// An id as words, without the unit at its end: `exposed_comm_ns` is "Exposed comm".
pub fn words(id: &str) -> String {
    let stem = ["_ns", "_pct", "_bytes", "_gbps", "_count"]
        .iter()
        .find_map(|suffix| id.strip_suffix(suffix))
        .unwrap_or(id);
    let mut words: Vec<String> = stem.split('_').map(str::to_owned).collect();
    for word in words.iter_mut().filter(|word| matches!(word.as_str(), "cpu" | "gpu")) {
        word.make_ascii_uppercase();
    }
    if let Some(first) = words.first_mut().and_then(|word| word.get_mut(..1)) {
        first.make_ascii_uppercase();
    }
    words.join(" ")
}
