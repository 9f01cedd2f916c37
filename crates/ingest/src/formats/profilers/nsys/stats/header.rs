//! What a table is, by its header.

use super::number::Unit;

/// A kind of table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    /// Kernels, copies and memsets, one a row.
    Activities,
    /// Calls of CUDA, one a row.
    Calls,
    /// NVTX ranges, one a row.
    Ranges,
    /// NVTX ranges as they appear on the device.
    Projections,
    /// Times summed over equal names.
    Sums,
    /// Bytes summed over equal operations.
    Sizes,
}

/// A header with the units in it.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) table: Table,
    /// Names without units, and the units.
    pub(super) columns: Vec<(String, Option<Unit>)>,
    /// The names as written.
    pub(super) written: Vec<String>,
}

/// Columns that only tables of a kind have together; of several that fit, the first.
const SIGNS: [(Table, &[&str]); 6] = [
    (Table::Activities, &["Start", "Duration", "CorrId", "GrdX", "Strm", "Name"]),
    (Table::Calls, &["Start", "Duration", "Name", "Result", "CorrID", "Pid", "Tid"]),
    (Table::Projections, &["Name", "Projected Start", "Projected Duration", "Orig Start", "PID", "TID"]),
    (Table::Ranges, &["Start", "Duration", "Name", "PID", "TID", "RangeId"]),
    (Table::Sums, &["Total Time"]),
    (Table::Sizes, &["Total", "Count", "Operation"]),
];

impl Header {
    /// The header that some fields are, if they are one.
    pub(super) fn of(fields: &[&str]) -> Option<Self> {
        let columns: Vec<_> = fields.iter().map(|field| split(field)).collect();
        let has = |name: &&str| columns.iter().any(|(column, _)| column.eq_ignore_ascii_case(name));
        let (table, _) = SIGNS.iter().find(|(_, names)| names.iter().all(&has))?;
        let is_named = has(&"Name") || has(&"Operation") || has(&"Range");
        let is_counted = has(&"Instances") || has(&"Num Calls") || has(&"Count");
        if *table == Table::Sums && !(is_named && is_counted) {
            return None;
        }
        let written = fields.iter().map(|field| (*field).to_owned()).collect();
        Some(Self { table: *table, columns, written })
    }

    /// Where a column is.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|(column, _)| column.eq_ignore_ascii_case(name))
    }

    /// The text in a column; nothing if it is empty or missing.
    pub(super) fn text<'f>(&self, fields: &[&'f str], name: &str) -> Option<&'f str> {
        fields.get(self.place(name)?).copied().filter(|text| !text.is_empty())
    }

    /// The time in a column in nanoseconds. Older versions leave the unit out where it is that.
    pub(super) fn time(&self, fields: &[&str], name: &str) -> Option<i64> {
        let unit = self.columns.get(self.place(name)?)?.1.unwrap_or(Unit::NANOSECONDS);
        unit.whole(self.text(fields, name)?)
    }

    /// The bytes in a column.
    pub(super) fn bytes(&self, fields: &[&str], name: &str) -> Option<i64> {
        let unit = self.columns.get(self.place(name)?)?.1.unwrap_or(Unit::BYTES);
        unit.whole(self.text(fields, name)?)
    }

    /// The whole number in a column.
    pub(super) fn number(&self, fields: &[&str], name: &str) -> Option<i64> {
        self.text(fields, name)?.parse().ok()
    }
}

/// `Bytes (MB)` is the column `Bytes` in megabytes.
fn split(field: &str) -> (String, Option<Unit>) {
    let field = field.trim();
    if let Some((name, unit)) = field.strip_suffix(')').and_then(|rest| rest.rsplit_once('('))
        && let Some(unit) = Unit::of(unit)
    {
        return (name.trim_end().to_owned(), Some(unit));
    }
    (field.to_owned(), None)
}
