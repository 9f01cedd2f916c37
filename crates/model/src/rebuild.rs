//! Tables from columns: the inverse of [`Trace::tables`], for readers of stored tables. Whatever the columns hold, the
//! answer is a trace whose row numbers all point at rows, or an error.

use std::fmt;

use crate::{
    Column, Extent, Ident, MaybeF64, MaybeI64, MaybeU32, Ns, SliceId, SliceKind, StringId, Strings, Trace,
    TrackId, Values,
};

macro_rules! column_data {
    ($($(#[$doc:meta])* $variant:ident($type:ty),)*) => {
        /// A column that was read, with its type: what [`Column`] shows, owned.
        #[derive(Clone, Debug)]
        pub enum ColumnData {
            $($(#[$doc])* $variant(Vec<$type>),)*
        }

        impl ColumnData {
            /// Number of rows.
            pub fn len(&self) -> usize {
                match self { $(Self::$variant(values) => values.len(),)* }
            }

            /// True without rows.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Adds the rows of another; false if that is of another type.
            #[must_use]
            pub fn append(&mut self, other: Self) -> bool {
                match (self, other) {
                    $((Self::$variant(values), Self::$variant(others)) => values.extend(others),)*
                    _ => return false,
                }
                true
            }

            /// The rows of these numbers, all of which must be there.
            #[must_use]
            pub fn in_order(self, rows: &[u32]) -> Self {
                match self {
                    $(Self::$variant(values) => {
                        Self::$variant(rows.iter().map(|&row| values[row as usize]).collect())
                    })*
                }
            }

            /// What it holds, for messages.
            pub fn type_name(&self) -> &'static str {
                match self { $(Self::$variant(_) => stringify!($type),)* }
            }
        }

        $(impl FromData for $type {
            fn from_data(data: ColumnData) -> Result<Vec<Self>, ColumnData> {
                match data {
                    ColumnData::$variant(values) => Ok(values),
                    other => Err(other),
                }
            }
        })*
    };
}

/// A value that a column of data may hold.
pub(crate) trait FromData: Sized {
    /// The values, or the data as it was if it is of another type.
    fn from_data(data: ColumnData) -> Result<Vec<Self>, ColumnData>;
}

column_data! {
    /// One byte codes.
    U8(u8),
    /// Plain 32 bit numbers.
    U32(u32),
    /// Plain 64 bit numbers.
    I64(i64),
    /// Optional 32 bit numbers.
    MaybeU32(MaybeU32),
    /// Optional 64 bit numbers.
    MaybeI64(MaybeI64),
    /// Optional floats.
    MaybeF64(MaybeF64),
    /// Numbers or texts used as identifiers.
    Ident(Ident),
    /// Interned strings.
    String(StringId),
    /// Rows of the slice table.
    Slice(SliceId),
    /// Rows of the track table.
    Track(TrackId),
    /// Three extents of a launch.
    Extent(Extent),
    /// Nanoseconds.
    Ns(Ns),
    /// Kinds of slices.
    Kind(SliceKind),
}

/// Why columns do not form a trace table; the writer's fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unfit {
    /// The model has no such table.
    UnknownTable {
        /// The name.
        table: String,
    },
    /// There are too few columns or too many.
    Columns {
        /// How many the table has.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A column is of another type.
    Type {
        /// The column.
        column: &'static str,
        /// What it holds.
        found: &'static str,
    },
    /// Columns have different lengths.
    Lengths {
        /// The column that differs from those before it.
        column: usize,
    },
    /// There are more rows than row numbers.
    TooLong,
    /// A place or process is listed twice.
    Twice {
        /// The table.
        table: &'static str,
        /// The second row.
        row: usize,
    },
    /// A cell points at a row or a text that is not there.
    Dangling {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The row.
        row: usize,
    },
    /// The list of quarantined slices is not in order.
    Disorder,
}

impl fmt::Display for Unfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownTable { table } => write!(formatter, "no table `{table}`"),
            Self::Columns { expected, found } => {
                write!(formatter, "{found} columns where the table has {expected}")
            }
            Self::Type { column, found } => write!(formatter, "column `{column}` holds {found}"),
            Self::Lengths { column } => write!(formatter, "column {column} has a different length"),
            Self::TooLong => formatter.write_str("more rows than a table can have"),
            Self::Twice { table, row } => write!(formatter, "row {row} of `{table}` is duplicated"),
            Self::Dangling { table, column, row } => {
                write!(formatter, "`{table}.{column}` has a dangling reference in row {row}")
            }
            Self::Disorder => formatter.write_str("quarantined slices are out of order"),
        }
    }
}

