//! Random traces, and a twin that looks at every instant by itself.

use std::collections::HashMap;

use eaves_model::SliceKind::{Op, Python, Runtime};
use eaves_model::{Interval, Ns};
use proptest::prelude::*;

use super::*;
use crate::flame::{FrameKind, Grouping, NOT_LAUNCHED, Order, difference};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const END: i64 = 70;

/// Thread, start, length, name.
type Call = (i64, i64, i64, usize);

#[derive(Clone, Debug)]
struct Random {
    calls: Vec<Call>,
    /// Which call launched it, if one did; start, length.
    activities: Vec<(Option<usize>, i64, i64)>,
    /// Thread, time, bytes.
    allocations: Vec<(i64, i64, i64)>,
}

fn random() -> impl Strategy<Value = Random> {
    // Short and long calls, some of no length; few instants, so that many touch and overlap.
    let length = prop_oneof![Just(0i64), 1i64..8, 1i64..30];
    let calls = prop::collection::vec((0i64..2, 0i64..40, length, 0..NAMES.len()), 0..30);
    let activities = prop::collection::vec((prop::option::of(0usize..30), 0i64..40, 0i64..20), 0..12);
    let allocations = prop::collection::vec((0i64..3, 0i64..75, -9i64..9), 0..12);
    (calls, activities, allocations).prop_map(|(calls, activities, allocations)| Random {
        calls,
        activities,
        allocations,
    })
}

impl Random {
    fn trace(&self) -> TestTrace {
        let mut test = TestTrace::default();
        // A slice on another track, so that time counts from zero.
        test.call(9, Python, "zero", (0, 0));
        for (number, &(thread, start, length, name)) in (0..).zip(&self.calls) {
            let kind = if name == 0 { Runtime } else { Op };
            test.call_with(thread, kind, NAMES[name], (start, start + length), Some(number));
        }
        for &(launch, start, length) in &self.activities {
            match launch {
                Some(launch) => test.kernel("kernel", launch as i64, start, start + length),
                None => test.gpu(eaves_model::SliceKind::Kernel, "kernel", start, start + length),
            };
        }
        for &(thread, time, bytes) in &self.allocations {
            test.allocate(thread, time, bytes);
        }
        test
    }

    /// The calls that go on at an instant, outermost first: those that hold it and that no later call has cut
    /// short, which is one that begins before they end and ends after them.
    fn stack(&self, thread: i64, time: i64) -> Vec<usize> {
        let key = |index: usize| (self.calls[index].1, -self.calls[index].2, index);
        let span = |index: usize| (self.calls[index].1, self.calls[index].1 + self.calls[index].2);
        let cut = |index: usize| {
            let cutters = (0..self.calls.len()).filter(|&other| {
                self.calls[other].0 == thread
                    && key(other) > key(index)
                    && span(other).0 < span(index).1
                    && span(other).1 > span(index).1
            });
            cutters.map(|other| span(other).0).min().unwrap_or(i64::MAX)
        };
        let mut stack: Vec<usize> = (0..self.calls.len())
            .filter(|&index| self.calls[index].0 == thread)
            .filter(|&index| span(index).0 <= time && time < span(index).1.min(cut(index)))
            .collect();
        stack.sort_by_key(|&index| key(index));
        stack
    }

    fn path(&self, thread: i64, time: i64) -> String {
        let mut path = vec![format!("thread {}", 1_000 + thread)];
        path.extend(self.stack(thread, time).iter().map(|&index| NAMES[self.calls[index].3].to_owned()));
        path.join(";")
    }

    /// Host time by path, one instant after the other.
    fn host_time(&self, window: (i64, i64)) -> BTreeMap<String, i64> {
        let mut times = BTreeMap::new();
        for (thread, time) in (0..2).flat_map(|thread| (0..END).map(move |time| (thread, time))) {
            if window.0 <= time && time < window.1 && !self.stack(thread, time).is_empty() {
                *times.entry(self.path(thread, time)).or_insert(0) += 1;
            }
        }
        times
    }

    fn bytes(&self) -> BTreeMap<String, i64> {
        let mut bytes = BTreeMap::new();
        for &(thread, time, amount) in self.allocations.iter().filter(|(.., bytes)| *bytes > 0) {
            *bytes.entry(self.path(thread, time)).or_insert(0) += amount;
        }
        bytes
    }

    /// True if a call exists and launches: only calls into the runtime do.
    fn launches(&self, launch: Option<usize>) -> bool {
        launch.is_some_and(|launch| self.calls.get(launch).is_some_and(|call| call.3 == 0))
    }
}

fn sums(names: &[String], tree: &Tree) -> HashMap<(String, FrameKind), Values> {
    let mut sums = HashMap::new();
    for node in &tree.nodes {
        *sums.entry((names[node.name as usize].clone(), node.kind)).or_insert(Values::default()) += node.own;
    }
    sums.retain(|_, own: &mut Values| !own.is_zero());
    sums
}

