//! How long a program without a GPU waits for its batches.

use eaves_model::Ns;

use super::host_time::{HostRank, HostTime, Loader, OfHost, largest, worst};
use super::idle_causes::cause::Cause;
use crate::section::{Budget, Column, Finding, Gain, Section, Severity, Skipped, Table, Unit, Value};
use crate::text::{duration, percent, percentage};
use crate::{Job, Outcome};

pub(super) struct DataLoading;

impl OfHost for DataLoading {
    const ID: &'static str = "data-loading";
    const WITH_GPU: &'static str = "`idle-causes`";

    fn is_about(host: &HostTime) -> bool {
        !host.loaders.is_empty()
    }

    fn section(job: &Job, ranks: &[HostRank<'_, '_>]) -> Outcome {
        if ranks.is_empty() {
            return Outcome::Skipped(Skipped {
                id: Self::ID,
                missing:
                    "data loading: the main thread entered neither a `DataLoader` nor a range named like one"
                        .to_owned(),
                how_to_record: "iterate over a `torch.utils.data.DataLoader`, or mark your own loader with \
                                `torch.profiler.record_function(\"data_load\")`"
                    .to_owned(),
            });
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "Data loading",
            numbers: Vec::new(),
            tables: vec![by_loader(job, ranks), by_name(job, ranks)],
            charts: Vec::new(),
            findings: finding(ranks).into_iter().collect(),
        })
    }
}

