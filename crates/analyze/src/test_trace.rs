//! Traces made by hand for the unit tests.

use eaves_model::{
    Allocation, Collective, DeviceProperties, Extent, GpuActivity, Ident, MaybeF64, MaybeI64, MaybeU32, Ns,
    Op, PythonFrame, RangeCounter, RankSource, Recording, Run, RuntimeCall, Slice, SliceId, SliceKind, Trace,
};

use crate::section::{Section, Value};
use crate::{Options, Outcome};

/// Adds a slice to the thread of a process.
pub(crate) fn add_slice(
    trace: &mut Trace,
    (process, thread): (i64, i64),
    kind: SliceKind,
    name: &str,
    (start, end): (i64, i64),
) -> SliceId {
    let track = trace.tracks.get_or_add(Ident::number(process), Ident::number(thread));
    let name = trace.strings.intern(name);
    let (start, duration) = (Ns(start), Ns(end - start));
    trace.slices.push(Slice { start, duration, name, track, kind, ..Slice::default() });
    SliceId::from(trace.slices.len() - 1)
}

/// A trace that grows by one line a slice.
#[derive(Default)]
pub(crate) struct TestTrace {
    pub(crate) trace: Trace,
}

impl TestTrace {
    fn slice(&mut self, kind: SliceKind, name: &str, start: i64, end: i64) -> SliceId {
        self.slice_on(i64::from(kind as u8), kind, name, start, end)
    }

    fn slice_on(&mut self, thread: i64, kind: SliceKind, name: &str, start: i64, end: i64) -> SliceId {
        add_slice(&mut self.trace, (1, thread), kind, name, (start, end))
    }

    /// A profiler step.
    pub(crate) fn step(&mut self, number: u64, start: i64, end: i64) -> &mut Self {
        let slice = self.slice(SliceKind::Annotation, &format!("ProfilerStep#{number}"), start, end);
        self.trace.ops.push(Op { slice, ..Op::default() });
        self
    }

    /// An operator on the thread of the calls.
    pub(crate) fn op(&mut self, name: &str, start: i64, end: i64) -> &mut Self {
        self.slice_on(i64::from(SliceKind::Runtime as u8), SliceKind::Op, name, start, end);
        self
    }

    /// An operator on a thread without calls.
    pub(crate) fn op_elsewhere(&mut self, name: &str, start: i64, end: i64) -> &mut Self {
        self.slice(SliceKind::Op, name, start, end);
        self
    }

    /// A launching call.
    pub(crate) fn launch(&mut self, correlation: i64, start: i64, end: i64) -> &mut Self {
        self.runtime_call("cudaLaunchKernel", correlation, start, end)
    }

    /// Any slice on the thread that launches.
    pub(crate) fn host(&mut self, kind: SliceKind, name: &str, start: i64, end: i64) -> &mut Self {
        self.host_on(SliceKind::Runtime as i64, kind, name, start, end)
    }

