//! `<out>.db`, the SQLite file that rocprof (v1) makes its summaries of: calls in `HIP` and `HSA`, kernels in `OPS` or
//! `KERN`, copies in `COPY`, ranges in `rocTX`.
//!
//! It lies next to the tables of the same run and is combined with them. `Index` is the correlation of a call with
//! what it started, and counts again in each process.

use eaves_model::{Diagnostics, SliceKind};

use super::shared::amd_text::arguments;
use super::shared::amd_text::cells::Stamp;
use super::shared::amd_text::recorder::{Kernel, Recorder, When};
use super::sqlite::Stored;
use super::{Map, Part, Refused, Role};
use crate::formats::{Document, refused_as_damaged};
use crate::place::set_of;
use crate::sqlite::{Database, Row, Table};

/// The name of the format.
pub(super) const ID: &str = "rocprof-db";

/// Columns of `KERN` that are not counters.
const OF_DISPATCHES: [&str; 24] = [
    "BeginNs",
    "EndNs",
    "Index",
    "KernelName",
    "gpu-id",
    "queue-id",
    "grd",
    "wgr",
    "lds",
    "scr",
    "vgpr",
    "arch_vgpr",
    "accum_vgpr",
    "sgpr",
    "wave_size",
    "queue-index",
    "pid",
    "tid",
    "fbar",
    "sig",
    "obj",
    "DispatchNs",
    "CompleteNs",
    "DurationNs",
];

/// Apart from each other further than any correlation goes.
const CORRELATIONS_OF_PROCESS: i64 = 1 << 40;

/// Tells it by its tables.
pub(super) fn is_it(database: &Database<'_>) -> bool {
    ["KERN", "OPS"].iter().any(|name| database.table(name).is_some())
}

/// Reads it.
pub(super) fn read(stored: Stored<'_>) -> Result<Document, Refused> {
    let Stored { path, database, diagnostics, .. } = stored;
    let mut reading =
        Reading { recorder: Recorder::default(), noted: diagnostics, processes: Map::default() };
    for name in ["HIP", "HSA"] {
        if let Some(table) = database.table(name) {
            reading.calls(table, name)?;
        }
    }
    if let Some(table) = database.table("OPS") {
        reading.operations(table)?;
    }
    // Both tables list the same kernels; this one knows calls and streams, the other has its own table.
    if reading.recorder.trace.dispatches.is_empty()
        && let Some(table) = database.table("KERN")
    {
        reading.dispatches(table)?;
    }
    if let Some(table) = database.table("COPY") {
        reading.copies(table)?;
    }
    if let Some(table) = database.table("rocTX") {
        reading.ranges(table)?;
    }
    let Reading { recorder, noted, .. } = reading;
    if recorder.trace.slices.is_empty() {
        let nothing = Refused {
            offset: 0,
            what: "a rocprof database without kernels, calls, copies or ranges".to_owned(),
            hint: "record with `rocprof --stats --hip-trace APPLICATION`".to_owned(),
        };
        return Err(refused_as_damaged("a rocprof database", &noted).unwrap_or(nothing));
    }
    let clock = "nanoseconds of the system clock, for host and device, as written by rocprof";
    let mut trace = recorder.finish("rocprof", clock);
    trace.diagnostics.absorb(noted);
    let (set, bytes) = (set_of(path), database.size());
    Ok(Document::Part(Box::new(Part { format: ID, set, role: Role::Whole, trace, bytes })))
}

struct Reading {
    recorder: Recorder,
    noted: Diagnostics,
    /// Processes met so far, numbered in that order.
    processes: Map<i64, usize>,
}

