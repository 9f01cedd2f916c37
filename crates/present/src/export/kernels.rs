//! Kernels as one Parquet file in a schema that other tools of the field agree on, with more columns behind it.
//!
//! The first twelve columns, their names and their types are those that a wrapper around rocprof documents for its
//! `rocprof_kernels.parquet`. What does not fit 32 bits is empty there and counted; 64-bit columns behind have it whole.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use eaves_model::{Extent, GpuId, MaybeU32, Recording, SliceKind, StringId, Times, Trace};
use parquet::arrow::ArrowWriter;
use parquet::errors::Result;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use eaves_store::parquet::{self as tables, CREATED_BY};

/// Kernels written at a time.
const BATCH: usize = 1 << 16;

/// Above this many hardware counters they are left to the table `range_counters`.
const MOST_COUNTERS: usize = 2048;

/// Written files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Kernels.
    pub rows: u64,
    /// Numbers that do not fit 32 bits.
    pub too_large: u64,
    /// Hardware counters that have no column, because there are too many.
    pub counters_left_out: u64,
}

/// Writes the kernels of recordings, those of each recording in order of their beginnings.
///
/// # Errors
/// Only those of the output.
pub fn write(recordings: &[Recording], output: impl Write + Send) -> io::Result<Written> {
    write_rows(recordings, output).map_err(tables::io_error)
}

fn write_rows(recordings: &[Recording], output: impl Write + Send) -> Result<Written> {
    let mut counters = counter_names(recordings);
    let counters_left_out = if counters.len() > MOST_COUNTERS { counters.len() as u64 } else { 0 };
    if counters_left_out > 0 {
        counters.clear();
    }
    let schema = Arc::new(schema(recordings, &counters));
    let properties = WriterProperties::builder()
        .set_created_by(CREATED_BY.to_owned())
        .set_compression(tables::compression())
        .set_key_value_metadata(Some(facts(recordings)))
        .build();
    let mut writer = ArrowWriter::try_new(output, schema.clone(), Some(properties))?;
    let mut written = Written { counters_left_out, ..Written::default() };
    for recording in recordings {
        let rows = Rows::new(recording, &counters);
        for kernels in rows.kernels.chunks(BATCH) {
            let mut columns = Columns { arrays: Vec::new(), too_large: 0 };
            rows.documented(kernels, &mut columns);
            rows.others(kernels, recordings.len() > 1, &mut columns);
            written.rows += kernels.len() as u64;
            written.too_large += columns.too_large;
            writer.write(&RecordBatch::try_new(schema.clone(), columns.arrays)?)?;
        }
    }
    writer.close()?;
    Ok(written)
}

