//! Traces that are not what they should be: what the reader makes of them survives all the same.

use super::round_trip::{loss, read};
use crate::export::files::TraceFormat;

fn assert_survives(events: &str) {
    let trace = read(&format!("{{\"traceEvents\": [{events}]}}"));
    for format in [TraceFormat::Chrome, TraceFormat::Perfetto] {
        assert_eq!(loss(&trace, format), None, "{events}");
    }
}

fn with_arguments(category: &str, arguments: &str) -> String {
    format!(
        r#"{{"ph":"X","cat":"{category}","name":"n","pid":1,"tid":1,"ts":1,"dur":1,"args":{{{arguments}}}}}"#
    )
}

#[test]
fn arguments_of_other_types_survive() {
    for (category, arguments) in [
        ("cpu_op", r#""Input Dims": "[[1, 2]]""#),
        ("cpu_op", r#""Input Dims": 7, "Input type": "text", "Concrete Inputs": {"a": [1]}"#),
        ("cpu_op", r#""Input Dims": "null", "Input type": "\"text\"", "Concrete Inputs": " [1] ""#),
        ("cpu_op", r#""Input Dims": NaN, "Input type": "a\qb", "Input Strides": """#),
        ("cpu_op", r#""kernel_backend": "triton", "grid": "grid(100,)""#),
        ("cpu_op", r#""kernel_backend": "triton", "grid": [1, 2, 3]"#),
        ("cpu_op", r#""Collective name": null, "Group size": 2, "In split size": [1, 2]"#),
        ("cuda_runtime", r#""stream": "0x0", "bytes": "60", "size": 1, "kind": 1"#),
        ("cuda_runtime", r#""cbid": 1, "correlation": 18446744073709551615"#),
        ("kernel", r#""grid": [1], "block": [4294967295, 1, 1], "queued": -1, "external id": 9"#),
        ("kernel", r#""blocks per SM": "0.5", "warps per SM": NaN, "est. achieved occupancy %": 1e-300"#),
        ("mtia_ccp_events", r#""direction": "DEVICE_TO_HOST", "size": 16"#),
        ("cuda_profiler_range", r#""a": 1, "b": "2", "c": null, "a": 3, "Größe\n": 1e300"#),
        ("python_function", r#""Python parent id": null, "Python id": 0"#),
    ] {
        assert_survives(&with_arguments(category, arguments));
    }
}

#[test]
fn text_that_is_no_json_survives() {
    assert_survives(&with_arguments("cpu_op", "\"Concrete Inputs\": [\"a\tb\", \"\\d\", NaN]"));
}

#[test]
fn events_without_fields_survive() {
    assert_survives(
        r#"{"ph":"X","ts":1}, {"ph":"X","ts":"2.5","dur":-1,"name":7,"cat":null,"pid":"1","tid":1.0}"#,
    );
    assert_survives(r#"{"ph":"M","name":"process_name"}, {"ph":"M","name":"thread_name","args":{}}"#);
    assert_survives(r#"{"ph":"B","ts":1,"name":"a"}, {"ph":"B","ts":2,"name":"b"}, {"ph":"E","ts":3}"#);
    assert_survives(
        r#"{"ph":"i","ts":1,"s":"t","name":"[memory]"}, {"ph":"I","ts":1,"s":""}, {"ph":"n","ts":2}"#,
    );
    assert_survives(r#"{"ph":"C","ts":1,"args":{"a":1,"b":"x","c":null}}, {"ph":"C","ts":1,"id":3}"#);
    assert_survives(
        r#"{"ph":"b","ts":1,"id":"0x1"}, {"ph":"e","ts":5,"id2":{"local":"0x1"}}, {"ph":"b","ts":9}"#,
    );
    assert_survives(r#"{"ph":"s","ts":1,"id":-9223372036854775808,"bp":"x"}, {"ph":"t","ts":-0.5,"id":1e3}"#);
}
