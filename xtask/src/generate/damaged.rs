//! A small trace with the damage that recordings really suffer from.

use anyhow::{Context, Result};

use crate::simulate::document::Document;
use crate::simulate::kineto::Writer;
use crate::simulate::random::Random;
use crate::simulate::recorder::Process;
use crate::simulate::training::{self, Place, Shape, Trainer};

const SHAPE: Shape = Shape { layers: 1, hidden: 64, heads: 4, vocabulary: 512, batch: 2 };

/// A trace of one short step: an event of garbage in it, an impossible duration, and no end.
pub(super) fn make() -> Result<Vec<u8>> {
    let process = Process {
        id: 7_301,
        autograd_thread: 7_388,
        device: 0,
        with_stack: false,
        with_shapes: true,
        small_calls: 0,
        seed: 99,
        start: 4_213_371_902_118_000,
    };
    let document = Document { process, rank: 0, world: 1, trace_id: 0xdead, name: "damaged.pt.trace.json" };
    let mut ranks = [Trainer::new(process, SHAPE, Place::new(0, 1, (40_000, 50_000)))];
    ranks[0].sequence = 32;
    ranks[0].start();
    training::step(&mut ranks, 1, &mut Random::new(7), |_| 0);
    let [mut rank] = ranks;
    // A few events of the host are enough to show what happens; the kernels come after them in the file.
    rank.recorder.events.sort();
    rank.recorder.events.ops.truncate(24);
    rank.recorder.events.memory.truncate(8);
    rank.recorder.events.calls.truncate(24);
    let mut writer = Writer::new(Vec::new(), process.id, process.device);
    writer.raw(&document.header())?;
    writer.events(&rank.recorder.events)?;
    let text = String::from_utf8(writer.finish()?)?;
    damage(&text).map(String::into_bytes)
}

fn damage(text: &str) -> Result<String> {
    // A kernel that ran for 292 years: the profiler subtracted a start it did not have.
    let kernel = nth(text, "\"cat\": \"kernel\"", 3)?;
    let duration = kernel + text[kernel..].find("\"dur\": ").context("no duration")? + "\"dur\": ".len();
    let rest = duration + text[duration..].find(',').context("no end of duration")?;
    let mut damaged = format!("{}9223372036854775807{}", &text[..duration], &text[rest..]);
    // Bytes of another file in the middle of an operator, as a bad disk leaves them.
    let operator = nth(&damaged, "\"cat\": \"cpu_op\"", 9)?;
    let name = operator + damaged[operator..].find("\"pid\"").context("no process")?;
    damaged.replace_range(name..name + 60, "\u{1}\u{2}<<<<}}{[ this is not a trace ]\"\\x");
    // The end is missing, as after a full disk.
    let last = nth(&damaged, "\"cat\": \"kernel\"", 14)?;
    damaged.truncate(last + 90);
    Ok(damaged)
}

/// Where the pattern occurs for the n-th time, counted from 0.
fn nth(text: &str, pattern: &str, n: usize) -> Result<usize> {
    let found = text.match_indices(pattern).nth(n).map(|(at, _)| at);
    found.with_context(|| format!("the trace has fewer than {} times {pattern}", n + 1))
}