/// The columns in order. The first twelve are the documented ones.
fn schema(recordings: &[Recording], counters: &[&str]) -> Schema {
    let all = |known: fn(Times) -> bool| recordings.iter().all(|one| known(one.trace.metadata.times));
    let (starts, durations) = (all(Times::has_starts), all(Times::has_durations));
    let always = |name: &str, data_type| Field::new(name, data_type, false);
    let maybe = |name: &str, data_type| Field::new(name, data_type, true);
    let mut fields = vec![
        always("kernel_name", DataType::Utf8),
        Field::new("start_ns", DataType::Int64, !starts),
        Field::new("duration_ns", DataType::Int64, !durations),
    ];
    let narrow =
        ["grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "regs", "shared_mem", "stream_id"];
    fields.extend(narrow.map(|name| maybe(name, DataType::Int32)));
    fields.push(Field::new("end_ns", DataType::Int64, !starts));
    if recordings.len() > 1 {
        fields.push(always("rank", DataType::Int64));
    }
    let wide = [
        "device",
        "stream",
        "correlation",
        "shared_memory",
        "work_items",
        "vector_registers",
        "accumulation_registers",
        "scalar_registers",
        "scratch",
        "wave_size",
        "queue",
    ];
    fields.extend(wide.map(|name| maybe(name, DataType::Int64)));
    fields.push(maybe("occupancy_pct", DataType::Float64));
    fields.extend(counters.iter().map(|name| maybe(&format!("counter.{name}"), DataType::Float64)));
    Schema::new(fields)
}

/// What the file says about itself.
fn facts(recordings: &[Recording]) -> Vec<KeyValue> {
    let each = |fact: &dyn Fn(&Recording) -> String| {
        let mut values: Vec<String> = recordings.iter().map(fact).collect();
        values.dedup();
        values.join("; ")
    };
    let clock = |recording: &Recording| {
        let metadata = &recording.trace.metadata;
        let zero = match (metadata.times, metadata.base_time_ns) {
            (Times::InSequence, _) => "start times not recorded: kernels are in launch order",
            (Times::NotRecorded, _) => "no times recorded: kernels are in launch order",
            (_, Some(_)) => "absolute",
            (_, None) => "from the start of the recording",
        };
        metadata.clock.as_ref().map_or_else(|| zero.to_owned(), |clock| format!("{zero}; {clock}"))
    };
    let fact = |key: &str, value: String| KeyValue::new(format!("eaves.{key}"), value);
    vec![
        fact("tool", "eaves".to_owned()),
        fact("version", env!("CARGO_PKG_VERSION").to_owned()),
        fact("source", each(&|recording| recording.path.clone())),
        fact("source_format", each(&|recording| recording.format.to_owned())),
        fact("source_tool", each(&|recording| recording.trace.metadata.tool.clone().unwrap_or_default())),
        fact("clock", each(&clock)),
        fact("grid_unit", "blocks".to_owned()),
    ]
}

/// The hardware counters of kernels, by name.
fn counter_names(recordings: &[Recording]) -> Vec<&str> {
    let names = recordings.iter().flat_map(|recording| {
        let trace = &recording.trace;
        let counters = &trace.range_counters;
        let of_kernel = |row: &usize| is_kernel(trace, counters.slice[*row].index());
        (0..counters.len()).filter(of_kernel).map(|row| trace.strings.get(counters.metric[row]))
    });
    let mut names: Vec<&str> = names.collect::<std::collections::HashSet<_>>().into_iter().collect();
    names.sort_unstable();
    names
}

fn is_kernel(trace: &Trace, slice: usize) -> bool {
    trace.slices.kind.get(slice) == Some(&SliceKind::Kernel)
}

/// The kernels of a recording with what other tables say about them.
struct Rows<'a> {
    recording: &'a Recording,
    kernels: Vec<GpuId>,
    /// Row in `dispatches` by slice.
    dispatches: HashMap<u32, usize>,
    /// For each counter, values by slice.
    counters: Vec<HashMap<u32, f64>>,
}

impl<'a> Rows<'a> {
    fn new(recording: &'a Recording, names: &[&str]) -> Self {
        let trace = &recording.trace;
        let slice = |gpu: &GpuId| trace.gpu.slice[gpu.index()].index();
        let mut kernels: Vec<GpuId> =
            trace.gpu_activities().filter(|gpu| is_kernel(trace, slice(gpu))).collect();
        kernels.sort_by_key(|gpu| trace.slices.start[slice(gpu)]);
        let dispatches = trace.dispatches.slice.iter().enumerate().map(|(row, slice)| (slice.0, row));
        let mut counters = vec![HashMap::new(); names.len()];
        let place: HashMap<StringId, usize> = names
            .iter()
            .enumerate()
            .filter_map(|(place, name)| Some((trace.strings.find(name)?, place)))
            .collect();
        let table = &trace.range_counters;
        for row in 0..table.len() {
            if let (Some(&place), Some(value)) = (place.get(&table.metric[row]), table.value[row].get()) {
                counters[place].insert(table.slice[row].0, value);
            }
        }
        Self { recording, kernels, dispatches: dispatches.collect(), counters }
    }

