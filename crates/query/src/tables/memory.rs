//! What allocators did.

use eaves_analyze::{MemoryEvent, RankView, memory_events};

use super::column::{Column, count, int, ns, text};
use super::{Table, View};

pub(super) struct Memory;

pub(super) struct Rows<'a> {
    rank: &'a RankView<'a>,
    devices: Vec<String>,
    events: Vec<MemoryEvent>,
}

impl Table for Memory {
    const NAME: &'static str = "memory";
    const ABOUT: &'static str = "Allocations and frees, with memory in use after each";
    type Rows<'a> = Rows<'a>;

    fn rows<'a>(view: &View<'a>) -> Rows<'a> {
        let (devices, events) = memory_events(view.rank);
        Rows { rank: view.rank, devices, events }
    }

    fn count(rows: &Rows<'_>) -> usize {
        rows.events.len()
    }

    fn columns<'a>() -> Vec<Column<Rows<'a>>> {
        vec![
            int("time_ns", "Time, relative to the recording's time base", |rows, row| {
                rows.events[row].time.and_then(ns)
            }),
            text("device", "Device as named by PyTorch: cuda:0, cpu", |rows, row| {
                rows.devices.get(rows.events[row].device).map(|name| name.as_str().into())
            }),
            int("bytes", "Allocated bytes; negative when freed", |rows, row| Some(rows.events[row].bytes)),
            int(
                "in_use_bytes",
                "Bytes in use afterwards: the allocator's total, or allocations since the recording began",
                |rows, row| Some(rows.events[row].in_use),
            ),
            int("reserved_bytes", "Bytes reserved from the device afterwards", |rows, row| {
                rows.events[row].reserved.get()
            }),
            int("step", "Profiler step", |rows, row| {
                count(rows.rank.steps.number(rows.rank.steps.at(rows.events[row].time?)?))
            }),
        ]
    }
}
