//! When each type of activity ran, and how long each combination of types ran together.

use eaves_model::{Interval, IntervalSet, Ns, sweep};
use serde::{Deserialize, Serialize};

use crate::KernelType;

/// The union of the activities' times for each type, and the span of them all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeSets {
    /// Unions, in the order of [`KernelType::ALL`].
    sets: [IntervalSet; 3],
    /// From the first start to the last end. Activities of no length count here, though in no union.
    span: Option<Interval>,
}

impl TypeSets {
    /// When activities of a type ran.
    pub fn of_type(&self, kernel_type: KernelType) -> &IntervalSet {
        &self.sets[kernel_type as usize]
    }

    /// When any activity ran.
    pub fn busy(&self) -> IntervalSet {
        let [compute, communication, memory] = &self.sets;
        compute.union(communication).union(memory)
    }

    /// From the first start to the last end of any activity.
    pub fn span(&self) -> Option<Interval> {
        self.span
    }

    /// True without activities.
    pub fn is_empty(&self) -> bool {
        self.span.is_none()
    }

    /// What of them lies in a window of time.
    #[must_use]
    pub fn within(&self, window: Interval) -> Self {
        let window_set = IntervalSet::union_of(vec![window]);
        let sets = self.sets.each_ref().map(|set| set.intersection(&window_set));
        Self { sets, span: self.span.and_then(|span| span.clip(window)) }
    }
}

impl FromIterator<(Interval, KernelType)> for TypeSets {
    fn from_iter<I: IntoIterator<Item = (Interval, KernelType)>>(activities: I) -> Self {
        let mut by_type: [Vec<Interval>; 3] = Default::default();
        let mut span: Option<Interval> = None;
        let activities = activities.into_iter();
        let most = activities.size_hint().1.unwrap_or(0);
        for (interval, kernel_type) in activities {
            let of_type = &mut by_type[kernel_type as usize];
            if of_type.is_empty() {
                // Room that is not used is never taken from the system; to grow takes half as much again.
                of_type.reserve(most);
            }
            of_type.push(interval);
            let span = span.get_or_insert(interval);
            span.start = span.start.min(interval.start);
            span.end = span.end.max(interval.end);
        }
        Self { sets: by_type.map(IntervalSet::union_of), span }
    }
}

/// How long each combination of types ran together. Every time of the breakdown, the overlap and the table of
/// types is a sum of these, so they cannot contradict each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct TypeTimes([Ns; 8]);

impl TypeTimes {
    /// One pass over the unions.
    pub fn of(sets: &TypeSets) -> Self {
        let mut times = Self::default();
        let [compute, communication, memory] = &sets.sets;
        sweep([compute, communication, memory], |segment, mask| {
            times.0[mask as usize] += segment.length();
        });
        times
    }

    /// Time in which exactly the types of a mask of [`KernelType::bit`]s ran.
    pub fn exactly(&self, mask: u32) -> Ns {
        self.0.get(mask as usize).copied().unwrap_or(Ns::ZERO)
    }

    /// Masks and times of the combinations that occurred, in the order of the masks.
    pub fn combinations(&self) -> impl Iterator<Item = (u32, Ns)> + '_ {
        (1..8).map(|mask| (mask, self.exactly(mask))).filter(|&(_, time)| time > Ns::ZERO)
    }

    /// Time in which at least one type of `any` ran and none of `none`.
    fn any_but(&self, any: u32, none: u32) -> Ns {
        (1..8).filter(|mask| mask & any != 0 && mask & none == 0).map(|mask| self.exactly(mask)).sum()
    }

    /// Time in which anything ran.
    pub fn busy(&self) -> Ns {
        self.any_but(7, 0)
    }

    /// Time in which a type ran, whatever ran next to it.
    pub fn total(&self, kernel_type: KernelType) -> Ns {
        self.any_but(kernel_type.bit(), 0)
    }

    /// Time in which communication ran and nothing computed.
    pub fn exposed_communication(&self) -> Ns {
        self.any_but(KernelType::Communication.bit(), KernelType::Compute.bit())
    }

    /// Time in which memory was moved and nothing computed or communicated.
    pub fn exposed_memory(&self) -> Ns {
        self.exactly(KernelType::Memory.bit())
    }

    /// Time in which communication ran hidden behind computation.
    pub fn overlapped_communication(&self) -> Ns {
        self.total(KernelType::Communication) - self.exposed_communication()
    }
}

impl std::ops::AddAssign for TypeTimes {
    fn add_assign(&mut self, other: Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}

/// The types of a mask as people read them, such as `compute + communication`.
pub(crate) fn mask_name(mask: u32) -> String {
    let names = KernelType::ALL.iter().filter(|kernel_type| mask & kernel_type.bit() != 0);
    names.map(|kernel_type| kernel_type.id()).collect::<Vec<_>>().join(" + ")
}

#[cfg(test)]
mod tests {
    use KernelType::{Communication, Compute, Memory};

    use super::*;

    fn sets(activities: &[(i64, i64, KernelType)]) -> TypeSets {
        let interval =
            |&(start, end, kind): &(i64, i64, KernelType)| (Interval::new(Ns(start), Ns(end)), kind);
        activities.iter().map(interval).collect()
    }

    #[test]
    fn combinations_by_hand() {
        // 0..4 compute, 4..6 both, 6..8 communication, 8..9 communication and memory, 9..10 memory.
        let times = TypeTimes::of(&sets(&[
            (0, 6, Compute),
            (4, 8, Communication),
            (5, 9, Communication),
            (8, 10, Memory),
        ]));
        let combinations: Vec<_> =
            times.combinations().map(|(mask, time)| (mask_name(mask), time.0)).collect();
        let expected = [
            ("compute", 4),
            ("communication", 2),
            ("compute + communication", 2),
            ("memory", 1),
            ("communication + memory", 1),
        ];
        assert_eq!(combinations, expected.map(|(name, time)| (name.to_owned(), time)));
        assert_eq!((times.busy(), times.total(Communication)), (Ns(10), Ns(5)));
        assert_eq!((times.exposed_communication(), times.overlapped_communication()), (Ns(3), Ns(2)));
        assert_eq!(times.exposed_memory(), Ns(1));
    }

    #[test]
    fn activities_of_no_length_stretch_the_span_only() {
        let sets = sets(&[(5, 5, Memory), (10, 20, Compute)]);
        assert_eq!(sets.span(), Some(Interval::new(Ns(5), Ns(20))));
        assert_eq!(sets.busy().measure(), Ns(10));
        assert!(!sets.is_empty() && TypeSets::default().is_empty());
    }
}
