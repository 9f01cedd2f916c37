//! Python code outside operators, of a program without a GPU.

use eaves_model::Ns;

use super::host_time::{HostRank, HostTime, OfHost, largest, worst};
use super::idle_causes::cause::Cause;
use crate::section::{Budget, Column, Finding, Gain, Section, Severity, Skipped, Table, Unit, Value};
use crate::text::{duration, percent, percentage, shortened};
use crate::{Job, Outcome};

pub(super) struct PythonTime;

impl OfHost for PythonTime {
    const ID: &'static str = "python-time";
    const WITH_GPU: &'static str = "`idle-causes`";

    fn is_about(host: &HostTime) -> bool {
        host.has_frames
    }

    fn section(job: &Job, ranks: &[HostRank<'_, '_>]) -> Outcome {
        if ranks.is_empty() {
            return Outcome::Skipped(Skipped {
                id: Self::ID,
                missing: "Python frames: code between operators not recorded".to_owned(),
                how_to_record: job
                    .recorder
                    .advice("Python stacks", "`torch.profiler.profile(with_stack=True, ...)`"),
            });
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "Python time",
            numbers: Vec::new(),
            tables: vec![by_function(job, ranks)],
            charts: Vec::new(),
            findings: finding(ranks).into_iter().collect(),
        })
    }
}

fn by_function(job: &Job, ranks: &[HostRank<'_, '_>]) -> Table {
    let own = [
        Column::new("name", "Function", Unit::None),
        Column::new("time_ns", "Time", Unit::Nanoseconds),
        Column::new("share_pct", "Of the window", Unit::Percent),
        Column::new("called_from", "Called from", Unit::None),
    ];
    let mut rows = Vec::new();
    for (rank, host) in ranks {
        for name in host.names.iter().filter(|name| name.cause == Cause::Python) {
            let own = [
                name.name.as_str().into(),
                name.time.into(),
                Value::percent(name.time.0, host.window.0),
                match name.line.as_str() {
                    "" => Value::Missing("the function has its own row"),
                    line => line.into(),
                },
            ];
            rows.push(job.rank_cells(rank).into_iter().chain(own).collect());
        }
    }
    Table {
        id: "by_function",
        title: "Python functions on the main thread, by time outside operators, data loading and collectives",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

/// Share of the window below which Python between operators is ordinary: recording frames makes it slower, too.
const NOTABLE_PCT: f64 = 20.0;
const CRITICAL_PCT: f64 = 50.0;

/// Functions that do nothing but wait.
const SLEEPS: [&str; 2] = ["<built-in function sleep>", "<built-in function select>"];

/// The rank that is in Python longest.
fn finding(ranks: &[HostRank<'_, '_>]) -> Option<Finding> {
    let time = |host: &HostTime| host.time(Cause::Python);
    let share = |host: &HostTime| percentage(time(host), host.window);
    let (rank, host) = largest(ranks, share)?;
    if share(host) < NOTABLE_PCT {
        return None;
    }
    let worst = worst(ranks, rank.rank);
    let longest = host.names.iter().find(|name| name.cause == Cause::Python)?;
    let sleeps = SLEEPS.iter().any(|sleep| longest.name.contains(sleep)) && 2 * longest.time.0 > time(host).0;
    Some(Finding {
        id: "python_overhead",
        severity: if share(host) < CRITICAL_PCT { Severity::Warning } else { Severity::Critical },
        claim: format!(
            "{worst}Python outside operators takes {} ({}) of the main thread's time, mainly `{}` ({})",
            percent(time(host), host.window),
            duration(time(host)),
            shortened(&longest.name),
            percent(longest.time, host.window)
        ),
        gain: Some(
            Gain::new(
                Ns::ZERO,
                time(host),
                rank.steps,
                if sleeps {
                    "at most all of it"
                } else {
                    "at most all of it; recording stacks slows Python down"
                },
            )
            .out_of(rank.rank, Budget::Idle),
        ),
        evidence: format!("table by_function, rank {}", rank.rank),
        next: if sleeps {
            let line = match longest.line.as_str() {
                "" => String::new(),
                line => format!(", called from `{line}`"),
            };
            format!("the program sleeps there{line}: remove the sleep, or wait for an event")
        } else {
            "move element loops into tensor operators, move logging and checks out of the step, and use \
            `torch.compile`; larger batches reduce the share"
                .to_owned()
        },
    })
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind;

    use super::*;
    use crate::test_threads::ThreadTrace;
    use crate::test_trace::{analyse, column, integers, run_of, section_of, texts};
    use crate::{Outcome, Selection};

    fn trace(python: i64) -> ThreadTrace {
        let mut test = ThreadTrace::default();
        test.annotation(1, "ProfilerStep#1", (0, 100))
            .host(1, SliceKind::Python, "train.py(3): main", (0, 100))
            .host(1, SliceKind::Python, "<built-in function sleep>", (0, python))
            .op(1, "aten::mm", (python, 99));
        test
    }

    #[test]
    fn functions_are_told_by_what_they_take_themselves() {
        let section = section_of(&run_of(vec![trace(30).into()]), "python-time");
        let names = ["<built-in function sleep>", "train.py(3): main"];
        assert_eq!(column(&section, "by_function", "name"), texts(names));
        assert_eq!(column(&section, "by_function", "time_ns"), integers([30, 1]));
        assert_eq!(column(&section, "by_function", "called_from")[0], Value::from("train.py(3): main"));
        let [finding] = section.findings.as_slice() else { panic!("{:?}", section.findings) };
        assert!(finding.claim.contains("31.0% (31 ns)"), "{}", finding.claim);
        assert_eq!(finding.gain.as_ref().unwrap().high, Ns(31));
        assert!(section_of(&run_of(vec![trace(15).into()]), "python-time").findings.is_empty());
    }

    #[test]
    fn without_frames_it_says_how_to_record_them() {
        let mut test = ThreadTrace::default();
        test.op(1, "aten::mm", (0, 10));
        let outcome = analyse(&run_of(vec![test.into()]), "python-time", Selection::default());
        assert!(matches!(outcome, Outcome::Skipped(skipped) if skipped.how_to_record.contains("with_stack")));
    }
}
