//! From GPU activities to calls, and how long each took.

use eaves_model::{Interval, MaybeU32, Ns, SliceId, SliceKind, StringId};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::Class;
use super::captures::WithOperators;
use super::launches::Launches;
use super::matching::Matches;
use super::owners::Owners;
use super::rows::{Key, Row, Rows};
use crate::{KernelType, RankView};

/// One call and what the GPU did for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its row.
    pub row: u32,
    /// The operator, the launching call, or the activity itself if nothing else is known.
    pub slice: SliceId,
    /// How many activities.
    pub activities: u32,
    /// The measure of the union of its activities, over all devices.
    pub time: Ns,
    /// The part of it in which nothing ran on the device that had begun earlier; of communication, nothing else at all.
    pub counted: Ns,
}

/// Which activity belongs to which call, and which call to which row.
#[derive(Debug)]
pub struct Attribution {
    /// The calls, in the order in which their first activities began.
    pub calls: Vec<Call>,
    /// The call of each activity of the view.
    pub call_of: Vec<u32>,
    /// Time in which a device was busy, over all devices.
    pub busy: Ns,
    pub(super) rows: Vec<Row>,
    pub(super) launches: Launches,
}

/// Key that distinguishes calls.
pub(super) enum Place {
    /// The operator at this node.
    Operator(u32, usize),
    /// This call into the runtime, outside every operator; the first activity of one that was not recorded.
    Launch(u32, SliceId),
    /// The activity itself.
    Activity(u32, SliceId),
}

impl Attribution {
    /// By the formulas there are.
    pub fn of(rank: &RankView<'_>) -> Self {
        Self::build(rank, None, None)
    }

    /// The same with another idea of which operators own what is inside them, by name.
    pub fn with(rank: &RankView<'_>, modelled: &dyn Fn(&str) -> bool) -> Self {
        Self::build(rank, Some(modelled), None)
    }

    /// The same of a recording that was given the operators of its replays.
    pub(super) fn of_replays(rank: &RankView<'_>, with: &WithOperators) -> Self {
        Self::build(rank, None, Some(with))
    }

    fn build(
        rank: &RankView<'_>,
        modelled: Option<&dyn Fn(&str) -> bool>,
        with: Option<&WithOperators>,
    ) -> Self {
        let mut rows = Rows::new(rank.trace, rank.options.formulas.as_deref(), Launches::of(rank));
        let owners = Owners::of(rank, &mut rows, modelled);
        let mut by_node = vec![u32::MAX; rank.operators().len()];
        let mut by_launch: HashMap<(u32, SliceId), u32, FixedState> = HashMap::default();
        let mut calls: Vec<Call> = Vec::new();
        let mut reached: Vec<(usize, Ns)> = Vec::new();
        let mut call_of = vec![u32::MAX; rank.gpu.len()];
        let mut busy = Busy::default();
        let mut communication = Vec::new();
        let order = in_order(rank);
        let matches = Matches::of(rank, &owners, &mut rows, &order);
        for index in order {
            let mut add = |row, slice| {
                calls.push(Call { row, slice, activities: 0, time: Ns::ZERO, counted: Ns::ZERO });
                reached.push((usize::MAX, Ns::MIN));
                (calls.len() - 1) as u32
            };
            let matched = matches.call(index).map(|(row, first)| Place::Launch(row, first));
            let mut place = matched.unwrap_or_else(|| place(rank, &owners, &mut rows, index));
            if let Some(by) = with.and_then(|with| with.by(rank.gpu.row[index].index())) {
                let (Place::Operator(row, _) | Place::Launch(row, _) | Place::Activity(row, _)) = &mut place;
                *row = rows.captured(*row, by);
            }
            let call = match place {
                Place::Operator(row, node) => {
                    if by_node[node] == u32::MAX {
                        by_node[node] = add(row, rank.operators().slice(node));
                    }
                    by_node[node]
                }
                Place::Launch(row, slice) => {
                    *by_launch.entry((row, slice)).or_insert_with(|| add(row, slice))
                }
                Place::Activity(row, slice) => add(row, slice),
            };
            call_of[index] = call;
            let interval = rank.gpu.interval[index];
            let device = busy.device(rank, index);
            let known = &mut reached[call as usize];
            if known.0 != device {
                *known = (device, Ns::MIN);
            }
            let entry = &mut calls[call as usize];
            entry.activities += 1;
            entry.time += (interval.end - interval.start.max(known.1)).max(Ns::ZERO);
            known.1 = known.1.max(interval.end);
            if rank.gpu.kernel_type[index] == KernelType::Communication {
                communication.push((call, device, interval));
            } else {
                entry.counted += busy.add(device, interval);
            }
        }
        for (call, exposed) in busy.exposed(&communication) {
            calls[call as usize].counted += exposed;
        }
        let busy = calls.iter().map(|call| call.counted).sum();
        let (rows, launches) = rows.into_rows();
        Self { calls, call_of, busy, rows, launches }
    }
}

