//! Which launch of a captured graph each activity of a replay is.
//!
//! Both are sequences of the same nodes, as long as nothing is missing, more, or in another order. They are aligned so that
//! as many as possible match by name, in order; ties go to launches of the same size. What is left over on both sides and
//! has the same name close by is one that changed places.

use eaves_model::{Extent, SliceKind, StringId};

use super::super::matching::MatchedBy;

/// A node of a graph, as a launch or as an activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node {
    /// The kernel; nothing where it was not recorded.
    pub(super) name: StringId,
    pub(super) kind: SliceKind,
    pub(super) grid: Extent,
    pub(super) block: Extent,
}

/// The launches that activities are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Alignment {
    /// For each activity its launch and what that is known by.
    pub(super) of: Vec<Option<(u32, MatchedBy)>>,
    /// How many have one.
    pub(super) matched: usize,
}

/// The most cells that are looked at: beyond, sequences may be apart from each other only so far.
const CELLS: usize = 1 << 24;
/// How far a node that changed places may have come.
const MOVED: usize = 16;

/// What a match counts: more than any number of equal sizes in its stead.
const BY_NAME: i64 = 4;
const BY_KIND: i64 = 2;
const OF_SIZE: i64 = 1;

impl Node {
    /// What it counts that an activity is a launch; nothing if it cannot be.
    fn fits(self, launch: Self) -> Option<i64> {
        let is_kernel = self.kind == SliceKind::Kernel;
        let value = match (self.kind == launch.kind, is_kernel) {
            (false, _) => return None,
            (true, true) if self.name == launch.name => BY_NAME,
            (true, true) => return None,
            (true, false) => BY_KIND,
        };
        let sizes = |one: Self| Some((one.grid.get()?, one.block.get()?));
        Some(match (sizes(self), sizes(launch)) {
            (Some(own), Some(other)) if own == other => value + OF_SIZE,
            (Some(_), Some(_)) => value - OF_SIZE,
            _ => value,
        })
    }
}

impl Alignment {
    /// Aligns the activities of a replay with the launches of a graph.
    pub(super) fn of(activities: &[Node], launches: &[Node]) -> Self {
        if launches.iter().any(|launch| launch.kind == SliceKind::Kernel && launch.name == StringId::NONE) {
            return Self::by_place(activities, launches);
        }
        // Beyond what is the same at both ends, which is nearly always everything.
        let fits = |(activity, launch): (&Node, &Node)| {
            activity.fits(*launch).is_some_and(|value| value >= BY_KIND && value != BY_NAME - OF_SIZE)
        };
        let begin = activities.iter().zip(launches).take_while(|pair| fits(*pair)).count();
        let rest = activities.len().min(launches.len()) - begin;
        let end = activities.iter().rev().zip(launches.iter().rev()).take(rest);
        let end = end.take_while(|pair| fits(*pair)).count();
        let (last, last_launch) = (activities.len() - end, launches.len() - end);
        let mut found: Vec<Option<u32>> = vec![None; activities.len()];
        for (activity, launch) in (0..begin).zip(0..).chain((last..).zip(last_launch..).take(end)) {
            found[activity] = Some(launch as u32);
        }
        for (activity, launch) in aligned(&activities[begin..last], &launches[begin..last_launch]) {
            found[begin + activity] = Some((begin + launch) as u32);
        }
        let moved = moved(activities, launches, &found);
        let is_whole = found.iter().all(Option::is_some);
        let in_order = if is_whole { MatchedBy::Capture } else { MatchedBy::CaptureWithGaps };
        let mut of: Vec<Option<(u32, MatchedBy)>> =
            found.iter().map(|launch| launch.map(|launch| (launch, in_order))).collect();
        for (activity, launch) in moved {
            of[activity] = Some((launch, MatchedBy::CaptureOutOfOrder));
        }
        let matched = of.iter().flatten().count();
        Self { of, matched }
    }

    /// Without names, only graphs of the same nodes in the same order can be the same.
    fn by_place(activities: &[Node], launches: &[Node]) -> Self {
        let is_same = activities.len() == launches.len()
            && activities.iter().zip(launches).all(|(activity, launch)| {
                activity.kind == launch.kind
                    && (launch.name == StringId::NONE || activity.fits(*launch).is_some())
            });
        let of =
            (0..activities.len() as u32).map(|place| is_same.then_some((place, MatchedBy::CaptureByPlace)));
        Self { of: of.collect(), matched: if is_same { activities.len() } else { 0 } }
    }

