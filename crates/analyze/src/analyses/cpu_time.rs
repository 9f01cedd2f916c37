//! The CPU time of a program without a GPU: what its main thread did.

use eaves_model::Ns;
use std::cmp::Reverse;

use super::host_time::{HostRank, HostTime, OfHost, largest, worst};
use super::idle_causes::cause::Cause;
use super::missing;
use crate::section::{Budget, Column, Finding, Gain, Number, Section, Severity, Table, Unit, Value};
use crate::text::{duration, percent, percentage};
use crate::{Job, Outcome};

pub(super) struct CpuTime;

impl OfHost for CpuTime {
    const ID: &'static str = "cpu-time";
    const WITH_GPU: &'static str = "`temporal-breakdown` and `idle-causes`";

    fn section(job: &Job, ranks: &[HostRank<'_, '_>]) -> Outcome {
        if ranks.is_empty() {
            return missing::operators(job, Self::ID);
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "CPU time breakdown",
            numbers: ranks.iter().map(|(rank, host)| window(rank.rank, host)).collect(),
            tables: vec![by_cause(job, ranks), by_name(job, ranks)],
            charts: Vec::new(),
            findings: communicating(ranks).into_iter().chain(unexplained(ranks)).collect(),
        })
    }
}

/// What waiting for other processes is called next to the causes.
const COMMUNICATION: &str = "communication";

/// Causes with their times, longest first.
fn causes(host: &HostTime) -> Vec<(&'static str, Ns)> {
    let times = Cause::ALL.iter().map(|&cause| (cause.id(), host.time(cause)));
    let mut causes: Vec<(&str, Ns)> = times.chain([(COMMUNICATION, host.communication)]).collect();
    causes.retain(|&(_, time)| time > Ns::ZERO);
    causes.sort_by_key(|&(_, time)| Reverse(time));
    causes
}

