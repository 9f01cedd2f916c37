//! Every real table of Nsight Compute available, against an independent reading with the `csv` crate, and against figures
//! read off with Python's `csv` module.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use eaves_ingest::read_bytes;
use eaves_model::{Recording, Times, Trace, WarningKind};
use eaves_testing::data;

/// Real files of other tools' test suites. They are not part of the project.
fn samples(pattern: &str) -> Option<Vec<PathBuf>> {
    let pattern = data("formats/nvidia")?.join(pattern);
    let found: Vec<PathBuf> = glob::glob(&pattern.to_string_lossy()).unwrap().flatten().collect();
    assert!(!found.is_empty(), "nothing is at {}", pattern.display());
    Some(found)
}

/// One of them.
fn sample(name: &str) -> Option<PathBuf> {
    data(&format!("formats/nvidia/{name}"))
}

fn recording(path: &Path) -> Recording {
    let bytes = std::fs::read(path).unwrap();
    let recording = read_bytes(&path.display().to_string(), &bytes).unwrap();
    assert_eq!(recording.bytes, bytes.len() as u64);
    recording
}

/// Header and rows behind the noise. The samples use points as decimal signs, some with commas between thousands.
fn table(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let text = std::fs::read_to_string(path).unwrap();
    let table = &text[text.find("\"ID\",").unwrap()..];
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(table.as_bytes());
    let mut rows = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect());
    (rows.next().unwrap(), rows.collect())
}

fn number(cell: &str) -> Option<f64> {
    cell.replace(',', "").parse().ok().filter(|value: &f64| value.is_finite())
}

/// Counters by launch and metric.
fn counters(trace: &Trace) -> BTreeMap<(u32, String), f64> {
    let counters = &trace.range_counters;
    (0..counters.len())
        .map(|row| {
            let counter = counters.row(row);
            let name = trace.strings.get(counter.metric).to_owned();
            ((counter.slice.0, name), counter.value.get().unwrap())
        })
        .collect()
}

fn has_tables(path: &Path) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| text.contains("\"ID\","))
}

#[test]
fn every_cell_of_wide_tables_is_there() {
    let Some(samples) = samples("ncu_wide_raw/*/*.csv") else { return };
    let mut files = 0;
    for path in samples.into_iter().filter(|path| has_tables(path)) {
        files += 1;
        let name = path.display();
        let recording = recording(&path);
        let trace = &recording.trace;
        assert_eq!(recording.format, "ncu-csv");
        let (header, rows) = table(&path);
        let rows: Vec<_> =
            rows.iter().filter(|row| row.len() == header.len() && !row[0].is_empty()).collect();
        assert_eq!(trace.slices.len(), rows.len(), "{name}");
        let ours = counters(trace);
        assert_eq!(ours.len(), trace.range_counters.len(), "{name}: a metric twice");
        let column = |wanted: &str| header.iter().position(|column| column == wanted).unwrap();
        let (mut cells, mut start) = (0, 0);
        for (launch, row) in rows.iter().enumerate() {
            let slice = trace.slices.row(launch);
            let gpu = trace.gpu.row(launch);
            assert_eq!(trace.strings.get(slice.name), row[column("Kernel Name")]);
            let duration: i64 = row[column("gpu__time_duration.sum")].parse().unwrap();
            assert_eq!((slice.start.0, slice.duration.0), (start, duration), "{name}");
            start += duration;
            let shown = |extent: [u32; 3]| format!("({}, {}, {})", extent[0], extent[1], extent[2]);
            assert_eq!(shown(gpu.grid.get().unwrap()), row[column("Grid Size")]);
            assert_eq!(shown(gpu.block.get().unwrap()), row[column("Block Size")]);
            assert_eq!(gpu.stream.get().unwrap().to_string(), row[column("Stream")]);
            assert_eq!(gpu.registers.get().unwrap().to_string(), row[column("launch__registers_per_thread")]);
            let shared =
                |part: &str| number(&row[column(&format!("launch__shared_mem_per_block_{part}"))]).unwrap();
            assert_eq!(gpu.shared_memory.get().unwrap() as f64, shared("static") + shared("dynamic"));
            for (metric, cell) in header.iter().zip(row.iter()).skip(11) {
                let is_device = metric.starts_with("device__attribute_");
                let (Some(value), false) = (number(cell), is_device) else { continue };
                cells += 1;
                assert_eq!(ours.get(&(launch as u32, metric.clone())), Some(&value), "{name}: {metric}");
            }
        }
        assert_eq!(cells, ours.len(), "{name}");
        let device = &trace.metadata.devices[0];
        for (metric, cell) in header.iter().zip(rows[0]).filter(|(m, _)| m.starts_with("device__attribute_"))
        {
            assert_eq!(device.number(metric), number(cell), "{name}: {metric}");
        }
        assert_eq!(trace.metadata.times, Times::InSequence);
        let odd: Vec<_> = trace.diagnostics.warnings().iter().map(|warning| warning.kind).collect();
        assert_eq!(odd, [WarningKind::NoStartTimes], "{name}");
    }
    assert_eq!(files, 2);
}

