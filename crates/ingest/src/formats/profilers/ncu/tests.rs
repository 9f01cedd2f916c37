//! Tables written by hand after the real ones: locales, units, noise, damage.

use std::fmt::Write as _;

use eaves_model::{Recording, Trace, WarningKind};

use crate::read_bytes;

const LAUNCH: &str = "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\"";

/// A narrow table of one launch: section, metric, unit, value.
fn narrow(rows: &[(&str, &str, &str, &str)]) -> String {
    let mut text = format!("{LAUNCH},\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n");
    for (section, metric, unit, value) in rows {
        writeln!(
            text,
            "\"0\",\"1\",\"app\",\"127.0.0.1\",\"k(int, float)\",\"1\",\"7\",\"(256, 1, 1)\",\"(64, 2, 1)\",\"0\",\"9.0\",\"{section}\",\"{metric}\",\"{unit}\",\"{value}\""
        )
        .unwrap();
    }
    text
}

/// A wide table: metrics with units, and launches with a value for each.
fn wide(metrics: &[(&str, &str)], launches: &[&[&str]]) -> String {
    let quoted = |cells: Vec<&str>| cells.iter().map(|cell| format!(",\"{cell}\"")).collect::<String>();
    let mut text = format!("{LAUNCH}{}\n", quoted(metrics.iter().map(|metric| metric.0).collect()));
    let empty = "\"\",".repeat(10);
    writeln!(text, "{empty}\"\"{}", quoted(metrics.iter().map(|metric| metric.1).collect())).unwrap();
    for (id, values) in launches.iter().enumerate() {
        writeln!(
            text,
            "\"{id}\",\"1\",\"app\",\"127.0.0.1\",\"k{id}(int)\",\"1\",\"7\",\"(256, 1, 1)\",\"(64, 2, 1)\",\"0\",\"9.0\"{}",
            quoted(values.to_vec())
        )
        .unwrap();
    }
    text
}

fn read(text: &str) -> Trace {
    read_bytes("x", text.as_bytes()).unwrap().trace
}

fn counters(trace: &Trace) -> Vec<(u32, &str, f64)> {
    let counters = &trace.range_counters;
    (0..counters.len())
        .map(|row| {
            let counter = counters.row(row);
            (counter.slice.0, trace.strings.get(counter.metric), counter.value.get().unwrap())
        })
        .collect()
}

fn odd(trace: &Trace) -> Vec<(WarningKind, u64)> {
    trace.diagnostics.warnings().iter().map(|warning| (warning.kind, warning.count)).collect()
}

const LINE: &str = "Command line profiler metrics";

#[test]
fn the_locale_is_that_of_the_file() {
    let rows = |duration, bytes, rate| {
        narrow(&[
            (LINE, "gpu__time_duration.sum", "ns", duration),
            (LINE, "dram__bytes.sum", "byte", bytes),
            (LINE, "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", rate),
        ])
    };
    for (text, expected) in [
        (rows("117344", "27595520", "65.77"), [117_344.0, 27_595_520.0, 65.77]),
        (rows("117,344", "27,595,520", "65.77"), [117_344.0, 27_595_520.0, 65.77]),
        (rows("117.344", "27.595.520", "65,77"), [117_344.0, 27_595_520.0, 65.77]),
        (rows("117\u{202f}344", "27\u{202f}595\u{202f}520", "65,77"), [117_344.0, 27_595_520.0, 65.77]),
        (rows("117.344", "27595520", "65.77"), [117.344, 27_595_520.0, 65.77]),
    ] {
        let trace = read(&text);
        let values: Vec<f64> = counters(&trace).iter().map(|counter| counter.2).collect();
        assert_eq!(values, expected, "{text}");
        assert_eq!(trace.slices.duration[0].0, expected[0].round() as i64);
        assert_eq!(odd(&trace), [(WarningKind::NoStartTimes, 1)]);
    }
    // Nothing tells: a point is a decimal sign, and it is said.
    let trace = read(&rows("117.344", "100.000", "65"));
    assert_eq!(counters(&trace)[0].2, 117.344);
    assert_eq!(odd(&trace), [(WarningKind::NoStartTimes, 1), (WarningKind::AmbiguousNumbers, 2)]);
}

