//! Tracks by their numbers: threads, processes, counters, and tracks inside of them.

use std::collections::HashMap;

use eaves_model::{Ident, MaybeI64, Process, StringId, Trace, Track, TrackId};

use crate::protobuf::Fields;

/// A track as its descriptor has it.
#[derive(Clone, Default)]
pub(super) struct Descriptor {
    parent: Option<u64>,
    name: String,
    process: Option<i64>,
    process_name: String,
    thread: Option<i64>,
    pub(super) multiplier: Option<i64>,
    pub(super) is_incremental: bool,
}

/// Every track that was described.
#[derive(Default)]
pub(super) struct Descriptors(HashMap<u64, Descriptor>);

/// How many parents a track may have.
const DEEPEST: usize = 32;

impl Descriptors {
    /// Takes in a `TrackDescriptor`. What was said of a track before stays unless it is said again.
    pub(super) fn take(&mut self, message: &[u8]) {
        let number = Fields::new(message).flatten().find(|field| field.number == 1);
        let number = number.and_then(|field| field.value.integer()).unwrap_or(0);
        let track = self.0.entry(number).or_default();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        for field in Fields::new(message).flatten() {
            let bytes = field.value.bytes().unwrap_or_default();
            match field.number {
                5 => track.parent = field.value.integer(),
                // Name, static name, name by atrace.
                2 | 10 | 13 => track.name = text(bytes),
                3 => {
                    for field in Fields::new(bytes).flatten() {
                        match field.number {
                            1 => track.process = field.value.integer().map(|value| value as i64),
                            6 => track.process_name = text(field.value.bytes().unwrap_or_default()),
                            _ => {}
                        }
                    }
                }
                4 => {
                    for field in Fields::new(bytes).flatten() {
                        match field.number {
                            1 => track.process = field.value.integer().map(|value| value as i64),
                            2 => track.thread = field.value.integer().map(|value| value as i64),
                            5 if track.name.is_empty() => {
                                track.name = text(field.value.bytes().unwrap_or_default());
                            }
                            _ => {}
                        }
                    }
                }
                8 => {
                    for field in Fields::new(bytes).flatten() {
                        match field.number {
                            4 => track.multiplier = field.value.integer().map(|value| value as i64),
                            5 => track.is_incremental = field.value.integer() == Some(1),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The track with a number, if it was described.
    pub(super) fn get(&self, number: u64) -> Option<&Descriptor> {
        self.0.get(&number)
    }

    /// The name of a track.
    pub(super) fn name(&self, number: u64) -> &str {
        self.0.get(&number).map_or("", |track| track.name.trim())
    }

    /// Makes a row of a track: the process it is inside of, and its thread or number.
    pub(super) fn place(&self, number: u64, trace: &mut Trace) -> TrackId {
        let mut process = None;
        let mut at = Some(number);
        for _ in 0..DEEPEST {
            let Some(track) = at.and_then(|at| self.0.get(&at)) else { break };
            if track.process.is_some() {
                process = Some((track.process, track.process_name.clone()));
                break;
            }
            at = track.parent.filter(|parent| Some(*parent) != at);
        }
        let (process, process_name) = process.unwrap_or_default();
        let process = process.map_or_else(|| Ident::text(trace.strings.intern("global")), Ident::number);
        if !process_name.is_empty() {
            let name = trace.strings.intern(&process_name);
            let (labels, sort_index) = (StringId::NONE, MaybeI64::NONE);
            trace.tracks.describe_process(Process { process, name, labels, sort_index });
        }
        let described = self.0.get(&number);
        let shown = self.name(number);
        let thread = match described.and_then(|track| track.thread) {
            Some(thread) => Ident::number(thread),
            // Numbers of tracks are hashes; as text they cannot be taken for threads.
            None if number == 0 => Ident::text(trace.strings.intern("global")),
            None => Ident::text(trace.strings.intern(&format!("track {number}"))),
        };
        let name = if shown.is_empty() { StringId::NONE } else { trace.strings.intern(shown) };
        trace.tracks.describe_thread(Track { process, thread, name, sort_index: MaybeI64::NONE })
    }
}
