//! Values by hand, and a replay that keeps every block.

use std::collections::BTreeMap;

use eaves_model::{
    Counter, DeviceProperties, Ident, Interval, MEMORY_BY_CATEGORY, MaybeF64, Ns, PythonFrame, SliceId,
    SliceKind,
};
use proptest::prelude::*;

use super::levels::levels_of;
use crate::section::{Section, Severity, Value};
use crate::test_trace::{
    TestTrace, analyse, column, column_ids, integers, number, run_of, section_of, texts,
};
use crate::{Options, Outcome, RankView, Selection, report};

const GPU: (u32, i64) = (1, 0);
const HOST: (u32, i64) = (0, -1);
const MIB: i64 = 1 << 20;

fn section(test: TestTrace) -> Section {
    section_of(&run_of(vec![test]), "memory")
}

/// 1000 bytes were in use before; three blocks come, one goes, the peak is at 30.
fn trace() -> TestTrace {
    let mut test = TestTrace::default();
    test.step(4, 0, 25)
        .step(5, 25, 60)
        .module("Linear_0", 1, 24)
        .detailed_op("aten::linear", 5, 23)
        .detailed_op("aten::empty", 9, 12)
        .detailed_op("aten::relu", 26, 50)
        .on_one_thread()
        .allocation(10, GPU, 0xA, 100, Some((1100, 4000)))
        .allocation(20, GPU, 0xB, 200, Some((1300, 4000)))
        .allocation(22, GPU, 0xA, -100, Some((1200, 4000)))
        .allocation(30, GPU, 0xC, 5000, Some((6200, 9000)))
        .allocation(40, GPU, 0xB, -200, Some((6000, 9000)))
        .allocation(55, GPU, 0xC, -5000, Some((1000, 5000)));
    test.trace.metadata.devices = vec![DeviceProperties {
        id: Some(0),
        numbers: vec![("totalGlobalMem".to_owned(), 10_000.0)],
        ..DeviceProperties::default()
    }];
    test
}

#[test]
fn the_peak_counts_what_was_there_before() {
    let section = section(trace());
    let expected = [
        "rank",
        "device",
        "allocations",
        "releases",
        "start_bytes",
        "peak_bytes",
        "peak_at_ns",
        "peak_step",
        "unused_bytes",
        "peak_reserved_bytes",
        "capacity_bytes",
        "reserved_pct",
        "end_bytes",
        "end_reserved_bytes",
        "counted",
    ];
    assert_eq!(column_ids(&section, "by_device"), expected);
    let of = |id| column(&section, "by_device", id);
    assert_eq!(of("device"), texts(["cuda:0"]));
    assert_eq!((of("allocations"), of("releases")), (integers([3]), integers([3])));
    assert_eq!(
        (of("start_bytes"), of("peak_bytes"), of("end_bytes")),
        (integers([1000]), integers([6200]), integers([1000]))
    );
    assert_eq!((of("peak_at_ns"), of("peak_step")), (integers([30]), integers([5])));
    assert_eq!((of("unused_bytes"), of("peak_reserved_bytes")), (integers([2800]), integers([9000])));
    assert_eq!((of("reserved_pct"), of("end_reserved_bytes")), (vec![Value::Float(90.0)], integers([5000])));
    assert_eq!(number(&section, "peak_bytes", Some(0)), Value::Integer(6200));
    assert_eq!(number(&section, "unused_at_peak_bytes", Some(0)), Value::Integer(2800));
    // 90 % of the device is reserved.
    let ids: Vec<_> = section.findings.iter().map(|finding| (finding.id, finding.severity)).collect();
    assert_eq!(ids, [("memory_pressure", Severity::Info)]);
}

#[test]
fn what_was_in_use_at_the_peak_has_names() {
    let section = section(trace());
    let of = |table, id| column(&section, table, id);
    assert_eq!(of("at_peak", "operator"), texts(["(before the recording)", "aten::relu", "aten::linear"]));
    assert_eq!(of("at_peak", "bytes"), integers([1000, 5000, 200]));
    assert_eq!(of("at_peak", "share_pct")[0], Value::Float(100.0 * 1000.0 / 6200.0));
    let module = &of("at_peak_by_module", "module")[1..];
    assert_eq!(module, [Value::Missing("no caller recorded"), "nn.Module: Linear_0".into()]);
    assert_eq!(
        of("at_peak_by_size", "size"),
        texts(["(before the recording)", "up to 4 KiB", "up to 64 KiB"])
    );
}

