//! Says what the level of detail costs: `cargo run --release -p eaves-model --example level_of_detail -- 1000000`.
//! 64 dense rows on 1600 pixels, the worst case of a screen.

use std::time::{Duration, Instant};

use eaves_model::{Ident, Interval, LevelOfDetail, Ns, Pixels, Rows, Slice, SliceKind, Trace, TrackId};

const TRACKS: i64 = 64;
const PIXELS: u32 = 1600;

#[expect(clippy::print_stdout, reason = "a program of its own")]
fn main() {
    let slices: i64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let trace = dense(slices);
    let (rows, assigning) = timed(|| Rows::assign(&trace, |_| true));
    let (index, building) = timed(|| LevelOfDetail::of(&trace, rows.clone()));
    println!("{slices} slices: rows {assigning:.1?}, index {building:.1?}");
    let end = trace.extent().map_or(Ns::ZERO, |extent| extent.end);
    for zoom in [1, 10, 100, 1_000, 10_000] {
        let pixels = Pixels::new(Interval::new(Ns::ZERO, Ns(end.0 / zoom)), PIXELS);
        let (extracts, asking) = timed(|| {
            let mut extracts = 0;
            for row in index.rows() {
                index.query(row, &pixels, |extract| extracts += extract.count.min(1));
            }
            extracts
        });
        println!("  1/{zoom} of the time: {asking:.2?} for {extracts} pixels in which something begins");
    }
}

/// Slices of 1 to 8 us with gaps of up to 1 us, track by track.
fn dense(slices: i64) -> Trace {
    let mut trace = Trace::default();
    for track in 0..TRACKS {
        let id: TrackId = trace.tracks.get_or_add(Ident::number(1), Ident::number(track));
        let (mut time, mut random) = (0, 0x9e37_79b9_u64 + track as u64);
        for _ in 0..slices / TRACKS {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let (duration, gap) = (1_000 + (random % 7_000) as i64, (random >> 32) as i64 % 1_000);
            trace.slices.push(Slice {
                start: Ns(time + gap),
                duration: Ns(duration),
                track: id,
                kind: SliceKind::Op,
                ..Slice::default()
            });
            time += gap + duration;
        }
    }
    trace
}

/// The best of some runs, with its answer.
fn timed<R>(work: impl Fn() -> R) -> (R, Duration) {
    let run = || {
        let begin = Instant::now();
        let answer = work();
        (answer, begin.elapsed())
    };
    let mut best = run();
    for _ in 0..4 {
        let next = run();
        if next.1 < best.1 {
            best = next;
        }
    }
    best
}
