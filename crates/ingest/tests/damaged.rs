//! Damaged and unusual input: everything readable is kept, and every kind of damage is counted and said.

use std::io::Write;

use eaves_ingest::{Error, Options, read, read_bytes};
use eaves_model::{Impossibility, Recording, SliceKind, WarningKind};

/// One event with its times in microseconds.
fn event(name: &str, start: &str, duration: &str) -> String {
    format!(
        "{{\n \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"{name}\", \"pid\": 0, \"tid\": 7,\n \
         \"ts\": {start}, \"dur\": {duration},\n \"args\": {{\"stream\": 7, \"device\": 0, \"correlation\": 1}}\n }}"
    )
}

/// A trace of some events.
fn trace(events: &[String]) -> String {
    format!("{{\"schemaVersion\": 1, \"traceEvents\": [\n{}\n], \"traceName\": \"x\"}}", events.join(",\n"))
}

fn sound(count: usize) -> Vec<String> {
    (0..count).map(|at| event(&format!("kernel_{at}"), &format!("{}", 10 * at), "5.5")).collect()
}

fn parse(text: impl AsRef<[u8]>) -> Recording {
    read_bytes("test", text.as_ref()).unwrap()
}

fn names(recording: &Recording) -> Vec<&str> {
    recording.trace.slices.name.iter().map(|&name| recording.trace.strings.get(name)).collect()
}

/// The kinds of oddities with their counts.
fn oddities(recording: &Recording) -> Vec<(WarningKind, u64)> {
    recording.trace.diagnostics.warnings().iter().map(|warning| (warning.kind, warning.count)).collect()
}

#[test]
fn a_sound_trace_has_nothing_odd() {
    let recording = parse(trace(&sound(3)));
    assert_eq!(oddities(&recording), []);
    assert_eq!(recording.trace.slices.len(), 3);
    assert_eq!(recording.trace.metadata.trace_name.as_deref(), Some("x"));
}

#[test]
fn cut_at_every_byte() {
    let text = trace(&sound(4));
    let list = text.find('[').unwrap() + 1;
    let ends: Vec<usize> = text.match_indices("}\n }").map(|(at, _)| at + 4).collect();
    assert_eq!(ends.len(), 4);
    for cut in 0..text.len() {
        match read_bytes("cut", &text.as_bytes()[..cut]) {
            Ok(recording) => {
                let whole = ends.iter().filter(|&&end| end <= cut).count();
                assert_eq!(recording.trace.slices.len(), whole, "cut at {cut}");
                assert!(recording.trace.diagnostics.count(WarningKind::Truncated) <= 1);
                let in_event = cut > list + 1 && !ends.iter().any(|&end| (end..end + 3).contains(&cut));
                if in_event && cut < ends[3] {
                    assert_eq!(oddities(&recording), [(WarningKind::Truncated, 1)], "cut at {cut}");
                }
            }
            Err(error) => assert!(cut < list, "cut at {cut}: {error}"),
        }
    }
}

#[test]
fn garbage_between_events_costs_no_event() {
    for garbage in
        ["@@@", "}", "]]", "\"", "\"\"\"", "{", "{{{", "[[", "\\", "\u{0}\u{1}", "{\"x", "<html>", ", ,"]
    {
        let mut events = sound(6);
        let good = trace(&events);
        events[2] = format!("{garbage}\n{}", events[2]);
        let recording = parse(trace(&events));
        let expected = names(&parse(&good)).join(" ");
        assert_eq!(names(&recording).join(" "), expected, "{garbage:?}: {:?}", oddities(&recording));
        let said = recording.trace.diagnostics.count(WarningKind::Garbage) > 0;
        assert_eq!(said, garbage != ", ,", "{garbage:?}");
    }
}