fn by_loader(job: &Job, ranks: &[HostRank<'_, '_>]) -> Table {
    let own = [
        Column::new("loader", "Loader", Unit::None),
        Column::new("batches", "Batches", Unit::Count),
        Column::new("time_ns", "Total", Unit::Nanoseconds),
        Column::new("share_pct", "Of the window", Unit::Percent),
        Column::new("median_ns", "Median", Unit::Nanoseconds),
        Column::new("first_ns", "First", Unit::Nanoseconds),
        Column::new("max_ns", "Max", Unit::Nanoseconds),
    ];
    let mut rows = Vec::new();
    for (rank, host) in ranks {
        for loader in &host.loaders {
            let time = |time: Option<Ns>| time.map_or(Value::Missing("no batches"), Value::from);
            let own = [
                loader.name.as_str().into(),
                loader.batches.len().into(),
                loader.total().into(),
                Value::percent(loader.total().0, host.window.0),
                time(median(&loader.batches)),
                time(loader.batches.first().copied()),
                time(loader.batches.iter().copied().max()),
            ];
            rows.push(job.rank_cells(rank).into_iter().chain(own).collect());
        }
    }
    Table {
        id: "by_loader",
        title: "Time the main thread waited for batches",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

fn by_name(job: &Job, ranks: &[HostRank<'_, '_>]) -> Table {
    let own = [
        Column::new("name", "Name", Unit::None),
        Column::new("time_ns", "Time", Unit::Nanoseconds),
        Column::new("share_pct", "Of the window", Unit::Percent),
    ];
    let mut rows = Vec::new();
    for (rank, host) in ranks {
        for name in host.names.iter().filter(|name| name.cause == Cause::DataLoading) {
            let own =
                [name.name.as_str().into(), name.time.into(), Value::percent(name.time.0, host.window.0)];
            rows.push(job.rank_cells(rank).into_iter().chain(own).collect());
        }
    }
    Table {
        id: "by_name",
        title: "Loader time by innermost Python line, where stacks were recorded",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

fn median(times: &[Ns]) -> Option<Ns> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

/// A first batch that takes this many times the median of the others is starting up: workers start, files are opened.
const START_UP: i64 = 3;

/// The time of the batches, without a first one that was starting up.
fn steady(loader: &Loader) -> Ns {
    let start_up = match loader.batches.split_first() {
        Some((&first, rest)) if rest.len() > 1 => {
            median(rest).filter(|median| first.0 > START_UP.saturating_mul(median.0)).map(|_| first)
        }
        _ => None,
    };
    loader.total() - start_up.unwrap_or(Ns::ZERO)
}

/// Share of the window below which loading is not worth a sentence, and above which it is the first thing to work on.
const NOTABLE_PCT: f64 = 5.0;
const CRITICAL_PCT: f64 = 20.0;

/// The class of PyTorch's loader without workers.
const SINGLE_PROCESS: &str = "_SingleProcessDataLoaderIter";

/// The rank that loads longest.
fn finding(ranks: &[HostRank<'_, '_>]) -> Option<Finding> {
    let time = |host: &HostTime| host.loaders.iter().map(steady).sum::<Ns>();
    let share = |host: &HostTime| percentage(time(host), host.window);
    let (rank, host) = largest(ranks, share)?;
    if share(host) < NOTABLE_PCT {
        return None;
    }
    let (spent, all) = (time(host), host.loaders.iter().map(Loader::total).sum::<Ns>());
    let worst = worst(ranks, rank.rank);
    let start_up = match all - spent {
        Ns::ZERO => String::new(),
        other => format!("; start-up took another {}", duration(other)),
    };
    let longest = host.names.iter().find(|name| name.cause == Cause::DataLoading);
    let longest = longest.map_or_else(String::new, |name| format!("; most in `{}`", name.name));
    let in_process = host.loaders.iter().any(|loader| loader.name.contains(SINGLE_PROCESS));
    Some(Finding {
        id: "data_loading",
        severity: if share(host) < CRITICAL_PCT { Severity::Warning } else { Severity::Critical },
        claim: format!(
            "{worst}the main thread spends {} ({}) of its time waiting for data{start_up}",
            percent(spent, host.window),
            duration(spent)
        ),
        gain: Some(
            Gain::new(
            Ns::ZERO,
            spent,
            rank.steps,
            "all of it if workers load ahead; less if they compete with operators for processors",
        )
        .out_of(rank.rank, Budget::Idle)),
        evidence: format!("table by_loader, rank {}{longest}", rank.rank),
        next: if in_process {
            "give the `DataLoader` worker processes (`num_workers=2` or more), so that batches are ready when the \
             program asks for them"
        } else {
            "load faster or further ahead: more `num_workers`, a larger `prefetch_factor`, `persistent_workers=True`, \
             data that needs less decoding"
        }
        .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::section::Value;
    use crate::test_threads::ThreadTrace;
    use crate::test_trace::{analyse, column, integers, run_of, section_of};
    use crate::{Outcome, Selection};

    const LOADER: &str = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

    /// Steps of 100 ns that begin with loading.
    fn trace(loading: &[i64]) -> ThreadTrace {
        let mut test = ThreadTrace::default();
        let mut now = 0;
        for (number, &time) in loading.iter().enumerate() {
            test.annotation(1, &format!("ProfilerStep#{number}"), (now, now + 100))
                .annotation(1, LOADER, (now, now + time))
                .op(1, "aten::mm", (now + time, now + 100));
            now += 100;
        }
        test
    }

    #[test]
    fn a_loader_that_takes_most_of_the_time_is_found() {
        let section = section_of(&run_of(vec![trace(&[58, 59, 57]).into()]), "data-loading");
        assert_eq!(column(&section, "by_loader", "time_ns"), integers([174]));
        assert_eq!(column(&section, "by_loader", "median_ns"), integers([58]));
        assert_eq!(column(&section, "by_loader", "share_pct"), [Value::Float(58.0)]);
        let [finding] = section.findings.as_slice() else { panic!("{:?}", section.findings) };
        assert!(finding.claim.contains("58.0% (174 ns)"), "{}", finding.claim);
        let gain = finding.gain.as_ref().unwrap();
        assert_eq!((gain.low, gain.high, gain.per_step), (Ns(0), Ns(58), true));
        assert_eq!(finding.severity, Severity::Critical);
        assert!(finding.next.contains("num_workers"));
    }

    #[test]
    fn the_start_of_workers_is_no_habit() {
        let section = section_of(&run_of(vec![trace(&[90, 1, 2, 1]).into()]), "data-loading");
        assert!(section.findings.is_empty(), "{:?}", section.findings);
        let section = section_of(&run_of(vec![trace(&[90, 20, 22, 21]).into()]), "data-loading");
        assert!(section.findings[0].claim.contains("15.8% (63 ns)"), "{}", section.findings[0].claim);
        assert!(section.findings[0].claim.ends_with("start-up took another 90 ns"));
    }

    #[test]
    fn without_a_loader_there_is_no_section() {
        let mut test = ThreadTrace::default();
        test.op(1, "aten::mm", (0, 10));
        let outcome = analyse(&run_of(vec![test.into()]), "data-loading", Selection::default());
        assert!(matches!(outcome, Outcome::Skipped(skipped) if skipped.missing.contains("DataLoader")));
    }
}
