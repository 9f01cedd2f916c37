//! What must hold in every recording, whatever is simulated.

use std::collections::{BTreeMap, HashMap};

use super::device::COMMUNICATION_STREAM;
use super::events::{Activity, Arrow, Events};
use super::kineto::Writer;
use super::random::Random;
use super::recorder::Process;
use super::training::{self, Place, Shape, Trainer};

const SHAPE: Shape = Shape { layers: 2, hidden: 128, heads: 4, vocabulary: 1_024, batch: 2 };

/// Two ranks after two steps, the second of which is late.
fn ranks() -> Vec<Trainer> {
    let rank = |rank| {
        let process = Process {
            id: 100 + rank,
            autograd_thread: 200 + rank,
            device: rank,
            with_stack: true,
            with_shapes: true,
            small_calls: 1,
            seed: rank,
            start: 1_000_000_000,
        };
        let decoding = (10_000 + 400_000 * rank, 20_000 + 400_000 * rank);
        let mut trainer = Trainer::new(process, SHAPE, Place::new(rank, 2, decoding));
        trainer.sequence = 64;
        trainer.recorder.events.clear();
        trainer.start();
        trainer
    };
    let mut ranks = vec![rank(0), rank(1)];
    let mut random = Random::new(1);
    for step in 0..2 {
        training::step(&mut ranks, step, &mut random, |_| 0);
    }
    for rank in &mut ranks {
        rank.stop();
        rank.recorder.events.sort();
    }
    ranks
}

fn every_rank(check: impl Fn(&Events)) {
    for rank in ranks() {
        assert!(!rank.recorder.events.activities.is_empty());
        check(&rank.recorder.events);
    }
}

#[test]
fn streams_work_in_order_and_after_the_launch() {
    every_rank(|events| {
        let launches: HashMap<u64, u64> = events
            .calls
            .iter()
            .filter(|call| call.launches)
            .map(|call| (call.correlation, call.start))
            .collect();
        let mut free: BTreeMap<u64, u64> = BTreeMap::new();
        let work = events.activities.iter().filter(|event| !matches!(event.activity, Activity::Annotation));
        for event in work {
            assert!(event.duration > 0);
            assert!(event.start > launches[&event.correlation], "{event:?}");
            let free = free.entry(event.stream).or_default();
            assert!(event.start >= *free, "{event:?}");
            *free = event.start + event.duration;
        }
        assert_eq!(free.len(), 2);
    });
}

#[test]
fn memory_adds_up() {
    every_rank(|events| {
        let mut live: HashMap<u64, i64> = HashMap::new();
        for pair in events.memory.windows(2) {
            let change = pair[1].allocated as i64 - pair[0].allocated as i64;
            assert_eq!(change, pair[1].bytes);
            assert!(pair[1].reserved >= pair[1].allocated && pair[1].reserved >= pair[0].reserved);
        }
        for event in &events.memory {
            if event.bytes > 0 {
                assert_eq!(live.insert(event.address, event.bytes), None, "{event:?}");
            } else {
                assert_eq!(live.remove(&event.address), Some(-event.bytes), "{event:?}");
            }
        }
        // Only the tokens of the last batch are still there.
        assert_eq!(live.len(), 1);
    });
}

#[test]
fn arrows_have_two_ends() {
    every_rank(|events| {
        let mut ends: BTreeMap<u64, [u64; 2]> = BTreeMap::new();
        for op in &events.ops {
            match op.arrow {
                Some(Arrow::Start(id)) => ends.entry(id).or_default()[0] += 1,
                Some(Arrow::End(id)) => ends.entry(id).or_default()[1] += 1,
                None => {}
            }
        }
        assert!(!ends.is_empty());
        assert!(ends.values().all(|ends| *ends == [1, 1]));
    });
}

#[test]
fn frames_lie_inside_their_callers() {
    every_rank(|events| {
        let frames: HashMap<u64, (u64, u64)> = events
            .frames
            .iter()
            .map(|frame| (frame.id, (frame.start, frame.start + frame.duration)))
            .collect();
        for frame in &events.frames {
            if let Some(parent) = frame.parent {
                let (start, end) = frames[&parent];
                assert!(start <= frame.start && frame.start + frame.duration <= end, "{frame:?}");
            }
        }
    });
}

#[test]
fn a_collective_ends_on_all_ranks_when_the_last_has_joined() {
    let ranks = ranks();
    let collectives = |rank: usize| -> Vec<(u64, u64)> {
        let events = &ranks[rank].recorder.events;
        let collectives = events.activities.iter().filter(|event| {
            event.stream == COMMUNICATION_STREAM && matches!(event.activity, Activity::Kernel(..))
        });
        collectives.map(|event| (event.start, event.start + event.duration)).collect()
    };
    let (early, late) = (collectives(0), collectives(1));
    assert_eq!(early.len(), late.len());
    for (early, late) in early.iter().zip(&late) {
        assert!(early.1 > late.0, "the early rank leaves before the late one has come");
        assert!(early.1.abs_diff(late.1) < 1_000);
    }
    let waiting: u64 = early.iter().map(|(start, end)| end - start).sum();
    let transfer: u64 = late.iter().map(|(start, end)| end - start).sum();
    assert!(waiting > 2 * transfer, "rank 0 waits for rank 1");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let text = || {
        let ranks = ranks();
        let mut writer = Writer::new(Vec::new(), 100, 0);
        writer.events(&ranks[0].recorder.events).unwrap();
        writer.finish().unwrap()
    };
    assert_eq!(text(), text());
}
