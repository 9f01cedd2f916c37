//! Which threads of a program without a GPU run operators, how many at once, and whether there are processors for them.

use std::cmp::Reverse;

use eaves_model::{Interval, IntervalSet, Metadata, Ns, SliceKind, TrackId};
use serde::{Deserialize, Serialize};

use super::host_time::{is_of_host, main_thread, thread_name, window};
use super::{Analyse, Rank, Shown, missing};
use crate::section::{Column, Finding, Number, Provenance, Section, Severity, Table, Unit, Value};
use crate::text::{duration, percent, percentage};
use crate::{Job, Outcome, RankView};

pub(super) struct CpuThreads;

/// What the recording says of the machine's processors and of the threads that PyTorch uses. `eaves profile` records it;
/// PyTorch's profiler does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct RecordedHost {
    /// The machine.
    pub(crate) name: Option<String>,
    /// Processors that the program may use.
    pub(crate) processors: Option<u64>,
    /// Threads that an operator runs on, `torch.get_num_threads()`.
    pub(crate) operator_threads: Option<u64>,
}

impl RecordedHost {
    /// As the header of a recording has it.
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let number = |key: &str| {
            let (_, text) = metadata.versions.iter().find(|(name, _)| name == key)?;
            text.parse().ok().filter(|&number: &u64| number > 0)
        };
        Self {
            name: metadata.host_name.clone(),
            processors: number("eaves_processors"),
            operator_threads: number("eaves_operator_threads"),
        }
    }
}

/// What the analysis keeps of a rank.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Part {
    host: RecordedHost,
    window: Ns,
    /// Most time first.
    threads: Vec<Thread>,
    /// Time in which as many threads as the place were in operators at once; the first is none.
    at_once: Vec<Ns>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Thread {
    name: String,
    role: Role,
    operators: u64,
    /// Time in operators inside the window.
    time: Ns,
    /// Time in Python frames inside the window, operators included.
    python: Ns,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
enum Role {
    Main,
    Backward,
    Communication,
    DataLoading,
    Other,
}

impl Role {
    fn id(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Backward => "backward pass",
            Self::Communication => "communication",
            Self::DataLoading => "data loading",
            Self::Other => "other",
        }
    }
}

impl Part {
    /// The most threads that were in operators at once.
    fn most(&self) -> u64 {
        self.at_once.len().saturating_sub(1) as u64
    }

    /// How many threads are in operators on average, while any is.
    fn mean(&self) -> Option<f64> {
        let busy: Ns = self.at_once.iter().skip(1).copied().sum();
        let sum: f64 =
            self.at_once.iter().enumerate().map(|(threads, time)| threads as f64 * time.as_f64()).sum();
        (busy > Ns::ZERO).then(|| sum / busy.as_f64())
    }

    /// Time in which operators ran on more threads than there are processors, if both were recorded.
    fn oversubscribed(&self) -> Option<Ns> {
        let (processors, each) = (self.host.processors?, self.host.operator_threads.unwrap_or(1));
        let over =
            self.at_once.iter().zip(0u64..).filter(|&(_, threads)| threads.saturating_mul(each) > processors);
        Some(over.map(|(&time, _)| time).sum())
    }
}

impl Analyse for CpuThreads {
    const ID: &'static str = "cpu-threads";
    const SHOWN: Shown = Shown::WithoutGpu;
    type Part = Part;

    fn measure(rank: &RankView<'_>) -> Part {
        if !rank.trace.gpu.is_empty() {
            return Part::default();
        }
        part(rank).unwrap_or_default()
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Part>]) -> Outcome {
        if !is_of_host(job) {
            return missing::only_without_gpu(Self::ID, "`launch-stats` and `queue-length`");
        }
        let ranks: Vec<&Rank<'_, Part>> = ranks.iter().filter(|rank| !rank.part.threads.is_empty()).collect();
        if ranks.is_empty() {
            return missing::operators(job, Self::ID);
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "CPU threads",
            numbers: ranks.iter().flat_map(|rank| numbers(rank)).collect(),
            tables: vec![by_thread(job, &ranks), at_once(job, &ranks)],
            charts: Vec::new(),
            findings: [ranks_on_one_machine(&ranks), threads_of_one_rank(&ranks)]
                .into_iter()
                .flatten()
                .take(1)
                .collect(),
        })
    }
}

