use eaves_model::{Measurement, MeasurementKind, Measurements};
use eaves_roofline::device::{Confidence, Fact, Link, Memory, Peak, Source};
use eaves_roofline::{Arithmetic, Counts, Device, Engine, Settings};
use eaves_section::{Column, Section, Table, Unit, Value};

use super::classification::classification;
use super::{Reading, Transfer, communication, flat_table, points, section, transfers_of};

pub(super) fn fact(value: f64) -> Fact {
    Fact { value, source: Source { text: "test".to_owned(), confidence: Confidence::Low } }
}

fn peak(key: &str, arithmetic: Option<Arithmetic>, engine: Option<Engine>, rate: f64) -> Peak {
    Peak {
        key: key.to_owned(),
        arithmetic,
        engine,
        dense: fact(rate),
        sparse: None,
        counts: Counts::Operations,
    }
}

/// The device of tprof-roofline: 1000 GB/s, 82, 220 and 240 TFLOP/s, three links.
pub(super) fn device() -> Device {
    let link = |name: &str, rate: f64| Link {
        name: name.to_owned(),
        aliases: Vec::new(),
        kind: None,
        per_direction: fact(rate),
        count: 1,
    };
    Device {
        id: "sm90".to_owned(),
        name: "SM90 Example".to_owned(),
        peaks: vec![
            peak("fp32", Some(Arithmetic::Fp32), None, 82e12),
            peak("bf16_tensor", Some(Arithmetic::Bf16), Some(Engine::Matrix), 220e12),
            peak("fp16_tensor", Some(Arithmetic::Fp16), Some(Engine::Matrix), 240e12),
        ],
        memory: vec![Memory {
            id: "hbm".to_owned(),
            name: "HBM".to_owned(),
            bandwidth: Some(fact(1e12)),
            ..Memory::default()
        }],
        links: vec![
            link("NVLink4 per-link", 50e9),
            link("PCIe Gen5 x16", 64e9),
            link("400G NIC (1 dir)", 50e9),
        ],
        ..Device::default()
    }
}

fn reading(device: &Device) -> Reading<'_> {
    Reading { device, dtype: None, compatibility: false, custom: None }
}

fn kernel(name: &str, dtype: &str, flops: f64, bytes: f64, milliseconds: f64) -> Measurement {
    Measurement {
        name: name.to_owned(),
        dtype: dtype.to_owned(),
        flops: Some(flops),
        bytes: Some(bytes),
        time: Some(milliseconds * 1e6),
        calls: 1,
        ..Measurement::default()
    }
}

fn file(format: &'static str, records: Vec<Measurement>) -> Measurements {
    Measurements { format, records, ..Measurements::default() }
}

fn table<'a>(section: &'a Section, id: &str) -> &'a Table {
    section.tables.iter().find(|table| table.id == id).unwrap()
}

fn cell<'a>(table: &'a Table, row: usize, id: &str) -> &'a Value {
    let index = table.columns.iter().position(|column| column.id == id).unwrap();
    &table.rows[row][index]
}

