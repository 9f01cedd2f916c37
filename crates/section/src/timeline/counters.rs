//! Values over time.

use eaves_model::Ns;

/// One value over time. It holds from a point until the next.
#[derive(Clone, Debug, PartialEq)]
pub struct CounterTrack {
    /// What is counted, and where.
    pub name: String,
    /// True if it is a number of bytes.
    pub is_bytes: bool,
    /// When it changed, and to what, in time order. Always finite.
    pub points: Vec<(Ns, f64)>,
}
