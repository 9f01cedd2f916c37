//! A table of dispatches, counters, calls, copies or allocations, told by its columns.

use std::collections::HashMap;

use eaves_model::{Ident, MaybeF64, SliceId, SliceKind, StringId, Trace, WarningKind};

use super::super::super::{Input, Refused, Role};
use super::cells::{self, Cells, Stamp};
use super::columns::{Columns, Field};
use super::lines::{self, Lines};
use super::marks::{self, Mark};
use super::names;
use super::recorder::{Kernel, Recorder, When};
use super::row::Row;

/// What a table has a row for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super::super) enum Rows {
    /// A dispatch, with a column for each counter.
    Dispatches,
    /// A counter of a dispatch.
    Counters,
    /// A call or a named range.
    Calls,
    /// A kernel or copy, by operation.
    Operations,
    /// A copy.
    Copies,
    /// An allocation or release.
    Allocations,
    /// A change of scratch memory.
    Scratch,
    /// A beginning or end of a named range.
    Marks,
}

impl Rows {
    /// By the columns.
    pub(in super::super::super) fn of(columns: &Columns) -> Option<Self> {
        let has = |field| columns.has(field);
        Some(if has(Field::Domain) && has(Field::Function) {
            Self::Calls
        } else if has(Field::Domain) && has(Field::MarkerId) {
            Self::Marks
        } else if has(Field::Domain) && has(Field::Operation) {
            Self::Operations
        } else if has(Field::Kind) && has(Field::Direction) {
            Self::Copies
        } else if has(Field::Kind) && has(Field::Operation) && has(Field::Flags) {
            Self::Scratch
        } else if has(Field::Kind) && has(Field::Operation) && has(Field::Address) {
            Self::Allocations
        } else if has(Field::KernelName) && has(Field::CounterName) && has(Field::CounterValue) {
            Self::Counters
        } else if has(Field::KernelName) && (has(Field::GridSize) || has(Field::GridX)) {
            Self::Dispatches
        } else {
            return None;
        })
    }
}

/// The columns of the first line, if it is a header.
pub(in super::super::super) fn header(first: &[u8]) -> Option<Columns> {
    lines::first_lines(first).next().map(Columns::read)
}

/// How the tables of a profiler differ.
#[derive(Clone, Copy, Debug)]
pub(in super::super::super) struct Style {
    /// The profiler.
    pub(in super::super::super) tool: &'static str,
    /// Which clock its times are of.
    pub(in super::super::super) clock: &'static str,
    /// True if `SQ_ACCUM_PREV_HIRES` goes by the counter before it, which it accumulates: each file has another.
    pub(in super::super::super) names_accumulators: bool,
}

/// A table that was read.
#[derive(Debug)]
pub(in super::super::super) struct Reading {
    pub(in super::super::super) trace: Trace,
    pub(in super::super::super) role: Role,
    pub(in super::super::super) bytes: u64,
}

/// Reads a table.
pub(in super::super::super) fn read(input: Input<'_>, style: Style) -> Result<Reading, Refused> {
    let mut recorder = Recorder::default();
    let mut lines = Lines::new(input.rest);
    let mut columns = None;
    while let Some(line) = lines.next(recorder.diagnostics()) {
        if !lines::is_banner(line.bytes) {
            columns = Some((Columns::read(line.bytes), line.bytes.to_vec()));
            break;
        }
    }
    let Some((columns, header)) = columns else { return Err(refused(0, "no table header")) };
    let Some(rows) = Rows::of(&columns) else {
        return Err(refused(0, "a table with unknown columns"));
    };
    let mut table = Table::new(rows, &columns, style, &mut recorder);
    let mut cells = Cells::default();
    while let Some(line) = lines.next(recorder.diagnostics()) {
        // A second header stands where files were put behind one another.
        if lines::is_banner(line.bytes) || line.bytes == header.as_slice() {
            continue;
        }
        if !cells.split(line.bytes, columns.count, columns.name_column()) {
            let kind = if line.is_ended { WarningKind::BadRecord } else { WarningKind::Truncated };
            recorder.diagnostics().note(kind, Some(line.offset));
            continue;
        }
        table.row(&Row::of_table(line.bytes, line.offset, &columns, &cells), &mut recorder);
    }
    table.end(&mut recorder);
    let role = match rows {
        Rows::Dispatches if table.counters.is_empty() => Role::Kernels,
        Rows::Dispatches | Rows::Counters => Role::Counters,
        Rows::Operations => Role::Whole,
        _ => Role::Others,
    };
    let bytes = lines.bytes();
    let trace = recorder.finish(style.tool, style.clock);
    if trace.events == 0 && !trace.diagnostics.warnings().is_empty() {
        return Err(refused(bytes, "a table without a readable row"));
    }
    Ok(Reading { trace, role, bytes })
}

