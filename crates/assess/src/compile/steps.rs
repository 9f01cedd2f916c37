//! The steps that PyTorch times by itself, by name.

use std::collections::HashMap;

use eaves_model::compile::{CompileLog, CompilePhase};
use eaves_model::{Interval, IntervalSet, Ns, StringId};
use eaves_section::{Column, Table, Unit};

struct Step<'a> {
    name: &'a str,
    count: u64,
    total: Ns,
    own: Ns,
    beside: bool,
}

/// Time by step; nothing if there are none.
pub(super) fn table(logs: &[CompileLog]) -> Option<Table> {
    let mut steps: HashMap<(&str, bool), Step<'_>> = HashMap::new();
    for log in logs {
        for step in of_log(log) {
            let entry = steps.entry((step.name, step.beside)).or_insert(Step {
                count: 0,
                total: Ns::ZERO,
                own: Ns::ZERO,
                ..step
            });
            entry.count += step.count;
            entry.total += step.total;
            entry.own += step.own;
        }
    }
    let mut steps: Vec<Step<'_>> = steps.into_values().collect();
    if steps.is_empty() {
        return None;
    }
    steps.sort_by(|a, b| b.own.cmp(&a.own).then_with(|| a.name.cmp(b.name)).then(a.beside.cmp(&b.beside)));
    let columns = vec![
        Column::new("step", "step", Unit::None),
        Column::new("count", "times", Unit::Count),
        Column::new("own_ns", "own time", Unit::Nanoseconds),
        Column::new("total_ns", "inclusive", Unit::Nanoseconds),
        Column::new("where", "where", Unit::None),
    ];
    let rows = steps.iter().map(|step| {
        let place = if step.beside { "in workers" } else { "in the program" };
        vec![step.name.into(), step.count.into(), step.own.into(), step.total.into(), place.into()]
    });
    Some(Table { id: "steps", title: "Compilation phases", columns, rows: rows.collect() })
}

fn of_log(log: &CompileLog) -> Vec<Step<'_>> {
    let mut by_name: HashMap<(StringId, bool), (u64, Ns, Vec<Interval>)> = HashMap::new();
    let own = own_times(&log.phases);
    for (phase, own) in log.phases.iter().zip(own) {
        let entry = by_name.entry((phase.name, phase.beside)).or_default();
        entry.0 += 1;
        entry.1 += own;
        entry.2.push(Interval::new(phase.start, phase.start + phase.duration));
    }
    let steps = by_name.into_iter().map(|((name, beside), (count, own, intervals))| {
        let total = IntervalSet::union_of(intervals).measure();
        // Of workers it is not known what is inside of what; those at work together count once.
        let own = if beside { total } else { own };
        Step { name: log.strings.get(name), count, total, own, beside }
    });
    steps.collect()
}

/// Durations without those of the steps directly inside. What workers do is inside of nothing.
fn own_times(phases: &[CompilePhase]) -> Vec<Ns> {
    let mut own: Vec<Ns> = phases.iter().map(|phase| phase.duration).collect();
    let mut order: Vec<usize> = (0..phases.len()).filter(|at| !phases[*at].beside).collect();
    // Of two that begin together the one that ended later is the outer one.
    order.sort_by_key(|at| (phases[*at].start, std::cmp::Reverse((phases[*at].duration, *at))));
    let end = |at: usize| phases[at].start + phases[at].duration;
    let mut stack: Vec<usize> = Vec::new();
    for at in order {
        while stack.last().is_some_and(|outer| end(*outer) <= phases[at].start && end(*outer) < end(at)) {
            stack.pop();
        }
        if let Some(outer) = stack.last() {
            own[*outer] = (own[*outer] - phases[at].duration).max(Ns::ZERO);
        }
        stack.push(at);
    }
    own
}
