//! From activities to sequences: which operator launched which, in time order.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use eaves_model::{Ns, StringId};
use eaves_section::kernel_name::short_kernel_name;
use serde::{Deserialize, Serialize};

use crate::{HostTree, KernelType, RankView};

/// The fewest activities that make a sequence, as in HTA's `min_pattern_len`.
const SHORTEST: u64 = 3;
/// An operator that launches more is a wrapper around many operators (a compiled region, a whole forward pass); the
/// operators inside it are looked at instead.
const LONGEST: u64 = 32;
/// The most sequences kept of a rank. Those with little time are of no interest and may be many.
const MOST_KEPT: usize = 200;
/// Launching a kernel costs a few microseconds, so one shorter than this leaves much to gain by fusing.
const SHORT_KERNEL: Ns = Ns(20_000);

/// Activities that an operator launches one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Name of the operator.
    pub operator: String,
    /// Names of the activities in order of their starts.
    pub kernels: Vec<String>,
    /// How many calls of the operator launched exactly these.
    pub count: u64,
    /// Summed durations of the activities of all calls.
    pub gpu: Ns,
    /// Summed durations of the calls on the host.
    pub cpu: Ns,
}

/// The sequences of the operators whose name contains a text. Of operators inside each other only the outermost
/// counts. Calls that launched fewer than `min_len` activities are skipped. Most frequent first.
pub fn sequences_of(rank: &RankView<'_>, operator: &str, min_len: usize) -> Vec<Sequence> {
    let tree = rank.operators();
    let matches: Vec<bool> = rank.trace.strings.iter().map(|name| name.contains(operator)).collect();
    let roots = roots(tree, |node| {
        let name = rank.trace.slices.name[tree.slice(node).index()];
        matches.get(name.index()).copied().unwrap_or(false)
    });
    let mut sequences: Vec<Sequence> = groups(rank, tree, &roots)
        .into_iter()
        .filter(|group| group.key.len() > min_len)
        .map(|group| group.sequence(rank))
        .collect();
    sequences.sort_by(|a, b| {
        (Reverse(a.count), &a.operator, &a.kernels).cmp(&(Reverse(b.count), &b.operator, &b.kernels))
    });
    sequences
}

/// What is kept of a sequence: enough to merge ranks and to find what to fuse.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Kept {
    /// Equal on all ranks for equal names.
    pub(super) identity: u64,
    pub(super) operator: String,
    /// Short names, joined.
    pub(super) kernels: String,
    pub(super) length: usize,
    pub(super) count: u64,
    pub(super) gpu: Ns,
    pub(super) cpu: Ns,
    /// All but the longest activity of each call.
    pub(super) beside_longest: Ns,
    /// Enough compute kernels, all short on average, and no communication among them.
    pub(super) is_fusible: bool,
}

/// The sequences of the outermost operators that launch neither too few nor too many activities, most GPU time
/// first.
pub(super) fn most_costly(rank: &RankView<'_>) -> Vec<Kept> {
    let tree = rank.operators();
    let mut own = vec![0u32; tree.len()];
    for node in rank.gpu.row.iter().filter_map(|&activity| tree.launcher(rank.links(), activity)) {
        own[node] += 1;
    }
    let total = tree.totals(own);
    let roots = roots(tree, |node| (SHORTEST..=LONGEST).contains(&u64::from(total[node])));
    let mut groups = groups(rank, tree, &roots);
    // Keys are ids of strings in the order they were met, so ties are in a fixed order.
    groups.sort_by(|a, b| (Reverse(a.gpu), &a.key).cmp(&(Reverse(b.gpu), &b.key)));
    groups.truncate(MOST_KEPT);
    groups.iter().map(|group| group.kept(rank)).collect()
}

const NO_ROOT: u32 = u32::MAX;

/// For each node the outermost node around it, itself included, that was chosen.
fn roots(tree: &HostTree, mut chosen: impl FnMut(usize) -> bool) -> Vec<u32> {
    let mut roots = vec![NO_ROOT; tree.len()];
    let mut node = 0;
    while node < tree.len() {
        if chosen(node) {
            let inside = tree.inside(node);
            roots[inside.clone()].fill(node as u32);
            node = inside.end;
        } else {
            node += 1;
        }
    }
    roots
}