impl std::error::Error for Unfit {}

/// Checks that exist as many columns as a table has, all of one length, and that rows can be counted.
pub(crate) fn check_shape(expected: usize, columns: &[ColumnData], before: usize) -> Result<(), Unfit> {
    if columns.len() != expected {
        return Err(Unfit::Columns { expected, found: columns.len() });
    }
    let rows = columns.first().map_or(0, ColumnData::len);
    if let Some(column) = columns.iter().position(|column| column.len() != rows) {
        return Err(Unfit::Lengths { column });
    }
    // The last number stands for no row.
    let fits = before.checked_add(rows).is_some_and(|rows| rows < u32::MAX as usize);
    fits.then_some(()).ok_or(Unfit::TooLong)
}

impl Trace {
    /// Appends rows to the table of a name, given as columns in the order of [`Trace::tables`]. When all tables
    /// are there, [`Trace::check_rows`] must be asked.
    ///
    /// # Errors
    /// If the model has no such table, the columns are not those of the table, or a place is there twice.
    pub fn extend_table(&mut self, table: &str, columns: Vec<ColumnData>) -> Result<(), Unfit> {
        match table {
            "tracks" => self.tracks.extend_threads(columns),
            "processes" => self.tracks.extend_processes(columns),
            "memory_events" => self.snapshot.events.extend_from(columns),
            "memory_segments" => self.snapshot.segments.extend_from(columns),
            "memory_blocks" => self.snapshot.blocks.extend_from(columns),
            "memory_frames" => self.snapshot.frames.extend_from(columns),
            "memory_stacks" => self.snapshot.stacks.extend_from(columns),
            _ => self.extend_plain(table, columns),
        }
    }

    /// Checks that everything that points at a row or a text points at one that is there, so that no analysis has to
    /// doubt it.
    ///
    /// # Errors
    /// If something points at nothing.
    pub fn check_rows(&self) -> Result<(), Unfit> {
        let limits = Limits { strings: &self.strings, slices: self.slices.len(), tracks: self.tracks.len() };
        for view in self.tables() {
            for (column, values) in view.columns {
                if let Some(row) = limits.dangling(values, view.rows) {
                    return Err(Unfit::Dangling { table: view.name, column, row });
                }
            }
        }
        self.check_snapshot()?;
        let in_order = self.quarantined.windows(2).all(|pair| pair[0] < pair[1]);
        match self.quarantined.iter().position(|slice| slice.index() >= limits.slices) {
            Some(row) => Err(Unfit::Dangling { table: "quarantined", column: "slice", row }),
            None if !in_order => Err(Unfit::Disorder),
            None => Ok(()),
        }
    }

    fn check_snapshot(&self) -> Result<(), Unfit> {
        let snapshot = &self.snapshot;
        let (segments, frames, stacks) =
            (snapshot.segments.len(), snapshot.frames.len(), snapshot.stacks.len());
        let beyond = |rows: &[u32], limit: usize| rows.iter().position(|&row| row as usize >= limit);
        let unknown = |rows: &[MaybeU32]| {
            rows.iter().position(|row| row.get().is_some_and(|row| row as usize >= stacks))
        };
        let caller = |(row, caller): (usize, &MaybeU32)| {
            caller.get().filter(|&caller| caller as usize >= row).map(|_| row)
        };
        let faults = [
            ("memory_events", "stack", unknown(&snapshot.events.stack)),
            ("memory_segments", "stack", unknown(&snapshot.segments.stack)),
            ("memory_blocks", "stack", unknown(&snapshot.blocks.stack)),
            ("memory_blocks", "segment", beyond(&snapshot.blocks.segment, segments)),
            ("memory_stacks", "frame", beyond(&snapshot.stacks.frame, frames)),
            ("memory_stacks", "caller", snapshot.stacks.caller.iter().enumerate().find_map(caller)),
        ];
        let fault = faults
            .into_iter()
            .find_map(|(table, column, row)| row.map(|row| Unfit::Dangling { table, column, row }));
        fault.map_or(Ok(()), Err)
    }
}

/// What cells may point at.
struct Limits<'a> {
    strings: &'a Strings,
    slices: usize,
    tracks: usize,
}

impl Limits<'_> {
    /// The first row of a column that points at nothing.
    fn dangling(&self, column: Column<'_>, rows: usize) -> Option<usize> {
        let is_text = |id: StringId| id == StringId::NONE || id.index() < self.strings.len();
        match column {
            Column::String(values) => first(values, rows, |id| !is_text(id)),
            Column::Ident(values) => {
                first(values, rows, |ident| ident.as_text().is_some_and(|id| !is_text(id)))
            }
            Column::Slice(values) => first(values, rows, |slice| slice.index() >= self.slices),
            Column::Track(values) => first(values, rows, |track| track.index() >= self.tracks),
            _ => None,
        }
    }
}

