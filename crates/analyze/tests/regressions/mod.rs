//! Small traces on which eaves once was wrong, from the file to the report: numbers, and findings that an engineer would
//! reject.

mod findings;
mod numbers;

use std::cmp::Reverse;

use eaves_analyze::section::{Finding, Section};

use crate::twins::sections;

/// Something that took time: category, name, thread, start and duration in microseconds, arguments.
fn event(category: &str, name: &str, thread: u32, (start, duration): (u32, u32), arguments: &str) -> String {
    format!(
        r#"{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": 1, "tid": {thread}, "ts": {start}, "dur": {duration}, "args": {{{arguments}}}}}"#
    )
}

fn launch(correlation: u32, start: u32) -> String {
    event("cuda_runtime", "cudaLaunchKernel", 1, (start, 5), &format!(r#""correlation": {correlation}"#))
}

fn kernel(name: &str, correlation: u32, times: (u32, u32)) -> String {
    let arguments = format!(r#""device": 0, "stream": 7, "correlation": {correlation}"#);
    event("kernel", name, 7, times, &arguments)
}

/// A pointwise kernel that `torch.compile` generated: its last argument is the number of elements.
fn generated(name: &str, (dims, types): (&str, &str), numel: u32, start: u32) -> [String; 3] {
    let empty = "\"\", ".repeat(types.matches(',').count());
    let types = format!(r#"{types}, "Concrete Inputs": [{empty}"{numel}"]"#);
    operator(name, (dims, &types), name, start, 100)
}

/// An operator with the shapes and types of its inputs, which launches one kernel.
fn operator(
    name: &str,
    (dims, types): (&str, &str),
    kernel_name: &str,
    start: u32,
    time: u32,
) -> [String; 3] {
    let arguments = format!(r#""Input Dims": {dims}, "Input type": {types}"#);
    [
        event("cpu_op", name, 1, (start, 20), &arguments),
        launch(start + 1, start + 2),
        kernel(kernel_name, start + 1, (start + 10, time)),
    ]
}

fn text(device: &str, events: &[String]) -> String {
    format!(
        "{{\"schemaVersion\": 1, \"deviceProperties\": [{{\"id\": 0, \"name\": \"{device}\"}}], \"traceEvents\": [\n{}\n]}}",
        events.join(",\n")
    )
}

fn analysed_on(device: &str, events: &[String]) -> Vec<Section> {
    sections(eaves_ingest::read_bytes("made", text(device, events).as_bytes()).unwrap()).1
}

fn analysed(events: &[String]) -> Vec<Section> {
    analysed_on("NVIDIA A100-SXM4-40GB", events)
}

/// The findings of all sections, those that gain most first.
fn findings(sections: &[Section]) -> Vec<&Finding> {
    let mut found: Vec<&Finding> = sections.iter().flat_map(|section| &section.findings).collect();
    found.sort_by_key(|finding| Reverse(finding.gain.as_ref().map(|gain| gain.high)));
    found
}

/// What they are, but for what these recordings lack for a roofline.
fn ids(sections: &[Section]) -> Vec<&'static str> {
    let ids = findings(sections).into_iter().map(|finding| finding.id);
    ids.filter(|id| *id != "roofline_coverage").collect()
}
