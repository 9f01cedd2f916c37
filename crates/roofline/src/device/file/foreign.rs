//! What other tools write about a device.

use super::tree::Node;
use super::{Problem, own};
use crate::Counts;
use crate::device::{Confidence, Device, Fact, Memory, Peak, Source, key};

/// The forms, each known by a key that no other has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// TraceLens: `max_achievable_tflops`, `mem_bw_gbps`, `memory_gb`.
    TraceLens,
    /// `tprof peaks --json`: `device`, `memory`, `compute`, `links`.
    TprofJson,
    /// An entry of the device list of `tprof`: `peak_flops`, `hbm_gbs`.
    TprofList,
    /// SuperBench: `compute_peak_flops`, `memory_peak_bytes_per_s`.
    SuperBench,
    /// NPU dashboards: `peak_tops`, `mem_bw`.
    Npu,
    /// Roofline calculators: `peak_flops_tflops`, `peak_bandwidth_gb_s`.
    Calculator,
}

/// Operations per second of an NPU whose configuration gives none, in units of 10^12: what its dashboards assume.
pub const NPU_PEAK_TOPS: f64 = 32.0;
/// Bytes per second of such an NPU, in units of 10^9.
pub const NPU_BANDWIDTH_GBPS: f64 = 50.0;

const FORMS: [(&str, Form); 6] = [
    ("max_achievable_tflops", Form::TraceLens),
    ("peak_flops", Form::TprofList),
    ("compute_peak_flops", Form::SuperBench),
    ("peak_tops", Form::Npu),
    ("mem_bw", Form::Npu),
    ("peak_flops_tflops", Form::Calculator),
];

/// Whether a map names devices by its keys without saying so.
pub(super) fn is_registry(root: &Node) -> bool {
    let devices = root.entries();
    !devices.is_empty() && devices.iter().all(|entry| Form::of(&entry.value) == Some(Form::Calculator))
}

impl Form {
    pub(super) fn of(node: &Node) -> Option<Self> {
        if node.get("device").is_some_and(Node::is_map) && node.get("compute").is_some() {
            return Some(Self::TprofJson);
        }
        FORMS.iter().find(|(key, _)| node.get(key).is_some()).map(|(_, form)| *form)
    }

    pub(super) fn device(self, node: &Node, id: &str, source: Source) -> Result<Device, Problem> {
        let name = own::text(node.get("device").filter(|_| self == Self::TprofJson).unwrap_or(node), "name")?;
        let told = if self == Self::SuperBench { own::text(node, "device")? } else { name };
        let id = match &told {
            Some(name) if self != Self::Calculator => name.to_lowercase().replace(' ', "-"),
            _ => id.to_owned(),
        };
        let mut device = Device { name: told.unwrap_or_else(|| id.clone()), id, ..Device::default() };
        let read = Reader { node, source };
        match self {
            Self::TraceLens => {
                device.peaks = read.peaks("max_achievable_tflops", 1e12)?;
                device.memory = read.main_memory("mem_bw_gbps", 1e9)?;
                let size = read.fact(node, "memory_gb", 1e9)?;
                if let Some(memory) = device.memory.first_mut() {
                    memory.size = size;
                }
                device.units = read.fact(node, "num_cus", 1.0)?;
                device.clock = read.fact(node, "freq_mhz", 1e6)?;
            }
            Self::TprofJson => {
                device.peaks = read.peaks("compute", 1e9)?;
                let memory = Reader { node: node.get("memory").unwrap_or(node), ..read };
                device.memory = memory.main_memory("hbm_bw_GBps", 1e9)?;
                device.links = own::links(node, &memory.source)?;
            }
            Self::TprofList => {
                device.peaks = read.one_peak("peak_flops", 1.0, Counts::Operations)?;
                device.memory = read.main_memory("hbm_gbs", 1e9)?;
            }
            Self::SuperBench => {
                device.peaks = read.one_peak("compute_peak_flops", 1.0, Counts::Operations)?;
                device.memory = read.main_memory("memory_peak_bytes_per_s", 1.0)?;
                device.notes = own::text(node, "notes")?;
            }
            Self::Npu => {
                device.peaks = read.one_peak("peak_tops", 1e12, read.counts()?)?;
                device.memory = read.main_memory("mem_bw", 1e9)?;
                or_defaults(&mut device, read.counts()?);
            }
            Self::Calculator => {
                device.peaks = read.peaks("peak_flops_tflops", 1e12)?;
                device.memory = read.main_memory("peak_bandwidth_gb_s", 1e9)?;
            }
        }
        Ok(device)
    }
}