pub(in super::super::super) fn refused(offset: u64, what: &str) -> Refused {
    Refused {
        offset,
        what: what.to_owned(),
        hint: "record again; see docs/rocprof.md for supported files".into(),
    }
}

/// A table while it is read.
pub(in super::super::super) struct Table {
    rows: Rows,
    /// Columns that are counters, and what these are called.
    counters: Vec<(usize, StringId)>,
    /// Dispatches by process, device, number and name.
    dispatches: HashMap<(i64, u32, i64, StringId), SliceId>,
    /// Which pass each counter row is of, told by the dispatch's start.
    passes: Vec<u32>,
    /// Sizes of what is allocated, by address.
    sizes: HashMap<i64, i64>,
    /// Marks: time, number and text.
    marks: Vec<Mark>,
}

impl Table {
    /// A table of these rows, whose other columns are counters.
    pub(in super::super::super) fn new(
        rows: Rows,
        columns: &Columns,
        style: Style,
        recorder: &mut Recorder,
    ) -> Self {
        let mut counters = Vec::new();
        if rows == Rows::Dispatches {
            let mut previous = "";
            for (at, name) in &columns.others {
                let accumulates =
                    style.names_accumulators && name == "SQ_ACCUM_PREV_HIRES" && !previous.is_empty();
                let id = if accumulates {
                    recorder.trace.strings.intern(&format!("{previous}_ACCUM"))
                } else {
                    recorder.trace.strings.intern(name)
                };
                counters.push((*at, id));
                previous = name;
            }
        }
        Self {
            rows,
            counters,
            dispatches: HashMap::new(),
            passes: Vec::new(),
            sizes: HashMap::new(),
            marks: Vec::new(),
        }
    }

    /// Takes a row.
    pub(in super::super::super) fn row(&mut self, row: &Row<'_>, recorder: &mut Recorder) {
        match self.rows {
            Rows::Dispatches => self.dispatch(row, recorder),
            Rows::Counters => self.counter(row, recorder),
            Rows::Calls => self.call(row, recorder),
            Rows::Operations => self.operation(row, recorder),
            Rows::Copies => self.copy(row, recorder),
            Rows::Allocations => self.allocation(row, recorder),
            Rows::Scratch => self.scratch(row, recorder),
            Rows::Marks => self.mark(row, recorder),
        }
    }

    fn dispatch(&mut self, row: &Row<'_>, recorder: &mut Recorder) {
        let kernel = row.kernel();
        if kernel.name.is_empty() {
            recorder.diagnostics().note(WarningKind::BadRecord, Some(row.offset));
            return;
        }
        let slice = recorder.kernel(&kernel, row.when());
        for &(at, metric) in &self.counters {
            let cell = row.at(at);
            match cells::float(cell) {
                Some(value) => recorder.counter(slice, metric, value),
                None if is_absent(cell) => {}
                None => recorder.diagnostics().note(WarningKind::BadValue, Some(row.offset)),
            }
        }
    }

