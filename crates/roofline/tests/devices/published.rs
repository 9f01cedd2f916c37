//! The catalog against a table of what public documents say, row by row.

use std::collections::BTreeMap;

use eaves_roofline::Device;
use eaves_roofline::device::{self, Fact, LinkKind};

use super::data;

/// The devices that the table calls by their names.
const NAMES: [(&str, &str); 41] = [
    ("A10", "nvidia-a10"),
    ("A100 PCIe 40GB", "nvidia-a100-pcie-40"),
    ("A30", "nvidia-a30"),
    ("A40", "nvidia-a40"),
    ("A800 SXM4 80GB", "nvidia-a800-sxm-80"),
    ("AMD MI250", "amd-mi250"),
    ("Arc B580", "intel-arc-b580"),
    ("Arc Pro B60", "intel-arc-b60"),
    ("Ascend 910B3", "huawei-910b3"),
    ("Ascend 910C", "huawei-910c"),
    ("GB300", "nvidia-gb300"),
    ("H20", "nvidia-h20"),
    ("H200 NVL", "nvidia-h200-nvl"),
    ("H800 SXM5", "nvidia-h800-sxm"),
    ("Inferentia2", "aws-inferentia2"),
    ("Jetson AGX Orin 64GB", "nvidia-agx-orin"),
    ("Jetson Orin NX 16GB", "nvidia-orin-nx"),
    ("Jetson Orin Nano Super", "nvidia-orin-nano"),
    ("Jetson Thor (T5000)", "nvidia-thor"),
    ("L40", "nvidia-l40"),
    ("P100 PCIe 16GB", "nvidia-p100-pcie"),
    ("P100 SXM2 16GB", "nvidia-p100-sxm2"),
    ("RTX 2080 Ti", "nvidia-rtx2080ti"),
    ("RTX 6000 Ada", "nvidia-rtx-6000-ada"),
    ("RTX A6000", "nvidia-rtx-a6000"),
    ("RTX PRO 6000 Blackwell", "nvidia-rtx-pro-6000s"),
    ("Radeon RX 7900 XTX", "amd-rx7900xtx"),
    ("TPU v2", "google-tpu-v2"),
    ("TPU v3", "google-tpu-v3"),
    ("TPU7x (Ironwood)", "google-tpu-7x"),
    ("Trainium1", "aws-trainium1"),
    ("Trainium2", "aws-trainium2"),
    ("Trainium3", "aws-trainium3"),
    ("V100 PCIe 16/32GB", "nvidia-v100-pcie-16"),
    ("V100 SXM2 16GB", "nvidia-v100-sxm2-16"),
    ("V100S PCIe 32GB", "nvidia-v100s-pcie"),
    ("Ascend 910B1/B2/B4", ""),
    ("Apple M3 Pro, M5 Pro/Max, M4 Max 32-core, M3 Max 30-core", ""),
    ("gb10-287", ""),
    ("nvidia-gb10", "nvidia-gb10"),
    ("nvidia-b300", "nvidia-b300"),
];

/// Where the catalog knowingly has another value than the table, or none, and why.
const DECIDED: [(&str, &str, &str); 15] = [
    ("Arc Pro B60", "dense/fp32_matrix", "12.28 is the rate of the vector units"),
    ("H20", "tdp_W", "nvidia-smi shows 500 W"),
    ("Jetson Thor (T5000)", "clock_MHz", "1049 MHz is the default power mode, not the clock of the peaks"),
    (
        "RTX 2080 Ti",
        "dense/fp16_matrix",
        "113.8 accumulates in FP16; peaks of GeForce cards here accumulate in FP32",
    ),
    ("RTX PRO 6000 Blackwell", "dense/fp32_vector", "126 is the workstation edition"),
    ("TPU7x (Ironwood)", "link/ICI_bidirectional", "how many links make it up is not said"),
    ("TPU7x (Ironwood)", "link/DCN", "no document with an address"),
    ("Trainium3", "link/NeuronLink", "one direction or both is not said"),
    ("apple-m2-pro", "mem/hbm/bw", "200 is rounded"),
    ("intel-gaudi2", "clock_MHz", "the matrix units and the vector units have clocks of their own"),
    ("nvidia-b300", "clock_MHz", "2032 MHz is not the clock of the peaks"),
    ("nvidia-gb200", "link/400G NIC/bw", "a GPU of the NVL72 has one ConnectX-7"),
    ("nvidia-gh200-96", "clock_max_MHz", "the catalogue has the clock of the matrix peaks"),
    ("nvidia-gh200-96", "tdp_W", "the table gives a range; 700 W is in it"),
    ("nvidia-h100-sxm", "clock_max_MHz", "the catalogue has the clock of the matrix peaks"),
];

