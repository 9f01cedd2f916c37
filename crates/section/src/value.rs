//! Values and their units.

use eaves_model::Ns;

/// Where a number comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// Read from a counter or timestamp of the recording.
    Counter,
    /// Computed from such.
    Formula,
    /// Published by the vendor.
    Datasheet,
    /// Measured on this machine.
    Measured,
    /// Assumed.
    Guess,
}

impl Provenance {
    /// The name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Formula => "formula",
            Self::Datasheet => "datasheet",
            Self::Measured => "measured",
            Self::Guess => "guess",
        }
    }
}

/// The unit of a number or column; decides how people see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Text, flags and other things without a unit.
    None,
    /// A count.
    Count,
    /// Integer nanoseconds.
    Nanoseconds,
    /// Percent.
    Percent,
    /// Bytes.
    Bytes,
    /// Gigabytes (10^9) per second.
    GigabytesPerSecond,
    /// Additions and multiplications.
    Flop,
    /// 10^9 operations per second.
    GigaflopsPerSecond,
    /// Operations per byte.
    FlopPerByte,
}

impl Unit {
    /// The name in JSON.
    pub fn id(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Count => Some("count"),
            Self::Nanoseconds => Some("ns"),
            Self::Percent => Some("%"),
            Self::Bytes => Some("B"),
            Self::GigabytesPerSecond => Some("GB/s"),
            Self::Flop => Some("FLOP"),
            Self::GigaflopsPerSecond => Some("GFLOP/s"),
            Self::FlopPerByte => Some("FLOP/B"),
        }
    }
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An exact integer.
    Integer(i64),
    /// A float; must be finite.
    Float(f64),
    /// A text.
    Text(String),
    /// No value, and why.
    Missing(&'static str),
}

impl Value {
    /// A ratio in percent; says why there is none when the denominator is zero.
    pub fn percent(part: i64, whole: i64) -> Self {
        if whole == 0 {
            Self::Missing("the total is 0")
        } else {
            Self::Float(100.0 * part as f64 / whole as f64)
        }
    }

    /// A number that may not be known, or the reason why it is not.
    pub fn known(value: Option<f64>, otherwise: &'static str) -> Self {
        value.map_or(Self::Missing(otherwise), |value| Self::float(value, otherwise))
    }

    /// A text that may not be known, or the reason why it is not.
    pub fn known_text(value: Option<&str>, otherwise: &'static str) -> Self {
        value.map_or(Self::Missing(otherwise), Self::from)
    }

    /// A float, or the reason why it is none.
    pub fn float(value: f64, otherwise: &'static str) -> Self {
        if value.is_finite() { Self::Float(value) } else { Self::Missing(otherwise) }
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<Ns> for Value {
    fn from(value: Ns) -> Self {
        Self::Integer(value.0)
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}
