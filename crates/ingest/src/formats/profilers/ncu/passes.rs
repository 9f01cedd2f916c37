//! Launches that were profiled in several passes: a program that is run once for each set of metrics, and its tables
//! written into one file one after another.

use std::collections::{BTreeSet, HashSet};

use eaves_model::{RangeCounter, RangeCounters, SliceId, StringId, Trace};

use super::facts::Meaning;
use super::launches::{Identity, Launch};

/// Takes launches of later tables for those of the first, if they are the same in the same order and other metrics were
/// recorded of them. Of what both recorded, the first counts. Launches and counters must be in order.
pub(super) fn merge(
    launches: &mut Vec<Launch>,
    identities: &[Identity],
    trace: &mut Trace,
    meanings: &[Meaning],
) {
    let Some(last) = launches.last().filter(|last| last.table > 0) else { return };
    let tables = last.table as usize + 1;
    let mut places: Vec<Vec<usize>> = vec![Vec::new(); tables];
    let mut metrics: Vec<BTreeSet<StringId>> = vec![BTreeSet::new(); tables];
    for (place, launch) in launches.iter().enumerate() {
        if let Some(places) = places.get_mut(launch.table as usize) {
            places.push(place);
        }
    }
    let counters = &trace.range_counters;
    for (slice, &metric) in counters.slice.iter().zip(&counters.metric) {
        // What says something of the launch itself is recorded in every pass.
        let is_own = meanings.get(metric.index()).is_some_and(|meaning| *meaning != Meaning::Nothing);
        let table = launches.get(slice.index()).map(|launch| launch.table as usize);
        if let (Some(metrics), false) = (table.and_then(|table| metrics.get_mut(table)), is_own) {
            metrics.insert(metric);
        }
    }
    let (Some(first), Some(first_metrics)) = (places.first(), metrics.first()) else { return };
    let kernel = |identity: u32| {
        let identity = identities.get(identity as usize)?;
        Some((identity.name, identity.grid, identity.block))
    };
    let is_same = |one: u32, other: u32| one == other || kernel(one) == kernel(other);
    let same = |one: usize, other: usize| match (launches.get(one), launches.get(other)) {
        (Some(one), Some(other)) => is_same(one.identity, other.identity),
        _ => false,
    };
    // Where each launch goes to.
    let mut moved: Vec<usize> = (0..launches.len()).collect();
    for (places, metrics) in places.iter().zip(&metrics).skip(1) {
        let is_pass = metrics != first_metrics
            && places.len() == first.len()
            && first.iter().zip(places).all(|(&one, &other)| same(one, other));
        for (&to, &from) in first.iter().zip(places).filter(|_| is_pass) {
            if let Some(moved) = moved.get_mut(from) {
                *moved = to;
            }
        }
    }
    if moved.iter().enumerate().any(|(place, &to)| place != to) {
        move_rows(launches, trace, &moved);
    }
}

/// Gives the rows of launches to others, and takes those out that have none left.
fn move_rows(launches: &mut Vec<Launch>, trace: &mut Trace, moved: &[usize]) {
    let is_kept = |place: usize| moved.get(place) == Some(&place);
    let mut left = 0;
    let numbers: Vec<usize> = (0..moved.len())
        .map(|place| {
            left += usize::from(is_kept(place));
            left.saturating_sub(1)
        })
        .collect();
    let new = |slice: SliceId| {
        let place = moved.get(slice.index()).and_then(|&to| numbers.get(to));
        place.map_or(slice, |&place| SliceId::from(place))
    };
    let mut rows: Vec<RangeCounter> =
        (0..trace.range_counters.len()).map(|row| trace.range_counters.row(row)).collect();
    let mut seen = HashSet::new();
    rows.retain_mut(|row| {
        row.slice = new(row.slice);
        seen.insert((row.slice.0, row.metric))
    });
    rows.sort_by_key(|row| row.slice);
    trace.range_counters = RangeCounters::default();
    rows.into_iter().for_each(|row| trace.range_counters.push(row));
    trace.remarks.slice.iter_mut().for_each(|slice| *slice = new(*slice));
    let mut place = 0;
    launches.retain(|_| {
        place += 1;
        is_kept(place - 1)
    });
}