    fn counter(&mut self, row: &Row<'_>, recorder: &mut Recorder) {
        let kernel = row.kernel();
        let metric = row.cell(Field::CounterName);
        let value = row.cell(Field::CounterValue).unwrap_or_default();
        let (Some(metric), false) = (metric, kernel.name.is_empty()) else {
            recorder.diagnostics().note(WarningKind::BadRecord, Some(row.offset));
            return;
        };
        let when = row.when();
        let name = recorder.text(names::kernel(kernel.name), row.offset);
        let process = row.integer(Field::Process).unwrap_or(-1);
        let number = kernel.number.or(when.start.get()).unwrap_or(-1);
        let key = (process, kernel.device.unwrap_or(u32::MAX), number, name);
        let slice = match self.dispatches.get(&key) {
            Some(&slice) => {
                recorder.trace.events += 1;
                slice
            }
            None => {
                let slice = recorder.kernel(&kernel, when);
                self.dispatches.insert(key, slice);
                slice
            }
        };
        let metric = recorder.text(metric, row.offset);
        match cells::float(value) {
            Some(value) => {
                recorder.counter(slice, metric, value);
                let start = when.start.get().unwrap_or(0) as u64;
                self.passes.push((start ^ (start >> 32)) as u32);
            }
            None if is_absent(value) => {}
            None => recorder.diagnostics().note(WarningKind::BadValue, Some(row.offset)),
        }
    }

    fn call(&self, row: &Row<'_>, recorder: &mut Recorder) {
        let domain = row.cell(Field::Domain).unwrap_or_default();
        let Some(name) = row.cell(Field::Function) else {
            recorder.diagnostics().note(WarningKind::BadRecord, Some(row.offset));
            return;
        };
        if domain.starts_with(b"MARKER") || domain.starts_with(b"ROCTX") {
            recorder.annotation(name, row.place(), row.when());
        } else {
            let correlation = row.integer(Field::Correlation);
            let category = String::from_utf8_lossy(domain);
            recorder.call(name, &category, row.place(), correlation, row.when());
        }
    }

    fn operation(&self, row: &Row<'_>, recorder: &mut Recorder) {
        let operation = row.cell(Field::Operation).unwrap_or_default();
        let kernel = row.kernel();
        operation_of(recorder, operation, kernel, row.when());
    }

    fn copy(&self, row: &Row<'_>, recorder: &mut Recorder) {
        let direction = row.cell(Field::Direction).unwrap_or_default();
        // A copy runs on the device at either end; of two, on the one that it leaves.
        let from_host = names::copy(direction).contains("(Host ->");
        let agent = if from_host { Field::DestinationAgent } else { Field::SourceAgent };
        let device = row.agent(agent).and_then(|device| u32::try_from(device).ok());
        let stream = row.integer(Field::Stream);
        let correlation = row.integer(Field::Correlation);
        recorder.copy(direction, device, stream, correlation, row.when());
    }

    fn allocation(&mut self, row: &Row<'_>, recorder: &mut Recorder) {
        let operation = row.cell(Field::Operation).unwrap_or_default();
        let address = row.integer(Field::Address);
        let size = row.count(Field::Size).and_then(|size| i64::try_from(size).ok());
        let is_release = memchr::memmem::find(operation, b"FREE").is_some();
        let bytes = if is_release {
            // Releases are written with a size of 0; what was allocated at the address says how much it was.
            let known = address.and_then(|address| self.sizes.remove(&address));
            known.or(size.filter(|&size| size > 0)).map(|size| -size)
        } else {
            if let Some((address, size)) = address.zip(size) {
                self.sizes.insert(address, size);
            }
            size
        };
        recorder.allocation(bytes, address, row.agent(Field::Device), row.when());
    }

    fn scratch(&self, row: &Row<'_>, recorder: &mut Recorder) {
        let operation = row.cell(Field::Operation).unwrap_or(b"SCRATCH_MEMORY");
        let name = recorder.text(operation, row.offset);
        let device = row.device().map_or_else(|| "GPU".to_owned(), |device| format!("GPU {device}"));
        let process = recorder.trace.strings.intern(&device);
        let thread = recorder.trace.strings.intern("scratch memory");
        let place = (Ident::text(process), Ident::text(thread));
        let track = recorder.named_track(place.0, process, place.1, "scratch memory");
        recorder.slice(SliceKind::Other, name, "scratch_memory", track, row.when());
    }

