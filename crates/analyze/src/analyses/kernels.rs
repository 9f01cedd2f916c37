//! Every kernel, copy and memset by name: how often, how long, how evenly.

use std::cmp::Reverse;
use std::collections::HashMap;

use eaves_model::{Ns, Recorder};
use serde::{Deserialize, Serialize};

use super::{Analyse, Rank, missing};
use crate::section::{Column, Finding, Number, Section, Severity, Table, Unit, Value};
use crate::text::{duration, percent, percentage, shortened};
use crate::{Job, KernelType, Outcome, RankView, Statistics};

pub(super) struct Kernels;

/// The activities of one name and type.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Row {
    name: String,
    kernel_type: KernelType,
    statistics: Statistics,
}

impl Analyse for Kernels {
    const ID: &'static str = "kernels";
    const NEEDS_TIMES: bool = false;
    /// The rows of the rank, longest first.
    type Part = Vec<Row>;

    fn measure(rank: &RankView<'_>) -> Vec<Row> {
        rows_of(rank)
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Vec<Row>>]) -> Outcome {
        let ranks: Vec<&Rank<'_, Vec<Row>>> = ranks.iter().filter(|rank| !rank.part.is_empty()).collect();
        if ranks.is_empty() { missing::gpu_activity(job, Self::ID) } else { section(job, &ranks) }
    }
}

fn section(job: &Job, ranks: &[&Rank<'_, Vec<Row>>]) -> Outcome {
    let rows = over_ranks(ranks.iter().map(|rank| rank.part.as_slice()));
    let total = sum(&rows);
    let mut tables = vec![Table {
        id: "by_name",
        title: "GPU activities by name, shares of summed duration",
        columns: columns(Vec::new()),
        rows: rows.iter().map(|row| cells(&[], row, total)).collect(),
    }];
    if ranks.len() > 1 {
        tables.push(by_rank_and_name(job, ranks));
    }
    Outcome::Section(Section {
        id: Kernels::ID,
        title: "Top kernels",
        numbers: numbers(&rows, total),
        tables,
        charts: Vec::new(),
        findings: finding(job, &rows, total).into_iter().collect(),
    })
}

/// The rows of one rank, longest first. One slot for each string and type, so an activity costs two look-ups.
pub(super) fn rows_of(rank: &RankView<'_>) -> Vec<Row> {
    let strings = &rank.trace.strings;
    // Unnamed activities share the slot behind the last string.
    let mut slots = vec![u32::MAX; (strings.len() + 1) * KernelType::ALL.len()];
    let mut rows: Vec<Row> = Vec::new();
    for index in 0..rank.gpu.len() {
        let (name, kernel_type) = (rank.gpu.name[index], rank.gpu.kernel_type[index]);
        let slot = name.index().min(strings.len()) * KernelType::ALL.len() + kernel_type as usize;
        if slots[slot] == u32::MAX {
            slots[slot] = rows.len() as u32;
            let name = strings.get(name).to_owned();
            rows.push(Row { name, kernel_type, statistics: Statistics::default() });
        }
        rows[slots[slot] as usize].statistics.add(rank.gpu.duration(index));
    }
    sort(&mut rows);
    rows
}

/// The rows of all ranks together, longest first.
pub(super) fn over_ranks<'a>(ranks: impl Iterator<Item = &'a [Row]>) -> Vec<Row> {
    let mut merged: HashMap<(&str, KernelType), Statistics> = HashMap::new();
    for row in ranks.flatten() {
        merged.entry((&row.name, row.kernel_type)).or_default().merge(&row.statistics);
    }
    let row = |((name, kernel_type), statistics): ((&str, KernelType), Statistics)| Row {
        name: name.to_owned(),
        kernel_type,
        statistics,
    };
    let mut rows: Vec<Row> = merged.into_iter().map(row).collect();
    sort(&mut rows);
    rows
}

fn sort(rows: &mut [Row]) {
    rows.sort_unstable_by(|a, b| {
        let key = |row: &Row| (Reverse(row.statistics.total()), row.kernel_type);
        key(a).0.cmp(&key(b).0).then_with(|| a.name.cmp(&b.name)).then(key(a).1.cmp(&key(b).1))
    });
}

pub(super) fn sum(rows: &[Row]) -> Ns {
    rows.iter().map(|row| row.statistics.total()).sum()
}

pub(super) fn columns(leading: Vec<Column>) -> Vec<Column> {
    let kernel = [Column::new("name", "Name", Unit::None), Column::new("type", "Type", Unit::None)];
    let share = Column::new("share_pct", "Of durations", Unit::Percent);
    leading.into_iter().chain(kernel).chain(Statistics::COLUMNS).chain([share]).collect()
}