#[test]
fn wide_tables_tell_their_locale_too() {
    let metrics = [("gpu__time_duration.sum", "ns"), ("dram__bytes.sum", "byte"), ("sm__a.pct", "%")];
    let trace = read(&wide(&metrics, &[&["117.344", "1.000", "12"], &["3", "2.000.000", "0,5"]]));
    let values: Vec<f64> = counters(&trace).iter().map(|counter| counter.2).collect();
    assert_eq!(values, [117_344.0, 1_000.0, 12.0, 3.0, 2_000_000.0, 0.5]);
}

#[test]
fn units_become_base_units() {
    for (unit, value, expected) in [
        ("usecond", "2.5", 2_500.0),
        ("us", "2.5", 2_500.0),
        ("msecond", "0.25", 250_000.0),
        ("ns", "7", 7.0),
        ("second", "1.5", 1.5e9),
    ] {
        let text = narrow(&[(LINE, "gpu__time_duration.sum", unit, value)]);
        assert_eq!(counters(&read(&text)), [(0, "gpu__time_duration.sum", expected)], "{unit}");
        let text = wide(&[("gpu__time_duration.sum", unit)], &[&[value]]);
        let trace = read(&text);
        assert_eq!(counters(&trace), [(0, "gpu__time_duration.sum", expected)], "{unit}");
        assert_eq!(trace.slices.duration[0].0, expected as i64);
    }
    let trace = read(&wide(
        &[
            ("dram__bytes.sum", "Mbyte"),
            ("dram__bytes.sum.per_second", "Gbyte/second"),
            ("sm__c.avg.per_second", "cycle/nsecond"),
        ],
        &[&["1.5", "2.25", "1.125"]],
    ));
    let values: Vec<f64> = counters(&trace).iter().map(|counter| counter.2).collect();
    assert_eq!(values, [1.5e6, 2.25e9, 1.125e9]);
}

#[test]
fn a_launch_without_duration_is_timed_by_its_cycles_or_not_at_all() {
    let trace = read(&narrow(&[
        (LINE, "sm__cycles_elapsed.avg", "cycle", "3000"),
        (LINE, "sm__cycles_elapsed.avg.per_second", "cycle/nsecond", "1.5"),
    ]));
    assert_eq!(trace.slices.duration[0].0, 2_000);
    assert_eq!(odd(&trace), [(WarningKind::NoStartTimes, 1)]);
    let trace = read(&narrow(&[(LINE, "dram__bytes.sum", "byte", "3000")]));
    assert_eq!(trace.slices.duration[0].0, 0);
    assert_eq!(odd(&trace), [(WarningKind::MissingDuration, 1), (WarningKind::NoStartTimes, 1)]);
}

#[test]
fn what_was_not_measured_is_absent() {
    let text = wide(
        &[
            ("gpu__time_duration.sum", "ns"),
            ("a__b", ""),
            ("c__d", ""),
            ("e__f", ""),
            ("g__h", ""),
            ("i__j", ""),
        ],
        &[&["5", "n/a", "no data", "nan", "", "PolicySpread"]],
    );
    let trace = read(&text);
    assert_eq!(counters(&trace), [(0, "gpu__time_duration.sum", 5.0)]);
    assert_eq!(odd(&trace), [(WarningKind::NoStartTimes, 1)]);
}

