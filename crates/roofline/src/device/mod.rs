//! What a device can do. Every number says where it comes from; what is not known is absent, never zero.

mod catalogue;
pub mod detect;
mod empirical;
mod file;
mod key;
mod lookup;
mod reported;
mod write;

use crate::{Arithmetic, Counts, Engine};

pub use catalogue::catalogue;
pub use file::{FileError, NPU_BANDWIDTH_GBPS, NPU_PEAK_TOPS, ONE_CORE, default_npu, parse, read};
pub use key::meaning as key_meaning;
pub use lookup::{Unknown, find, find_reported};
pub use reported::Reported;
pub use write::to_yaml;

/// How sure a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// No public document was found. Drawn dashed.
    Unverified,
    /// Assumed, or only from hearsay.
    Low,
    /// From one secondary source.
    Medium,
    /// From the vendor and checked against something else.
    High,
    /// Measured on the device itself.
    Measured,
}

impl Confidence {
    /// The name in files.
    pub fn id(self) -> &'static str {
        match self {
            Self::Unverified => "unverified",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Measured => "measured",
        }
    }

    /// The confidence with this name.
    pub fn from_id(id: &str) -> Option<Self> {
        [Self::Unverified, Self::Low, Self::Medium, Self::High, Self::Measured]
            .into_iter()
            .find(|this| this.id() == id)
    }
}

/// Where a number comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The document, program or file.
    pub text: String,
    /// How sure it is.
    pub confidence: Confidence,
}

/// A number with its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The value; its unit is the field's.
    pub value: f64,
    /// Where it comes from.
    pub source: Source,
}

/// How fast a device computes in one type on one kind of unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Peak {
    /// The key in the file: `fp16`, `bf16_tensor`, `matrix_fp8`. A kernel may name it directly.
    pub key: String,
    /// The type, if the key names one.
    pub arithmetic: Option<Arithmetic>,
    /// The units, if the file says; a peak without them holds for both.
    pub engine: Option<Engine>,
    /// Dense rate per second, in what `counts` counts.
    pub dense: Fact,
    /// Rate with structured sparsity, if the device has it. Never used as a roof unless asked for.
    pub sparse: Option<Fact>,
    /// What the rates count.
    pub counts: Counts,
}

/// One level of memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// `hbm` for the device's main memory whatever its kind; `llc`, `l2`, `l1`, `lds`.
    pub id: String,
    /// The name for people: `HBM3`, `L2`.
    pub name: String,
    /// Bytes per second, both directions together; where the others were measured too, of reading alone.
    pub bandwidth: Option<Fact>,
    /// Bytes per second of writing alone, where it was measured.
    pub write: Option<Fact>,
    /// Bytes per second of reading and writing as many, where it was measured.
    pub copy: Option<Fact>,
    /// Bytes per second of reading two for each that is written, with a multiply-add, where it was measured.
    pub triad: Option<Fact>,
    /// Bytes.
    pub size: Option<Fact>,
}

/// How much a device does of something that is neither multiply-adds nor movement.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    /// What: `exp`, `dequantise mxfp4/int8`.
    pub key: String,
    /// How many a second.
    pub per_second: Fact,
}

/// The other end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// Devices of the same kind nearby: NVLink, Infinity Fabric, ICI.
    ScaleUp,
    /// The host: PCIe, NVLink-C2C.
    Host,
    /// Other machines.
    Network,
}

impl LinkKind {
    /// The name in files.
    pub fn id(self) -> &'static str {
        match self {
            Self::ScaleUp => "scale-up",
            Self::Host => "host",
            Self::Network => "network",
        }
    }

    /// The kind with this name.
    pub fn from_id(id: &str) -> Option<Self> {
        [Self::ScaleUp, Self::Host, Self::Network].into_iter().find(|kind| kind.id() == id)
    }
}

/// A kind of connection to other devices or the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The name: `NVLink4`.
    pub name: String,
    /// Other names events may use.
    pub aliases: Vec<String>,
    /// What it connects to, if the file says.
    pub kind: Option<LinkKind>,
    /// Bytes per second of one link in one direction.
    pub per_direction: Fact,
    /// How many of them work together.
    pub count: u32,
}

impl Link {
    /// Bytes per second of all links together in one direction.
    pub fn total(&self) -> f64 {
        self.per_direction.value * f64::from(self.count)
    }
}

/// A device of the catalog or of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    /// Lower-case key: `nvidia-h100-sxm`.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// Other names it is asked for by.
    pub aliases: Vec<String>,
    /// What recordings call it: `NVIDIA H100 80GB HBM3`.
    pub reports: Vec<String>,
    /// Who makes it.
    pub vendor: Option<String>,
    /// Architecture: `Hopper`.
    pub architecture: Option<String>,
    /// Instruction set: `sm_90`, `gfx942`.
    pub isa: Option<String>,
    /// How it is built: `SXM5`.
    pub form: Option<String>,
    /// What the numbers are of: a GPU, a package of two.
    pub scope: Option<String>,
    /// Number of multiprocessors, compute units or cores.
    pub units: Option<Fact>,
    /// What a unit is called: `SM`, `CU`.
    pub unit_kind: Option<String>,
    /// Clock of the peaks in hertz.
    pub clock: Option<Fact>,
    /// Compute peaks.
    pub peaks: Vec<Peak>,
    /// Memory levels, main memory first.
    pub memory: Vec<Memory>,
    /// What else it does, where it was measured.
    pub rates: Vec<Rate>,
    /// Connections.
    pub links: Vec<Link>,
    /// Power limit in watts.
    pub tdp: Option<Fact>,
    /// What else to know.
    pub notes: Option<String>,
}

