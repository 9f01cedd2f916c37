//! Fields of a record by their names.

use eaves_model::{Diagnostics, WarningKind};
use serde_json::{Map, Value};

/// Units of time by the end of a field's name, in nanoseconds.
pub(super) const UNITS: [(&str, f64); 4] = [("_ns", 1.0), ("_us", 1e3), ("_ms", 1e6), ("_s", 1e9)];

/// A record under examination; what does not fit is noted.
pub(super) struct Fields<'a> {
    pub(super) object: &'a Map<String, Value>,
    /// Where the record begins.
    pub(super) offset: u64,
    pub(super) diagnostics: &'a mut Diagnostics,
}

impl Fields<'_> {
    /// The first of these fields that has a number, which must be finite and not negative.
    pub(super) fn number(&mut self, names: &[&str]) -> Option<f64> {
        let (name, value) = names.iter().find_map(|name| Some((*name, self.object.get(*name)?)))?;
        let number = match value {
            Value::Null => return None,
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let number = number.filter(|number: &f64| number.is_finite() && *number >= 0.0);
        if number.is_none() {
            let detail = format!("`{name}` is {value}");
            self.diagnostics.note_detail(WarningKind::BadValue, Some(self.offset), detail);
        }
        number
    }

    /// A time in nanoseconds: the first of these stems that has a unit behind it, `time` as `time_ms`.
    pub(super) fn time(&mut self, stems: &[&str]) -> Option<f64> {
        for stem in stems {
            for (unit, scale) in UNITS {
                let name = format!("{stem}{unit}");
                if self.object.contains_key(&name) {
                    return self.number(&[&name]).map(|time| time * scale);
                }
            }
        }
        None
    }

    /// The first of these fields that has a text or a number, as text.
    pub(super) fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| match self.object.get(*name)? {
            Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
    }

    /// How many calls it is about; 1 if it does not say.
    pub(super) fn calls(&mut self) -> u64 {
        let calls = self.number(&["calls"]);
        // Counts of calls are far below 2^53.
        calls.filter(|calls| *calls >= 1.0).map_or(1, |calls| calls as u64)
    }

    /// Extents: `[4096, 4096]` or `4096x4096`.
    pub(super) fn shape(&mut self, names: &[&str]) -> Vec<u64> {
        let Some((name, value)) = names.iter().find_map(|name| Some((*name, self.object.get(*name)?))) else {
            return Vec::new();
        };
        let shape: Option<Vec<u64>> = match value {
            Value::Array(extents) => extents.iter().map(Value::as_u64).collect(),
            Value::String(text) => extents(text),
            _ => None,
        };
        shape.unwrap_or_else(|| {
            let detail = format!("`{name}` is {value}");
            self.diagnostics.note_detail(WarningKind::BadValue, Some(self.offset), detail);
            Vec::new()
        })
    }

    /// The record as it was.
    pub(super) fn record(&self) -> String {
        serde_json::to_string(self.object).unwrap_or_default()
    }
}

/// `4096x4096`, with any of the signs that people write between extents.
pub(super) fn extents(text: &str) -> Option<Vec<u64>> {
    text.split(['x', 'X', '*', '\u{d7}', ',']).map(|extent| extent.trim().parse().ok()).collect()
}
