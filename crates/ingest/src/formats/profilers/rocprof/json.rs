//! `<out>.json`: Chrome events whose numbers are texts, whose first element is empty, and whose `otherData` repeats keys.
//!
//! Processes are made up: 0 ranges of roctx, 1 copies, 2 HIP, 3 HSA, 6 + n the device n, and 512 more its barriers. Times
//! in nanoseconds, the real process and the device stand in the arguments.

use std::collections::BTreeMap;

use eaves_model::{DeviceProperties, SliceKind, Trace, WarningKind};

use super::super::shared::amd_text::arguments;
use super::super::shared::amd_text::cells::{self, Stamp};
use super::super::shared::amd_text::recorder::{Kernel, Recorder, When};
use super::super::shared::amd_text::table::refused;
use super::super::{Input, Refused};
use super::STYLE;
use super::launches::Drawing;
use crate::formats::refused_as_damaged;
use crate::json::cursor::{Cursor, Fault};
use crate::json::window::Window;
use crate::json::{number, text};

const RANGES: i64 = 0;
const COPIES: i64 = 1;
const HIP: i64 = 2;
const HSA: i64 = 3;
const FIRST_DEVICE: i64 = 6;
const BARRIERS: i64 = 512;

/// The largest description of the machine; what `rocminfo` says of sixteen devices has 100 KB.
const LARGEST_DESCRIPTION: usize = 16 << 20;

/// By the empty first event, and by the times in nanoseconds or the names of the processes.
pub(super) fn is_it(first: &[u8]) -> bool {
    let first = first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(first);
    let start: Vec<u8> = first.iter().take(256).copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let has = |part: &[u8]| memchr::memmem::find(first, part).is_some();
    start.starts_with(b"{\"traceEvents\":[{}")
        && (has(b"\"BeginNs\"") || has(b"\"CPU HIP API\"") || has(b"\"GPU0\""))
}

/// One event. Texts are places in the chunk.
#[derive(Debug, Default)]
struct Event {
    phase: u8,
    name: Option<(usize, usize)>,
    process: Option<i64>,
    thread: Option<i64>,
    time: Option<i64>,
    duration: Option<i64>,
    id: Option<i64>,
    begin: Option<(usize, usize)>,
    end: Option<(usize, usize)>,
    device: Option<i64>,
    queue: Option<i64>,
    stream: Option<i64>,
    real_process: Option<i64>,
    real_thread: Option<i64>,
    arguments: Option<(usize, usize)>,
}

/// Reads the file.
pub(super) fn read(input: Input<'_>) -> Result<(Trace, u64), Refused> {
    let mut recorder = Recorder::default();
    let mut drawing = Drawing::default();
    let mut window = Window::new(input.rest, 0);
    window.fill(recorder.diagnostics());
    let list = |bytes: &[u8]| memchr::memchr(b'[', bytes).map(|at| at + 1);
    if !window.seek(recorder.diagnostics(), list) {
        return Err(refused(0, "rocprof JSON without an event list"));
    }
    let is_whole = events(&mut window, &mut recorder, &mut drawing);
    let is_closed = description(&mut window, &mut recorder);
    let bytes = window.offset + window.content().len() as u64;
    // What stands behind the events may be cut off too, or the file between two of them.
    if is_whole && !is_closed && window.is_last() {
        recorder.diagnostics().note(WarningKind::Truncated, Some(bytes));
    }
    drawing.link(&mut recorder.trace);
    let trace = recorder.finish(STYLE.tool, STYLE.clock);
    if trace.slices.is_empty() {
        let nothing = refused(0, "rocprof JSON without kernels, calls, copies or ranges");
        return Err(refused_as_damaged("JSON of rocprof", &trace.diagnostics).unwrap_or(nothing));
    }
    Ok((trace, bytes))
}

/// How far a walk over the chunk came.
enum Step {
    End(usize),
    Partial(usize),
    Bad(usize),
}

/// Reads the list. False if its end was lost, which is noted.
fn events(window: &mut Window<'_>, recorder: &mut Recorder, drawing: &mut Drawing) -> bool {
    loop {
        let base = window.offset;
        let (chunk, index) = window.indexed();
        match walk(&mut Cursor::new(chunk, index), base, recorder, drawing) {
            Step::End(at) => {
                window.consume(at);
                return true;
            }
            Step::Partial(at) => {
                window.consume(at);
                if window.fill(recorder.diagnostics()) {
                    continue;
                }
                let is_blank = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | 0);
                if window.content().iter().all(is_blank) {
                    return true;
                }
                let offset = Some(window.offset);
                // A lost quote may have swallowed sound events.
                match window.content().get(1..).and_then(next_event) {
                    Some(next) => {
                        recorder.diagnostics().note(WarningKind::Garbage, offset);
                        window.consume(next + 1);
                        window.expect_no_end();
                    }
                    None => {
                        recorder.diagnostics().note(WarningKind::Truncated, offset);
                        return false;
                    }
                }
            }
            Step::Bad(at) => {
                window.consume(at);
                recorder.diagnostics().note(WarningKind::Garbage, Some(window.offset));
                window.consume(1);
                if !window.seek(recorder.diagnostics(), next_event) {
                    return false;
                }
                window.be_careful();
            }
        }
    }
}

