//! Which slices of two files of one run are the same.

use std::collections::{HashMap, VecDeque};

use eaves_model::{SliceId, SliceKind, StringId, Trace};

/// For each slice of the part, the slice of the whole that it is.
///
/// What has the same kind, name, start and duration in both is the same. Of kernels that are left, those are the same
/// that have the same name and grid and are the same one of these in order: passes run the program again, so times
/// differ and numbers of dispatches may.
pub(super) fn same(whole: &Trace, part: &Trace) -> Vec<Option<SliceId>> {
    let mut same = vec![None; part.slices.len()];
    if whole.slices.is_empty() || part.slices.is_empty() {
        return same;
    }
    let mut taken = vec![false; whole.slices.len()];
    let names = names_in(whole, part);
    by_time(whole, part, &names, &mut same, &mut taken);
    by_order(whole, part, &names, &mut same, &mut taken);
    same
}

/// The id in the whole of each string of the part.
fn names_in(whole: &Trace, part: &Trace) -> Vec<Option<StringId>> {
    part.strings.iter().map(|text| whole.strings.find(text)).collect()
}

fn by_time(
    whole: &Trace,
    part: &Trace,
    names: &[Option<StringId>],
    same: &mut [Option<SliceId>],
    taken: &mut [bool],
) {
    let kinds = |trace: &Trace| {
        let mut kinds = [false; SliceKind::ALL.len()];
        trace.slices.kind.iter().for_each(|&kind| kinds[kind as usize] = true);
        kinds
    };
    let (of_whole, of_part) = (kinds(whole), kinds(part));
    let in_both = |kind: SliceKind| of_whole[kind as usize] && of_part[kind as usize];
    let mut known: HashMap<(SliceKind, StringId, i64, i64), u32> = HashMap::new();
    let slices = &whole.slices;
    for row in 0..slices.len() {
        if in_both(slices.kind[row]) {
            let key = (slices.kind[row], slices.name[row], slices.start[row].0, slices.duration[row].0);
            known.entry(key).or_insert(row as u32);
        }
    }
    if known.is_empty() {
        return;
    }
    let slices = &part.slices;
    for (row, place) in same.iter_mut().enumerate() {
        let Some(name) = names.get(slices.name[row].index()).copied().flatten() else { continue };
        let key = (slices.kind[row], name, slices.start[row].0, slices.duration[row].0);
        // Without a duration the time proves nothing: all kernels of a run without times start at 0.
        if key.0 == SliceKind::Kernel && key.3 == 0 {
            continue;
        }
        if let Some(found) = known.remove(&key) {
            *place = Some(SliceId(found));
            taken[found as usize] = true;
        }
    }
}

/// A kernel's name, and its grid where both files tell it.
type Group = (StringId, Option<i64>);

fn by_order(
    whole: &Trace,
    part: &Trace,
    names: &[Option<StringId>],
    same: &mut [Option<SliceId>],
    taken: &mut [bool],
) {
    let ours = kernels(whole, Some, |slice| taken[slice.index()]);
    let name = |name: StringId| names.get(name.index()).copied().flatten();
    let theirs = kernels(part, name, |slice| same[slice.index()].is_some());
    // Grids that one of the files does not tell tell nothing.
    let mut without_grid: Vec<StringId> =
        ours.iter().chain(&theirs).filter(|(group, _)| group.1.is_none()).map(|(group, _)| group.0).collect();
    without_grid.sort_unstable();
    without_grid.dedup();
    let group = |&(name, grid): &Group| (name, grid.filter(|_| without_grid.binary_search(&name).is_err()));
    let mut in_order: HashMap<Group, VecDeque<SliceId>> = HashMap::new();
    for (key, slice) in &ours {
        in_order.entry(group(key)).or_default().push_back(*slice);
    }
    for (key, slice) in &theirs {
        if let Some(found) = in_order.get_mut(&group(key)).and_then(VecDeque::pop_front) {
            same[slice.index()] = Some(found);
            taken[found.index()] = true;
        }
    }
}

/// Work-items of a dispatch in all.
fn total(trace: &Trace, dispatch: usize) -> Option<i64> {
    let said = trace.dispatches.total_work_items.get(dispatch)?.get();
    let extents = trace.dispatches.work_items.get(dispatch)?.get();
    said.or(
        extents.map(|sizes| sizes.iter().fold(1, |total: i64, &size| total.saturating_mul(i64::from(size))))
    )
}

/// The kernels that are not skipped, with their groups, in order of launch: by number of the dispatch if all have
/// one, else by time.
fn kernels(
    trace: &Trace,
    name: impl Fn(StringId) -> Option<StringId>,
    is_left_out: impl Fn(SliceId) -> bool,
) -> Vec<(Group, SliceId)> {
    let slices = &trace.slices;
    let mut dispatch_of = vec![u32::MAX; slices.len()];
    for (row, slice) in trace.dispatches.slice.iter().enumerate() {
        dispatch_of[slice.index()] = row as u32;
    }
    let number =
        |row: usize| trace.dispatches.number.get(dispatch_of[row] as usize).and_then(|number| number.get());
    let mut rows: Vec<usize> = (0..slices.len())
        .filter(|&row| slices.kind[row] == SliceKind::Kernel && !is_left_out(SliceId::from(row)))
        .collect();
    if rows.iter().all(|&row| number(row).is_some()) {
        rows.sort_by_key(|&row| number(row));
    } else {
        rows.sort_by_key(|&row| slices.start[row]);
    }
    let group = |row: usize| {
        let grid = total(trace, dispatch_of[row] as usize);
        Some(((name(slices.name[row])?, grid), SliceId::from(row)))
    };
    rows.into_iter().filter_map(group).collect()
}
