//! Row numbers and identifiers as newtypes, and optional scalars that cost no extra byte in a column.

use serde::{Deserialize, Serialize};

use crate::Values;

/// What changes when the rows of one trace part are appended to another: ids of strings and tracks are
/// looked up again, row numbers are shifted.
#[derive(Debug, Default)]
pub struct Relocation {
    /// New id of each old string.
    pub strings: Vec<StringId>,
    /// New id of each old track.
    pub tracks: Vec<TrackId>,
    /// Number of slices that stood before.
    pub slices: u32,
}

/// A value that may sit in a column.
pub trait Element: Copy + PartialEq + Sized {
    /// The value as it reads after its table was appended to another.
    #[must_use]
    fn relocate(self, _: &Relocation) -> Self {
        self
    }

    /// A column of these, seen by the exporters.
    fn column(values: Values<'_, Self>) -> Column<'_>;
}

/// A borrowed column with its type, for writers that treat all tables alike.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    /// One byte codes.
    U8(Values<'a, u8>),
    /// Plain 32 bit numbers.
    U32(Values<'a, u32>),
    /// Plain 64 bit numbers.
    I64(Values<'a, i64>),
    /// Optional 32 bit numbers.
    MaybeU32(Values<'a, MaybeU32>),
    /// Optional 64 bit numbers.
    MaybeI64(Values<'a, MaybeI64>),
    /// Optional floats.
    MaybeF64(Values<'a, MaybeF64>),
    /// Numbers or texts used as identifiers (process, thread, flow).
    Ident(Values<'a, Ident>),
    /// Interned strings.
    String(Values<'a, StringId>),
    /// Rows of the slice table.
    Slice(Values<'a, SliceId>),
    /// Rows of the track table.
    Track(Values<'a, TrackId>),
    /// Three extents of a launch.
    Extent(Values<'a, Extent>),
    /// Nanoseconds.
    Ns(Values<'a, crate::Ns>),
    /// Kinds of slices.
    Kind(Values<'a, crate::SliceKind>),
}

macro_rules! row_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl Default for $name {
            #[inline]
            fn default() -> Self {
                Self::NONE
            }
        }

        impl $name {
            /// No row.
            pub const NONE: Self = Self(u32::MAX);

            /// The row number for indexing a column.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// `None` if this is [`Self::NONE`].
            #[inline]
            pub fn some(self) -> Option<Self> {
                (self != Self::NONE).then_some(self)
            }
        }

        impl From<usize> for $name {
            #[inline]
            fn from(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }
    };
}

row_id! {
    /// An interned string of one trace.
    StringId
}
row_id! {
    /// A row of the track table: one thread, or one GPU stream as the trace draws it.
    TrackId
}
row_id! {
    /// A row of the slice table.
    SliceId
}
row_id! {
    /// A row of the GPU activity table.
    GpuId
}

impl Element for StringId {
    #[inline]
    fn relocate(self, relocation: &Relocation) -> Self {
        relocation.strings.get(self.index()).copied().unwrap_or(Self::NONE)
    }
    fn column(values: Values<'_, Self>) -> Column<'_> {
        Column::String(values)
    }
}

impl Element for TrackId {
    #[inline]
    fn relocate(self, relocation: &Relocation) -> Self {
        relocation.tracks.get(self.index()).copied().unwrap_or(Self::NONE)
    }
    fn column(values: Values<'_, Self>) -> Column<'_> {
        Column::Track(values)
    }
}

impl Element for SliceId {
    #[inline]
    fn relocate(self, relocation: &Relocation) -> Self {
        if self == Self::NONE { self } else { Self(self.0 + relocation.slices) }
    }
    fn column(values: Values<'_, Self>) -> Column<'_> {
        Column::Slice(values)
    }
}

macro_rules! plain_element {
    ($($type:ty => $variant:ident),* $(,)?) => {$(
        impl Element for $type {
            fn column(values: Values<'_, Self>) -> Column<'_> {
                Column::$variant(values)
            }
        }
    )*};
}

plain_element! {
    u8 => U8,
    u32 => U32,
    i64 => I64,
    MaybeU32 => MaybeU32,
    MaybeI64 => MaybeI64,
    MaybeF64 => MaybeF64,
    Extent => Extent,
    crate::Ns => Ns,
    crate::SliceKind => Kind,
}

macro_rules! maybe {
    ($(#[$doc:meta])* $name:ident($inner:ty), $none:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
        #[repr(transparent)]
        pub struct $name($inner);

        impl Default for $name {
            #[inline]
            fn default() -> Self {
                Self::NONE
            }
        }

        impl $name {
            /// Not recorded.
            pub const NONE: Self = Self($none);

            /// A recorded value; the sentinel itself reads as not recorded.
            #[inline]
            pub const fn new(value: $inner) -> Self {
                Self(value)
            }

            /// The value, if recorded.
            #[inline]
            pub fn get(self) -> Option<$inner> {
                (self.0 != $none).then_some(self.0)
            }

            /// The value, or the given one if none was recorded.
            #[inline]
            pub fn unwrap_or(self, default: $inner) -> $inner {
                self.get().unwrap_or(default)
            }

            /// True if a value was recorded.
            #[inline]
            pub fn is_some(self) -> bool {
                self.0 != $none
            }
        }

        impl From<Option<$inner>> for $name {
            #[inline]
            fn from(value: Option<$inner>) -> Self {
                value.map_or(Self::NONE, Self)
            }
        }
    };
}

maybe! {
    /// An optional number below 2^32 - 1.
    MaybeU32(u32), u32::MAX
}
maybe! {
    /// An optional signed number above -2^63.
    MaybeI64(i64), i64::MIN
}

/// An optional float; NaN means not recorded. Equality compares bits, so that equal tables compare equal.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct MaybeF64(f64);

impl Default for MaybeF64 {
    #[inline]
    fn default() -> Self {
        Self::NONE
    }
}

impl MaybeF64 {
    /// Not recorded.
    pub const NONE: Self = Self(f64::NAN);

    /// A recorded value.
    pub const fn new(value: f64) -> Self {
        Self(value)
    }

    /// The value, if recorded.
    pub fn get(self) -> Option<f64> {
        (!self.0.is_nan()).then_some(self.0)
    }
}

impl PartialEq for MaybeF64 {
    fn eq(&self, other: &Self) -> bool {
        self.get().map(f64::to_bits) == other.get().map(f64::to_bits)
    }
}

impl From<Option<f64>> for MaybeF64 {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Self::NONE, Self)
    }
}

/// Grid or block extents of a launch; all zero means not recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub struct Extent(pub [u32; 3]);

impl Extent {
    /// Extents of which every axis is known and at least one; else none, as with an axis that is not known the others say
    /// nothing of the whole.
    pub fn of_axes(axes: [Option<u32>; 3]) -> Self {
        match axes {
            [Some(x @ 1..), Some(y @ 1..), Some(z @ 1..)] => Self([x, y, z]),
            _ => Self::default(),
        }
    }

    /// The extents, if recorded.
    pub fn get(self) -> Option<[u32; 3]> {
        (self.0 != [0; 3]).then_some(self.0)
    }
}

/// A process, thread or flow identifier, which traces give as a number or as a text.
///
/// Both fit eight bytes: texts are string ids counted from the smallest `i64`, where no number is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Ident(i64);

impl Default for Ident {
    #[inline]
    fn default() -> Self {
        Self::NONE
    }
}

impl Ident {
    const TEXT_END: i64 = i64::MIN + (1 << 32);

    /// No identifier at all: the text with the id [`StringId::NONE`].
    pub const NONE: Self = Self(i64::MIN + u32::MAX as i64);

    /// A numeric identifier.
    #[inline]
    pub fn number(value: i64) -> Self {
        Self(value.max(Self::TEXT_END))
    }

    /// A textual identifier.
    #[inline]
    pub fn text(string: StringId) -> Self {
        Self(i64::MIN + i64::from(string.0))
    }

    /// The number, if it is one.
    #[inline]
    pub fn as_number(self) -> Option<i64> {
        (self.0 >= Self::TEXT_END).then_some(self.0)
    }

    /// The text, if it is one.
    #[inline]
    pub fn as_text(self) -> Option<StringId> {
        let id = u32::try_from(self.0.wrapping_sub(i64::MIN)).ok()?;
        StringId(id).some()
    }
}

impl Element for Ident {
    #[inline]
    fn relocate(self, relocation: &Relocation) -> Self {
        match self.as_text() {
            Some(string) => Self::text(string.relocate(relocation)),
            None => self,
        }
    }
    fn column(values: Values<'_, Self>) -> Column<'_> {
        Column::Ident(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_keep_numbers_and_texts_apart() {
        for number in [0, 1, -1, i64::MAX, -(1 << 40)] {
            assert_eq!(Ident::number(number).as_number(), Some(number));
            assert_eq!(Ident::number(number).as_text(), None);
        }
        let text = Ident::text(StringId(7));
        assert_eq!(text.as_text(), Some(StringId(7)));
        assert_eq!(text.as_number(), None);
        assert_eq!(Ident::NONE.as_text(), None);
        assert_eq!(Ident::NONE.as_number(), None);
    }

    #[test]
    fn an_axis_that_is_not_known_makes_extents_unknown() {
        assert_eq!(Extent::of_axes([Some(4), Some(2), Some(1)]).get(), Some([4, 2, 1]));
        for axes in
            [[None, Some(2), Some(1)], [Some(4), Some(0), Some(1)], [Some(4), Some(2), None], [None; 3]]
        {
            assert_eq!(Extent::of_axes(axes).get(), None, "{axes:?}");
        }
    }

    #[test]
    fn optional_numbers_round_trip() {
        assert_eq!(MaybeU32::from(Some(3)).get(), Some(3));
        assert_eq!(MaybeU32::from(None).get(), None);
        assert_eq!(MaybeF64::new(0.5).get(), Some(0.5));
        assert_eq!(MaybeF64::NONE, MaybeF64::from(None));
    }
}
