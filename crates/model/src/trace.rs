//! A whole trace: the tables, what the file says of itself, and what was odd about it.

use crate::{
    Allocations, AsyncSlices, CapturedGraph, Collectives, ColumnData, Counters, Diagnostics, Dispatches,
    Flows, GpuActivities, GpuId, Instants, Interval, LegacyOps, Metadata, Ns, Ops, PythonFrames,
    RangeCounters, Relocation, Remarks, RuntimeArguments, RuntimeCalls, SliceId, SliceKind, Slices, Snapshot,
    Strings, Syncs, Tracks, TritonLaunches, Unfit,
};

/// One recording of one process as columns.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Every text.
    pub strings: Strings,
    /// Where things happened.
    pub tracks: Tracks,
    /// Everything with a duration.
    pub slices: Slices,
    /// Framework operators and named ranges.
    pub ops: Ops,
    /// Extra fields of operators in old traces.
    pub legacy_ops: LegacyOps,
    /// Launches of Triton kernels.
    pub triton: TritonLaunches,
    /// Runtime and driver calls.
    pub runtime: RuntimeCalls,
    /// Arguments of runtime calls.
    pub runtime_arguments: RuntimeArguments,
    /// Python frames.
    pub python: PythonFrames,
    /// Kernels, copies and memsets.
    pub gpu: GpuActivities,
    /// What AMD's profilers record of kernels besides.
    pub dispatches: Dispatches,
    /// Synchronisation records.
    pub syncs: Syncs,
    /// Collectives.
    pub collectives: Collectives,
    /// Hardware counters.
    pub range_counters: RangeCounters,
    /// Remarks of the profiler.
    pub remarks: Remarks,
    /// Arrows.
    pub flows: Flows,
    /// Events without duration.
    pub instants: Instants,
    /// Counter samples.
    pub counters: Counters,
    /// Memory events.
    pub allocations: Allocations,
    /// Asynchronous slices.
    pub asyncs: AsyncSlices,
    /// What an allocator held and did, if the recording is a snapshot of one.
    pub snapshot: Snapshot,
    /// Graphs that the recording may replay, by recordings of their capture.
    pub captured: Vec<CapturedGraph>,
    /// What the file says of itself.
    pub metadata: Metadata,
    /// Slices whose duration cannot be true, sorted. They stay in the tables but in no total.
    pub quarantined: Vec<SliceId>,
    /// Number of events in the file, of every phase, readable ones only.
    pub events: u64,
    /// What was odd.
    pub diagnostics: Diagnostics,
}

/// Why a duration cannot be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Impossibility {
    /// It ended before it began. Kept with a duration of zero.
    Negative,
    /// Longer than [`Self::LONGEST`]: a counter that wrapped around or was never set.
    Overflow,
    /// It ended after the recording had.
    BeyondEnd,
}

impl Impossibility {
    /// No recording and nothing in it lasts a month.
    pub const LONGEST: Ns = Ns(30 * 24 * 3600 * 1_000_000_000);

    /// The reason, for people.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Negative => "negative duration",
            Self::Overflow => "longer than 30 days: a counter overflowed or was never set",
            Self::BeyondEnd => "ends after the recording",
        }
    }
}

/// One table as exporters see it.
#[derive(Clone, Debug)]
pub struct TableView<'a> {
    /// Name, also the name of the exported file.
    pub name: &'static str,
    /// Number of rows.
    pub rows: usize,
    /// Columns with their names.
    pub columns: Vec<(&'static str, crate::Column<'a>)>,
}

/// Calls a macro with the name of every table that is appended row by row, `slices` first.
macro_rules! every_table {
    ($with:ident) => {
        $with!(
            slices,
            ops,
            legacy_ops,
            triton,
            runtime,
            runtime_arguments,
            python,
            gpu,
            dispatches,
            syncs,
            collectives,
            range_counters,
            remarks,
            flows,
            instants,
            counters,
            allocations,
            asyncs
        )
    };
}

impl Trace {
    /// Appends a later part of the same file. The answer says how its ids were changed.
    pub fn append(&mut self, other: Trace) -> Relocation {
        let mut relocation = Relocation {
            strings: self.strings.absorb(&other.strings),
            slices: self.slices.len() as u32,
            ..Relocation::default()
        };
        relocation.tracks = self.tracks.absorb(&other.tracks, &relocation);
        macro_rules! append {
            ($($table:ident),*) => { $(self.$table.append(other.$table, &relocation);)* };
        }
        every_table!(append);
        self.snapshot.absorb(other.snapshot, &relocation);
        self.quarantined.extend(other.quarantined.iter().map(|slice| SliceId(slice.0 + relocation.slices)));
        self.events += other.events;
        self.diagnostics.absorb(other.diagnostics);
        relocation
    }

    /// Takes everything out but what the file says of itself, how many events it had, and what was odd.
    #[must_use]
    pub fn take_rows(&mut self) -> Trace {
        let kept = Trace {
            metadata: self.metadata.clone(),
            events: self.events,
            diagnostics: self.diagnostics.clone(),
            ..Trace::default()
        };
        std::mem::replace(self, kept)
    }

