//! Which parts make one recording.

use std::collections::{BTreeMap, BTreeSet};

use eaves_model::{Recorder, SliceKind};

use super::Found;
use crate::formats::profilers::Role;
use crate::place::Place;

/// A part, its place among the results, and whether the user named it.
pub(super) struct Member {
    pub(super) place: usize,
    pub(super) named: bool,
    pub(super) found: Found,
}

/// The sets, in the order in which their first parts were found.
pub(super) fn of(parts: Vec<Member>) -> Vec<Vec<Member>> {
    let mut sets: Vec<(String, Vec<Member>)> = Vec::new();
    for member in parts {
        match sets.iter_mut().find(|(name, _)| *name == member.found.part.set) {
            Some((_, set)) => set.push(member),
            None => sets.push((member.found.part.set.clone(), vec![member])),
        }
    }
    let sets = sets.into_iter().map(|(_, set)| set).collect();
    beside_a_trace(passes_of_processes(sets))
}

/// Passes run the program again, and without `-o` files are named after the process: the first process of each pass
/// is the same one, if all passes have as many.
fn passes_of_processes(sets: Vec<Vec<Member>>) -> Vec<Vec<Member>> {
    let place_of = |set: &[Member]| -> Option<(String, u64, u64)> {
        let mut places = set.iter().map(|member| Place::of(&member.found.path));
        let first = places.next()?;
        let (pass, process) = (first.pass?, first.run.parse().ok()?);
        places.all(|place| place.pass == Some(pass)).then_some((first.directory, pass, process))
    };
    // Of each directory, of each pass, the processes in order.
    let mut passes: BTreeMap<String, BTreeMap<u64, BTreeSet<u64>>> = BTreeMap::new();
    for (directory, pass, process) in sets.iter().filter_map(|set| place_of(set)) {
        passes.entry(directory).or_default().entry(pass).or_default().insert(process);
    }
    let mut keys: Vec<Option<(String, usize)>> = Vec::new();
    let mut joined: Vec<Vec<Member>> = Vec::new();
    for set in sets {
        let key = place_of(&set).and_then(|(directory, pass, process)| {
            let of_directory = passes.get(&directory)?;
            let numbers: BTreeSet<usize> = of_directory.values().map(BTreeSet::len).collect();
            let ordinal = of_directory.get(&pass)?.iter().position(|&known| known == process)?;
            (of_directory.len() > 1 && numbers.len() == 1).then_some((directory, ordinal))
        });
        match keys.iter().position(|known| key.is_some() && *known == key) {
            Some(at) => joined[at].extend(set),
            None => {
                keys.push(key);
                joined.push(set);
            }
        }
    }
    joined
}

/// A run of rocprof that recorded counters alone, under its own name, belongs to the one trace of its directory
/// if that has all its kernels. The first rocprof can be asked for times next to the counters, which makes it no trace if
/// there is a real one.
fn beside_a_trace(sets: Vec<Vec<Member>>) -> Vec<Vec<Member>> {
    let is_first = |member: &Member| {
        let recorder = member.found.part.trace.metadata.recorder;
        matches!(recorder, Recorder::Rocprof | Recorder::RocprofCompute)
    };
    let has_times = |member: &Member| member.found.part.trace.metadata.base_time_ns.is_some();
    let sets = joined_to_traces(sets, |member| is_first(member) || !has_times(member));
    joined_to_traces(sets, |member| !has_times(member))
}

/// Gives sets of counters, of which each file is one that may be given away, to the one other set of their directory, if
/// that has all their kernels.
fn joined_to_traces(mut sets: Vec<Vec<Member>>, may_be_given: impl Fn(&Member) -> bool) -> Vec<Vec<Member>> {
    let directory = |set: &[Member]| set.first().map(|member| Place::of(&member.found.path).directory);
    let is_alone = |set: &[Member]| {
        set.iter().all(|member| member.found.part.role == Role::Counters && may_be_given(member))
    };
    let traces: Vec<usize> = (0..sets.len()).filter(|&at| !is_alone(&sets[at])).collect();
    for at in (0..sets.len()).rev().filter(|at| !traces.contains(at)).collect::<Vec<_>>() {
        let mut of_directory =
            traces.iter().filter(|&&trace| directory(&sets[trace]) == directory(&sets[at]));
        let (Some(&target), None) = (of_directory.next(), of_directory.next()) else { continue };
        let known = kernel_names(&sets[target]);
        if !kernel_names(&sets[at]).is_subset(&known) {
            continue;
        }
        let members = std::mem::take(&mut sets[at]);
        sets[target].extend(members);
    }
    sets.retain(|set| !set.is_empty());
    sets
}

fn kernel_names(set: &[Member]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for trace in set.iter().map(|member| &member.found.part.trace) {
        let rows = (0..trace.slices.len()).filter(|&row| trace.slices.kind[row] == SliceKind::Kernel);
        let mut ids: Vec<_> = rows.map(|row| trace.slices.name[row]).collect();
        ids.sort_unstable();
        ids.dedup();
        names.extend(ids.into_iter().map(|id| trace.strings.get(id).to_owned()));
    }
    names
}
