//! Every real text file of AMD's profilers at hand, against an independent reading by the `csv` crate or by hand.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail, and say what it skips"
)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use eaves_ingest::{Options, open_with, read_bytes};
use eaves_model::{Extent, Oddity, Recording, SliceId, SliceKind, Times, Trace};

/// Real files of AMD's and other people's repositories. They are not part of the project.
fn sample(path: &str) -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path);
    if !found.exists() {
        println!("skipped: {} is not there", found.display());
    }
    found.exists().then_some(found)
}

fn amd(path: &str) -> Option<PathBuf> {
    sample(&format!("formats/amd/{path}"))
}

fn one(path: &Path) -> Recording {
    let bytes = std::fs::read(path).unwrap();
    read_bytes(&path.display().to_string(), &bytes)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Rows of a CSV file by names of columns.
fn rows(path: &Path) -> Vec<HashMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(|row: Result<HashMap<String, String>, _>| row.unwrap()).collect()
}

fn counters(trace: &Trace, slice: SliceId) -> HashMap<String, f64> {
    (0..trace.range_counters.len())
        .map(|row| trace.range_counters.row(row))
        .filter(|row| row.slice == slice)
        .map(|row| (trace.strings.get(row.metric).to_owned(), row.value.get().unwrap()))
        .collect()
}

fn kernels(trace: &Trace) -> Vec<SliceId> {
    (0..trace.slices.len())
        .map(SliceId::from)
        .filter(|id| trace.slices.kind[id.index()] == SliceKind::Kernel)
        .collect()
}

/// Start of a slice on the profiler's own clock.
fn absolute(trace: &Trace, slice: SliceId) -> i64 {
    trace.metadata.base_time_ns.unwrap() + trace.slices.start[slice.index()].0
}

#[test]
fn kernels_of_rocprofv3() {
    for (file, registers) in [("docs_data", true), ("docs_data_0.5_rocm6.3", false)] {
        let Some(path) = amd(&format!("rocprofv3/{file}/kernel_trace.csv")) else { return };
        let (rows, recording) = (rows(&path), one(&path));
        let trace = &recording.trace;
        assert_eq!(trace.slices.len(), rows.len());
        assert_eq!((trace.gpu.len(), trace.dispatches.len()), (rows.len(), rows.len()));
        for (at, row) in rows.iter().enumerate() {
            let slice = SliceId::from(at);
            let number = |name: &str| row[name].parse::<i64>().unwrap();
            assert_eq!(trace.slice_name(slice), row["Kernel_Name"]);
            assert_eq!(absolute(trace, slice), number("Start_Timestamp"));
            assert_eq!(trace.slices.duration[at].0, number("End_Timestamp") - number("Start_Timestamp"));
            let axes = |name: &str| ["X", "Y", "Z"].map(|axis| number(&format!("{name}_{axis}")) as u32);
            let (items, group) = (axes("Grid_Size"), axes("Workgroup_Size"));
            assert_eq!(trace.dispatches.work_items[at], Extent(items));
            assert_eq!(trace.gpu.grid[at], Extent([0, 1, 2].map(|axis| items[axis].div_ceil(group[axis]))));
            assert_eq!(trace.gpu.grid[at], Extent([16, 1024, 1]));
            assert_eq!(trace.gpu.block[at], Extent(group));
            assert_eq!(trace.gpu.correlation[at].get(), Some(number("Correlation_Id")));
            assert_eq!(trace.dispatches.queue[at].get(), Some(number("Queue_Id")));
            assert_eq!(trace.gpu.registers[at].get().is_some(), registers);
            if registers {
                let sum = number("VGPR_Count") + number("Accum_VGPR_Count");
                assert_eq!(trace.gpu.registers[at].get(), Some(sum as u32));
                assert_eq!(trace.dispatches.scalar_registers[at].get(), Some(number("SGPR_Count") as u32));
                assert_eq!(trace.gpu.device[at].get(), Some(4));
            }
        }
        assert!(trace.diagnostics.warnings().is_empty(), "{:?}", trace.diagnostics);
    }
}

#[test]
fn counters_of_rocprofv3() {
    for (file, has_times) in [("docs_data", true), ("docs_data_0.5_rocm6.3", false)] {
        let Some(path) = amd(&format!("rocprofv3/{file}/counter_collection.csv")) else { return };
        let (rows, recording) = (rows(&path), one(&path));
        let trace = &recording.trace;
        assert_eq!((trace.slices.len(), trace.range_counters.len()), (rows.len(), rows.len()));
        for (at, row) in rows.iter().enumerate() {
            assert_eq!(
                counters(trace, SliceId::from(at))["SQ_WAVES"],
                row["Counter_Value"].parse::<f64>().unwrap()
            );
            // 1 048 576 work-items are 16 384 waves of 64.
            assert_eq!(counters(trace, SliceId::from(at))["SQ_WAVES"], 1_048_576.0 / 64.0);
            assert_eq!(trace.dispatches.total_work_items[at].get(), Some(1_048_576));
            assert_eq!(trace.gpu.grid[at], Extent([16_384, 1, 1]));
            assert_eq!(trace.dispatches.work_items[at].get(), None);
        }
        assert_eq!(trace.metadata.times == Times::Recorded, has_times);
        assert_eq!(trace.diagnostics.count(Oddity::NoStartTimes) > 0, !has_times);
    }
}
