//! Bytes in the packings that browsers ask for.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// How bytes travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Brotli,
}

impl Packing {
    /// The best that a client takes, by its `Accept-Encoding`.
    pub(crate) fn accepted(header: &str) -> Self {
        let takes = |name: &str| {
            header.split(',').any(|one| {
                let (coding, weight) = one.split_once(';').unwrap_or((one, ""));
                let refused =
                    weight.trim().strip_prefix("q=").and_then(|weight| weight.parse().ok()) == Some(0.0);
                coding.trim().eq_ignore_ascii_case(name) && !refused
            })
        };
        match () {
            () if takes("br") => Self::Brotli,
            () if takes("gzip") => Self::Gzip,
            () => Self::Plain,
        }
    }

    /// Its name in headers.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
        }
    }
}

/// Bytes as gzip: `level` 1 is quick, 6 is small.
pub(crate) fn gzip(bytes: &[u8], level: u32) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 3), Compression::new(level));
    // Memory takes everything.
    drop(encoder.write_all(bytes));
    encoder.finish().unwrap_or_default().into()
}

/// Bytes as Brotli.
pub(crate) fn brotli(bytes: &[u8]) -> Bytes {
    // Quality 5 packs better than gzip in a like time; the window is 4 MB.
    let parameters = brotli::enc::BrotliEncoderParams { quality: 5, lgwin: 22, ..Default::default() };
    let mut packed = Vec::with_capacity(bytes.len() / 4);
    match brotli::BrotliCompress(&mut &bytes[..], &mut packed, &parameters) {
        Ok(_) => packed.into(),
        Err(_) => Bytes::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn clients_get_what_they_take() {
        assert_eq!(Packing::accepted("gzip, deflate, br, zstd"), Packing::Brotli);
        assert_eq!(Packing::accepted("gzip;q=1.0, br;q=0"), Packing::Gzip);
        assert_eq!(Packing::accepted("identity"), Packing::Plain);
        assert_eq!(Packing::accepted(""), Packing::Plain);
    }

    #[test]
    fn what_is_packed_comes_back() {
        let bytes: Vec<u8> = (0..100_000u32).map(|value| (value % 251) as u8).collect();
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&gzip(&bytes, 6)[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, bytes);
        let mut unpacked = Vec::new();
        brotli::BrotliDecompress(&mut &brotli(&bytes)[..], &mut unpacked).unwrap();
        assert_eq!(unpacked, bytes);
    }
}
