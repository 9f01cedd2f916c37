//! Machines made up of files.

use std::path::Path;

use eaves_roofline::device::detect::{Detected, Kind, Machine};
use eaves_roofline::device::{self, catalogue, to_yaml};

/// A machine with these files.
fn machine(files: &[(&str, &str)]) -> (tempfile::TempDir, Machine) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let machine = Machine { root: folder.path().to_owned(), nvidia_smi: None };
    (folder, machine)
}

fn detect(files: &[(&str, &str)]) -> Vec<Detected> {
    let (folder, machine) = machine(files);
    let found = machine.detect();
    drop(folder);
    found
}

/// Two sockets of two cores with two threads each.
fn cpuinfo() -> String {
    let mut text = String::new();
    for thread in 0..8 {
        text.push_str(&format!(
            "processor\t: {thread}\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Test CPU @ 2.00GHz\n\
             physical id\t: {}\ncore id\t\t: {}\nflags\t\t: fpu sse2 avx avx2 fma avx512f amx_bf16 amx_tile\n\n",
            thread / 4,
            thread / 2 % 2
        ));
    }
    text
}

#[test]
fn a_processor_is_described_and_has_no_peaks() {
    let cache = "sys/devices/system/cpu";
    let mut files = vec![
        ("proc/cpuinfo".to_owned(), cpuinfo()),
        ("proc/meminfo".to_owned(), "MemTotal:       16384000 kB\nMemFree: 1 kB\n".to_owned()),
        (format!("{cache}/cpu0/cpufreq/cpuinfo_max_freq"), "3500000\n".to_owned()),
        (format!("{cache}/cpufreq/boost"), "1\n".to_owned()),
    ];
    for cpu in 0..8 {
        for (index, level, kind, size, shared) in [
            (0, 1, "Data", "32K", format!("{}-{}", cpu / 2 * 2, cpu / 2 * 2 + 1)),
            (1, 1, "Instruction", "64K", format!("{}-{}", cpu / 2 * 2, cpu / 2 * 2 + 1)),
            (3, 3, "Unified", "8M", format!("{}-{}", cpu / 4 * 4, cpu / 4 * 4 + 3)),
        ] {
            let folder = format!("{cache}/cpu{cpu}/cache/index{index}");
            let level = level.to_string();
            for (name, value) in
                [("level", level.as_str()), ("type", kind), ("size", size), ("shared_cpu_list", &shared)]
            {
                files.push((format!("{folder}/{name}"), format!("{value}\n")));
            }
        }
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let found = detect(&files);
    let [cpu] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((cpu.kind, cpu.count, cpu.has_roofs()), (Kind::Cpu, 1, false));
    let device = &cpu.device;
    assert_eq!(device.name, "Intel(R) Xeon(R) Test CPU @ 2.00GHz");
    assert_eq!(device.vendor.as_deref(), Some("Intel"));
    assert_eq!(device.isa.as_deref(), Some("avx avx2 fma avx512f amx_tile amx_bf16"));
    assert_eq!(device.scope.as_deref(), Some("all cores of 2 sockets"));
    assert_eq!(device.units.as_ref().unwrap().value, 4.0);
    assert_eq!(device.clock.as_ref().unwrap().value, 3.5e9);
    let sizes: Vec<_> =
        device.memory.iter().map(|level| (level.id.as_str(), level.size.as_ref().unwrap().value)).collect();
    let mebibyte = 1_048_576.0;
    assert_eq!(sizes, [("hbm", 16_384_000.0 * 1024.0), ("l3", 16.0 * mebibyte), ("l1", 4.0 * 32.0 * 1024.0)]);
    assert!(device.peaks.is_empty() && device.memory.iter().all(|level| level.bandwidth.is_none()));
    // What is written must be completed before it can be used, and the error says with what.
    let error = device::parse(&to_yaml(std::slice::from_ref(device)), Path::new("peaks.yaml")).unwrap_err();
    assert!(error.cause.contains("neither a peak nor a bandwidth"), "{error}");
}

#[test]
fn a_processor_that_says_little() {
    let found = detect(&[("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd sve\n\nprocessor\t: 1\n\n")]);
    let device = &found[0].device;
    assert_eq!((device.name.as_str(), device.isa.as_deref()), ("CPU", Some("asimd sve")));
    assert_eq!(device.units.as_ref().unwrap().value, 2.0);
    assert!(device.clock.is_none() && device.memory.is_empty());
    assert!(detect(&[("proc/cpuinfo", "nothing of use")]).is_empty());
    assert!(detect(&[]).is_empty());
}

#[test]
fn nvidia_gpus_by_their_files_or_by_nvidia_smi() {
    let information = "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 18\nGPU UUID: \t GPU-0\n";
    let found = detect(&[
        ("proc/driver/nvidia/gpus/0000:18:00.0/information", information),
        ("proc/driver/nvidia/gpus/0000:2a:00.0/information", information),
        ("proc/driver/nvidia/gpus/0000:3a:00.0/information", "Model: \t\t NVIDIA Unheard Of\n"),
    ]);
    let told: Vec<_> = found.iter().map(|one| (one.device.id.as_str(), one.count, one.has_roofs())).collect();
    assert_eq!(told, [("nvidia-h100-sxm", 2, true), ("nvidia-unheard-of", 1, false)]);
    assert!(found[0].unknown.is_none() && found[1].unknown.is_some());
    assert!(found[1].device.peaks.is_empty() && found[1].device.memory.is_empty());
    let (folder, machine) = machine(&[]);
    let found = Machine { nvidia_smi: Some("Tesla T4\nTesla T4\n\n".into()), ..machine }.detect();
    assert_eq!((found[0].device.id.as_str(), found[0].count, found.len()), ("nvidia-t4", 2, 1));
    drop(folder);
}

/// What the driver of AMD says of a node.
fn node(version: u32, units: u32, clock: u32) -> String {
    format!(
        "cpu_cores_count 0\nsimd_count {}\nmem_banks_count 1\nsimd_per_cu 4\ngfx_target_version {version}\n\
         max_engine_clk_fcompute {clock}\ndrm_render_minor 128\n",
        units * 4
    )
}

#[test]
fn amd_gpus_by_name_or_by_what_tells_them_apart() {
    let nodes = "sys/class/kfd/kfd/topology/nodes";
    let name = "sys/class/drm/renderD128/device/product_name";
    let cpu = (format!("{nodes}/0/properties"), "cpu_cores_count 64\nsimd_count 0\n".to_owned());
    let gpu = |version, units, clock, gigabytes: u64, product: &str| {
        let size = format!("heap_type 1\nsize_in_bytes {}\n", gigabytes << 30);
        let files = [
            cpu.clone(),
            (format!("{nodes}/1/properties"), node(version, units, clock)),
            (format!("{nodes}/1/mem_banks/0/properties"), size),
            (name.to_owned(), product.to_owned()),
        ];
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let mut found = detect(&files);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    };
    let id = |version, units, clock, gigabytes| gpu(version, units, clock, gigabytes, "").device.id;
    assert_eq!(gpu(0, 1, 0, 0, "AMD Instinct MI300X\n").device.id, "amd-mi300x");
    assert_eq!(id(90402, 304, 2100, 192), "amd-mi300x");
    assert_eq!(id(90402, 304, 2100, 256), "amd-mi325x");
    assert_eq!(id(90402, 228, 2100, 128), "amd-mi300a");
    assert_eq!(id(90010, 104, 1700, 64), "amd-mi210");
    assert_eq!(id(90010, 110, 1700, 64), "amd-mi250x-gcd");
    assert_eq!(id(90500, 256, 2400, 288), "amd-mi355x");
    assert_eq!(id(90500, 256, 2200, 288), "amd-mi350x");
    // A slice of a GPU is not that GPU: a partition of an MI300X has 38 units.
    let slice = gpu(90402, 38, 2100, 24, "");
    assert_eq!((slice.device.id.as_str(), slice.has_roofs()), ("gfx942", false));
    assert_eq!(slice.device.units.as_ref().unwrap().value, 38.0);
    assert!(slice.unknown.is_some() && slice.device.peaks.is_empty());
    let other = gpu(110000, 96, 2500, 24, "AMD Radeon RX 7900 XTX");
    assert_eq!(
        (other.device.isa.as_deref(), other.device.name.as_str()),
        (Some("gfx1100"), "AMD Radeon RX 7900 XTX")
    );
}

#[test]
fn what_is_written_is_read_again() {
    for device in catalogue() {
        let text = to_yaml(std::slice::from_ref(device));
        let read =
            device::parse(&text, Path::new("peaks.yaml")).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(read.as_slice(), std::slice::from_ref(device), "{text}");
    }
    let all = device::parse(&to_yaml(catalogue()), Path::new("peaks.yaml")).unwrap();
    assert_eq!(all, catalogue());
}

/// The machine that the test runs on has a processor, whatever else.
#[test]
#[cfg(target_os = "linux")]
fn this_machine_has_a_processor() {
    let found = Machine::here().detect();
    assert!(found.iter().any(|one| one.kind == Kind::Cpu && one.device.units.is_some()), "{found:?}");
}
