//! The section on traces made by hand, and its times against a twin.

use eaves_model::Interval;
use proptest::prelude::*;

use super::queue::tests::queue;
use super::*;
use crate::test_trace::{TestTrace, analyse, column, column_ids, integers, number, run_of};
use crate::{Options, Selection};

/// One on the queue 0..100, two 100..300, one 300..400, none 400..500, one 500..600.
fn trace() -> TestTrace {
    let mut test = TestTrace::default();
    test.launch(1, 0, 10)
        .launch(2, 100, 110)
        .launch(3, 500, 510)
        .kernel("a", 1, 300, 310)
        .kernel("b", 2, 400, 410)
        .kernel("c", 3, 600, 700)
        .kernel("unlinked", 9, 20, 30);
    test
}

fn section(options: &Options) -> Section {
    let outcomes = crate::report(&run_of(vec![trace()]), options).unwrap();
    outcomes.iter().find(|outcome| outcome.id() == "queue-length").unwrap().section().unwrap().clone()
}

#[test]
fn values_by_hand() {
    let section = section(&Options::default().with_queue_limit(2));
    let of = |id| column(&section, "by_stream", id);
    assert_eq!(of("stream"), integers([7]));
    assert_eq!(of("changes"), integers([6]));
    // 1, 2, 1, 0, 1, 0.
    assert_eq!(of("mean"), [Value::Float(5.0 / 6.0)]);
    assert_eq!([of("min"), of("max")].concat(), integers([0, 2]));
    assert_eq!(of("median"), [Value::Float(1.0)]);
    // 100 + 400 + 100 + 0 + 100 over 600.
    assert_eq!(of("time_mean"), [Value::Float(700.0 / 600.0)]);
    assert_eq!(of("observed_ns"), integers([600]));
    assert_eq!(of("blocked_ns"), integers([200]));
    assert_eq!(of("blocked_pct"), [Value::Float(100.0 * 200.0 / 600.0)]);
    assert_eq!(number(&section, "queue_max", Some(0)), Value::Integer(2));
    assert_eq!(column_ids(&section, "by_stream").len(), 15);
    assert_eq!(section.tables.len(), 1);
}

#[test]
fn details_have_a_row_for_every_change() {
    let section = section(&Options::default().with_details(true));
    assert_eq!(column(&section, "series", "time_ns"), integers([0, 100, 300, 400, 500, 600]));
    assert_eq!(column(&section, "series", "length"), integers([1, 2, 1, 0, 1, 0]));
}

#[test]
fn a_window_of_time_cuts_the_queue() {
    let window = Interval::new(Ns(200), Ns(550));
    let selection = Selection::default().with_time(window);
    let section = section(&Options::default().with_selection(selection).with_details(true));
    // The third is launched in the window and starts behind it.
    assert_eq!(column(&section, "series", "time_ns"), integers([200, 200, 300, 400, 500, 550]));
    assert_eq!(column(&section, "series", "length"), integers([1, 2, 1, 0, 1, 0]));
    assert_eq!(column(&section, "by_stream", "time_mean"), [Value::Float((200.0 + 100.0 + 50.0) / 350.0)]);
}

#[test]
fn without_launches_it_says_so() {
    let mut test = TestTrace::default();
    test.kernel("alone", 1, 0, 10);
    let outcome = analyse(&run_of(vec![test]), "queue-length", Selection::default());
    assert!(matches!(outcome, Outcome::Skipped(skipped) if skipped.missing.starts_with("launches")));
}

proptest! {
    /// Twin: one nanosecond after the other.
    #[test]
    fn times_agree_with_counting_at_every_instant(
        activities in prop::collection::vec((0i64..40, 0i64..40, 0u32..40), 1..30),
        limit in 1i64..6,
    ) {
        // Activities of one call are launched together.
        let activities: Vec<_> = activities.iter().map(|&(_, start, call)| (i64::from(call) / 2, start, call)).collect();
        let measured = OfStream::of(&queue(&activities), limit, Ns::ZERO, false).unwrap();
        let waits = |a: &(i64, i64, u32), t: i64| a.0 <= t && t < a.1.max(a.0);
        let first = activities.iter().map(|a| a.0).min().unwrap();
        let last = activities.iter().map(|a| a.1.max(a.0)).max().unwrap();
        let (mut area, mut full) = (0, 0);
        for t in first..last {
            area += activities.iter().filter(|a| waits(a, t)).count() as i128;
            // A call waits until the first of its activities starts.
            let launches = (0..40u32).filter(|&call| {
                let mut of = activities.iter().filter(|a| a.2 == call).peekable();
                of.peek().is_some() && of.all(|a| waits(a, t))
            });
            full += i64::from(launches.count() as i64 >= limit);
        }
        prop_assert_eq!(measured.observed, Ns(last - first));
        prop_assert_eq!(measured.area, area);
        prop_assert_eq!(measured.full, Ns(full));
    }
}