fn by_cause(job: &Job, ranks: &[HostRank<'_, '_>]) -> Table {
    let own = [
        Column::new("cause", "Spent on", Unit::None),
        Column::new("time_ns", "Time", Unit::Nanoseconds),
        Column::new("share_pct", "Of the window", Unit::Percent),
    ];
    let mut rows = Vec::new();
    for (rank, host) in ranks {
        for (cause, time) in causes(host) {
            let own = [cause.into(), time.into(), Value::percent(time.0, host.window.0)];
            rows.push(job.rank_cells(rank).into_iter().chain(own).collect());
        }
    }
    Table {
        id: "by_cause",
        title: "Main thread time breakdown; rows of a rank add up to its window",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

fn by_name(job: &Job, ranks: &[HostRank<'_, '_>]) -> Table {
    let own = [
        Column::new("name", "Name", Unit::None),
        Column::new("cause", "Spent on", Unit::None),
        Column::new("time_ns", "Time", Unit::Nanoseconds),
        Column::new("share_pct", "Of the window", Unit::Percent),
    ];
    let mut rows = Vec::new();
    for (rank, host) in ranks {
        for name in &host.names {
            let own = [
                name.name.as_str().into(),
                name.cause.id().into(),
                name.time.into(),
                Value::percent(name.time.0, host.window.0),
            ];
            rows.push(job.rank_cells(rank).into_iter().chain(own).collect());
        }
    }
    Table {
        id: "by_name",
        title: "Innermost call of each cause, longest first",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

/// Share of the window above which it is worth a sentence that nothing is known of the main thread.
const NOTABLE_PCT: f64 = 20.0;

/// The only rank recorded, if it spends its time with others: who is late, stragglers say where all were recorded.
fn communicating(ranks: &[HostRank<'_, '_>]) -> Option<Finding> {
    let [(rank, host)] = ranks else { return None };
    let time = host.communication;
    if percentage(time, host.window) < NOTABLE_PCT {
        return None;
    }
    let basis =
        "all of it if it can overlap with computation or is waiting for a late rank; transfer is never free";
    Some(Finding {
        id: "cpu_communication",
        severity: Severity::Warning,
        claim: format!(
            "the main thread spends {} ({}) of its time in communication, and only one rank was recorded",
            percent(time, host.window),
            duration(time)
        ),
        gain: Some(
            Gain::new(Ns::ZERO, time, rank.steps, basis).out_of(rank.rank, Budget::ExposedCommunication),
        ),
        evidence: format!("table by_cause, rank {}", rank.rank),
        next: "record every rank: on a single one, waiting for a late rank and transfer look alike"
            .to_owned(),
    })
}

/// The rank of which least is known: what it does is neither an operator nor anything else that was recorded.
fn unexplained(ranks: &[HostRank<'_, '_>]) -> Option<Finding> {
    let time = |host: &HostTime| host.time(Cause::Nothing) + host.time(Cause::Ranges);
    let share = |host: &HostTime| percentage(time(host), host.window);
    let (rank, host) = largest(ranks, share)?;
    if share(host) < NOTABLE_PCT {
        return None;
    }
    let worst = worst(ranks, rank.rank);
    Some(Finding {
        id: "unexplained_cpu_time",
        severity: Severity::Warning,
        claim: format!(
            "{worst}the main thread is outside operators for {} ({}) of its time, and the recording does not say why",
            percent(time(host), host.window),
            duration(time(host))
        ),
        // Nobody knows what it is, so nobody can promise anything.
        gain: None,
        evidence: format!("table by_cause, rank {}", rank.rank),
        next: if host.has_frames {
            "mark this part of the program with `torch.profiler.record_function`, or sample the process with a \
            system profiler"
        } else {
            "record Python frames: `with_stack=True`, or `eaves profile --stacks`"
        }
        .to_owned(),
    })
}

fn window(rank: i64, host: &HostTime) -> Number {
    Number::formula(
        "window_ns",
        host.window.into(),
        Unit::Nanoseconds,
        "from the first profiler step to the last, or from the first operator to the last",
    )
    .of_rank(rank)
}

#[cfg(test)]
mod tests {
    use eaves_model::Ns;

    use crate::section::Value;
    use crate::test_threads::ThreadTrace;
    use crate::test_trace::{TestTrace, analyse, column, integers, number, run_of, section_of, texts};
    use crate::{Outcome, Selection};

    #[test]
    fn rows_add_up_to_the_window() {
        let mut test = ThreadTrace::default();
        test.annotation(1, "ProfilerStep#1", (0, 100)).op(1, "aten::mm", (10, 70)).annotation(
            2,
            "gloo:all_reduce",
            (75, 95),
        );
        let section = section_of(&run_of(vec![test.into()]), "cpu-time");
        let causes = ["operators", "nothing recorded", "communication"];
        assert_eq!(column(&section, "by_cause", "cause"), texts(causes));
        assert_eq!(column(&section, "by_cause", "time_ns"), integers([60, 20, 20]));
        assert_eq!(number(&section, "window_ns", Some(0)), Value::Integer(100));
        assert_eq!(column(&section, "by_name", "name"), texts(["aten::mm"]));
        let [waiting, finding] = section.findings.as_slice() else { panic!("{:?}", section.findings) };
        assert!(
            waiting.claim.contains("spends 20.0% (20 ns) of its time in communication"),
            "{}",
            waiting.claim
        );
        assert_eq!(waiting.gain.as_ref().unwrap().high, Ns(20));
        assert!(finding.claim.contains("20.0% (20 ns)"), "{}", finding.claim);
        assert!(finding.next.contains("with_stack"));
    }

    #[test]
    fn of_several_ranks_stragglers_say_who_waits() {
        let rank = |_| {
            let mut test = ThreadTrace::default();
            test.annotation(1, "ProfilerStep#1", (0, 100)).op(1, "aten::mm", (10, 40)).annotation(
                2,
                "gloo:all_reduce",
                (40, 95),
            );
            test.into()
        };
        let section = section_of(&run_of((0..2).map(rank).collect()), "cpu-time");
        assert!(section.findings.iter().all(|finding| finding.id != "cpu_communication"));
    }

    #[test]
    fn a_recording_of_a_gpu_is_looked_at_from_there() {
        let mut test = TestTrace::default();
        test.op("aten::mm", 0, 10).gpu(eaves_model::SliceKind::Kernel, "gemm", 0, 10);
        let outcome = analyse(&run_of(vec![test]), "cpu-time", Selection::default());
        assert!(
            matches!(outcome, Outcome::Skipped(skipped) if skipped.how_to_record.contains("idle-causes"))
        );
    }
}