#[test]
fn garbage_inside_an_event_costs_that_event_only() {
    for (from, to) in
        [("\"dur\"", "dur"), ("\"cat\": ", "\"cat\" "), ("\"pid\"", "pid\""), ("kernel_2\"", "kernel_2")]
    {
        let mut events = sound(6);
        events[2] = events[2].replace(from, to);
        let recording = parse(trace(&events));
        let kept = names(&recording);
        for at in [0, 1, 3, 4, 5] {
            assert!(kept.contains(&format!("kernel_{at}").as_str()), "{to}: kernel_{at} of {kept:?}");
        }
        // Without quotes around its key a value is lost; otherwise the event is.
        let expected = if to == "dur" { WarningKind::MissingDuration } else { WarningKind::Garbage };
        assert!(recording.trace.diagnostics.count(expected) > 0, "{to}: {:?}", oddities(&recording));
        let first = recording.trace.diagnostics.warnings()[0].first_offset.unwrap() as usize;
        assert!(trace(&events)[first..].starts_with("{\n \"ph\""), "{to}: offset {first}");
    }
}

#[test]
fn invalid_text_is_kept_readable() {
    let mut text = trace(&sound(3)).into_bytes();
    let at = text.windows(8).position(|window| window == b"kernel_1").unwrap();
    text[at] = 0xFF;
    let recording = parse(&text);
    assert_eq!(names(&recording), ["kernel_0", "\u{fffd}ernel_1", "kernel_2"]);
    assert_eq!(oddities(&recording), [(WarningKind::InvalidText, 1)]);
    assert_eq!(recording.trace.diagnostics.warnings()[0].first_offset, Some(at as u64 - 1));

    let mut events = sound(3);
    events[1] = event("lone \\ud83d half", "10", "1");
    events[2] = event("tab\\t \\\"quote\\\" \\u00e9 \\ud83d\\ude00", "20", "1");
    let recording = parse(trace(&events));
    assert_eq!(names(&recording), ["kernel_0", "lone \u{fffd} half", "tab\t \"quote\" é 😀"]);
    assert_eq!(oddities(&recording), [(WarningKind::InvalidText, 1)]);
}

#[test]
fn odd_numbers() {
    let mut events = sound(2);
    events.push(event("nan", "NaN", "1"));
    events.push(event("infinite", "Infinity", "1"));
    events.push(event("exponent", "1e2", "1.5E0"));
    events.push(event("text", "\"200.001\"", "\"2\""));
    events.push(event("no duration", "40", "null"));
    events.push(event("negative", "50", "-3"));
    let recording = parse(trace(&events));
    let slices = &recording.trace.slices;
    let times: Vec<_> = (2..slices.len()).map(|row| (slices.start[row].0, slices.duration[row].0)).collect();
    assert_eq!(names(&recording)[2..], ["exponent", "text", "no duration", "negative"]);
    assert_eq!(times, [(100_000, 1_500), (200_001, 2_000), (40_000, 0), (50_000, 0)]);
    assert_eq!(
        oddities(&recording),
        [
            (WarningKind::BadValue, 2),
            (WarningKind::BadTimestamp, 2),
            (WarningKind::MissingDuration, 1),
            (WarningKind::NegativeDuration, 1)
        ]
    );
}

#[test]
fn trailing_commas_and_duplicate_keys() {
    let text = trace(&sound(2)).replace("\n],", ",\n],").replacen("\"pid\": 0", "\"pid\": 9, \"pid\": 0,", 1);
    let recording = parse(text);
    assert_eq!(names(&recording), ["kernel_0", "kernel_1"]);
    assert_eq!(oddities(&recording), [(WarningKind::DuplicateKey, 1)]);
    let track = recording.trace.slices.track[0].index();
    assert_eq!(recording.trace.tracks.threads.process[track].as_number(), Some(0));
}

