//! What the documents of the tools that eaves takes over from promise, at the door where their users come in.

use std::path::Path;

use serde_json::Value;

use crate::support::{Answer, run};

const PEAKS: &str = "name: Example\nhbm_bw_GBps: 1000\ncompute_peaks_GFLOPs: {fp32: 82000, bf16_tensor: 220000}\n\
links:\n  - {name: NVLink4 per-link, bw_GBps: 50}\n  - {name: PCIe Gen5 x16, bw_GBps: 64}\n  - {name: 400G NIC (1 dir), bw_GBps: 50}\n";
const EVENTS: &str = r#"{"events": [
    {"type": "compute", "name": "gemm", "flops": 1e9, "dram_bytes": 1e9, "dur_us": 2000, "dtype_key": "bf16_tensor"},
    {"type": "a2a", "name": "bucket", "bytes": 1e9, "dur_us": 30000, "link": "NVLink4"},
    {"type": "p2p", "name": "stage", "bytes": 5e8, "dur_us": 15000, "link": "PCIe Gen5 x16"},
    {"type": "comm", "name": "scatter", "bytes": 2e9, "dur_us": 50000, "link": "400G NIC"}
]}"#;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn ok(folder: &Path, arguments: &[&str]) -> Answer {
    let answer = run(folder, arguments);
    assert_eq!(answer.code, Some(0), "{arguments:?}: {answer:?}");
    answer
}

/// The rows of a table of the first roofline, by column.
fn points(folder: &Path, arguments: &[&str]) -> Vec<serde_json::Map<String, Value>> {
    let answer = ok(folder, &[&["roofline"], arguments, &["--json"]].concat());
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let tables = document["sections"][0]["tables"].as_array().unwrap();
    let table = tables.iter().find(|table| table["id"] == "points").unwrap();
    let ids: Vec<&str> =
        table["columns"].as_array().unwrap().iter().map(|column| column["id"].as_str().unwrap()).collect();
    let row = |row: &Value| {
        let cells = row.as_array().unwrap().iter().cloned();
        ids.iter().map(|&id| id.to_owned()).zip(cells).collect()
    };
    table["rows"].as_array().unwrap().iter().map(row).collect()
}

/// Texts of a drawing that stand at a place: class, distance from above, and what they say.
fn texts(drawing: &str) -> Vec<(&str, f64, &str)> {
    drawing
        .split("<text ")
        .skip(1)
        .filter_map(|text| {
            let (attributes, said) = text.split_once('>')?;
            let value =
                |name: &str| Some(attributes.split_once(name)?.1.split('"').next().unwrap_or_default());
            Some((value("class=\"")?, value(" y=\"")?.parse().ok()?, said.split("</text>").next()?))
        })
        .collect()
}

