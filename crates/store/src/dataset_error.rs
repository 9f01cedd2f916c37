//! Why a dataset cannot be read or written.

use std::io;

/// Why a dataset cannot be read or written. Places are shown as paths or as addresses of a bucket.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system or the bucket refused. The user's path, or the machine's fault.
    #[error("cannot {action} the dataset: {source}: {place}")]
    Io {
        /// What was tried: `read` or `write`.
        action: &'static str,
        /// Where.
        place: String,
        /// What the system says.
        source: io::Error,
    },
    /// There is no dataset. The user's path.
    #[error("no dataset: {place}")]
    NotADataset {
        /// Where.
        place: String,
    },
    /// A dataset would be made where something else is. The user's path.
    #[error("the directory contains something other than a dataset: {entry}")]
    Occupied {
        /// What is there.
        entry: String,
    },
    /// A later version wrote it.
    #[error("format version {found}, but this program supports {known}: {place}")]
    Version {
        /// Where.
        place: String,
        /// The version.
        found: u64,
        /// The newest that is known.
        known: u64,
    },
    /// A file is not what was written. The fault of a disk, a copy or another program.
    #[error("{what}: {place}")]
    Damaged {
        /// The file.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// A name that no folder can have.
    #[error("invalid run name `{name}`")]
    RunName {
        /// The name.
        name: String,
    },
    /// The dataset has no such run, or none at all.
    #[error("no run `{name}` in the dataset: {place}")]
    NoRun {
        /// Where.
        place: String,
        /// The name.
        name: String,
        /// The runs that are there.
        known: Vec<String>,
    },
    /// One run is wanted, and there are several or none.
    #[error("{} in the dataset: {place}", if known.is_empty() { "no run".to_owned() } else { format!("{} runs", known.len()) })]
    NotOneRun {
        /// Where.
        place: String,
        /// The runs that are there.
        known: Vec<String>,
    },
    /// This program was built without object stores.
    #[error("this build of eaves has no object store support: {place}")]
    NotBuilt {
        /// The address.
        place: String,
    },
    /// An address of a kind that this build does not know.
    #[error("{what}: {place}")]
    Address {
        /// The address.
        place: String,
        /// What is wrong.
        what: String,
    },
}

impl Error {
    pub(crate) fn reading(place: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        |source| Self::Io { action: "read", place: place.into(), source }
    }

    pub(crate) fn writing(place: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        |source| Self::Io { action: "write", place: place.into(), source }
    }

    pub(crate) fn damaged(place: impl Into<String>, what: impl ToString) -> Self {
        Self::Damaged { place: place.into(), what: what.to_string() }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Io { .. } => "check that it exists, and that you may read and write there".to_owned(),
            Self::NotADataset { .. } => "create one with `eaves ingest INPUT -o DATASET`".to_owned(),
            Self::Occupied { .. } => "use an empty directory, or one created by `eaves ingest`".to_owned(),
            Self::Version { .. } => "written by a newer eaves; use that version, or create the dataset again".to_owned(),
            Self::Damaged { .. } => {
                "delete this rank's directory and run `eaves ingest` again"
                    .to_owned()
            }
            Self::RunName { .. } => {
                "letters, digits, `-`, `_`, `.` and spaces, with a letter or digit first".to_owned()
            }
            Self::NoRun { known, .. } if known.is_empty() => {
                "add one with `eaves ingest INPUT -o DATASET`".to_owned()
            }
            Self::NotOneRun { known, .. } if known.is_empty() => {
                "add one with `eaves ingest INPUT -o DATASET`".to_owned()
            }
            Self::NoRun { known, .. } => format!("there are: {}", listed(known)),
            Self::NotOneRun { place, known } => {
                format!("name one of them, as in `{place}/run={}`; runs are: {}", known[0], listed(known))
            }
            Self::NotBuilt { .. } => {
                "build it with them: `cargo install --path crates/cli --features cloud`, or copy the files to this machine".to_owned()
            }
            Self::Address { .. } => {
                "addresses are `s3://BUCKET/PATH`, `gs://BUCKET/PATH` and `az://CONTAINER/PATH`".to_owned()
            }
        }
    }
}

/// The first names of a list that may be long.
fn listed(names: &[String]) -> String {
    const MOST: usize = 8;
    let mut text = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text.push_str(&format!(" and {} more", names.len() - MOST));
    }
    text
}