    /// Every table with its name and columns, for exporters; those of a snapshot only if there is one.
    pub fn tables(&self) -> Vec<TableView<'_>> {
        let mut tables = self.all_tables();
        if self.snapshot.is_empty() {
            tables.truncate(tables.len() - self.snapshot.tables().len());
        }
        tables
    }

    /// Every table that a trace can have.
    pub fn all_tables(&self) -> Vec<TableView<'_>> {
        macro_rules! list {
            ($($table:ident),*) => { vec![
                TableView { name: "tracks", rows: self.tracks.threads.len(), columns: self.tracks.threads.columns() },
                TableView {
                    name: "processes",
                    rows: self.tracks.processes.len(),
                    columns: self.tracks.processes.columns(),
                },
                $(TableView { name: stringify!($table), rows: self.$table.len(), columns: self.$table.columns() },)*
            ] };
        }
        let mut tables = every_table!(list);
        tables.extend(self.snapshot.tables());
        tables
    }

    /// Appends rows to a table that needs nothing but its columns.
    pub(crate) fn extend_plain(&mut self, name: &str, columns: Vec<ColumnData>) -> Result<(), Unfit> {
        macro_rules! extend {
            ($($table:ident),*) => {
                match name {
                    $(stringify!($table) => self.$table.extend_from(columns),)*
                    _ => Err(Unfit::UnknownTable { table: name.to_owned() }),
                }
            };
        }
        every_table!(extend)
    }

    /// The name of a slice.
    pub fn slice_name(&self, slice: SliceId) -> &str {
        self.strings.get(self.slices.name[slice.index()])
    }

    /// True if the slice is in no total because its duration cannot be true.
    pub fn is_quarantined(&self, slice: SliceId) -> bool {
        self.quarantined.binary_search(&slice).is_ok()
    }

    /// Why a quarantined slice cannot be true, told by what is left of it.
    pub fn impossibility(&self, slice: SliceId) -> Impossibility {
        match self.slices.duration[slice.index()] {
            Ns::ZERO => Impossibility::Negative,
            duration if duration > Impossibility::LONGEST => Impossibility::Overflow,
            _ => Impossibility::BeyondEnd,
        }
    }

    /// GPU activities that count, in the order of the file.
    pub fn gpu_activities(&self) -> impl Iterator<Item = GpuId> {
        (0..self.gpu.len())
            .filter(|&row| self.quarantined.is_empty() || !self.is_quarantined(self.gpu.slice[row]))
            .map(GpuId::from)
    }

    /// From the first start to the last end of everything that counts.
    pub fn extent(&self) -> Option<Interval> {
        let mut extent: Option<Interval> = None;
        let is_quarantined =
            |row: usize| !self.quarantined.is_empty() && self.is_quarantined(SliceId::from(row));
        for row in 0..self.slices.len() {
            if self.slices.kind[row] == SliceKind::Span || is_quarantined(row) {
                continue;
            }
            let (start, end) = (self.slices.start[row], self.slices.end(row));
            let so_far = extent.get_or_insert(Interval { start, end });
            so_far.start = so_far.start.min(start);
            so_far.end = so_far.end.max(end);
        }
        // Snapshots have times of their own, and few slices or none.
        for &time in &self.snapshot.events.time {
            let so_far = extent.get_or_insert(Interval { start: time, end: time });
            so_far.start = so_far.start.min(time);
            so_far.end = so_far.end.max(time);
        }
        extent
    }

    /// Profiler steps in time order: number and slice. A step recorded on several threads counts once, at
    /// its longest.
    pub fn steps(&self) -> Vec<(u64, SliceId)> {
        let mut steps: Vec<(u64, SliceId)> = Vec::new();
        for (row, &kind) in self.slices.kind.iter().enumerate() {
            if kind != SliceKind::Annotation {
                continue;
            }
            let slice = SliceId::from(row);
            // One whose duration cannot be true would be the longest, and hold all that follows.
            if self.is_quarantined(slice) {
                continue;
            }
            let number = self.slice_name(slice).strip_prefix("ProfilerStep#").and_then(|n| n.parse().ok());
            if let Some(number) = number {
                steps.push((number, slice));
            }
        }
        steps.sort_by_key(|&(number, slice)| (number, -self.slices.duration[slice.index()]));
        steps.dedup_by_key(|&mut (number, _)| number);
        steps.sort_by_key(|&(_, slice)| self.slices.start[slice.index()]);
        steps
    }

    /// True if both hold the same rows and texts. Positions in the file and warnings may differ, and strings
    /// may have other numbers.
    pub fn same_content(&self, other: &Trace) -> bool {
        self.difference(other).is_none()
    }

    /// The first difference between the content of two traces, for error messages.
    pub fn difference(&self, other: &Trace) -> Option<String> {
        if self.metadata != other.metadata {
            return Some(format!("metadata: {:?} and {:?}", self.metadata, other.metadata));
        }
        if self.snapshot.is_empty() != other.snapshot.is_empty() {
            return Some("only one has an allocator snapshot".to_owned());
        }
        for (left, right) in self.tables().iter().zip(other.tables()) {
            let name = left.name;
            if left.rows != right.rows {
                return Some(format!("{name}: {} and {} rows", left.rows, right.rows));
            }
            for ((column, ours), (_, theirs)) in left.columns.iter().zip(right.columns) {
                if *column == "position" {
                    continue;
                }
                let cells = |row| (ours.text(&self.strings, row), theirs.text(&other.strings, row));
                if let Some((a, b)) = (0..left.rows).map(cells).find(|(a, b)| a != b) {
                    return Some(format!("{name}.{column}: {a:?} and {b:?}"));
                }
            }
        }
        (self.quarantined != other.quarantined)
            .then(|| format!("{} and {} quarantined", self.quarantined.len(), other.quarantined.len()))
    }
}
