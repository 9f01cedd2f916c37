//! Random small traces, made as text so that they are what a reader can meet.

use proptest::prelude::*;

use super::round_trip::{loss, read};
use crate::export::files::TraceFormat;

fn ident() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (0..4i64).prop_map(|number| number.to_string()),
        1 => any::<i64>().prop_map(|number| number.to_string()),
        1 => Just("\"Spans\"".to_owned()),
        1 => Just("\"7 (lane 2)\"".to_owned()),
        1 => any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ]
}

fn place() -> impl Strategy<Value = String> {
    (proptest::option::of(ident()), proptest::option::of(ident())).prop_map(|(process, thread)| {
        let field = |key: &str, value: Option<String>| {
            value.map_or(String::new(), |value| format!(",\"{key}\":{value}"))
        };
        format!("{}{}", field("pid", process), field("tid", thread))
    })
}

fn time() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (-5..60i64, 0..1000u32).prop_map(|(whole, fraction)| format!("{whole}.{fraction:03}")),
        1 => any::<i64>().prop_map(|whole| whole.to_string()),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-c]", 1 => any::<String>()].prop_map(|text| serde_json::to_string(&text).unwrap())
}

fn arguments() -> impl Strategy<Value = String> {
    const NUMBERS: &[&str] = &[
        "External id",
        "Ev Idx",
        "Sequence number",
        "Record function id",
        "correlation",
        "stream",
        "device",
        "context",
        "cbid",
        "bytes",
        "queued",
        "Python id",
        "Python parent id",
        "registers per thread",
        "Group size",
        "In msg nelems",
        "Is asynchronized op",
        "Seq",
        "num_warps",
        "ptr",
        "wait_on_stream",
        "Trace iteration",
        "blocks per SM",
        "external id",
        "memory bandwidth (GB/s)",
        "Bytes",
        "Addr",
        "Device Id",
        "Total Allocated",
        "shared memory",
        "sort_index",
    ];
    const TEXTS: &[&str] = &[
        "kind",
        "kernel",
        "cuda_sync_kind",
        "Collective name",
        "dtype",
        "kernel_backend",
        "kernel_file",
        "CallFrom",
        "Trace name",
        "Call stack",
        "Process Group Ranks",
        "In split size",
        "name",
        "labels",
    ];
    const LISTS: &[&str] = &["Input Dims", "Input type", "Concrete Inputs", "grid", "block"];
    let number = prop_oneof![
        3 => (0..9i64).prop_map(|number| number.to_string()),
        1 => any::<i32>().prop_map(|number| number.to_string()),
        1 => (-1e30..1e30f64).prop_map(|number| format!("{number:?}")),
    ];
    let list = prop_oneof![
        Just("[]".to_owned()),
        (1..9u32, 1..9u32).prop_map(|(x, y)| format!("[{x}, {y},1]")),
        Just("[[1, 2], [\"a\\n\"]]".to_owned()),
    ];
    let argument = prop_oneof![
        (proptest::sample::select(NUMBERS), number).prop_map(|(key, value)| (key, value)),
        (proptest::sample::select(TEXTS), name()).prop_map(|(key, value)| (key, value)),
        (proptest::sample::select(LISTS), list).prop_map(|(key, value)| (key, value)),
    ];
    proptest::collection::btree_map(proptest::sample::select(&[0, 1, 2, 3, 4, 5][..]), argument, 0..6)
        .prop_map(|map| {
            let unique: std::collections::BTreeMap<_, _> = map.into_values().collect();
            let parts: Vec<_> = unique.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            format!("{{{}}}", parts.join(","))
        })
}

fn event() -> impl Strategy<Value = String> {
    const PHASES: &[&str] = &["X", "X", "X", "X", "B", "E", "s", "f", "t", "i", "M", "M", "C", "b", "e"];
    const CATEGORIES: &[&str] = &[
        "cpu_op",
        "user_annotation",
        "cuda_runtime",
        "kernel",
        "gpu_memcpy",
        "gpu_memset",
        "cuda_sync",
        "python_function",
        "cuda_profiler_range",
        "mtia_ccp_events",
        "gpu_user_annotation",
        "Trace",
        "other",
    ];
    const METADATA: &[&str] = &[
        "process_name",
        "process_labels",
        "process_sort_index",
        "thread_name",
        "thread_sort_index",
        "[memory]",
    ];
    let category = proptest::sample::select(CATEGORIES);
    let special = proptest::option::weighted(0.3, proptest::sample::select(METADATA));
    let fields = (proptest::sample::select(PHASES), category, name(), special, place(), time(), time());
    (fields, arguments(), ident()).prop_map(|((phase, category, name, special, place, start, length), arguments, id)| {
        let name = match special {
            Some(special) if phase == "M" || phase == "i" => format!("\"{special}\""),
            _ => name,
        };
        format!(
            r#"{{"ph":"{phase}","cat":"{category}","name":{name},"ts":{start},"dur":{length},"id":{id}{place},"args":{arguments}}}"#
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_traces_survive(events in proptest::collection::vec(event(), 0..20)) {
        let text = format!("{{\"traceEvents\":[{}]}}", events.join(",\n"));
        let trace = read(&text);
        for format in [TraceFormat::Chrome, TraceFormat::Perfetto] {
            prop_assert_eq!(loss(&trace, format), None, "{}", text);
        }
    }
}
