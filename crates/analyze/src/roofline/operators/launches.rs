//! What operators launched themselves, for those whose formulas ask for it.

use eaves_model::{Extent, Ns, SliceId, StringId, Trace};
use eaves_roofline::ops::{self, Launch};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::{KernelType, RankView};

/// Kernels with their blocks, in the order in which they began.
type Launched = Vec<(StringId, Extent)>;

/// How types end whose last argument was recorded without one.
const NO_TYPE: &str = "\"\"]";

/// Which operators launched what. Calls that launched the same share a number; those without have none, which is zero.
#[derive(Debug, Default)]
pub(super) struct Launches {
    of: HashMap<SliceId, u32, FixedState>,
    distinct: Vec<Launched>,
}

impl Launches {
    /// Looks at nothing if the recording has no operator that asks.
    pub(super) fn of(rank: &RankView<'_>) -> Self {
        let trace = rank.trace;
        let known = |names: &[&str]| -> Vec<StringId> {
            names.iter().filter_map(|name| trace.strings.find(name)).collect()
        };
        let always = known(ops::NEED_LAUNCHES);
        let without_scalars = known(ops::NEED_LAUNCHES_WITHOUT_SCALARS);
        let without_list = known(ops::NEED_LAUNCHES_WITHOUT_LIST);
        let lacks_scalars = |slice: SliceId| {
            let row = trace.ops.slice.binary_search(&slice);
            row.is_ok_and(|row| trace.ops.concrete_inputs[row] == StringId::NONE)
        };
        let lacks_list = |slice: SliceId| {
            let row = trace.ops.slice.binary_search(&slice);
            row.is_ok_and(|row| trace.strings.get(trace.ops.input_types[row]).trim_end().ends_with(NO_TYPE))
        };
        let is_asking = |slice: SliceId| {
            let name = trace.slices.name[slice.index()];
            always.contains(&name)
                || without_scalars.contains(&name) && lacks_scalars(slice)
                || without_list.contains(&name) && lacks_list(slice)
        };
        // Newer recordings have the scalars of all operators.
        let has_scalars = trace.ops.concrete_inputs.iter().any(|text| *text != StringId::NONE);
        if always.is_empty() && without_list.is_empty() && (without_scalars.is_empty() || has_scalars) {
            return Self::default();
        }
        let tree = rank.operators();
        let mut found: HashMap<SliceId, Vec<(Ns, StringId, Extent)>, FixedState> = HashMap::default();
        for (index, &activity) in rank.gpu.row.iter().enumerate() {
            if rank.gpu.kernel_type[index] == KernelType::Communication {
                continue;
            }
            let Some(node) = tree.launcher(rank.links(), activity) else { continue };
            let slice = tree.slice(node);
            if is_asking(slice) {
                let grid = trace.gpu.grid[activity.index()];
                let began = rank.gpu.interval[index].start;
                found.entry(slice).or_default().push((began, rank.gpu.name[index], grid));
            }
        }
        let mut numbers: HashMap<Launched, u32, FixedState> = HashMap::default();
        let mut launches = Self::default();
        let mut calls: Vec<_> = found.into_iter().collect();
        calls.sort_unstable_by_key(|(slice, _)| *slice);
        for (slice, mut launched) in calls {
            launched.sort_by_key(|(began, ..)| *began);
            let launched: Launched = launched.into_iter().map(|(_, name, grid)| (name, grid)).collect();
            let next = launches.distinct.len() as u32 + 1;
            let number = *numbers.entry(launched).or_insert_with_key(|launched| {
                launches.distinct.push(launched.clone());
                next
            });
            launches.of.insert(slice, number);
        }
        launches
    }

    /// The number of what a call launched.
    pub(super) fn number(&self, slice: SliceId) -> u32 {
        self.of.get(&slice).copied().unwrap_or(0)
    }

    fn launched(&self, number: u32) -> &[(StringId, Extent)] {
        let place = (number as usize).checked_sub(1);
        place.and_then(|place| self.distinct.get(place)).map_or(&[], Vec::as_slice)
    }

    /// What stands behind a number. A launch whose size was not recorded says nothing.
    pub(super) fn list<'a>(&self, trace: &'a Trace, number: u32) -> Vec<Launch<'a>> {
        let launches = self.launched(number).iter().filter_map(|(name, grid)| {
            Some(Launch { name: trace.strings.get(*name), grid: grid.get()?.map(u64::from) })
        });
        launches.collect()
    }

    /// The same as text, which tells rows of several recordings apart.
    pub(super) fn text(&self, trace: &Trace, number: u32) -> String {
        let launches = self.list(trace, number).into_iter().map(|launch| {
            let [x, y, z] = launch.grid;
            format!("{} ({x}, {y}, {z})", launch.name)
        });
        launches.collect::<Vec<_>>().join("; ")
    }
}
