//! Loads that follow from something else than a formula of ours, and why there is none.

use eaves_assess::roofline::Load;
use eaves_model::{Extent, SliceKind, Trace};
use eaves_roofline::scripts::Script;
use eaves_roofline::{Arithmetic, Engine, counters, ops};

use crate::kernel_counters::architecture;

/// What a copy or memset does to the memory of the device: between host and device it is one side of it.
pub(super) fn copied(name: &str, bytes: f64) -> Result<Load, String> {
    let is_one_sided = ["HtoD", "DtoH", "HostToDevice", "DeviceToHost"].iter().any(|way| name.contains(way));
    let is_set = name.starts_with("Memset");
    let work = if is_set || is_one_sided { ops::set(bytes) } else { ops::transfer(bytes) };
    work.map(|work| Load::from(&work))
}

/// What a kernel does that fills memory, by its name and the size of its launch.
pub(super) fn filled(name: &str, [grid, block]: [Extent; 2]) -> Option<Load> {
    ops::filled(name, grid.get()?, block.get()?).map(|work| Load::from(&work))
}

/// Whether the kernel name says better than the operator what it is computed in: FP32 may be computed in less, bytes
/// may be floats of 8 and 4 bits, and what has no arithmetic of its own leaves it open.
pub(super) fn kernel_decides(load: &Load, kernel: Arithmetic) -> bool {
    use Arithmetic::{Bf16, Fp4, Fp8, Fp16, Fp32, Int8, Tf32};
    let open = match load.arithmetic {
        None => true,
        Some(Fp32) => matches!(kernel, Tf32 | Bf16 | Fp16),
        Some(Int8) => matches!(kernel, Fp8 | Fp4),
        Some(_) => false,
    };
    open && load.engine == Engine::Matrix
}

/// What the user's formula says. It is computed in the type of the first tensor, on the fastest units that have it.
pub(super) fn scripted(script: &Script, call: &ops::Call<'_>) -> Result<Load, String> {
    let work = script.recorded(call).map_err(|error| error.to_string())?;
    let precision = call.tensors().next().and_then(|tensor| tensor.precision);
    Ok(Load {
        flops: work.flops,
        macs: work.macs,
        bytes: work.bytes,
        arithmetic: precision.and_then(|precision| precision.arithmetic()),
        engine: Engine::Matrix,
        ..Load::default()
    })
}

/// Why an activity is unattributed: nothing is known of its launch.
pub(super) const NO_LAUNCH: &str = "launching call not recorded";

/// The same in a recording without operators.
pub(super) const NO_OPERATORS: &str = "no operators recorded";

/// How the reason begins where a recording of counters has none of a kernel.
pub(super) const NO_COUNTERS: &str = "no counters recorded";

pub(super) fn why_unattributed(trace: &Trace, name: &str, launched_by: &str) -> String {
    // Profilers of vendors name themselves, and record no operators.
    if trace.metadata.tool.is_some() && trace.ops.is_empty() {
        if name.starts_with("Memcpy") || name.starts_with("Memset") {
            return "memcpys and memsets have no counters".to_owned();
        }
        let recipe = counters::recipe(architecture(trace, None));
        return format!("{NO_COUNTERS}; record {recipe}");
    }
    if !trace.slices.kind.contains(&SliceKind::Op) {
        NO_OPERATORS.to_owned()
    } else if launched_by.is_empty() {
        NO_LAUNCH.to_owned()
    } else {
        format!("{launched_by} was called outside any operator")
    }
}
