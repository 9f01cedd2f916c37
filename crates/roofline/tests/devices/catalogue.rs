//! The catalog against a table of published figures and against figures worked out by hand.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use eaves_roofline::device::{self, Confidence, Fact, LinkKind};
use eaves_roofline::{Arithmetic, Counts, Device, Engine, Roof};

use super::{close, data};

fn found(id: &str) -> Device {
    device::find(id).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_number_cites_a_document_or_is_unverified() {
    let mut cited = 0;
    for device in device::catalogue() {
        assert!(!device.peaks.is_empty() && device.main_memory().is_some(), "{}", device.id);
        for fact in device.facts() {
            assert!(fact.value > 0.0 && fact.value.is_finite(), "{}: {fact:?}", device.id);
            let address = fact.source.text.contains("http");
            let unverified = fact.source.confidence == Confidence::Unverified;
            assert!(address != unverified, "{}: {fact:?}", device.id);
            cited += usize::from(address);
        }
    }
    assert!(cited > 1300, "{cited}");
}

/// Operations a clock of one unit on the vector units, times units, times clock. Published peaks are rounded, and some
/// vendors take another clock for them than the one they state.
#[test]
fn vector_peaks_are_units_times_rate_times_clock() {
    let rate = |device: &Device| -> Option<f64> {
        let isa = device.isa.as_deref()?;
        Some(match isa {
            "sm_60" | "sm_70" | "sm_75" | "sm_80" => 128.0,
            _ if isa.starts_with("sm_") => 256.0,
            "gfx908" => 128.0,
            "gfx90a" | "gfx942" | "gfx950" | "gfx1100" | "gfx1151" | "gfx1201" | "apple" | "xe_hpc"
            | "xe_hpg" | "xe2_hpg" => 256.0,
            "avx512" | "amx" if device.architecture.as_deref() != Some("Genoa") => 64.0,
            "avx2" | "avx512" | "sve" | "sve2" => 32.0,
            _ => return None,
        })
    };
    // At 1980 MHz; CDNA2 issues one packed operation where its tables count two; their own clock is not stated.
    let apart = |id: &str| {
        ["nvidia-h100-sxm", "nvidia-h200-sxm", "nvidia-gh200-96", "nvidia-gh200-144", "nvidia-gb200"]
            .contains(&id)
            || ["amd-mi210", "amd-mi250", "amd-mi250-gcd", "amd-mi250x", "amd-mi250x-gcd"].contains(&id)
    };
    let mut checked = 0;
    for device in device::catalogue().iter().filter(|device| !apart(&device.id)) {
        let (Some(units), Some(clock), Some(rate)) = (&device.units, &device.clock, rate(device)) else {
            continue;
        };
        let Some(peak) =
            device.peak(Arithmetic::Fp32, Engine::Vector).filter(|peak| peak.key == "fp32_vector")
        else {
            continue;
        };
        let expected = units.value * clock.value * rate;
        let ratio = peak.dense.value / expected;
        assert!((0.97..1.03).contains(&ratio), "{}: {:e} is not {expected:e}", device.id, peak.dense.value);
        checked += 1;
    }
    println!("{checked} vector peaks");
    assert!(checked >= 70, "{checked}");
}

#[test]
fn names_mean_one_device() {
    let mut owners: HashMap<String, &str> = HashMap::new();
    for device in device::catalogue() {
        let plain = |name: &String| name.to_lowercase().replace([' ', '-', '_'], "");
        let names: BTreeSet<String> =
            [&device.id, &device.name].into_iter().chain(&device.aliases).map(plain).collect();
        for name in names {
            if let Some(other) = owners.insert(name.clone(), &device.id) {
                panic!("{name} is {other} and {}", device.id);
            }
        }
        let unique: BTreeSet<_> = device.reports.iter().collect();
        assert_eq!(unique.len(), device.reports.len(), "{}", device.id);
        let keys: BTreeSet<_> = device.peaks.iter().map(|peak| &peak.key).collect();
        assert_eq!(keys.len(), device.peaks.len(), "{}", device.id);
    }
}

#[test]
fn every_key_names_its_type_and_units() {
    for device in device::catalogue() {
        for peak in &device.peaks {
            let (Some(arithmetic), Some(engine)) = (peak.arithmetic, peak.engine) else {
                panic!("{}: {}", device.id, peak.key);
            };
            assert_eq!(peak.key, format!("{arithmetic}_{engine}"), "{}", device.id);
            assert_eq!(peak.counts, Counts::Operations);
            if let Some(sparse) = &peak.sparse {
                let ratio = sparse.value / peak.dense.value;
                // 2:4 sparsity doubles, but not FP4 on Blackwell Ultra; Trainium has 4:16.
                let doubles = !["nvidia-b300", "nvidia-gb300", "aws-trainium2", "aws-trainium3"]
                    .contains(&device.id.as_str());
                let range = if doubles { 1.9..2.1 } else { 1.2..4.0 };
                assert!(range.contains(&ratio), "{}: {} {ratio}", device.id, peak.key);
            }
        }
    }
}

/// Which types columns of the table are; all but the vector ones are of the matrix units.
const PEAKS: [(&str, Arithmetic, Engine); 11] = [
    ("fp64_vec", Arithmetic::Fp64, Engine::Vector),
    ("fp64_mat", Arithmetic::Fp64, Engine::Matrix),
    ("fp32_vec", Arithmetic::Fp32, Engine::Vector),
    ("fp32_mat", Arithmetic::Fp32, Engine::Matrix),
    ("tf32", Arithmetic::Tf32, Engine::Matrix),
    ("fp16", Arithmetic::Fp16, Engine::Matrix),
    ("bf16", Arithmetic::Bf16, Engine::Matrix),
    ("fp8", Arithmetic::Fp8, Engine::Matrix),
    ("int8", Arithmetic::Int8, Engine::Matrix),
    ("fp6", Arithmetic::Fp6, Engine::Matrix),
    ("fp4", Arithmetic::Fp4, Engine::Matrix),
];

/// What the table has otherwise: the catalog follows documents that were read since.
const MENDED: [(&str, &[&str]); 31] = [
    ("amd-mi250x", &["mem_bw_gbs"]),
    ("amd-mi300a", &["tdp_w"]),
    ("apple-m1", &["llc_mb"]),
    ("apple-m1-max", &["mem_bw_gbs"]),
    ("apple-m1-pro", &["mem_bw_gbs"]),
    ("apple-m1-ultra", &["mem_bw_gbs"]),
    ("apple-m2", &["mem_bw_gbs"]),
    ("apple-m2-max", &["mem_bw_gbs"]),
    ("apple-m2-pro", &["mem_bw_gbs"]),
    ("apple-m2-ultra", &["mem_bw_gbs"]),
    ("apple-m3", &["clock_mhz", "fp16", "fp32_vec", "mem_bw_gbs"]),
    ("apple-m3-max", &["clock_mhz", "fp16", "fp32_vec", "mem_bw_gbs"]),
    ("apple-m3-ultra", &["clock_mhz", "fp16", "fp32_vec", "mem_bw_gbs"]),
    ("apple-m4", &["clock_mhz", "fp16", "fp32_vec"]),
    ("apple-m4-max", &["clock_mhz"]),
    ("apple-m4-pro", &["clock_mhz", "fp16", "fp32_vec"]),
    ("google-tpu-v4", &["mem_bw_gbs", "tdp_w"]),
    ("google-tpu-v6e", &["host_gbs_per_dir", "nic_gbit_typical"]),
    ("intel-gaudi2", &["fp32_vec"]),
    ("intel-gaudi3", &["bf16", "clock_mhz", "fp32_mat", "fp8", "mem_bw_gbs", "tf32"]),
    ("intel-max1100", &["l2_mb"]),
    ("intel-max1550", &["mem_bw_gbs"]),
    ("nvidia-a10g", &["fp32_vec", "fp64_vec", "int8", "tdp_w"]),
    ("nvidia-b300", &["fp4", "int8"]),
    ("nvidia-gb10", &["clock_mhz", "fp32_vec", "fp64_vec", "tf32"]),
    ("nvidia-gh200-96", &["mem_bw_gbs", "tdp_w"]),
    ("nvidia-h200-sxm", &["l2_mb"]),
    ("nvidia-l4", &["fp64_vec", "units"]),
    ("nvidia-l40s", &["bf16", "fp16"]),
    ("nvidia-t4", &["fp64_vec"]),
    ("nvidia-v100-sxm2", &["name"]),
];

/// Every cell of the table of published figures.
#[test]
fn the_catalogue_is_the_table() {
    let Some(path) = data("peaks.csv") else { return };
    let mut reader = csv::Reader::from_path(path).unwrap();
    let mut cells = 0;
    let mut rows = 0;
    for row in reader.deserialize::<BTreeMap<String, String>>() {
        let row = row.unwrap();
        let text = |column: &str| row[column].as_str();
        let number = |column: &str| (!row[column].is_empty()).then(|| row[column].parse::<f64>().unwrap());
        let device = found(text("id"));
        let mended = MENDED.iter().find(|(id, _)| *id == device.id).map_or(&[][..], |(_, columns)| *columns);
        let mut same = |column: &str, found: Option<f64>, factor: f64| {
            if mended.contains(&column) {
                return;
            }
            let expected = number(column).map(|value| value * factor);
            let equal = match (found, expected) {
                (Some(found), Some(expected)) => close(found, expected),
                (found, expected) => found.is_none() && expected.is_none(),
            };
            assert!(equal, "{} {column}: {found:?} is not {expected:?}", device.id);
            cells += usize::from(expected.is_some());
        };
        let value = |fact: &Option<Fact>| fact.as_ref().map(|fact| fact.value);
        same("units", value(&device.units), 1.0);
        same("clock_mhz", value(&device.clock), 1e6);
        same("tdp_w", value(&device.tdp), 1.0);
        for (column, arithmetic, engine) in PEAKS {
            // Apple's GPUs have no matrix units: what the table calls FP16 is of the vector units.
            let engine = if text("vendor") == "Apple" { Engine::Vector } else { engine };
            let peak = device
                .peaks
                .iter()
                .find(|peak| peak.arithmetic == Some(arithmetic) && peak.engine == Some(engine));
            let expected_elsewhere = text("vendor") == "Apple" && column.ends_with("_mat");
            if !expected_elsewhere {
                same(column, peak.map(|peak| peak.dense.value), 1e12);
            }
        }
        let level = |id: &str| device.memory.iter().find(|memory| memory.id == id);
        // Labels say GB and mean 2^30: an A100 of "40 GB" reports 42.5e9 bytes, an MI300X of "192 GB" 206.1e9.
        same("mem_gb", level("hbm").and_then(|memory| value(&memory.size)), 1_073_741_824.0);
        same("mem_bw_gbs", level("hbm").and_then(|memory| value(&memory.bandwidth)), 1e9);
        same("l2_mb", level("l2").and_then(|memory| value(&memory.size)), 1_048_576.0);
        same("llc_mb", level("llc").and_then(|memory| value(&memory.size)), 1_048_576.0);
        let link = |kind| device.links.iter().find(|link| link.kind == Some(kind));
        same("scaleup_gbs_per_dir", link(LinkKind::ScaleUp).map(|link| link.total()), 1e9);
        same("host_gbs_per_dir", link(LinkKind::Host).map(|link| link.total()), 1e9);
        match text("nic_gbit_typical") {
            "2x100/8 chips" => assert_eq!(link(LinkKind::Network).map(|link| link.total()), Some(25e9 / 8.0)),
            // Gaudi's network is made of the ports that connect it to its neighbors.
            _ if text("arch").starts_with("Gaudi") => {
                same("nic_gbit_typical", link(LinkKind::ScaleUp).map(|link| link.total()), 1e9 / 8.0);
            }
            _ => same("nic_gbit_typical", link(LinkKind::Network).map(|link| link.total()), 1e9 / 8.0),
        }
        let texts = [
            ("name", Some(&device.name)),
            ("vendor", device.vendor.as_ref()),
            ("arch", device.architecture.as_ref()),
            ("isa", device.isa.as_ref()),
            ("form", device.form.as_ref()),
            ("unit_kind", device.unit_kind.as_ref()),
        ];
        for (column, found) in texts.into_iter().filter(|(column, _)| !mended.contains(column)) {
            assert_eq!(found.map(String::as_str), Some(text(column)), "{} {column}", device.id);
            cells += 1;
        }
        rows += 1;
    }
    println!("{rows} devices, {cells} cells");
    assert_eq!(rows, 51);
    assert!(cells > 51 * 12, "{cells}");
}

#[test]
fn the_whole_catalogue() {
    let ids: BTreeSet<&str> = device::catalogue().iter().map(|device| device.id.as_str()).collect();
    assert_eq!(ids.len(), device::catalogue().len());
    assert!(ids.contains("gb10-287") && ids.contains("amd-mi250x-gcd"));
    assert!(device::catalogue().is_sorted_by(|a, b| a.id < b.id));
}

/// Peak over bandwidth, both from datasheets, worked out by hand.
#[test]
fn knees_of_well_known_devices() {
    for (id, arithmetic, engine, knee) in [
        ("nvidia-a100-sxm-80", Arithmetic::Fp16, Engine::Matrix, 312.0 / 2.039), // 153.0
        ("nvidia-a100-sxm-40", Arithmetic::Tf32, Engine::Matrix, 156.0 / 1.555), // 100.3
        ("nvidia-h100-sxm", Arithmetic::Bf16, Engine::Matrix, 989.4 / 3.35),     // 295.3
        ("nvidia-h100-sxm", Arithmetic::Fp32, Engine::Vector, 66.9 / 3.35),      // 20.0
        ("nvidia-t4", Arithmetic::Int8, Engine::Matrix, 130.0 / 0.32),           // 406.3
        ("amd-mi300x", Arithmetic::Fp8, Engine::Matrix, 2614.9 / 5.325),         // 491.1
        ("google-tpu-v5e", Arithmetic::Bf16, Engine::Matrix, 197.0 / 0.819),     // 240.5
        ("apple-m1", Arithmetic::Fp16, Engine::Vector, 2.6 / 0.06825),           // 38.1
    ] {
        let roof = Roof::new(&found(id), Some(arithmetic), engine);
        assert!(close(roof.knee().unwrap(), knee), "{id} {arithmetic}: {:?} is not {knee}", roof.knee());
    }
    let rounded = |id, arithmetic| {
        let knee = Roof::new(&found(id), Some(arithmetic), Engine::Matrix).knee().unwrap();
        format!("{knee:.1}")
    };
    assert_eq!(rounded("nvidia-a100-sxm-80", Arithmetic::Fp16), "153.0");
    assert_eq!(rounded("nvidia-h100-sxm", Arithmetic::Fp16), "295.3");
}

/// The critical intensities of the calculator roofline-hack.
#[test]
fn the_variant_of_the_worked_examples() {
    let device = found("gb10-287");
    let knee = |device: &Device, arithmetic| {
        format!("{:.2}", Roof::new(device, Some(arithmetic), Engine::Matrix).knee().unwrap())
    };
    // FP32 has no matrix units here, so its products are bounded by the vector peak.
    assert_eq!(knee(&device, Arithmetic::Fp32), "108.01");
    assert_eq!(knee(&device, Arithmetic::Fp16), "216.03");
    assert_eq!(knee(&device, Arithmetic::Fp8), "432.06");
    assert_eq!(knee(&device, Arithmetic::Int4), "864.11");
    // The document takes the sparse peak of FP4 for a dense one (3484.3); the dense one is half of it.
    assert_eq!(knee(&device, Arithmetic::Fp4), "1742.16");
    let sparse = device.with_sparse_peaks();
    assert_eq!(knee(&sparse, Arithmetic::Fp4), "3484.32");
    assert_eq!(knee(&sparse, Arithmetic::Fp16), "216.03");
}

/// One die is half of the package in everything that is there twice.
#[test]
fn a_die_is_half_of_its_package() {
    for (package, die) in [
        ("amd-mi250", "amd-mi250-gcd"),
        ("amd-mi250x", "amd-mi250x-gcd"),
        ("google-tpu-7x", "google-tpu-7x-core"),
        ("google-tpu-v2", "google-tpu-v2-core"),
        ("huawei-910c", "huawei-910c-die"),
        ("intel-max1550", "intel-max1550-stack"),
    ] {
        let (package, die) = (found(package), found(die));
        assert_eq!(package.peaks.len(), die.peaks.len());
        for (whole, half) in package.peaks.iter().zip(&die.peaks) {
            assert_eq!(whole.key, half.key);
            assert!(close(2.0 * half.dense.value, whole.dense.value), "{} {}", die.id, half.key);
        }
        for (whole, half) in package.memory.iter().zip(&die.memory) {
            let size = |memory: &device::Memory| memory.size.as_ref().unwrap().value;
            assert!(close(2.0 * size(half), size(whole)), "{} {}", die.id, half.id);
        }
        let bandwidth = |device: &Device| device.main_memory().unwrap().bandwidth.as_ref().unwrap().value;
        assert!(close(2.0 * bandwidth(&die), bandwidth(&package)), "{}", die.id);
    }
}
