//! The tables that a picture of stacked allocations is drawn from.

use std::cmp::Reverse;

use super::super::super::Rank;
use super::super::tables::Ranks;
use super::super::{DeviceMemory, RankMemory};
use super::{Band, Owner, State};
use crate::Job;
use crate::section::{Column, Table, Unit, Value};

/// The most devices whose allocations are told one by one. A job of a thousand ranks would fill files with what nobody looks
/// at; which ranks are looked at can be chosen.
const MOST_DEVICES: usize = 16;

const NO_NAME: &str = "not recorded, or allocated before the recording";

/// A device with the rank it is of.
type Drawn<'a> = (&'a Rank<'a, RankMemory>, &'a DeviceMemory);

/// The devices that are told, in order of ranks: of many the accelerators with the highest peaks.
pub(in super::super) fn drawn<'a>(ranks: &'a Ranks<'a>) -> Vec<Drawn<'a>> {
    let of_rank = |rank: &'a Rank<'a, RankMemory>| rank.part.devices.iter().map(move |device| (rank, device));
    let all: Vec<Drawn<'a>> = ranks.iter().flat_map(of_rank).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&at| (all[at].1.device.is_host(), Reverse(all[at].1.peak.bytes)));
    order.truncate(MOST_DEVICES);
    order.sort_unstable();
    order.into_iter().map(|at| all[at]).collect()
}

fn table(
    job: &Job,
    drawn: &[Drawn<'_>],
    (id, title): (&'static str, &'static str),
    own: impl IntoIterator<Item = Column>,
    rows: impl Fn(&DeviceMemory) -> Vec<Vec<Value>>,
) -> Table {
    let device = Column::new("device", "Device", Unit::None);
    let mut all = Vec::new();
    for (rank, device) in drawn {
        let mut leading = job.rank_cells(rank);
        leading.push(device.device.name().into());
        all.extend(rows(device).into_iter().map(|row| leading.iter().cloned().chain(row).collect()));
    }
    let columns = job.rank_columns().into_iter().chain([device]).chain(own).collect();
    Table { id, title, columns, rows: all }
}

pub(in super::super) fn shown(job: &Job, drawn: &[Drawn<'_>]) -> Table {
    let own = [
        Column::new("shown", "Shown", Unit::Count),
        Column::new("allocations", "Share of allocations", Unit::Count),
        Column::new("at_peak_bytes", "At the peak", Unit::Bytes),
        Column::new("peak_pct", "Of the peak", Unit::Percent),
        Column::new("byte_time_pct", "Share of byte-time", Unit::Percent),
    ];
    let about = ("allocations_shown", "Coverage of the largest allocations, which are listed individually");
    table(job, drawn, about, own, |device| {
        let stacked = &device.stacked;
        let share = 100.0 * stacked.shown_byte_time as f64 / stacked.byte_time as f64;
        let cells = vec![
            stacked.bands.len().into(),
            stacked.allocations.into(),
            stacked.at_peak.into(),
            Value::percent(stacked.at_peak, device.peak.bytes),
            Value::float(share, "all events share one instant"),
        ];
        if stacked.bands.is_empty() { Vec::new() } else { vec![cells] }
    })
}

pub(in super::super) fn allocations(job: &Job, drawn: &[Drawn<'_>]) -> Table {
    let text = |id, title| Column::new(id, title, Unit::None);
    let own = [
        Column::new("bytes", "Size", Unit::Bytes),
        Column::new("start_ns", "Allocated at", Unit::Nanoseconds),
        Column::new("end_ns", "Released at", Unit::Nanoseconds),
        text("operator", "Operator"),
        text("module", "Module"),
        text("category", "Category"),
        text("place", "Line"),
        text("stack", "Stack"),
        text("from_state", "First state"),
        text("to_state", "First state without"),
    ];
    let about = ("allocations", "Largest allocations at the peak and over time, individually");
    table(job, drawn, about, own, |device| {
        let time =
            |value: Option<eaves_model::Ns>, otherwise| value.map_or(Value::Missing(otherwise), Value::from);
        let name = |value: &Option<String>| Value::known_text(value.as_deref(), NO_NAME);
        let row = |band: &Band| {
            let unknown = Owner::default();
            let owner = device.stacked.owners.get(band.owner as usize).unwrap_or(&unknown);
            let stack =
                if owner.stack.is_empty() { Value::Missing(NO_NAME) } else { u64::from(band.owner).into() };
            vec![
                band.bytes.into(),
                time(band.start, "before the recording"),
                time(band.end, "in use at the end"),
                name(&owner.operator),
                name(&owner.module),
                name(&owner.category),
                name(&owner.place),
                stack,
                u64::from(band.from).into(),
                band.to.map_or(Value::Missing("in use at the end"), |state| u64::from(state).into()),
            ]
        };
        device.stacked.bands.iter().map(row).collect()
    })
}

pub(in super::super) fn rest(job: &Job, drawn: &[Drawn<'_>]) -> Table {
    let own = [
        Column::new("state", "State", Unit::None),
        Column::new("time_ns", "Time", Unit::Nanoseconds),
        Column::new("bytes", "In use", Unit::Bytes),
    ];
    let about = ("allocations_rest", "Other memory in use over time");
    table(job, drawn, about, own, |device| {
        let row = |(at, state): (usize, &State)| vec![at.into(), state.time.into(), state.rest.into()];
        let states = if device.stacked.bands.is_empty() { &[][..] } else { &device.stacked.states };
        states.iter().enumerate().map(row).collect()
    })
}

pub(in super::super) fn stacks(job: &Job, drawn: &[Drawn<'_>]) -> Table {
    let own = [Column::new("stack", "Stack", Unit::None), Column::new("lines", "Lines", Unit::None)];
    let about = ("allocation_stacks", "Stacks of the largest allocations, innermost line first");
    table(job, drawn, about, own, |device| {
        let owners = device.stacked.owners.iter().enumerate();
        let has_stack = owners.filter(|(_, owner)| !owner.stack.is_empty());
        has_stack.map(|(at, owner)| vec![at.into(), owner.stack.as_str().into()]).collect()
    })
}
