//! Tar archives, which are not read: a table inside of one would be taken for the whole.

use super::{Detect, Format};
use crate::refusal::{Refusal, Refused};

/// The format.
pub(super) const FORMAT: Format = Format {
    id: "tar",
    in_folders: None,
    detect: Detect::Bytes(is_it),
    read: |_| {
        Err(Refusal::Profiler(Refused {
            offset: 0,
            what: "a tar archive, which is not supported".to_owned(),
            hint: "extract it and pass the directory, or pack the files with zip".to_owned(),
        }))
    },
    ..Format::PROFILER
};

/// True for the first header of an archive.
fn is_it(first: &[u8]) -> bool {
    // POSIX writes a zero behind the mark, GNU a blank.
    first.get(257..263).is_some_and(|mark| mark == b"ustar\0" || mark == b"ustar ")
}