/// What a configuration of an NPU leaves open is as its dashboards assume it, and says so.
fn or_defaults(device: &mut Device, counts: Counts) {
    let assumed = |value| {
        let text = "default of NPU dashboards".to_owned();
        Fact { value, source: Source { text, confidence: Confidence::Low } }
    };
    if device.peaks.is_empty() {
        device.peaks.push(peak(key::ANY, assumed(NPU_PEAK_TOPS * 1e12), counts));
    }
    for memory in &mut device.memory {
        memory.bandwidth.get_or_insert_with(|| assumed(NPU_BANDWIDTH_GBPS * 1e9));
    }
}

/// An NPU of which nothing is known.
pub fn default_npu() -> Device {
    let memory = Memory { id: "hbm".into(), name: "HBM".into(), ..Memory::default() };
    let (id, name) = ("npu".to_owned(), "NPU (default: 32 TOPS, 50 GB/s)".to_owned());
    let mut device = Device { id, name, memory: vec![memory], ..Device::default() };
    or_defaults(&mut device, Counts::Operations);
    device
}

struct Reader<'a> {
    node: &'a Node,
    source: Source,
}

impl Reader<'_> {
    fn fact(&self, node: &Node, name: &str, factor: f64) -> Result<Option<Fact>, Problem> {
        node.get(name).map_or(Ok(None), |value| own::fact(value, factor, &self.source))
    }

    fn peaks(&self, name: &str, factor: f64) -> Result<Vec<Peak>, Problem> {
        let Some(block) = self.node.get(name) else { return Ok(Vec::new()) };
        if !block.is_map() {
            return Err(Problem::new(block.line, format!("`{name}` must be a map from types to rates")));
        }
        let mut peaks = Vec::new();
        for entry in block.entries() {
            if let Some(dense) = self.fact(block, &entry.key, factor)? {
                peaks.push(peak(&entry.key, dense, Counts::Operations));
            }
        }
        Ok(peaks)
    }

    /// A peak that the file gives for the device, whatever the type.
    fn one_peak(&self, name: &str, factor: f64, counts: Counts) -> Result<Vec<Peak>, Problem> {
        Ok(self
            .fact(self.node, name, factor)?
            .map(|dense| peak(key::ANY, dense, counts))
            .into_iter()
            .collect())
    }

    fn main_memory(&self, name: &str, factor: f64) -> Result<Vec<Memory>, Problem> {
        let bandwidth = self.fact(self.node, name, factor)?;
        Ok(vec![Memory { id: "hbm".into(), name: "HBM".into(), bandwidth, ..Memory::default() }])
    }

    /// A vendor's TOPS are operations, two to a multiply-add, unless the file says that it counts those.
    fn counts(&self) -> Result<Counts, Problem> {
        let Some(value) = self.node.get("peak_unit") else { return Ok(Counts::Operations) };
        value.text().and_then(Counts::from_id).ok_or_else(|| {
            Problem::new(value.line, format!("{} is not a peak unit", value.described()))
                .hint("use `ops` or `macs`")
        })
    }
}

fn peak(key: &str, dense: Fact, counts: Counts) -> Peak {
    let (arithmetic, engine) = key::meaning(key);
    Peak { key: key.to_owned(), arithmetic, engine, dense, sparse: None, counts }
}
