//! The content of a kernel table, command list or benchmark, uninterpreted: no formulas, no device units, no defaults.

use crate::Diagnostics;

/// A measurement file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurements {
    /// The input as the user named it, with the member of an archive after `!`.
    pub path: String,
    /// Format of the content: `kernels-csv`, `events`, `commands`, `benchmark`, or that of a profiler's summary.
    pub format: &'static str,
    /// How it was packed, such as `plain` or `gzip`.
    pub container: &'static str,
    /// Size of the content after unpacking.
    pub bytes: u64,
    /// The measured device, as stated by the file.
    pub device: Option<String>,
    /// Records in order.
    pub records: Vec<Measurement>,
    /// Diagnostics.
    pub diagnostics: Diagnostics,
}

/// Kind of record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeasurementKind {
    /// Work of a device: a kernel, an operator, a command.
    #[default]
    Compute,
    /// Bytes that went over a link.
    Communication,
}

/// One record. Missing fields are absent; numbers are finite and not negative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    /// Work or communication.
    pub kind: MeasurementKind,
    /// The name; empty if there is none.
    pub name: String,
    /// The type of operator or event, as written: `ID_CONV`, `matmul`, `a2a`.
    pub type_name: String,
    /// The element type, as written; empty if there is none.
    pub dtype: String,
    /// Extents of a benchmark, as written: `4096x4096`.
    pub shape: Vec<u64>,
    /// Additions and multiplications.
    pub flops: Option<f64>,
    /// Multiply-adds.
    pub macs: Option<f64>,
    /// Bytes that had to be moved, or the bytes of a message.
    pub bytes: Option<f64>,
    /// Bytes that were moved, measured.
    pub measured_bytes: Option<f64>,
    /// Time of all calls in nanoseconds.
    pub time: Option<f64>,
    /// How many calls the record is about; amounts are those of one call, the time is that of all.
    pub calls: u64,
    /// The link that bytes went over, as written.
    pub link: Option<String>,
    /// The protocol that bytes were sent by, as written.
    pub protocol: Option<String>,
    /// Hardware counters of one call, by the names the profiler gives them, in base units.
    pub counters: Vec<(String, f64)>,
    /// The whole record as JSON, fields included that have no place here.
    pub record: String,
}
