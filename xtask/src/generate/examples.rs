//! The files of `examples/`.

use std::io::{Read, Write};
use std::path::Path;

use anyhow::Result;
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};

use super::{damaged, decode, measurements, scenarios};

/// A file to be written.
pub(super) struct Example {
    pub(super) bytes: Vec<u8>,
    is_compressed: bool,
}

impl Example {
    /// A file as it is.
    pub(super) fn plain(bytes: Vec<u8>) -> Self {
        Self { bytes, is_compressed: false }
    }

    /// True if the file on disk says the same. Compressed files are compared by what they contain, because
    /// compressors choose differently on different processors.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        let Ok(there) = std::fs::read(path) else { return false };
        if self.is_compressed { decompress(&there) == decompress(&self.bytes) } else { there == self.bytes }
    }
}

fn decompress(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut plain).ok().map(|_| plain)
}

/// A file packed by gzip.
pub(super) fn compress(plain: &[u8]) -> Result<Example> {
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    Ok(Example { bytes: encoder.finish()?, is_compressed: true })
}

/// Every example with its name.
pub(super) fn all() -> Result<Vec<(String, Example)>> {
    let mut files = Vec::new();
    for scenario in scenarios::ALL {
        for (rank, plain) in scenario.job().record()?.iter().enumerate() {
            files.push((format!("examples/{}/rank{rank}.json.gz", scenario.name), compress(plain)?));
        }
    }
    files.push(("examples/damaged/truncated.json".to_owned(), Example::plain(damaged::make()?)));
    for (name, text) in [
        ("commands.json", measurements::COMMANDS.to_owned()),
        ("decode.csv", decode::csv()),
        ("events.json", measurements::EVENTS.to_owned()),
        ("kernels.csv", measurements::kernels_csv()),
        ("npu_config.json", measurements::NPU_CONFIG.to_owned()),
        ("peaks.yaml", measurements::PEAKS.to_owned()),
    ] {
        files.push((format!("examples/measurements/{name}"), Example::plain(text.into_bytes())));
    }
    Ok(files)
}
