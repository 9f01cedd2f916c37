use eaves_model::{MeasurementKind, Measurements, WarningKind};
use proptest::prelude::*;

use super::{Form, form_of};
use crate::{Error, read_measurements};

fn read(text: impl AsRef<[u8]>) -> Measurements {
    read_measurements("test", text.as_ref(), None).unwrap()
}

fn oddities(measurements: &Measurements) -> Vec<(WarningKind, u64)> {
    measurements.diagnostics.warnings().iter().map(|warning| (warning.kind, warning.count)).collect()
}

fn detail(measurements: &Measurements, kind: WarningKind) -> &str {
    let mut warnings = measurements.diagnostics.warnings().iter();
    warnings.find(|warning| warning.kind == kind).unwrap().detail.as_deref().unwrap()
}

const TABLE: &str = "name,flops,dram_bytes,time_ms,dtype_key,grid\n\
                     \"gemm<a, b>\",2e9,1e6,0.5,fp16,\"(1,2)\"\n\
                     copy,0,4e6,0.25,,\n";

#[test]
fn a_table_of_kernels() {
    let found = read(TABLE);
    assert_eq!((found.format, found.records.len(), oddities(&found)), ("kernels-csv", 2, vec![]));
    let gemm = &found.records[0];
    assert_eq!((gemm.name.as_str(), gemm.dtype.as_str(), gemm.calls), ("gemm<a, b>", "fp16", 1));
    assert_eq!((gemm.flops, gemm.bytes, gemm.time), (Some(2e9), Some(1e6), Some(5e5)));
    // Columns without a meaning here are kept.
    assert!(gemm.record.contains("\"grid\":\"(1,2)\""), "{}", gemm.record);
    assert_eq!((found.records[1].dtype.as_str(), found.records[1].time), ("", Some(2.5e5)));
}

#[test]
fn a_table_in_any_encoding_and_with_any_separator() {
    let plain = read(TABLE).records;
    let marked = [b"\xEF\xBB\xBF", TABLE.as_bytes()].concat();
    let little: Vec<u8> = TABLE.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = TABLE.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let windows = TABLE.replace('\n', "\r\n").into_bytes();
    for bytes in [
        marked,
        [b"\xFF\xFE".to_vec(), little.clone()].concat(),
        [b"\xFE\xFF".to_vec(), big.clone()].concat(),
        little,
        big,
        windows,
    ] {
        let found = read(&bytes);
        assert_eq!((&found.records, found.bytes), (&plain, bytes.len() as u64));
    }
    for separator in [";", "\t"] {
        let text = format!("name{separator}flops{separator}time_us\nk{separator}5{separator}7\n");
        let found = read(text);
        assert_eq!((found.records[0].flops, found.records[0].time), (Some(5.0), Some(7e3)));
    }
}

#[test]
fn damaged_rows_are_counted_and_the_rest_is_kept() {
    let text =
        "name,flops,dram_bytes,time_ms\na,1,2,3\nb,1,2\nc,1,2,3,4\n\nd,nan,-2,x\ne,inf,\"1,5\",4\nf,,,9\n";
    let found = read(text);
    let names: Vec<_> = found.records.iter().map(|record| record.name.as_str()).collect();
    assert_eq!(names, ["a", "d", "e", "f"]);
    assert_eq!(oddities(&found), [(WarningKind::BadValue, 5), (WarningKind::BadRecord, 2)]);
    assert_eq!(detail(&found, WarningKind::BadRecord), "line 3: 3 fields where the header has 4");
    assert_eq!(detail(&found, WarningKind::BadValue), "`flops` is \"nan\"");
    assert_eq!((found.records[1].flops, found.records[1].bytes, found.records[1].time), (None, None, None));
    assert_eq!((found.records[3].flops, found.records[3].time), (None, Some(9e6)));
    assert_eq!(read("name,flops\n").records, []);
}