fn first<T: Copy>(values: Values<'_, T>, rows: usize, is_wrong: impl Fn(T) -> bool) -> Option<usize> {
    match values {
        Values::Plain(values) | Values::Sparse(values, _) => values.iter().position(|&value| is_wrong(value)),
        Values::Packed(_) => (0..rows).find(|&row| is_wrong(values[row])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(track: u32, name: u32) -> Vec<ColumnData> {
        vec![
            ColumnData::Ns(vec![Ns(1)]),
            ColumnData::Ns(vec![Ns(2)]),
            ColumnData::String(vec![StringId(name)]),
            ColumnData::String(vec![StringId::NONE]),
            ColumnData::Track(vec![TrackId(track)]),
            ColumnData::Kind(vec![SliceKind::Op]),
            ColumnData::I64(vec![0]),
        ]
    }

    fn place() -> Vec<ColumnData> {
        vec![
            ColumnData::Ident(vec![Ident::number(1)]),
            ColumnData::Ident(vec![Ident::NONE]),
            ColumnData::String(vec![StringId::NONE]),
            ColumnData::MaybeI64(vec![MaybeI64::NONE]),
        ]
    }

    #[test]
    fn columns_become_rows_that_can_be_looked_up() {
        let mut trace = Trace::default();
        trace.strings.intern("aten::mm");
        trace.extend_table("tracks", place()).unwrap();
        trace.extend_table("slices", slices(0, 0)).unwrap();
        trace.extend_table("slices", slices(0, u32::MAX)).unwrap();
        assert_eq!(trace.check_rows(), Ok(()));
        assert_eq!((trace.slices.len(), trace.slice_name(SliceId(0))), (2, "aten::mm"));
        assert_eq!(trace.tracks.get_or_add(Ident::number(1), Ident::NONE), TrackId(0));
        assert_eq!(trace.tracks.len(), 1);
    }

    #[test]
    fn what_does_not_fit_is_refused_and_changes_nothing() {
        let mut trace = Trace::default();
        let unknown = trace.extend_table("slice", Vec::new());
        assert_eq!(unknown, Err(Unfit::UnknownTable { table: "slice".to_owned() }));
        let few = trace.extend_table("slices", slices(0, 0)[1..].to_vec());
        assert_eq!(few, Err(Unfit::Columns { expected: 7, found: 6 }));
        let mut wrong = slices(0, 0);
        wrong[5] = ColumnData::U8(vec![0]);
        let wrong = trace.extend_table("slices", wrong);
        assert_eq!(wrong, Err(Unfit::Type { column: "kind", found: "u8" }));
        let mut long = slices(0, 0);
        long[6] = ColumnData::I64(vec![0, 1]);
        assert_eq!(trace.extend_table("slices", long), Err(Unfit::Lengths { column: 6 }));
        assert!(trace.slices.is_empty());
        trace.extend_table("tracks", place()).unwrap();
        let twice = trace.extend_table("tracks", place());
        assert_eq!(twice, Err(Unfit::Twice { table: "tracks", row: 1 }));
    }

    #[test]
    fn what_points_at_nothing_is_found() {
        let dangling = |column| Err(Unfit::Dangling { table: "slices", column, row: 0 });
        for (track, name, expected) in [
            (1, 0, dangling("track")),
            (u32::MAX, 0, dangling("track")),
            (0, 1, dangling("name")),
            (0, 0, Ok(())),
        ] {
            let mut trace = Trace::default();
            trace.strings.intern("a");
            trace.extend_table("tracks", place()).unwrap();
            trace.extend_table("slices", slices(track, name)).unwrap();
            assert_eq!(trace.check_rows(), expected);
        }
        let mut trace = Trace { quarantined: vec![SliceId(0)], ..Trace::default() };
        assert!(matches!(trace.check_rows(), Err(Unfit::Dangling { table: "quarantined", .. })));
        trace.quarantined.clear();
        let stack = vec![ColumnData::U32(vec![0]), ColumnData::MaybeU32(vec![MaybeU32::new(0)])];
        trace.extend_table("memory_stacks", stack).unwrap();
        assert_eq!(
            trace.check_rows(),
            Err(Unfit::Dangling { table: "memory_stacks", column: "frame", row: 0 })
        );
    }
}
