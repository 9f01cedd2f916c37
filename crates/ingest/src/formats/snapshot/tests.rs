//! Snapshots written by hand.

use eaves_model::{MaybeU32, Ns, Trace, WarningKind};

use super::*;

/// Writes a pickle as CPython does, without the memo.
#[derive(Default)]
struct Pickle(Vec<u8>);

impl Pickle {
    fn text(&mut self, text: &str) -> &mut Self {
        self.0.extend([0x8C, text.len() as u8]);
        self.0.extend(text.as_bytes());
        self
    }

    fn integer(&mut self, value: i128) -> &mut Self {
        let digits = value.to_le_bytes();
        self.0.extend([0x8A, 9]);
        self.0.extend(&digits[..9]);
        self
    }

    fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend(bytes);
        self
    }

    fn frames(&mut self, frames: &[(&str, &str, i128)]) -> &mut Self {
        self.text("frames").raw(b"](");
        for (name, file, line) in frames {
            self.raw(b"}(").text("name").text(name).text("filename").text(file);
            self.text("line").integer(*line).raw(b"u");
        }
        self.raw(b"e")
    }

    fn event(
        &mut self,
        action: &str,
        address: i128,
        size: i128,
        time: i128,
        frames: &[(&str, &str, i128)],
    ) -> &mut Self {
        self.raw(b"}(").text("action").text(action).text("addr").integer(address).text("size").integer(size);
        self.text("stream").integer(0).text("time_us").integer(time).frames(frames).raw(b"u")
    }
}

const INNER: (&str, &str, i128) = ("forward", "model.py", 7);
const OUTER: (&str, &str, i128) = ("main", "train.py", 3);

/// A segment of two blocks, events of two devices of which the first has none, and marks.
fn sample() -> Vec<u8> {
    let mut pickle = Pickle::default();
    pickle.raw(b"\x80\x04}(").text("segments").raw(b"](}(").text("device").integer(1);
    pickle
        .text("address")
        .integer(1 << 63)
        .text("total_size")
        .integer(2048)
        .text("segment_type")
        .text("small");
    pickle.text("segment_pool_id").integer(0).integer(7).raw(b"\x86").text("is_expandable").raw(b"\x88");
    pickle.text("stream").integer(0).frames(&[]).text("blocks").raw(b"](");
    pickle
        .raw(b"}(")
        .text("address")
        .integer(1 << 63)
        .text("size")
        .integer(512)
        .text("requested_size")
        .integer(500);
    pickle.text("state").text("active_allocated").frames(&[INNER, OUTER]).raw(b"u");
    pickle.raw(b"}(").text("size").integer(1536).text("state").text("inactive").raw(b"u");
    pickle.raw(b"eue").text("device_traces").raw(b"](](e](");
    pickle.event("alloc", 1 << 63, 500, 1_000_000, &[INNER, OUTER]);
    pickle.event("alloc", 600, 8, 1_000_002, &[OUTER]);
    pickle.event("free_completed", 600, 8, 1_000_007, &[]);
    pickle.raw(b"}(").text("action").text("oom").text("device_free").integer(77).text("size").integer(99);
    pickle.text("time_us").integer(1_000_009).raw(b"u");
    pickle.raw(b"ee").text("external_annotations").raw(b"](");
    for (stage, time) in [("START", 999_990), ("END", 1_000_008)] {
        pickle.raw(b"}(").text("stage").text(stage).text("name").text("ProfilerStep#4");
        pickle.text("time_us").integer(time).raw(b"u");
    }
    pickle.raw(b"e").text("allocator_settings").raw(b"}(").text("max_split_size").integer(-1);
    pickle.text("divisions").raw(b"}").text("1").integer(4).raw(b"s");
    pickle.text("expandable_segments").raw(b"\x89uu.");
    pickle.0
}

fn trace(bytes: &[u8]) -> Trace {
    match read(Box::new(bytes), bytes.len() as u64) {
        Ok(Document::Trace { trace, .. }) => *trace,
        _ => panic!("no snapshot"),
    }
}

