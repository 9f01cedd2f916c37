//! Hardware counters of one launch to what it did: operations by type and unit, bytes by memory level.
//!
//! Pure functions, one file a vendor. A counter that is not there is unknown, never zero: what cannot be said is named
//! in [`Done::missing`] with the exact option that records it, and how the rest is counted in [`Done::conventions`].
//! The formulas with their sources and the checks on real recordings are in `docs/counters.md`.

pub mod amd;
mod ceilings;
mod convention;
mod metric;
pub mod nvidia;
pub mod nvprof;
#[cfg(test)]
mod tests;

use crate::{Arithmetic, Engine};

pub use ceilings::Ceilings;
pub use convention::Convention;
pub use metric::{adds_up, unit};

/// Ids of memory levels, as devices have them.
pub mod level {
    /// Main memory, whatever its kind.
    pub const MAIN: &str = "hbm";
    /// A cache between L2 and main memory: AMD's Infinity Cache.
    pub const LAST: &str = "llc";
    /// The cache that all multiprocessors share.
    pub const L2: &str = "l2";
    /// The cache of a multiprocessor.
    pub const L1: &str = "l1";
    /// Scratchpad: shared memory, LDS.
    pub const LOCAL: &str = "lds";
}

/// Work of one launch, from its counters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Done {
    /// Operations by type and unit: floats, and integers of matrix units. A type that was counted and not used is there
    /// with 0; one that was not counted is not there.
    pub operations: Vec<Operations>,
    /// Integer operations of the vector units. Mostly addresses and loops, so they are no work to hold against a peak.
    pub vector_integers: Option<f64>,
    /// Bytes moved by the id of the memory level.
    pub bytes: Vec<(&'static str, f64)>,
    /// How the numbers were counted.
    pub conventions: Vec<Convention>,
    /// What was not counted.
    pub missing: Vec<Missing>,
}

/// Operations in one type on one kind of unit. A multiply-add is two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operations {
    /// The type.
    pub arithmetic: Arithmetic,
    /// The units.
    pub engine: Engine,
    /// How many.
    pub count: f64,
}

/// Something that the counters of a launch do not say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// What is unknown: `fp32 vector operations`, `bytes of main memory`.
    pub what: &'static str,
    /// The counters it needs and that are not there.
    pub counters: Vec<String>,
    /// How to record them.
    pub how: String,
}

impl Done {
    /// True if the counters say nothing of operations and bytes.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty() && self.bytes.is_empty()
    }

    /// Floating-point operations of all types and units; unknown if none was counted.
    pub fn flops(&self) -> Option<f64> {
        let mut floats = self.operations.iter().filter(|one| !one.arithmetic.is_integer()).peekable();
        floats.peek()?;
        Some(floats.map(|one| one.count).sum())
    }

    /// Integer operations of matrix units; unknown if none was counted.
    pub fn integer_operations(&self) -> Option<f64> {
        let mut integers = self.operations.iter().filter(|one| one.arithmetic.is_integer()).peekable();
        integers.peek()?;
        Some(integers.map(|one| one.count).sum())
    }

    /// Bytes moved at a level.
    pub fn bytes_at(&self, level: &str) -> Option<f64> {
        self.bytes.iter().find(|(id, _)| *id == level).map(|&(_, bytes)| bytes)
    }

    /// Adds operations.
    fn count(&mut self, arithmetic: Arithmetic, engine: Engine, count: f64) {
        match self.operations.iter_mut().find(|one| one.arithmetic == arithmetic && one.engine == engine) {
            Some(one) => one.count += count,
            None => self.operations.push(Operations { arithmetic, engine, count }),
        }
    }

    /// Notes how something was counted, once.
    fn note(&mut self, convention: Convention) {
        if !self.conventions.contains(&convention) {
            self.conventions.push(convention);
        }
    }
}

/// The counters of a launch, in base units. Any function from names to values is one.
pub trait Lookup {
    /// The value of a counter, if it was recorded.
    fn value(&self, name: &str) -> Option<f64>;

    /// False if no counter has a name that begins like this, so that its many possible ends need not be tried.
    fn has_any(&self, _beginning: &str) -> bool {
        true
    }
}

impl<F: Fn(&str) -> Option<f64>> Lookup for F {
    fn value(&self, name: &str) -> Option<f64> {
        self(name)
    }
}

/// Counters without values that are not amounts: profilers write NaN for what could not be read.
struct Amounts<'a>(&'a dyn Lookup);

impl Lookup for Amounts<'_> {
    fn value(&self, name: &str) -> Option<f64> {
        self.0.value(name).filter(|value| value.is_finite() && *value >= 0.0)
    }

    fn has_any(&self, beginning: &str) -> bool {
        self.0.has_any(beginning)
    }
}

/// What a launch did, by whatever its counters are of: those of AMD's and NVIDIA's profilers have no name in common. The
/// architecture is as compilers call it (`gfx942`, `sm_90`), and empty if it is not known.
pub fn done(architecture: &str, counters: &dyn Lookup) -> Done {
    let amounts = Amounts(counters);
    let lookup = |name: &str| amounts.value(name);
    if architecture.starts_with("gfx") {
        amd::done(architecture, &lookup)
    } else if architecture.starts_with("sm_") {
        nvidia_of_either_tool(architecture, &amounts)
    } else {
        let nvidia = nvidia_of_either_tool(architecture, &amounts);
        if nvidia.is_empty() { amd::done(architecture, &lookup) } else { nvidia }
    }
}

/// What records the work of every kernel on an architecture, in words. Which counters these are is a long list:
/// [`Done::missing`] names those that a launch lacks.
pub fn recipe(architecture: &str) -> String {
    if architecture.starts_with("gfx") {
        format!(
            "with `rocprofv3 -i input.txt` and the output of `eaves counters write --for roofline --arch \
            {architecture}`"
        )
    } else if architecture.starts_with("sm_") {
        "with `eaves profile --with ncu`, which requests the right metrics".to_owned()
    } else {
        "with `eaves profile --with ncu` on NVIDIA, `rocprof-compute profile` on AMD".to_owned()
    }
}

fn nvidia_of_either_tool(architecture: &str, counters: &dyn Lookup) -> Done {
    let legacy = nvprof::done(&|name: &str| counters.value(name));
    if legacy.is_empty() { nvidia::done(architecture, counters) } else { legacy }
}

/// All of the values, if all are there.
fn all<const N: usize>(values: [Option<f64>; N]) -> Option<[f64; N]> {
    let mut known = [0.0; N];
    for (place, value) in known.iter_mut().zip(values) {
        *place = value?;
    }
    Some(known)
}
