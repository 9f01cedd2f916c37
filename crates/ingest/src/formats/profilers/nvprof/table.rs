//! Headers of nvprof: columns by name, and the row of units behind.

use super::super::shared::cells::Cells;

/// What a table lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Activities and calls, with times.
    Trace,
    /// Metrics or events of kernels, over all their launches.
    Metrics,
    /// Times of kernels and calls, over all of them.
    Summary,
}

/// The kind of table that a line is the header of.
pub(super) fn kind(line: &[u8]) -> Option<Kind> {
    let has = |name: &[u8]| memchr::memmem::find(line, name).is_some();
    if line.starts_with(b"\"Start\",\"Duration\",") && has(b"\"Name\"") {
        Some(Kind::Trace)
    } else if line.starts_with(b"\"Device\",\"Kernel\",\"Invocations\",") {
        Some(Kind::Metrics)
    } else if (line.starts_with(b"\"Type\",\"Time(%)\",") || line.starts_with(b"\"Time(%)\",\"Time\","))
        && has(b"\"Calls\"")
    {
        Some(Kind::Summary)
    } else {
        None
    }
}

/// A table.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) kind: Kind,
    names: Vec<String>,
    units: Option<Vec<String>>,
}

impl Table {
    pub(super) fn new(kind: Kind, line: &[u8], cells: &Cells) -> Self {
        Self { kind, names: texts(line, cells), units: None }
    }

    /// Number of columns.
    pub(super) fn width(&self) -> usize {
        self.names.len()
    }

    /// Takes in the row of units, if this is it: it stands right behind the header and has no digits.
    pub(super) fn take_units(&mut self, line: &[u8], cells: &Cells) -> bool {
        let is_units = self.units.is_none()
            && self.kind != Kind::Metrics
            && cells.len() == self.width()
            && !line.iter().any(u8::is_ascii_digit);
        if is_units {
            self.units = Some(texts(line, cells));
        }
        is_units
    }

    /// The place of a column.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|its| its == name)
    }

    /// A cell of a column and its unit; both are empty if there is none.
    pub(super) fn cell<'a>(&self, line: &'a [u8], cells: &Cells, name: &str) -> (&'a [u8], &str) {
        let Some(place) = self.column(name) else { return (b"", "") };
        let unit = self.units.as_ref().and_then(|units| units.get(place)).map_or("", String::as_str);
        (cells.get(line, place), unit)
    }

    /// Columns with their cells, for what is kept as it was written.
    pub(super) fn all<'a>(
        &'a self,
        line: &'a [u8],
        cells: &'a Cells,
    ) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        self.names.iter().enumerate().map(|(place, name)| (name.as_str(), cells.get(line, place)))
    }
}

fn texts(line: &[u8], cells: &Cells) -> Vec<String> {
    (0..cells.len()).map(|place| String::from_utf8_lossy(cells.get(line, place)).into_owned()).collect()
}