fn grouping() -> impl Strategy<Value = Grouping<'static>> {
    let metrics = prop::sample::select(vec![&Metric::ALL[..], &[Metric::Cpu], &[Metric::Gpu, Metric::Bytes]]);
    let limits = (0u32..400_000, 0i64..20, prop::option::of(0u32..5), prop::option::of(0usize..20));
    (metrics, limits).prop_map(|(metrics, (least_share, duration, most_levels, most_nodes))| Grouping {
        metrics,
        least_share,
        least_duration: Ns(duration),
        most_levels,
        most_nodes,
    })
}

proptest! {
    #[test]
    fn every_path_has_the_instants_in_which_it_was_the_stack(random in random()) {
        let flame = flame(random.trace());
        let of = |metric| amounts(&flame.names, &flame.merged, metric).into_iter().collect::<BTreeMap<_, _>>();
        prop_assert_eq!(of(Metric::Cpu), random.host_time((0, END)));
        prop_assert_eq!(of(Metric::Bytes), random.bytes());
        let calls = random.calls.len() + random.activities.len() + 1;
        prop_assert_eq!(flame.merged.whole(Metric::Calls), calls as i64);
        let durations = |launched: bool| -> i64 {
            random.activities.iter().filter(|one| random.launches(one.0) == launched).map(|one| one.2).sum()
        };
        let lost: i64 =
            of(Metric::Gpu).into_iter().filter(|(path, _)| path.starts_with(NOT_LAUNCHED)).map(|one| one.1).sum();
        prop_assert_eq!(lost, durations(false));
        prop_assert_eq!(flame.merged.whole(Metric::Gpu), durations(true) + durations(false));
        for (path, _) in of(Metric::Gpu) {
            prop_assert!(path.starts_with(NOT_LAUNCHED) || path.ends_with("a;kernel"));
        }
    }

    #[test]
    fn a_window_keeps_the_instants_in_it(random in random(), start in 0i64..40, length in 1i64..30) {
        let window = Interval::new(Ns(start), Ns(start + length));
        let extent = random.trace().trace.extent().unwrap();
        prop_assume!(start <= extent.length().0);
        let flame = flame_of(vec![random.trace()], Selection::default().with_time(window), false);
        let times: BTreeMap<_, _> = amounts(&flame.names, &flame.merged, Metric::Cpu).into_iter().collect();
        prop_assert_eq!(times, random.host_time((start, start + length)));
        check(&flame.merged);
        check(flame.chart.as_ref().unwrap());
    }

    #[test]
    fn everything_adds_up_in_every_view(random in random(), grouping in grouping()) {
        let flame = flame(random.trace());
        let whole = flame.merged.node(Tree::ROOT).total;
        for order in Order::ALL {
            let all = flame.view(order, &Grouping::default());
            check(&all);
            // Steps aside, each view gives every name the same amount of its own, but inverted.
            if order != Order::Inverted {
                prop_assert_eq!(sums(&flame.names, &all), sums(&flame.names, &flame.merged));
            }
            let grouped = flame.view(order, &grouping);
            check(&grouped);
            prop_assert_eq!(grouped.node(Tree::ROOT).total, whole);
            let hidden = (all.nodes.len() - grouped.nodes.len()) as u64;
            let groups = grouped.nodes.iter().filter(|node| node.kind == FrameKind::Small).count() as u64;
            prop_assert_eq!(grouped.grouped() + grouped.too_deep, hidden + groups);
            if let Some(most) = grouping.most_nodes {
                // A frame for small ones in each, in time order one before and behind each.
                let times = if grouped.in_time { 3 } else { 2 };
                prop_assert!(grouped.nodes.len() <= times * most.max(1));
            }
            let again = grouped.group(&grouping);
            check(&again);
        }
    }

    #[test]
    fn inverted_the_first_level_is_what_each_name_has_of_its_own(random in random()) {
        let flame = flame(random.trace());
        let inverted = flame.merged.inverted();
        let mut first: HashMap<(String, FrameKind), Values> = HashMap::new();
        for node in inverted.nodes.iter().skip(1).filter(|node| node.parent == Tree::ROOT) {
            first.insert((flame.names[node.name as usize].clone(), node.kind), node.total);
        }
        prop_assert_eq!(first, sums(&flame.names, &flame.merged));
    }

    #[test]
    fn differences_keep_both_sides(base in random(), new in random(), grouping in grouping()) {
        let of = |random: &Random| flame_of(vec![random.trace()], Selection::default(), true);
        let (base, new) = (of(&base), of(&new));
        let (names, tree) = difference((&base.names, &base.merged), (&new.names, &new.merged));
        check(&tree);
        prop_assert_eq!(tree.node(Tree::ROOT).total, new.merged.node(Tree::ROOT).total);
        prop_assert_eq!(tree.base[0].total, base.merged.node(Tree::ROOT).total);
        prop_assert_eq!(sums(&names, &tree), sums(&new.names, &new.merged));
        let grouped = tree.group(&grouping);
        check(&grouped);
        prop_assert_eq!(grouped.base[0].total, tree.base[0].total);
        prop_assert_eq!(grouped.node(Tree::ROOT).total, tree.node(Tree::ROOT).total);
    }
}
