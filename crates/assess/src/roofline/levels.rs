//! Columns for what passed each memory level besides main memory.

use eaves_section::{Column, Unit, Value};

use super::{Load, Point};

/// The levels that have columns: id, bytes, intensity.
const LEVELS: [(&str, Column, Column); 4] = [
    (
        "llc",
        Column::new("bytes_llc", "LLC bytes", Unit::Bytes),
        Column::new("intensity_llc", "Intensity of last cache", Unit::FlopPerByte),
    ),
    (
        "l2",
        Column::new("bytes_l2", "L2 bytes", Unit::Bytes),
        Column::new("intensity_l2", "Intensity of L2", Unit::FlopPerByte),
    ),
    (
        "l1",
        Column::new("bytes_l1", "L1 bytes", Unit::Bytes),
        Column::new("intensity_l1", "Intensity of L1", Unit::FlopPerByte),
    ),
    (
        "lds",
        Column::new("bytes_lds", "LDS bytes", Unit::Bytes),
        Column::new("intensity_lds", "Intensity of LDS", Unit::FlopPerByte),
    ),
];

/// The levels that points have numbers of.
pub(super) struct Levels {
    present: Vec<&'static (&'static str, Column, Column)>,
}

impl Levels {
    pub(super) fn of(points: &[Point]) -> Self {
        let has = |id: &str| {
            let mut loads = points.iter().filter_map(|point| point.load.as_ref().ok());
            loads.any(|load| load.levels.iter().any(|(level, _)| level == id))
        };
        Self { present: LEVELS.iter().filter(|(id, ..)| has(id)).collect() }
    }

    /// Two columns for each.
    pub(super) fn columns(&self) -> impl Iterator<Item = Column> {
        self.present.iter().flat_map(|(_, bytes, intensity)| [*bytes, *intensity])
    }

    /// The cells of one call.
    pub(super) fn cells(&self, load: &Load) -> impl Iterator<Item = Value> {
        self.present.iter().flat_map(|(id, ..)| {
            let bytes = load.levels.iter().find(|(level, _)| level == id).map(|&(_, bytes)| bytes);
            let intensity = match (bytes, load.operations()) {
                (Some(bytes), Some(flops)) if bytes > 0.0 => Value::known(Some(flops / bytes), ""),
                (Some(_), Some(_)) => Value::Missing("nothing is moved"),
                (Some(_), None) => Value::Missing("operations not counted"),
                (None, _) => Value::Missing("no counters recorded"),
            };
            [Value::known(bytes, "no counters recorded"), intensity]
        })
    }
}
