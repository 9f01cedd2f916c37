//! Lanes: slices of one track that overlap partly, spread so that on every lane they only nest.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use eaves_model::{Flow, Ident, Interval, Ns, SliceId, Trace, TrackId, ident_text};

/// A lane of a track beyond its first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    /// The track.
    pub(super) track: TrackId,
    /// 2 for the second lane.
    pub(super) number: usize,
    /// What takes the place of the thread identifier.
    pub(super) thread: String,
}

/// Which slices and flows leave the first lane of their track.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    /// Lanes beyond the first, by track and number.
    pub(super) extra: Vec<Lane>,
    /// For each slice 0 for the first lane, else one more than its place in `extra`. Empty if none moves.
    slices: Vec<u32>,
    /// Where slices begin that moved, and none that stayed.
    moved: HashMap<(TrackId, Ns), u32>,
}

/// No viewer is readable beyond, and the search for a lane stays linear. The last lane takes the rest.
const MOST: usize = 256;

impl Lanes {
    /// Finds the lanes of every track.
    pub(super) fn find(trace: &Trace) -> Self {
        let slices = &trace.slices;
        let mut lanes = Self { slices: vec![0; slices.len()], ..Self::default() };
        let mut names = taken_names(trace);
        for (track, mut rows) in rows_by_track(trace).into_iter().enumerate() {
            rows.sort_unstable_by_key(|&row| {
                (slices.start[row as usize], Reverse(slices.duration[row as usize]), row)
            });
            lanes.spread(trace, TrackId::from(track), &rows, &mut names);
        }
        lanes
    }

    /// The lane of a slice, if it is not the first.
    pub(super) fn of_slice(&self, slice: SliceId) -> Option<&Lane> {
        self.lane(*self.slices.get(slice.index())?)
    }

    /// The lane of a flow, if it is not the first. Viewers bind an arrow to what begins at its time on its
    /// thread, so an arrow follows a slice that moved, unless one that stayed begins at the same time.
    pub(super) fn of_flow(&self, flow: &Flow) -> Option<&Lane> {
        self.lane(*self.moved.get(&(flow.track, flow.time))?)
    }

    fn lane(&self, number: u32) -> Option<&Lane> {
        self.extra.get((number as usize).checked_sub(1)?)
    }

    /// Gives each slice of a track, sorted by start and outermost first, the first lane where it does not
    /// overlap partly.
    fn spread(&mut self, trace: &Trace, track: TrackId, rows: &[u32], names: &mut HashSet<(Ident, String)>) {
        let first_extra = self.extra.len();
        let mut open: Vec<Vec<Ns>> = vec![Vec::new()];
        let (mut stayed, mut left) = (None, None);
        for &row in rows {
            let Interval { start, end } = trace.slices.interval(row as usize);
            let fitting = open.iter_mut().position(|ends| {
                while ends.last().is_some_and(|&open_end| open_end <= start) {
                    ends.pop();
                }
                ends.last().is_none_or(|&open_end| end <= open_end)
            });
            let lane = fitting.unwrap_or(open.len().min(MOST - 1));
            if lane == open.len() {
                open.push(Vec::new());
                self.extra.push(lane_of(trace, track, lane + 1, names));
            }
            open[lane].push(end);
            if lane == 0 {
                stayed = Some(start);
                if left == stayed {
                    self.moved.remove(&(track, start));
                }
                continue;
            }
            let number = (first_extra + lane) as u32;
            self.slices[row as usize] = number;
            left = Some(start);
            if stayed != left {
                self.moved.entry((track, start)).or_insert(number);
            }
        }
    }
}

fn rows_by_track(trace: &Trace) -> Vec<Vec<u32>> {
    let mut rows = vec![Vec::new(); trace.tracks.len()];
    for (row, track) in trace.slices.track.iter().enumerate() {
        if let Some(rows) = rows.get_mut(track.index()) {
            rows.push(row as u32);
        }
    }
    rows
}

/// Thread identifiers that are texts; a lane must not take one of them.
fn taken_names(trace: &Trace) -> HashSet<(Ident, String)> {
    let threads = &trace.tracks.threads;
    let text = |row: usize| threads.thread[row].as_text().map(|text| trace.strings.get(text));
    (0..threads.len()).filter_map(|row| Some((threads.process[row], text(row)?.to_owned()))).collect()
}

fn lane_of(trace: &Trace, track: TrackId, number: usize, names: &mut HashSet<(Ident, String)>) -> Lane {
    let threads = &trace.tracks.threads;
    let process = threads.process[track.index()];
    let thread = ident_text(threads.thread[track.index()], &trace.strings).unwrap_or_default();
    let mut name = format!("{thread} (lane {number})");
    while !names.insert((process, name.clone())) {
        name.push('\'');
    }
    Lane { track, number, thread: name }
}

#[cfg(test)]
mod tests {
    use eaves_model::{Slice, SliceKind};

    use super::*;

    fn trace_of(intervals: &[(i64, i64)]) -> Trace {
        let mut trace = Trace::default();
        let track = trace.tracks.get_or_add(Ident::number(0), Ident::number(7));
        for &(start, end) in intervals {
            trace.slices.push(Slice {
                start: Ns(start),
                duration: Ns(end - start),
                track,
                kind: SliceKind::Other,
                ..Slice::default()
            });
        }
        trace
    }

    fn lane_numbers(intervals: &[(i64, i64)]) -> Vec<usize> {
        let lanes = Lanes::find(&trace_of(intervals));
        (0..intervals.len())
            .map(|row| lanes.of_slice(SliceId::from(row)).map_or(1, |lane| lane.number))
            .collect()
    }

    #[test]
    fn only_partial_overlap_moves() {
        assert_eq!(lane_numbers(&[(0, 10), (2, 5), (5, 10), (10, 20)]), [1, 1, 1, 1]);
        assert_eq!(lane_numbers(&[(0, 10), (5, 15), (12, 20), (15, 16)]), [1, 2, 1, 1]);
        assert_eq!(lane_numbers(&[(0, 10), (5, 15), (6, 16)]), [1, 2, 3]);
        // In any order of the file, with equal starts, equal slices and slices without length.
        assert_eq!(lane_numbers(&[(2, 5), (0, 10), (0, 4), (0, 4), (4, 4)]), [2, 1, 1, 1, 1]);
    }

    #[test]
    fn arrows_follow_the_slice_they_point_at() {
        let mut trace = trace_of(&[(0, 10), (5, 15)]);
        for time in [0, 5] {
            trace.flows.push(Flow {
                time: Ns(time),
                track: TrackId(0),
                id: Ident::number(1),
                phase: b'f',
                enclosing: 1,
                ..Flow::default()
            });
        }
        let lanes = Lanes::find(&trace);
        assert_eq!(lanes.of_flow(&trace.flows.row(0)), None);
        assert_eq!(lanes.of_flow(&trace.flows.row(1)).map(|lane| lane.thread.as_str()), Some("7 (lane 2)"));
    }

    #[test]
    fn lanes_take_no_thread_that_exists() {
        let mut trace = trace_of(&[(0, 10), (5, 15)]);
        let name = trace.strings.intern("7 (lane 2)");
        trace.tracks.get_or_add(Ident::number(0), Ident::text(name));
        assert_eq!(Lanes::find(&trace).extra[0].thread, "7 (lane 2)'");
    }

    #[test]
    fn endless_overlap_ends_in_the_last_lane() {
        let intervals: Vec<_> = (0..2000).map(|start| (start, start + 5000)).collect();
        assert_eq!(lane_numbers(&intervals).into_iter().max(), Some(MOST));
    }
}