    fn mark(&mut self, row: &Row<'_>, recorder: &mut Recorder) {
        let time = row.cell(Field::Timestamp).map_or(Stamp::Missing, cells::stamp);
        if time == Stamp::Missing {
            recorder.diagnostics().note(WarningKind::BadTimestamp, Some(row.offset));
            return;
        }
        let message = row.cell(Field::Message).unwrap_or_default().to_vec();
        let id = row.integer(Field::MarkerId).unwrap_or(0);
        self.marks.push(Mark { id, message, time, offset: row.offset });
    }

    /// Does what only the end of the file allows.
    pub(in super::super::super) fn end(&mut self, recorder: &mut Recorder) {
        marks::pair(&std::mem::take(&mut self.marks), recorder);
        one_value_each(&mut recorder.trace, &self.passes);
    }
}

/// A kernel, copy or barrier by what the profiler calls the operation.
pub(in super::super::super) fn operation_of(
    recorder: &mut Recorder,
    operation: &[u8],
    kernel: Kernel<'_>,
    when: When,
) {
    let plain: Vec<u8> = operation.iter().map(u8::to_ascii_lowercase).collect();
    let has = |part: &str| memchr::memmem::find(&plain, part.as_bytes()).is_some();
    if has("barrier") || kernel.name.starts_with(b"<barrier") {
        let name = recorder.text(b"<barrier packet>", when.offset);
        let track = recorder.device_track(kernel.device, kernel.stream, kernel.queue);
        recorder.slice(SliceKind::Sync, name, "barrier", track, when);
    } else if has("copy") {
        recorder.copy(operation, kernel.device, kernel.stream, kernel.correlation, when);
    } else if kernel.name.is_empty() {
        recorder.diagnostics().note(WarningKind::BadRecord, Some(when.offset));
    } else {
        recorder.kernel(&kernel, when);
    }
}

/// What profilers write where a counter has no value.
pub(super) fn is_absent(cell: &[u8]) -> bool {
    cell.is_empty() || [&b"None"[..], b"nan", b"NaN", b"N/A", b"NA"].contains(&cell)
}

/// Of several rows for a counter of a dispatch: those of one pass are its instances and are added up; of several
/// passes the first counts.
fn one_value_each(trace: &mut Trace, passes: &[u32]) {
    let counters = &mut trace.range_counters;
    if passes.len() != counters.len() || passes.is_empty() {
        return;
    }
    let mut order: Vec<u32> = (0..passes.len() as u32).collect();
    let key = |row: &u32| (counters.slice[*row as usize], counters.metric[*row as usize]);
    order.sort_by_key(key);
    let mut dropped = vec![false; passes.len()];
    let mut differing = 0;
    let mut sums: Vec<(usize, f64)> = Vec::new();
    for group in order.chunk_by(|a, b| key(a) == key(b)).filter(|group| group.len() > 1) {
        let value = |row: &u32| counters.value[*row as usize].get().unwrap_or(0.0);
        let first = group[0] as usize;
        let of_pass = |pass: u32| group.iter().filter(move |row| passes[**row as usize] == pass);
        let sum: f64 = of_pass(passes[first]).map(value).sum();
        differing +=
            u64::from(group.iter().any(|row| of_pass(passes[*row as usize]).map(value).sum::<f64>() != sum));
        sums.push((first, sum));
        group[1..].iter().for_each(|row| dropped[*row as usize] = true);
    }
    for (row, sum) in sums {
        counters.value[row] = MaybeF64::new(sum);
    }
    counters.retain(|row| !dropped[row]);
    trace.diagnostics.note_many(WarningKind::PassesDiffer, differing, None);
}
