//! The section on traces made by hand.

use eaves_model::SliceKind::Kernel;
use proptest::prelude::*;

use super::gaps::tests::twin;
use super::*;
use crate::test_trace::{
    TestTrace, analyse, column, column_ids, integers, number, run_of, section_of, texts,
};
use crate::{Options, Selection};

/// Stream 7 and 9 of device 0. The whole GPU is idle 20000..40000, which waits for the host, 60000..61000, which
/// waits for the device, and 70000..170000, where the next was launched long before.
fn trace() -> TestTrace {
    let mut test = TestTrace::default();
    test.launch(1, 0, 100)
        .launch(2, 30_000, 31_000)
        .launch(3, 31_000, 32_000)
        .launch(4, 32_000, 33_000)
        .kernel("a", 1, 10_000, 20_000)
        .kernel("b", 2, 40_000, 60_000)
        .kernel("c", 3, 61_000, 70_000)
        .kernel("late", 4, 170_000, 180_000)
        .gpu(Kernel, "beside", 45_000, 50_000)
        .on_stream(9)
        .gpu(Kernel, "unlinked", 62_000, 63_000)
        .on_stream(9);
    test
}

#[test]
fn values_by_hand() {
    let section = section_of(&run_of(vec![trace()]), "idle-time");
    let rank = |id| column(&section, "by_rank", id);
    assert_eq!(rank("idle_ns"), integers([121_000]));
    assert_eq!(rank("host_wait_ns"), integers([20_000]));
    assert_eq!(rank("kernel_wait_ns"), integers([1_000]));
    assert_eq!(rank("other_ns"), integers([100_000]));
    assert_eq!(rank("gaps"), integers([3]));
    assert_eq!(rank("span_ns"), integers([170_000]));
    assert_eq!(rank("host_wait_pct"), [Value::Float(100.0 * 20.0 / 121.0)]);
    assert_eq!(number(&section, "host_wait_pct", Some(0)), Value::Float(100.0 * 20.0 / 121.0));
    let stream = |id| column(&section, "by_stream", id);
    assert_eq!(stream("stream"), integers([7, 9]));
    assert_eq!(stream("idle_ns"), integers([121_000, 12_000]));
    assert_eq!(stream("other_ns"), integers([100_000, 12_000]));
    assert_eq!(section.tables.len(), 2);
    assert!(section.findings.is_empty());
}

#[test]
fn columns_are_those_of_the_contract() {
    let section = section_of(&run_of(vec![trace()]), "idle-time");
    let expected = [
        "rank",
        "device",
        "stream",
        "idle_ns",
        "host_wait_ns",
        "kernel_wait_ns",
        "other_ns",
        "host_wait_pct",
        "kernel_wait_pct",
        "other_pct",
        "gaps",
        "span_ns",
    ];
    assert_eq!(column_ids(&section, "by_stream"), expected);
}

#[test]
fn details_describe_the_gaps() {
    let run = run_of(vec![trace()]);
    let outcomes = crate::report(&run, &Options::default().with_details(true)).unwrap();
    let outcome = outcomes.iter().find(|outcome| outcome.id() == "idle-time").unwrap();
    let section = outcome.section().unwrap();
    let of = |id| column(section, "gap_lengths", id);
    assert_eq!(of("cause")[..3], texts(["host_wait", "kernel_wait", "other"]));
    assert_eq!(of("gaps"), integers([1, 1, 1, 0, 0, 1]));
    assert_eq!(of("median_ns")[..2], [20_000.0, 1_000.0].map(Value::Float));
    assert_eq!(of("median_ns")[3], Value::Missing("no gaps"));
}

#[test]
fn devices_are_told_apart() {
    let mut test = trace();
    test.gpu_on(1, None, Kernel, "gemm", 0, 10_000).gpu_on(1, None, Kernel, "gemm", 15_000, 20_000);
    let section = section_of(&run_of(vec![test]), "idle-time");
    assert_eq!(column(&section, "by_device", "device"), integers([0, 1]));
    assert_eq!(column(&section, "by_device", "idle_ns"), integers([121_000, 5_000]));
    // On both together nothing is new: device 0 is busy 10000..20000.
    assert_eq!(column(&section, "by_rank", "idle_ns"), integers([121_000]));
    assert_eq!(column(&section, "by_stream", "device"), integers([0, 0, 1]));
}

#[test]
fn without_gpu_activity_there_is_no_idle_time() {
    let outcome = analyse(&run_of(vec![TestTrace::default()]), "idle-time", Selection::default());
    assert!(matches!(outcome, Outcome::Skipped(_)));
}

#[test]
fn a_busy_gpu_has_no_shares_of_idle_time() {
    let mut test = TestTrace::default();
    test.gpu(Kernel, "a", 0, 10).gpu(Kernel, "b", 10, 20);
    let section = section_of(&run_of(vec![test]), "idle-time");
    assert_eq!(column(&section, "by_rank", "gaps"), integers([0]));
    assert_eq!(column(&section, "by_rank", "other_pct"), [Value::Missing("the total is 0")]);
}

proptest! {
    /// Activities in any order, on several streams of two devices.
    #[test]
    fn the_whole_the_devices_and_the_streams_agree_with_the_twin(
        activities in prop::collection::vec(
            (0u32..2, 0i64..3, 0i64..150, 0i64..20, prop::option::of(0i64..150)),
            1..25,
        )
    ) {
        let mut test = TestTrace::default();
        for (index, &(device, stream, start, length, launch)) in activities.iter().enumerate() {
            let correlation = launch.map(|launch| {
                test.launch(index as i64, launch, launch + 1);
                index as i64
            });
            test.gpu_on(device, correlation, Kernel, "k", start, start + length).on_stream(stream);
        }
        let options = Options::default().with_kernel_wait(Ns(10));
        let part = measured(&RankView::new(&test.trace, &options));
        let expected = |keep: &dyn Fn(u32, i64) -> bool| {
            let kept = activities.iter().filter(|a| keep(a.0, a.1)).map(|a| (a.2, a.3, a.4));
            twin(&kept.collect::<Vec<_>>(), 10)
        };
        let found = |split: &Split| (split.span.0, Cause::ALL.map(|cause| split.time(cause).0));
        prop_assert_eq!(found(&part.whole), expected(&|_, _| true));
        for (device, split) in &part.devices {
            prop_assert_eq!(found(split), expected(&|of, _| device.get() == Some(of)));
        }
        for OfStream { stream, split, .. } in &part.streams {
            let keep = |device, number| {
                stream.device.get() == Some(device) && stream.number.get() == Some(number)
            };
            prop_assert_eq!(found(split), expected(&keep));
        }
    }
}
