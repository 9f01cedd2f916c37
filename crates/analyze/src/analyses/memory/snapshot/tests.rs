//! Snapshots made by hand, and random ones against a replay forwards.

use std::collections::HashMap;

use eaves_model::{
    Ident, MaybeI64, MaybeU32, MemoryBlock, MemoryEvent, MemoryFrame, MemorySegment, MemoryStack, Ns, Slice,
    SliceKind, StringId, Trace,
};
use proptest::prelude::*;

use super::*;
use crate::Options;

/// A snapshot under way: events of one device, then what is left.
struct Made(Trace);

impl Made {
    fn new() -> Self {
        let mut trace = Trace::default();
        trace.snapshot.is_complete = true;
        trace.snapshot.has_times = true;
        Self(trace)
    }

    /// A stack of one line of the program.
    fn stack(&mut self, line: i64) -> MaybeU32 {
        let (name, file) = (self.0.strings.intern("f"), self.0.strings.intern("train.py"));
        let snapshot = &mut self.0.snapshot;
        snapshot.frames.push(MemoryFrame { name, file, line });
        let frame = snapshot.frames.len() as u32 - 1;
        snapshot.stacks.push(MemoryStack { frame, caller: MaybeU32::NONE });
        MaybeU32::new(snapshot.stacks.len() as u32 - 1)
    }

    fn event(&mut self, action: &str, address: i64, bytes: i64, stack: MaybeU32) -> &mut Self {
        let action = self.0.strings.intern(action);
        let time = Ns(self.0.snapshot.events.len() as i64 * 10);
        self.0.snapshot.events.push(MemoryEvent {
            time,
            action,
            device_type: 1,
            device: 0,
            stream: MaybeI64::new(0),
            address,
            bytes,
            stack,
            category: StringId::NONE,
        });
        self
    }

    fn segment(&mut self, bytes: i64) -> &mut Self {
        self.0.snapshot.segments.push(MemorySegment {
            device_type: 1,
            device: 0,
            address: 0,
            bytes,
            stream: MaybeI64::new(0),
            kind: StringId::NONE,
            pool: 0,
            expandable: 0,
            stack: MaybeU32::NONE,
        });
        self
    }

    fn block(&mut self, address: i64, bytes: i64, requested: i64, state: &str) -> &mut Self {
        let state = self.0.strings.intern(state);
        let segment = self.0.snapshot.segments.len() as u32 - 1;
        self.0.snapshot.blocks.push(MemoryBlock {
            segment,
            address,
            bytes,
            requested: MaybeI64::new(requested),
            state,
            stack: MaybeU32::NONE,
        });
        self
    }

    fn step(&mut self, number: u64, start: i64, end: i64) -> &mut Self {
        let trace = &mut self.0;
        let track = trace.tracks.get_or_add(Ident::number(1), Ident::number(1));
        let name = trace.strings.intern(&format!("ProfilerStep#{number}"));
        trace.slices.push(Slice {
            start: Ns(start),
            duration: Ns(end - start),
            name,
            category: name,
            track,
            kind: SliceKind::Annotation,
            position: 0,
        });
        self
    }

    /// What is told of the only device, with its peak and the index behind it.
    fn look(&self) -> (Allocator, i64) {
        let options = Options::default();
        let rank = RankView::new(&self.0, &options);
        let levels = levels_of(&self.0);
        let levels = &levels[0];
        let (mut until, mut peak) = (0, levels.before());
        for (index, event) in levels.events.iter().enumerate() {
            if event.level > peak {
                (until, peak) = (index + 1, event.level);
            }
        }
        (allocator(&rank, levels, until), peak)
    }
}

const NO: MaybeU32 = MaybeU32::NONE;

/// 100 B are there from before and stay, 50 B from before go, 30 B come and stay.
#[test]
fn what_was_there_before_is_in_the_peak() {
    let mut made = Made::new();
    let line = made.stack(7);
    made.event("alloc", 1, 30, line).event("free_requested", 2, 50, NO).event("free_completed", 2, 50, NO);
    made.segment(1024).block(1, 512, 30, "active_allocated").block(600, 512, 100, "active_allocated");
    let (told, peak) = made.look();
    assert_eq!(peak, 180);
    assert_eq!((told.alive.bytes, told.alive.blocks), (180, 3));
    assert_eq!((told.alive.older.bytes, told.alive.older.allocations, told.alive.unknown), (150, 2, 150));
    assert_eq!(told.alive.by_stack[0].0.name.as_deref(), Some("train.py:7 f"));
    assert_eq!(told.alive.by_stack[0].0.bytes, 30);
    // Blocks of the end are as large as they are; of the one that went the rounding to 512 B is known.
    assert_eq!(told.alive.rounding, 482 + 412 + 462);
    assert_eq!((told.end.in_blocks, told.end.requested, told.end.rounding()), (1024, 130, 894));
    assert_eq!(told.waiting_at_peak, 0);
    assert_eq!(told.dropped, 0);
}

/// Released by the program and in use all the same until another stream has come to it.
#[test]
fn what_waits_for_another_stream_is_in_use() {
    let mut made = Made::new();
    made.event("free_requested", 1, 70, NO).event("alloc", 2, 5, NO).event("free_completed", 1, 70, NO);
    made.event("free_requested", 2, 5, NO);
    made.segment(1024).block(2, 512, 5, "active_pending_free").block(512, 512, 512, "inactive");
    let (told, peak) = made.look();
    assert_eq!((peak, told.waiting_at_peak), (75, 70));
    assert_eq!((told.end.unused, told.end.stuck, told.end.largest_unused), (512, 512, 512));
}