#[test]
fn noise_marks_and_line_ends_change_nothing() {
    let table = wide(&[("gpu__time_duration.sum", "ns")], &[&["5"], &["7"]]);
    let expected = read(&table);
    let noisy = format!(
        "==PROF== Connected to process 1 (app)\nhello, \"world\n\"quoted\" line\n==PROF== Profiling \"k\" - 0: 0%....100% - 8 passes\n\
         {table}==PROF== Disconnected from process 1\nbye \"\n"
    );
    let utf16: Vec<u8> = noisy.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [
        noisy.clone().into_bytes(),
        [b"\xEF\xBB\xBF", noisy.as_bytes()].concat(),
        noisy.replace('\n', "\r\n").into_bytes(),
        [b"\xFF\xFE", utf16.as_slice()].concat(),
        table.replace('"', "").replace("(256, 1, 1)", "x").replace("(64, 2, 1)", "x").into_bytes(),
    ] {
        let trace = read_bytes("x", &bytes).unwrap().trace;
        assert_eq!(counters(&trace), counters(&expected), "{}", String::from_utf8_lossy(&bytes));
        assert_eq!(odd(&trace), odd(&expected), "{}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn launches_stand_in_the_order_of_their_numbers() {
    let text = narrow(&[
        (LINE, "gpu__time_duration.sum", "ns", "10"),
        (LINE, "dram__bytes.sum", "byte", "1"),
        (LINE, "gpu__time_duration.sum", "ns", "20"),
        (LINE, "dram__bytes.sum", "byte", "2"),
    ]);
    // The last two rows become those of a launch before.
    let lines: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(place, line)| match place {
            1 | 2 => line.replacen("\"0\"", "\"5\"", 1),
            3 | 4 => line.replacen("\"0\"", "\"3\"", 1),
            _ => line.to_owned(),
        })
        .collect();
    let trace = read(&lines.join("\n"));
    let times: Vec<_> = (0..2).map(|row| (trace.slices.start[row].0, trace.slices.duration[row].0)).collect();
    assert_eq!(times, [(0, 20), (20, 10)]);
    let mut found = counters(&trace);
    found.sort_by_key(|counter| counter.0);
    assert_eq!(
        found.iter().map(|counter| (counter.0, counter.2)).collect::<Vec<_>>(),
        [(0, 20.0), (0, 2.0), (1, 10.0), (1, 1.0)]
    );
}

#[test]
fn a_second_table_comes_after_the_first() {
    let table = |duration| wide(&[("gpu__time_duration.sum", "ns")], &[&[duration]]);
    let text = format!("{}==PROF== Connected to process 2 (app)\n{}", table("5"), table("7"));
    let trace = read(&text);
    assert_eq!(counters(&trace), [(0, "gpu__time_duration.sum", 5.0), (1, "gpu__time_duration.sum", 7.0)]);
}

#[test]
fn tables_of_other_metrics_are_passes_of_the_same_launches() {
    let first =
        wide(&[("gpu__time_duration.sum", "ns"), ("dram__bytes.sum", "byte")], &[&["5", "10"], &["6", "20"]]);
    let second = wide(
        &[("gpu__time_duration.sum", "ns"), ("lts__t_bytes.sum", "byte")],
        &[&["50", "1"], &["60", "2"]],
    );
    let text = format!(
        "{first}==PROF== Connected to process 2 (app)\n{}",
        second.replace("\"1\",\"app\"", "\"2\",\"app\"")
    );
    let trace = read(&text);
    let (duration, dram, l2) = ("gpu__time_duration.sum", "dram__bytes.sum", "lts__t_bytes.sum");
    assert_eq!(
        counters(&trace),
        [
            (0, duration, 5.0),
            (0, dram, 10.0),
            (0, l2, 1.0),
            (1, duration, 6.0),
            (1, dram, 20.0),
            (1, l2, 2.0)
        ]
    );
    assert_eq!((trace.gpu.len(), trace.slices.duration[1].0), (2, 6));
    // Other launches are launches of their own.
    let trace = read(&text.replacen("k1(int)", "other", 1));
    assert_eq!((trace.gpu.len(), trace.range_counters.len()), (4, 8));
}

#[test]
fn older_tables_have_fewer_columns() {
    let text = "\"ID\",\"API Name\",\"Kernel Name\",\"Kernel Time\",\"Context\",\"Stream\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\
        \"0\",\"cuLaunchKernel\",\"k\",\"2019-Dec-02 14:03:27\",\"1\",\"7\",\"GPU Speed Of Light\",\"gpu__time_duration.sum\",\"usecond\",\"2.5\"\n";
    let trace = read(text);
    assert_eq!(trace.slices.duration[0].0, 2_500);
    assert_eq!(trace.slice_name(trace.gpu.slice[0]), "k");
    assert_eq!(trace.gpu.grid[0].get(), None);
    assert_eq!(trace.gpu.device[0].get(), None);
}

#[test]
fn rows_of_the_wrong_length_are_left_out_and_counted() {
    let table =
        wide(&[("gpu__time_duration.sum", "ns"), ("a__b", "")], &[&["5", "1"], &["6", "2"], &["7", "3"]]);
    let broken = table.replace(",\"6\",\"2\"", ",\"6\"").replace("\"7\",\"3\"", "\"7\",\"3\",\"4\"");
    let trace = read(&broken);
    assert_eq!(counters(&trace).len(), 2);
    assert_eq!(odd(&trace), [(WarningKind::NoStartTimes, 1), (WarningKind::BadRecord, 2)]);
    let cut = &table[..table.len() - 3];
    let trace = read(cut);
    assert_eq!(counters(&trace).len(), 4);
    assert_eq!(odd(&trace), [(WarningKind::Truncated, 1), (WarningKind::NoStartTimes, 1)]);
}

#[test]
fn remarks_may_go_over_lines_and_have_quotes() {
    let text = format!(
        "{LAUNCH},\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Type\",\"Rule Description\",\"Estimated Speedup Type\",\"Estimated Speedup\"\n\
         \"0\",\"1\",\"app\",\"h\",\"k\",\"1\",\"7\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"0\",\"9.0\",\"GPU Speed Of Light Throughput\",\"Duration\",\"ns\",\"1.234,5\",\n\
         \"0\",\"1\",\"app\",\"h\",\"k\",\"1\",\"7\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"0\",\"9.0\",\"SpeedOfLight\",\"\",\"\",\"\",\"Rule\",\"OPT\",\"two\nlines, \"\"quoted\"\"\",\"global\",\"12,5\"\n"
    );
    let trace = read(&text);
    let remark = trace.remarks.row(0);
    assert_eq!(trace.strings.get(remark.text), "two\nlines, \"quoted\"");
    assert_eq!((remark.speedup_pct.get(), trace.strings.get(remark.speedup_of)), (Some(12.5), "global"));
    assert_eq!(counters(&trace), [(0, "gpu__time_duration.sum", 1_234.5)]);
    assert_eq!(trace.metadata.host_name.as_deref(), Some("h"));
    assert_eq!(trace.metadata.devices[0].architecture, "sm_90");
}

#[test]
fn runs_that_recorded_nothing_say_why_and_what_to_do() {
    for (text, what, hint) in [
        (
            "==PROF== Connected to process 1 (app)\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.\n",
            "ERR_NVGPUCTRPERM",
            "NVreg_RestrictProfilingToAdminUsers=0",
        ),
        (
            "==PROF== x\n==ERROR== The application returned an error code (1).\n",
            "error code (1)",
            "run it without the profiler",
        ),
        ("==PROF== x\n==WARNING== No kernels were profiled.\n", "No kernels were profiled", "--page raw"),
        ("==PROF== x\n==PROF== Report: runs/r.ncu-rep\n", "runs/r.ncu-rep", "eaves report runs/r.ncu-rep"),
        ("==PROF== x\n  k (1, 1, 1)x(1, 1, 1)\n    Section: GPU Speed Of Light\n", "human-readable", "--csv"),
        (LAUNCH, "without launches", "--csv"),
    ] {
        let error = read_bytes("x", text.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
        assert!(error.hint().contains(hint), "{:?}", error.hint());
    }
}

/// Blocks of any size give the same, and so does every number of bytes skipped at the end.
#[test]
fn tables_cut_or_changed_anywhere_are_no_panic() {
    let tables = [
        wide(&[("gpu__time_duration.sum", "ns"), ("a__b", "Kbyte")], &[&["5", "1,5"], &["6", "n/a"]]),
        narrow(&[
            (LINE, "gpu__time_duration.sum", "ns", "10"),
            ("Occupancy", "Theoretical Occupancy", "%", "5.5"),
        ]),
    ];
    for table in tables {
        let whole = read(&table);
        for length in 0..table.len() {
            if let Ok(Recording { trace, .. }) = read_bytes("x", &table.as_bytes()[..length]) {
                // What is there is what it is in the whole.
                let (cut, all) = (counters(&trace), counters(&whole));
                assert!(
                    cut.iter().all(|counter| all.contains(counter)) || length < table.len() / 2,
                    "{length}"
                );
            }
            for byte in [b'"', b',', b'\n', 0xFF] {
                let mut bytes = table.as_bytes().to_vec();
                bytes[length] = byte;
                let _ = read_bytes("x", &bytes);
            }
        }
    }
}
