//! Kernels that were to be run, and the roofs they are compared with.

use super::{Measurement, Spec};
use crate::Device;
use crate::device::ONE_CORE;

/// Outcome of a kernel run.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there are dozens of them, and nearly all are the large one")]
pub enum Ran {
    /// It was measured, for better or worse.
    Measured(Measurement),
    /// It could not be run.
    Refused {
        /// What was asked for.
        spec: Spec,
        /// Why not.
        why: String,
    },
}

impl Ran {
    /// The measurement, if there is one.
    pub fn measured(&self) -> Option<&Measurement> {
        match self {
            Self::Measured(measurement) => Some(measurement),
            Self::Refused { .. } => None,
        }
    }
}

/// The roofs that measurements are compared with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Roofs<'a> {
    /// Those of everything together.
    pub all: Option<&'a Device>,
    /// Those of one core, where they were measured.
    pub one: Option<&'a Device>,
}

impl<'a> Roofs<'a> {
    /// The roofs of a machine: the device as a whole and one core of it, or one of the two.
    pub fn of(devices: &'a [Device]) -> Self {
        let is_one = |device: &&Device| device.scope.as_deref() == Some(ONE_CORE);
        Self { all: devices.iter().find(|device| !is_one(device)), one: devices.iter().find(is_one) }
    }

    /// Those over this many threads of a backend. What all cores can do says nothing of some of them.
    pub fn over(&self, measurement: &Measurement) -> Option<&'a Device> {
        let conditions = &measurement.conditions;
        match conditions.backend.as_str() {
            "cpu" if conditions.threads == 1 => self.one.or(self.all),
            "cpu" => {
                let threads = conditions.threads as f64;
                self.all.filter(|device| device.units.as_ref().is_none_or(|units| units.value == threads))
            }
            _ => self.all,
        }
    }

    /// True if the measurement is of one core, and `all` is of more.
    pub fn are_of_more_than(&self, measurement: &Measurement) -> bool {
        measurement.conditions.backend == "cpu" && measurement.conditions.threads == 1 && self.one.is_some()
    }
}
