//! The processor: `/proc/cpuinfo`, and caches and clocks from `/sys/devices/system/cpu`.
//!
//! How many multiply-adds a core does per clock stands in neither, so a processor has no peaks here.

use std::collections::BTreeSet;

use super::{Detected, Kind, Machine, id_of, name_of, told};
use crate::device::{Device, Fact, Memory};

/// Extensions that decide how much a core can compute at a time, in the words of the kernel.
const EXTENSIONS: [&str; 17] = [
    "avx",
    "avx2",
    "fma",
    "avx_vnni",
    "avx512f",
    "avx512_vnni",
    "avx512_bf16",
    "avx512_fp16",
    "amx_tile",
    "amx_bf16",
    "amx_int8",
    "asimd",
    "asimdhp",
    "bf16",
    "i8mm",
    "sve",
    "sve2",
];
const PLACE: &str = "proc/cpuinfo";
const CPUS: &str = "sys/devices/system/cpu";

pub(super) fn detect(machine: &Machine) -> Option<Detected> {
    let text = machine.text(PLACE)?;
    let cores = Cores::read(&text)?;
    let name = cores.name.clone().unwrap_or_else(|| "CPU".to_owned());
    let device = Device {
        id: id_of(&name),
        name: name.clone(),
        vendor: cores.vendor,
        isa: Some(cores.extensions.join(" ")).filter(|extensions| !extensions.is_empty()),
        scope: Some(match cores.sockets {
            0 | 1 => "all cores".to_owned(),
            sockets => format!("all cores of {sockets} sockets"),
        }),
        units: told(cores.count as f64, PLACE),
        unit_kind: Some("core".to_owned()),
        clock: highest_clock(machine),
        memory: memory(machine),
        ..Device::default()
    };
    let place = format!("/{PLACE}");
    Some(Detected { kind: Kind::Cpu, reported: name, place, count: 1, unknown: None, device })
}

/// What the kernel says about all logical processors.
struct Cores {
    name: Option<String>,
    vendor: Option<String>,
    extensions: Vec<&'static str>,
    sockets: usize,
    count: usize,
}

impl Cores {
    fn read(text: &str) -> Option<Self> {
        let field = |block: &str, names: &[&str]| {
            let find = |line: &str| {
                let (key, value) = line.split_once(':')?;
                names.contains(&key.trim()).then(|| value.trim().to_owned())
            };
            block.lines().find_map(find)
        };
        let blocks: Vec<&str> =
            text.split("\n\n").filter(|block| field(block, &["processor"]).is_some()).collect();
        let flags = field(text, &["flags", "Features"]).unwrap_or_default();
        let flags: BTreeSet<&str> = flags.split_whitespace().collect();
        let mut sockets = BTreeSet::new();
        let mut cores = BTreeSet::new();
        for (number, block) in blocks.iter().enumerate() {
            let socket = field(block, &["physical id"]);
            // Two threads of a core have the same number; where there is none, each is a core.
            let core = field(block, &["core id"]).unwrap_or_else(|| format!("processor {number}"));
            sockets.extend(socket.clone());
            cores.insert((socket, core));
        }
        let vendor = field(text, &["vendor_id"]).map(|vendor| match vendor.as_str() {
            "GenuineIntel" => "Intel".to_owned(),
            "AuthenticAMD" => "AMD".to_owned(),
            _ => vendor,
        });
        (!blocks.is_empty()).then(|| Self {
            name: field(text, &["model name", "Model"]).filter(|name| !name.is_empty()),
            vendor,
            extensions: EXTENSIONS.into_iter().filter(|extension| flags.contains(extension)).collect(),
            sockets: sockets.len(),
            count: cores.len(),
        })
    }
}

/// The highest clock of the first core, in kilohertz there; the present one says nothing about the peak.
fn highest_clock(machine: &Machine) -> Option<Fact> {
    let path = format!("{CPUS}/cpu0/cpufreq/cpuinfo_max_freq");
    told(machine.text(&path)?.trim().parse::<f64>().ok()? * 1e3, &path)
}

/// Main memory, then caches from the largest, each cache once however many cores share it.
fn memory(machine: &Machine) -> Vec<Memory> {
    let mut levels = Vec::new();
    let total = machine.text("proc/meminfo").and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()
    });
    if let Some(size) = total.and_then(|kilobytes| told(kilobytes * 1024.0, "proc/meminfo")) {
        levels.push(Memory { id: "hbm".into(), name: "DRAM".into(), size: Some(size), ..Memory::default() });
    }
    let mut caches = BTreeSet::new();
    let is_cpu =
        |path: &String| name_of(path).strip_prefix("cpu").is_some_and(|number| number.parse::<u32>().is_ok());
    for cpu in machine.entries(CPUS).into_iter().filter(is_cpu) {
        for index in machine.entries(&format!("{cpu}/cache")) {
            let text = |name: &str| Some(machine.text(&format!("{index}/{name}"))?.trim().to_owned());
            let Some((level, kind)) = text("level").zip(text("type")) else { continue };
            if kind != "Instruction" {
                let shared = text("shared_cpu_list").unwrap_or_else(|| cpu.clone());
                caches.insert((level, kind, shared, text("size").unwrap_or_default()));
            }
        }
    }
    let numbers: BTreeSet<&String> = caches.iter().map(|(level, ..)| level).collect();
    for number in numbers.into_iter().rev() {
        let sizes = caches.iter().filter(|(level, ..)| level == number).map(|(.., size)| bytes(size));
        // One size that is not known leaves the sum unknown.
        let sum = sizes.sum::<Option<f64>>().and_then(|size| told(size, &format!("{CPUS}/cpu*/cache")));
        if sum.is_some() {
            let (id, name) = (format!("l{number}"), format!("L{number}"));
            levels.push(Memory { id, name, size: sum, ..Memory::default() });
        }
    }
    levels
}

/// `32K`, `1M`.
fn bytes(text: &str) -> Option<f64> {
    let units = [("K", 1024.0), ("M", 1_048_576.0), ("G", 1_073_741_824.0)];
    let (unit, factor) = units.into_iter().find(|(unit, _)| text.ends_with(unit))?;
    Some(text.strip_suffix(unit)?.parse::<f64>().ok()? * factor)
}
