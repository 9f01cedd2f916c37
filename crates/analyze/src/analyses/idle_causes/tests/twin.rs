//! The twin: every nanosecond by itself, straight from the definition.

use std::collections::BTreeMap;

use eaves_model::SliceKind::{self, Annotation, Kernel, Op, Other, Overhead, Python, Runtime};
use proptest::prelude::*;

use super::super::classes::{cause_of, is_line};
use super::{Cause, part};
use crate::Options;
use crate::test_trace::TestTrace;

/// A slice of each cause, two of the common ones, and one that stands for nothing.
const NAMES: [(SliceKind, &str); 17] = [
    (Python, "Python GC"),
    (Overhead, "Buffer Flush"),
    (Overhead, "Driver Compiler"),
    (Annotation, "compile_inner (dynamo_timed)"),
    (Runtime, "cudaDeviceSynchronize"),
    (Op, "aten::item"),
    (Runtime, "cudaMalloc"),
    (Annotation, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"),
    (Python, "torch/utils/data/dataloader.py(757): _next_data"),
    (Runtime, "cudaEventRecord"),
    (Op, "aten::mul"),
    (Op, "aten::addmm"),
    (Python, "train.py(3): step"),
    (Python, "<built-in function len>"),
    (Annotation, "Optimizer.step#AdamW.step"),
    (Other, "a range"),
    (Annotation, "ProfilerStep#1"),
];

/// Threads that launch, and one that does not.
const THREADS: [i64; 3] = [40, 41, 42];

#[derive(Clone, Copy, Debug)]
struct Slice {
    thread: usize,
    name: (SliceKind, &'static str),
    start: i64,
    end: i64,
}

/// When a kernel ran, and the launch it has, if any.
#[derive(Clone, Copy, Debug)]
struct Activity {
    start: i64,
    end: i64,
    launch: Option<Slice>,
}

/// The trace of both, in the order in which rows break ties.
fn build(slices: &[Slice], activities: &[Activity]) -> TestTrace {
    let mut test = TestTrace::default();
    for slice in slices {
        test.host_on(THREADS[slice.thread], slice.name.0, slice.name.1, slice.start, slice.end);
    }
    for (index, activity) in activities.iter().enumerate() {
        let correlation = index as i64 + 1;
        if let Some(launch) = activity.launch {
            test.launch(correlation, launch.start, launch.end);
            let thread = eaves_model::Ident::number(THREADS[launch.thread]);
            let track = test.trace.tracks.get_or_add(eaves_model::Ident::number(1), thread);
            if let Some(last) = test.trace.slices.track.last_mut() {
                *last = track;
            }
        }
        let launched = activity.launch.map(|_| correlation);
        test.gpu_on(0, launched, Kernel, "kernel", activity.start, activity.end);
    }
    test
}

#[derive(Debug, Default, PartialEq)]
struct Expected {
    causes: BTreeMap<Cause, i64>,
    lead_in: BTreeMap<Cause, i64>,
    after_sync: i64,
    names: BTreeMap<(Cause, &'static str), i64>,
}

/// What a thread does at an instant: the first cause of any open slice, and the name of the innermost slice of it.
/// Overhead on a thread that launches is that thread's; other overhead is everybody's.
fn doing(slices: &[Slice], waiting: &[usize], thread: usize, now: i64) -> (Cause, Option<&'static str>) {
    let is_seen = |slice: &Slice| {
        slice.thread == thread || (slice.name.0 == Overhead && !waiting.contains(&slice.thread))
    };
    let mut open: Vec<(usize, &Slice)> = slices
        .iter()
        .enumerate()
        .filter(|(_, slice)| is_seen(slice) && slice.start <= now && now < slice.end)
        .filter(|(_, slice)| cause_of(slice.name.0, slice.name.1).is_some())
        .collect();
    // Outermost first.
    open.sort_by_key(|(row, slice)| (slice.start, -slice.end, *row));
    let causes = open.iter().filter_map(|(_, slice)| cause_of(slice.name.0, slice.name.1));
    let Some(cause) = causes.min() else { return (Cause::Nothing, None) };
    let innermost = |keep: &dyn Fn(&Slice) -> bool| {
        open.iter().rev().find(|(_, slice)| keep(slice)).map(|(_, slice)| slice.name.1)
    };
    let line = innermost(&|slice| is_line(slice.name.0, slice.name.1));
    let own = innermost(&|slice| cause_of(slice.name.0, slice.name.1) == Some(cause));
    (cause, if cause == Cause::DataLoading { line.or(own) } else { own })
}

/// What ends a gap: of those that start with its end, one that has a launch, and was launched first.
fn ended_by(activities: &[Activity], end: i64) -> Option<Slice> {
    let starting = activities.iter().enumerate().filter(|(_, activity)| activity.start == end);
    let launched = |activity: &Activity| activity.launch.map(|launch| launch.start);
    starting
        .min_by_key(|(row, activity)| (activity.launch.is_none(), launched(activity), *row))
        .and_then(|(_, activity)| activity.launch)
}

/// From the beginning of the step to the first activity, if the step launched it and it waited for that.
fn lead_in(slices: &[Slice], activities: &[Activity], first: i64) -> Option<(i64, i64)> {
    let step = longest_step(slices)?;
    let launch = ended_by(activities, first)?;
    let launched_in_it = step.start <= launch.start && launch.start < step.end;
    let (start, end) = (step.start.min(first), first);
    (launched_in_it && start < end && launch.start > start).then_some((start, end))
}

fn expected(slices: &[Slice], activities: &[Activity]) -> Expected {
    // The launches are slices of their threads too, behind the others in the file.
    let mut all = slices.to_vec();
    all.extend(activities.iter().filter_map(|activity| activity.launch));
    let first = activities.iter().map(|activity| activity.start).min().unwrap_or(0);
    let last = activities.iter().map(|activity| activity.end).max().unwrap_or(0);
    let busy = |now: i64| activities.iter().any(|activity| activity.start <= now && now < activity.end);
    let lead_in = lead_in(slices, activities, first);
    // A gap begins and ends where anything does.
    let begins = |now: i64| activities.iter().any(|activity| activity.start == now);
    let inside = (first..last)
        .filter(|&now| !busy(now) && (begins(now) || busy(now - 1)))
        .map(|start| (start, (start + 1..last).find(|&now| begins(now)).unwrap_or(last)));
    let gaps: Vec<(i64, i64)> = lead_in.into_iter().chain(inside).collect();
    let waits = |&(start, end): &(i64, i64)| {
        ended_by(activities, end).filter(|launch| launch.start > start && launch.end.min(end) > start)
    };
    let waiting: Vec<usize> = gaps.iter().filter_map(waits).map(|launch| launch.thread).collect();
    let mut expected = Expected::default();
    for &(start, end) in &gaps {
        let launch = ended_by(activities, end);
        let mut began_in_sync = false;
        let is_lead_in = start < first;
        for now in start..end {
            let (cause, name) = match launch {
                None => (Cause::Unknown, None),
                Some(launch) if launch.start <= start => (Cause::Device, None),
                // On its way.
                Some(launch) if now >= launch.end => (Cause::Latency, None),
                Some(launch) => doing(&all, &waiting, launch.thread, now),
            };
            began_in_sync |= now == start && cause == Cause::Synchronisation;
            let causes = if is_lead_in { &mut expected.lead_in } else { &mut expected.causes };
            *causes.entry(cause).or_default() += 1;
            if let Some(name) = name {
                *expected.names.entry((cause, name)).or_default() += i64::from(!is_lead_in);
            }
            if began_in_sync && Cause::HOST_WORK.contains(&cause) {
                expected.after_sync += 1;
            }
        }
    }
    if !activities.is_empty() {
        expected.after_sync +=
            after_sync_in_tail(slices, &all, last, last + longest_gap(activities, first, last));
    }
    expected
}

/// The most instants in a row without an activity, between the first and the last.
fn longest_gap(activities: &[Activity], first: i64, last: i64) -> i64 {
    let is_busy = |now: i64| activities.iter().any(|one| one.start <= now && now < one.end);
    let (mut longest, mut current) = (0, 0);
    for now in first..last {
        current = if is_busy(now) { 0 } else { current + 1 };
        longest = longest.max(current);
    }
    longest
}

/// Behind the last activity the GPU waits for the thread of the step, up to its end, but not longer than ever before.
fn after_sync_in_tail(slices: &[Slice], all: &[Slice], last: i64, latest: i64) -> i64 {
    let Some(step) = longest_step(slices) else { return 0 };
    let mut began_in_sync = false;
    let start = last.max(step.start);
    let is_after = |now: i64| {
        let (cause, _) = doing(all, &[step.thread], step.thread, now);
        began_in_sync |= now == start && cause == Cause::Synchronisation;
        began_in_sync && Cause::HOST_WORK.contains(&cause)
    };
    (start..step.end.min(latest)).map(is_after).filter(|&is_after| is_after).count() as i64
}

/// Recorded several times, a step counts at its longest, the first of equals.
fn longest_step(slices: &[Slice]) -> Option<&Slice> {
    let steps = slices.iter().filter(|slice| slice.name.1.starts_with("ProfilerStep"));
    steps.rev().max_by_key(|step| step.end - step.start)
}

fn slice() -> impl Strategy<Value = Slice> {
    // Long ones around short ones, some of no length.
    (0..3usize, 0..NAMES.len(), 0i64..60, prop_oneof![0i64..8, 0i64..60]).prop_map(
        |(thread, name, start, length)| Slice { thread, name: NAMES[name], start, end: start + length },
    )
}

fn activity() -> impl Strategy<Value = Activity> {
    let launch = (0..2usize, 0i64..60, 0i64..6).prop_map(|(thread, start, length)| Slice {
        thread,
        name: (Runtime, "cudaLaunchKernel"),
        start,
        end: start + length,
    });
    // Launches are anywhere, also behind their kernels.
    (0i64..60, 0i64..6, prop::option::weighted(0.9, launch)).prop_map(|(start, length, launch)| Activity {
        start,
        end: start + length,
        launch,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn agrees_with_every_nanosecond(
        slices in prop::collection::vec(slice(), 0..14),
        activities in prop::collection::vec(activity(), 0..8),
    ) {
        let test = build(&slices, &activities);
        let options = Options::default();
        let part = part(&test, &options);
        let expected = expected(&slices, &activities);
        let causes: BTreeMap<Cause, i64> = super::times(&part).into_iter().collect();
        prop_assert_eq!(&causes, &expected.causes);
        // The steady state has its part of it, and of each gap once.
        let steady: i64 = part.totals.iter().map(|total| total.steady.0).sum();
        let view = crate::RankView::new(&test.trace, &options);
        let window = view.steady().window;
        let is_inside = window.zip(view.sets.span()).is_some_and(|(window, span)| span.start <= window.start);
        if is_inside {
            prop_assert_eq!(steady, view.steady().idle().0);
        }
        prop_assert!(steady <= view.steady().idle().0 && part.after_sync().0 <= expected.after_sync);
        let names: BTreeMap<(Cause, &str), i64> =
            part.names.iter().map(|name| ((name.cause, name.name.as_str()), name.time.0)).collect();
        prop_assert_eq!(names, expected.names);
        // One gap has one verdict, in both sections about idle time.
        let (span, idle) = crate::analyses::idle_time::gaps::tests::twin(&activities.iter().map(|activity| {
            (activity.start, activity.end - activity.start, activity.launch.map(|launch| launch.start))
        }).collect::<Vec<_>>(), options.kernel_wait.0);
        let host: i64 = causes.iter().filter(|(cause, _)| cause.is_host()).map(|(_, time)| time).sum();
        prop_assert_eq!((host, causes.values().sum::<i64>()), (idle[0], idle.iter().sum()));
        prop_assert!(span >= idle.iter().sum());
        // And the sum is the idle time of the breakdown.
        let rank = crate::RankView::new(&test.trace, &options);
        let span = rank.sets.span().map_or(0, |span| span.length().0);
        prop_assert_eq!(causes.values().sum::<i64>(), span - rank.times.busy().0);
        let lead_in: BTreeMap<Cause, i64> = super::lead_in(&part).into_iter().collect();
        prop_assert_eq!(lead_in, expected.lead_in);
        let places: i64 = part.places.iter().map(|place| place.after.0).sum();
        prop_assert_eq!(places, expected.after_sync);
    }
}