/// Read off with Python: `rows = list(csv.reader(...))`, columns by name, `sum(int(row[duration]))`, and the count of
/// cells behind `CC` that `float` reads and that are not attribute of the device.
#[test]
fn figures_of_wide_tables() {
    for (file, launches, time, first, registers, cells) in [
        ("flashinfer_paged_decode__gqa_bf16_b1_ctx4k_p64", 16, 266_496, [9_920, 23_872], [40, 56], 4_688),
        ("torch_sdpa_flash__gqa_bf16_b8_ctx32k_p64", 16, 3_262_944, [11_904, 395_680], [36, 222], 4_688),
    ] {
        let Some(samples) = samples(&format!("ncu_wide_raw/*/{file}.ncu.csv")) else { return };
        for path in samples {
            let trace = recording(&path).trace;
            assert_eq!(trace.slices.len(), launches);
            assert_eq!(trace.slices.duration.iter().map(|duration| duration.0).sum::<i64>(), time);
            assert_eq!([trace.slices.duration[0].0, trace.slices.duration[1].0], first);
            assert_eq!([trace.gpu.registers[0].get(), trace.gpu.registers[1].get()], registers.map(Some));
            assert_eq!(trace.range_counters.len(), cells);
            let device = &trace.metadata.devices[0];
            assert_eq!((device.name.as_str(), device.architecture.as_str()), ("NVIDIA B200", "sm_100"));
            assert_eq!(device.numbers.len(), 164);
            // Memory at twice its clock over its bus: 7672 GB/s.
            let number = |name: &str| device.number(&format!("device__attribute_{name}")).unwrap();
            let bandwidth = 2.0 * number("max_mem_frequency_khz") * number("fb_bus_width") / 8.0 / 1e6;
            assert_eq!(bandwidth.round(), 7672.0);
            assert_eq!(number("multiprocessor_count"), 148.0);
        }
    }
}

#[test]
fn every_row_of_narrow_tables_is_there() {
    let Some((tables, logs)) = samples("ncu_narrow/*/*.csv").zip(samples("ncu_narrow/*/*.log")) else {
        return;
    };
    let mut files = 0;
    for path in tables.into_iter().chain(logs).filter(|path| has_tables(path)) {
        files += 1;
        let name = path.display();
        let recording = recording(&path);
        let trace = &recording.trace;
        let (header, rows) = table(&path);
        let column = |wanted: &str| header.iter().position(|column| column == wanted);
        let value_at = column("Metric Value").unwrap();
        let values: Vec<f64> = rows.iter().filter_map(|row| number(&row[value_at])).collect();
        let ours: Vec<f64> = trace.range_counters.value.iter().filter_map(|value| value.get()).collect();
        // All units of the samples are base units, and every metric stands there once.
        assert_eq!(ours, values, "{name}");
        assert_eq!(counters(trace).len(), ours.len(), "{name}: two rows under one name");
        let remarks: Vec<&Vec<String>> =
            rows.iter().filter(|row| column("Rule Name").is_some_and(|rule| row.len() > rule + 1)).collect();
        assert_eq!(trace.remarks.len(), remarks.len(), "{name}");
        for (row, cells) in remarks.iter().enumerate() {
            let remark = trace.remarks.row(row);
            let of = |name: &str| cells[column(name).unwrap()].as_str();
            assert_eq!(trace.strings.get(remark.rule), of("Rule Name"));
            assert_eq!(trace.strings.get(remark.kind), of("Rule Type"));
            assert_eq!(trace.strings.get(remark.text), of("Rule Description"));
            assert_eq!(trace.strings.get(remark.speedup_of), of("Estimated Speedup Type"));
            assert_eq!(remark.speedup_pct.get(), number(of("Estimated Speedup")));
        }
        assert_eq!(trace.slices.len(), 1, "{name}");
        let odd: Vec<_> = trace.diagnostics.warnings().iter().map(|warning| warning.kind).collect();
        assert_eq!(odd, [WarningKind::NoStartTimes], "{name}");
    }
    assert_eq!(files, 9);
}