#[test]
fn operators_that_only_allocate_are_not_named() {
    let mut test = TestTrace::default();
    test.detailed_op("aten::linear", 0, 20)
        .detailed_op("aten::empty", 5, 10)
        .detailed_op("aten::empty_like", 30, 40)
        .detailed_op("aten::empty", 32, 38)
        .allocation(6, GPU, 1, 10, Some((10, 10)))
        .allocation(35, GPU, 2, 20, Some((30, 30)))
        .allocation(50, GPU, 3, 5, Some((35, 35)));
    let section = section(test);
    let names = column(&section, "at_peak", "operator");
    let expected = ["aten::empty".into(), "aten::linear".into(), Value::Missing("no caller recorded")];
    assert_eq!(names, expected);
    assert_eq!(column(&section, "at_peak", "bytes"), integers([20, 10, 5]));
}

#[test]
fn steps_begin_and_end_with_what_is_in_use() {
    let section = section(trace());
    let of = |id| column(&section, "by_step", id);
    assert_eq!(of("step"), integers([4, 5]));
    assert_eq!((of("start_bytes"), of("end_bytes")), (integers([1000, 1200]), integers([1200, 1000])));
    assert_eq!((of("peak_bytes"), of("growth_bytes")), (integers([1300, 6200]), integers([200, -200])));
}

#[test]
fn a_selection_has_a_peak_of_its_own() {
    let options = |selection| analyse(&run_of(vec![trace()]), "memory", selection);
    let Outcome::Section(section) = options(Selection::default().with_steps(4..=4)) else {
        panic!("a section")
    };
    assert_eq!(column(&section, "by_device", "peak_bytes"), integers([1300]));
    assert_eq!(column(&section, "by_step", "step"), integers([4]));
    // Only releases are selected: the peak is what was in use before them, and all of it has a name.
    let window = Selection::default().with_time(Interval::new(Ns(35), Ns(60)));
    let Outcome::Section(section) = options(window) else { panic!("a section") };
    assert_eq!(column(&section, "by_device", "peak_bytes"), integers([6200]));
    assert_eq!(column(&section, "at_peak", "bytes"), integers([1000, 5000, 200]));
}

#[test]
fn without_totals_it_counts_from_the_start() {
    let mut test = TestTrace::default();
    test.allocation(10, HOST, 1, 500, None)
        .allocation(20, HOST, 1, -500, None)
        .allocation(30, HOST, 2, 70, None);
    let section = section(test);
    assert_eq!(column(&section, "by_device", "device"), texts(["cpu"]));
    assert_eq!(column(&section, "by_device", "peak_bytes"), integers([500]));
    assert_eq!(column(&section, "by_device", "end_bytes"), integers([70]));
    assert_eq!(column(&section, "by_device", "counted"), texts(["since the recording began"]));
    assert!(matches!(column(&section, "by_device", "unused_bytes")[0], Value::Missing(_)));
}

/// Steps of 100 ns that keep some bytes each.
fn keeping(growths: &[i64]) -> TestTrace {
    let mut test = TestTrace::default();
    let mut total = 50 * MIB;
    for (index, &growth) in growths.iter().enumerate() {
        let start = 100 * index as i64;
        test.step(index as u64 + 3, start, start + 100);
        for (time, address, bytes) in [(10, 1, 7 * MIB), (20, 1, -7 * MIB), (30, 100 + index as i64, growth)]
        {
            total += bytes;
            test.allocation(start + time, GPU, address, bytes, Some((total, 100 * MIB)));
        }
    }
    test
}

#[test]
fn growth_by_the_same_amount_is_a_finding() {
    let finding =
        |growths: &[i64]| section(keeping(growths)).findings.first().map(|found| found.claim.clone());
    let expected = "memory in use on cuda:0 of rank 0 grows by about 2.0 MiB per step, from step 4 to 6";
    assert_eq!(finding(&[90 * MIB, 2 * MIB, 2 * MIB, 2 * MIB, -96 * MIB]), Some(expected.to_owned()));
    // Two steps, too little, too uneven, and up and down.
    for growths in [
        &[2 * MIB, 2 * MIB][..],
        &[900_000, 900_000, 900_000, 900_000],
        &[8 * MIB, 4 * MIB, 2 * MIB, MIB],
        &[2 * MIB, -2 * MIB, 2 * MIB, -2 * MIB],
    ] {
        assert_eq!(finding(growths), None, "{growths:?}");
    }
}

