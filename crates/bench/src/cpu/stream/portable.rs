//! Streams as the compiler vectorizes them. There is no portable way to store past the caches.

use std::hint::black_box;

use eaves_roofline::measured::Stream;

use super::{Act, FACTOR, Pattern};

pub(super) fn act(stream: Stream) -> Option<Act> {
    Some(match stream {
        Stream::Read { streams: 1 } => Act::Read(read::<1>),
        Stream::Read { streams: 4 } => Act::Read(read::<4>),
        Stream::Read { .. } => return None,
        Stream::Write(_) => Act::Write(write),
        Stream::Copy(_) => Act::Copy(copy),
        Stream::Triad(_) => Act::Triad(triad),
    })
}

/// Numbers of one stream that are read in a row: a line.
const LINE: usize = 16;

fn read<const STREAMS: usize>(words: &[f32], passes: usize) -> u32 {
    let mut sums = [0_u32; LINE];
    let mut add = |line: &[f32]| {
        for (sum, word) in sums.iter_mut().zip(line) {
            *sum = sum.wrapping_add(word.to_bits());
        }
    };
    for _ in 0..passes {
        let (lines, rest) = black_box(words).as_chunks::<LINE>();
        let part = lines.len() / STREAMS;
        let streams: [&[[f32; LINE]]; STREAMS] =
            std::array::from_fn(|stream| &lines[stream * part..][..part]);
        for line in 0..part {
            for stream in streams {
                add(&stream[line]);
            }
        }
        for line in &lines[STREAMS * part..] {
            add(line);
        }
        add(rest);
    }
    sums.iter().fold(0, |total, sum| total.wrapping_add(*sum))
}

fn write(to: &mut [f32], pattern: &Pattern, passes: usize) {
    for _ in 0..passes {
        for block in black_box(&mut *to).chunks_mut(pattern.len()) {
            let (pattern, _) = pattern.split_at(block.len());
            block.copy_from_slice(pattern);
        }
    }
}

fn copy(to: &mut [f32], from: &[f32], passes: usize) {
    for _ in 0..passes {
        for (to, from) in black_box(&mut *to).iter_mut().zip(black_box(from)) {
            *to = *from;
        }
    }
}

fn triad(to: &mut [f32], b: &[f32], c: &[f32], passes: usize) {
    for _ in 0..passes {
        for ((to, b), c) in black_box(&mut *to).iter_mut().zip(black_box(b)).zip(black_box(c)) {
            *to = b + FACTOR * c;
        }
    }
}