/// The calls of one operator that launched activities of the same names in the same order.
#[derive(Default)]
struct Group {
    /// Name of the operator, then those of the activities.
    key: Box<[StringId]>,
    kernel_types: Vec<KernelType>,
    count: u64,
    gpu: Ns,
    cpu: Ns,
    beside_longest: Ns,
    /// Summed durations by position.
    times: Vec<Ns>,
}

/// Groups what the roots launched.
fn groups(rank: &RankView<'_>, tree: &HostTree, roots: &[u32]) -> Vec<Group> {
    let (gpu, links) = (&rank.gpu, rank.links());
    let mut launched: Vec<(u32, Ns, u32)> = Vec::new();
    for (index, &activity) in gpu.row.iter().enumerate() {
        if let Some(node) = tree.launcher(links, activity)
            && roots[node] != NO_ROOT
        {
            launched.push((roots[node], gpu.interval[index].start, index as u32));
        }
    }
    launched.sort_unstable();
    let mut places: HashMap<Box<[StringId]>, usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    let mut key: Vec<StringId> = Vec::new();
    for call in launched.chunk_by(|a, b| a.0 == b.0) {
        let slice = tree.slice(call[0].0 as usize).index();
        key.clear();
        key.push(rank.trace.slices.name[slice]);
        key.extend(call.iter().map(|&(_, _, index)| gpu.name[index as usize]));
        let place = match places.get(key.as_slice()) {
            Some(&place) => place,
            None => {
                places.insert(key.as_slice().into(), groups.len());
                let kernel_types = call.iter().map(|&(_, _, index)| gpu.kernel_type[index as usize]);
                groups.push(Group {
                    key: key.as_slice().into(),
                    kernel_types: kernel_types.collect(),
                    times: vec![Ns::ZERO; call.len()],
                    ..Group::default()
                });
                groups.len() - 1
            }
        };
        let group = &mut groups[place];
        group.count += 1;
        group.cpu += rank.trace.slices.duration[slice];
        let (mut sum, mut longest) = (Ns::ZERO, Ns::ZERO);
        for (&(_, _, index), time) in call.iter().zip(&mut group.times) {
            let duration = gpu.duration(index as usize);
            *time += duration;
            sum += duration;
            longest = longest.max(duration);
        }
        group.gpu += sum;
        group.beside_longest += sum - longest;
    }
    groups
}

impl Group {
    fn names<'a>(&'a self, rank: &'a RankView<'_>) -> impl Iterator<Item = &'a str> {
        self.key.iter().map(|&name| rank.trace.strings.get(name))
    }

    fn sequence(&self, rank: &RankView<'_>) -> Sequence {
        let mut names = self.names(rank).map(str::to_owned);
        Sequence {
            operator: names.next().unwrap_or_default(),
            kernels: names.collect(),
            count: self.count,
            gpu: self.gpu,
            cpu: self.cpu,
        }
    }

    fn kept(&self, rank: &RankView<'_>) -> Kept {
        let mut hasher = DefaultHasher::new();
        self.names(rank).for_each(|name| name.hash(&mut hasher));
        let mut names = self.names(rank);
        Kept {
            identity: hasher.finish(),
            operator: names.next().unwrap_or_default().to_owned(),
            kernels: joined(names.map(short_kernel_name)),
            length: self.times.len(),
            count: self.count,
            gpu: self.gpu,
            cpu: self.cpu,
            beside_longest: self.beside_longest,
            is_fusible: self.is_fusible(),
        }
    }

    fn is_fusible(&self) -> bool {
        let of_type = |wanted| self.kernel_types.iter().filter(|&&kind| kind == wanted).count() as u64;
        let is_short = |time: &Ns| time.0 / i64::try_from(self.count).unwrap_or(i64::MAX) < SHORT_KERNEL.0;
        of_type(KernelType::Compute) >= SHORTEST
            && of_type(KernelType::Communication) == 0
            && self.times.iter().all(is_short)
    }
}

/// The names with ` ; ` between them, repetitions as `name x3`.
fn joined(names: impl Iterator<Item = String>) -> String {
    let mut runs: Vec<(String, usize)> = Vec::new();
    for name in names {
        match runs.last_mut() {
            Some((last, times)) if *last == name => *times += 1,
            _ => runs.push((name, 1)),
        }
    }
    let text = |(name, times): (String, usize)| if times == 1 { name } else { format!("{name} x{times}") };
    runs.into_iter().map(text).collect::<Vec<_>>().join(" ; ")
}
