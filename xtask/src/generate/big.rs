//! A trace of any size for benchmarks, made on the fly: never more than one step is in memory.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::simulate::document::Document;
use crate::simulate::kineto::Writer;
use crate::simulate::random::Random;
use crate::simulate::recorder::Process;
use crate::simulate::training::{self, Place, Shape, Trainer};

const SHAPE: Shape = Shape { layers: 12, hidden: 1024, heads: 16, vocabulary: 32_000, batch: 8 };

/// What was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    /// Size of the JSON.
    bytes: u64,
    events: u64,
    steps: u64,
    seconds: f64,
}

impl fmt::Display for Made {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{:.1} MB of JSON, {} events of {:.0} bytes, {} steps, {:.2} s, {:.0} MB/s",
            self.bytes as f64 / 1e6,
            self.events,
            self.bytes as f64 / self.events as f64,
            self.steps,
            self.seconds,
            self.bytes as f64 / 1e6 / self.seconds,
        )
    }
}

/// Reads a size such as `500MB`, `5GB` or `1000`.
pub(crate) fn parse_size(text: &str) -> Result<u64> {
    let upper = text.to_uppercase();
    let (digits, factor) = [("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000), ("", 1)]
        .into_iter()
        .find_map(|(unit, factor)| Some((upper.strip_suffix(unit)?, factor)))
        .unwrap_or((&upper, 1));
    let number: u64 =
        digits.trim().parse().with_context(|| format!("`{text}` is no size; write it like `500MB`"))?;
    Ok(number * factor)
}

/// Writes a trace of about `size` bytes of JSON, compressed if the name ends in `.gz`.
pub(crate) fn write(path: &Path, size: u64) -> Result<Made> {
    let start = Instant::now();
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    let mut made = if path.extension().is_some_and(|extension| extension == "gz") {
        let mut encoder = GzEncoder::new(file, Compression::default());
        let made = write_to(&mut encoder, size)?;
        encoder.finish()?;
        made
    } else {
        write_to(file, size)?
    };
    made.seconds = start.elapsed().as_secs_f64();
    Ok(made)
}

/// A number that changes when the traces do.
pub(crate) fn fingerprint() -> io::Result<u32> {
    let mut beginning = Vec::new();
    write_to(&mut beginning, 1)?;
    // FNV-1a.
    Ok(beginning.iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)))
}

fn write_to(out: impl Write, size: u64) -> io::Result<Made> {
    let mut random = Random::new(4_711);
    let process = Process {
        id: 91_204,
        autograd_thread: 91_377,
        device: 0,
        with_stack: true,
        with_shapes: true,
        small_calls: 32,
        seed: 20_250_923,
        start: 4_213_371_902_118_000,
    };
    // Seven more ranks are not simulated; one of them is always last.
    let place = Place::new(0, 8, (150_000, 220_000));
    let document = Document { process, rank: 0, world: 8, trace_id: 0xb16, name: "big.pt.trace.json" };
    let mut ranks = [Trainer::new(process, SHAPE, place)];
    ranks[0].start();
    ranks[0].recorder.events.clear();
    let mut writer = Writer::new(out, process.id, process.device);
    writer.raw(&document.header())?;
    let mut step = 0;
    while writer.bytes < size {
        let lengths = Lengths::at(step);
        ranks[0].sequence = lengths.pick(&mut random);
        ranks[0].fused = Some(ranks[0].sequence);
        training::step(&mut ranks, step, &mut random, |random| random.between(5_000, 900_000));
        let events = &mut ranks[0].recorder.events;
        events.sort();
        writer.events(events)?;
        events.clear();
        step += 1;
    }
    let end = ranks[0].stop();
    ranks[0].recorder.events.sort();
    writer.events(&ranks[0].recorder.events)?;
    let (footer, footer_events) = document.footer(end);
    writer.raw(&footer)?;
    let events = writer.events + footer_events;
    let bytes = writer.bytes;
    writer.finish()?;
    Ok(Made { bytes, events, steps: step, seconds: 0.0 })
}

/// Lengths of texts in a batch. A new one appears every 32 steps, and with it new shapes and kernels, as in a job
/// that pads each batch to its longest text.
struct Lengths {
    count: u64,
}

impl Lengths {
    fn at(step: u64) -> Self {
        Self { count: 4 + step / 32 }
    }

    fn pick(&self, random: &mut Random) -> u64 {
        // Steps of 8, spread over the whole range in an order that keeps the mean where it is.
        256 + 8 * (random.between(0, self.count - 1) * 37 % 97)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("500MB").unwrap(), 500_000_000);
        assert_eq!(parse_size("5gb").unwrap(), 5_000_000_000);
        assert_eq!(parse_size("12").unwrap(), 12);
        assert!(parse_size("many").is_err());
    }
}
