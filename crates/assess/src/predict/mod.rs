//! The `predict` section: what a device needs at best for shapes and whole models.

mod kernels;
mod model;
mod sweep;

pub use kernels::{Kernel, kernels};
pub use model::model;
pub use sweep::{Swept, sweep};

use eaves_roofline::device::Peak;
use eaves_roofline::{Assessment, Device, Work};
use eaves_section::{Column, Unit, Value};

/// The columns of the first table. `flops`, `bytes` and `macs` are per call, `time_ns` is of all calls.
const COLUMNS: [Column; 12] = [
    Column::new("op", "Operator", Unit::None),
    Column::new("precision", "Precision", Unit::None),
    Column::new("flops", "FLOPs", Unit::Flop),
    Column::new("bytes", "Bytes", Unit::Bytes).main(),
    Column::new("intensity", "Intensity", Unit::FlopPerByte).main(),
    Column::new("time_ns", "Time", Unit::Nanoseconds),
    Column::new("bound_by", "Bound by", Unit::None),
    Column::new("calls", "Calls", Unit::Count),
    Column::new("macs", "MACs", Unit::Count),
    Column::new("roof_gflops", "Roof", Unit::GigaflopsPerSecond),
    Column::new("knee", "Knee", Unit::FlopPerByte).main(),
    Column::new("class", "Class", Unit::None).main(),
];

/// The peak that bounds work on a device.
fn peak<'a>(work: &Work, device: &'a Device) -> Option<&'a Peak> {
    device.peak(work.arithmetic?, work.engine)
}

const NO_PEAK: &str = "the device has no peak for this";

/// A count that formulas give as a float.
fn count(value: f64) -> Value {
    if value.abs() < 9e18 {
        Value::Integer(value.round() as i64)
    } else {
        Value::Missing("too many to count")
    }
}

/// Nanoseconds, not rounded: predictions have no clock.
fn nanoseconds(seconds: Option<f64>) -> Value {
    Value::known(seconds.map(|seconds| seconds * 1e9), NO_PEAK)
}

fn class(found: &Assessment) -> Value {
    Value::known_text(found.class.map(|class| class.id()), NO_PEAK)
}
