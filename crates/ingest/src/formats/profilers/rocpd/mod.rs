//! rocpd, the database that rocprofv3 writes (`-f rocpd`, and by default since ROCm 7.0).
//!
//! Tables are those of schema 3, `rocpd_tables.sql` in ROCm's rocprofiler-sdk. Each run has a set of tables of its own,
//! with its identifier behind their names; a file may hold several runs. The views without the identifier are SQL, which
//! is not run. `rocpd_info_process.environment` holds the environment of the program, with whatever secrets are in
//! it: that column and the command line are never asked for.

mod events;
mod rows;
mod tables;
#[cfg(test)]
mod tests;

use eaves_model::{Diagnostics, Trace, WarningKind};

use super::shared::amd;
use super::sqlite::Stored;
use super::{Refused, part_of_run};
use crate::formats::{Document, refused_as_damaged};
use crate::sqlite::{Database, Row};

/// The name of the format.
pub(super) const ID: &str = "rocpd";

/// The newest schema that is known.
const NEWEST_SCHEMA: i64 = 3;

/// The table by which runs are found: every database of this schema has it, filled or not.
const OF_RUN: &str = "rocpd_kernel_dispatch";

/// Tells it by its tables.
pub(super) fn is_it(database: &Database<'_>) -> bool {
    database.tables().any(|name| name.starts_with(OF_RUN))
}

/// Reads it.
pub(super) fn read(stored: Stored<'_>) -> Result<Document, Refused> {
    let Stored { path, database, diagnostics, .. } = stored;
    let mut trace = Trace { diagnostics, ..Trace::default() };
    let runs: Vec<&str> = database.tables().filter_map(|name| name.strip_prefix(OF_RUN)).collect();
    for (at, suffix) in runs.into_iter().enumerate() {
        let run = Run { database: &database, suffix };
        run.check_schema(&mut trace.diagnostics)?;
        rows::read(run, &mut trace, at > 0)?;
    }
    if trace.events == 0 {
        let nothing = Refused {
            offset: 0,
            what: "a rocpd database without kernels, calls, copies or markers".to_owned(),
            hint: "record with `rocprofv3 --kernel-trace --memory-copy-trace --hip-trace -f rocpd -- APPLICATION`"
                .to_owned(),
        };
        return Err(refused_as_damaged("a rocpd database", &trace.diagnostics).unwrap_or(nothing));
    }
    amd::count_from_first(&mut trace);
    trace.metadata.tool = Some("rocprofv3".to_owned());
    trace.metadata.clock = Some("nanoseconds since boot, device times converted by the runtime".to_owned());
    Ok(part_of_run(path, trace, database.size(), ID))
}

/// The tables of one run.
#[derive(Clone, Copy)]
struct Run<'d> {
    database: &'d Database<'d>,
    /// What stands behind the names of its tables.
    suffix: &'d str,
}

impl Run<'_> {
    /// Shows every row of a table. A table that is not there has none.
    fn scan(
        &self,
        table: &str,
        wanted: &[&str],
        diagnostics: &mut Diagnostics,
        each: impl FnMut(&Row<'_>),
    ) -> Result<(), Refused> {
        match self.database.table(&format!("{table}{}", self.suffix)) {
            Some(table) => Ok(table.scan(wanted, diagnostics, each)?),
            None => Ok(()),
        }
    }

    /// A newer schema is read as far as it is like the known one.
    fn check_schema(&self, diagnostics: &mut Diagnostics) -> Result<(), Refused> {
        let mut version = None;
        self.scan("rocpd_metadata", &["tag", "value"], diagnostics, |row| {
            if row.text(0).as_deref() == Some("schema_version") {
                version = row.text(1).and_then(|value| value.trim().parse().ok()).or_else(|| row.integer(1));
            }
        })?;
        match version {
            Some(version) if version <= NEWEST_SCHEMA => {}
            Some(version) => {
                let detail = format!("rocpd schema {version}, newer than the supported {NEWEST_SCHEMA}");
                diagnostics.note_detail(WarningKind::BadHeader, None, detail);
            }
            None => diagnostics.note_detail(WarningKind::BadHeader, None, "no rocpd schema version"),
        }
        Ok(())
    }
}