    fn documented(&self, kernels: &[GpuId], columns: &mut Columns) {
        let trace = &self.recording.trace;
        let slice = |gpu: &GpuId| trace.gpu.slice[gpu.index()];
        let name = |gpu: &GpuId| trace.slice_name(slice(gpu));
        columns.push(StringArray::from_iter_values(kernels.iter().map(name)));
        let times = trace.metadata.times;
        let start = |gpu: &GpuId| times.has_starts().then(|| self.start(gpu));
        columns.push(Int64Array::from_iter(kernels.iter().map(start)));
        let duration = |gpu: &GpuId| trace.slices.duration[slice(gpu).index()].0;
        let duration = |gpu: &GpuId| times.has_durations().then(|| duration(gpu));
        columns.push(Int64Array::from_iter(kernels.iter().map(duration)));
        for extents in [&trace.gpu.grid, &trace.gpu.block] {
            for axis in 0..3 {
                columns.narrow(kernels.iter().map(|gpu| along(extents[gpu.index()], axis)));
            }
        }
        columns.narrow(kernels.iter().map(|gpu| whole(trace.gpu.registers[gpu.index()])));
        columns.narrow(kernels.iter().map(|gpu| trace.gpu.shared_memory[gpu.index()].get()));
        columns.narrow(kernels.iter().map(|gpu| trace.gpu.stream[gpu.index()].get()));
    }

    fn others(&self, kernels: &[GpuId], several: bool, columns: &mut Columns) {
        let trace = &self.recording.trace;
        let end = |gpu: &GpuId| {
            let slice = trace.gpu.slice[gpu.index()].index();
            let end = self.start(gpu).saturating_add(trace.slices.duration[slice].0);
            trace.metadata.times.has_starts().then_some(end)
        };
        columns.push(Int64Array::from_iter(kernels.iter().map(end)));
        if several {
            columns.push(Int64Array::from_value(self.recording.rank, kernels.len()));
        }
        columns.wide(kernels.iter().map(|gpu| whole(trace.gpu.device[gpu.index()])));
        columns.wide(kernels.iter().map(|gpu| trace.gpu.stream[gpu.index()].get()));
        columns.wide(kernels.iter().map(|gpu| trace.gpu.correlation[gpu.index()].get()));
        columns.wide(kernels.iter().map(|gpu| trace.gpu.shared_memory[gpu.index()].get()));
        columns.wide(kernels.iter().map(|gpu| self.work_items(gpu)));
        let dispatches = &trace.dispatches;
        let registers =
            [&dispatches.vector_registers, &dispatches.accumulation_registers, &dispatches.scalar_registers];
        for column in registers {
            columns.wide(kernels.iter().map(|gpu| whole(column[self.dispatch(gpu)?])));
        }
        columns.wide(kernels.iter().map(|gpu| dispatches.scratch[self.dispatch(gpu)?].get()));
        columns.wide(kernels.iter().map(|gpu| whole(dispatches.wave_size[self.dispatch(gpu)?])));
        columns.wide(kernels.iter().map(|gpu| dispatches.queue[self.dispatch(gpu)?].get()));
        let occupancy = kernels.iter().map(|gpu| trace.gpu.occupancy_pct[gpu.index()].get());
        columns.push(Float64Array::from_iter(occupancy));
        for values in &self.counters {
            let value = |gpu: &GpuId| values.get(&trace.gpu.slice[gpu.index()].0).copied();
            columns.push(Float64Array::from_iter(kernels.iter().map(value)));
        }
    }

    /// Absolute where the recording knows it.
    fn start(&self, gpu: &GpuId) -> i64 {
        let trace = &self.recording.trace;
        let start = trace.slices.start[trace.gpu.slice[gpu.index()].index()].0;
        start.saturating_add(trace.metadata.base_time_ns.unwrap_or(0))
    }

    fn dispatch(&self, gpu: &GpuId) -> Option<usize> {
        self.dispatches.get(&self.recording.trace.gpu.slice[gpu.index()].0).copied()
    }

    /// Threads in all: as the profiler counts them, or blocks times threads.
    fn work_items(&self, gpu: &GpuId) -> Option<i64> {
        let trace = &self.recording.trace;
        let recorded = self.dispatch(gpu).and_then(|row| {
            let total = trace.dispatches.total_work_items[row].get();
            total.or_else(|| product(trace.dispatches.work_items[row].get()?))
        });
        recorded.or_else(|| {
            let blocks = product(trace.gpu.grid[gpu.index()].get()?)?;
            blocks.checked_mul(product(trace.gpu.block[gpu.index()].get()?)?)
        })
    }
}

fn along(extent: Extent, axis: usize) -> Option<i64> {
    extent.get().map(|extent| i64::from(extent[axis]))
}

fn whole(value: MaybeU32) -> Option<i64> {
    value.get().map(i64::from)
}