    /// How many of the matches are launches of the same size, and how many of another.
    pub(super) fn sizes(&self, activities: &[Node], launches: &[Node]) -> (usize, usize) {
        let mut counts = (0, 0);
        for (activity, matched) in activities.iter().zip(&self.of) {
            let Some(launch) = matched.and_then(|(launch, _)| launches.get(launch as usize)) else {
                continue;
            };
            match (activity.grid.get(), launch.grid.get()) {
                (Some(own), Some(other)) if own == other => counts.0 += 1,
                (Some(_), Some(_)) => counts.1 += 1,
                _ => {}
            }
        }
        counts
    }
}

/// Where a cell came from.
const FROM_BOTH: u8 = 0;
const FROM_ACTIVITY: u8 = 1;
const FROM_LAUNCH: u8 = 2;

/// The pairs of an alignment in order with the highest sum (Needleman and Wunsch, 1970, without a price for gaps).
fn aligned(activities: &[Node], launches: &[Node]) -> Vec<(usize, usize)> {
    let (rows, columns) = (activities.len(), launches.len());
    if rows == 0 || columns == 0 {
        return Vec::new();
    }
    // A band around the diagonal, as wide as there is room for.
    let width = (CELLS / rows).clamp(1, columns + 1);
    let first = |row: usize| {
        let middle = row * columns / rows;
        middle.saturating_sub(width / 2).min(columns + 1 - width)
    };
    let mut from = vec![FROM_ACTIVITY; (rows + 1) * width];
    let mut above = vec![0i64; width];
    let mut own = vec![0i64; width];
    from[..width].fill(FROM_LAUNCH);
    for row in 1..=rows {
        let (start, start_above) = (first(row), first(row - 1));
        let value_above =
            |column: usize| column.checked_sub(start_above).and_then(|cell| above.get(cell)).copied();
        for cell in 0..width {
            let column = start + cell;
            let mut best = (i64::MIN, FROM_ACTIVITY);
            if let Some(value) = value_above(column) {
                best = (value, FROM_ACTIVITY);
            }
            if cell > 0 && own[cell - 1] > best.0 {
                best = (own[cell - 1], FROM_LAUNCH);
            }
            if let Some(before) = column.checked_sub(1)
                && let Some(value) = value_above(before)
                && let Some(fit) = activities[row - 1].fits(launches[before])
                && value + fit >= best.0
            {
                best = (value + fit, FROM_BOTH);
            }
            own[cell] = best.0.max(0);
            from[row * width + cell] = best.1;
        }
        std::mem::swap(&mut above, &mut own);
    }
    let mut pairs = Vec::new();
    let (mut row, mut column) = (rows, columns);
    while row > 0 && column > 0 {
        let Some(cell) = column.checked_sub(first(row)).filter(|cell| *cell < width) else { break };
        match from[row * width + cell] {
            FROM_BOTH => {
                (row, column) = (row - 1, column - 1);
                pairs.push((row, column));
            }
            FROM_ACTIVITY => row -= 1,
            _ => column -= 1,
        }
    }
    pairs.reverse();
    pairs
}

