//! Values by hand, and what holds for any launches.

use eaves_model::SliceKind::{Kernel, Memcpy};
use eaves_model::{Interval, Ns};
use proptest::prelude::*;

use super::{Change, Replay};
use crate::test_trace::TestTrace;
use crate::{Options, RankView};

fn removed(intervals: &[(i64, i64)]) -> Change {
    Change::without(intervals.iter().map(|&(start, end)| Interval::new(Ns(start), Ns(end))).collect())
}

fn gain(test: &TestTrace, change: &Change) -> i64 {
    let options = Options::default();
    Replay::of(&RankView::new(&test.trace, &options)).unwrap().gain(change).0
}

/// Kernels of 100, launched 10 before the last one ends but for a stall of 300 before the third.
fn stalled() -> TestTrace {
    let mut test = TestTrace::default();
    for (number, start) in [100, 200, 600, 700, 800].into_iter().enumerate() {
        test.launch(number as i64, start - 10, start - 5).kernel("gemm", number as i64, start, start + 100);
    }
    test
}

#[test]
fn a_stall_costs_what_comes_later_for_it() {
    let test = stalled();
    assert_eq!(gain(&test, &Change::default()), 0);
    // From the second launch to the third the host does something else.
    assert_eq!(gain(&test, &removed(&[(200, 500)])), 300);
    // Longer than the GPU was idle: the rest is hidden behind kernels.
    assert_eq!(gain(&test, &removed(&[(195, 590)])), 300);
    assert_eq!(gain(&test, &removed(&[(200, 300)])), 100);
}

#[test]
fn a_lead_is_lost_at_a_stall_and_built_up_again() {
    // The host launches in 10 what takes 50. A stall of 200 uses up its lead of 160 and costs 40.
    let mut test = TestTrace::default();
    let mut free = 0;
    for number in 0..10 {
        let launched = 10 * number + if number >= 4 { 200 } else { 0 };
        free = free.max(launched + 5);
        test.launch(number, launched, launched + 5).kernel("gemm", number, free, free + 50);
        free += 50;
    }
    assert_eq!(gain(&test, &removed(&[(35, 235)])), 40);
    assert_eq!(gain(&test, &removed(&[(35, 75)])), 40);
    assert_eq!(gain(&test, &removed(&[(35, 55)])), 20);
}

#[test]
fn a_call_that_waits_gives_back_what_was_gained() {
    // A stall before a wait: the kernel that is waited for ends no earlier, so nothing is gained behind it.
    let mut test = TestTrace::default();
    test.launch(1, 0, 5).kernel("gemm", 1, 5, 500).runtime_call("cudaStreamSynchronize", 9, 300, 510);
    test.launch(2, 520, 525).kernel("gemm", 2, 525, 600);
    assert_eq!(gain(&test, &removed(&[(100, 290)])), 0);
    // Without the wait the second kernel follows the first.
    assert_eq!(gain(&test, &removed(&[(300, 510)])), 25);
}

#[test]
fn another_stream_is_waited_for() {
    // A copy that a kernel waits for; the stall was before the launch of the copy.
    let mut test = TestTrace::default();
    test.launch(1, 0, 5).kernel("gemm", 1, 5, 100);
    test.runtime_call("cudaMemcpyAsync", 2, 200, 205);
    test.gpu_on(0, Some(2), Memcpy, "Memcpy HtoD (Pinned -> Device)", 210, 300).on_stream(9);
    test.launch(3, 210, 215).gpu_on(0, Some(3), Kernel, "gemm", 301, 400);
    assert_eq!(gain(&test, &removed(&[(50, 150)])), 100);
    // Shorter by itself.
    let shorter = Change { lengths: [(1, Ns(40))].into(), ..Change::default() };
    assert_eq!(gain(&test, &shorter), 50);
}

proptest! {
    /// Nothing is gained by nothing, no more than what goes away, and no less by more.
    #[test]
    fn a_gain_is_no_more_than_what_goes_away(
        kernels in prop::collection::vec((0i64..40, 1i64..30, 0i64..60, 0i64..3), 1..20),
        from in 0i64..600,
        lengths in (0i64..200, 0i64..200),
    ) {
        let mut test = TestTrace::default();
        let (mut host, mut free) = (0, [0i64; 3]);
        for (number, &(pause, length, work, stream)) in kernels.iter().enumerate() {
            host += pause;
            let start = (host + 2).max(free[stream as usize]);
            free[stream as usize] = start + work;
            test.launch(number as i64, host, host + length.min(2));
            test.gpu_on(0, Some(number as i64), Kernel, "gemm", start, start + work).on_stream(stream);
            host += length;
        }
        let (some, more) = (lengths.0.min(lengths.1), lengths.0.max(lengths.1));
        let found = |length: i64| gain(&test, &removed(&[(from, from + length)]));
        prop_assert_eq!(gain(&test, &Change::default()), 0);
        prop_assert!(found(some) <= some, "{} of {}", found(some), some);
        prop_assert!(found(some) <= found(more), "{} and {}", found(some), found(more));
    }
}