/// The activities by device and start; those that begin together in the order of the file.
fn in_order(rank: &RankView<'_>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank.gpu.len()).collect();
    let key = |&index: &usize| (rank.gpu.device[index], rank.gpu.interval[index].start);
    if !order.is_sorted_by_key(key) {
        order.sort_by_key(key);
    }
    order
}

/// When the devices did something else than communicate, one after the other.
#[derive(Default)]
pub(super) struct Busy {
    last: Option<MaybeU32>,
    devices: usize,
    /// Sorted and disjoint on each device, devices in order.
    covered: Vec<(usize, Interval)>,
}

impl Busy {
    /// The number of the device of an activity.
    fn device(&mut self, rank: &RankView<'_>, index: usize) -> usize {
        let device = rank.gpu.device[index];
        if self.last != Some(device) {
            self.last = Some(device);
            self.devices += 1;
        }
        self.devices
    }

    /// Takes in an activity that begins no earlier than those before on its device; answers the part that is new.
    pub(super) fn add(&mut self, device: usize, interval: Interval) -> Ns {
        match self.covered.last_mut() {
            Some((on, last)) if *on == device && interval.start <= last.end => {
                let new = (interval.end - last.end).max(Ns::ZERO);
                last.end += new;
                new
            }
            _ => {
                self.covered.push((device, interval));
                interval.length()
            }
        }
    }

    /// The parts of communication in which nothing else ran, and no communication that began earlier. Ordered as the
    /// activities are, so one pass over both is enough.
    pub(super) fn exposed(&self, communication: &[(u32, usize, Interval)]) -> Vec<(u32, Ns)> {
        let (mut next, mut reached) = (0, (0, Ns::MIN));
        let part = |&(call, device, interval): &(u32, usize, Interval)| {
            let start = if reached.0 == device { interval.start.max(reached.1) } else { interval.start };
            let rest = Interval::new(start, interval.end);
            reached = (device, rest.end);
            while self.covered.get(next).is_some_and(|(on, set)| (*on, set.end) <= (device, start)) {
                next += 1;
            }
            let hidden = self.covered[next..]
                .iter()
                .take_while(|(on, set)| *on == device && set.start < rest.end)
                .filter_map(|(_, set)| set.clip(rest))
                .map(Interval::length)
                .sum::<Ns>();
            (call, rest.length() - hidden)
        };
        communication.iter().map(part).collect()
    }
}

/// Where an activity belongs.
pub(super) fn place(rank: &RankView<'_>, owners: &Owners, rows: &mut Rows<'_>, index: usize) -> Place {
    let activity = rank.gpu.row[index];
    let slice = rank.trace.gpu.slice[activity.index()];
    let name = rank.gpu.name[index];
    if rank.gpu.kernel_type[index] == KernelType::Communication {
        return Place::Activity(rows.of(Key::kernel(Class::Communication, name, StringId::NONE)), slice);
    }
    if rank.counters().has(rank.trace, slice) {
        let (grid, block) = (rank.trace.gpu.grid[activity.index()], rank.trace.gpu.block[activity.index()]);
        return Place::Activity(rows.of(Key::counted(name, grid, block)), slice);
    }
    let launch = rank.links().launch(activity);
    let launched_by = launch.map_or(StringId::NONE, |launch| rank.trace.slices.name[launch.index()]);
    let bytes = copied(rank, index);
    if rows.replays(rank, activity)
        && let Some(launch) = launch
    {
        let key = Key { bytes, ..Key::kernel(Class::Replay, name, launched_by) };
        return Place::Launch(rows.of(key), launch);
    }
    if let Some((row, node)) = owners.owner(rank, rows, activity) {
        let is_apart = owners.by_formula && rows.is_unanswered(row);
        if !is_apart || bytes.is_none() && !rows.is_generated(name) {
            return Place::Operator(row, node);
        }
        // Nothing is known of the operator, but something of this.
        let operator = rank.trace.slices.name[rank.operators().slice(node).index()];
        let key = Key { bytes, ..Key::kernel(Class::Operator, name, operator) };
        return Place::Activity(rows.of(key), slice);
    }
    let launch_size = [rank.trace.gpu.grid[activity.index()], rank.trace.gpu.block[activity.index()]];
    let launch_size = if rows.fills(name, launch_size) { launch_size } else { Default::default() };
    let key = Key { bytes, launch: launch_size, ..Key::kernel(Class::Unattributed, name, launched_by) };
    let row = rows.of(key);
    launch.map_or(Place::Activity(row, slice), |launch| Place::Launch(row, launch))
}

/// Bytes of a copy or memset, where they were recorded.
fn copied(rank: &RankView<'_>, index: usize) -> Option<i64> {
    let activity = rank.gpu.row[index].index();
    let kind = rank.trace.slices.kind[rank.trace.gpu.slice[activity].index()];
    let bytes =
        matches!(kind, SliceKind::Memcpy | SliceKind::Memset).then(|| rank.trace.gpu.bytes[activity].get());
    bytes.flatten().filter(|bytes| *bytes >= 0)
}
