//! Our attribution on the activities that TraceLens links, with its idea of which operators have models.

use std::collections::{BTreeMap, HashMap};

use eaves_analyze::roofline::{Attribution, Class};
use eaves_analyze::{Options, RankView};
use eaves_assess::roofline::Load;
use eaves_model::{Interval, IntervalSet, SliceId, StringId, Trace};
use eaves_roofline::ops;

use super::reference::{Key, Registered, literal};
use crate::common::tracelens::linked_by_tracelens;

/// A row of ours.
pub(crate) struct OurRow {
    /// Time of each call in microseconds, and of how many activities it is the union.
    pub(crate) calls: Vec<(f64, u32)>,
    pub(crate) load: Result<Load, String>,
}

impl OurRow {
    pub(crate) fn time(&self) -> f64 {
        self.calls.iter().map(|call| call.0).sum()
    }

    /// How far a sum of theirs may be from ours: one float's last digit for each interval.
    pub(crate) fn tolerance(&self) -> f64 {
        0.001 * self.calls.iter().map(|call| f64::from(call.1)).sum::<f64>()
    }
}

/// Takes what TraceLens does not link out of all totals.
pub(crate) fn forget_unlinked(trace: &mut Trace) {
    let linked = linked_by_tracelens(trace);
    let unlinked = (0..trace.gpu.len()).filter(|&row| !linked[row]).map(|row| trace.gpu.slice[row]);
    let mut quarantined: Vec<_> = trace.quarantined.iter().copied().chain(unlinked).collect();
    quarantined.sort_unstable();
    quarantined.dedup();
    trace.quarantined = quarantined;
}

/// True if TraceLens has a model for an operator.
pub(crate) fn is_modelled(catalogue: &HashMap<String, Registered>, name: &str) -> bool {
    let generated =
        ["triton_poi_", "triton_red_", "triton_per_"].iter().any(|prefix| name.starts_with(prefix));
    generated || catalogue.get(name).is_some_and(|registered| registered.modelled)
}

/// Our rows by their keys. What is a row of theirs for each kernel (`Synthetic Op`) is named so.
pub(crate) fn rows(trace: &Trace, catalogue: &HashMap<String, Registered>) -> BTreeMap<Key, OurRow> {
    let options = Options::default();
    let rank = RankView::new(trace, &options);
    let found = Attribution::with(&rank, &|name| is_modelled(catalogue, name));
    let kernel = |call: u32| {
        let index = found.call_of.iter().position(|of| *of == call).unwrap();
        trace.strings.get(rank.gpu.name[index])
    };
    let described = found.rows(&rank);
    let mut rows: BTreeMap<Key, OurRow> = BTreeMap::new();
    for (number, call) in (0u32..).zip(&found.calls) {
        let row = &described[call.row as usize];
        assert_ne!(row.class, Class::Matched, "TraceLens matches nothing");
        let name = match row.class {
            Class::Communication | Class::Framework => continue,
            Class::Replay | Class::Unattributed => format!("{}->{} (Synthetic Op)", row.of, row.name),
            Class::Operator if row.partly => format!("{}->{} (Synthetic Op)", row.name, kernel(number)),
            Class::Operator | Class::Captured | Class::Kernel | Class::Matched => row.name.clone(),
        };
        let arguments = &row.arguments;
        let key = [
            name,
            literal(&arguments.dims),
            literal(&arguments.types),
            literal(&arguments.strides),
            literal(&arguments.concrete),
        ];
        let ours = rows.entry(key).or_insert_with(|| OurRow { calls: Vec::new(), load: row.load.clone() });
        ours.calls.push((call.time.as_f64() / 1000.0, call.activities));
    }
    rows
}

/// What launched kernels: the innermost operator around the call, or the call itself.
pub(crate) struct Launcher {
    pub(crate) key: Key,
    /// Union of what it launched itself, and of all launched inside it, in microseconds.
    pub(crate) direct: f64,
    pub(crate) subtree: f64,
    /// How many activities were launched inside it.
    pub(crate) activities: u32,
    /// The first kernel in time.
    first: String,
}