pub(super) fn cells(leading: &[Value], row: &Row, total: Ns) -> Vec<Value> {
    let kernel = [row.name.as_str().into(), row.kernel_type.id().into()];
    let times = row.statistics.cells("no calls", "one call only");
    let share = Value::percent(row.statistics.total().0, total.0);
    leading.iter().cloned().chain(kernel).chain(times).chain([share]).collect()
}

fn by_rank_and_name(job: &Job, ranks: &[&Rank<'_, Vec<Row>>]) -> Table {
    let rows = ranks.iter().flat_map(|rank| {
        let (leading, total) = (job.rank_cells(rank), sum(rank.part));
        rank.part.iter().map(move |row| cells(&leading, row, total)).collect::<Vec<_>>()
    });
    Table {
        id: "by_rank_and_name",
        title: "The same by rank, shares of the rank's summed duration",
        columns: columns(job.rank_columns()),
        rows: rows.collect(),
    }
}

fn numbers(rows: &[Row], total: Ns) -> Vec<Number> {
    let number = Number::counter;
    let calls: u64 = rows.iter().map(|row| row.statistics.count()).sum();
    vec![
        number("calls", calls.into(), Unit::Count, "GPU activities on all ranks"),
        number("names", rows.len().into(), Unit::Count, "distinct names"),
        number(
            "total_ns",
            total.into(),
            Unit::Nanoseconds,
            "summed duration; concurrent activities count twice, so this is not busy time",
        ),
    ]
}

/// Share of the summed duration above which one compute kernel is worth a sentence, if it is none of those that
/// models are made of.
const DOMINANT_PCT: f64 = 40.0;

/// Share of the GPU time below which it does not matter what dominates the kernels.
const NOTABLE_PCT: f64 = 10.0;

/// Parts of the names of matrix products, convolutions and attention: cuBLAS, CUTLASS, cuDNN, Triton, Tensile (`Cijk`),
/// MIOpen and flash attention. That most of the time goes there is as it should be.
const EXPECTED: [&str; 15] = [
    "gemm",
    "gemv",
    "matmul",
    "cutlass",
    "xmma",
    "nvjet",
    "cijk_",
    "conv",
    "wgrad",
    "dgrad",
    "winograd",
    "flash",
    "fmha",
    "attention",
    "attn",
];

fn is_expected(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    EXPECTED.iter().any(|part| name.contains(part)) || is_fully_connected(&name)
}

/// MTIA calls its matrix products by their layer: `fc-dtype_Float`, `fc_kernel`.
fn is_fully_connected(name: &str) -> bool {
    name.strip_prefix("fc")
        .is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric()))
}

/// Parts of the names of what waits and does no work: events and semaphores as kernels, and kernels that sleep.
const WAITS: [&str; 5] = ["wait", "event_record", "semaphore", "barrier", "spin_kernel"];

fn is_wait(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WAITS.iter().any(|part| name.contains(part))
}

/// A kernel that is not expected to, but takes most of the time: something runs on a slow path. Profilers that collect
/// counters record the kernels they are told to, which says nothing about their share in the program.
fn finding(job: &Job, rows: &[Row], total: Ns) -> Option<Finding> {
    let audience = job.audience();
    if matches!(audience.recorder.0, Recorder::NsightCompute | Recorder::RocprofCompute) {
        return None;
    }
    let is_odd = |name: &str| !is_expected(name) && !is_wait(name);
    let row = rows.iter().find(|row| row.kernel_type == KernelType::Compute && is_odd(&row.name))?;
    let time = row.statistics.total();
    let spans: Ns = job.ranks.iter().filter_map(|rank| Some(rank.span?.length())).sum();
    if rows.len() < 2 || percentage(time, total) < DOMINANT_PCT || percentage(time, spans) < NOTABLE_PCT {
        return None;
    }
    Some(Finding {
        id: "dominant_kernel",
        severity: Severity::Info,
        claim: format!(
            "`{}` takes {} of the summed GPU time ({} in {})",
            shortened(&row.name),
            percent(time, total),
            duration(time),
            calls(row.statistics.count())
        ),
        gain: None,
        evidence: "table by_name".to_owned(),
        next: audience.either(
            "not a matrix product, convolution or attention: find the operator that launches it, and check for a \
            slow path (layout, precision, indexing with repeated indices) or a fused alternative",
            "not a matrix product, convolution or attention: profile this kernel alone (`eaves profile --with \
            ncu`, `--with rocprofv3`), or replace it with a library kernel",
        ),
    })
}

