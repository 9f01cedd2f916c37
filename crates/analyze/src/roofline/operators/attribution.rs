//! From GPU activities to calls, and how long each took.

use eaves_model::{Ns, SliceId, StringId};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::Class;
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
    /// The part of it in which nothing ran on the device that had begun earlier.
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
}

/// What a call is known by while it grows.
type Instances = HashMap<(u32, SliceId), u32, FixedState>;

impl Attribution {
    /// By the formulas there are.
    pub fn of(rank: &RankView<'_>) -> Self {
        Self::build(rank, None)
    }

    /// The same with another idea of which operators own what is inside them, by name.
    pub fn with(rank: &RankView<'_>, modelled: &dyn Fn(&str) -> bool) -> Self {
        Self::build(rank, Some(modelled))
    }

    fn build(rank: &RankView<'_>, modelled: Option<&dyn Fn(&str) -> bool>) -> Self {
        let mut rows = Rows::new(rank.trace);
        let owners = Owners::of(rank, &mut rows, modelled);
        let mut instances = Instances::default();
        let mut calls: Vec<Call> = Vec::new();
        let mut reached: Vec<(usize, Ns)> = Vec::new();
        let mut call_of = vec![u32::MAX; rank.gpu.len()];
        let mut busy = Busy::default();
        for index in in_order(rank) {
            let (row, slice) = place(rank, &owners, &mut rows, index);
            let call = *instances.entry((row, slice)).or_insert_with(|| {
                calls.push(Call { row, slice, activities: 0, time: Ns::ZERO, counted: Ns::ZERO });
                reached.push((usize::MAX, Ns::MIN));
                (calls.len() - 1) as u32
            });
            call_of[index] = call;
            let interval = rank.gpu.interval[index];
            let device = busy.device(rank, index);
            let known = &mut reached[call as usize];
            if known.0 != device {
                *known = (device, Ns::MIN);
            }
            let call = &mut calls[call as usize];
            call.activities += 1;
            call.time += (interval.end - interval.start.max(known.1)).max(Ns::ZERO);
            known.1 = known.1.max(interval.end);
            call.counted += busy.add(interval.start, interval.end);
        }
        Self { calls, call_of, busy: busy.total, rows: rows.into_rows() }
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

/// How far the devices were seen to be busy, one after the other.
#[derive(Default)]
struct Busy {
    last: Option<eaves_model::MaybeU32>,
    devices: usize,
    reached: Option<Ns>,
    total: Ns,
}

impl Busy {
    /// The number of the device of an activity.
    fn device(&mut self, rank: &RankView<'_>, index: usize) -> usize {
        let device = rank.gpu.device[index];
        if self.last != Some(device) {
            self.last = Some(device);
            self.devices += 1;
            self.reached = None;
        }
        self.devices
    }

    /// The part of the interval that is new.
    fn add(&mut self, start: Ns, end: Ns) -> Ns {
        let reached = self.reached.map_or(start, |reached| reached.max(start));
        let new = (end - reached).max(Ns::ZERO);
        self.reached = Some(reached.max(end));
        self.total += new;
        new
    }
}

/// The row of an activity, and what tells its call from others of the row.
fn place(rank: &RankView<'_>, owners: &Owners, rows: &mut Rows<'_>, index: usize) -> (u32, SliceId) {
    let activity = rank.gpu.row[index];
    let slice = rank.trace.gpu.slice[activity.index()];
    let name = rank.gpu.name[index];
    if rank.gpu.kernel_type[index] == KernelType::Communication {
        let key = Key::kernel(Class::Communication, name, StringId::NONE);
        return (rows.of(key), slice);
    }
    if let Some((row, operator)) = owners.owner(rank, rows, activity) {
        return (row, operator);
    }
    let launch = rank.links().launch(activity);
    let launched_by = launch.map_or(StringId::NONE, |launch| rank.trace.slices.name[launch.index()]);
    let key = Key::kernel(Class::Unattributed, name, launched_by);
    (rows.of(key), launch.unwrap_or(slice))
}