#[test]
fn arguments_of_the_wrong_kind_are_counted() {
    let with = |arguments: &str| {
        format!(
            r#"{{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {arguments}}}"#
        )
    };
    let counted = |arguments: &str| oddities(&parse(trace(&[with(arguments)])));
    for none in ["null", "{}", "[]"] {
        assert_eq!(counted(none), [], "{none}");
    }
    for bad in ["7", "\"text\"", "[1]", r#"{"grid": [1, "x", 1]}"#, r#"{"stream": [1]}"#] {
        assert_eq!(counted(bad), [(WarningKind::BadValue, 1)], "{bad}");
    }
    assert_eq!(counted(r#"{"grid": [1, 2, 3]}"#), []);
    assert_eq!(counted(r#"{"grid": [1], "block": []}"#), []);
    assert_eq!(counted(r#"{"grid": [1, 2, 3], "grid": [1, 2, 3]}"#), [(WarningKind::DuplicateKey, 1)]);
}

#[test]
fn a_broken_counter_is_quarantined() {
    let mut events = sound(200);
    events[90] = event("broken", "900", "9223372036854775807");
    let recording = parse(trace(&events));
    assert_eq!(oddities(&recording), [(WarningKind::ImplausibleDuration, 1)]);
    assert_eq!(recording.trace.quarantined.len(), 1);
    assert_eq!(recording.trace.slice_name(recording.trace.quarantined[0]), "broken");
    assert_eq!(recording.trace.gpu_activities().count(), 199);
    assert_eq!(recording.trace.gpu.len(), 200);
}

/// The end of a recording as Kineto marks it.
fn trailer(at: &str) -> String {
    format!(r#"{{"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": {at}}}"#)
}

/// The reasons of what is quarantined, with the names.
fn quarantined(recording: &Recording) -> Vec<(&str, Impossibility)> {
    let trace = &recording.trace;
    trace.quarantined.iter().map(|&slice| (trace.slice_name(slice), trace.impossibility(slice))).collect()
}

#[test]
fn an_end_after_that_of_the_recording_is_quarantined() {
    let mut events = sound(200);
    events[90] = event("beyond", "900", "4000");
    events.push(trailer("2000"));
    let recording = parse(trace(&events));
    assert_eq!(quarantined(&recording), [("beyond", Impossibility::BeyondEnd)]);
    assert_eq!(oddities(&recording), [(WarningKind::ImplausibleDuration, 1)]);
    // A later beginning, or a span of the recording, says that it went on.
    let span = r#"{"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "x", "ts": 0, "dur": 4900}"#;
    for later in [event("later", "4900", "1"), span.to_owned()] {
        let mut events = events.clone();
        events.push(later);
        assert_eq!(quarantined(&parse(trace(&events))), []);
    }
    // A span alone may end with the last beginning: only what is longer than everything cannot be true.
    events.pop();
    events.push(span.replace("4900", "2000"));
    assert_eq!(quarantined(&parse(trace(&events))), [("beyond", Impossibility::BeyondEnd)]);
    events[90] = event("unusual", "900", "2000");
    assert_eq!(quarantined(&parse(trace(&events))), []);
}

#[test]
fn a_negative_duration_is_quarantined() {
    let mut events = sound(3);
    events[1] = event("negative", "10", "-3");
    let recording = parse(trace(&events));
    assert_eq!(quarantined(&recording), [("negative", Impossibility::Negative)]);
    assert_eq!(recording.trace.slices.duration[1].0, 0);
    assert_eq!(oddities(&recording), [(WarningKind::NegativeDuration, 1)]);
}

#[test]
fn a_long_last_event_counts() {
    // Nothing says when the recording ended.
    let mut events = sound(120);
    events.push(event("long", "1200", "5000"));
    let recording = parse(trace(&events));
    assert_eq!(oddities(&recording), [(WarningKind::SuspiciousDuration, 1)]);
    assert_eq!(quarantined(&recording), []);
    // The recording itself says that it may be true.
    events.push(trailer("6500"));
    let recording = parse(trace(&events));
    assert_eq!((oddities(&recording), quarantined(&recording)), (vec![], vec![]));
}

#[test]
fn an_end_far_behind_the_next_starts_counts() {
    let mut events = sound(200);
    events[90] = event("overrun", "900", "700").replace("tion\": 1", "tion\": 2");
    let recording = parse(trace(&events));
    assert_eq!(oddities(&recording), [(WarningKind::SuspiciousDuration, 1), (WarningKind::StreamOverlap, 1)]);
    let detail = recording.trace.diagnostics.warnings()[0].detail.clone().unwrap();
    assert!(detail.contains("overrun"), "{detail}");
    assert_eq!(quarantined(&recording), []);
}

#[test]
fn activities_of_one_launch_run_side_by_side() {
    let mut events: Vec<String> = (0..200)
        .map(|at| event("k", &format!("{}", 10 * at), "5").replace("tion\": 1", &format!("tion\": {at}")))
        .collect();
    let graph = |start, duration| event("node", start, duration).replace("tion\": 1", "tion\": 999");
    events.extend([graph("3000", "17"), graph("3006", "3"), graph("3010", "4")]);
    let recording = parse(trace(&events));
    assert_eq!((oddities(&recording), quarantined(&recording)), (vec![], vec![]));
}

#[test]
fn activities_of_one_stream_that_overlap_a_little_stay() {
    let mut events = sound(200);
    events[90] = event("late", "900", "12").replace("tion\": 1", "tion\": 2");
    let recording = parse(trace(&events));
    assert_eq!(oddities(&recording), [(WarningKind::StreamOverlap, 1)]);
    assert_eq!(recording.trace.quarantined, []);
}

#[test]
fn begins_and_ends_become_slices() {
    let events: Vec<String> = [
        r#"{"ph": "B", "name": "outer", "pid": 1, "tid": 1, "ts": 1}"#,
        r#"{"ph": "B", "name": "inner", "pid": 1, "tid": 1, "ts": 2, "cat": "cpu_op"}"#,
        r#"{"ph": "B", "name": "other thread", "pid": 1, "tid": 2, "ts": 2}"#,
        r#"{"ph": "E", "pid": 1, "tid": 1, "ts": 5}"#,
        r#"{"ph": "E", "pid": 1, "tid": 1, "ts": 9}"#,
        r#"{"ph": "E", "pid": 1, "tid": 1, "ts": 10}"#,
        r#"{"ph": "b", "cat": "x", "id": "0x1", "name": "async", "pid": 1, "tid": 1, "ts": 3}"#,
        r#"{"ph": "n", "cat": "x", "id": "0x1", "name": "mark", "pid": 1, "tid": 1, "ts": 4}"#,
        r#"{"ph": "e", "cat": "x", "id": "0x1", "name": "async", "pid": 1, "tid": 9, "ts": 8}"#,
        r#"{"ph": "C", "name": "memory", "pid": 1, "ts": 4, "args": {"used": 3.5, "free": 1}}"#,
        r#"{"ph": "?", "name": "unknown", "pid": 1, "ts": 4}"#,
        r#"{"name": "no phase"}"#,
    ]
    .map(String::from)
    .to_vec();
    let recording = parse(trace(&events));
    let trace = &recording.trace;
    assert_eq!(names(&recording), ["outer", "inner", "other thread"]);
    assert_eq!(
        trace.slices.duration.iter().map(|duration| duration.0).collect::<Vec<_>>(),
        [8_000, 3_000, 0]
    );
    assert_eq!(trace.slices.kind, [SliceKind::Other, SliceKind::Op, SliceKind::Other]);
    assert_eq!((trace.asyncs.duration[0].0, trace.instants.len(), trace.counters.len()), (5_000, 1, 2));
    assert_eq!(trace.events, 11);
    assert_eq!(
        oddities(&recording),
        [
            (WarningKind::Garbage, 1),
            (WarningKind::UnmatchedEnd, 1),
            (WarningKind::UnmatchedBegin, 1),
            (WarningKind::UnknownPhase, 1)
        ]
    );
}

#[test]
fn bare_lists_may_lack_their_bracket() {
    let list = format!("[{}", sound(3).join(","));
    for text in [format!("{list}]"), list.clone(), format!("{list},\n"), format!("\u{feff} {list}]\n")] {
        let recording = parse(&text);
        assert_eq!(names(&recording), ["kernel_0", "kernel_1", "kernel_2"]);
        assert_eq!(oddities(&recording), []);
    }
}

#[test]
fn a_damaged_header_does_not_cost_the_events() {
    let text = trace(&sound(2)).replace("\"schemaVersion\": 1", "\"schemaVersion\" 1, [[");
    let recording = parse(text);
    assert_eq!(names(&recording), ["kernel_0", "kernel_1"]);
    assert_eq!(recording.trace.diagnostics.count(WarningKind::BadHeader), 1);
    let text =
        trace(&sound(2)).replace("\"schemaVersion\": 1", "\"host_name\": \"lost, \"schemaVersion\": 1");
    let recording = parse(text);
    assert_eq!(names(&recording), ["kernel_0", "kernel_1"]);
    assert!(recording.trace.diagnostics.count(WarningKind::BadHeader) > 0);
    let recording = parse(format!("[null, {}]", sound(1)[0]));
    assert_eq!(names(&recording), ["kernel_0"]);
    assert_eq!(oddities(&recording), [(WarningKind::Garbage, 1)]);
    let recording = parse(trace(&sound(2)) + "trailing");
    assert_eq!(oddities(&recording), [(WarningKind::Garbage, 1)]);
}

#[test]
fn values_longer_than_any_chunk() {
    let long = "x".repeat(1 << 20);
    let mut events = sound(3);
    events[1] = event(&long, "10", "1");
    let text = trace(&events)
        .replace("\"schemaVersion\"", &format!("\"notes\": [\"{long}\", {{}}], \"schemaVersion\""));
    let recording = parse(text);
    assert_eq!(names(&recording), ["kernel_0", &long, "kernel_2"]);
    assert_eq!(oddities(&recording), []);
    assert_eq!(recording.trace.metadata.schema_version, Some(1));
}

#[test]
fn what_is_no_trace_is_refused_with_a_reason() {
    let refused = |text: &str| read_bytes("x", text.as_bytes()).unwrap_err();
    assert!(matches!(refused(""), Error::Empty { .. }));
    assert!(matches!(refused("  \n"), Error::Empty { .. }));
    assert!(refused("<!DOCTYPE html><html>").to_string().contains("HTML"));
    assert!(refused("hello").to_string().contains("`hello`"));
    assert!(matches!(refused("{\"nodes\": []}"), Error::NoEvents { found, .. } if found.contains("nodes")));
    assert!(matches!(refused("[[1, 2]]"), Error::NoEvents { .. }));
    assert!(parse("{\"traceEvents\": []}").trace.slices.is_empty());
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn read_file(name: &str, bytes: &[u8]) -> Result<Recording, Error> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read(&[path], &Options::default()).map(|mut run| run.recordings.remove(0))
}

#[test]
fn gzip_whole_in_members_and_cut() {
    let text = trace(&sound(2_000));
    let (first, second) = text.as_bytes().split_at(text.len() / 3);
    let members = [gzip(first), gzip(second)].concat();
    for bytes in [gzip(text.as_bytes()), members.clone()] {
        let recording = read_file("a.json", &bytes).unwrap();
        assert_eq!((recording.trace.slices.len(), recording.container), (2_000, "gzip"));
        assert_eq!(oddities(&recording), []);
    }
    let recording = read_file("a.json.gz", &members[..members.len() * 2 / 3]).unwrap();
    let kept = recording.trace.slices.len();
    assert!(kept > 600 && kept < 2_000, "{kept}");
    assert_eq!(recording.trace.diagnostics.count(WarningKind::DamagedContainer), 1);
    let mut flipped = gzip(text.as_bytes());
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0xFF;
    let recording = read_file("a.json.gz", &flipped).unwrap();
    assert_eq!(recording.trace.diagnostics.count(WarningKind::DamagedContainer), 1);
    assert!(!recording.trace.slices.is_empty());
}

#[test]
fn zstd_of_one_and_many_frames() {
    let text = trace(&sound(500));
    let pack =
        |bytes: &[u8]| ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest);
    let (first, second) = text.as_bytes().split_at(text.len() / 2);
    let skippable = [&[0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    for bytes in [pack(text.as_bytes()), [skippable, pack(first), pack(second)].concat()] {
        let recording = read_file("a.json.zst", &bytes).unwrap();
        assert_eq!((recording.trace.slices.len(), recording.container), (500, "zstd"));
        assert_eq!(oddities(&recording), []);
    }
    let cut = pack(text.as_bytes());
    // The reader cannot give anything of a single block that is cut, so there may be nothing to show.
    if let Ok(recording) = read_file("a.json.zst", &cut[..cut.len() / 2]) {
        assert_eq!(recording.trace.diagnostics.count(WarningKind::DamagedContainer), 1);
    }
}

#[test]
fn zip_members_are_ranks() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("traces.zip");
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for (name, content) in [
        ("rank1.json", trace(&sound(2)).into_bytes()),
        ("rank0.json.gz", gzip(trace(&sound(3)).as_bytes())),
        ("notes.txt", b"hello".to_vec()),
        ("other.json", b"{}".to_vec()),
    ] {
        archive.start_file(name, options).unwrap();
        archive.write_all(&content).unwrap();
    }
    archive.finish().unwrap();
    let run = read(&[path], &Options::default()).unwrap();
    let found: Vec<_> = run.recordings.iter().map(|one| (one.rank, one.trace.slices.len())).collect();
    assert_eq!(found, [(0, 3), (1, 2)]);
    assert_eq!(run.diagnostics.count(WarningKind::NotATrace), 1);
    assert!(run.recordings[0].path.ends_with("traces.zip!rank0.json.gz"));
}

#[test]
fn ranks_come_from_the_trace_then_the_name_then_the_order() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    let told = |rank: i64| {
        trace(&sound(1)).replace(
            "\"schemaVersion\"",
            &format!("\"distributedInfo\":{{\"rank\":{rank}}},\"schemaVersion\""),
        )
    };
    write("a.json", &told(5));
    write("b.json", &told(5));
    write("rank-2.json", &trace(&sound(1)));
    write("z.json", &trace(&sound(1)));
    write("broken.json", "nothing");
    let run = read(&[directory.path().to_owned()], &Options::default()).unwrap();
    let ranks: Vec<_> = run.recordings.iter().map(|one| one.rank).collect();
    assert_eq!(ranks, [0, 2, 5, 5]);
    for (kind, count) in
        [(WarningKind::DuplicateRank, 1), (WarningKind::UnknownRank, 1), (WarningKind::NotATrace, 1)]
    {
        assert_eq!(run.diagnostics.count(kind), count, "{kind:?}");
    }
}

#[test]
fn arguments_that_were_not_decoded_are_found_again() {
    let events: Vec<String> = (0..5_000)
        .map(|at| {
            event("k", &at.to_string(), "0.5")
                .replace("\"stream\"", &format!("\"odd {at}\": [{at}], \"stream\""))
        })
        .collect();
    let text = trace(&events);
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes) in [("a.json", text.clone().into_bytes()), ("a.json.gz", gzip(text.as_bytes()))] {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let run = read(std::slice::from_ref(&path), &Options::default()).unwrap();
        let recording = &run.recordings[0];
        for row in [0, 1, 2_500, 4_999] {
            let position = recording.trace.slices.position[row] as u64;
            assert_eq!(eaves_ingest::event_at(&recording.path, position).unwrap(), events[row]);
        }
        assert!(eaves_ingest::event_at(&recording.path, 1).is_err());
    }
}

#[test]
fn cut_between_events_is_said() {
    let text = trace(&sound(3));
    let cut = text.rfind(",\n").unwrap() + 1;
    for tail in ["", "\n", "\0\0\0\0"] {
        let recording = parse(format!("{}{tail}", &text[..cut].trim_end_matches("],")));
        assert_eq!(recording.trace.diagnostics.count(WarningKind::Truncated), 1, "{tail:?}");
    }
}

#[test]
fn events_behind_a_stray_end_are_read() {
    let [a, b, c]: [String; 3] = sound(3).try_into().unwrap();
    for text in [
        format!("[{a}]\n[{b},{c}]"),
        format!("[{a}]}},{b},{c}]"),
        format!("{{\"traceEvents\":[{a}]}},{b},{c}]}}"),
        format!("{{\"traceEvents\":[[{a}],{b}],{c}]}}"),
    ] {
        let recording = parse(&text);
        assert_eq!(names(&recording), ["kernel_0", "kernel_1", "kernel_2"], "{text}");
        assert!(!oddities(&recording).is_empty(), "{text}");
        assert!(recording.bytes as usize >= text.len() - 4, "{} of {}", recording.bytes, text.len());
    }
}

/// Each of these once took time quadratic in its length, or nearly so.
#[test]
fn hopeless_input_takes_no_hopeless_time() {
    for piece in ["{\"ph\":[", "{\"ph\":1[", "{\"ph\":\"", "{\"args\":{", "[{\"ts\":"] {
        let text = format!("[{}", piece.repeat(100_000 / piece.len()));
        if let Ok(recording) = read_bytes("hopeless", text.as_bytes()) {
            assert!(!oddities(&recording).is_empty(), "{piece}");
        }
    }
}

#[test]
fn damage_is_counted_alike_on_any_number_of_threads() {
    let events: Vec<String> = (0..90_000).map(|at| event("k", &(10 * at).to_string(), "5")).collect();
    let text = format!("{{\"traceEvents\": [{}]}}", events.join(",x "));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.json");
    std::fs::write(&path, &text).unwrap();
    for threads in [1, 2] {
        let options = Options { threads, ..Options::default() };
        let run = read(std::slice::from_ref(&path), &options).unwrap();
        assert_eq!(
            run.recordings[0].trace.diagnostics.count(WarningKind::Garbage),
            89_999,
            "{threads} threads"
        );
        assert_eq!(run.recordings[0].trace.slices.len(), 90_000);
    }
}

#[test]
fn bad_escapes_are_counted_each_time() {
    let events: Vec<String> = (0..5).map(|at| event("a\\q", &(10 * at).to_string(), "5")).collect();
    assert_eq!(oddities(&parse(trace(&events))), [(WarningKind::InvalidText, 5)]);
}

#[test]
fn identifiers_of_64_bits_stay_apart() {
    let thread = |number: u64| event("k", "1", "1").replace("\"tid\": 7", &format!("\"tid\": {number}"));
    let recording = parse(trace(&[thread(u64::MAX), thread(u64::MAX - 1), thread((1 << 63) + (1 << 40))]));
    assert_eq!(recording.trace.tracks.len(), 3);
    let text = r#"[{"ph":"b","cat":"c","id":1,"pid":1,"ts":0},{"ph":"b","cat":"c","id":1,"pid":2,"ts":10},
        {"ph":"e","cat":"c","id":1,"pid":1,"ts":20},{"ph":"e","cat":"c","id":1,"pid":2,"ts":100}]"#;
    let durations: Vec<i64> = parse(text).trace.asyncs.duration.iter().map(|duration| duration.0).collect();
    assert_eq!(durations, [20_000, 90_000]);
}

#[test]
fn times_that_do_not_fit_are_left_out() {
    let recording = parse(trace(&[event("k", "1e30", "1"), event("l", "1", "1")]));
    assert_eq!(names(&recording), ["l"]);
    assert_eq!(oddities(&recording), [(WarningKind::BadTimestamp, 1)]);
}