impl Reading {
    fn each(
        &mut self,
        table: Table<'_>,
        wanted: &[&str],
        mut take: impl FnMut(&mut Self, &Row<'_>),
    ) -> Result<(), Refused> {
        // What the scan notes cannot be where the rows go.
        let mut noted = Diagnostics::default();
        table.scan(wanted, &mut noted, |row| take(self, row))?;
        self.noted.absorb(noted);
        Ok(())
    }

    fn calls(&mut self, table: Table<'_>, library: &'static str) -> Result<(), Refused> {
        let wanted = ["BeginNs", "EndNs", "pid", "tid", "Name", "args", "Index"];
        self.each(table, &wanted, |reading, row| {
            let (process, name) = (row.integer(2), row.text(4).unwrap_or_default());
            // Calls of HSA are numbered by themselves; what runs on the device has the numbers of HIP.
            let correlation =
                if library == "HIP" { reading.correlation(row.integer(6), process) } else { None };
            let place = (process, row.integer(3));
            let slice = reading.recorder.call(name.as_bytes(), library, place, correlation, when(row));
            let text = row.text(5).unwrap_or_default();
            if let Some(argument) = arguments::read(&text, slice, &mut reading.recorder.trace.strings) {
                reading.recorder.trace.runtime_arguments.push(argument);
            }
        })
    }

    fn operations(&mut self, table: Table<'_>) -> Result<(), Refused> {
        let wanted = ["BeginNs", "EndNs", "dev-id", "queue-id", "Name", "pid", "stream-id", "Index"];
        self.each(table, &wanted, |reading, row| {
            let name = row.text(4).unwrap_or_default();
            let kernel = Kernel {
                name: name.as_bytes(),
                device: row.integer(2).and_then(|device| u32::try_from(device).ok()),
                queue: row.integer(3),
                stream: row.integer(6),
                correlation: reading.correlation(row.integer(7), row.integer(5)),
                ..Kernel::default()
            };
            if name.starts_with("<barrier") {
                let track = reading.recorder.device_track(kernel.device, kernel.stream, kernel.queue);
                let name = reading.recorder.text(name.as_bytes(), row.offset());
                reading.recorder.slice(SliceKind::Sync, name, "barrier", track, when(row));
            } else {
                reading.recorder.kernel(&kernel, when(row));
            }
        })
    }

    /// The table of dispatches, whose columns are those of the CSV: what is not known by name is a counter.
    fn dispatches(&mut self, table: Table<'_>) -> Result<(), Refused> {
        let is_known = |column: &&str| {
            column.starts_with("__") || OF_DISPATCHES.iter().any(|known| known.eq_ignore_ascii_case(column))
        };
        let counters: Vec<&str> = table.columns().filter(|column| !is_known(column)).collect();
        let wanted: Vec<&str> = OF_DISPATCHES.iter().chain(&counters).copied().collect();
        self.each(table, &wanted, |reading, row| {
            let count = |column: usize| row.integer(column).and_then(|count| u64::try_from(count).ok());
            let name = row.text(3).unwrap_or_default();
            let kernel = Kernel {
                name: name.as_bytes(),
                device: row.integer(4).and_then(|device| u32::try_from(device).ok()),
                queue: row.integer(5),
                number: row.integer(2),
                total_work_items: count(6),
                group_size: count(7),
                shared_memory: count(8),
                scratch: count(9),
                registers: count(10),
                vector_registers: count(11),
                accumulation_registers: count(12),
                scalar_registers: count(13),
                wave_size: count(14),
                ..Kernel::default()
            };
            let slice = reading.recorder.kernel(&kernel, when(row));
            for (at, counter) in counters.iter().enumerate() {
                if let Some(value) = row.number(OF_DISPATCHES.len() + at) {
                    let metric = reading.recorder.trace.strings.intern(counter);
                    reading.recorder.counter(slice, metric, value);
                }
            }
        })
    }

    fn copies(&mut self, table: Table<'_>) -> Result<(), Refused> {
        let wanted = ["BeginNs", "EndNs", "dev-id", "Name", "pid", "stream-id", "Index"];
        self.each(table, &wanted, |reading, row| {
            let name = row.text(3).unwrap_or_default();
            let device = row.integer(2).and_then(|device| u32::try_from(device).ok());
            let correlation = reading.correlation(row.integer(6), row.integer(4));
            reading.recorder.copy(name.as_bytes(), device, row.integer(5), correlation, when(row));
        })
    }

    fn ranges(&mut self, table: Table<'_>) -> Result<(), Refused> {
        self.each(table, &["BeginNs", "EndNs", "pid", "tid", "Name"], |reading, row| {
            let name = row.text(4).unwrap_or_default();
            reading.recorder.annotation(name.as_bytes(), (row.integer(2), row.integer(3)), when(row));
        })
    }

    /// A correlation that no other process has.
    fn correlation(&mut self, index: Option<i64>, process: Option<i64>) -> Option<i64> {
        let next = self.processes.len();
        let place = *self.processes.entry(process.unwrap_or(0)).or_insert(next);
        let apart = i64::try_from(place).ok()?.checked_mul(CORRELATIONS_OF_PROCESS)?;
        index?.checked_add(apart)
    }
}

/// The first two columns of every table.
fn when(row: &Row<'_>) -> When {
    let stamp = |column: usize| match row.integer(column) {
        Some(time) if time > 0 => Stamp::At(time),
        _ => Stamp::Missing,
    };
    When { start: stamp(0), end: stamp(1), offset: row.offset() }
}

#[cfg(test)]
mod tests {
    use eaves_model::{Extent, GpuId, LaunchLinks, MaybeF64, MaybeI64, MaybeU32, Recording};

    /// A database as rocprof's scripts make it, written by SQLite itself.
    fn database(statements: &str) -> Vec<u8> {
        let mut connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch(statements).unwrap();
        connection.serialize("main").unwrap().to_vec()
    }

    fn read(statements: &str) -> Recording {
        crate::read_bytes("results.db", &database(statements)).unwrap()
    }

