//! What the stack holds: one word, whatever it stands for.

/// No place in the memo.
const NOWHERE: u32 = u32::MAX;

/// A value. Lists and dictionaries are what a builder made of them so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// `None`.
    None,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer from 2^63 on.
    Unsigned(u64),
    /// A float.
    Float(f64),
    /// A text, by the number that the builder gave it.
    Text(u32),
    /// A list without items.
    EmptyList(Place),
    /// A dictionary without items.
    EmptyDict(Place),
    /// What a builder made: of which kind, and its number among these.
    Built(u8, u32, Place),
    /// Something that nobody needs, or that does not fit.
    Opaque,
}

/// Where a list or dictionary stands in the memo, so that it is the same there when it has grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u32);

impl Place {
    /// Not in the memo.
    pub(crate) const NOWHERE: Self = Self(NOWHERE);

    /// At an index of the memo.
    pub(super) fn at(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(NOWHERE))
    }

    /// The index.
    pub(super) fn index(self) -> Option<usize> {
        (self.0 != NOWHERE).then_some(self.0 as usize)
    }
}

impl Value {
    /// Something a builder made.
    pub(crate) fn built(kind: u8, number: u32) -> Self {
        Self::Built(kind, number, Place::NOWHERE)
    }

    /// The same value at a place of the memo.
    pub(super) fn placed(self, place: Place) -> Self {
        match self {
            Self::EmptyList(_) => Self::EmptyList(place),
            Self::EmptyDict(_) => Self::EmptyDict(place),
            Self::Built(kind, number, _) => Self::Built(kind, number, place),
            other => other,
        }
    }

    /// Where it stands in the memo.
    pub(super) fn place(self) -> Place {
        match self {
            Self::EmptyList(place) | Self::EmptyDict(place) | Self::Built(_, _, place) => place,
            _ => Place::NOWHERE,
        }
    }
}