#[test]
fn pictures_of_links_name_every_link_and_end_inside() {
    let folder = folder(&[("peaks.yaml", PEAKS), ("events.json", EVENTS)]);
    ok(folder.path(), &["roofline", "events.json", "--peaks", "peaks.yaml", "-o", "chart.svg"]);
    let drawing = std::fs::read_to_string(folder.path().join("chart.svg")).unwrap();
    let height: f64 = drawing.split(" height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
    let texts = texts(&drawing);
    // Every text with what hangs below its line, the sources of all three links among them.
    for (_, y, said) in &texts {
        assert!(y + 3.0 < height, "{said} at {y} of {height}");
    }
    let sources: Vec<&str> =
        texts.iter().filter(|(class, ..)| class.contains("small")).map(|text| text.2).collect();
    for link in ["NVLink4 per-link", "PCIe Gen5 x16", "400G NIC (1 dir)"] {
        assert!(sources.iter().any(|said| said.contains(&format!("{link}: peaks.yaml"))), "{sources:?}");
    }
    // Two links of one bandwidth: each has its name, in its own color, and its share of the line.
    for (class, name) in [
        ("t0", "NVLink4 per-link 50 GB/s"),
        ("t1", "PCIe Gen5 x16 64 GB/s"),
        ("t2", "400G NIC (1 dir) 50 GB/s"),
    ] {
        assert!(texts.iter().any(|text| text.0.ends_with(class) && text.2 == name), "{name}: {texts:?}");
    }
    for class in ["n0 limit", "n2 limit"] {
        let line =
            drawing.split(&format!("class=\"{class}\" d=\"")).nth(1).unwrap().split('"').next().unwrap();
        assert!(line.matches('M').count() > 3, "{class}: {line}");
    }
}

/// The page has what the picture has: data that its program starts from.
#[test]
fn pages_have_the_colours_that_were_asked_for() {
    let folder = folder(&[("peaks.yaml", PEAKS), ("events.json", EVENTS)]);
    let page = |options: &[&str]| {
        let arguments = ["roofline", "events.json", "--peaks", "peaks.yaml", "-o", "page.html"];
        ok(folder.path(), &[&arguments[..], options].concat());
        let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
        let settings =
            page.split("id=\"eaves-settings\">").nth(1).and_then(|rest| rest.split("</script>").next());
        settings.map(|text| serde_json::from_str::<Value>(text).unwrap())
    };
    assert_eq!(page(&[]), None);
    let asked = page(&["--palette", "classic", "--color-by", "dtype", "--theme", "dark"]).unwrap();
    let expected =
        serde_json::json!({"theme": "dark", "roofline.colour": "dtype", "roofline.palette": "classic"});
    assert_eq!(asked, expected);
}

/// 1 GB in 2 ms are 500 GB/s of 1000: without operations there is a share of the bandwidth, and no error.
#[test]
fn rows_of_bytes_and_time_have_the_roof_of_memory() {
    let rows = "name,dram_bytes,time_ms\ncopy,1e9,2\nquick,9e8,1\n";
    let folder = folder(&[("peaks.yaml", PEAKS), ("kernels.csv", rows)]);
    let found = points(folder.path(), &["kernels.csv", "--device", "peaks.yaml"]);
    let shares: Vec<f64> = found.iter().map(|row| row["pct_of_roof"].as_f64().unwrap()).collect();
    assert!((shares[0] - 50.0).abs() < 1e-9 && (shares[1] - 90.0).abs() < 1e-9, "{shares:?}");
    assert_eq!(found[0]["flops"], Value::Null);
    assert_eq!([&found[0]["status"], &found[1]["status"]], ["Normal", "Memory Bound"]);
    assert_ne!(found[0]["bound_by"], Value::Null);
}

/// What neither computes nor moves has no class, and that is not a fault of the device.
#[test]
fn a_row_of_zeros_says_what_it_lacks() {
    let rows = "name,flops,dram_bytes,time_ms,dtype_key\nnothing,0,0,0,fp32\n";
    let folder = folder(&[("peaks.yaml", PEAKS), ("kernels.csv", rows)]);
    let answer = ok(folder.path(), &["roofline", "kernels.csv", "--device", "peaks.yaml", "--json"]);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let tables = document["sections"][0]["tables"].as_array().unwrap();
    let missing = &tables.iter().find(|table| table["id"] == "points").unwrap()["missing"];
    for column in ["class", "bound_by", "roof_gflops"] {
        assert_eq!(missing[column], "no operations and no bytes", "{missing}");
    }
}

/// 8 x 8 x 8 in INT8 must move 192 bytes; 100 were measured.
#[test]
fn fewer_bytes_than_must_be_moved_are_told() {
    let commands = r#"[{"type": "ID_MM", "name": "mm", "data_type": "INT8", "input_mat1": [8, 8], "input_mat2": [8, 8], "hw_bytes": 100, "time_ns": 400}]"#;
    let folder = folder(&[("commands.json", commands), ("npu.json", r#"{"peak_tops": 32, "mem_bw": 50}"#)]);
    let arguments = ["roofline", "commands.json", "--config", "npu.json"];
    let answer = ok(folder.path(), &[&arguments[..], &["--json"]].concat());
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let findings = document["sections"][0]["findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["id"] == "too_few_bytes").unwrap();
    assert!(finding["claim"].as_str().unwrap().contains("192%"), "{finding}");
    assert!(ok(folder.path(), &arguments).stdout.contains("fewer bytes than the operands have"));
}

/// A configuration next to NPU commands is taken and named, as formulas are; what it does not know is said.
#[test]
fn the_configuration_beside_commands_is_taken() {
    let commands = r#"[{"type": "ID_MM", "name": "mm", "data_type": "INT8", "input_mat1": [8, 8], "input_mat2": [8, 8], "time_ns": 400}]"#;
    let config = r#"{"peak_topz": 3, "peak_tops": 32, "mem_bw": 50, "comp_thresh": 40}"#;
    let folder = folder(&[("commands.json", commands), ("roofline_config.json", config)]);
    let beside = ok(folder.path(), &["roofline", "commands.json", "--json"]);
    assert!(beside.stderr.contains("note: peaks and thresholds from roofline_config.json"), "{beside:?}");
    assert!(beside.stderr.contains("unknown key `peak_topz`; did you mean `peak_tops`?"), "{beside:?}");
    let named =
        ok(folder.path(), &["roofline", "commands.json", "--config", "roofline_config.json", "--json"]);
    assert_eq!(beside.stdout, named.stdout);
    // What was typed wins.
    std::fs::write(folder.path().join("other.json"), r#"{"peak_tops": 1, "mem_bw": 1}"#).unwrap();
    let other = ok(folder.path(), &["roofline", "commands.json", "--device", "other.json", "--json"]);
    assert!(other.stderr.is_empty() && other.stdout != named.stdout, "{other:?}");
}

/// The form of other tools, which name a script where a program belongs: what to type is said word for word.
#[test]
fn a_script_without_its_interpreter_is_told_from_a_recording() {
    let folder = folder(&[("train.py", "print(1)\n")]);
    for (words, hint) in [
        (&["profile", "train.py"][..], "`eaves profile -- python train.py`"),
        (&["memory", "train.py", "-o", "memory.json"], "`eaves memory -o memory.json -- python train.py`"),
        (&["compile", "--details", "train.py"], "`eaves compile --details -- python train.py`"),
    ] {
        let answer = run(folder.path(), words);
        assert_eq!(answer.code, Some(2), "{answer:?}");
        assert!(
            answer.stderr.contains("train.py is a program") && answer.stderr.contains(hint),
            "{answer:?}"
        );
    }
}

/// A time without a unit is seconds where other tools have it so.
#[cfg(unix)]
#[test]
fn a_timeout_is_in_seconds() {
    let folder = folder(&[]);
    for timeout in ["300", "0.5", "300s"] {
        let arguments = ["profile", "--with", "rocprof", "--dry-run", "--timeout", timeout, "--", "true"];
        let answer = run(folder.path(), &arguments);
        assert_eq!(answer.code, Some(0), "{answer:?}");
    }
    let answer = run(folder.path(), &["profile", "--dry-run", "--timeout", "fast", "--", "true"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
}

/// The first example of one of these documents: profiler columns without units, with the form named or detected.
#[test]
fn a_table_of_nsight_is_a_roofline() {
    let table =
        "Name,dram__bytes.sum,flop_count_sp,Duration\ngemm,3.5e10,2.2e12,8.0\nsoftmax,1.8e10,2.0e11,3.0\n";
    let folder = folder(&[("nsight_min.csv", table), ("sm90.yaml", PEAKS)]);
    let detected = points(folder.path(), &["nsight_min.csv", "--peaks", "sm90.yaml"]);
    let named = points(folder.path(), &["nsight_min.csv", "--from", "nsight", "--peaks", "sm90.yaml"]);
    assert_eq!(detected, named);
    let row = |row: &serde_json::Map<String, Value>| {
        ["flops", "bytes", "time_ns"].map(|column| row[column].as_f64().unwrap())
    };
    assert_eq!(row(&detected[0]), [2.2e12, 3.5e10, 8e6]);
    assert_eq!(row(&detected[1]), [2e11, 1.8e10, 3e6]);
}

/// A misspelled column is named where its numbers are missed, and what was not counted is no zero.
#[test]
fn misspelled_columns_are_named() {
    let rows = "name,flps,dram_bytes,time_ms\nk,1e9,1e9,2\n";
    let folder = folder(&[("kernels.csv", rows), ("peaks.yaml", PEAKS)]);
    let arguments = ["roofline", "kernels.csv", "--device", "peaks.yaml"];
    let said = ok(folder.path(), &[&arguments[..], &["--json"]].concat()).stdout;
    assert!(said.contains("unknown column `flps`; did you mean `flops`?"), "{said}");
    let shown = ok(folder.path(), &[&arguments[..], &["--full"]].concat()).stdout;
    assert!(!shown.contains(" 0.00 FLOP"), "{shown}");
}

/// Entry 12 of a list is damaged, which is not at the beginning of the file.
#[test]
fn damage_of_an_entry_is_told_with_its_place() {
    let good = r#"{"type": "ID_MM", "name": "mm", "data_type": "INT8", "input_mat1": [8, 8], "input_mat2": [8, 8], "time_ns": 400}"#;
    let text = format!("[{}, 7, {good}]", [good; 11].join(", "));
    let folder = folder(&[("commands.json", &text)]);
    let answer = ok(folder.path(), &["roofline", "commands.json", "--json"]);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let [warning] = document["warnings"].as_array().unwrap().as_slice() else { panic!("{document}") };
    assert_eq!(warning["first_offset"].as_u64(), text.find(" 7,").map(|at| at as u64 + 1), "{warning}");
}

/// 120 kernels of 5 us, then one of 5 ms: it is named, and it counts: 5.6 of 6.2 ms.
#[test]
fn a_long_kernel_counts() {
    let kernel = |start: u32, duration: u32| {
        format!(
            r#"{{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": {start}, "dur": {duration}, "args": {{"device": 0, "stream": 7}}}}"#
        )
    };
    let kernels: Vec<String> = (0..120).map(|at| kernel(10 * at, 5)).chain([kernel(1200, 5000)]).collect();
    let text = format!(r#"{{"schemaVersion": 1, "traceEvents": [{}]}}"#, kernels.join(",\n"));
    let folder = folder(&[("trace.json", &text)]);
    let answer = ok(folder.path(), &["hta", "trace.json", "--strict", "--json"]);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let numbers = document["sections"][0]["numbers"].as_array().unwrap();
    let number = |id: &str| {
        numbers.iter().find(|number| number["id"] == id).and_then(|number| number["value"].as_f64()).unwrap()
    };
    assert_eq!(number("span_ns"), 6.2e6);
    assert!((number("compute_pct") - 100.0 * 5.6 / 6.2).abs() < 1e-9, "{numbers:?}");
}
