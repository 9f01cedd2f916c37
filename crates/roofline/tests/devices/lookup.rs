//! Devices by what people type and by what recordings report.

use std::io::Read;
use std::path::Path;

use eaves_roofline::device::{catalogue, find, find_reported};

use super::data;

fn id(name: &str) -> String {
    find(name).unwrap_or_else(|error| panic!("{error}")).id
}

#[test]
fn names_in_any_spelling() {
    for (name, expected) in [
        ("nvidia-h100-sxm", "nvidia-h100-sxm"),
        ("h100-sxm", "nvidia-h100-sxm"),
        ("H100_SXM5", "nvidia-h100-sxm"),
        ("h100 sxm", "nvidia-h100-sxm"),
        ("MI300X", "amd-mi300x"),
        ("AMD Instinct MI300X", "amd-mi300x"),
        ("tpu v5e", "google-tpu-v5e"),
        ("M2 Ultra", "apple-m2-ultra"),
        ("apple m1", "apple-m1"),
        ("rtx-4090", "nvidia-rtx4090"),
        ("GB10", "nvidia-gb10"),
        ("gb10-287", "gb10-287"),
        ("mi250x", "amd-mi250x"),
        ("gfx908", "amd-mi100"),
        ("b10", "nvidia-gb10"),
        ("sm_110", "nvidia-thor"),
    ] {
        assert_eq!(id(name), expected, "{name}");
    }
}

#[test]
fn names_that_devices_report() {
    for (name, expected) in [
        ("NVIDIA H100 80GB HBM3", "nvidia-h100-sxm"),
        ("NVIDIA H100 PCIe", "nvidia-h100-pcie"),
        ("NVIDIA A100-SXM4-40GB", "nvidia-a100-sxm-40"),
        ("A100-SXM4-80GB", "nvidia-a100-sxm-80"),
        ("NVIDIA A100-PG509-200", "nvidia-a100-sxm-40"),
        ("NVIDIA A100 80GB PCIe", "nvidia-a100-pcie-80"),
        ("Tesla V100-SXM2-32GB", "nvidia-v100-sxm2"),
        ("Tesla T4", "nvidia-t4"),
        ("NVIDIA GeForce RTX 5090", "nvidia-rtx5090"),
        ("NVIDIA B200", "nvidia-b200-sxm"),
        ("NVIDIA GB10", "nvidia-gb10"),
        ("AMD Instinct MI300X", "amd-mi300x"),
        ("AMD Instinct MI300X VF", "amd-mi300x"),
        // A package to people, two GPUs to recordings.
        ("AMD Instinct MI250X", "amd-mi250x-gcd"),
        ("TPU v5 lite", "google-tpu-v5e"),
        ("Intel(R) Data Center GPU Max 1550", "intel-max1550-stack"),
        ("Tesla V100-SXM2-16GB", "nvidia-v100-sxm2-16"),
        ("Tesla V100-PCIE-16GB", "nvidia-v100-pcie-16"),
        ("Tesla P100-SXM2-16GB", "nvidia-p100-sxm2"),
        ("Tesla P100-PCIE-16GB", "nvidia-p100-pcie"),
        ("NVIDIA H800", "nvidia-h800-sxm"),
        ("NVIDIA H20", "nvidia-h20"),
        ("NVIDIA A800-SXM4-80GB", "nvidia-a800-sxm-80"),
        ("NVIDIA A100-PCIE-40GB", "nvidia-a100-pcie-40"),
        ("NVIDIA A10", "nvidia-a10"),
        ("NVIDIA A30", "nvidia-a30"),
        ("NVIDIA A40", "nvidia-a40"),
        ("NVIDIA RTX A6000", "nvidia-rtx-a6000"),
        ("NVIDIA RTX 6000 Ada Generation", "nvidia-rtx-6000-ada"),
        ("NVIDIA GeForce RTX 2080 Ti", "nvidia-rtx2080ti"),
        ("NVIDIA GH200 120GB", "nvidia-gh200-96"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "nvidia-rtx-pro-6000s"),
        ("NVIDIA GB300", "nvidia-gb300"),
        ("NVIDIA Thor", "nvidia-thor"),
        // JAX shows each TensorCore.
        ("TPU7x", "google-tpu-7x-core"),
        ("TPU v3", "google-tpu-v3-core"),
        ("AMD Radeon RX 7900 XTX", "amd-rx7900xtx"),
        ("Ascend910B3", "huawei-910b3"),
    ] {
        assert_eq!(find_reported(name).unwrap_or_else(|error| panic!("{error}")).id, expected, "{name}");
    }
    for device in catalogue() {
        for name in &device.reports {
            assert_eq!(
                find_reported(name).map(|device| device.id).as_deref(),
                Ok(device.id.as_str()),
                "{name}"
            );
        }
    }
}