    const TRACED: &str = r#"
        CREATE TABLE HIP ("BeginNs" INTEGER, "EndNs" INTEGER, "pid" INTEGER, "tid" INTEGER, "Name" TEXT, "args" TEXT,
            "Index" INTEGER, "Data" TEXT, "__section" INTEGER, "__lane" INTEGER, "DurationNs" INTEGER);
        INSERT INTO HIP VALUES (1000, 1100, 7, 8, 'hipLaunchKernel',
            '( kernel(add(float*)) function_address(0x1) numBlocks({z(1) y(1) x(40}) dimBlocks({z(1) y(1) x(256}) args(0x2) sharedMemBytes(64) stream(1))',
            1, '', 2, 8, 100);
        INSERT INTO HIP VALUES (3000, 3100, 9, 9, 'hipLaunchKernel', '', 1, '', 2, 9, 100);
        CREATE TABLE OPS ("BeginNs" INTEGER, "EndNs" INTEGER, "dev-id" INTEGER, "queue-id" INTEGER, "Name" TEXT,
            "pid" INTEGER, "tid" INTEGER, "roctx-range" TEXT, "stream-id" INTEGER, "Index" INTEGER);
        INSERT INTO OPS VALUES (1200, 1500, 4, 0, 'add(float*) [clone .kd]', 7, 8, '', 1, 1);
        INSERT INTO OPS VALUES (1500, 1510, 4, 0, '<barrier packet>', 7, 8, '', 1, 2);
        INSERT INTO OPS VALUES (3200, 3300, 4, 0, 'add(float*)', 9, 9, '', 1, 1);
        CREATE TABLE COPY ("BeginNs" INTEGER, "EndNs" INTEGER, "dev-id" INTEGER, "queue-id" INTEGER, "Name" TEXT,
            "pid" INTEGER, "tid" INTEGER, "roctx-range" TEXT, "stream-id" INTEGER, "Index" INTEGER);
        INSERT INTO COPY VALUES (1600, 1700, 4, 0, 'CopyHostToDevice', 7, 8, '', 0, 3);
        CREATE TABLE KERN ("Index" INTEGER, "KernelName" TEXT);
        CREATE TABLE rocTX ("BeginNs" INTEGER, "EndNs" INTEGER, "pid" INTEGER, "tid" INTEGER, "Name" TEXT, "Index" INTEGER);
        INSERT INTO rocTX VALUES (900, 2000, 7, 8, 'step', 0);"#;

    #[test]
    fn calls_kernels_copies_and_ranges() {
        let recording = read(TRACED);
        let trace = &recording.trace;
        let shown = |row: usize| (trace.strings.get(trace.slices.name[row]), trace.slices.start[row].0);
        let mut rows: Vec<_> = (0..trace.slices.len()).map(shown).collect();
        rows.sort();
        assert_eq!(
            rows,
            [
                ("<barrier packet>", 600),
                ("Memcpy HtoD (Host -> Device)", 700),
                ("add(float*)", 300),
                ("add(float*)", 2300),
                ("hipLaunchKernel", 100),
                ("hipLaunchKernel", 2100),
                ("step", 0),
            ]
        );
        assert_eq!((recording.format, trace.metadata.base_time_ns), ("rocprof-db", Some(900)));
        // The grid is that of the call with the same number in the same process.
        assert_eq!((trace.gpu.grid[0], trace.gpu.block[0]), (Extent([40, 1, 1]), Extent([256, 1, 1])));
        let links = LaunchLinks::build(trace);
        let launched = |row: u32| links.launch(GpuId(row)).map(|slice| trace.slices.start[slice.index()].0);
        assert_eq!((launched(0), launched(1)), (Some(100), Some(2100)));
    }

    #[test]
    fn dispatches_with_counters() {
        let recording = read(
            r#"CREATE TABLE KERN ("Index" INTEGER, "KernelName" TEXT, "gpu-id" INTEGER, "queue-id" INTEGER, "grd" INTEGER,
                "wgr" INTEGER, "lds" INTEGER, "scr" INTEGER, "arch_vgpr" INTEGER, "accum_vgpr" INTEGER, "sgpr" INTEGER,
                "wave_size" INTEGER, "sig" TEXT, "SQ_WAVES" INTEGER, "BeginNs" INTEGER, "EndNs" INTEGER);
            INSERT INTO KERN VALUES (0, 'add [clone .kd]', 4, 1, 1024, 256, 512, 0, 20, 4, 16, 64, '0x0', 16, 500, 700);
            INSERT INTO KERN VALUES (1, 'add [clone .kd]', 4, 1, 1024, 256, 512, 0, 20, 4, 16, 64, '0x0', NULL, 800, 900);"#,
        );
        let trace = &recording.trace;
        assert_eq!((trace.gpu.grid[0], trace.gpu.registers[0]), (Extent([4, 1, 1]), MaybeU32::new(24)));
        assert_eq!(trace.dispatches.total_work_items[0], MaybeI64::new(1024));
        // A value that is missing is none, not zero.
        assert_eq!(trace.range_counters.value, [MaybeF64::new(16.0)]);
        assert_eq!(trace.slices.duration[0].0, 200);
    }

    #[test]
    fn nothing_recorded_is_refused() {
        let bytes = database("CREATE TABLE KERN (\"Index\" INTEGER, \"KernelName\" TEXT)");
        let error = crate::read_bytes("results.db", &bytes).unwrap_err();
        assert!(error.to_string().contains("without kernels"), "{error}");
    }
}
