//! gzip, of one member or many.

use std::io::{BufReader, Read};

use flate2::bufread::MultiGzDecoder;

/// The unpacked content. Everything before damage comes out before the error does.
pub(super) fn unpack<R: Read>(reader: R) -> impl Read {
    MultiGzDecoder::new(BufReader::with_capacity(super::PACKED, reader))
}
