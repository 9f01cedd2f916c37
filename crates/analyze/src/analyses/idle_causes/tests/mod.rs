//! Values by hand, findings, and a twin that looks at every nanosecond.

mod rules;
mod start_up;
mod twin;
mod values;

use super::cause::Cause;
use super::part::Part;
use crate::test_trace::TestTrace;
use crate::{Options, RankView};

fn part(test: &TestTrace, options: &Options) -> Part {
    super::measure::measure(&RankView::new(&test.trace, options))
}

/// The causes that took time inside the span.
fn times(part: &Part) -> Vec<(Cause, i64)> {
    let all = Cause::ALL.into_iter().zip(part.totals.iter().map(|total| total.time.0));
    all.filter(|&(_, time)| time > 0).collect()
}

/// The causes that took time before the first activity.
fn lead_in(part: &Part) -> Vec<(Cause, i64)> {
    let all = Cause::ALL.into_iter().zip(part.totals.iter().map(|total| total.lead_in.0));
    all.filter(|&(_, time)| time > 0).collect()
}
