//! Parts of recordings as Python names them, in the words of the command line.

use pyo3::prelude::*;

/// `0`, `"0,3-5"` or `[0, 3]`.
#[derive(FromPyObject)]
pub(crate) enum Ranks {
    One(i64),
    Text(String),
    Several(Vec<i64>),
}

impl Ranks {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::One(rank) => rank.to_string(),
            Self::Text(text) => text.clone(),
            Self::Several(ranks) => ranks.iter().map(i64::to_string).collect::<Vec<_>>().join(","),
        }
    }
}

/// `3`, `"3-7"` or `(3, 7)`.
#[derive(FromPyObject)]
pub(crate) enum Steps {
    One(u64),
    Text(String),
    Range((u64, u64)),
}

impl Steps {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::One(step) => step.to_string(),
            Self::Text(text) => text.clone(),
            Self::Range((first, last)) => format!("{first}-{last}"),
        }
    }
}

/// `"1.5ms..20ms"` or nanoseconds.
#[derive(FromPyObject)]
pub(crate) enum Window {
    Text(String),
    Nanoseconds((i64, i64)),
}

impl Window {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Nanoseconds((from, to)) => format!("{from}ns..{to}ns"),
        }
    }
}

/// One section or several.
#[derive(FromPyObject)]
pub(crate) enum Sections {
    One(String),
    Several(Vec<String>),
}

impl Sections {
    pub(crate) fn list(self) -> Vec<String> {
        match self {
            Self::One(section) => vec![section],
            Self::Several(sections) => sections,
        }
    }
}
