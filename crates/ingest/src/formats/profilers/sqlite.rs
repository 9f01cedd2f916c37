//! Databases that profilers write, distinguished by the tables they have. To add one: a line in [`ALL`].

use eaves_model::Diagnostics;

use super::{Detect, Format, Input, Recorder, Refused, nsys, rocpd, rocprof_db};
use crate::formats::Document;
use crate::sqlite::{Database, Error, MAGIC};

/// Any SQLite database.
pub(crate) const FORMAT: Format = Format {
    id: "sqlite",
    dialects: &[nsys::ID, rocpd::ID, rocprof_db::ID],
    recorder: Recorder::Unknown,
    detect: Detect::NotJson(is_it),
    read: |input| Ok(read(input)?),
    ..Format::PROFILER
};

/// A database of a profiler.
pub(crate) struct Stored<'a> {
    /// The input as the user named it, with the member of an archive after `!`.
    pub(crate) path: &'a str,
    /// The database.
    pub(crate) database: Database<'a>,
    /// What was odd so far. It belongs in the document.
    pub(crate) diagnostics: Diagnostics,
}

/// A profiler that writes databases.
struct Layout {
    /// Name of its format.
    id: &'static str,
    /// Who writes it.
    recorder: Recorder,
    /// Tells its databases by their tables.
    is_it: fn(&Database<'_>) -> bool,
    /// Reads one.
    read: fn(Stored<'_>) -> Result<Document, Refused>,
}

/// Every one that is read.
const ALL: &[Layout] = &[
    Layout { id: nsys::ID, recorder: Recorder::NsightSystems, is_it: nsys::is_it, read: nsys::read },
    Layout { id: rocpd::ID, recorder: Recorder::Rocprofv3, is_it: rocpd::is_it, read: rocpd::read },
    Layout {
        id: rocprof_db::ID,
        recorder: Recorder::Rocprof,
        is_it: rocprof_db::is_it,
        read: rocprof_db::read,
    },
];

/// Who writes the database with this name of a format.
pub(crate) fn recorder_of(id: &str) -> Recorder {
    ALL.iter().find(|layout| layout.id == id).map(|layout| layout.recorder).unwrap_or_default()
}

fn is_it(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}

pub(super) fn read(input: Input<'_>) -> Result<Document, Refused> {
    let mut diagnostics = Diagnostics::default();
    let database = Database::open(input.source, input.rest, &mut diagnostics)?;
    let Some(layout) = ALL.iter().find(|layout| (layout.is_it)(&database)) else {
        return Err(unknown(&database));
    };
    let document = (layout.read)(Stored { path: input.path, database, diagnostics })?;
    Ok(document.recorded_by(layout.recorder))
}

fn unknown(database: &Database<'_>) -> Refused {
    const SHOWN: usize = 6;
    let names: Vec<&str> = database.tables().collect();
    let what = match names.as_slice() {
        [] => "a SQLite database without a readable table".to_owned(),
        names if names.len() > SHOWN => {
            format!("a SQLite database of an unknown profiler (`{}`, ...)", names[..SHOWN].join("`, `"))
        }
        names => format!("a SQLite database of an unknown profiler (`{}`)", names.join("`, `")),
    };
    let hint = "supported are databases of Nsight Systems (`nsys export --type sqlite`) and AMD's profilers";
    Refused { offset: 0, what, hint: hint.to_owned() }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        let hint = match error {
            Error::Io(_) => "check that the file is readable",
            Error::TooLarge => "unpack it first",
            Error::Header(_) | Error::WithoutRowid(_) => "write the database again with the profiler",
        };
        Self { offset: 0, what: error.to_string(), hint: hint.to_owned() }
    }
}
