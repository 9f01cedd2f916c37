//! Profiler steps.

use eaves_analyze::StepIndex;

use super::column::{Column, count, int, ns};
use super::{Table, View};

pub(super) struct Steps;

impl Table for Steps {
    const NAME: &'static str = "steps";
    const ABOUT: &'static str = "Profiler steps on the host";
    type Rows<'a> = &'a StepIndex;

    fn rows<'a>(view: &View<'a>) -> &'a StepIndex {
        &view.rank.steps
    }

    fn count(steps: &&StepIndex) -> usize {
        steps.len()
    }

    fn columns<'a>() -> Vec<Column<&'a StepIndex>> {
        vec![
            int("step", "Number of the step", |steps, row| count(steps.number(row))),
            int("start_ns", "Start, relative to the recording's time base", |steps, row| {
                ns(steps.iter().nth(row)?.1.start)
            }),
            int("end_ns", "End", |steps, row| ns(steps.iter().nth(row)?.1.end)),
            int("duration_ns", "Length", |steps, row| ns(steps.iter().nth(row)?.1.length())),
        ]
    }
}