/// What each thread did in the window.
fn part(rank: &RankView<'_>) -> Option<Part> {
    let (trace, tree) = (rank.trace, rank.operators());
    let (main, window) = (main_thread(rank)?, window(rank)?);
    let mut found: Vec<Found> = (0..trace.tracks.len()).map(|_| Found::default()).collect();
    for node in 0..tree.len() {
        let slice = tree.slice(node).index();
        let Some(interval) = trace.slices.interval(slice).clip(window) else { continue };
        let thread = &mut found[trace.slices.track[slice].index()];
        thread.operators += 1;
        if tree.parent(node).is_none() {
            thread.intervals.push(interval);
        }
    }
    let signs: Vec<Option<Role>> = trace.strings.iter().map(sign).collect();
    for (row, &kind) in trace.slices.kind.iter().enumerate().filter(|(_, kind)| kind.is_host_call()) {
        let Some(interval) = trace.slices.interval(row).clip(window) else { continue };
        let thread = &mut found[trace.slices.track[row].index()];
        let role = signs.get(trace.slices.name[row].index()).copied().flatten();
        thread.role = thread.role.into_iter().chain(role).min();
        if kind == SliceKind::Python {
            thread.python.push(interval);
        }
    }
    let mut busy = Vec::new();
    let mut threads = Vec::new();
    for (track, found) in found.into_iter().enumerate() {
        if found.operators == 0 && found.python.is_empty() && found.role.is_none() {
            continue;
        }
        let track = TrackId::from(track);
        let own = IntervalSet::union_of(found.intervals);
        threads.push(Thread {
            name: thread_name(trace, track),
            role: if track == main { Role::Main } else { found.role.unwrap_or(Role::Other) },
            operators: found.operators,
            time: own.measure(),
            python: IntervalSet::union_of(found.python).measure(),
        });
        busy.push(own);
    }
    threads.sort_by(|a, b| {
        (Reverse(a.time), a.role).cmp(&(Reverse(b.time), b.role)).then_with(|| a.name.cmp(&b.name))
    });
    let host = RecordedHost::of(&trace.metadata);
    Some(Part { host, window: window.length(), threads, at_once: times_at_once(&busy, window) })
}

#[derive(Default)]
struct Found {
    operators: u64,
    intervals: Vec<Interval>,
    python: Vec<Interval>,
    role: Option<Role>,
}

/// What a name says of the thread it is on.
fn sign(name: &str) -> Option<Role> {
    if name.starts_with("autograd::engine::evaluate_function") {
        Some(Role::Backward)
    } else if ["gloo:", "mpi:", "ucc:"].iter().any(|prefix| name.starts_with(prefix)) {
        Some(Role::Communication)
    } else if name.contains("torch/utils/data/_utils/pin_memory.py(") {
        Some(Role::DataLoading)
    } else {
        None
    }
}

/// How long this many of the threads were busy at once.
fn times_at_once(threads: &[IntervalSet], window: Interval) -> Vec<Ns> {
    let mut changes: Vec<(Ns, i32)> = Vec::new();
    for interval in threads.iter().flat_map(|set| set.as_slice()) {
        changes.extend([(interval.start, 1), (interval.end, -1)]);
    }
    changes.sort_unstable();
    let mut times = vec![Ns::ZERO];
    let (mut now, mut count) = (window.start, 0i32);
    for (time, change) in changes.into_iter().chain([(window.end, 0)]) {
        let place = usize::try_from(count).unwrap_or(0);
        if time > now {
            times.resize(times.len().max(place + 1), Ns::ZERO);
            times[place] += time - now;
        }
        (now, count) = (now.max(time), count + change);
    }
    times
}

const NOT_RECORDED: &str = "PyTorch does not record it; `eaves profile` does";