/// Read off by hand.
#[test]
fn figures_of_a_narrow_table_of_a_copy() {
    let Some(path) = sample("ncu_narrow/nsightful_details/copy_blocked.csv") else { return };
    let trace = recording(&path).trace;
    let gpu = trace.gpu.row(0);
    assert_eq!(trace.slices.duration[0].0, 21_058_944);
    assert_eq!((gpu.grid.0, gpu.block.0), ([1024, 1, 1], [256, 1, 1]));
    assert_eq!((gpu.registers.get(), gpu.shared_memory.get()), (Some(32), Some(0)));
    assert_eq!(gpu.occupancy_pct.get(), Some(100.0));
    assert_eq!(trace.metadata.devices[0].architecture, "sm_75");
    // 72 rows of metrics, one of which says `CachePreferNone`, and 11 of remarks.
    assert_eq!((trace.range_counters.len(), trace.remarks.len()), (71, 11));
    let speedups: Vec<f64> = trace.remarks.speedup_pct.iter().filter_map(|speedup| speedup.get()).collect();
    assert_eq!(speedups, [98.86, 45.14, 42.96, 38.16, 38.16, 38.16, 74.14]);
    let counters = counters(&trace);
    let counter = |name: &str| counters.get(&(0, name.to_owned())).copied();
    assert_eq!(counter("gpu__time_duration.sum"), Some(21_058_944.0));
    assert_eq!(counter("dram__bytes.sum.per_second"), Some(196_456_177_859.63));
    assert_eq!(counter("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"), Some(61.84));
    assert_eq!(counter("smsp__inst_executed.sum"), Some(16_105_472.0));
    assert_eq!(counter("PM Sampling: Maximum Buffer Size"), Some(3_538_944.0));
    assert_eq!(counter("GPU Speed Of Light Throughput: SM Frequency"), Some(584_998_877.44));
}

/// Read off by hand.
#[test]
fn figures_of_a_narrow_table_of_a_product() {
    let Some(path) = sample("ncu_narrow/superbenchmark_B200_details/cublaslt_ncu.log") else { return };
    let trace = recording(&path).trace;
    let gpu = trace.gpu.row(0);
    assert_eq!(trace.slices.duration[0].0, 406_240);
    assert_eq!((gpu.grid.0, gpu.block.0), ([9, 32, 1], [384, 1, 1]));
    assert_eq!((gpu.registers.get(), gpu.shared_memory.get()), (Some(168), Some(205_696)));
    assert_eq!(gpu.occupancy_pct.get(), Some(18.75));
    assert_eq!(trace.metadata.devices[0].architecture, "sm_100");
    assert_eq!(trace.remarks.len(), 8);
}

/// Read off by hand.
#[test]
fn figures_of_a_narrow_table_of_saxpy() {
    let Some(path) = sample("ncu_narrow/GPU-Roofline-Profiler_rtx5070_ncu2026.2/saxpy.csv") else { return };
    let trace = recording(&path).trace;
    assert_eq!(trace.slices.duration[0].0, 292_928);
    let counters = counters(&trace);
    let counter = |name: &str| counters.get(&(0, name.to_owned())).copied();
    assert_eq!(counter("dram__bytes_op_read.sum"), Some(134_221_568.0));
    assert_eq!(counter("dram__bytes_op_write.sum"), Some(43_631_104.0));
    assert_eq!(trace.metadata.devices[0].architecture, "sm_120");
    assert_eq!(
        trace.slice_name(trace.gpu.slice[0]),
        "unnamed>::saxpy_kernel(float, const float *, float *, int)"
    );
}

