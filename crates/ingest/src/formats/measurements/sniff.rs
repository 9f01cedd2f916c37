//! What a file is by its beginning.

use super::Form;
use super::kernels;

/// Keys that only Kineto writes: what has them is a recording, whatever its arguments say.
const OF_KINETO: [&str; 5] =
    ["\"schemaVersion\"", "\"deviceProperties\"", "\"Ev Idx\"", "\"External id\"", "\"correlation\""];

/// The form, if the beginning shows one; nothing if it may be a trace.
pub(super) fn form(first: &str) -> Option<Form> {
    let first = first.trim_start();
    match first.as_bytes().first()? {
        b'{' => of_object(first),
        b'[' => of_list(first),
        _ => kernels::is_table(first).then_some(Form::KernelsCsv),
    }
}

fn of_object(first: &str) -> Option<Form> {
    let keys = keys(first, 1);
    let has = |names: &[&str]| keys.iter().any(|(key, _)| names.contains(key));
    // Other programs have an object under these names.
    let has_list = |name: &str| keys.iter().any(|(key, value)| *key == name && value.starts_with('['));
    if has(&["traceEvents"]) {
        let says_amounts = ["\"flops\"", "\"dram_bytes\""].iter().any(|key| first.contains(key));
        let of_kineto = OF_KINETO.iter().any(|key| first.contains(key));
        return (says_amounts && !of_kineto).then_some(Form::Events);
    }
    if super::documents::is_one(first) {
        Some(Form::Benchmark)
    } else if has_list("events") {
        Some(Form::Events)
    } else if has_list("commands") {
        Some(Form::Commands)
    } else if has(&["rows", "results", "simplified", "points"])
        || keys.iter().any(|(key, _)| super::benchmark::named_shape(key).is_some())
    {
        Some(Form::Benchmark)
    } else {
        None
    }
}

/// By the keys of the first entry.
fn of_list(first: &str) -> Option<Form> {
    let inside = first.get(1..)?.trim_start();
    if !inside.starts_with('{') {
        return None;
    }
    let keys = keys(inside, 1);
    let has = |name: &str| keys.iter().any(|(key, _)| *key == name);
    if has("ph") {
        None
    } else if has("latency_ms") || has("tflops") || (has("precision") && has("time_us")) {
        Some(Form::Benchmark)
    } else if has("dur_us") {
        Some(Form::Events)
    } else if has("type") && (has("time_ns") || has("time_us") || has("data_type") || has("macs")) {
        Some(Form::Commands)
    } else {
        None
    }
}

/// Keys at a depth of brackets, until that depth is left, each with the text that its value begins.
fn keys(text: &str, wanted: usize) -> Vec<(&str, &str)> {
    let bytes = text.as_bytes();
    let (mut depth, mut at, mut keys) = (0_usize, 0, Vec::new());
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let Some(end) = end_of_text(bytes, at + 1) else { return keys };
                let value = text.get(end + 1..).and_then(|rest| rest.trim_start().strip_prefix(':'));
                if let Some((key, value)) = text.get(at + 1..end).zip(value).filter(|_| depth == wanted) {
                    keys.push((key, value.trim_start()));
                }
                at = end;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth < wanted {
                    return keys;
                }
            }
            _ => {}
        }
        at += 1;
    }
    keys
}

/// The closing quote of a text that begins here.
pub(super) fn end_of_text(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}
