//! The JSON of rocprofv3 (`-f json`, `<pid>_results.json`): a schema of AMD's own, which reaches hundreds of megabytes.
//!
//! Sections and fields are those of `rocprofv3-schema.json` in ROCm's rocprofiler-sdk. Times are nanoseconds of the
//! clock that the runtime converts device times to, `CLOCK_BOOTTIME` on Linux.

mod finish;
mod process;
mod record;
mod symbols;
#[cfg(test)]
mod tests;
mod walk;

use eaves_model::Trace;

use super::shared::amd;
use super::{Detect, Format, Input, Recorder, Refused, part_of_run};
use crate::formats::{Document, refused_as_damaged};
use crate::json::window::Window;

/// The format.
pub(crate) const FORMAT: Format = Format {
    id: "rocprofv3-json",
    recorder: Recorder::Rocprofv3,
    detect: Detect::Json(is_it),
    read: |input| Ok(read(input)?),
    ..Format::PROFILER
};

/// The most bytes of JSON to make room for in advance.
const MOST_EXPECTED: u64 = 16 << 30;

/// Bytes of a dispatch, about.
const BYTES_OF_DISPATCH: u64 = 430;

fn is_it(first: &[u8]) -> bool {
    let first = first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(first).trim_ascii_start();
    let key =
        first.strip_prefix(b"{").map(<[u8]>::trim_ascii_start).and_then(|rest| rest.strip_prefix(b"\""));
    key.and_then(|key| key.strip_prefix(walk::ROOT)).is_some_and(|rest| rest.starts_with(b"\""))
}

fn read(input: Input<'_>) -> Result<Document, Refused> {
    let mut trace = Trace::default();
    // Room that is not used is never taken from the system.
    let rows = usize::try_from(input.source.expected().min(MOST_EXPECTED) / BYTES_OF_DISPATCH).unwrap_or(0);
    trace.slices.reserve(rows);
    trace.gpu.reserve(rows);
    trace.dispatches.reserve(rows);
    let mut walk = walk::Walk::new(input.source, trace);
    let bytes = walk.run(Window::new(input.rest, 0));
    let mut trace = walk.trace;
    if trace.events == 0 {
        let nothing = Refused {
            offset: 0,
            what: "rocprofv3 JSON without kernels, calls, copies or markers".to_owned(),
            hint: "record with `rocprofv3 --kernel-trace --memory-copy-trace --hip-trace -f json -- APPLICATION`"
                .to_owned(),
        };
        return Err(refused_as_damaged("JSON of rocprofv3", &trace.diagnostics).unwrap_or(nothing));
    }
    amd::count_from_first(&mut trace);
    trace.metadata.host_name = walk.host_name;
    trace.metadata.tool = Some("rocprofv3".to_owned());
    trace.metadata.clock = Some("nanoseconds since boot, device times converted by the runtime".to_owned());
    Ok(part_of_run(input.path, trace, bytes, FORMAT.id))
}
