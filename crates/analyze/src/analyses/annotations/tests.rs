use eaves_model::{Interval, Ns, SliceId, SliceKind};
use proptest::prelude::*;

use super::{device, host};
use crate::section::{Section, Value};
use crate::test_threads::ThreadTrace;
use crate::test_trace::{analyse, column, column_ids, integers, number, run_of, section_of, texts};
use crate::{Options, Outcome, RankView, Selection, report};

/// Two steps with a forward pass on thread 1 and a backward pass that thread 2 runs for it. `prefetch` is on a thread
/// of its own. The device draws the forward passes only.
fn trace() -> ThreadTrace {
    let mut test = ThreadTrace::default();
    test.annotation(1, "ProfilerStep#1", (0, 100))
        .annotation(1, "forward", (10, 40))
        .annotation(1, "backward", (50, 90))
        .annotation(1, "ProfilerStep#2", (100, 180))
        .annotation(1, "forward", (110, 130))
        .annotation(3, "prefetch", (0, 5))
        .backward(2, "AddmmBackward0", (55, 85))
        .launch(1, 1, (15, 16))
        .launch(1, 2, (20, 21))
        .launch(2, 3, (60, 61))
        .launch(1, 4, (115, 116))
        .launch(4, 5, (60, 61))
        .launch(3, 6, (2, 3))
        .kernel(7, "gemm", 1, (1000, 1020))
        .kernel(8, "gelu", 2, (1010, 1030))
        .kernel(7, "wgrad", 3, (1040, 1060))
        .kernel(7, "gemm", 4, (1100, 1130))
        .kernel(9, "elsewhere", 5, (1040, 1050))
        .kernel(9, "copy", 6, (900, 910))
        .gpu_annotation(7, "forward", (1000, 1020))
        .gpu_annotation(7, "forward", (1100, 1130))
        .gpu_annotation(7, "ProfilerStep#1", (1000, 1035))
        .gpu_annotation(7, "ProfilerStep#2", (1100, 1140));
    test
}

fn section(test: ThreadTrace) -> Section {
    section_of(&run_of(vec![test.into()]), "annotations")
}

#[test]
fn ranges_on_the_host_cost_time_on_the_gpu() {
    let section = section(trace());
    let of = |id| column(&section, "host", id);
    let expected = [
        "annotation",
        "calls",
        "total_ns",
        "mean_ns",
        "min_ns",
        "max_ns",
        "std_ns",
        "gpu_busy_ns",
        "activities",
    ];
    assert_eq!(column_ids(&section, "host"), expected);
    assert_eq!(of("annotation"), texts(["ProfilerStep#*", "forward", "backward", "prefetch"]));
    assert_eq!(of("calls"), integers([2, 2, 1, 1]));
    assert_eq!(of("total_ns"), integers([180, 50, 40, 5]));
    assert_eq!(of("mean_ns"), [90.0, 25.0, 40.0, 5.0].map(Value::Float));
    assert_eq!(of("min_ns"), integers([80, 20, 40, 5]));
    assert_eq!(of("max_ns"), integers([100, 30, 40, 5]));
    assert_eq!(of("std_ns")[1], Value::Float(50f64.sqrt()));
    // Forward: 1000..1030 and 1100..1130. The backward pass belongs to the thread that waits for it; what a thread
    // that runs no backward pass launches belongs to nobody.
    assert_eq!(of("gpu_busy_ns"), integers([80, 60, 20, 10]));
    assert_eq!(of("activities"), integers([4, 3, 1, 1]));
}

#[test]
fn ranges_as_the_device_draws_them() {
    let section = section(trace());
    assert_eq!(column(&section, "gpu", "annotation"), texts(["ProfilerStep#*", "forward"]));
    assert_eq!(column(&section, "gpu", "calls"), integers([2, 2]));
    assert_eq!(column(&section, "gpu", "total_ns"), integers([75, 50]));
    assert_eq!(column(&section, "gpu", "max_ns"), integers([40, 30]));
}