fn calls(count: u64) -> String {
    if count == 1 { "one call".to_owned() } else { format!("{count} calls") }
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::{Kernel, Memset};

    use super::*;
    use crate::test_trace::{TestTrace, column, column_ids, integers, number, run_of, section_of, texts};

    fn trace() -> TestTrace {
        let mut test = TestTrace::default();
        test.gpu(Kernel, "gemm", 0, 10).gpu(Kernel, "gelu", 10, 25).gpu(Kernel, "gemm", 5, 25).gpu(
            Memset,
            "Memset (Device)",
            30,
            35,
        );
        test
    }

    #[test]
    fn values_by_hand() {
        let section = section_of(&run_of(vec![trace()]), "kernels");
        let expected =
            ["name", "type", "calls", "total_ns", "mean_ns", "min_ns", "max_ns", "std_ns", "share_pct"];
        assert_eq!(column_ids(&section, "by_name"), expected);
        assert_eq!(column(&section, "by_name", "name"), texts(["gemm", "gelu", "Memset (Device)"]));
        assert_eq!(column(&section, "by_name", "type"), texts(["compute", "compute", "memory"]));
        assert_eq!(column(&section, "by_name", "calls"), integers([2, 1, 1]));
        assert_eq!(column(&section, "by_name", "total_ns"), integers([30, 15, 5]));
        assert_eq!(column(&section, "by_name", "mean_ns"), [15.0, 15.0, 5.0].map(Value::Float));
        assert_eq!(column(&section, "by_name", "min_ns"), integers([10, 15, 5]));
        assert_eq!(column(&section, "by_name", "max_ns"), integers([20, 15, 5]));
        // Differences of 5 twice: 50 over one degree of freedom.
        let one = Value::Missing("one call only");
        assert_eq!(column(&section, "by_name", "std_ns"), [Value::Float(50f64.sqrt()), one.clone(), one]);
        assert_eq!(column(&section, "by_name", "share_pct"), [60.0, 30.0, 10.0].map(Value::Float));
        assert_eq!(number(&section, "calls", None), Value::Integer(4));
        assert_eq!(section.tables.len(), 1);
        assert_eq!(section.findings, []);
    }

    #[test]
    fn only_what_is_not_expected_dominates() {
        let findings = |name: &str, length| {
            let mut test = TestTrace::default();
            test.gpu(Kernel, name, 0, length).gpu(Kernel, "gemm", 900, 960);
            section_of(&run_of(vec![test]), "kernels").findings
        };
        assert_eq!(findings("ampere_bf16_s16816gemm_bf16_128x128", 900), []);
        assert_eq!(findings("Cijk_Alik_Bljk_BBS_BH", 900), []);
        assert_eq!(findings("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 900), []);
        assert_eq!(findings("void at::native::indexing_backward_kernel<float>", 39), []);
        assert_eq!(findings("void gemv2T_kernel_val<int, int, double, double>", 900), []);
        assert_eq!(findings("_matmul_ogs_NNT_bf16xbf16xmxfp4_128x128x128x1_swiglu", 900), []);
        assert_eq!(findings("fc-dtype_Float", 900), []);
        assert_eq!(findings("event_wait", 900), []);
        assert_eq!(findings("at::cuda::(anonymous namespace)::spin_kernel(long)", 900), []);
        assert_eq!(findings("fc2_slow_path", 900).len(), 1);
        // 60 % of what runs, and 9.4 % of the time.
        assert_eq!(findings("void at::native::indexing_backward_kernel<float>", 90), []);
        let found = findings("void at::native::indexing_backward_kernel<float>", 240);
        assert_eq!((found[0].id, &found[0].gain), ("dominant_kernel", &None));
        assert_eq!(
            found[0].claim,
            "`void at::native::indexing_backward_kernel<float>` takes 80.0% of the summed GPU time (240 ns in one call)"
        );
    }

    #[test]
    fn ranks_are_summed_first_and_listed_second() {
        let mut other = TestTrace::default();
        other.gpu(Kernel, "softmax", 0, 15).gpu(Kernel, "gelu", 0, 1);
        let section = section_of(&run_of(vec![trace(), other]), "kernels");
        let names = ["gemm", "gelu", "softmax", "Memset (Device)"];
        assert_eq!(column(&section, "by_name", "name"), texts(names));
        assert_eq!(column(&section, "by_name", "calls"), integers([2, 2, 1, 1]));
        assert_eq!(column_ids(&section, "by_rank_and_name")[0], "rank");
        assert_eq!(column(&section, "by_rank_and_name", "rank"), integers([0, 0, 0, 1, 1]));
        assert_eq!(column(&section, "by_rank_and_name", "total_ns"), integers([30, 15, 5, 15, 1]));
    }

    #[test]
    fn equal_totals_are_sorted_by_name() {
        let mut test = TestTrace::default();
        test.gpu(Kernel, "b", 0, 5).gpu(Kernel, "a", 10, 15).gpu(Kernel, "c", 20, 25);
        let section = section_of(&run_of(vec![test]), "kernels");
        assert_eq!(column(&section, "by_name", "name"), texts(["a", "b", "c"]));
    }
}