impl Device {
    /// The main memory.
    pub fn main_memory(&self) -> Option<&Memory> {
        self.memory.first()
    }

    /// The level of memory that bounds work on this many bytes that are used again and again: the smallest that they fit in.
    /// Where its bandwidth is not known, that of the next smaller one bounds it too.
    pub fn level_that_holds(&self, bytes: f64) -> Option<&Memory> {
        let size = |level: &Memory| level.size.as_ref().map_or(0.0, |size| size.value);
        let mut caches: Vec<&Memory> = self.memory.iter().skip(1).collect();
        caches.sort_by(|a, b| size(a).total_cmp(&size(b)));
        let fits = caches.partition_point(|level| size(level) < bytes);
        let known = |level: &&&Memory| level.bandwidth.is_some();
        let cache = (fits < caches.len()).then(|| caches[..=fits].iter().rev().find(known)).flatten();
        cache.copied().or_else(|| self.main_memory())
    }

    /// How many of these it does in a second.
    pub fn rate(&self, key: &str) -> Option<&Fact> {
        self.rates.iter().find(|rate| rate.key == key).map(|rate| &rate.per_second)
    }

    /// Every number of the device.
    pub fn facts(&self) -> Vec<&Fact> {
        let single = [&self.units, &self.clock, &self.tdp];
        let peaks = self.peaks.iter().flat_map(|peak| [Some(&peak.dense), peak.sparse.as_ref()]);
        let memory = self.memory.iter().flat_map(|memory| {
            let Memory { bandwidth, write, copy, triad, size, .. } = memory;
            [bandwidth, write, copy, triad, size].map(Option::as_ref)
        });
        let links = self.links.iter().map(|link| Some(&link.per_direction));
        let rates = self.rates.iter().map(|rate| Some(&rate.per_second));
        let single = single.into_iter().map(Option::as_ref);
        single.chain(peaks).chain(memory).chain(links).chain(rates).flatten().collect()
    }

    /// Whether both have the same roofs but for rounding, so that which of the two it is makes no difference to a
    /// roofline: an MI210 and half an MI250.
    pub(crate) fn has_roofs_of(&self, other: &Self) -> bool {
        /// Data sheets print three digits.
        const ROUNDING: f64 = 0.01;
        let same = |a: Option<&Fact>, b: Option<&Fact>| match (a, b) {
            (Some(a), Some(b)) => (a.value / b.value - 1.0).abs() <= ROUNDING,
            (a, b) => a.is_none() && b.is_none(),
        };
        let bandwidth = |device: &Self| device.main_memory().and_then(|memory| memory.bandwidth.clone());
        let peak = |key: &str| other.peaks.iter().find(|peak| peak.key == key).map(|peak| &peak.dense);
        self.peaks.len() == other.peaks.len()
            && self.peaks.iter().all(|own| same(Some(&own.dense), peak(&own.key)))
            && same(bandwidth(self).as_ref(), bandwidth(other).as_ref())
    }

    /// The peak that bounds work in this type on these units.
    ///
    /// Matrix work runs on the vector units when there is no matrix peak for its type. Vector work in a type without a
    /// vector peak of its own is computed in FP32, as compilers do with 8- and 16-bit floats. A file that gives one peak
    /// for everything (key `any`) means every type. Nothing else stands in for a type: what a device has no peak for is
    /// not supported.
    pub fn peak(&self, arithmetic: Arithmetic, engine: Engine) -> Option<&Peak> {
        let find = |arithmetic, engine| {
            self.peaks
                .iter()
                .find(|peak| peak.arithmetic == Some(arithmetic) && peak.engine == Some(engine))
                .or_else(|| {
                    self.peaks
                        .iter()
                        .find(|peak| peak.arithmetic == Some(arithmetic) && peak.engine.is_none())
                })
        };
        let found = match engine {
            Engine::Matrix => find(arithmetic, Engine::Matrix).or_else(|| find(arithmetic, Engine::Vector)),
            Engine::Vector => find(arithmetic, Engine::Vector).or_else(|| match arithmetic {
                Arithmetic::Fp64 | Arithmetic::Fp32 => None,
                _ => find(Arithmetic::Fp32, Engine::Vector),
            }),
        };
        found.or_else(|| self.peaks.iter().find(|peak| peak.key == key::ANY))
    }

    /// The peak a file or a kernel names by its key. A key that is not there as written may still mean a peak that is:
    /// `bf16_tensor` is `bf16_matrix`.
    pub fn peak_by_key(&self, key: &str) -> Option<&Peak> {
        let written = self.peaks.iter().find(|peak| peak.key.eq_ignore_ascii_case(key));
        written.or_else(|| {
            let (arithmetic, engine) = key::meaning(key);
            let (arithmetic, engine) = (arithmetic?, engine?);
            self.peaks.iter().find(|peak| peak.arithmetic == Some(arithmetic) && peak.engine == Some(engine))
        })
    }

    /// The device with its sparse rates in place of the dense ones, where there are any: for work whose weights have
    /// the structure that the hardware skips.
    #[must_use]
    pub fn with_sparse_peaks(mut self) -> Self {
        for peak in &mut self.peaks {
            if let Some(sparse) = peak.sparse.take() {
                peak.dense = sparse;
            }
        }
        self
    }

    /// The device with every rate read as counting this: NPU tools call multiply-adds operations.
    #[must_use]
    pub fn counting(mut self, counts: Counts) -> Self {
        for peak in &mut self.peaks {
            peak.counts = counts;
        }
        self
    }
}