/// What is left over on both sides and changed places.
fn moved(activities: &[Node], launches: &[Node], found: &[Option<u32>]) -> Vec<(usize, u32)> {
    let mut is_free = vec![true; launches.len()];
    for launch in found.iter().flatten() {
        is_free[*launch as usize] = false;
    }
    let mut moved = Vec::new();
    let mut expected = 0usize;
    for (activity, launch) in found.iter().enumerate() {
        if let Some(launch) = launch {
            expected = *launch as usize + 1;
            continue;
        }
        let near = expected.saturating_sub(MOVED)..(expected + MOVED).min(launches.len());
        let same = |place: &usize| {
            is_free[*place]
                && activities[activity].kind == SliceKind::Kernel
                && activities[activity].fits(launches[*place]).is_some()
        };
        if let Some(place) = near.filter(same).min_by_key(|place| place.abs_diff(expected)) {
            is_free[place] = false;
            moved.push((activity, place as u32));
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use eaves_model::StringId;

    use super::*;

    fn kernel(name: u32) -> Node {
        Node {
            name: StringId(name),
            kind: SliceKind::Kernel,
            grid: Extent::default(),
            block: Extent::default(),
        }
    }

    fn kernels(names: &[u32]) -> Vec<Node> {
        names.iter().copied().map(kernel).collect()
    }

    fn places(alignment: &Alignment) -> Vec<Option<u32>> {
        alignment.of.iter().map(|matched| matched.map(|(place, _)| place)).collect()
    }

    #[test]
    fn the_same_nodes_are_exact() {
        let graph = kernels(&[1, 2, 3, 1, 2, 3]);
        let alignment = Alignment::of(&graph, &graph);
        assert!(alignment.of.iter().zip(0..).all(|(of, at)| *of == Some((at, MatchedBy::Capture))));
        // Launches that no activity is do not make it less sure: their kernels may have done nothing.
        let alignment = Alignment::of(&kernels(&[1, 2, 1, 2, 3]), &graph);
        assert_eq!(places(&alignment), [0, 1, 3, 4, 5].map(Some));
        assert!(alignment.of.iter().flatten().all(|(_, by)| *by == MatchedBy::Capture));
    }

    #[test]
    fn what_a_graph_lacks_is_left_over() {
        let alignment = Alignment::of(&kernels(&[1, 2, 9, 3, 4]), &kernels(&[1, 2, 3, 4]));
        assert_eq!(places(&alignment), [Some(0), Some(1), None, Some(2), Some(3)]);
        assert_eq!(alignment.of[0], Some((0, MatchedBy::CaptureWithGaps)));
    }

    #[test]
    fn what_changed_places_is_found() {
        let alignment = Alignment::of(&kernels(&[1, 3, 2, 4]), &kernels(&[1, 2, 3, 4]));
        assert_eq!(alignment.matched, 4);
        let moved = alignment.of.iter().flatten().filter(|(_, by)| *by == MatchedBy::CaptureOutOfOrder);
        assert_eq!(moved.count(), 1);
        assert_eq!(places(&alignment), [0, 2, 1, 3].map(Some));
    }

    #[test]
    fn sizes_decide_between_equal_names() {
        let sized = |blocks| Node { grid: Extent([blocks, 1, 1]), block: Extent([64, 1, 1]), ..kernel(1) };
        let launches = [sized(4), sized(8), kernel(2)];
        let alignment = Alignment::of(&[sized(8), kernel(2)], &launches);
        assert_eq!(alignment.matched, 2);
        assert_eq!(alignment.sizes(&[sized(8), kernel(2)], &launches).1, 0, "{alignment:?}");
    }

    #[test]
    fn without_names_only_the_same_nodes_match() {
        let unnamed = vec![kernel(StringId::NONE.0); 3];
        let alignment = Alignment::of(&kernels(&[1, 2, 3]), &unnamed);
        assert_eq!(alignment.of[2], Some((2, MatchedBy::CaptureByPlace)));
        assert_eq!(Alignment::of(&kernels(&[1, 2]), &unnamed).matched, 0);
    }

    /// A random graph of layers is replayed with some of its nodes removed, swapped or others put in: of what was not
    /// touched, everything is found where it was.
    #[test]
    fn changed_replays_misattribute_no_more_than_was_changed() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let layer: Vec<u32> = (0..random.u32(8..24)).map(|_| random.u32(0..40)).collect();
            let graph: Vec<u32> =
                layer.iter().copied().cycle().take(layer.len() * random.usize(4..20)).collect();
            let mut replay: Vec<(u32, Option<u32>)> = graph.iter().copied().zip((0..).map(Some)).collect();
            let changes = (graph.len() * random.usize(1..=10)).div_ceil(100);
            for _ in 0..changes {
                let at = random.usize(1..replay.len() - 2);
                match random.u8(0..3) {
                    0 => drop(replay.remove(at)),
                    1 => replay.swap(at, at + 1),
                    _ => replay.insert(at, (1000, None)),
                }
            }
            let names: Vec<u32> = replay.iter().map(|(name, _)| *name).collect();
            let alignment = Alignment::of(&kernels(&names), &kernels(&graph));
            // Kernels of equal names beside each other are the same work, wherever a removed one is missed.
            let wrong = replay.iter().zip(&alignment.of).filter(|((_, was), found)| match (was, found) {
                (None, found) => found.is_some(),
                (Some(was), Some((found, _))) => {
                    was != found && (was % layer.len() as u32) != (found % layer.len() as u32)
                }
                (Some(_), None) => false,
            });
            let wrong = wrong.count();
            assert!(wrong <= 3 * changes, "{wrong} of {} wrong after {changes} changes", graph.len());
            assert!(
                alignment.matched + 3 * changes >= graph.len().min(replay.len()),
                "{}",
                alignment.matched
            );
        }
    }
}