fn product(extent: [u32; 3]) -> Option<i64> {
    extent.into_iter().map(i64::from).try_fold(1, i64::checked_mul)
}

/// Columns under way.
struct Columns {
    arrays: Vec<ArrayRef>,
    too_large: u64,
}

impl Columns {
    fn push(&mut self, array: impl arrow_array::Array + 'static) {
        self.arrays.push(Arc::new(array));
    }

    fn wide(&mut self, values: impl Iterator<Item = Option<i64>>) {
        self.push(Int64Array::from_iter(values));
    }

    /// A column of 32 bits. What does not fit is empty, never wrapped around.
    fn narrow(&mut self, values: impl Iterator<Item = Option<i64>>) {
        let mut too_large = 0;
        let array = Int32Array::from_iter(values.map(|value| {
            let narrow = i32::try_from(value?);
            too_large += u64::from(narrow.is_err());
            narrow.ok()
        }));
        self.too_large += too_large;
        self.push(array);
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int32Type, Int64Type};
    use eaves_model::{
        Dispatch, GpuActivity, Ident, MaybeF64, MaybeI64, Ns, RangeCounter, RankSource, Slice, SliceId,
    };
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;

    /// Two kernels, the later one first in the file, and a copy.
    fn recording() -> Recording {
        let mut trace = Trace::default();
        let track = trace.tracks.get_or_add(Ident::number(0), Ident::number(7));
        let kinds = [
            (2_000, SliceKind::Kernel, "second"),
            (1_000, SliceKind::Kernel, "first"),
            (500, SliceKind::Memcpy, "copy"),
        ];
        for (row, (start, kind, name)) in kinds.into_iter().enumerate() {
            let name = trace.strings.intern(name);
            trace.slices.push(Slice {
                start: Ns(start),
                duration: Ns(100),
                name,
                track,
                kind,
                ..Slice::default()
            });
            // The first launch of rocprof's sample, and one whose numbers 32 bits cannot hold.
            let is_large = row == 0;
            trace.gpu.push(GpuActivity {
                slice: SliceId::from(row),
                device: MaybeU32::new(4),
                context: MaybeU32::NONE,
                stream: MaybeI64::new(if is_large { 0x7F00_0000_0000 } else { 1 }),
                correlation: MaybeI64::new(9),
                grid: Extent([if is_large { 3_000_000_000 } else { 3_906_250 }, 1, 1]),
                block: Extent([256, 1, 1]),
                registers: MaybeU32::new(8),
                shared_memory: MaybeI64::new(0),
                ..GpuActivity::default()
            });
        }
        trace.dispatches.push(Dispatch {
            slice: SliceId(1),
            queue: MaybeI64::new(3),
            total_work_items: MaybeI64::new(1_000_000_000),
            vector_registers: MaybeU32::new(8),
            accumulation_registers: MaybeU32::new(0),
            scalar_registers: MaybeU32::new(16),
            scratch: MaybeI64::new(0),
            wave_size: MaybeU32::new(64),
            ..Dispatch::default()
        });
        let metric = trace.strings.intern("Wavefronts");
        let value = MaybeF64::new(15_625_000.0);
        trace.range_counters.push(RangeCounter { slice: SliceId(1), metric, value });
        trace.metadata.base_time_ns = Some(1_000_000);
        trace.metadata.clock = Some("system clock".to_owned());
        Recording {
            path: "results.csv".to_owned(),
            format: "rocprof",
            container: "plain",
            bytes: 0,
            rank: 0,
            rank_source: RankSource::Assumed,
            trace,
        }
    }

    fn read(recordings: &[Recording]) -> (Written, RecordBatch, HashMap<String, String>) {
        let mut file = tempfile::tempfile().unwrap();
        let written = write(recordings, &mut file).unwrap();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let facts = builder.metadata().file_metadata().key_value_metadata().unwrap().iter();
        let facts = facts.filter_map(|fact| Some((fact.key.clone(), fact.value.clone()?))).collect();
        (written, builder.build().unwrap().next().unwrap().unwrap(), facts)
    }

