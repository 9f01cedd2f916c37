//! Files of every form, and files that are none.

use std::path::Path;

use eaves_roofline::device::{self, Confidence, FileError};
use eaves_roofline::{Arithmetic, Counts, Device, Engine, Roof};
use proptest::prelude::*;

use super::{close, data};

fn parse(text: &str) -> Result<Vec<Device>, FileError> {
    device::parse(text, Path::new("peaks.yaml"))
}

fn one(text: &str) -> Device {
    let mut devices = parse(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(devices.len(), 1);
    devices.remove(0)
}

fn read(name: &str) -> Option<Device> {
    // What follows `#` names a device of the file.
    data(name.split('#').next()?)?;
    let path = data("")?.join(name);
    Some(device::read(&path).unwrap_or_else(|error| panic!("{error}")))
}

fn peak(device: &Device, key: &str) -> f64 {
    device.peak_by_key(key).unwrap_or_else(|| panic!("no {key}")).dense.value
}

fn bandwidth(device: &Device) -> f64 {
    device.main_memory().and_then(|memory| memory.bandwidth.as_ref()).map_or(f64::NAN, |fact| fact.value)
}

/// The sample of tprof-roofline, with its values from the description of that tool.
const OLD: &str = r#"
name: "SM90 Example"
hbm_bw_GBps: 1000.0
compute_peaks_GFLOPs:
  fp32: 82000.0
  bf16_tensor: 220000.0
  fp16_tensor: 240000.0
  posit16_tensor: 7.5
links:
  - name: "NVLink4 per-link"
    bw_GBps: 50.0
  - {name: "PCIe Gen5 x16", bw_GBps: 64.0}
"#;

#[test]
fn old_files_load_unchanged() {
    let device = one(OLD);
    assert_eq!((device.name.as_str(), bandwidth(&device)), ("SM90 Example", 1e12));
    assert_eq!((peak(&device, "fp32"), peak(&device, "bf16_tensor")), (8.2e13, 2.2e14));
    let links: Vec<_> = device.links.iter().map(|link| (link.name.as_str(), link.total())).collect();
    assert_eq!(links, [("NVLink4 per-link", 50e9), ("PCIe Gen5 x16", 64e9)]);
    let knee = |arithmetic, engine| Roof::new(&device, Some(arithmetic), engine).knee();
    assert_eq!(knee(Arithmetic::Fp32, Engine::Vector), Some(82.0));
    assert_eq!(knee(Arithmetic::Bf16, Engine::Matrix), Some(220.0));
    assert_eq!(knee(Arithmetic::Fp16, Engine::Matrix), Some(240.0));
    // FP16 on the vector units is computed as FP32; a type that the file does not have has no roof.
    assert_eq!(knee(Arithmetic::Fp16, Engine::Vector), Some(82.0));
    assert_eq!(knee(Arithmetic::Int8, Engine::Matrix), None);
    // A key that is not a type is kept and used by name.
    assert_eq!(peak(&device, "POSIT16_tensor"), 7.5e9);
    let source = &device.peaks[0].dense.source;
    assert_eq!((source.text.as_str(), source.confidence), ("peaks.yaml", Confidence::Medium));
}

#[test]
fn samples_of_other_tools_load() {
    let Some(device) = read("sources/000/sm90_with_links.yaml") else { return };
    assert_eq!((bandwidth(&device), peak(&device, "fp16_tensor"), device.links.len()), (1e12, 2.4e14, 3));
    assert_eq!(device.links[2].total(), 50e9);
    let device = read("sources/000/peaks_auto_fallback_template.yaml").unwrap();
    assert_eq!(
        (device.name.as_str(), bandwidth(&device), peak(&device, "fp32")),
        ("Auto Device", 9e11, 6e13)
    );
    let device = read("sources/000/superbench_example_peaks.yaml").unwrap();
    assert_eq!((device.name.as_str(), bandwidth(&device)), ("example-sm90", 3e12));
    assert_eq!(device.peak(Arithmetic::Fp16, Engine::Matrix).unwrap().dense.value, 9e13);
    let device = read("sources/000/tprof_peaks_sample.yaml#sm90").unwrap();
    assert_eq!((device.id.as_str(), bandwidth(&device), peak(&device, "any")), ("sm90", 3e12, 2e14));
    let device = read("tracelens/arch/MI300X.json").unwrap();
    assert_eq!(
        (bandwidth(&device), peak(&device, "matrix_bf16"), peak(&device, "vector_fp32")),
        (5.3e12, 7.08e14, 8.1e13)
    );
    assert_eq!(device.main_memory().unwrap().size.as_ref().unwrap().value, 192e9);
    assert_eq!(device.peak(Arithmetic::Fp8, Engine::Matrix).unwrap().dense.value, 1.273e15);
    let device = read("tracelens/arch/MI325X.json").unwrap();
    assert_eq!((bandwidth(&device), peak(&device, "fp8_matrix")), (6e12, 1.519e15));
    let device = read("sources/001/backend_hardware_registry.json#b10").unwrap();
    assert_eq!((device.name.as_str(), bandwidth(&device)), ("NVIDIA GB10 Grace Blackwell (GX10)", 287e9));
    assert_eq!(device.peak(Arithmetic::Int4, Engine::Matrix).unwrap().dense.value, 2.48e14);
}

#[test]
fn a_file_of_several_devices_wants_a_name() {
    let Some(folder) = data("sources/000") else { return };
    let path = folder.join("tprof_peaks_sample.yaml");
    let error = device::read(&path).unwrap_err();
    assert!(
        error.cause.contains("sm80, sm90, gb200") && error.hint.contains("tprof_peaks_sample.yaml#sm80 or "),
        "{error}"
    );
    let error = device::read(&folder.join("tprof_peaks_sample.yaml#sm70")).unwrap_err();
    assert!(error.cause.contains("no device `sm70`"), "{error}");
}

#[test]
fn the_unit_of_a_vendors_peak_is_the_users_choice() {
    let Some(device) = read("sources/002/roofline_config_default_seed.json") else { return };
    let roof = Roof::new(&device, Some(Arithmetic::Int8), Engine::Matrix);
    assert_eq!((roof.knee(), roof.counts()), (Some(640.0), Counts::Operations));
    let roof = Roof::new(&device.counting(Counts::Macs), Some(Arithmetic::Fp16), Engine::Matrix);
    assert_eq!((roof.knee(), roof.counts()), (Some(640.0), Counts::Macs));
}

/// 1 MAC is 2 operations: a vendor's 32 TOPS are 16 T multiply-adds, unless the file or the user says otherwise.
#[test]
fn the_unit_of_a_peak_is_declared() {
    let device = one(r#"{"peak_tops": 32.0, "mem_bw": 50.0, "mem_thresh": 40, "peak_unit": "macs"}"#);
    assert_eq!(device.peaks[0].counts, Counts::Macs);
    let error = parse(r#"{"peak_tops": 32.0, "mem_bw": 50.0, "peak_unit": "tops"}"#).unwrap_err();
    assert_eq!(error.hint, "use `ops` or `macs`");
    let device = one(
        "name: npu\nhbm_bw_GBps: 50\ncompute_peaks_TMACs: {int8_matrix: 16}\ncompute_peaks_TFLOPs: {fp16_matrix: 8}",
    );
    assert_eq!((device.peaks[0].counts, device.peaks[0].dense.value), (Counts::Macs, 16e12));
    assert_eq!((device.peaks[1].counts, device.peaks[1].dense.value), (Counts::Operations, 8e12));
}

/// What tprof-roofline maps onto its peaks file.
#[test]
fn output_of_tprof_peaks_loads() {
    let device = one(r#"{"device": {"name": "Test GPU"}, "memory": {"hbm_bw_GBps": 900.5},
            "compute": {"fp32": 60000, "bf16_tensor": 100000, "int8": null},
            "links": [{"name": "NVLink (per-link)", "bw_GBps": 50}]}"#);
    assert_eq!(
        (device.name.as_str(), device.id.as_str(), bandwidth(&device)),
        ("Test GPU", "test-gpu", 900.5e9)
    );
    assert_eq!((peak(&device, "bf16_tensor"), device.peaks.len(), device.links[0].total()), (1e14, 2, 50e9));
}

#[test]
fn sources_are_inherited_and_overridden() {
    let device = one("name: X
source: the datasheet
confidence: high
clock_MHz: 1500
units: {value: 10, source: a photo, confidence: low}
compute_peaks_TFLOPs:
  source: a benchmark
  confidence: measured
  fp32_vector: 1.5
  fp16_matrix: {value: 12, source: a talk}
  bf16_matrix: 0
sparse_peaks_TFLOPs:
  fp16_matrix: 24
memory:
  - {id: hbm, name: HBM9, bw_GBps: 100, size_GB: 8}
  - {id: l2, size_MiB: 2, source: a photo}
links:
  - {name: wire, bw_GBps: 2.5, count: 4, aliases: [cable], kind: host, confidence: low}
");
    let told = |fact: &device::Fact| (fact.value, fact.source.text.clone(), fact.source.confidence.id());
    assert_eq!(told(device.clock.as_ref().unwrap()), (1.5e9, "the datasheet".into(), "high"));
    assert_eq!(told(device.units.as_ref().unwrap()), (10.0, "a photo".into(), "low"));
    assert_eq!(told(&device.peaks[0].dense), (1.5e12, "a benchmark".into(), "measured"));
    assert_eq!(told(&device.peaks[1].dense), (1.2e13, "a talk".into(), "measured"));
    assert_eq!(told(device.peaks[1].sparse.as_ref().unwrap()), (2.4e13, "the datasheet".into(), "high"));
    assert_eq!(device.peaks.len(), 2, "a rate of zero is no rate");
    assert_eq!(told(device.memory[1].size.as_ref().unwrap()), (2_097_152.0, "a photo".into(), "high"));
    assert_eq!(device.memory[1].name, "L2");
    assert_eq!(told(&device.links[0].per_direction), (2.5e9, "the datasheet".into(), "low"));
    assert!(close(device.links[0].total(), 1e10));
}

/// Documents are named once, for all devices of a file, and numbers refer to them by id.
#[test]
fn numbers_name_their_documents_by_id() {
    let devices = parse("sources:
  sheet: {title: EX1 datasheet, where: table 2, address: \"https://example.org/ex1\", confidence: high}
  talk: {title: A talk}
devices:
  - id: a
    name: A
    source: sheet
    units: {value: 2, source: unverified}
    compute_peaks_TFLOPs: {source: talk, fp16_matrix: 12, fp8_matrix: {value: 24, source: sheet, confidence: low}}
    memory:
      - {id: hbm, bw_GBps: 100}
      - {id: l2, source: a photo, size_MiB: 2}
  - {id: b, name: B, source: unverified, hbm_bw_GBps: 5}
")
    .unwrap();
    let told = |fact: &device::Fact| (fact.source.text.clone(), fact.source.confidence.id());
    let sheet = "EX1 datasheet, table 2, https://example.org/ex1".to_owned();
    let unverified = ("no public document found".to_owned(), "unverified");
    let [a, b] = devices.as_slice() else { panic!("{devices:?}") };
    assert_eq!(told(a.units.as_ref().unwrap()), unverified);
    assert_eq!(told(&a.peaks[0].dense), ("A talk".to_owned(), "medium"));
    assert_eq!(told(&a.peaks[1].dense), (sheet.clone(), "low"));
    assert_eq!(told(a.memory[0].bandwidth.as_ref().unwrap()), (sheet, "high"));
    // A text that is not an id is a source by itself.
    assert_eq!(told(a.memory[1].size.as_ref().unwrap()), ("a photo".to_owned(), "high"));
    assert_eq!(told(b.memory[0].bandwidth.as_ref().unwrap()), unverified);
    assert_eq!(parse(&device::to_yaml(&devices)).unwrap(), devices);
}

/// Line, cause and hint of everything that can be wrong.
#[test]
fn errors_name_the_line() {
    let head = "name: X\nhbm_bw_GBps: 100\n";
    for (text, line, cause, hint) in [
        ("", 1, "empty", ""),
        ("- 1\n", 1, "must be a map, not a list", ""),
        ("just words", 1, "not `just words`", ""),
        ("name: [1\nx: 2\n", 2, "not YAML", ""),
        ("name: X\nx: y: 2\n", 2, "not YAML", ""),
        ("hbm_bw_GBps: 100\n", 1, "no `name`", "hbm_bw_GBps"),
        ("name: X\n", 1, "neither a peak nor a bandwidth", "compute_peaks_GFLOPs"),
        ("name: X\nhbm_bw_GBps: fast\n", 2, "`fast` is no amount", "omit"),
        ("name: X\nhbm_bw_GBps: -5\n", 2, "`-5` is no amount", ""),
        ("name: X\nhbm_bw_GBps: .inf\n", 2, "`.inf` is no amount", ""),
        ("name: X\nhbm_bw_GBps: NaN\n", 2, "`NaN` is no amount", ""),
        ("name: X\nhbm_bw_gbps: 5\n", 2, "unknown key `hbm_bw_gbps`", "`hbm_bw_GBps`"),
        ("name: X\nname: Y\n", 2, "duplicate key `name`, first in line 1", ""),
        ("name: X\ncompute_peak_GFLOPs: {}\n", 2, "unknown key", "`compute_peaks_GFLOPs`"),
        ("name: X\ncompute_peaks_bogus: {a: 1}\n", 2, "has no unit suffix", "TMACs"),
        ("name: X\ncompute_peaks_TFLOPs: 5\n", 2, "must be a map", ""),
        ("name: X\ncompute_peaks_TFLOPs:\n  fp16: [1]\n", 3, "a list is no amount", ""),
        ("name: X\nsparse_peaks_TFLOPs:\n  fp16: 1\n", 3, "needs a dense one", "compute_peaks_"),
        ("name: X\ncompute_peaks_TFLOPs: {a: 1}\ncompute_peaks_TOPs: {a: 1}\n", 3, "another unit", ""),
        ("name: X\nconfidence: sure\n", 2, "no confidence", "measured"),
        ("name: X\nunits: {source: y}\n", 2, "needs a `value`", ""),
        ("name: X\nmemory:\n  - name: y\n", 3, "needs an `id`", ""),
        ("name: X\nmemory: 5\n", 2, "must be a list", ""),
        ("name: X\nlinks:\n  - name: y\n", 3, "no `bw_GBps`", "omit the link"),
        ("name: X\nlinks:\n  - name: y\n    bw_GBps: 1\n    count: 0\n", 5, "not a number of links", ""),
        ("name: X\nlinks:\n  - {bw_GBps: 1, kind: tube}\n", 3, "not a link kind", "scale-up"),
        ("name: X\naliases: y\n", 2, "must be a list", ""),
        ("a: &x 1\nb: *x\n", 2, "references", ""),
        ("name: X\nhbm_bw_GBps: 1\n---\nname: Y\n", 3, "second document", "devices:"),
        ("devices: {}\n", 1, "names no device", ""),
        ("devices:\n  a: {peak_flops: x}\n", 2, "`x` is no amount", ""),
        ("devices:\n  a: 5\n", 2, "a device must be a map", ""),
        ("? [a]\n: b\n", 1, "a key must be a string", ""),
        ("name: X\nsources: y\n", 2, "must be a map from ids to documents", ""),
        ("name: X\nsources:\n  a: {where: y}\n", 3, "the source `a` needs a `title`", "address"),
        ("name: X\nsources:\n  a: {title: t, adress: y}\n", 3, "unknown key `adress`", "`address`"),
        ("name: X\nsources:\n  unverified: {title: t}\n", 3, "cannot be the id of a source", ""),
    ] {
        let error = parse(text).expect_err(text);
        assert!(error.cause.contains(cause), "{text:?}: {error}");
        assert_eq!(error.line, Some(line), "{text:?}: {error}");
        assert!(error.hint.contains(hint) && !error.hint.is_empty(), "{text:?}: {}", error.hint);
        assert_eq!(error.to_string(), format!("peaks.yaml:{line}: {}", error.cause));
    }
    // Keys of others are left alone.
    one(&format!("{head}mood: fine\nx-notes: [1, 2]\n"));
    one(&format!("\u{feff}{head}"));
    one(&head.replace('\n', "\r\n"));
}

#[test]
fn files_that_cannot_be_read_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let error = device::read(&folder.path().join("absent.yaml")).unwrap_err();
    assert!(error.line.is_none() && error.cause.contains("cannot be read"), "{error}");
    let latin = folder.path().join("latin.yaml");
    std::fs::write(&latin, b"name: caf\xe9\n").unwrap();
    assert!(device::read(&latin).unwrap_err().cause.contains("not UTF-8"));
    let large = folder.path().join("large.json");
    std::fs::File::create(&large).unwrap().set_len(5 << 20).unwrap();
    assert!(device::read(&large).unwrap_err().cause.contains("too large"));
    device::read(folder.path()).unwrap_err();
}

/// Fragments that make trees of every shape, most of them wrong.
fn soup() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "name",
        "hbm_bw_GBps",
        "compute_peaks_TFLOPs",
        "sparse_peaks_TOPs",
        "memory",
        "links",
        "devices",
        "peak_tops",
        "mem_bw",
        "device",
        "compute",
        "max_achievable_tflops",
        "peak_flops_tflops",
        "source",
        "confidence",
        "value",
        "fp16_matrix",
        "bw_GBps",
        "id",
        "count",
        ": ",
        ":\n  ",
        "\n",
        "\n- ",
        "  - ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        "\"",
        "'",
        "1",
        "-1",
        "1e400",
        "0",
        "high",
        "~",
        "&a",
        "*a",
        "!!map",
        "|",
        ">",
        "#",
        "---",
        "?",
        "%",
        "\t",
        "é",
        "\0",
    ]);
    prop::collection::vec(word, 0..60).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_text_makes_the_reader_panic(text in soup()) {
        drop(parse(&text));
    }

    #[test]
    fn no_bytes_make_the_reader_panic(text in any::<String>()) {
        drop(parse(&text));
    }

    /// One character of a good file changed: still read, or an error with a line of the file.
    #[test]
    fn damage_is_named(at in 0..OLD.len(), by in any::<char>()) {
        let text: String =
            OLD.char_indices().map(|(index, c)| if index == at { by } else { c }).collect();
        if let Err(error) = parse(&text) {
            let line = error.line.unwrap_or_default();
            prop_assert!((1..=text.lines().count() + 1).contains(&line), "{error}");
        }
    }
}

/// The figures that are known of both: MI300X with ROCm 7.1, MI210 with ROCm 6 and its misspelt columns.
#[test]
fn measured_roofs_of_rocprof_compute() {
    let folder = "formats/amd/rocprof_compute";
    let Some(device) = read(&format!("{folder}/bmm1_MI300X_A1_rocm7.1/roofline.csv")) else { return };
    let levels: Vec<(&str, f64)> = device
        .memory
        .iter()
        .map(|level| (level.id.as_str(), (level.bandwidth.as_ref().unwrap().value / 1e9).round()))
        .collect();
    let expected = [("hbm", 4244.0), ("llc", 6422.0), ("l2", 25346.0), ("l1", 32965.0), ("lds", 73037.0)];
    assert_eq!(levels, expected);
    for (key, expected) in [
        ("fp32_vector", 127.4),
        ("fp64_vector", 104.6),
        ("fp16_matrix", 916.3),
        ("bf16_matrix", 516.5),
        ("fp8_matrix", 1868.0),
        ("int8_matrix", 977.1),
    ] {
        assert!((peak(&device, key) / 1e12 - expected).abs() < 0.05, "{key}: {}", peak(&device, key));
    }
    // 0 is what it does not have.
    assert!(device.peak_by_key("fp4_matrix").is_none());
    assert!(device.facts().iter().all(|fact| fact.source.confidence == Confidence::Measured));
    let other = read(&format!("{folder}/bmm1_MI300X_A1_rocm7.1/roofline.csv#1")).unwrap();
    assert_eq!((other.id.as_str(), (bandwidth(&other) / 1e9).round()), ("1", 4256.0));
    let older = read(&format!("{folder}/tests_workloads/vcopy/MI200/roofline.csv")).unwrap();
    assert_eq!((bandwidth(&older) / 1e9).round(), 1389.0);
    assert_eq!((peak(&older, "int8_matrix") / 1e9).round(), 166402.0);
    assert!(older.memory.iter().all(|level| level.id != "llc"));
}

#[test]
fn a_table_of_roofs_without_rows_or_rates_is_an_error() {
    let header = "device,HBMBw,L2Bw,FP32Flops\n";
    let problem =
        |rows: &str| device::parse(&format!("{header}{rows}"), Path::new("roofline.csv")).unwrap_err();
    assert_eq!((problem("").line, problem("").cause.as_str()), (Some(1), "no device in it"));
    assert_eq!((problem("0,x,,0\n").line, problem("0\n").cause.as_str()), (Some(2), "the row has no rates"));
}

/// What a level was measured to do next to reading is read, counted among the facts, and the same after it was written;
/// files without it load as before.
#[test]
fn traffic_of_a_level_is_read_and_written() {
    let text = "
name: EX1
source: measured here
confidence: measured
memory:
  - {id: hbm, bw_GBps: 25.6, write_GBps: 12, copy_GBps: 18.5, triad_GBps: 20}
  - {id: l2, bw_GBps: 100}
";
    let device = one(text);
    let values = |index: usize| {
        let level = &device.memory[index];
        [&level.bandwidth, &level.write, &level.copy, &level.triad]
            .map(|rate| rate.as_ref().map(|fact| fact.value))
    };
    assert_eq!(values(0), [Some(25.6e9), Some(12e9), Some(18.5e9), Some(20e9)]);
    assert_eq!(values(1), [Some(100e9), None, None, None]);
    assert_eq!(device.facts().len(), 5);
    assert_eq!(one(&device::to_yaml(std::slice::from_ref(&device))), device);
}

/// The third roof: rates by their names, each with its source, and the same after it was written.
#[test]
fn rates_are_read_and_written() {
    let text = "
name: EX1
source: measured here
confidence: measured
hbm_bw_GBps: 25.6
rates:
  - {id: exp, G_per_s: 3.8}
  - id: dequantise mxfp4/int8
    G_per_s: {value: 29, source: elsewhere, confidence: low}
  - {id: nothing, G_per_s: 0}
";
    let device = one(text);
    assert_eq!(device.rate("exp").unwrap().value, 3.8e9);
    assert_eq!(device.rate("exp").unwrap().source.confidence, Confidence::Measured);
    let mxfp4 = device.rate("dequantise mxfp4/int8").unwrap();
    assert_eq!((mxfp4.value, mxfp4.source.text.as_str()), (29e9, "elsewhere"));
    assert_eq!(device.rate("nothing"), None);
    assert_eq!(one(&device::to_yaml(std::slice::from_ref(&device))), device);
    assert!(one(OLD).rates.is_empty());

    let base = "name: EX1\nhbm_bw_GBps: 1\nrates:\n";
    for (rates, cause) in [
        ("  - {G_per_s: 1}\n", "needs an `id`"),
        ("  - {id: exp, G_per_s: 1}\n  - {id: exp, G_per_s: 2}\n", "duplicate rate `exp`"),
        ("  - {id: exp, g_per_s: 1}\n", "unknown key"),
        ("  - {id: exp, G_per_s: -1}\n", "no amount"),
    ] {
        let error = parse(&format!("{base}{rates}")).unwrap_err();
        assert!(error.cause.contains(cause), "{error}");
    }
    assert!(parse("name: EX1\nhbm_bw_GBps: 1\nrates: {exp: 1}\n").is_err());
}