#[test]
fn everything_is_in_its_column() {
    let trace = trace(&sample());
    let snapshot = &trace.snapshot;
    assert!(snapshot.has_times && snapshot.is_complete);
    assert!(trace.diagnostics.warnings().is_empty(), "{:?}", trace.diagnostics);
    let text = |id| trace.strings.get(id);
    let events = &snapshot.events;
    assert_eq!(events.len(), 4);
    assert_eq!(events.time, [Ns(10_000), Ns(12_000), Ns(17_000), Ns(19_000)]);
    assert_eq!(trace.metadata.base_time_ns, Some(999_990_000));
    let actions: Vec<&str> = events.action.iter().map(|&action| text(action)).collect();
    assert_eq!(actions, ["alloc", "alloc", "free_completed", "oom"]);
    assert_eq!(events.address, [i64::MIN, 600, 600, 77]);
    assert_eq!(events.bytes, [500, 8, 8, 99]);
    assert!((0..4).all(|row| (events.device_type[row], events.device[row]) == (1, 1)));
    let frames = |stack: MaybeU32| -> Vec<(&str, i64)> {
        snapshot
            .frames_of(stack)
            .map(|row| (text(snapshot.frames.name[row]), snapshot.frames.line[row]))
            .collect()
    };
    assert_eq!(frames(events.stack[0]), [("forward", 7), ("main", 3)]);
    assert_eq!(frames(events.stack[1]), [("main", 3)]);
    assert!(frames(events.stack[2]).is_empty());
    // The block has the stack of the event: each is there once.
    assert_eq!(snapshot.blocks.stack[0], events.stack[0]);
    assert_eq!((snapshot.frames.len(), snapshot.stacks.len()), (2, 2));
    assert_eq!(snapshot.blocks.address, [i64::MIN, i64::MIN + 512]);
    assert_eq!(snapshot.blocks.segment, [0, 0]);
    assert_eq!(snapshot.blocks.requested[0].get(), Some(500));
    let segment = snapshot.segments.row(0);
    assert_eq!((segment.device, segment.bytes, segment.expandable, segment.pool), (1, 2048, 1, 1));
    assert_eq!(text(segment.kind), "small");
    assert_eq!(trace.steps().len(), 1);
    let settings: Vec<(&str, &str)> =
        trace.metadata.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(settings, [("divisions.1", "4"), ("expandable_segments", "false"), ("max_split_size", "-1")]);
}

/// Cut anywhere, it is refused as no snapshot or gives the events that were complete.
#[test]
fn a_cut_snapshot_gives_what_was_complete() {
    let whole = sample();
    let mut most = 0;
    for end in 2..whole.len() {
        match read(Box::new(&whole[..end]), 0) {
            Ok(Document::Trace { trace, bytes, .. }) => {
                assert_eq!(bytes, end as u64);
                assert_eq!(trace.diagnostics.count(WarningKind::Truncated), 1);
                assert!(!trace.snapshot.is_complete);
                // Never fewer than from a shorter piece.
                assert!(trace.snapshot.events.len() >= most, "{end}");
                most = trace.snapshot.events.len();
            }
            Ok(_) => panic!("no trace"),
            Err(_) => assert_eq!(most, 0, "{end}"),
        }
    }
    assert_eq!(most, 4);
}

#[test]
fn other_pickles_are_refused() {
    let refused = |bytes: &[u8]| match read(Box::new(bytes), 0) {
        Err(Refusal::Profiler(refused)) => (refused.offset, refused.what),
        _ => panic!("read"),
    };
    assert_eq!(refused(b"\x80\x04]."), (0, "a pickle without allocator segments and events".to_owned()));
    let (offset, what) = refused(b"\x80\x04}(X\x08\x00\x00\x00segmentscposix\nsystem\n.");
    assert_eq!((offset, what.as_str()), (17, "a pickle that would execute code (instruction GLOBAL)"));
}

/// Stacks longer than a batch are one stack.
#[test]
fn stacks_that_come_in_batches_are_put_together() {
    let mut pickle = Pickle::default();
    pickle.raw(b"\x80\x04}(").text("device_traces").raw(b"](](}(").text("action").text("alloc");
    pickle.text("size").integer(1).text("frames").raw(b"](");
    for (name, file, line) in [INNER, OUTER] {
        pickle.raw(b"}(").text("name").text(name).text("filename").text(file).text("line").integer(line);
        pickle.raw(b"ue(");
    }
    pickle.raw(b"euee").raw(b"u.");
    let trace = trace(&pickle.0);
    let frames: Vec<usize> = trace.snapshot.frames_of(trace.snapshot.events.stack[0]).collect();
    let lines: Vec<i64> = frames.iter().map(|&row| trace.snapshot.frames.line[row]).collect();
    assert_eq!(lines, [7, 3]);
}
