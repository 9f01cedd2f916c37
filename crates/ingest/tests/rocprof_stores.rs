//! Real files of AMD's profilers against independent readings of them.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail and say what it skips")]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use eaves_ingest::{Options, read};
use eaves_model::{Oddity, Recording, SliceKind};
use serde_json::Value;

/// A real file of another project. It is not part of this one.
fn sample(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path);
    if !path.exists() {
        println!("skipped: no sample at {}", path.display());
        return None;
    }
    Some(path)
}

fn recording(path: &Path) -> Recording {
    let run = read(&[path.to_owned()], &Options::default()).unwrap();
    run.recordings.into_iter().next().unwrap()
}

/// Calls and time of each kernel.
type Sums = BTreeMap<String, (u64, i64)>;

fn sums(recording: &Recording) -> Sums {
    let trace = &recording.trace;
    let mut sums = Sums::new();
    for row in (0..trace.slices.len()).filter(|&row| trace.slices.kind[row] == SliceKind::Kernel) {
        let entry = sums.entry(trace.strings.get(trace.slices.name[row]).to_owned()).or_default();
        *entry = (entry.0 + 1, entry.1 + trace.slices.duration[row].0);
    }
    sums
}

/// 43,915 dispatches of a training on an MI350X, read by a general parser.
#[test]
fn rocprofv3_json() {
    let Some(path) = sample("formats/amd/rocprofv3/json/908_results.json.gz") else { return };
    let recording = recording(&path);
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap()).read_to_end(&mut text).unwrap();
    let document: Value = serde_json::from_slice(&text).unwrap();
    let process = &document["rocprofiler-sdk-tool"][0];
    let symbols = process["kernel_symbols"].as_array().unwrap();
    let dispatches = process["buffer_records"]["kernel_dispatch"].as_array().unwrap();
    let first = dispatches.iter().map(|one| one["start_timestamp"].as_i64().unwrap()).min().unwrap();
    assert_eq!(recording.trace.metadata.base_time_ns, Some(first));
    assert_eq!(recording.trace.slices.len(), dispatches.len());
    assert_eq!(recording.bytes, text.len() as u64);

    let trace = &recording.trace;
    let mut expected = Sums::new();
    for (row, dispatch) in dispatches.iter().enumerate() {
        let number = |pointer: &str| dispatch.pointer(pointer).unwrap().as_i64().unwrap();
        let symbol = &symbols[number("/dispatch_info/kernel_id") as usize];
        let name = symbol["formatted_kernel_name"].as_str().unwrap();
        let duration = number("/end_timestamp") - number("/start_timestamp");
        let entry = expected.entry(name.to_owned()).or_default();
        *entry = (entry.0 + 1, entry.1 + duration);
        assert_eq!(trace.slices.start[row].0, number("/start_timestamp") - first);
        assert_eq!(trace.gpu.correlation[row].get(), Some(number("/correlation_id/internal")));
        assert_eq!(trace.gpu.stream[row].get(), Some(number("/stream_id/handle")));
        assert_eq!(trace.dispatches.queue[row].get(), Some(number("/dispatch_info/queue_id/handle")));
        let registers =
            symbol["arch_vgpr_count"].as_u64().unwrap() + symbol["accum_vgpr_count"].as_u64().unwrap();
        assert_eq!(trace.gpu.registers[row].get().map(u64::from), Some(registers));
        for (axis, key) in ["x", "y", "z"].into_iter().enumerate() {
            let items = number(&format!("/dispatch_info/grid_size/{key}"));
            let group = number(&format!("/dispatch_info/workgroup_size/{key}"));
            assert_eq!(i64::from(trace.gpu.grid[row].0[axis]), (items + group - 1) / group);
            assert_eq!(i64::from(trace.dispatches.work_items[row].0[axis]), items);
        }
        assert_eq!(trace.dispatches.wave_size[row].get(), Some(64));
        assert_eq!(trace.gpu.device[row].get(), Some(0));
    }
    assert_eq!(sums(&recording), expected);
    assert_eq!(trace.metadata.host_name.as_deref(), process["metadata"]["node"]["hostname"].as_str());
    assert_eq!(trace.metadata.devices.len(), 8);
    let device = &trace.metadata.devices[0];
    assert_eq!((device.name.as_str(), device.architecture.as_str()), ("AMD Instinct MI350X", "gfx950"));
    // Width in bits times clock in MHz times four transfers: the 8 TB/s of the data sheet.
    let bandwidth = device.number("mem_banks.width").unwrap() / 8.0
        * device.number("mem_banks.mem_clk_max").unwrap()
        * 4.0
        / 1000.0;
    assert_eq!(bandwidth, 8192.0);
    assert_eq!(device.number("cu_count"), Some(256.0));
    assert_eq!(device.number("caches.l2.size"), Some(4096.0));
    // Neighbours of a stream, in order of their starts, of which the second begins before the first ends: 9 of stream
    // 5, 57 of 566 and 1209 of 567, by sorting the dispatches of each stream in Python. They overlap by some 100 ns.
    assert_eq!(trace.diagnostics.count(Oddity::StreamOverlap), 1275);
    assert_eq!(trace.diagnostics.warnings().len(), 1);
    assert_eq!(trace.quarantined, []);
}

/// TraceLens on the same file, its units corrected: names up to the first bracket, times in milliseconds.
#[test]
fn rocprofv3_json_as_tracelens_reads_it() {
    let Some(path) = sample("tracelens/rocprof/908_results.json.gz") else { return };
    let Some(table) = sample("tracelens/rocprof/expected_corrected/kernel_summary.csv") else { return };
    let recording = recording(&path);
    let busy: i64 = sums(&recording).values().map(|(_, time)| time).sum();
    let calls: u64 = sums(&recording).values().map(|(calls, _)| calls).sum();
    let mut reader = csv::Reader::from_path(table).unwrap();
    let (mut expected_calls, mut expected_time) = (0, 0.0);
    for row in reader.records() {
        let row = row.unwrap();
        expected_calls += row[1].parse::<u64>().unwrap();
        expected_time += row[2].parse::<f64>().unwrap();
    }
    assert_eq!(calls, expected_calls);
    assert!((busy as f64 / 1e6 - expected_time).abs() < 1e-6, "{busy} ns and {expected_time} ms");
}