impl Launcher {
    /// TraceLens' category: by name, else by the first kernel if it is one of PyTorch's own.
    pub(crate) fn category(&self, catalogue: &HashMap<String, Registered>) -> String {
        let name = &self.key[0];
        if let Some(registered) = catalogue.get(name) {
            return registered.category.clone();
        }
        if name.starts_with("triton") {
            return "triton".to_owned();
        }
        if name.starts_with("record_param_comms") {
            return "record_param_comms".to_owned();
        }
        let parts = ["elementwise", "reduce", "multi_tensor_apply"];
        let native = self.first.starts_with("void at::native");
        let part = parts.iter().find(|part| native && self.first.contains(**part));
        part.map_or("other", |part| *part).to_owned()
    }
}

fn union(intervals: Vec<Interval>) -> f64 {
    IntervalSet::union_of(intervals).measure().as_f64() / 1000.0
}

/// All launchers with something else than communication.
pub(crate) fn launchers(trace: &Trace) -> Vec<Launcher> {
    let options = Options::default();
    let rank = RankView::new(trace, &options);
    let tree = rank.operators();
    let mut by_slice: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut by_node: Vec<Vec<Interval>> = vec![Vec::new(); tree.len()];
    for (index, &activity) in rank.gpu.row.iter().enumerate() {
        let Some(launch) = rank.links().launch(activity) else { continue };
        let node = tree.around(launch);
        if let Some(node) = node {
            by_node[node].push(rank.gpu.interval[index]);
        }
        let name = trace.strings.get(rank.gpu.name[index]).to_ascii_lowercase();
        if !["nccl", "rccl", "cross_device_reduce"].iter().any(|part| name.contains(part)) {
            let slice = node.map_or(launch, |node| tree.slice(node));
            by_slice.entry(slice.index() as u32).or_default().push(index);
        }
    }
    by_slice
        .into_iter()
        .map(|(slice, indices)| {
            let slice = SliceId::from(slice as usize);
            let own: Vec<Interval> = indices.iter().map(|&index| rank.gpu.interval[index]).collect();
            let inside: Vec<Interval> = match tree.around(slice) {
                Some(node) if tree.slice(node) == slice => by_node[tree.inside(node)].concat(),
                _ => own.clone(),
            };
            let first = *indices.iter().min_by_key(|&&index| rank.gpu.interval[index].start).unwrap();
            let activities = inside.len() as u32;
            Launcher {
                key: key_of(trace, slice),
                direct: union(own),
                subtree: union(inside),
                activities,
                first: trace.strings.get(rank.gpu.name[first]).to_owned(),
            }
        })
        .collect()
}

/// Every operator of a name inside which something was launched: its key, the union and the number of activities.
pub(crate) fn events(trace: &Trace, wanted: &dyn Fn(&str) -> bool) -> Vec<(Key, f64, u32)> {
    let options = Options::default();
    let rank = RankView::new(trace, &options);
    let tree = rank.operators();
    let mut by_node: Vec<Vec<Interval>> = vec![Vec::new(); tree.len()];
    for (index, &activity) in rank.gpu.row.iter().enumerate() {
        if let Some(node) = tree.launcher(rank.links(), activity) {
            by_node[node].push(rank.gpu.interval[index]);
        }
    }
    (0..tree.len())
        .filter(|&node| wanted(trace.slice_name(tree.slice(node))))
        .filter_map(|node| {
            let inside = by_node[tree.inside(node)].concat();
            let count = inside.len() as u32;
            (count > 0).then(|| (key_of(trace, tree.slice(node)), union(inside), count))
        })
        .collect()
}

fn key_of(trace: &Trace, slice: SliceId) -> Key {
    let text = |id: StringId| literal(trace.strings.get(id));
    let name = trace.slice_name(slice).to_owned();
    let Ok(row) = trace.ops.slice.binary_search(&slice) else {
        return [name, String::new(), String::new(), String::new(), String::new()];
    };
    let ops = &trace.ops;
    let [dims, types, strides, concrete] =
        [ops.input_dims[row], ops.input_types[row], ops.input_strides[row], ops.concrete_inputs[row]]
            .map(text);
    [name, dims, types, strides, concrete]
}

/// The work of a call with these arguments.
pub(crate) fn load(key: &Key) -> Result<Load, String> {
    let [name, dims, types, strides, concrete] = key;
    let formula = ops::formula(name).ok_or("no formula")?;
    let call = ops::Call::parse(name, dims, types, strides, concrete)?;
    (formula.work)(&call).map(|work| Load::from(&work))
}
