//! Unit newtypes. A bare integer never says what it counts; these do.

use std::fmt;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use serde::{Deserialize, Serialize};

macro_rules! unit {
    ($(#[$doc:meta])* $name:ident($inner:ty), $suffix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
        #[repr(transparent)]
        pub struct $name(pub $inner);

        impl $name {
            /// Nothing of this unit.
            pub const ZERO: Self = Self(0);

            /// The value as a float, for ratios and display.
            #[inline]
            pub fn as_f64(self) -> f64 {
                self.0 as f64
            }
        }

        impl Add for $name {
            type Output = Self;
            #[inline]
            fn add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }
        }

        impl Sub for $name {
            type Output = Self;
            #[inline]
            fn sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }
        }

        impl AddAssign for $name {
            #[inline]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl SubAssign for $name {
            #[inline]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }

        impl std::iter::Sum for $name {
            fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
                values.fold(Self::ZERO, Add::add)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!("{} ", $suffix), self.0)
            }
        }
    };
}

unit! {
    /// A point in time or a duration, in integer nanoseconds. Points count from the trace's own zero.
    Ns(i64), "ns"
}

unit! {
    /// A number of bytes.
    Bytes(u64), "B"
}

impl Neg for Ns {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl Ns {
    /// The largest representable time; arithmetic saturates here.
    pub const MAX: Self = Self(i64::MAX);
    /// The smallest representable time.
    pub const MIN: Self = Self(i64::MIN);
}