#[test]
fn a_table_without_any_amount_is_an_error_that_says_what_is_missing() {
    let error = read_measurements("t.csv", b"a,b\n1,2\n", None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a table without `flops`, `dram_bytes` or `time_ms` (it has `a`, `b`), at line 1: t.csv"
    );
    assert!(error.hint().contains("name,flops,dram_bytes,time_ms,dtype_key"));
    let misspelt = read_measurements("t.csv", b"name,flps,duration\nk,1,2\n", None).unwrap_err();
    assert_eq!(
        misspelt.to_string(),
        "a table without `flops`, `dram_bytes` or `time_ms` (it has `name`, `flps`, `duration`); unknown column `flps`; did you mean `flops`?; column `duration` has no unit; did you mean `time_ms`?, at line 1: t.csv"
    );
}

const EVENTS: &str = r#"{"device": "SM90", "events": [
{"type": "compute", "name": "gemm", "flops": 4, "dram_bytes": 2, "dur_us": 3, "dtype_key": "bf16_tensor", "sm": 7},
{"type": "a2a", "name": "bucket", "size": 100, "dur_us": 5, "bus": "NVLink4"},
{"type": "compute", "name": "odd", "flops": NaN, "dram_bytes": -Infinity, "dur_us": 1},
{"type": "other"},
17
]}"#;

#[test]
fn events_of_both_kinds() {
    let found = read(EVENTS);
    assert_eq!((found.format, found.device.as_deref(), found.records.len()), ("events", Some("SM90"), 3));
    let [gemm, bucket, odd] = found.records.as_slice() else { unreachable!() };
    assert_eq!((gemm.kind, gemm.flops, gemm.bytes), (MeasurementKind::Compute, Some(4.0), Some(2.0)));
    assert_eq!((gemm.time, gemm.dtype.as_str()), (Some(3e3), "bf16_tensor"));
    assert!(gemm.record.contains("\"sm\":7"));
    assert_eq!((bucket.kind, bucket.bytes), (MeasurementKind::Communication, Some(100.0)));
    assert_eq!((bucket.link.as_deref(), bucket.type_name.as_str()), (Some("NVLink4"), "a2a"));
    assert_eq!((odd.flops, odd.bytes, odd.time), (None, None, Some(1e3)));
    assert_eq!(oddities(&found), [(WarningKind::BadValue, 2), (WarningKind::BadRecord, 2)]);
    let warning = &found.diagnostics.warnings()[0];
    assert_eq!(
        warning.first_offset,
        EVENTS.find("{\"type\": \"compute\", \"name\": \"odd\"").map(|at| at as u64)
    );
}

/// The place of an entry that is damaged is its own, not that of the list.
#[test]
fn entries_that_are_no_objects_are_told_by_their_places() {
    let text = r#"[{"type": "ID_MM", "time_ns": 1, "shape": [1, [2, 3]]}, {"type": "a, b", "time_ns": 2}, "x, y", 17]"#;
    let found = read(text);
    assert_eq!((found.records.len(), oddities(&found)), (2, vec![(WarningKind::BadRecord, 2)]));
    assert_eq!(detail(&found, WarningKind::BadRecord), "entry 3 is not an object");
    assert_eq!(found.diagnostics.warnings()[0].first_offset, text.find("\"x, y").map(|at| at as u64));
}

#[test]
fn chrome_events_with_amounts_in_their_arguments() {
    let text = r#"{"traceEvents": [
        {"ph": "M", "name": "process_name", "args": {"name": "x"}},
        {"ph": "X", "name": "gemm", "ts": 1, "dur": 3, "args": {"flops": 8, "bytes": 2, "dtype": "fp16"}},
        {"ph": "X", "name": "host", "ts": 1, "dur": 3},
        {"ph": "X", "name": "send", "ts": 1, "dur": 4, "args": {"bytes": 9, "link": "PCIe"}},
        {"ph": "B", "name": "open", "ts": 1, "args": {"flops": 8}}]}"#;
    let found = read(text);
    let kinds: Vec<_> = found.records.iter().map(|record| (record.name.as_str(), record.kind)).collect();
    assert_eq!(kinds, [("gemm", MeasurementKind::Compute), ("send", MeasurementKind::Communication)]);
    assert_eq!((found.records[0].flops, found.records[0].bytes), (Some(8.0), Some(2.0)));
    assert_eq!(found.records[0].time, Some(3e3));
    assert_eq!(oddities(&found), [(WarningKind::UnknownPhase, 1)]);
}