/// Events stand at the start of a line, behind a comma.
fn next_event(bytes: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, b"\n,{").map(|at| at + 2)
}

fn walk(cursor: &mut Cursor<'_>, base: u64, recorder: &mut Recorder, drawing: &mut Drawing) -> Step {
    let mut after = 0;
    loop {
        let at = cursor.position();
        match cursor.peek() {
            Ok(b'{') => match event(cursor) {
                Ok(event) => {
                    let chunk = cursor.chunk.content();
                    take(&event, chunk, base + at as u64, recorder, drawing);
                    after = cursor.previous() + 1;
                }
                Err(Fault::Partial) => return Step::Partial(at),
                Err(Fault::Bad) => return Step::Bad(at),
            },
            Ok(b']') => return Step::End(at + 1),
            Ok(_) => return Step::Bad(after.max(at)),
            Err(_) => return Step::Partial(after),
        }
    }
}

fn event(cursor: &mut Cursor<'_>) -> Result<Event, Fault> {
    let mut event = Event::default();
    cursor.each_field(|cursor, key, value| {
        match key {
            b"ph" => {
                let place = place(cursor, value)?;
                event.phase = cursor.chunk.content().get(place.0).copied().unwrap_or(0);
            }
            b"name" => event.name = Some(place(cursor, value)?),
            b"pid" => event.process = integer(cursor, value)?,
            b"tid" => event.thread = integer(cursor, value)?,
            b"ts" => event.time = integer(cursor, value)?,
            b"dur" => event.duration = integer(cursor, value)?,
            b"id" => event.id = integer(cursor, value)?,
            b"args" if cursor.chunk.at(value) == b'{' => cursor.each_field(|cursor, key, value| {
                match key {
                    b"BeginNs" => event.begin = Some(place(cursor, value)?),
                    b"EndNs" => event.end = Some(place(cursor, value)?),
                    b"dev-id" => event.device = integer(cursor, value)?,
                    b"queue-id" => event.queue = integer(cursor, value)?,
                    b"stream-id" => event.stream = integer(cursor, value)?,
                    b"pid" => event.real_process = integer(cursor, value)?,
                    b"tid" => event.real_thread = integer(cursor, value)?,
                    b"args" => event.arguments = Some(place(cursor, value)?),
                    _ => cursor.skip(value)?,
                }
                Ok(())
            })?,
            _ => cursor.skip(value)?,
        }
        Ok(())
    })?;
    Ok(event)
}

/// The place of a value without its quotes. Goes past it.
fn place(cursor: &mut Cursor<'_>, value: usize) -> Result<(usize, usize), Fault> {
    match cursor.chunk.at(value) {
        b'"' => cursor.text(),
        b'{' | b'[' => cursor.skip_nested().map(|_| (value, value)),
        _ => Ok((value, value + cursor.word(value).len())),
    }
}

/// A number, whether in quotes or not.
fn integer(cursor: &mut Cursor<'_>, value: usize) -> Result<Option<i64>, Fault> {
    let (start, end) = place(cursor, value)?;
    Ok(number::integer_of_text(cursor.chunk.slice(start, end)))
}