    #[test]
    fn the_documented_columns_come_first_with_their_types() {
        let (written, batch, facts) = read(&[recording()]);
        let found: Vec<_> =
            batch.schema().fields().iter().map(|f| (f.name().clone(), f.data_type().clone())).collect();
        let narrow = [
            "grid_x",
            "grid_y",
            "grid_z",
            "block_x",
            "block_y",
            "block_z",
            "regs",
            "shared_mem",
            "stream_id",
        ];
        let mut expected = vec![
            ("kernel_name".to_owned(), DataType::Utf8),
            ("start_ns".to_owned(), DataType::Int64),
            ("duration_ns".to_owned(), DataType::Int64),
        ];
        expected.extend(narrow.map(|name| (name.to_owned(), DataType::Int32)));
        assert_eq!(found[..12], expected);
        assert_eq!(written, Written { rows: 2, too_large: 2, counters_left_out: 0 });
        assert_eq!(facts["eaves.clock"], "absolute; system clock");
        assert_eq!(facts["eaves.source"], "results.csv");
    }

    /// More counters than a table should have columns are counted, and left to their own table.
    #[test]
    fn counters_without_a_column_are_counted() {
        let mut recording = recording();
        let before = counter_names(std::slice::from_ref(&recording)).len();
        let slice = recording.trace.gpu.slice[0];
        for number in before..=MOST_COUNTERS {
            let metric = recording.trace.strings.intern(&format!("made_{number}"));
            recording.trace.range_counters.push(RangeCounter { slice, metric, value: MaybeF64::new(1.0) });
        }
        let columns = |batch: &RecordBatch| {
            batch.schema().fields().iter().filter(|field| field.name().contains("made_")).count()
        };
        let (written, batch, _) = read(std::slice::from_ref(&recording));
        assert_eq!((written.counters_left_out, columns(&batch)), (MOST_COUNTERS as u64 + 1, 0));
        recording.trace.range_counters.retain(|row| row > before);
        let (written, batch, _) = read(&[recording]);
        assert_eq!(written.counters_left_out, 0);
        assert!(columns(&batch) > 0);
    }

    #[test]
    fn kernels_are_in_order_and_nothing_wraps_around() {
        let (_, batch, _) = read(&[recording()]);
        let column = |name: &str| batch.column_by_name(name).unwrap().clone();
        assert_eq!(
            column("kernel_name").as_string::<i32>().iter().flatten().collect::<Vec<_>>(),
            ["first", "second"]
        );
        assert_eq!(column("start_ns").as_primitive::<Int64Type>().values(), &[1_001_000, 1_002_000]);
        let grid = column("grid_x");
        assert_eq!((grid.as_primitive::<Int32Type>().value(0), grid.is_null(1)), (3_906_250, true));
        assert!(column("stream_id").is_null(1));
        assert_eq!(column("stream").as_primitive::<Int64Type>().value(1), 0x7F00_0000_0000);
        let work_items = column("work_items");
        // 3 906 250 blocks of 256 are the 10^9 work-items that rocprof wrote.
        assert_eq!(work_items.as_primitive::<Int64Type>().values(), &[1_000_000_000, 768_000_000_000]);
        let counter = column("counter.Wavefronts");
        assert!(!counter.is_null(0) && counter.is_null(1));
    }

    /// A time that nobody recorded is not a 0.
    #[test]
    fn times_that_were_not_recorded_are_missing() {
        for (times, starts, durations) in
            [(Times::Recorded, 2, 2), (Times::InSequence, 0, 2), (Times::NotRecorded, 0, 0)]
        {
            let mut recording = recording();
            recording.trace.metadata.times = times;
            let (_, batch, _) = read(&[recording]);
            let known = |name: &str| batch.num_rows() - batch.column_by_name(name).unwrap().null_count();
            assert_eq!(
                (known("start_ns"), known("end_ns"), known("duration_ns")),
                (starts, starts, durations)
            );
        }
    }

    #[test]
    fn recordings_are_told_apart_by_rank() {
        let second = Recording { rank: 5, ..recording() };
        let (written, batch, _) = read(&[recording(), second]);
        let ranks = batch.column_by_name("rank").unwrap().clone();
        assert_eq!(ranks.as_primitive::<Int64Type>().values(), &[0, 0, 5, 5]);
        assert_eq!(written.rows, 4);
    }
}