#[test]
fn activities_belong_to_the_innermost_range() {
    let section = section(trace());
    let of = |id| column(&section, "kernels_by_annotation", id);
    assert_eq!(of("name"), texts(["gemm", "wgrad", "gelu", "elsewhere", "copy"]));
    assert_eq!(of("calls"), integers([2, 1, 1, 1, 1]));
    assert_eq!(of("total_ns"), integers([50, 20, 20, 10, 10]));
    // `gelu` is on a stream without ranges, so that of its launch counts.
    let none = Value::Missing("in no range");
    let (sides, names) = (of("side"), of("annotation"));
    let expected =
        [("gpu", "forward"), ("host", "backward"), ("host", "forward"), ("", ""), ("host", "prefetch")];
    for (row, (side, name)) in expected.into_iter().enumerate() {
        let cell = |text: &str| if text.is_empty() { none.clone() } else { text.into() };
        assert_eq!((&sides[row], &names[row]), (&cell(side), &cell(name)));
    }
    assert_eq!(number(&section, "gpu_in_annotations_pct", None), Value::Float(100.0 * 100.0 / 110.0));
}

#[test]
fn every_activity_with_details() {
    let options = Options::default().with_details(true);
    let outcomes = report(&run_of(vec![trace().into()]), &options).unwrap();
    let outcome = outcomes.iter().find(|outcome| outcome.id() == "annotations").unwrap();
    let section = outcome.section().unwrap();
    let of = |id| column(section, "activities", id);
    assert_eq!(of("start_ns"), integers([1000, 1010, 1040, 1100, 1040, 900]));
    assert_eq!(of("stream"), integers([7, 8, 7, 7, 9, 9]));
    let named: Vec<Value> = ["forward", "forward", "backward", "forward"].map(Value::from).to_vec();
    assert_eq!(of("annotation")[..4], named[..]);
}

#[test]
fn a_selection_keeps_ranges_of_selected_work() {
    let mut test = trace();
    test.gpu_annotation(8, "forward", (1010, 1030));
    let run = run_of(vec![test.into()]);
    let outcome = analyse(&run, "annotations", Selection::default().with_steps(2..=2));
    let section = outcome.section().unwrap();
    assert_eq!(column(section, "host", "annotation"), texts(["ProfilerStep#*", "forward"]));
    assert_eq!(column(section, "host", "calls"), integers([1, 1]));
    assert_eq!(column(section, "host", "gpu_busy_ns"), integers([30, 30]));
    assert_eq!(column(section, "gpu", "calls"), integers([1, 1]));
}

#[test]
fn ranks_are_summed_first_and_listed_second() {
    let section = section_of(&run_of(vec![trace().into(), trace().into()]), "annotations");
    assert_eq!(column(&section, "host", "gpu_busy_ns"), integers([160, 120, 40, 20]));
    assert_eq!(column(&section, "gpu_by_rank", "rank"), integers([0, 0, 1, 1]));
    assert_eq!(column(&section, "host_by_rank", "rank"), integers([0, 0, 0, 0, 1, 1, 1, 1]));
    assert_eq!(column(&section, "kernels_by_annotation", "calls"), integers([4, 2, 2, 2, 2]));
}

#[test]
fn without_names_there_is_nothing_to_say() {
    let mut test = ThreadTrace::default();
    test.activity(7, SliceKind::Kernel, "gemm", None, (0, 10)).op(1, "linear", (0, 5));
    let outcome = analyse(&run_of(vec![test.into()]), "annotations", Selection::default());
    assert!(
        matches!(outcome, Outcome::Skipped(skipped) if skipped.how_to_record.contains("record_function"))
    );
    let mut host_only = ThreadTrace::default();
    host_only.annotation(1, "forward", (0, 10));
    let section = section(host_only);
    assert_eq!(column(&section, "host", "gpu_busy_ns"), [Value::Missing("no GPU activity recorded")]);
    assert_eq!((section.tables.len(), section.numbers.len()), (1, 0));
}

/// Whether two spans have a nanosecond in common, where one of no length has its own.
fn overlap(a: (i64, i64), b: (i64, i64)) -> bool {
    let instants = |(start, end): (i64, i64)| start..end.max(start + 1);
    instants(a).any(|instant| instants(b).contains(&instant))
}

