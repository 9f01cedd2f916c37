//! The options that measuring depends on, as a text that people can compare too.

use std::fmt::Write;

use crate::{Options, Selection};

/// What options were measured with. Ranks, devices and limits are not part of it: they are looked at when a report is put
/// together, and may be others then.
pub(super) fn fingerprint(options: &Options) -> String {
    // In full, so that a new option cannot be forgotten here.
    let Options {
        selection,
        kernel_wait,
        queue_limit,
        details,
        formulas,
        device: _,
        machine: _,
        roofline: _,
    } = options;
    let Selection { steps, time, ranks: _ } = selection;
    let mut text = format!("kernel-wait={} queue-limit={queue_limit} details={details}", kernel_wait.0);
    // Writing to a text cannot fail.
    if let Some(steps) = steps {
        let _ = write!(text, " step={}-{}", steps.start(), steps.end());
    }
    if let Some(time) = time {
        let _ = write!(text, " time={}-{}", time.start.0, time.end.0);
    }
    if let Some(script) = formulas {
        let hash = script.text().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let _ = write!(text, " ops={hash:016x}");
    }
    text
}
