//! Nsight Systems: the database that `nsys export --type sqlite` writes.
//!
//! Its tables are those of <https://docs.nvidia.com/nsight-systems/UserGuide/index.html#sqlite-schema-reference>. They
//! change with the version, and a table without rows is mostly not there at all, so every table and every column is
//! asked for and may be missing. What is not read: samples and their call chains, scheduling, graphics, and the
//! environment of processes.

mod about;
mod calls;
mod device;
mod domains;
mod host;
mod names;
mod nvtx;
mod places;
mod report;
mod samples;
mod sink;
mod stats;

use super::sqlite::Stored;
use super::{Refused, whole};
use crate::formats::Document;
use crate::sqlite::Database;
use sink::Sink;

pub(crate) use report::is_export_of;
pub(crate) use report::{REPORT, is_name as is_report};
pub(crate) use stats::CSV;

/// Name of the format.
pub(super) const ID: &str = "nsys-sqlite";

/// Tells it by the table that every export has.
pub(super) fn is_it(database: &Database<'_>) -> bool {
    database.table("StringIds").is_some()
}

/// Reads it.
pub(super) fn read(stored: Stored<'_>) -> Result<Document, Refused> {
    let Stored { database, diagnostics, .. } = stored;
    let mut sink = Sink::new(diagnostics);
    sink.names.read(&database, &mut sink.trace.diagnostics)?;
    sink.places.read_devices(&database, &mut sink.trace.diagnostics)?;
    sink.make_room(&database);
    host::read_runtime(&database, &mut sink)?;
    device::read(&database, &mut sink)?;
    sink.calls = calls::Calls::default();
    nvtx::read(&database, &mut sink)?;
    host::read_others(&database, &mut sink)?;
    samples::read(&database, &mut sink)?;
    about::read(&database, &mut sink)?;
    if sink.trace.events == 0 {
        let what = "a Nsight Systems export without kernels, calls or ranges".to_owned();
        let hint = "record with `nsys profile --trace=cuda,nvtx,osrt -o report CMD`, then `nsys export --type sqlite`";
        return Err(Refused { offset: 0, what, hint: hint.to_owned() });
    }
    Ok(whole(sink.finish(), database.size(), ID))
}