#[test]
fn a_request_that_failed_is_told_with_its_cause() {
    let mut made = Made::new();
    made.event("alloc", 1, 400, NO).event("oom", 100, 550, NO).event("alloc", 2, 600, NO);
    made.event("oom", 100, 550, NO);
    made.segment(1000).block(1, 400, 400, "active_allocated").block(2, 600, 600, "active_allocated");
    let (told, _) = made.look();
    let seen: Vec<_> =
        told.failures.iter().map(|one| (one.asked, one.free, one.in_use, one.is_fragmented())).collect();
    // First 600 B of 1000 B were unused and 100 B free for 550 B, then nothing was.
    assert_eq!(seen, [(550, 100, 400, Some(true)), (550, 100, 1000, Some(false))]);
    assert_eq!(told.at_failure.unwrap().bytes, 1000);
}

#[test]
fn a_retry_is_told_by_the_stack() {
    let mut made = Made::new();
    let (malloc, empty_cache) = (made.stack(1), made.stack(2));
    made.event("segment_free", 1, 512, empty_cache).event("segment_alloc", 2, 512, malloc);
    made.event("segment_free", 2, 512, malloc).event("segment_free", 3, 512, malloc);
    made.event("segment_alloc", 4, 2048, malloc).event("alloc", 4, 9, malloc);
    made.segment(2048).block(4, 512, 9, "active_allocated");
    let (told, _) = made.look();
    assert_eq!((told.churn.taken, told.churn.given_back, told.churn.retries), (2, 3, 1));
    let reserved: Vec<_> =
        levels_of(&made.0)[0].events.iter().map(|event| event.reserved.get().unwrap()).collect();
    // 2048 B at the end, and back from there.
    assert_eq!(reserved, [512, 1024, 512, 0, 2048, 2048]);
}

/// Line 1 keeps 2 MB of every step, line 2 gives all back, line 3 stops growing.
#[test]
fn growth_is_told_by_line() {
    const MEGABYTE: i64 = 1_000_000;
    let mut made = Made::new();
    let (leak, fine, stops) = (made.stack(1), made.stack(2), made.stack(3));
    for step in 0..5 {
        let start = made.0.snapshot.events.len() as i64 * 10;
        made.event("alloc", 1000 + step, 2 * MEGABYTE, leak).event("alloc", 1, MEGABYTE, fine);
        made.event("free_completed", 1, MEGABYTE, fine);
        if step < 3 {
            made.event("alloc", 2000 + step, MEGABYTE, stops);
        }
        let end = made.0.snapshot.events.len() as i64 * 10 - 5;
        made.step(step as u64, start, end);
    }
    made.segment(1);
    let (told, _) = made.look();
    assert_eq!(told.growth.len(), 1, "{:?}", told.growth);
    let growth = &told.growth[0];
    assert_eq!(
        (growth.place.as_deref(), growth.steps, growth.per_step()),
        (Some("train.py:1 f"), 5, 2 * MEGABYTE)
    );
    assert_eq!(growth.last, 10 * MEGABYTE);
}

proptest! {
    /// Twin: forwards with dictionaries from what is known to be there first, added up again behind every event.
    #[test]
    fn states_are_those_of_a_replay_forwards(
        before in prop::collection::vec(1i64..100, 0..6),
        choices in prop::collection::vec((0usize..8, 1i64..100), 1..40),
    ) {
        let mut made = Made::new();
        let mut live: HashMap<i64, (i64, bool)> =
            before.iter().enumerate().map(|(address, &bytes)| (address as i64, (bytes, true))).collect();
        let mut states = vec![live.clone()];
        for (address, bytes) in choices {
            let address = address as i64;
            match live.remove(&address) {
                Some((bytes, _)) => made.event("free_completed", address, bytes, NO),
                None => {
                    live.insert(address, (bytes, false));
                    made.event("alloc", address, bytes, NO)
                }
            };
            states.push(live.clone());
        }
        made.segment(1 << 20);
        for (&address, &(bytes, _)) in &live {
            made.block(address, 512, bytes, "active_allocated");
        }
        let sum = |state: &HashMap<i64, (i64, bool)>| state.values().map(|(bytes, _)| bytes).sum::<i64>();
        let levels = levels_of(&made.0);
        let levels = &levels[0];
        prop_assert_eq!(levels.before(), sum(&states[0]));
        let found: Vec<i64> = levels.events.iter().map(|event| event.level).collect();
        prop_assert_eq!(found, states[1..].iter().map(sum).collect::<Vec<_>>());
        let mut first: Vec<(i64, i64)> =
            older(&made.0, levels.device).map(|one| (one.address, one.bytes)).collect();
        first.sort_unstable();
        let mut expected: Vec<(i64, i64)> =
            states[0].iter().map(|(&address, &(bytes, _))| (address, bytes)).collect();
        expected.sort_unstable();
        prop_assert_eq!(first, expected);
        let actions = Actions::of(&made.0);
        for (until, state) in states.iter().enumerate() {
            let rows = 0..made.0.snapshot.events.len();
            let told = live_after(&made.0.snapshot, &actions, rows, until, levels.device);
            let mut told: Vec<(i64, bool)> = told.iter().map(|one| (one.bytes, one.row.is_none())).collect();
            let mut expected: Vec<(i64, bool)> = state.values().copied().collect();
            told.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(told, expected);
        }
    }
}