#[test]
fn calls_into_the_driver_cost_time_in_steady_steps() {
    let mut test = TestTrace::default();
    test.step(1, 0, 1000)
        .step(2, 1000, 2000)
        .step(3, 2000, 3000)
        // The first step may still be taking memory.
        .unlinked_call("cudaMalloc", 100, 600)
        .unlinked_call("cudaFree", 1100, 1130)
        .unlinked_call("cudaMalloc", 1200, 1210)
        .unlinked_call("hipMalloc", 2100, 2120)
        .unlinked_call("cudaMallocAsync", 2500, 2900);
    let section = section(test);
    assert_eq!(column(&section, "driver_calls", "function"), texts(["cudaFree", "cudaMalloc", "hipMalloc"]));
    assert_eq!(column(&section, "driver_calls", "host_ns"), integers([30, 10, 20]));
    assert_eq!(column(&section, "driver_calls", "steps_pct"), [1.5, 0.5, 1.0].map(Value::Float));
    let finding = &section.findings[0];
    assert_eq!((finding.id, finding.severity), ("memory_pressure", Severity::Warning));
    assert_eq!(finding.gain, None);
}

#[test]
fn a_timeline_has_categories() {
    let mut test = TestTrace::default();
    let trace = &mut test.trace;
    let track = trace.tracks.get_or_add(Ident::NONE, Ident::NONE);
    let name = trace.strings.intern(MEMORY_BY_CATEGORY);
    for (time, series, bytes) in [
        (0, "parameter", 100.0),
        (10, "activation", 50.0),
        (20, "gradient", 80.0),
        (30, "activation", 60.0),
        (40, "activation", 0.0),
        (50, "gradient", 90.0),
    ] {
        let series = trace.strings.intern(series);
        trace.counters.push(Counter { time: Ns(time), track, name, series, value: MaybeF64::new(bytes) });
    }
    let run = run_of(vec![test]);
    let short = section_of(&run, "memory");
    let of = |id| column(&short, "by_category", id);
    assert_eq!(of("category"), texts(["parameter", "gradient", "activation"]));
    assert_eq!(of("at_peak_bytes"), integers([100, 80, 60]));
    assert_eq!((of("peak_bytes"), of("end_bytes")), (integers([100, 90, 60]), integers([100, 90, 0])));
    assert_eq!(number(&short, "peak_of_categories_bytes", Some(0)), Value::Integer(240));
    assert!(!short.tables.iter().any(|table| table.id == "category_series"));
    let outcomes = report(&run, &Options::default().with_details(true)).unwrap();
    let long = outcomes.iter().find(|outcome| outcome.id() == "memory").and_then(Outcome::section).unwrap();
    assert_eq!(column(long, "category_series", "bytes"), integers([100, 50, 80, 60, 0, 90]));
    let names = ["parameter", "activation", "gradient", "activation", "activation", "gradient"];
    assert_eq!(column(long, "category_series", "category"), texts(names));
}

#[test]
fn series_are_there_if_wanted() {
    let outcomes = report(&run_of(vec![trace()]), &Options::default().with_details(true)).unwrap();
    let long = outcomes.iter().find(|outcome| outcome.id() == "memory").and_then(Outcome::section).unwrap();
    assert_eq!(column(long, "series", "time_ns"), integers([10, 20, 22, 30, 40, 55]));
    assert!(!section(trace()).tables.iter().any(|table| table.id == "series"));
    let Outcome::Skipped(skipped) =
        analyse(&run_of(vec![TestTrace::default()]), "memory", Selection::default())
    else {
        panic!("no section expected")
    };
    assert!(skipped.how_to_record.contains("profile_memory=True"));
}

/// Address and bytes of a block in use.
type Block = (i64, i64);