    /// Any slice on its own thread number.
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
            stream: MaybeI64::new(7),
            correlation: correlation.into(),
            ..GpuActivity::default()
        });
        self
    }

    /// An operator with details, on a thread of operators.
    pub(crate) fn detailed_op(&mut self, name: &str, start: i64, end: i64) -> &mut Self {
        let slice = self.slice(SliceKind::Op, name, start, end);
        self.trace.ops.push(Op { slice, ..Op::default() });
        self
    }

    /// A call of a module.
    pub(crate) fn module(&mut self, name: &str, start: i64, end: i64) -> &mut Self {
        let slice = self.slice(SliceKind::Python, &format!("nn.Module: {name}"), start, end);
        self.trace.python.push(PythonFrame { slice, module: MaybeU32::new(0), ..PythonFrame::default() });
        self
    }

    /// Puts all that was called on the host so far on one thread.
    pub(crate) fn on_one_thread(&mut self) -> &mut Self {
        let thread = self.trace.tracks.get_or_add(Ident::number(1), Ident::number(0));
        for (track, kind) in self.trace.slices.track.iter_mut().zip(&self.trace.slices.kind) {
            if kind.is_host_call() {
                *track = thread;
            }
        }
        self
    }

    /// Memory taken (or given back) on the first thread, with the totals afterwards.
    pub(crate) fn allocation(
        &mut self,
        time: i64,
        device: (u32, i64),
        address: i64,
        bytes: i64,
        totals: Option<(i64, i64)>,
    ) -> &mut Self {
        let track = self.trace.tracks.get_or_add(Ident::number(1), Ident::number(0));
        self.trace.allocations.push(Allocation {
            time: Ns(time),
            track,
            bytes: MaybeI64::new(bytes),
            address: MaybeI64::new(address),
            total_allocated: totals.map(|(allocated, _)| allocated).into(),
            total_reserved: totals.map(|(_, reserved)| reserved).into(),
            device_type: MaybeU32::new(device.0),
            device: MaybeI64::new(device.1),
            ..Allocation::default()
        });
        self
    }

    /// A call into the runtime of any name.
    pub(crate) fn unlinked_call(&mut self, name: &str, start: i64, end: i64) -> &mut Self {
        self.slice(SliceKind::Runtime, name, start, end);
        self
    }

    /// A range on the host with the shapes and types of its inputs as JSON.
    pub(crate) fn annotation(
        &mut self,
        name: &str,
        start: i64,
        end: i64,
        dims: &str,
        types: &str,
    ) -> &mut Self {
        self.shaped(SliceKind::Annotation, name, (start, end), dims, types)
    }

    /// An operator with the shapes and types of its inputs, which takes what is launched in it.
    pub(crate) fn operator(
        &mut self,
        name: &str,
        start: i64,
        end: i64,
        dims: &str,
        types: &str,
    ) -> &mut Self {
        self.shaped(SliceKind::Op, name, (start, end), dims, types)
    }

    fn shaped(
        &mut self,
        kind: SliceKind,
        name: &str,
        (start, end): (i64, i64),
        dims: &str,
        types: &str,
    ) -> &mut Self {
        let slice = self.slice(kind, name, start, end);
        let (input_dims, input_types) = (self.trace.strings.intern(dims), self.trace.strings.intern(types));
        self.trace.ops.push(Op { slice, input_dims, input_types, ..Op::default() });
        self
    }

    /// Numbers the last collective within its group.
    pub(crate) fn sequence(&mut self, number: i64) -> &mut Self {
        let last = self.trace.collectives.len() - 1;
        self.trace.collectives.sequence.set(last, MaybeI64::new(number));
        self
    }

    /// Says of the last slice which collective it is: name, elements in and out, type, group and its size.
    pub(crate) fn collective(
        &mut self,
        name: &str,
        elements: (i64, i64),
        dtype: &str,
        group: (&str, u32),
    ) -> &mut Self {
        let slice = SliceId::from(self.trace.slices.len() - 1);
        let mut text = |text: &str| self.trace.strings.intern(text);
        let row = Collective {
            slice,
            name: text(name),
            in_elements: MaybeI64::new(elements.0),
            out_elements: MaybeI64::new(elements.1),
            dtype: text(dtype),
            group_size: MaybeU32::new(group.1),
            group_name: text(group.0),
            ..Collective::default()
        };
        self.trace.collectives.push(row);
        self
    }

    /// Puts the last activity on another stream.
    pub(crate) fn on_stream(&mut self, stream: i64) -> &mut Self {
        let last = self.trace.gpu.len() - 1;
        self.trace.gpu.stream.set(last, MaybeI64::new(stream));
        self
    }

    /// Says how many bytes the last activity moved.
    pub(crate) fn bytes(&mut self, bytes: i64) -> &mut Self {
        *self.trace.gpu.bytes.last_mut().unwrap() = MaybeI64::new(bytes);
        self
    }

    /// A call into the runtime.
    pub(crate) fn runtime_call(&mut self, name: &str, correlation: i64, start: i64, end: i64) -> &mut Self {
        let slice = self.slice(SliceKind::Runtime, name, start, end);
        self.trace.runtime.push(RuntimeCall {
            slice,
            correlation: MaybeI64::new(correlation),
            ..RuntimeCall::default()
        });
        self
    }

    /// Hardware counters of the last slice.
    pub(crate) fn counters(&mut self, values: &[(&str, f64)]) -> &mut Self {
        let slice = SliceId::from(self.trace.slices.len() - 1);
        for (metric, value) in values {
            let metric = self.trace.strings.intern(metric);
            self.trace.range_counters.push(RangeCounter { slice, metric, value: MaybeF64::new(*value) });
        }
        self
    }

    /// Says how many blocks and threads the last activity had.
    pub(crate) fn launched(&mut self, blocks: u32, threads: u32) -> &mut Self {
        let last = self.trace.gpu.len() - 1;
        self.trace.gpu.grid.set(last, Extent([blocks, 1, 1]));
        self.trace.gpu.block.set(last, Extent([threads, 1, 1]));
        self
    }

    /// The recorder and its device.
    pub(crate) fn on_device(&mut self, name: &str, architecture: &str, numbers: &[(&str, f64)]) -> &mut Self {
        let numbers = numbers.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let (name, architecture) = (name.to_owned(), architecture.to_owned());
        self.trace.metadata.tool = Some("a profiler".to_owned());
        self.trace.metadata.devices.push(DeviceProperties { id: Some(0), name, architecture, numbers });
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
