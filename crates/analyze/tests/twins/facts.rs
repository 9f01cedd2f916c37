//! What a trace holds, as plain lists, and what follows from it by the definitions.

use std::collections::BTreeMap;

use eaves_model::{Ns, SliceKind, Trace, is_launch};

/// A stretch of time on a thread, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) thread: usize,
    pub(crate) start: i64,
    pub(crate) end: i64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Activity {
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) is_kernel: bool,
    pub(crate) launch: Option<Call>,
}

/// Activities and operators in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) activities: Vec<Activity>,
    pub(crate) operators: Vec<Call>,
    /// Their names.
    pub(crate) names: Vec<String>,
    /// Beginning and end of the steps, in time order.
    pub(crate) steps: Vec<(i64, i64)>,
}

/// Idle time for the host, between kernels and other, and the number of gaps.
#[derive(Debug, Default)]
pub(crate) struct Idle {
    pub(crate) times: [i64; 3],
    pub(crate) gaps: i64,
}

impl Facts {
    /// From the columns of a trace, which say what was read and nothing that was computed.
    pub(crate) fn of(trace: &Trace) -> Self {
        let slices = &trace.slices;
        let call = |row: usize| Call {
            thread: slices.track[row].index(),
            start: slices.start[row].0,
            end: slices.end(row).0,
        };
        let counts = |row: usize| trace.quarantined.iter().all(|slice| slice.index() != row);
        let rows =
            |kind: SliceKind| (0..slices.len()).filter(move |&row| slices.kind[row] == kind && counts(row));
        // Of calls that share a number the first that launches, else the first; then an external id; then an arrow.
        let links = eaves_model::LaunchLinks::build(trace);
        let correlated = |row: usize| {
            let same = |call: &usize| {
                trace.runtime.correlation[*call].is_some()
                    && trace.runtime.correlation[*call] == trace.gpu.correlation[row]
            };
            let calls: Vec<usize> = (0..trace.runtime.len()).filter(same).collect();
            let launches = |call: &&usize| is_launch(trace.slice_name(trace.runtime.slice[**call]));
            calls.iter().find(launches).or(calls.first()).map(|&call| trace.runtime.slice[call].index())
        };
        let only_correlation =
            links.count(eaves_model::LinkedBy::Correlation) as usize + links.unlinked() == trace.gpu.len();
        let by_link = |row: usize| links.launch(row.into()).map(eaves_model::SliceId::index);
        let few = trace.gpu.len() * trace.runtime.len() < 100_000_000;
        let launch = |row: usize| if only_correlation && few { correlated(row) } else { by_link(row) };
        let activity = |row: usize| {
            let slice = trace.gpu.slice[row].index();
            let Call { start, end, .. } = call(slice);
            Activity {
                start,
                end,
                is_kernel: slices.kind[slice] == SliceKind::Kernel,
                launch: launch(row).map(call),
            }
        };
        // A step that several threads recorded counts once, at its longest.
        let mut steps: Vec<(u64, i64, i64)> = Vec::new();
        for row in rows(SliceKind::Annotation) {
            let name = trace.strings.get(slices.name[row]);
            let Some(number) = name.strip_prefix("ProfilerStep#").and_then(|number| number.parse().ok())
            else {
                continue;
            };
            let Call { start, end, .. } = call(row);
            match steps.iter_mut().find(|step| step.0 == number) {
                Some(step) if end - start > step.2 - step.1 => *step = (number, start, end),
                Some(_) => {}
                None => steps.push((number, start, end)),
            }
        }
        steps.sort_by_key(|step| step.1);
        let counting = (0..trace.gpu.len()).filter(|&row| counts(trace.gpu.slice[row].index()));
        Self {
            activities: counting.map(activity).collect(),
            operators: rows(SliceKind::Op).map(call).collect(),
            names: rows(SliceKind::Op).map(|row| trace.strings.get(slices.name[row]).to_owned()).collect(),
            steps: steps.into_iter().map(|(_, start, end)| (start, end)).collect(),
        }
    }

