//! The end: whose events are whose, when time begins, what the program marked.

use eaves_model::{MemoryEvent, MemoryEvents, Metadata, Ns, Trace, WarningKind};

use super::annotations::add_slices;
use super::build::{Builder, Root, shown};
use super::lists::{EMPTY, kind};
use crate::pickle::Value;

const HOST: (u32, i64) = (0, -1);

/// Events of one device: its type, its number, and their rows.
type Part = ((u32, i64), Vec<(u32, u32)>);

impl Builder {
    /// The trace; nothing if it is not a snapshot.
    pub(super) fn finish(mut self) -> Option<Trace> {
        let root = self.root?;
        self.snapshot.has_times = self.timed > 0;
        // `_profile_to_snapshot` knows neither kinds of segments nor times; of its devices the host is the last.
        let is_profile = !self.snapshot.has_times
            && self.snapshot.segments.kind.iter().all(|kind| *kind == eaves_model::StringId::NONE);
        let parts = self.parts(&root, is_profile);
        self.give_devices(parts);
        self.drop_strays();
        self.place_segments(&root, is_profile);
        let mut trace = Trace {
            metadata: self.metadata(&root),
            events: self.snapshot.events.len() as u64 + self.marks.len() as u64,
            ..Trace::default()
        };
        self.count_time(&mut trace);
        trace.snapshot = self.snapshot;
        trace.strings = self.strings;
        trace.diagnostics = self.diagnostics;
        add_slices(&self.marks, &mut trace);
        Some(trace)
    }

    /// Which runs of events belong to which device.
    fn parts(&mut self, root: &Root, is_profile: bool) -> Vec<Part> {
        let runs = |list: u32| -> Vec<(u32, u32)> {
            let of_events = self.lists.runs(list).iter().filter(|run| run.kind == kind::EVENT);
            of_events.map(|run| (run.first, run.count)).collect()
        };
        let mut parts: Vec<Part> = Vec::new();
        let devices: Vec<u32> =
            root.traces.map(|list| self.lists.rows_of_lists(list).collect()).unwrap_or_default();
        for (device, &list) in devices.iter().enumerate() {
            let is_host = is_profile && device + 1 == devices.len();
            let device = if is_host { HOST } else { (1, device as i64) };
            if list != EMPTY {
                parts.push((device, runs(list)));
            }
        }
        if let Some(list) = root.host_traces {
            // A list of lists, or of events.
            parts.push((HOST, runs(list)));
            let lists: Vec<u32> = self.lists.rows_of_lists(list).filter(|&list| list != EMPTY).collect();
            parts.extend(lists.into_iter().map(|list| (HOST, runs(list))));
        }
        parts
    }

    /// Fills the columns of the device, and puts events in the order of the devices if they are not.
    fn give_devices(&mut self, parts: Vec<Part>) {
        let rows = self.snapshot.events.time.len();
        let mut next = 0u32;
        let mut in_order = true;
        for &(first, count) in parts.iter().flat_map(|(_, runs)| runs) {
            in_order &= first == next;
            next = first.saturating_add(count);
        }
        if in_order && next as usize == rows {
            let events = &mut self.snapshot.events;
            for ((device_type, device), runs) in parts {
                for _ in runs.iter().flat_map(|&(_, count)| 0..count) {
                    events.device_type.push(device_type);
                    events.device.push(device);
                }
            }
            return;
        }
        // Not as PyTorch writes it, or with events that no list holds.
        let mut taken = vec![false; rows];
        let old = std::mem::take(&mut self.snapshot.events);
        let mut events = MemoryEvents::default();
        for ((device_type, device), runs) in parts {
            for row in runs.iter().flat_map(|&(first, count)| first..first.saturating_add(count)) {
                let row = row as usize;
                if taken.get(row) != Some(&false) {
                    continue;
                }
                taken[row] = true;
                events.push(MemoryEvent {
                    time: old.time[row],
                    action: old.action[row],
                    device_type,
                    device,
                    stream: old.stream[row],
                    address: old.address[row],
                    bytes: old.bytes[row],
                    stack: old.stack[row],
                    category: old.category[row],
                });
            }
        }
        let strays = taken.iter().filter(|&&taken| !taken).count() as u64;
        self.diagnostics.note_many(WarningKind::BadRecord, strays, None);
        self.snapshot.events = events;
    }

    /// Skips blocks that no segment holds.
    fn drop_strays(&mut self) {
        let blocks = &mut self.snapshot.blocks;
        let strays = blocks.segment.iter().filter(|&&segment| segment == u32::MAX).count() as u64;
        if strays > 0 {
            self.diagnostics.note_many(WarningKind::BadRecord, strays, None);
            let kept: Vec<bool> = blocks.segment.iter().map(|&segment| segment != u32::MAX).collect();
            blocks.retain(|row| kept[row]);
        }
    }

    /// Tells segments of the host from those of devices.
    fn place_segments(&mut self, root: &Root, is_profile: bool) {
        let segments = &mut self.snapshot.segments;
        let mut on_host: Vec<usize> = Vec::new();
        if let Some(list) = root.host_segments {
            on_host.extend(self.lists.rows(list, kind::SEGMENT).map(|row| row as usize));
        }
        if is_profile {
            let last = segments.device.iter().copied().max();
            on_host.extend((0..segments.len()).filter(|&row| Some(segments.device[row]) == last));
        }
        for row in on_host {
            segments.device_type.set(row, HOST.0);
            segments.device.set(row, HOST.1);
        }
    }

    /// Times from the first event or mark on; without times the number of the event on its device.
    fn count_time(&mut self, trace: &mut Trace) {
        let events = &mut self.snapshot.events;
        if !self.snapshot.has_times {
            let mut number = 0;
            for row in 0..events.time.len() {
                let is_same = row > 0
                    && events.device[row] == events.device[row - 1]
                    && events.device_type[row] == events.device_type[row - 1];
                number = if is_same { number + 1 } else { 0 };
                events.time[row] = Ns(number);
            }
            self.marks.clear();
            return;
        }
        let times = events.time.iter().copied().chain(self.marks.iter().map(|mark| mark.time));
        let Some(base) = times.min() else { return };
        for time in events.time.iter_mut().chain(self.marks.iter_mut().map(|mark| &mut mark.time)) {
            *time -= base;
        }
        trace.metadata.base_time_ns = Some(base.0);
    }

    fn metadata(&self, root: &Root) -> Metadata {
        let mut settings: Vec<(String, String)> = Vec::new();
        for &(_, name, value) in self.settings.iter().filter(|(of, ..)| Some(*of) == root.settings) {
            let name = self.strings.get(name);
            if let Some(value) = shown(value, &self.strings) {
                settings.push((name.to_owned(), value));
            }
            if let Value::Built(kind::SETTINGS, inner, _) = value {
                let inner = self.settings.iter().filter(|(of, ..)| *of == inner);
                settings.extend(inner.filter_map(|&(_, key, value)| {
                    Some((format!("{name}.{}", self.strings.get(key)), shown(value, &self.strings)?))
                }));
            }
        }
        settings.sort();
        let tool = Some("PyTorch's allocator".to_owned());
        Metadata { settings, tool, ..Metadata::default() }
    }
}