proptest! {
    /// Twin: look at every range for every activity.
    #[test]
    fn device_ranges_agree_with_looking_at_all(
        activities in prop::collection::vec((7i64..9, 0i64..60, 0i64..12), 0..30),
        ranges in prop::collection::vec((7i64..9, 0i64..60, 0i64..30), 0..20),
        window in prop::option::of((0i64..40, 1i64..40)),
    ) {
        let mut test = ThreadTrace::default();
        // What the window counts from.
        test.host(1, SliceKind::Other, "zero", (0, 0));
        for &(stream, start, length) in &ranges {
            test.gpu_annotation(stream, "range", (start, start + length));
        }
        for &(stream, start, length) in &activities {
            test.activity(stream, SliceKind::Kernel, "k", None, (start, start + length));
        }
        let mut options = Options::default();
        if let Some((start, length)) = window {
            let window = Interval::new(Ns(start), Ns(start + length));
            options = options.with_selection(Selection::default().with_time(window));
        }
        let rank = RankView::new(&test.trace, &options);
        let found = device::match_ranges(&rank);
        let span_of = |index: usize| {
            let Interval { start, end } = rank.gpu.interval[index];
            (start.0, end.0)
        };
        let stream_of = |index: usize| rank.gpu.stream[index].unwrap_or(0);
        let overlaps = |index: usize, range: usize| {
            let (stream, start, length) = ranges[range];
            stream == stream_of(index) && overlap((start, start + length), span_of(index))
        };
        for index in 0..rank.gpu.len() {
            let expected = (0..ranges.len())
                .filter(|&range| overlaps(index, range))
                .min_by_key(|&range| (ranges[range].2, -ranges[range].1, -(range as i64)));
            // Slice 0 is the zero of time.
            let expected = expected.map_or(SliceId::NONE, |range| SliceId::from(range + 1));
            prop_assert_eq!(found.innermost[index], expected);
        }
        let mut selected: Vec<usize> = found.selected.iter().map(|slice| slice.index() - 1).collect();
        selected.sort_unstable();
        let expected: Vec<usize> = (0..ranges.len())
            .filter(|&range| window.is_none() || (0..rank.gpu.len()).any(|index| overlaps(index, range)))
            .collect();
        prop_assert_eq!(selected, expected);
    }

    /// Twin: one flag per instant and name.
    #[test]
    fn busy_times_of_host_ranges_agree_with_one_flag_per_instant(
        ranges in prop::collection::vec((0usize..3, 1i64..3, 0i64..50, 0i64..30), 0..15),
        launches in prop::collection::vec((1i64..3, 0i64..80, 0i64..60, 0i64..12), 0..25),
    ) {
        let mut test = ThreadTrace::default();
        for &(name, thread, start, length) in &ranges {
            test.annotation(thread, ["x", "y", "z"][name], (start, start + length));
        }
        for (index, &(thread, at, start, length)) in launches.iter().enumerate() {
            test.launch(thread, index as i64, (at, at + 1));
            test.kernel(7, "k", index as i64, (100 + start, 100 + start + length));
        }
        let run = run_of(vec![test.clone().into()]);
        let outcome = analyse(&run, "annotations", Selection::default());
        let options = Options::default();
        let rank = RankView::new(&test.trace, &options);
        let tree = rank.tree();
        let mut expected: std::collections::BTreeMap<String, ([bool; 200], i64)> = Default::default();
        for range in &ranges {
            expected.entry(["x", "y", "z"][range.0].to_owned()).or_insert(([false; 200], 0));
        }
        for index in 0..rank.gpu.len() {
            let launch = rank.links().launch(rank.gpu.row[index]).unwrap();
            let mut names: Vec<&str> = tree.ancestors(launch).map(|slice| test.trace.slice_name(slice)).collect();
            names.retain(|name| expected.contains_key(*name));
            names.sort_unstable();
            names.dedup();
            for name in names {
                let entry = expected.get_mut(name).unwrap();
                let Interval { start, end } = rank.gpu.interval[index];
                (start.0..end.0).for_each(|instant| entry.0[instant as usize] = true);
                entry.1 += 1;
            }
        }
        let found: std::collections::BTreeMap<String, (Value, Value)> = outcome.section().map_or_else(Default::default, |section| {
            let of = |id| column(section, "host", id).into_iter();
            of("annotation").zip(of("gpu_busy_ns").zip(of("activities"))).map(|(name, rest)| match name {
                Value::Text(name) => (name, rest),
                other => (format!("{other:?}"), rest),
            }).collect()
        });
        prop_assert_eq!(found.len(), expected.len());
        for (name, (flags, count)) in expected {
            let busy = flags.iter().filter(|&&flag| flag).count() as i64;
            let recorded = !launches.is_empty();
            let value = |value| if recorded { Value::Integer(value) } else { Value::Missing("no GPU activity \
                recorded") };
            prop_assert_eq!(&found[&name], &(value(busy), value(count)));
        }
        prop_assert_eq!(host::match_ranges(&rank).innermost.len(), launches.len());
    }
}
