//! Traces made by hand for the unit tests.

use eaves_model::{
    Extent, GpuActivity, Ident, MaybeF64, MaybeI64, MaybeU32, Ns, Op, RankSource, Recording, Run,
    RuntimeCall, Slice, SliceId, SliceKind, StringId, Trace,
};

use crate::section::{Section, Value};
use crate::{Options, Outcome};

/// A trace that grows by one line a slice.
#[derive(Default)]
pub(crate) struct TestTrace {
    pub(crate) trace: Trace,
}

impl TestTrace {
    fn slice(&mut self, kind: SliceKind, name: &str, start: i64, end: i64) -> SliceId {
        let track = self.trace.tracks.get_or_add(Ident::number(1), Ident::number(i64::from(kind as u8)));
        let name = self.trace.strings.intern(name);
        self.trace.slices.push(Slice {
            start: Ns(start),
            duration: Ns(end - start),
            name,
            category: StringId::NONE,
            track,
            kind,
            position: 0,
        });
        SliceId::from(self.trace.slices.len() - 1)
    }

    /// A profiler step.
    pub(crate) fn step(&mut self, number: u64, start: i64, end: i64) -> &mut Self {
        let slice = self.slice(SliceKind::Annotation, &format!("ProfilerStep#{number}"), start, end);
        self.trace.ops.push(Op {
            slice,
            external_id: MaybeI64::NONE,
            record_function_id: MaybeU32::NONE,
            event_index: MaybeU32::NONE,
            sequence_number: MaybeI64::NONE,
            forward_thread: MaybeU32::NONE,
            input_dims: StringId::NONE,
            input_types: StringId::NONE,
            input_strides: StringId::NONE,
            concrete_inputs: StringId::NONE,
        });
        self
    }

    /// A launching call.
    pub(crate) fn launch(&mut self, correlation: i64, start: i64, end: i64) -> &mut Self {
        let slice = self.slice(SliceKind::Runtime, "cudaLaunchKernel", start, end);
        self.trace.runtime.push(RuntimeCall {
            slice,
            correlation: MaybeI64::new(correlation),
            external_id: MaybeI64::NONE,
            function: MaybeU32::NONE,
        });
        self
    }

    /// Any slice on the thread that launches.
    pub(crate) fn host(&mut self, kind: SliceKind, name: &str, start: i64, end: i64) -> &mut Self {
        self.host_on(SliceKind::Runtime as i64, kind, name, start, end)
    }

    /// Any slice on a thread of its own number.
    pub(crate) fn host_on(
        &mut self,
        thread: i64,
        kind: SliceKind,
        name: &str,
        start: i64,
        end: i64,
    ) -> &mut Self {
        let slice = self.slice(kind, name, start, end);
        self.trace.slices.track[slice.index()] =
            self.trace.tracks.get_or_add(Ident::number(1), Ident::number(thread));
        self
    }

    /// An activity on device 0 without a launch.
    pub(crate) fn gpu(&mut self, kind: SliceKind, name: &str, start: i64, end: i64) -> &mut Self {
        self.gpu_on(0, None, kind, name, start, end)
    }

    /// A kernel on device 0 with the number of its launch.
    pub(crate) fn kernel(&mut self, name: &str, correlation: i64, start: i64, end: i64) -> &mut Self {
        self.gpu_on(0, Some(correlation), SliceKind::Kernel, name, start, end)
    }

    /// An activity on any device.
    pub(crate) fn gpu_on(
        &mut self,
        device: u32,
        correlation: Option<i64>,
        kind: SliceKind,
        name: &str,
        start: i64,
        end: i64,
    ) -> &mut Self {
        let slice = self.slice(kind, name, start, end);
        self.trace.gpu.push(GpuActivity {
            slice,
            device: MaybeU32::new(device),
            context: MaybeU32::NONE,
            stream: MaybeI64::new(7),
            correlation: correlation.into(),
            external_id: MaybeI64::NONE,
            queued: MaybeI64::NONE,
            grid: Extent::default(),
            block: Extent::default(),
            registers: MaybeU32::NONE,
            shared_memory: MaybeI64::NONE,
            blocks_per_sm: MaybeF64::NONE,
            warps_per_sm: MaybeF64::NONE,
            occupancy_pct: MaybeF64::NONE,
            bytes: MaybeI64::NONE,
            bandwidth_gbps: MaybeF64::NONE,
            detail: StringId::NONE,
        });
        self
    }

    /// Takes the last slice out of all totals.
    pub(crate) fn quarantine_last(&mut self) -> &mut Self {
        self.trace.quarantined.push(SliceId::from(self.trace.slices.len() - 1));
        self
    }
}

/// A run of one recording a trace, with ranks from 0.
pub(crate) fn run_of(traces: Vec<TestTrace>) -> Run {
    let recording = |(rank, test): (usize, TestTrace)| Recording {
        path: format!("rank{rank}.json"),
        format: "kineto",
        container: "plain",
        bytes: 0,
        rank: rank as i64,
        rank_source: RankSource::FileName,
        trace: test.trace,
    };
    Run { recordings: traces.into_iter().enumerate().map(recording).collect(), ..Run::default() }
}

/// The outcomes of one analysis over a run.
pub(crate) fn analyse(run: &Run, id: &str, selection: crate::Selection) -> Outcome {
    let options = Options::default().with_selection(selection);
    let mut outcomes = crate::report(run, &options).unwrap();
    let index = outcomes.iter().position(|outcome| outcome.id() == id).unwrap();
    outcomes.swap_remove(index)
}

/// The section of an analysis that must have one.
pub(crate) fn section_of(run: &Run, id: &str) -> Section {
    analyse(run, id, crate::Selection::default()).section().unwrap().clone()
}

/// A number of a section.
pub(crate) fn number(section: &Section, id: &str, rank: Option<i64>) -> Value {
    let found = section.numbers.iter().find(|number| number.id == id && number.rank == rank);
    found.unwrap_or_else(|| panic!("no number {id} of rank {rank:?}")).value.clone()
}

/// A column of a table.
pub(crate) fn column(section: &Section, table: &str, id: &str) -> Vec<Value> {
    let table = section.tables.iter().find(|candidate| candidate.id == table).unwrap();
    let index = table.columns.iter().position(|column| column.id == id).unwrap();
    table.rows.iter().map(|row| row[index].clone()).collect()
}

/// The ids of a table's columns. Fails if a row has another number of cells.
pub(crate) fn column_ids(section: &Section, table: &str) -> Vec<&'static str> {
    let table = section.tables.iter().find(|candidate| candidate.id == table).unwrap();
    assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
    table.columns.iter().map(|column| column.id).collect()
}

/// Integers as values.
pub(crate) fn integers<const N: usize>(values: [i64; N]) -> Vec<Value> {
    values.map(Value::Integer).to_vec()
}

/// Texts as values.
pub(crate) fn texts<const N: usize>(values: [&str; N]) -> Vec<Value> {
    values.map(Value::from).to_vec()
}