/// What the catalog has for a field of the table, in its units.
fn known(device: &Device, field: &str) -> Option<f64> {
    let value = |fact: Option<&Fact>, factor: f64| fact.map(|fact| fact.value / factor);
    match field.split('/').collect::<Vec<_>>().as_slice() {
        ["units"] => value(device.units.as_ref(), 1.0),
        ["clock_MHz"] => value(device.clock.as_ref(), 1e6),
        ["tdp_W"] => value(device.tdp.as_ref(), 1.0),
        ["dense", key] => {
            value(device.peaks.iter().find(|peak| peak.key == *key).map(|peak| &peak.dense), 1e12)
        }
        ["sparse", key] => value(
            device.peaks.iter().find(|peak| peak.key == *key).and_then(|peak| peak.sparse.as_ref()),
            1e12,
        ),
        ["mem", id, what] => {
            let level = device.memory.iter().find(|level| level.id == *id)?;
            let unit = if *id == "hbm" { 1_073_741_824.0 } else { 1_048_576.0 };
            match *what {
                "size" => value(level.size.as_ref(), unit),
                _ => value(level.bandwidth.as_ref(), 1e9),
            }
        }
        ["link", "NVLink_bidirectional"] => {
            let link = device.links.iter().find(|link| link.kind == Some(LinkKind::ScaleUp))?;
            Some(2.0 * link.total() / 1e9)
        }
        ["link", name, what] => {
            let link = device.links.iter().find(|link| link.name == *name)?;
            Some(if *what == "count" { f64::from(link.count) } else { link.per_direction.value / 1e9 })
        }
        _ => None,
    }
}

/// One field of one device: every value that a document gives for it, and those that were wrong here.
#[derive(Default)]
struct Row {
    published: Vec<f64>,
    mended: Vec<f64>,
}

#[test]
fn the_catalogue_says_what_documents_say() {
    let Some(path) = data("devices.csv") else { return };
    let mut rows: BTreeMap<(String, String), Row> = BTreeMap::new();
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_path(path).unwrap();
    for record in reader.records() {
        let record = record.unwrap();
        let all: Vec<&str> = record.iter().collect();
        let (device, field, value) = (all[0], all[1], all[2]);
        if field == "reports" {
            // The name itself, or what the device of that name must be.
            let name =
                if value.starts_with("one stack") { "Intel(R) Data Center GPU Max 1550" } else { value };
            device::find_reported(name).unwrap_or_else(|error| panic!("{error}"));
            continue;
        }
        let Ok(value) = value.parse::<f64>() else { continue };
        // A row without a document says what the catalog had.
        if all.contains(&"unverified") || all[5].starts_with("Knowledge only") {
            continue;
        }
        let row = rows.entry((device.to_owned(), field.to_owned())).or_default();
        row.published.push(value);
        if all.iter().any(|cell| cell.contains("eaves differs")) {
            row.mended.push(value);
        }
    }
    let (mut agree, mut mended) = (0, 0);
    let mut wrong = Vec::new();
    for ((name, field), row) in &rows {
        let id = NAMES.iter().find(|(known, _)| known == name).map_or(name.as_str(), |(_, id)| id);
        if id.is_empty() || DECIDED.iter().any(|(device, decided, _)| device == name && decided == field) {
            continue;
        }
        let device = device::find(id).unwrap_or_else(|error| panic!("{error}"));
        let expected = if row.mended.is_empty() { &row.published } else { &row.mended };
        // Documents round: 989 and 989.4, 30.3 and 30.29.
        let same = |found: f64| expected.iter().any(|value| (found / value - 1.0).abs() <= 0.011);
        match known(&device, field) {
            Some(found) if same(found) && row.mended.is_empty() => agree += 1,
            Some(found) if same(found) => mended += 1,
            found => wrong.push(format!("{name} {field}: {found:?} is not {expected:?}")),
        }
    }
    println!("{agree} fields agree, {mended} are mended");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(agree > 850 && mended >= 18, "{agree} {mended}");
}