fn numbers(rank: &Rank<'_, Part>) -> Vec<Number> {
    let number = |id, value, unit, provenance, explain| {
        Number::new(id, value, unit, provenance, explain).of_rank(rank.rank)
    };
    let part = rank.part;
    let recorded = |value: Option<u64>| value.map_or(Value::Missing(NOT_RECORDED), Value::from);
    vec![
        number(
            "threads_at_once",
            part.most().into(),
            Unit::Count,
            Provenance::Formula,
            "most threads in operators at the same time",
        ),
        number(
            "mean_threads",
            Value::known(part.mean(), "no operators"),
            Unit::None,
            Provenance::Formula,
            "threads in operators on average, while any is",
        ),
        number(
            "operator_threads",
            recorded(part.host.operator_threads),
            Unit::Count,
            Provenance::Counter,
            "threads that one operator may use (`torch.get_num_threads()`)",
        ),
        number(
            "processors",
            recorded(part.host.processors),
            Unit::Count,
            Provenance::Counter,
            "processors available to the program",
        ),
    ]
}

fn by_thread(job: &Job, ranks: &[&Rank<'_, Part>]) -> Table {
    let own = [
        Column::new("thread", "Thread", Unit::None),
        Column::new("role", "Role", Unit::None),
        Column::new("operators", "Operators", Unit::Count),
        Column::new("time_ns", "In operators", Unit::Nanoseconds),
        Column::new("share_pct", "Of the window", Unit::Percent),
        Column::new("python_ns", "In Python", Unit::Nanoseconds),
    ];
    let mut rows = Vec::new();
    for rank in ranks {
        for thread in &rank.part.threads {
            let own = [
                thread.name.as_str().into(),
                thread.role.id().into(),
                thread.operators.into(),
                thread.time.into(),
                Value::percent(thread.time.0, rank.part.window.0),
                thread.python.into(),
            ];
            rows.push(job.rank_cells(rank).into_iter().chain(own).collect());
        }
    }
    Table {
        id: "by_thread",
        title: "Threads that called operators or Python; threads inside an operator are not recorded",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

fn at_once(job: &Job, ranks: &[&Rank<'_, Part>]) -> Table {
    let own = [
        Column::new("threads", "Threads at once", Unit::Count),
        Column::new("time_ns", "Time", Unit::Nanoseconds),
        Column::new("share_pct", "Of the window", Unit::Percent),
    ];
    let mut rows = Vec::new();
    for rank in ranks {
        for (threads, &time) in rank.part.at_once.iter().enumerate() {
            let own = [threads.into(), time.into(), Value::percent(time.0, rank.part.window.0)];
            rows.push(job.rank_cells(rank).into_iter().chain(own).collect());
        }
    }
    Table {
        id: "at_once",
        title: "Time by number of threads in operators; rows add up to the window",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

/// Share of the window below which too many threads are not worth a sentence.
const NOTABLE_PCT: f64 = 5.0;

const NEXT: &str = "limit them to as many threads in total as there are processors: `torch.set_num_threads(N)` or \
    `OMP_NUM_THREADS=N`, `torch.set_num_interop_threads(1)`";

/// Ranks of one machine that together use more threads than it has processors.
fn ranks_on_one_machine(ranks: &[&Rank<'_, Part>]) -> Option<Finding> {
    let hosts = ranks.iter().filter_map(|rank| rank.part.host.name.as_deref());
    let of_host = |host: &str| {
        let ranks = ranks.iter().filter(|rank| rank.part.host.name.as_deref() == Some(host));
        let (mut count, mut threads, mut processors) = (0u64, 0u64, 0u64);
        for rank in ranks {
            count += 1;
            threads += rank.part.host.operator_threads?;
            processors = processors.max(rank.part.host.processors?);
        }
        (count > 1 && threads > processors).then(|| (threads, processors, count, host.to_owned()))
    };
    let (threads, processors, count, host) = hosts.filter_map(of_host).max()?;
    Some(Finding {
        id: "oversubscription",
        severity: Severity::Warning,
        claim: format!(
            "{count} ranks on {host} run operators on {threads} threads, but it has {processors} processors"
        ),
        gain: None,
        evidence: "numbers operator_threads and processors of each rank".to_owned(),
        next: format!("{NEXT}, with N the processors divided by the ranks"),
    })
}

/// Threads of one rank that are in operators at once, each on several threads.
fn threads_of_one_rank(ranks: &[&Rank<'_, Part>]) -> Option<Finding> {
    let over = |rank: &&&Rank<'_, Part>| rank.part.oversubscribed().unwrap_or(Ns::ZERO);
    let rank = ranks.iter().max_by_key(|rank| (over(rank), Reverse(rank.rank)))?;
    let (part, time) = (rank.part, over(&rank));
    if percentage(time, part.window) < NOTABLE_PCT {
        return None;
    }
    let (processors, each) = (part.host.processors?, part.host.operator_threads.unwrap_or(1));
    let worst = if ranks.len() > 1 { format!("rank {} is worst: ", rank.rank) } else { String::new() };
    Some(Finding {
        id: "oversubscription",
        severity: Severity::Warning,
        claim: format!(
            "{worst}operators want more threads than there are processors for {} ({}) of the time: up to {} at once, \
             {each} threads each, on {processors} processors",
            percent(time, part.window),
            duration(time),
            part.most(),
        ),
        gain: None,
        evidence: format!("table at_once, rank {}", rank.rank),
        next: NEXT.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::test_threads::ThreadTrace;
    use crate::test_trace::{TestTrace, column, integers, number, run_of, section_of, texts};

    /// Two threads in operators, side by side from 20 to 60.
    fn trace(threads: u64, processors: u64) -> ThreadTrace {
        let mut test = ThreadTrace::default();
        test.annotation(1, "ProfilerStep#1", (0, 100))
            .op(1, "aten::linear", (0, 60))
            .op(1, "aten::mm", (10, 50))
            .backward(2, "autograd::engine::evaluate_function: MmBackward0", (20, 80));
        test.trace.metadata.host_name = Some("vm".to_owned());
        if processors > 0 {
            let entries = [("eaves_operator_threads", threads), ("eaves_processors", processors)];
            test.trace.metadata.versions =
                entries.map(|(name, value)| (name.to_owned(), value.to_string())).to_vec();
        }
        test
    }

    #[test]
    fn values_by_hand() {
        let section = section_of(&run_of(vec![trace(1, 0).into()]), "cpu-threads");
        assert_eq!(column(&section, "by_thread", "role"), texts(["main", "backward pass"]));
        assert_eq!(column(&section, "by_thread", "time_ns"), integers([60, 60]));
        assert_eq!(column(&section, "by_thread", "operators"), integers([2, 1]));
        assert_eq!(column(&section, "at_once", "time_ns"), integers([20, 40, 40]));
        assert_eq!(number(&section, "threads_at_once", Some(0)), Value::Integer(2));
        assert_eq!(number(&section, "mean_threads", Some(0)), Value::Float(1.5));
        // Nobody says how many processors there are.
        assert!(matches!(number(&section, "processors", Some(0)), Value::Missing(_)));
        assert!(section.findings.is_empty());
    }

    #[test]
    fn more_threads_than_processors_are_found() {
        let of =
            |threads, processors| section_of(&run_of(vec![trace(threads, processors).into()]), "cpu-threads");
        assert!(of(2, 4).findings.is_empty());
        let section = of(4, 4);
        let [finding] = section.findings.as_slice() else { panic!("{:?}", section.findings) };
        assert!(finding.claim.contains("40.0% (40 ns)"), "{}", finding.claim);
        assert!(
            finding.claim.contains("up to 2 at once, 4 threads each, on 4 processors"),
            "{}",
            finding.claim
        );
        let ranks: Vec<TestTrace> = (0..3).map(|_| trace(2, 4).into()).collect();
        let section = section_of(&run_of(ranks), "cpu-threads");
        let claim = "3 ranks on vm run operators on 6 threads, but it has 4 processors";
        assert_eq!(section.findings[0].claim, claim);
    }

    proptest! {
        /// Twin: counted instant by instant.
        #[test]
        fn threads_at_once_are_counted(
            threads in prop::collection::vec(prop::collection::vec((0i64..80, 1i64..20), 0..5), 1..5)
        ) {
            let sets: Vec<IntervalSet> = threads.iter().map(|spans| {
                let interval = |&(start, length): &(i64, i64)| Interval::new(Ns(start), Ns(start + length));
                IntervalSet::union_of(spans.iter().map(interval).collect())
            }).collect();
            let found = times_at_once(&sets, Interval::new(Ns(0), Ns(100)));
            let mut expected = vec![Ns::ZERO];
            for at in 0..100 {
                let count = threads
                    .iter()
                    .filter(|spans| spans.iter().any(|&(start, length)| start <= at && at < start + length))
                    .count();
                expected.resize(expected.len().max(count + 1), Ns::ZERO);
                expected[count] += Ns(1);
            }
            prop_assert_eq!(found, expected);
        }
    }
}
