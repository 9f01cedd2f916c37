//! A trace as Chrome JSON for viewers that stack the slices of a thread, such as Perfetto.
//!
//! Such viewers draw slices that overlap partly in the wrong depth or drop them. Each of these goes to an extra
//! lane, its own thread that is named after the real one. The argument [`chrome::TRACK_ARGUMENT`] keeps the
//! real one, so that the file still gives the same model when it is read.

use std::io::{self, Write};

use eaves_model::Trace;

use super::chrome;
use super::lanes::Lanes;

/// Writes a trace as Chrome JSON with extra lanes. Read again it gives the same model. The answer is the number of
/// events.
///
/// # Errors
/// Only those of the output.
pub fn write(trace: &Trace, output: &mut impl Write) -> io::Result<u64> {
    chrome::write_on_lanes(trace, &Lanes::find(trace), output)
}