proptest! {
    /// Twin: a list of the blocks in use, looked through at every event.
    #[test]
    fn agrees_with_a_replay_of_every_block(
        before in 0i64..5000,
        // Time since the event before, and either a size or which of the open blocks goes.
        actions in prop::collection::vec((1i64..10, prop::option::of(1i64..300_000), 0usize..8), 1..40),
        has_totals in any::<bool>(),
        window in (0i64..200, 0i64..200),
    ) {
        let mut test = TestTrace::default();
        let (mut time, mut total, mut open) = (0, before, Vec::<Block>::new());
        // After every event: time, bytes in use, blocks in use.
        let mut states: Vec<(i64, i64, Vec<Block>)> = Vec::new();
        for (index, &(later, taken, which)) in actions.iter().enumerate() {
            time += later;
            let (address, bytes) = match taken {
                Some(bytes) => (index as i64 + 1, bytes),
                None if open.is_empty() => continue,
                None => {
                    let (address, bytes) = open[which % open.len()];
                    (address, -bytes)
                }
            };
            if bytes > 0 { open.push((address, bytes)) } else { open.retain(|block| block.0 != address) }
            total += bytes;
            states.push((time, total, open.clone()));
            let totals = has_totals.then_some((total, total + 10));
            test.allocation(time, GPU, address, bytes, totals);
        }
        prop_assume!(!states.is_empty());
        let before = if has_totals { before } else { 0 };
        let level = |state: &(i64, i64, Vec<Block>)| before + state.2.iter().map(|block| block.1).sum::<i64>();
        let start = before;
        let peak = states.iter().map(level).fold(start, i64::max);
        let at_peak = if peak == start { Vec::new() } else {
            states.iter().find(|state| level(state) == peak).unwrap().2.clone()
        };

        let options = Options::default();
        let rank = RankView::new(&test.trace, &options);
        let levels = levels_of(&rank);
        let at = |time: i64| states.iter().rev().find(|state| state.0 < time).map_or(before, level);
        let (from, to) = (window.0, window.0 + window.1);
        let inside = states.iter().filter(|state| from <= state.0 && state.0 < to).map(level);
        prop_assert_eq!(
            levels[0].over(Interval::new(Ns(from), Ns(to))),
            (at(from), at(to), inside.fold(at(from), i64::max))
        );

        let section = section(test);
        prop_assert_eq!(column(&section, "by_device", "peak_bytes"), integers([peak]));
        prop_assert_eq!(column(&section, "by_device", "start_bytes"), integers([start]));
        prop_assert_eq!(column(&section, "by_device", "end_bytes"), integers([level(states.last().unwrap())]));
        let mut sizes: BTreeMap<usize, (i64, i64)> = BTreeMap::new();
        for (_, bytes) in at_peak {
            let class = [4096, 65_536, MIB].iter().position(|&end| bytes <= end).unwrap();
            let entry = sizes.entry(class).or_default();
            *entry = (entry.0 + bytes, entry.1 + 1);
        }
        if sizes.is_empty() {
            prop_assert!(!section.tables.iter().any(|table| table.id == "at_peak_by_size"));
        } else {
            let skipped = usize::from(before > 0);
            let ours = column(&section, "at_peak_by_size", "bytes").into_iter().skip(skipped);
            prop_assert_eq!(ours.collect::<Vec<_>>(), sizes.values().map(|sum| Value::Integer(sum.0)).collect::<Vec<_>>());
            let ours = column(&section, "at_peak_by_size", "allocations").into_iter().skip(skipped);
            prop_assert_eq!(ours.collect::<Vec<_>>(), sizes.values().map(|sum| Value::Integer(sum.1)).collect::<Vec<_>>());
        }
    }
}

/// A frame of Python on the thread of the allocations, with where it was called from.
fn frame(test: &mut TestTrace, name: &str, called_from: &str, span: (i64, i64)) {
    test.host_on(0, SliceKind::Python, name, span.0, span.1);
    let slice = SliceId::from(test.trace.slices.len() - 1);
    let called_from = test.trace.strings.intern(called_from);
    test.trace.python.push(PythonFrame { slice, called_from, ..PythonFrame::default() });
}

#[test]
fn memory_is_told_by_line_where_frames_were_recorded() {
    let mut test = TestTrace::default();
    frame(&mut test, "src/train.py(1): <module>", "src/train.py:1", (0, 100));
    frame(&mut test, "torch/nn/modules/module.py(9): _call", "src/train.py:30", (10, 90));
    frame(&mut test, "src/model.py(12): forward", "torch/nn/modules/module.py:20", (20, 80));
    frame(&mut test, "<built-in function linear>", "src/model.py:14", (30, 40));
    // By the line of the call; by the function where nothing says more; outside of the model; without any frame.
    test.allocation(35, HOST, 1, 100, None)
        .allocation(36, HOST, 2, 10, None)
        .allocation(50, HOST, 3, 40, None)
        .allocation(15, HOST, 4, 20, None)
        .allocation(95, HOST, 5, 5, None)
        .allocation(150, HOST, 6, 1, None);
    let section = section_of(&run_of(vec![test]), "memory");
    let lines = column(&section, "at_peak_by_line", "place");
    let places = [
        "src/model.py:14 forward",
        "src/model.py:12 forward",
        "src/train.py:30 <module>",
        "src/train.py:1 <module>",
    ];
    assert_eq!(lines[..4], texts(places));
    assert!(matches!(lines[4], Value::Missing(_)));
    assert_eq!(column(&section, "at_peak_by_line", "bytes"), integers([110, 40, 20, 5, 1]));
    // The same of each allocation.
    assert_eq!(column(&section, "allocations", "place")[0], Value::from("src/model.py:14 forward"));
}