#[test]
fn runs_that_failed_say_why() {
    let Some(samples) = samples("ncu_wide_raw/*/*.csv") else { return };
    let failed: Vec<_> = samples.into_iter().filter(|path| !has_tables(path)).collect();
    assert!(!failed.is_empty());
    for path in failed {
        let error = read_bytes("x", &std::fs::read(&path).unwrap()).unwrap_err().to_string();
        assert!(error.contains("Nsight Compute"), "{error}");
        println!("{error}");
    }
}

/// What `verify_layout.py`, an independent parser next to the samples, prints of them: metrics of each launch, duration,
/// grid, cycles; and what stands in the messages it lists.
#[test]
fn reports_are_read() {
    type Expected = (&'static str, [usize; 3], &'static [(&'static str, i64, u32, f64)]);
    let expected: [Expected; 3] = [
        ("CuVectorAddDrv", [110, 151, 268], &[("VecAdd_kernel", 3_232, 196, 4_587.0)]),
        ("CuVectorAddDrv_2", [110, 151, 268], &[("VecAdd_kernel", 3_264, 196, 4_398.0)]),
        (
            "manual_nvtx",
            [184, 151, 347],
            &[
                ("init_data_kernel(int, double *)", 84_480, 16_384, 124_056.0),
                ("daxpy_kernel(int, double, double *, double *)", 249_216, 16_384, 379_490.0),
                ("check_results_kernel(int, double, double *)", 88_512, 16_384, 122_573.0),
            ],
        ),
    ];
    for (file, metrics, launches) in expected {
        let Some(path) = sample(&format!("ncu_rep/{file}.ncu-rep")) else { return };
        let recording = recording(&path);
        let trace = &recording.trace;
        assert_eq!((recording.format, trace.gpu.len()), ("ncu-rep", launches.len()));
        let counters = counters(trace);
        for (launch, &(name, duration, grid, cycles)) in launches.iter().enumerate() {
            let gpu = trace.gpu.row(launch);
            assert_eq!(trace.slice_name(gpu.slice), name);
            assert_eq!(trace.slices.duration[launch].0, duration);
            assert_eq!((gpu.grid.0, gpu.block.0), ([grid, 1, 1], [256, 1, 1]));
            assert_eq!(gpu.device.get(), Some(0));
            let counter = |name: &str| counters.get(&(launch as u32, name.to_owned())).copied();
            assert_eq!(counter("gpc__cycles_elapsed.max"), Some(cycles));
            assert_eq!(counter("launch__grid_size"), Some(f64::from(grid)));
        }
        let device = &trace.metadata.devices[0];
        assert_eq!(
            (device.name.as_str(), device.architecture.as_str()),
            ("NVIDIA GeForce RTX 3070", "sm_86")
        );
        // Numbers of the launch and of the device; the others of the metrics are texts or have no value.
        let [of_launch, of_device, all] = metrics;
        assert_eq!((counters.len(), device.numbers.len()), (of_launch * launches.len(), of_device), "{file}");
        assert!(of_launch + of_device < all);
        let odd: Vec<_> = trace.diagnostics.warnings().iter().map(|warning| warning.kind).collect();
        assert_eq!(odd, [WarningKind::NoStartTimes]);
    }
}

#[test]
fn remarks_and_ranges_of_a_report_are_read() {
    let Some(path) = sample("ncu_rep/manual_nvtx.ncu-rep") else { return };
    let trace = recording(&path).trace;
    let kinds: Vec<&str> = trace.remarks.kind.iter().map(|&kind| trace.strings.get(kind)).collect();
    let rules: Vec<&str> = trace.remarks.rule.iter().map(|&rule| trace.strings.get(rule)).collect();
    assert_eq!(rules[..2], ["Occupancy", "SOLBottleneck"]);
    assert_eq!(kinds[..2], ["WRN", "INF"]);
    let text = trace.strings.get(trace.remarks.text[1]);
    assert!(
        text.starts_with("The kernel is utilizing greater than 80.0% of the available compute"),
        "{text}"
    );
    let ranges: Vec<(&str, i64, i64)> = (3..trace.slices.len())
        .map(|row| {
            let slice = trace.slices.row(row);
            (trace.strings.get(slice.name), slice.start.0, trace.slices.end(row).0)
        })
        .collect();
    assert_eq!(
        ranges,
        [
            ("init_data", 0, 84_480),
            ("daxpy", 84_480, 333_696),
            ("run_test", 0, 422_208),
            ("check_results", 333_696, 422_208),
        ]
    );
}