fn take(event: &Event, chunk: &[u8], offset: u64, recorder: &mut Recorder, drawing: &mut Drawing) {
    let cut = |place: Option<(usize, usize)>| {
        place.and_then(|(start, end)| chunk.get(start..end)).unwrap_or_default()
    };
    let spot = event
        .process
        .zip(event.thread)
        .zip(event.time)
        .map(|((process, thread), time)| (process, thread, time));
    match event.phase {
        b'X' => {}
        b's' => return drawing.from.extend(event.id.zip(spot)),
        b't' => return drawing.to.extend(event.id.zip(spot)),
        // The first element, which is empty, and names of processes.
        0 | b'M' => return,
        _ => return recorder.diagnostics().note(WarningKind::UnknownPhase, Some(offset)),
    }
    let microseconds =
        |time: Option<i64>| time.and_then(|time| time.checked_mul(1_000)).map_or(Stamp::Missing, Stamp::At);
    let when = if event.begin.is_some() {
        When { start: cells::stamp(cut(event.begin)), end: cells::stamp(cut(event.end)), offset }
    } else {
        let end = event.time.zip(event.duration).and_then(|(time, duration)| time.checked_add(duration));
        When { start: microseconds(event.time), end: microseconds(end), offset }
    };
    let (body, _) = text::unescape(cut(event.name));
    let place = (event.real_process, event.real_thread.or(event.thread));
    let device = event.device.and_then(|device| u32::try_from(device).ok());
    match event.process {
        Some(HIP | HSA) => {
            let category = if event.process == Some(HIP) { "HIP" } else { "HSA" };
            let slice = recorder.call(&body, category, place, None, when);
            let (arguments, _) = text::unescape(cut(event.arguments));
            let arguments = String::from_utf8_lossy(&arguments);
            if let Some(argument) = arguments::read(&arguments, slice, &mut recorder.trace.strings) {
                recorder.trace.runtime_arguments.push(argument);
            }
            if let Some((process, thread, time)) = spot {
                let middle = time.saturating_add(event.duration.unwrap_or(0) / 2);
                drawing.calls.insert((process, thread, middle), recorder.trace.runtime.len() - 1);
            }
        }
        Some(RANGES) => drop(recorder.annotation(&body, place, when)),
        Some(COPIES) => {
            recorder.copy(&body, device, event.stream, None, when);
            drawing.activities.extend(spot.map(|spot| (spot, recorder.trace.gpu.len() - 1)));
        }
        Some(process) if process >= FIRST_DEVICE => {
            let number = u32::try_from((process - FIRST_DEVICE) % BARRIERS).ok();
            let kernel = Kernel {
                name: &body,
                device: device.or(number),
                queue: event.queue,
                stream: event.stream.or(event.thread),
                ..Kernel::default()
            };
            if process - FIRST_DEVICE >= BARRIERS || body.starts_with(b"<barrier") {
                let track = recorder.device_track(kernel.device, kernel.stream, kernel.queue);
                let name = recorder.text(&body, offset);
                recorder.slice(SliceKind::Sync, name, "barrier", track, when);
            } else {
                recorder.kernel(&kernel, when);
                drawing.activities.extend(spot.map(|spot| (spot, recorder.trace.gpu.len() - 1)));
            }
        }
        _ => recorder.diagnostics().note(WarningKind::BadValue, Some(offset)),
    }
}

/// What `rocminfo` said of the agents, behind the events: `"Agent5.ComputeUnit": "228"`. True if the document is closed
/// behind it.
fn description(window: &mut Window<'_>, recorder: &mut Recorder) -> bool {
    while window.content().len() < LARGEST_DESCRIPTION && window.fill(recorder.diagnostics()) {}
    let (chunk, index) = window.indexed();
    let mut cursor = Cursor::new(chunk, index);
    let mut agents: BTreeMap<u32, Vec<(String, String)>> = BTreeMap::new();
    // Brackets that are open: that of the document.
    let mut depth = 1usize;
    while let Ok(byte) = cursor.peek() {
        if byte != b'"' {
            depth = if matches!(byte, b'{' | b'[') { depth + 1 } else { depth.saturating_sub(1) };
            cursor.advance();
            continue;
        }
        let (start, end, value) = match cursor.key() {
            Ok(key) => key,
            // Behind the text, which is not a key.
            Err(Fault::Bad) => continue,
            Err(Fault::Partial) => break,
        };
        if chunk.at(value) != b'"' {
            continue;
        }
        let Ok((from, to)) = cursor.text() else { break };
        let key = String::from_utf8_lossy(chunk.slice(start, end));
        let Some((agent, fact)) = key.strip_prefix("Agent").and_then(|rest| rest.split_once('.')) else {
            continue;
        };
        let Ok(agent) = agent.parse() else { continue };
        let facts = agents.entry(agent).or_default();
        // A key that is repeated is about another part of the agent; the first is about the agent.
        if facts.iter().all(|(known, _)| known != fact) {
            facts.push((fact.to_owned(), String::from_utf8_lossy(chunk.slice(from, to)).into_owned()));
        }
    }
    recorder.trace.metadata.devices = agents.into_values().filter_map(|facts| device(&facts)).collect();
    depth == 0
}

/// The device that an agent is, if it is a GPU. rocprof numbers devices by their nodes.
fn device(facts: &[(String, String)]) -> Option<DeviceProperties> {
    let text = |name: &str| facts.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str());
    text("DeviceType").filter(|kind| *kind == "GPU")?;
    let number = |text: &str| {
        let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
        text.get(..end).filter(|digits| !digits.is_empty()).and_then(|digits| digits.parse::<f64>().ok())
    };
    let mut numbers: Vec<(String, f64)> =
        facts.iter().filter_map(|(name, text)| Some((name.clone(), number(text)?))).collect();
    numbers.sort_by(|a, b| a.0.cmp(&b.0));
    Some(DeviceProperties {
        id: text("Node").and_then(|node| node.parse().ok()),
        name: text("MarketingName").unwrap_or_default().to_owned(),
        architecture: text("Name").unwrap_or_default().to_owned(),
        numbers,
    })
}
