//! The files of `examples/`.

use std::io::{Read, Write};
use std::path::Path;

use anyhow::Result;
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};

use super::damaged;
use crate::simulate::document::Document;
use crate::simulate::kineto::Writer;
use crate::simulate::random::Random;
use crate::simulate::recorder::Process;
use crate::simulate::training::{self, Place, Shape, Trainer};

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

const SHAPE: Shape = Shape { layers: 3, hidden: 768, heads: 12, vocabulary: 16_000, batch: 16 };
const SEQUENCE: u64 = 512;
const FIRST_STEP: u64 = 3;
const STEPS: u64 = 3;
/// When the job was recorded, in nanoseconds after the base time.
const START: u64 = 4_213_371_902_118_000;
/// Nanoseconds to decode a sample. Rank 1 reads from a slow disk, so every other rank waits for it.
const DECODING: [(u64, u64); 2] = [(52_000, 68_000), (390_000, 440_000)];

/// Every example with its name.
pub(super) fn all() -> Result<Vec<(String, Example)>> {
    let mut ranks = training()?.into_iter();
    let mut files = Vec::new();
    for name in ["training/rank0.json.gz", "training/rank1.json.gz"] {
        if let Some(plain) = ranks.next() {
            files.push((format!("examples/{name}"), compress(&plain)?));
        }
    }
    files.push(("examples/damaged/truncated.json".to_owned(), Example::plain(damaged::make()?)));
    Ok(files)
}

fn training() -> Result<Vec<Vec<u8>>> {
    let mut random = Random::new(20_250_923);
    let world = DECODING.len() as u64;
    let mut documents = Vec::new();
    let mut ranks = Vec::new();
    for (rank, decoding) in (0..).zip(DECODING) {
        let process = Process {
            id: 48_210 + rank,
            autograd_thread: 48_377 + 3 * rank,
            device: rank,
            with_stack: true,
            small_calls: 0,
            seed: random.next(),
            start: START + rank * 912_377,
        };
        let trace_id = u128::from(random.next()) << 64 | u128::from(random.next());
        documents.push(Document { process, rank, world, trace_id, name: "training.pt.trace.json" });
        let mut trainer = Trainer::new(process, SHAPE, Place { rank, world, decoding });
        trainer.sequence = SEQUENCE;
        trainer.start();
        ranks.push(trainer);
    }
    // A step before the recording fills the allocator's cache, as the profiler's warm-up does.
    training::step(&mut ranks, FIRST_STEP - 1, &mut random, |_| 0);
    for (rank, document) in ranks.iter_mut().zip(&mut documents) {
        rank.recorder.events.clear();
        document.process.start = rank.recorder.restart();
    }
    for number in FIRST_STEP..FIRST_STEP + STEPS {
        training::step(&mut ranks, number, &mut random, |_| 0);
    }
    let mut files = Vec::new();
    for (mut rank, document) in ranks.into_iter().zip(documents) {
        let end = rank.stop();
        let mut writer = Writer::new(Vec::new(), document.process.id, document.process.device);
        writer.raw(&document.header())?;
        rank.recorder.events.sort();
        writer.events(&rank.recorder.events)?;
        writer.raw(&document.footer(end).0)?;
        files.push(writer.finish()?);
    }
    Ok(files)
}