fn float(value: &Value) -> f64 {
    match value {
        Value::Float(value) => *value,
        Value::Integer(value) => *value as f64,
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn a_type_is_a_key_of_the_device_first_and_a_precision_else() {
    let device = device();
    let records = vec![
        kernel("key", "BF16_tensor", 1e12, 1e9, 1.0),
        kernel("precision", "fp16", 1e12, 1e9, 1.0),
        kernel("alias", "half", 1e12, 1e9, 1.0),
        kernel("default", "", 1e12, 1e9, 1.0),
        kernel("unknown", "fp61", 1e12, 1e9, 1.0),
        kernel("without peak", "fp8", 1e12, 1e9, 1.0),
    ];
    let found =
        section(&points(&file("kernels-csv", records), &reading(&device)), &device, &Settings::default());
    let rows = table(&found, "points");
    let roofs: Vec<&Value> = (0..5).map(|row| cell(rows, row, "roof_gflops")).collect();
    assert_eq!(roofs[..4], [220e3, 240e3, 240e3, 82e3].map(Value::Float).iter().collect::<Vec<_>>());
    assert_eq!(roofs[4], &Value::Missing("the device has no peak for this"));
    let unmodelled = table(&found, "unmodelled");
    assert_eq!(unmodelled.rows.len(), 1);
    let Value::Text(reason) = cell(unmodelled, 0, "reason") else { unreachable!() };
    assert!(reason.starts_with("unknown precision `fp61`; did you mean"), "{reason}");
}

#[test]
fn what_a_record_does_not_say_is_not_guessed() {
    let device = device();
    let without_flops = Measurement { flops: None, ..kernel("no flops", "fp32", 0.0, 1.0, 1.0) };
    let without_bytes = Measurement { bytes: None, ..kernel("no bytes", "fp32", 1.0, 0.0, 1.0) };
    let macs = Measurement { flops: None, macs: Some(5.0), ..kernel("macs", "fp32", 0.0, 1.0, 1.0) };
    let copy = kernel("copy", "nothing", 0.0, 1e9, 2.0);
    let records = vec![without_flops, without_bytes, macs, copy];
    let found = points(&file("kernels-csv", records), &reading(&device));
    // What it moved has a roof; what it computed is not known, and is not nothing.
    assert!(
        found[0].load.as_ref().is_ok_and(|load| load.operations().is_none() && load.moved() == Some(1.0))
    );
    assert!(found[1].load.as_ref().is_err_and(|reason| reason.contains("bytes")));
    assert!(found[2].load.as_ref().is_ok_and(|load| (load.flops, load.macs) == (10.0, 5.0)));
    assert!(found[3].load.as_ref().is_ok_and(|load| load.arithmetic.is_none()));
    let untyped = points(&file("benchmark", vec![kernel("b", "", 1.0, 1.0, 1.0)]), &reading(&device));
    assert!(untyped[0].load.as_ref().is_err_and(|reason| reason.contains("--dtype")));
}

/// The calculator roofline-hack measured on a GB10: 203.4, 34.8, 14339.4 and 834.0 us are 165.05 GB/s, 482.5 GB/s, 9.585 TFLOP/s
/// and 164.8 TFLOP/s.
#[test]
fn shapes_of_benchmarks_become_products() {
    let device = device();
    let benchmark = |type_name: &str, dtype: &str, shape: &[u64], microseconds: f64| Measurement {
        type_name: type_name.to_owned(),
        dtype: dtype.to_owned(),
        shape: shape.to_vec(),
        time: Some(microseconds * 1e3),
        calls: 1,
        ..Measurement::default()
    };
    let records = vec![
        benchmark("gemv", "FP16", &[4096, 4096], 203.4),
        benchmark("gemv", "FP8_E4M3", &[4096, 4096], 34.8),
        benchmark("gemm", "FP16", &[4096, 4096, 4096], 14339.4),
        benchmark("gemm", "FP8_E4M3", &[4096, 4096, 4096], 834.0),
    ];
    let found =
        section(&points(&file("benchmark", records), &reading(&device)), &device, &Settings::default());
    let rows = table(&found, "points");
    let close = |row: usize, column: &str, expected: f64, within: f64| {
        let value = float(cell(rows, row, column));
        assert!((value - expected).abs() <= within, "{row} {column}: {value}");
    };
    close(0, "achieved_gbps", 165.05, 0.005);
    close(1, "achieved_gbps", 482.5, 0.05);
    close(2, "achieved_gflops", 9585.0, 0.5);
    close(3, "achieved_gflops", 164_800.0, 50.0);
}

#[test]
fn commands_are_counted_by_their_formulas_or_by_the_users() {
    let device = device();
    let command = |json: &str, type_name: &str| Measurement {
        type_name: type_name.to_owned(),
        record: json.to_owned(),
        time: Some(1e3),
        calls: 1,
        ..Measurement::default()
    };
    let records = vec![
        command(r#"{"type":"ID_MUL","data_type":"FP32","input_self":[8],"input_other":[8]}"#, "ID_MUL"),
        command(r#"{"type":"ID_NEW"}"#, "ID_NEW"),
        command("{", "ID_CONV"),
    ];
    let file = file("commands", records);
    let plain = points(&file, &reading(&device));
    assert_eq!(plain[0].load.as_ref().map(|load| load.bytes), Ok(96.0));
    assert!(plain[1].load.as_ref().is_err_and(|reason| reason.contains("`ID_NEW`")));
    assert!(plain[2].load.is_err());
    let compatible = points(&file, &Reading { compatibility: true, ..reading(&device) });
    assert_eq!(compatible[0].load.as_ref().map(|load| load.bytes), Ok(64.0));
    let own = |type_name: &str, _: &str| {
        (type_name == "ID_NEW").then(|| {
            let precision = "int8".parse().map_err(|_| String::new())?;
            Ok(eaves_roofline::ops::npu::NpuWork {
                macs: 7.0,
                flops: 14.0,
                bytes: 3.0,
                precision,
                engine: Engine::Vector,
                symbol: "square",
            })
        })
    };
    let scripted = points(&file, &Reading { custom: Some(&own), ..reading(&device) });
    assert_eq!(scripted[1].load.as_ref().map(|load| (load.macs, load.bytes)), Ok((7.0, 3.0)));
    assert_eq!(scripted[1].mark.id(), "square");
}

fn transfer(link: &str, bytes: f64, milliseconds: f64) -> Transfer {
    Transfer {
        name: "event".to_owned(),
        link: Some(link.to_owned()).filter(|link| !link.is_empty()),
        bytes: Some(bytes),
        calls: 1,
        time: Some(milliseconds * 1e6),
        protocol: None,
        bus_factor: 1.0,
    }
}

/// The three events of tprof-roofline: 100, 33.333 and 50 GB/s are 200, 52.08 and 100 % of 50, 64 and 50.
#[test]
fn messages_against_their_links() {
    let events =
        [transfer("NVLink4", 1.6e9, 16.0), transfer("PCIe", 0.8e9, 24.0), transfer("NIC", 4e9, 80.0)];
    let found = communication(&events, &device(), None);
    let rows = table(&found, "events");
    for (row, achieved, roof, utilisation) in
        [(0, 100.0, 50.0, 200.0), (1, 100.0 / 3.0, 64.0, 52.083_333_333), (2, 50.0, 50.0, 100.0)]
    {
        for (column, expected) in
            [("achieved_gbps", achieved), ("roof_gbps", roof), ("utilisation_pct", utilisation)]
        {
            assert!((float(cell(rows, row, column)) - expected).abs() < 1e-6, "{row} {column}");
        }
    }
    let Value::Text(flag) = cell(rows, 0, "flag") else { unreachable!() };
    assert!(flag.contains("figure of one link; 2 links"), "{flag}");
    assert_eq!(cell(rows, 2, "flag"), &Value::Missing("not above the roof"));
    // 64 GB/s, 128 of 130 bits, 256 of 280 bytes.
    assert!((float(cell(rows, 1, "protocol_gbps")) - 64.0 * 0.984_615_385 * 0.914_285_714).abs() < 1e-6);
    assert_eq!(cell(rows, 2, "protocol_gbps"), &Value::Missing("no published packet size"));
    assert_eq!(found.findings[0].id, "comm-above-roof");
}

#[test]
fn count_factor_and_protocol_are_taken_into_account() {
    let mut device = device();
    device.links[0].count = 18;
    let one =
        Transfer { calls: 4, bus_factor: 1.75, protocol: Some("LL128".to_owned()), ..transfer("", 1e6, 0.1) };
    let found = communication(&[one], &device, Some("nvlink"));
    let rows = table(&found, "events");
    // 4 messages of 1 MB with a factor of 1.75 in 0.1 ms are 70 GB/s of 18 times 50.
    assert!((float(cell(rows, 0, "achieved_gbps")) - 70.0).abs() < 1e-9);
    assert!((float(cell(rows, 0, "utilisation_pct")) - 100.0 * 70.0 / 900.0).abs() < 1e-9);
    let protocol = 900.0 * 256.0 / 272.0 * 120.0 / 128.0;
    assert!((float(cell(rows, 0, "protocol_gbps")) - protocol).abs() < 1e-9);
    assert_eq!(cell(table(&found, "links"), 0, "total_gbps"), &Value::Float(900.0));
}

#[test]
fn a_message_without_a_known_link_time_or_size_has_no_utilisation() {
    let events = [
        transfer("xGMI", 1e6, 1.0),
        transfer("", 1e6, 1.0),
        transfer("PCIe", 1e6, 0.0),
        Transfer { bytes: None, ..transfer("PCIe", 1e6, 1.0) },
    ];
    let found = communication(&events, &device(), None);
    let rows = table(&found, "events");
    for row in 0..4 {
        assert!(matches!(cell(rows, row, "utilisation_pct"), Value::Missing(_)), "{row}");
    }
    assert_eq!(cell(rows, 0, "flag"), &Value::from("the device has no link `xGMI`"));
    assert!(matches!(cell(rows, 0, "achieved_gbps"), Value::Float(_)));
    assert_eq!(found.findings[0].id, "comm-unknown-link");
    assert_eq!(communication(&[], &device(), None).tables[0].rows.len(), 0);
}

#[test]
fn collectives_of_a_trace_are_messages_too() {
    let columns = |ids: &[&'static str]| ids.iter().map(|id| Column::new(id, "", Unit::None)).collect();
    let ids = ["kind", "group", "bytes", "calls", "mean_ns", "bus_factor"];
    let row = |kind: &str, factor: Value| {
        vec![
            kind.into(),
            "default_pg".into(),
            Value::Integer(1000),
            Value::Integer(3),
            Value::Float(10.0),
            factor,
        ]
    };
    let rows = vec![row("all_reduce", Value::Float(1.5)), row("barrier", Value::Missing("moves nothing"))];
    let collectives = Section {
        id: "collectives",
        tables: vec![Table { id: "by_collective", title: "", columns: columns(&ids), rows }],
        ..Section::default()
    };
    let found = transfers_of(&collectives);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].name.as_str(), found[0].time, found[0].calls),
        ("all_reduce (default_pg)", Some(30.0), 3)
    );
    assert_eq!((found[0].bytes, found[0].bus_factor), (Some(1000.0), 1.5));
}

#[test]
fn records_of_communication_are_no_points() {
    let device = device();
    let message = Measurement {
        kind: MeasurementKind::Communication,
        link: Some("unknown".to_owned()),
        ..kernel("m", "", 0.0, 5.0, 1.0)
    };
    let file = file("events", vec![message]);
    assert!(points(&file, &reading(&device)).is_empty());
    assert_eq!(super::transfers(&file)[0].link, None);
}

#[test]
fn older_names_come_first_in_the_flat_table() {
    let device = device();
    let records =
        vec![kernel("gemm", "bf16_tensor", 1.1e12, 18e9, 3.6), kernel("copy", "fp32", 0.0, 1e9, 1.0)];
    let found = section(&points(&file("events", records), &reading(&device)), &device, &Settings::default());
    let kept = [
        "name",
        "operational_intensity",
        "achieved_GFLOPs",
        "achieved_GBps",
        "time_ms",
        "class",
        "delta_log10_oi_to_knee",
    ];
    let narrow = classification(&found);
    assert_eq!(narrow.columns.iter().map(|column| column.id).collect::<Vec<_>>(), kept);
    assert_eq!(cell(&narrow, 0, "time_ms"), &Value::Float(3.6));
    assert!(matches!(cell(&narrow, 1, "delta_log10_oi_to_knee"), Value::Missing(_)));
    let flat = flat_table([("a.json", &found), ("b.json", &found)].into_iter());
    assert_eq!(flat.columns[..7].iter().map(|column| column.id).collect::<Vec<_>>(), kept);
    let ids: Vec<_> = flat.columns.iter().map(|column| column.id).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
    assert!(flat.rows.iter().all(|row| row.len() == ids.len()));
    assert_eq!(
        (cell(&flat, 2, "input"), cell(&flat, 0, "device")),
        (&"b.json".into(), &"SM90 Example".into())
    );
    assert_eq!(flat_table(std::iter::empty()).rows.len(), 0);
}