    /// The merged times of some activities.
    fn union(&self, keep: impl Fn(&Activity) -> bool) -> Vec<(i64, i64)> {
        let mut spans: Vec<(i64, i64)> = self
            .activities
            .iter()
            .filter(|activity| keep(activity))
            .map(|activity| (activity.start, activity.end))
            .collect();
        spans.sort_unstable();
        let mut merged: Vec<(i64, i64)> = Vec::new();
        for (start, end) in spans {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        merged
    }

    pub(crate) fn busy(&self, keep: impl Fn(&Activity) -> bool) -> i64 {
        self.union(keep).iter().map(|(start, end)| end - start).sum()
    }

    pub(crate) fn span(&self) -> i64 {
        let starts = self.activities.iter().map(|activity| activity.start);
        let ends = self.activities.iter().map(|activity| activity.end);
        starts.min().zip(ends.max()).map_or(0, |(first, last)| last - first)
    }

    /// A gap waits for the host if what ends it was launched after it began.
    pub(crate) fn idle(&self, kernel_wait: i64) -> Idle {
        let mut idle = Idle::default();
        for pair in self.union(|_| true).windows(2) {
            let (begin, end) = (pair[0].1, pair[1].0);
            let starting = self.activities.iter().filter(|activity| activity.start == end);
            let launch = starting.filter_map(|activity| activity.launch).map(|launch| launch.start).min();
            let cause = match launch {
                Some(launch) if launch > begin => 0,
                Some(_) if end - begin < kernel_wait => 1,
                _ => 2,
            };
            idle.times[cause] += end - begin;
            idle.gaps += 1;
        }
        idle
    }

    /// The step of an activity: the one that began last of those in which its launch began, or, where no launch is
    /// known at all, it.
    fn step_of(&self, activity: &Activity) -> Option<usize> {
        let knows_launches = self.activities.iter().any(|activity| activity.launch.is_some());
        let time = match activity.launch {
            Some(launch) => launch.start,
            None if knows_launches => return None,
            None => activity.start,
        };
        (0..self.steps.len()).rev().find(|&step| self.steps[step].0 <= time && time < self.steps[step].1)
    }

    /// Of each step the busy time of what it launched, the idle time during it, and the kernels it launched.
    pub(crate) fn steps_work(&self) -> Vec<[i64; 3]> {
        let of: Vec<Option<usize>> = self.activities.iter().map(|activity| self.step_of(activity)).collect();
        let all = self.union(|_| true);
        let work = |(index, &(start, end)): (usize, &(i64, i64))| {
            let mine = || {
                self.activities
                    .iter()
                    .zip(&of)
                    .filter(|(_, step)| **step == Some(index))
                    .map(|(activity, _)| *activity)
            };
            let only = Self { activities: mine().collect(), ..Self::default() };
            let running: i64 = all.iter().map(|&(from, to)| (to.min(end) - from.max(start)).max(0)).sum();
            [
                only.busy(|_| true),
                end - start - running,
                mine().filter(|activity| activity.is_kernel).count() as i64,
            ]
        };
        self.steps.iter().enumerate().map(work).collect()
    }

    /// How many activities are in no step, and their busy time.
    pub(crate) fn outside_steps(&self) -> (i64, i64) {
        let count = self.activities.iter().filter(|activity| self.step_of(activity).is_none()).count();
        (count as i64, self.busy(|activity| self.step_of(activity).is_none()))
    }

    /// The innermost operator around the launch of an activity, on the same thread.
    pub(crate) fn operator(&self, activity: usize) -> Option<(i64, i64)> {
        self.launching(activity).map(|index| (self.operators[index].start, self.operators[index].end))
    }

    fn launching(&self, activity: usize) -> Option<usize> {
        let launch = self.activities[activity].launch?;
        let around = |&index: &usize| {
            let op = self.operators[index];
            op.thread == launch.thread && op.start <= launch.start && launch.end <= op.end
        };
        let innermost = |&index: &usize| (self.operators[index].start, -self.operators[index].end);
        (0..self.operators.len()).filter(around).max_by_key(innermost)
    }

    /// By name of operator: calls, time on the host with and without operators inside, time of the activities that were
    /// launched in it and by itself, and how many. What is inside another call of the same name counts there.
    pub(crate) fn call_tree(&self) -> BTreeMap<&str, [i64; 6]> {
        let mut order: Vec<usize> = (0..self.operators.len()).collect();
        let key = |index: usize| (self.operators[index].thread, self.operators[index].start);
        order.sort_by_key(|&index| (key(index), -self.operators[index].end));
        // The last before it that does not end before it does is the innermost around it.
        let mut parents = vec![None; order.len()];
        for (place, &index) in order.iter().enumerate() {
            let inner = self.operators[index];
            let is_around = |&&other: &&usize| self.operators[other].end >= inner.end;
            let before = order[..place].iter().rev();
            let mut before = before.take_while(|&&other| self.operators[other].thread == inner.thread);
            parents[index] = before.find(is_around).copied();
        }
        let ancestors = |index: usize| std::iter::successors(parents[index], |&parent| parents[parent]);
        let length = |index: usize| self.operators[index].end - self.operators[index].start;
        let mut sums: BTreeMap<&str, [i64; 6]> = BTreeMap::new();
        for (index, parent) in parents.iter().enumerate() {
            let is_outermost = ancestors(index).all(|around| self.names[around] != self.names[index]);
            let sum = sums.entry(&self.names[index]).or_default();
            sum[0] += 1;
            sum[1] += if is_outermost { length(index) } else { 0 };
            sum[2] += length(index);
            if let Some(parent) = *parent {
                sums.entry(&self.names[parent]).or_default()[2] -= length(index);
            }
        }
        for (place, activity) in self.activities.iter().enumerate() {
            let Some(index) = self.launching(place) else { continue };
            let time = activity.end - activity.start;
            sums.entry(&self.names[index]).or_default()[4] += time;
            let mut names: Vec<&str> = ancestors(index).map(|around| self.names[around].as_str()).collect();
            names.push(&self.names[index]);
            names.sort_unstable();
            names.dedup();
            for name in names {
                let sum = sums.entry(name).or_default();
                sum[3] += time;
                sum[5] += 1;
            }
        }
        sums
    }
}

/// Nanoseconds as the microseconds of a trace.
pub(crate) fn microseconds(time: Ns) -> String {
    format!("{}.{:03}", time.0 / 1_000, time.0 % 1_000)
}
