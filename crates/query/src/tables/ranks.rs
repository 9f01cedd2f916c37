//! Ranks, a row each.

use eaves_analyze::RankView;
use eaves_model::{RankSource, Recording};

use super::column::{Column, count, int, ns, text};
use super::{Table, View};

pub(super) struct Ranks;

pub(super) struct Rows<'a> {
    recording: &'a Recording,
    rank: &'a RankView<'a>,
}

impl Table for Ranks {
    const NAME: &'static str = "ranks";
    const ABOUT: &'static str = "Recordings, one row per rank";
    type Rows<'a> = Rows<'a>;

    fn rows<'a>(view: &View<'a>) -> Rows<'a> {
        Rows { recording: view.recording, rank: view.rank }
    }

    fn count(_: &Rows<'_>) -> usize {
        1
    }

    fn columns<'a>() -> Vec<Column<Rows<'a>>> {
        vec![
            text("path", "The input", |rows, _| Some(rows.recording.path.as_str().into())),
            text("format", "Format of the input", |rows, _| Some(rows.recording.format.into())),
            text("rank_source", "Source of the rank: trace, file-name or assumed", |rows, _| {
                let source = match rows.recording.rank_source {
                    RankSource::Trace => "trace",
                    RankSource::FileName => "file-name",
                    RankSource::Assumed => "assumed",
                };
                Some(source.into())
            }),
            text("host", "Host name", |rows, _| {
                rows.recording.trace.metadata.host_name.as_deref().map(Into::into)
            }),
            text("devices", "Device names", |rows, _| {
                let mut names: Vec<&str> =
                    rows.recording.trace.metadata.devices.iter().map(|device| device.name.as_str()).collect();
                names.dedup();
                (!names.is_empty()).then(|| names.join(", ").into())
            }),
            int("world_size", "Number of ranks of the job", |rows, _| {
                rows.recording.trace.metadata.distributed.as_ref()?.world_size
            }),
            int("events", "Number of events in the input", |rows, _| count(rows.recording.trace.events)),
            int("bytes", "Decompressed input size", |rows, _| count(rows.recording.bytes)),
            int("start_ns", "First start", |rows, _| rows.rank.extent.and_then(|extent| ns(extent.start))),
            int("end_ns", "Last end", |rows, _| rows.rank.extent.and_then(|extent| ns(extent.end))),
            int("duration_ns", "Span from first start to last end", |rows, _| {
                rows.rank.extent.and_then(|extent| ns(extent.length()))
            }),
            int(
                "base_time_ns",
                "Recording's time base since 1970, to compare times across ranks",
                |rows, _| rows.recording.trace.metadata.base_time_ns,
            ),
            int("warnings", "Number of warnings", |rows, _| {
                count(
                    rows.recording
                        .trace
                        .diagnostics
                        .warnings()
                        .iter()
                        .map(|warning| warning.count)
                        .sum::<u64>(),
                )
            }),
        ]
    }
}
