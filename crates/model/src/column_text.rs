//! One cell of any column as text: what the CSV export writes and what comparisons look at.

use std::borrow::Cow;

use crate::{Column, Ident, Strings};

impl Column<'_> {
    /// The cell of a row as text, or nothing if not recorded.
    pub fn text<'s>(&self, strings: &'s Strings, row: usize) -> Option<Cow<'s, str>> {
        match *self {
            Self::U8(values) => Some(values[row].to_string().into()),
            Self::U32(values) => Some(values[row].to_string().into()),
            Self::I64(values) => Some(values[row].to_string().into()),
            Self::MaybeU32(values) => values[row].get().map(|value| value.to_string().into()),
            Self::MaybeI64(values) => values[row].get().map(|value| value.to_string().into()),
            Self::MaybeF64(values) => values[row].get().map(|value| value.to_string().into()),
            Self::Ident(values) => ident_text(values[row], strings),
            Self::String(values) => values[row].some().map(|id| strings.get(id).into()),
            Self::Slice(values) => values[row].some().map(|id| id.0.to_string().into()),
            Self::Track(values) => values[row].some().map(|id| id.0.to_string().into()),
            Self::Extent(values) => values[row].get().map(|[x, y, z]| format!("[{x}, {y}, {z}]").into()),
            Self::Ns(values) => Some(values[row].0.to_string().into()),
            Self::Kind(values) => Some(values[row].name().into()),
        }
    }
}

/// A process or thread identifier as text.
pub fn ident_text(ident: Ident, strings: &Strings) -> Option<Cow<'_, str>> {
    match (ident.as_number(), ident.as_text()) {
        (Some(number), _) => Some(number.to_string().into()),
        (None, Some(text)) => Some(strings.get(text).into()),
        (None, None) => None,
    }
}
