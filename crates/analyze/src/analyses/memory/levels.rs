//! How much memory was in use at any time: per device, from what the allocator said after every event.

use eaves_model::{Interval, MaybeI64, MaybeU32, Ns};
use serde::{Deserialize, Serialize};

use super::snapshot;
use crate::RankView;

/// A device as PyTorch numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub(super) struct Device {
    /// `DeviceType`: 0 is the host.
    pub(super) kind: MaybeU32,
    /// Number among devices of the kind.
    pub(super) number: MaybeI64,
}

impl Device {
    /// True for the host's own memory.
    pub(super) fn is_host(self) -> bool {
        self.kind.get() == Some(0)
    }

    /// The name that PyTorch gives it, such as `cuda:0`.
    pub(super) fn name(self) -> String {
        // `c10/core/DeviceType.h`; ROCm says CUDA or HIP.
        let kind = match self.kind.get() {
            Some(0) => return "cpu".to_owned(),
            Some(1) => "cuda".to_owned(),
            Some(6) => "hip".to_owned(),
            Some(12) => "xpu".to_owned(),
            Some(13) => "mps".to_owned(),
            Some(15) => "hpu".to_owned(),
            Some(19) => "mtia".to_owned(),
            Some(20) => "privateuseone".to_owned(),
            Some(other) => format!("device type {other}"),
            None => "device".to_owned(),
        };
        match self.number.get() {
            Some(number) if number >= 0 => format!("{kind}:{number}"),
            _ => kind,
        }
    }
}

/// One event of an allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) time: Ns,
    /// Row in the table of allocations.
    pub(super) row: u32,
    /// Bytes taken, or given back if negative.
    pub(super) bytes: i64,
    /// Bytes in use afterwards.
    pub(super) level: i64,
    /// Bytes reserved from the device afterwards.
    pub(super) reserved: MaybeI64,
}

/// The events of one device in time order.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    pub(super) device: Device,
    pub(super) events: Vec<Event>,
    /// True if events are rows of a snapshot, not of the table of allocations.
    pub(super) of_snapshot: bool,
    /// True if the allocator's own totals are there; otherwise levels are sums since the recording began.
    pub(super) is_absolute: bool,
}

impl Levels {
    /// Bytes in use before the first event.
    pub(super) fn before(&self) -> i64 {
        self.events.first().map_or(0, |event| event.level.saturating_sub(event.bytes))
    }

    /// Index of the first event at or after an instant.
    pub(super) fn from(&self, time: Ns) -> usize {
        self.events.partition_point(|event| event.time < time)
    }

    /// Bytes in use just before an event of an index.
    pub(super) fn before_event(&self, index: usize) -> i64 {
        match index.checked_sub(1) {
            Some(last) => self.events[last].level,
            None => self.before(),
        }
    }

    /// Bytes in use at the start and the end of a window, and the most inside.
    pub(super) fn over(&self, window: Interval) -> (i64, i64, i64) {
        let (first, last) = (self.from(window.start), self.from(window.end));
        let start = self.before_event(first);
        let peak = self.events[first..last].iter().map(|event| event.level).fold(start, i64::max);
        (start, self.before_event(last), peak)
    }
}

/// The events of every device, devices in order.
pub(super) fn levels_of(rank: &RankView<'_>) -> Vec<Levels> {
    let allocations = &rank.trace.allocations;
    let mut devices: Vec<Levels> = Vec::new();
    for row in 0..allocations.len() {
        let device = Device { kind: allocations.device_type[row], number: allocations.device[row] };
        // There are few devices, so looking through them costs less than hashing.
        let at = match devices.iter().position(|levels| levels.device == device) {
            Some(at) => at,
            None => {
                devices.push(Levels { device, events: Vec::new(), of_snapshot: false, is_absolute: true });
                devices.len() - 1
            }
        };
        let total = allocations.total_allocated[row];
        devices[at].is_absolute &= total.is_some();
        devices[at].events.push(Event {
            time: allocations.time[row],
            row: row as u32,
            bytes: allocations.bytes[row].unwrap_or(0),
            level: total.unwrap_or(0),
            reserved: allocations.total_reserved[row],
        });
    }
    for levels in &mut devices {
        if !levels.events.is_sorted_by_key(|event| event.time) {
            levels.events.sort_by_key(|event| event.time);
        }
        if !levels.is_absolute {
            let mut sum = 0i64;
            for event in &mut levels.events {
                sum = sum.saturating_add(event.bytes);
                event.level = sum;
            }
        }
    }
    devices.extend(snapshot::levels_of(rank.trace));
    devices.sort_by_key(|levels| levels.device);
    devices
}
