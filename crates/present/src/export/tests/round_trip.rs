//! Chrome JSON, with and without lanes, read again: the same model, and the same bytes when written again.

use eaves_model::{SliceId, SliceKind, StringId, Trace, TrackId};

use super::sample;
use crate::export::files::TraceFormat;

/// The text a format gives.
pub(super) fn written(trace: &Trace, format: TraceFormat) -> String {
    let mut bytes = Vec::new();
    format.write(trace, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The model a text gives.
pub(super) fn read(text: &str) -> Trace {
    eaves_ingest::read_bytes("test", text.as_bytes()).unwrap().trace
}

/// What is lost or changed on the way through a format, if anything is.
pub(super) fn loss(trace: &Trace, format: TraceFormat) -> Option<String> {
    let text = written(trace, format);
    let again = read(&text);
    if let Some(difference) = trace.difference(&again) {
        return Some(format!("{format:?}: {difference}"));
    }
    let text_again = written(&again, format);
    let line = text.lines().zip(text_again.lines()).find(|(first, second)| first != second);
    line.map(|(first, second)| format!("{format:?} written again:\n{first}\n{second}"))
}

#[test]
fn every_table_survives() {
    let trace = sample::trace();
    assert!(trace.tables().iter().all(|table| table.rows > 0), "the sample has rows in every table");
    for format in [TraceFormat::Chrome, TraceFormat::Perfetto] {
        assert_eq!(loss(&trace, format), None);
    }
}

#[test]
fn an_empty_trace_survives() {
    for format in [TraceFormat::Chrome, TraceFormat::Perfetto] {
        assert_eq!(loss(&Trace::default(), format), None);
    }
}

#[test]
fn slices_of_formats_without_categories_keep_their_kind() {
    let mut trace = sample::trace();
    trace.slices.category.fill(StringId::NONE);
    let again = read(&written(&trace, TraceFormat::Chrome));
    assert_eq!(again.slices.kind, trace.slices.kind);
    assert_eq!((again.gpu.len(), again.runtime.len()), (trace.gpu.len(), trace.runtime.len()));
    let kinds: std::collections::HashSet<_> = trace.slices.kind.iter().collect();
    assert_eq!(kinds.len(), SliceKind::ALL.len(), "the sample has every kind");
}

#[test]
fn the_text_is_json_with_the_names_of_the_profiler() {
    let value: serde_json::Value =
        serde_json::from_str(&written(&sample::trace(), TraceFormat::Chrome)).unwrap();
    assert_eq!(value["baseTimeNanoseconds"], 1_751_410_836_000_000_000_i64);
    assert_eq!(value["deviceProperties"][0]["numSms"], 132);
    assert_eq!(value["distributedInfo"]["pg_config"][0]["ranks"][1], 1);
    assert_eq!((&value["with_stack"], &value["record_shapes"]), (&1.into(), &0.into()));
    assert_eq!(value["cuda_driver_version"], 12090);
    let events = value["traceEvents"].as_array().unwrap();
    let of = |category: &str| events.iter().find(|event| event["cat"] == category).unwrap();
    assert_eq!(of("cpu_op")["args"]["Input Dims"][0][1], 3);
    assert_eq!(of("cpu_op")["args"]["Concrete Inputs"][1], "False");
    assert_eq!(of("kernel")["args"]["grid"][0], 864);
    assert_eq!(of("kernel")["args"]["est. achieved occupancy %"], 63);
    assert_eq!(of("kernel")["args"]["Collective name"], "allreduce");
    assert_eq!(of("cuda_runtime")["args"]["ptr"], "0x63010000000e");
    assert_eq!(of("python_function")["args"]["Python parent id"], 0);
    assert_eq!(
        (&of("python_function")["ts"], &of("python_function")["dur"]),
        (&(-1.0).into(), &9001.0.into())
    );
}

#[test]
fn overlapping_slices_get_lanes_and_their_arrows_follow() {
    let text = written(&sample::trace(), TraceFormat::Perfetto);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = value["traceEvents"].as_array().unwrap();
    let lane: Vec<_> = events.iter().filter(|event| event["tid"] == "7 (lane 2)").collect();
    let kinds: Vec<_> = lane.iter().map(|event| event["ph"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["M", "M", "X", "f"], "name, order, the copy, its arrow");
    assert_eq!(lane[0]["args"]["name"], "stream 7 7 (lane 2)");
    assert!(lane.iter().all(|event| event["args"]["eaves track"] == 7));
    assert!(!written(&sample::trace(), TraceFormat::Chrome).contains("eaves track"));
}

#[test]
fn lanes_of_threads_without_number_survive() {
    let mut trace = sample::trace();
    for track in [1, 3, 4] {
        for row in [3, 4] {
            let mut slice = trace.slices.row(row);
            slice.track = TrackId(track);
            slice.kind = SliceKind::Other;
            slice.category = StringId::NONE;
            trace.slices.push(slice);
        }
    }
    trace.quarantined.clear();
    let quarantined = trace.slices.duration.iter().position(|duration| duration.0 > 1 << 50).unwrap();
    trace.quarantined.push(SliceId::from(quarantined));
    assert_eq!(loss(&trace, TraceFormat::Perfetto), None);
}
