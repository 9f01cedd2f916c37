//! Where rows of the database become rows of the trace.

use eaves_model::{Diagnostics, Ns, Slice, SliceId, SliceKind, StringId, Trace, TrackId, WarningKind};

use super::calls::Calls;
use super::domains::Domains;
use super::names::Names;
use super::places::Places;
use crate::sqlite::{Database, Error, Row};

/// The trace in the making.
pub(super) struct Sink {
    pub(super) trace: Trace,
    pub(super) names: Names,
    pub(super) places: Places,
    pub(super) calls: Calls,
    pub(super) domains: Domains,
    /// The category of the last slice, with its id.
    category: (&'static str, StringId),
    /// The first time that occurs.
    first: Option<i64>,
}

/// A span of time as a row has it.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) start: i64,
    pub(super) length: i64,
}

/// Tables of which every row becomes a slice.
const SLICES: [&str; 7] = [
    "CUPTI_ACTIVITY_KIND_RUNTIME",
    "CUPTI_ACTIVITY_KIND_KERNEL",
    "CUPTI_ACTIVITY_KIND_MEMCPY",
    "CUPTI_ACTIVITY_KIND_MEMSET",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
    "NVTX_EVENTS",
    "OSRT_API",
];

impl Sink {
    pub(super) fn new(diagnostics: Diagnostics) -> Self {
        Self {
            trace: Trace { diagnostics, ..Trace::default() },
            names: Names::default(),
            places: Places::default(),
            calls: Calls::default(),
            domains: Domains::default(),
            category: ("", StringId::NONE),
            first: None,
        }
    }

    /// Makes room for the rows to come: growing whole columns costs copies of them.
    pub(super) fn make_room(&mut self, database: &Database<'_>) {
        // What a database claims is not trusted with more than this; a larger one grows its columns now and then.
        const MOST: usize = 1 << 20;
        let rows = |name: &str| database.table(name).map_or(0, |table| table.rows_at_most().min(MOST));
        self.trace.slices.reserve(SLICES.iter().map(|name| rows(name)).sum::<usize>().min(MOST));
        self.trace.runtime.reserve(rows("CUPTI_ACTIVITY_KIND_RUNTIME"));
        let activities = ["KERNEL", "MEMCPY", "MEMSET"];
        let activities = activities.iter().map(|kind| rows(&format!("CUPTI_ACTIVITY_KIND_{kind}")));
        self.trace.gpu.reserve(activities.sum::<usize>().min(MOST));
        self.trace.counters.reserve(rows("GPU_METRICS"));
    }

    /// Shows every row of a table, if there is such a table.
    pub(super) fn each(
        &mut self,
        database: &Database<'_>,
        table: &str,
        columns: &[&str],
        mut each: impl FnMut(&mut Self, &Row<'_>),
    ) -> Result<(), Error> {
        let Some(table) = database.table(table) else { return Ok(()) };
        let mut damage = Diagnostics::default();
        table.scan(columns, &mut damage, |row| each(self, row))?;
        self.trace.diagnostics.absorb(damage);
        Ok(())
    }

    /// The time of a row, which counts as an event from here on.
    #[inline(always)]
    pub(super) fn time(&mut self, row: &Row<'_>, column: usize) -> Option<i64> {
        // Times are moved later on, which must not leave the range.
        let time = row.integer(column).filter(|time| time.unsigned_abs() < 1 << 62);
        match time {
            Some(time) => {
                self.trace.events += 1;
                self.first = Some(self.first.map_or(time, |first| first.min(time)));
            }
            None => self.odd(WarningKind::BadTimestamp, row),
        }
        time
    }

    #[cold]
    fn odd(&mut self, kind: WarningKind, row: &Row<'_>) {
        self.trace.diagnostics.note(kind, Some(row.offset()));
    }

    /// The span of a row whose first two columns are `start` and `end`.
    #[inline(always)]
    pub(super) fn span(&mut self, row: &Row<'_>) -> Option<Span> {
        let start = self.time(row, 0)?;
        let length = match row.integer(1) {
            Some(end) => end.saturating_sub(start),
            None => {
                self.odd(WarningKind::UnmatchedBegin, row);
                0
            }
        };
        Some(Span { start, length })
    }

    /// A new slice.
    #[inline]
    pub(super) fn slice(
        &mut self,
        row: &Row<'_>,
        span: Span,
        name: StringId,
        (category, kind): (&'static str, SliceKind),
        track: TrackId,
    ) -> SliceId {
        // Most rows of a table have one category.
        if !std::ptr::eq(self.category.0, category) {
            self.category = (category, self.trace.strings.intern(category));
        }
        let category = self.category.1;
        self.trace.slices.push(Slice {
            start: Ns(span.start),
            duration: Ns(span.length),
            name,
            category,
            track,
            kind,
            position: row.offset().cast_signed(),
        });
        SliceId::from(self.trace.slices.len() - 1)
    }

    /// The trace, whose times count from the first one in it.
    pub(super) fn finish(mut self) -> Trace {
        let first = self.first.unwrap_or(0);
        let trace = &mut self.trace;
        let columns = [
            &mut trace.slices.start,
            &mut trace.instants.time,
            &mut trace.counters.time,
            &mut trace.allocations.time,
        ];
        for time in columns.into_iter().flatten() {
            *time -= Ns(first);
        }
        if let Some(base) = &mut trace.metadata.base_time_ns {
            *base = base.saturating_add(first);
        }
        let clock = format!(
            "nanoseconds of Nsight Systems' session clock, to which it aligned host and devices; the first one is at {first} ns"
        );
        trace.metadata.clock = Some(clock);
        self.trace
    }
}
