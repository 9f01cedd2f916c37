//! What tracks are called.

use eaves_model::{Ident, MaybeI64, MaybeU32, StringId, Trace, TrackId, ident_text};

use crate::RankView;

/// The names of the tracks of a recording.
pub(crate) struct Names<'a> {
    trace: &'a Trace,
    /// Device and stream of the first activity of each track.
    streams: Vec<Option<(MaybeU32, MaybeI64)>>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(rank: &RankView<'a>) -> Self {
        let trace = rank.trace;
        let mut streams = vec![None; trace.tracks.len()];
        for (row, slice) in trace.gpu.slice.iter().enumerate() {
            let track = trace.slices.track[slice.index()].index();
            streams[track].get_or_insert((trace.gpu.device[row], trace.gpu.stream[row]));
        }
        Self { trace, streams }
    }

    /// True for tracks of a device.
    pub(super) fn is_device(&self, track: TrackId) -> bool {
        self.streams[track.index()].is_some()
    }

    /// What holds the track: a device, or a process.
    pub(super) fn group(&self, track: TrackId) -> String {
        if let Some((device, _)) = self.streams[track.index()]
            && let Some(device) = device.get()
        {
            return format!("GPU {device}");
        }
        let process = self.trace.tracks.threads.process[track.index()];
        let text = self.ident(process);
        let described = self.trace.tracks.find_process(process);
        let name = described.map_or("", |row| self.text(self.trace.tracks.processes.name[row]));
        match (name, text) {
            ("", text) => format!("process {text}"),
            (name, text) if name.contains(&text) => name.to_owned(),
            (name, text) => format!("{name} {text}"),
        }
    }

    /// The track inside its group.
    pub(super) fn track(&self, track: TrackId) -> String {
        if let Some((_, stream)) = self.streams[track.index()]
            && let Some(stream) = stream.get()
        {
            return format!("stream {stream}");
        }
        let name = self.text(self.trace.tracks.threads.name[track.index()]);
        if name.is_empty() {
            format!("thread {}", self.ident(self.trace.tracks.threads.thread[track.index()]))
        } else {
            name.to_owned()
        }
    }

    /// Group and track in one.
    pub(crate) fn full(&self, track: TrackId) -> String {
        format!("{} {}", self.group(track), self.track(track))
    }

    /// The order in which people want to see tracks: threads, then devices, each as the trace asks for.
    pub(super) fn order(&self, track: TrackId) -> impl Ord + use<> {
        let threads = &self.trace.tracks.threads;
        let process = threads.process[track.index()];
        let described = self.trace.tracks.find_process(process);
        let process_order =
            described.map_or(MaybeI64::NONE, |row| self.trace.tracks.processes.sort_index[row]);
        (
            self.is_device(track),
            process_order.unwrap_or(0),
            process,
            threads.sort_index[track.index()].unwrap_or(0),
            threads.thread[track.index()],
        )
    }

    fn text(&self, string: StringId) -> &'a str {
        self.trace.strings.get(string).trim()
    }

    fn ident(&self, ident: Ident) -> String {
        ident_text(ident, &self.trace.strings).map_or_else(|| "?".to_owned(), |text| text.trim().to_owned())
    }
}
