//! Calls of collectives.

use eaves_analyze::{CollectiveCall, ElementType, RankView, collective_calls};

use super::column::{Column, count, float, int, ns, text};
use super::{Table, View};

pub(super) struct Collectives;

pub(super) struct Rows<'a> {
    rank: &'a RankView<'a>,
    calls: Vec<CollectiveCall>,
}

impl Table for Collectives {
    const NAME: &'static str = "collectives";
    const ABOUT: &'static str = "Collective calls: communication kernels, and host ranges of communication";
    type Rows<'a> = Rows<'a>;

    fn rows<'a>(view: &View<'a>) -> Rows<'a> {
        Rows { rank: view.rank, calls: collective_calls(view.rank) }
    }

    fn count(rows: &Rows<'_>) -> usize {
        rows.calls.len()
    }

    fn columns<'a>() -> Vec<Column<Rows<'a>>> {
        vec![
            int("slice", "Slice number within its rank", |rows, row| count(rows.calls[row].slice.0)),
            text("name", "Name of the kernel or range", |rows, row| {
                Some(rows.rank.trace.slice_name(rows.calls[row].slice).into())
            }),
            text(
                "kind",
                "all_gather, all_reduce, all_to_all, broadcast, reduce_scatter, send_receive, ...",
                |rows, row| Some(rows.calls[row].kind.into()),
            ),
            text("place", "Location: gpu or host", |rows, row| Some(rows.calls[row].place.into())),
            int("start_ns", "Start, relative to the recording's time base", |rows, row| {
                ns(rows.calls[row].interval.start)
            }),
            int("end_ns", "End", |rows, row| ns(rows.calls[row].interval.end)),
            int("duration_ns", "Duration, including waiting for other ranks", |rows, row| {
                ns(rows.calls[row].interval.length())
            }),
            int("exposed_ns", "Exposed time (no computation on the rank); null on the host", |rows, row| {
                rows.calls[row].exposed.and_then(ns)
            }),
            int("bytes", "Size as defined by nccl-tests", |rows, row| rows.calls[row].bytes),
            float(
                "bus_factor",
                "Bus bandwidth factor of nccl-tests: multiply with bytes over time",
                |rows, row| rows.calls[row].bus_factor,
            ),
            text("element_type", "Element type", |rows, row| {
                rows.calls[row].element.map(|element| match element {
                    ElementType::Known(name) => name.into(),
                    ElementType::AsWritten(id) => rows.rank.trace.strings.get(id).into(),
                })
            }),
            text("process_group", "Process group name", |rows, row| {
                rows.calls[row].group.as_deref().map(Into::into)
            }),
            int("group_size", "Number of ranks in the group", |rows, row| {
                rows.calls[row].group_size.map(i64::from)
            }),
            int("sequence", "Call number within its process group, the same on every rank", |rows, row| {
                rows.calls[row].sequence
            }),
            int("step", "Profiler step in which it was launched", |rows, row| {
                rows.calls[row].step.and_then(count)
            }),
        ]
    }
}
