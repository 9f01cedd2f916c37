//! What the user may set.

use std::sync::Arc;

use eaves_model::Ns;
use eaves_roofline::measured::Roofs;
use eaves_roofline::scripts::Script;
use eaves_roofline::{Device, Settings};

use crate::Selection;

/// Options of the analyses.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// What to look at; by default everything.
    pub selection: Selection,
    /// A gap between two activities of a stream up to this long, with the second one already launched, counts as
    /// waiting for the device. HTA's default of 30 µs, which its documents call 30 ns.
    pub kernel_wait: Ns,
    /// Work that one stream can hold before launching blocks: 1024 launches on NVIDIA devices.
    pub queue_limit: u32,
    /// True if tables with a row for each point in time or each activity are wanted too.
    pub details: bool,
    /// The device that work is compared with; by default the one that the recording names.
    pub device: Option<Arc<Device>>,
    /// The machine that work of a CPU is compared with, if no device is named.
    pub machine: Option<Arc<MeasuredMachine>>,
    /// Limits between the statuses of a roofline.
    pub roofline: Settings,
    /// Formulas of the user for operators, which win over ours.
    pub formulas: Option<Arc<Script>>,
}

/// Measured roofs of a machine, for CPU recordings, which name no device.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredMachine {
    /// All cores together, and one of them; one device at least.
    pub devices: Vec<Device>,
    /// The name that recordings must have been made under. Nothing if the user asks for it whatever they say.
    pub host_name: Option<String>,
}

impl MeasuredMachine {
    /// The device for operators that run on this many threads; all cores if that is not known.
    pub fn device(&self, threads: Option<u64>) -> Option<&Device> {
        let Roofs { one, all } = Roofs::of(&self.devices);
        if threads == Some(1) { one.or(all) } else { all.or(one) }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            selection: Selection::default(),
            kernel_wait: Ns(30_000),
            queue_limit: 1024,
            details: false,
            device: None,
            machine: None,
            roofline: Settings::default(),
            formulas: None,
        }
    }
}

impl Options {
    /// Looks at a part only.
    #[must_use]
    pub fn with_selection(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// Counts gaps up to this long as waiting for the device.
    #[must_use]
    pub fn with_kernel_wait(mut self, kernel_wait: Ns) -> Self {
        self.kernel_wait = kernel_wait;
        self
    }

    /// Takes a queue of this length for full.
    #[must_use]
    pub fn with_queue_limit(mut self, queue_limit: u32) -> Self {
        self.queue_limit = queue_limit;
        self
    }

    /// Makes the long tables too.
    #[must_use]
    pub fn with_details(mut self, details: bool) -> Self {
        self.details = details;
        self
    }

    /// Holds work against this device.
    #[must_use]
    pub fn with_device(mut self, device: Option<Arc<Device>>) -> Self {
        self.device = device;
        self
    }

    /// Holds work of a CPU against this machine.
    #[must_use]
    pub fn with_machine(mut self, machine: Option<Arc<MeasuredMachine>>) -> Self {
        self.machine = machine;
        self
    }

    /// Takes the work of operators from these formulas first.
    #[must_use]
    pub fn with_formulas(mut self, formulas: Option<Arc<Script>>) -> Self {
        self.formulas = formulas;
        self
    }

    /// Tells the statuses of a roofline apart by these limits.
    #[must_use]
    pub fn with_roofline(mut self, roofline: Settings) -> Self {
        self.roofline = roofline;
        self
    }
}