#[test]
fn commands_keep_their_shapes() {
    let found = read(
        r#"[{"type": "ID_CONV", "data_type": "INT8", "input_shape": [1, 2], "time_us": 850, "hw_bytes": 5},
            {"type": "X", "name": "given", "macs": 7, "bytes": 3, "time_ns": 9, "note": "n"}]"#,
    );
    assert_eq!((found.format, found.records.len()), ("commands", 2));
    let [conv, given] = found.records.as_slice() else { unreachable!() };
    assert_eq!((conv.name.as_str(), conv.time, conv.measured_bytes), ("#1", Some(850e3), Some(5.0)));
    assert!(conv.record.contains("\"input_shape\":[1,2]"));
    assert_eq!((given.macs, given.bytes, given.time), (Some(7.0), Some(3.0), Some(9.0)));
    assert!(given.record.contains("\"note\":\"n\""));
}

#[test]
fn benchmarks_in_every_form() {
    let rows = r#"{"rows": [{"op": "matmul", "shape": [64, 64, 64], "dtype": "fp32", "latency_ms": 2.0, "tflops": 0.5,
                  "memory_bw_gb_s": 10.0, "device": "host:x"}, {"op": "late", "tflops": 1}]}"#;
    let found = read(rows);
    let row = &found.records[0];
    // 0.5 TFLOP/s and 10 GB/s for 2 ms.
    assert_eq!((row.flops, row.bytes, row.time), (Some(1e9), Some(2e7), Some(2e6)));
    assert_eq!((row.name.as_str(), found.device.as_deref()), ("matmul[64x64x64]", Some("host:x")));
    assert_eq!((found.records[1].flops, found.records[1].time), (None, None));
    let points =
        read(r#"{"points": [{"label": "p", "ai": 4, "tflops": 2, "time_us": 1, "precision": "FP16"}]}"#);
    assert_eq!((points.records[0].flops, points.records[0].bytes), (Some(2e6), Some(5e5)));
    let simple = read(r#"{"simplified": [{"shape": "4096x4096", "precision": "FP16", "time_us": 203.4}]}"#);
    let simple = &simple.records[0];
    assert_eq!((simple.type_name.as_str(), simple.shape.as_slice()), ("gemv", &[4096, 4096][..]));
    assert_eq!((simple.dtype.as_str(), simple.flops), ("FP16", None));
    let measured = read(r#"{"gpu": "GB10", "gemm_2x3x4": {"FP16": 5, "INT8": null}, "unit": "us"}"#);
    let times: Vec<_> = measured.records.iter().map(|record| (record.dtype.as_str(), record.time)).collect();
    assert_eq!(
        (times, measured.device.as_deref()),
        (vec![("FP16", Some(5e3)), ("INT8", None)], Some("GB10"))
    );
    assert_eq!(measured.records[0].shape, [2, 3, 4]);
}

#[test]
fn a_file_that_is_cut_keeps_what_was_whole() {
    let start = EVENTS.find('[').unwrap() + 1;
    let ends: Vec<usize> = EVENTS.match_indices("},\n").map(|(at, _)| at + 1).take(3).collect();
    for cut in start..ends[2] + 1 {
        let whole = ends.iter().filter(|end| **end <= cut).count();
        match read_measurements("cut", &EVENTS.as_bytes()[..cut], None) {
            Ok(found) => {
                assert_eq!(found.records.len(), whole, "cut at {cut}");
                // A cut inside a word like `NaN` looks like a record that is wrong.
                let said = [WarningKind::Truncated, WarningKind::BadRecord]
                    .map(|kind| found.diagnostics.count(kind));
                assert_eq!(said.iter().sum::<u64>(), 1, "cut at {cut}");
            }
            Err(error) => assert!(whole == 0, "cut at {cut}: {error}"),
        }
    }
}

#[test]
fn garbage_between_records_costs_no_record() {
    for garbage in ["@@@", "}", "{\"type\": oops},", "{,},", "null null"] {
        let text = EVENTS.replace("{\"type\": \"a2a\"", &format!("{garbage}\n{{\"type\": \"a2a\""));
        let found = read(&text);
        let names: Vec<_> = found.records.iter().map(|record| record.name.as_str()).collect();
        assert_eq!(names, ["gemm", "bucket", "odd"], "{garbage}");
        assert!(!found.diagnostics.warnings().is_empty(), "{garbage}");
    }
}

#[test]
fn nothing_readable_is_an_error_with_a_line() {
    for (text, form, line) in [
        ("", Some(Form::Commands), 1),
        ("[\n{\"a\" 1}]", Some(Form::Commands), 2),
        ("7", Some(Form::Events), 1),
    ] {
        match read_measurements("bad.json", text.as_bytes(), form).unwrap_err() {
            Error::Measurements { line: found, .. } => assert_eq!(found, line, "{text}"),
            error => unreachable!("{error}"),
        }
    }
    assert_eq!(read_measurements("none", b"[]", Some(Form::Commands)).unwrap().records, []);
}

#[test]
fn traces_are_told_from_measurements() {
    for text in [
        r#"{"schemaVersion": 1, "traceEvents": [{"ph": "X", "args": {"flops": 3}}]}"#,
        r#"{"traceEvents": [{"ph": "X", "cat": "kernel", "args": {"correlation": 3, "flops": 3}}]}"#,
        r#"[{"ph": "X", "type": "x", "time_ns": 1}]"#,
        "[[1, 2, 3, 4]]",
        "<html><p>a,b</p>",
        "",
    ] {
        assert_eq!(form_of(text.as_bytes()), None, "{text}");
    }
    assert_eq!(form_of(EVENTS.as_bytes()), Some(Form::Events));
    assert_eq!(form_of(TABLE.as_bytes()), Some(Form::KernelsCsv));
    for form in Form::ALL {
        assert_eq!(Form::from_id(form.id()), Some(form));
    }
}

proptest! {
    /// Whatever the bytes and the form, there is an answer or an error, and places are inside the input.
    #[test]
    fn no_input_panics(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        pieces in proptest::collection::vec(prop_oneof![
            Just("{"), Just("}"), Just("["), Just("]"), Just("\""), Just(","), Just(":"), Just("\n"), Just("\\"),
            Just("NaN"), Just("-Infinity"), Just("events"), Just("\"flops\""), Just("1e999"), Just("name"), Just("é"),
            Just("\"type\":\"comm\""), Just("time_ms"), Just("gemv_4x4"), Just("{\"time_us\":1,\"shape\":\"4x4\"}")
        ], 0..40),
        form in prop_oneof![Just(None), (0..5_usize).prop_map(|index| Some(Form::ALL[index]))],
    ) {
        for input in [bytes, pieces.concat().into_bytes()] {
            if let Ok(found) = read_measurements("any", &input, form) {
                for warning in found.diagnostics.warnings() {
                    prop_assert!(warning.first_offset.is_none_or(|offset| offset <= input.len() as u64), "{warning:?}");
                }
                for number in found.records.iter().flat_map(|record| [record.flops, record.bytes, record.time]).flatten() {
                    prop_assert!(number.is_finite() && number >= 0.0);
                }
            }
        }
    }
}
