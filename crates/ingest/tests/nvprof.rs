//! Every real table of nvprof available, against figures read off with Python's `csv` module.

use std::path::PathBuf;

use eaves_ingest::{read_bytes, read_measurements};
use eaves_model::SliceKind;

/// Real files of other tools' repositories. They are not part of the project.
fn sample(name: &str) -> Option<(PathBuf, Vec<u8>)> {
    let path = eaves_testing::data(&format!("formats/nvidia/nvprof/{name}"))?;
    let bytes = std::fs::read(&path).unwrap();
    Some((path, bytes))
}

/// Rows of a trace as the `csv` crate splits them, with the units of start, duration and size.
fn rows(bytes: &[u8]) -> (Vec<String>, Vec<Vec<String>>) {
    let text = std::str::from_utf8(bytes).unwrap();
    let table = &text[text.find("\"Start\"").unwrap()..];
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(table.as_bytes());
    let mut rows = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect());
    (rows.next().unwrap(), rows.collect())
}

fn nanoseconds(cell: &str, unit: &str) -> i64 {
    let factor = match unit {
        "ms" => 1e6,
        "us" => 1e3,
        _ => 0.0,
    };
    // Six digits behind the point of less than 10^9: exact in a float after rounding.
    (cell.parse::<f64>().unwrap() * factor).round() as i64
}

#[test]
fn every_row_of_traces_is_there() {
    for (name, kernels, copies) in
        [("nvprof_gputrace.csv", 6, 18), ("trace_async.csv", 2, 6), ("trace128.csv", 10, 5)]
    {
        let Some((path, bytes)) = sample(name) else { return };
        let recording = read_bytes(&path.display().to_string(), &bytes).unwrap();
        let trace = &recording.trace;
        assert_eq!((recording.format, recording.bytes), ("nvprof", bytes.len() as u64));
        let (units, rows) = rows(&bytes);
        assert_eq!((trace.slices.len(), trace.gpu.len()), (rows.len(), rows.len()), "{name}");
        let count = |kind| trace.slices.kind.iter().filter(|&&its| its == kind).count();
        assert_eq!((count(SliceKind::Kernel), count(SliceKind::Memcpy)), (kernels, copies), "{name}");
        let first = nanoseconds(&rows[0][0], &units[0]);
        for (place, row) in rows.iter().enumerate() {
            let (slice, gpu) = (trace.slices.row(place), trace.gpu.row(place));
            assert_eq!(slice.start.0, nanoseconds(&row[0], &units[0]) - first, "{name} {place}");
            assert_eq!(slice.duration.0, nanoseconds(&row[1], &units[1]), "{name} {place}");
            assert_eq!(gpu.stream.get().unwrap().to_string(), row[15]);
            let written = &row[16];
            if let Some((bare, number)) = written.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [")) {
                assert_eq!(trace.strings.get(slice.name), bare);
                assert_eq!(gpu.correlation.get().unwrap().to_string(), number);
                let grid: Vec<String> = gpu.grid.0.iter().map(u32::to_string).collect();
                assert_eq!(grid, row[2..5], "{name} {place}");
                assert_eq!(gpu.registers.get().unwrap().to_string(), row[8]);
            } else {
                assert!(matches!(trace.strings.get(slice.name), "Memcpy HtoD" | "Memcpy DtoH"));
                // Throughput is size over time, both with units of their own.
                let rate = gpu.bytes.get().unwrap() as f64 / slice.duration.0 as f64;
                assert!((rate / gpu.bandwidth_gbps.get().unwrap() - 1.0).abs() < 1e-5, "{name} {place}");
            }
        }
        assert_eq!(trace.metadata.devices[0].name, "GeForce GTX 950");
        assert!(trace.diagnostics.warnings().is_empty());
    }
    let Some((_, bytes)) = sample("nvprof_gputrace.csv") else { return };
    let trace = read_bytes("x", &bytes).unwrap().trace;
    // 409600 floats.
    assert_eq!(trace.gpu.bytes[0].get(), Some(4 * 409_600));
}

#[test]
fn metrics_are_there() {
    let Some((_, bytes)) = sample("metrics128.csv") else { return };
    let found = read_measurements("x", &bytes, None).unwrap();
    assert_eq!((found.format, found.device.as_deref()), ("nvprof", Some("GeForce GTX 950")));
    assert_eq!(found.records.len(), 1);
    let record = &found.records[0];
    assert_eq!(record.calls, 10);
    // 113 rows.
    assert_eq!(record.counters.len(), 113);
    let counter = |name: &str| record.counters.iter().find(|(its, _)| its == name).unwrap().1;
    // Operations as nvprof counts them: an add or multiply is one, a multiply-add two, special functions none.
    let (add, mul, fma) =
        (counter("flop_count_sp_add"), counter("flop_count_sp_mul"), counter("flop_count_sp_fma"));
    assert_eq!((add, mul, fma), (29_545_593.0, 110_020_192.0, 78_000_000.0));
    assert_eq!(counter("flop_count_sp"), add + mul + 2.0 * fma);
    assert_eq!(counter("flop_count_sp"), 295_565_785.0);
    assert_eq!(counter("dram_utilization"), 9.0);
    assert_eq!(counter("sysmem_write_throughput"), 0.0);
    assert_eq!(counter("flop_sp_efficiency"), 15.536_187);
    assert_eq!(counter("dram_read_throughput"), 52.260_235 * 1024.0 * 1024.0 * 1024.0);
    assert!(found.diagnostics.warnings().is_empty());
}

#[test]
fn metrics_of_kepler_are_there() {
    let Some((_, bytes)) = sample("forma_K20c_metrics.csv") else { return };
    let found = read_measurements("x", &bytes, None).unwrap();
    let record = &found.records[0];
    assert_eq!((record.calls, record.counters.len()), (3, 7));
    assert_eq!(record.counters[0], ("flop_count_sp".to_owned(), 3_611_549_214.0));
    assert_eq!(record.counters[4], ("stall_sync".to_owned(), 15.575_569));
    assert_eq!(found.device.as_deref(), Some("Tesla K20c"));
}
