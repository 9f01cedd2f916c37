//! How much was in use and reserved behind each event, counted back from the end.

use eaves_model::{MaybeI64, Trace};

use super::super::levels::{Device, Event, Levels};
use super::device;
use super::replay::{Actions, blocks_of, rows_of};

/// The levels of every device of a snapshot, devices in order.
pub(in super::super) fn levels_of(trace: &Trace) -> Vec<Levels> {
    let snapshot = &trace.snapshot;
    let (events, segments) = (&snapshot.events, &snapshot.segments);
    let mut devices: Vec<Device> =
        (0..segments.len()).map(|row| device(segments.device_type[row], segments.device[row])).collect();
    let mut last = None;
    for row in 0..events.len() {
        let found = device(events.device_type[row], events.device[row]);
        if last != Some(found) {
            devices.push(found);
            last = Some(found);
        }
    }
    devices.sort();
    devices.dedup();
    devices.into_iter().filter_map(|device| levels(trace, device)).collect()
}

fn levels(trace: &Trace, wanted: Device) -> Option<Levels> {
    let snapshot = &trace.snapshot;
    let (events, blocks, segments) = (&snapshot.events, &snapshot.blocks, &snapshot.segments);
    let actions = Actions::of(trace);
    let rows = rows_of(snapshot, wanted);
    if rows.is_empty() {
        return None;
    }
    let sum = |values: &mut dyn Iterator<Item = i64>| values.fold(0i64, i64::saturating_add);
    let (mut level, mut reserved) = (0i64, 0i64);
    if snapshot.is_complete {
        // What there was at the end, without what was added and with what was taken away since.
        let active = blocks_of(snapshot, wanted).filter(|&row| actions.is_active(blocks.state[row]));
        let in_end = sum(&mut active.map(|row| blocks.requested[row].unwrap_or(blocks.bytes[row])));
        let net =
            sum(&mut rows.clone().filter_map(|row| actions.change(events.action[row], events.bytes[row])));
        level = in_end.saturating_sub(net);
        let its = (0..segments.len())
            .filter(|&row| device(segments.device_type[row], segments.device[row]) == wanted);
        let held = sum(&mut its.map(|row| segments.bytes[row]));
        let net =
            sum(&mut rows.clone().filter_map(|row| actions.reserves(events.action[row], events.bytes[row])));
        reserved = held.saturating_sub(net);
    }
    let is_host = wanted.is_host();
    let mut levels =
        Levels { device: wanted, events: Vec::new(), of_snapshot: true, is_absolute: snapshot.is_complete };
    levels.events.reserve(rows.len() * 2 / 3);
    for row in rows {
        let (action, bytes) = (events.action[row], events.bytes[row]);
        let change = actions.change(action, bytes);
        let reserves = actions.reserves(action, bytes);
        if change.is_none() && reserves.is_none() {
            continue;
        }
        level = level.saturating_add(change.unwrap_or(0));
        reserved = reserved.saturating_add(reserves.unwrap_or(0));
        levels.events.push(Event {
            time: events.time[row],
            row: row as u32,
            bytes: change.unwrap_or(0),
            level,
            reserved: if snapshot.is_complete && !is_host { MaybeI64::new(reserved) } else { MaybeI64::NONE },
        });
    }
    (!levels.events.is_empty()).then_some(levels)
}