/// Half a name, an instruction set of many, a slice of a GPU: none is taken for a device.
#[test]
fn what_fits_several_is_not_chosen_from() {
    let error = find("gfx942").unwrap_err();
    assert!(error.ambiguous);
    assert_eq!(error.near, ["amd-mi300a", "amd-mi300x", "amd-mi325x"]);
    assert_eq!(error.to_string(), "`gfx942` may be any of amd-mi300a, amd-mi300x, amd-mi325x");
    let error = find("h100").unwrap_err();
    assert_eq!(error.near[..3], ["nvidia-h100-nvl", "nvidia-h100-pcie", "nvidia-h100-sxm"]);
    for name in ["NVIDIA A100-SXM4-40GB MIG 1g.5gb", "AMD Radeon Graphics", "", " - ", "🦀", "NVIDIA", "gpu"]
    {
        find(name).unwrap_err();
        find_reported(name).unwrap_err();
    }
}

#[test]
fn near_names_are_suggested() {
    for (name, expected) in [
        ("nvidia-h100-sx", "nvidia-h100-sxm"),
        ("h10-pcie", "nvidia-h100-pcie"),
        ("mi30x", "amd-mi300x"),
        ("mi300", "amd-mi300x"),
        ("rtx409", "nvidia-rtx4090"),
        ("gaudi", "intel-gaudi3"),
    ] {
        let error = find(name).unwrap_err();
        assert!(error.near.contains(&expected), "{error}");
        assert!(error.to_string().contains("did you mean"), "{error}");
    }
    assert!(find("qqqqq").unwrap_err().near.is_empty());
}

/// The beginning of a recording, where its device properties stand.
fn head(path: &Path) -> Option<String> {
    let file = std::fs::File::open(path).ok()?;
    let mut bytes = Vec::new();
    let limit = 64 << 10;
    match path.extension()?.to_str()? {
        "gz" => flate2::read::GzDecoder::new(file).take(limit).read_to_end(&mut bytes).ok()?,
        "json" => file.take(limit).read_to_end(&mut bytes).ok()?,
        _ => return None,
    };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn walk(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.path() {
            path if path.is_dir() => walk(&path, found),
            path => found.push(path),
        }
    }
}

/// What the first entry of `deviceProperties` says: name, multiprocessors, bytes of memory.
fn first_properties(text: &str) -> Option<(String, Option<f64>, Option<f64>)> {
    let (_, rest) = text.split_once("\"deviceProperties\"")?;
    // The list is empty where there is no GPU.
    let entry = rest.split_once(']')?.0.split_once('{')?.1.split_once('}')?.0;
    let value = |key: &str| {
        let value = entry.split_once(&format!("\"{key}\""))?.1.split_once(':')?.1.trim_start();
        let end =
            value.strip_prefix('"').map_or_else(|| value.find([',', '\n']), |text| Some(text.find('"')? + 2));
        Some(value[..end.unwrap_or(value.len())].trim().trim_matches('"').to_owned())
    };
    let number = |key: &str| value(key)?.parse().ok();
    Some((value("name")?, number("numSms"), number("totalGlobalMem")))
}

/// Every device that a recording of the reference data names is found, and has what it says of itself.
#[test]
fn devices_of_real_recordings() {
    let Some(folder) = data("") else { return };
    let mut files = Vec::new();
    for part in ["hta", "tracelens", "torch"] {
        walk(&folder.join(part), &mut files);
    }
    let mut recordings = 0;
    for path in files {
        let Some((name, units, memory)) = head(&path).as_deref().and_then(first_properties) else { continue };
        // Some recordings have an empty name, and one names the driver's fallback for any card.
        if ["", "AMD Radeon Graphics"].contains(&name.as_str()) {
            find_reported(&name).unwrap_err();
            continue;
        }
        let device = find_reported(&name).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if let Some(units) = units {
            assert_eq!(device.units.as_ref().unwrap().value, units, "{}", path.display());
        }
        if let Some(memory) = memory {
            let built = device.main_memory().unwrap().size.as_ref().unwrap().value;
            assert!((0.95 * built..=built).contains(&memory), "{}: {memory} of {built}", path.display());
        }
        recordings += 1;
    }
    println!("{recordings} recordings");
    assert!(recordings >= 10, "{recordings}");
}
