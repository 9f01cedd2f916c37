//! Headline numbers.

use crate::{Provenance, Unit, Value};

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
