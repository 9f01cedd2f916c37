//! A document made by hand, with a little of everything that is hard to show.

pub(crate) mod trace;

use eaves_model::{Ns, WarningKind};
use eaves_present::{Document, Input, InputWarning};
use eaves_section::{
    Chart, Column, Finding, Gain, Number, Outcome, Provenance, Section, Severity, Skipped, Table, Unit, Value,
};

/// Two ranks, one of which is damaged.
pub(crate) fn document() -> Document {
    Document {
        verb: "report",
        inputs: vec![input("traces/rank-0.json.gz", 0, 12_000), input("traces/rank-1.json.gz", 1, 345)],
        warnings: vec![
            warning(WarningKind::UnknownRank, 2, None, None, None),
            warning(WarningKind::StreamOverlap, 1_234, Some(567_890), Some("traces/rank-0.json.gz"), None),
            warning(WarningKind::StreamOverlap, 1, Some(12), Some("traces/rank-1.json.gz"), None),
            warning(
                WarningKind::Truncated,
                1,
                Some(99_999),
                Some("traces/rank-1.json.gz"),
                Some("in a string"),
            ),
        ],
        outcomes: vec![
            Outcome::Section(breakdown()),
            Outcome::Section(kernels()),
            Outcome::Section(overlap()),
            skipped("steps", "profiler steps", "call `prof.step()` after every iteration"),
            skipped("memory", "memory events", "record with `profile_memory=True`"),
            skipped("call-tree", "memory events", "record with `profile_memory=True`"),
        ],
        overview: None,
        has_first_screen: false,
        tree: None,
    }
}

fn input(path: &str, rank: i64, events: u64) -> Input {
    Input {
        path: path.to_owned(),
        role: None,
        format: "kineto",
        container: "gzip",
        rank,
        rank_source: "file-name",
        events,
        bytes: events * 300,
    }
}

fn warning(
    kind: WarningKind,
    count: u64,
    first_offset: Option<u64>,
    path: Option<&str>,
    detail: Option<&str>,
) -> InputWarning {
    InputWarning {
        kind,
        count,
        first_offset,
        path: path.map(str::to_owned),
        detail: detail.map(str::to_owned),
    }
}

fn skipped(id: &'static str, missing: &str, how_to_record: &str) -> Outcome {
    Outcome::Skipped(Skipped { id, missing: missing.to_owned(), how_to_record: how_to_record.to_owned() })
}

/// Rank 0: 1 s of which 500 ms compute, 250 ms exposed communication, 50 ms exposed memory, 200 ms idle.
/// Rank 1: 2 s of which 1.999 s compute and 1 ms idle.
fn breakdown() -> Section {
    let ns = |id, title| Column::new(id, title, Unit::Nanoseconds);
    let pct = |id, title| Column::new(id, title, Unit::Percent);
    let row = |rank, times: [i64; 5], shares: [f64; 4]| {
        let times = times.map(Value::Integer);
        let shares = shares.map(Value::Float);
        [Value::Integer(rank)].into_iter().chain(times).chain(shares).collect()
    };
    let (ms, columns) = (
        1_000_000,
        vec![
            Column::new("rank", "Rank", Unit::None),
            ns("idle_ns", "Idle"),
            ns("compute_ns", "Compute"),
            ns("exposed_comm_ns", "Exposed communication"),
            ns("exposed_memory_ns", "Exposed memory"),
            ns("span_ns", "Span"),
            pct("idle_pct", "Idle of span"),
            pct("compute_pct", "Compute of span"),
            pct("exposed_comm_pct", "Exposed communication, of span"),
            pct("exposed_memory_pct", "Exposed memory, of span"),
        ],
    );
    Section {
        id: "temporal-breakdown",
        title: "GPU time breakdown",
        numbers: vec![
            number("idle_pct", Some(0), Value::Float(20.0)),
            number("idle_pct", Some(1), Value::Float(0.05)),
        ],
        tables: vec![Table {
            id: "by_rank",
            title: "GPU time by rank, shares of the GPU span",
            columns,
            rows: vec![
                row(0, [200 * ms, 500 * ms, 250 * ms, 50 * ms, 1_000 * ms], [20.0, 50.0, 25.0, 5.0]),
                row(1, [ms, 1_999 * ms, 0, 0, 2_000 * ms], [0.05, 99.95, 0.0, 0.0]),
            ],
        }],
        charts: vec![Chart::Breakdown { bars: "by_rank" }],
        findings: vec![finding(
            "gpu_idle",
            Severity::Critical,
            "rank 0 is worst: the GPU does nothing for 20.0% (200 ms) of its span of 1.0 s",
            Some((0, 200 * ms)),
        )],
    }
}

fn number(id: &'static str, rank: Option<i64>, value: Value) -> Number {
    Number {
        id,
        rank,
        value,
        unit: Unit::Percent,
        provenance: Provenance::Formula,
        explain: "time in which nothing ran, of the GPU span",
    }
}

fn finding(id: &'static str, severity: Severity, claim: &str, gain_ns: Option<(i64, i64)>) -> Finding {
    Finding {
        id,
        severity,
        claim: claim.to_owned(),
        gain: gain_ns.map(|(low, high)| Gain::new(Ns(low), Ns(high), 0, "at most all of it")),
        evidence: "table by_rank, rank 0, column idle_ns".to_owned(),
        next: "find what the GPU waits for: launches that come too late, the data loader, or synchronising calls \
               such as `.item()` and `.cpu()`"
            .to_owned(),
    }
}

/// 100 ms in all: 60, 30, 6, 3 and 1.
fn kernels() -> Section {
    let elementwise = |functor: &str| {
        format!(
            "void at::native::vectorized_elementwise_kernel<4, at::native::{functor}, std::array<char*, 3ul> \
             >(int, at::native::{functor}, std::array<char*, 3ul>)"
        )
    };
    let names = [
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)".to_owned(),
        "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_64x4_nn_align8>(\
         cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_64x4_nn_align8::Params)"
            .to_owned(),
        elementwise("CUDAFunctor_add<float>"),
        elementwise("BinaryFunctor<float, float, float, at::native::MulFunctor<float> >"),
        "Memcpy HtoD (Pageable -> Device)".to_owned(),
    ];
    let kinds = ["communication", "compute", "compute", "compute", "memory"];
    let values = [(3, 60), (30, 30), (1_200, 6), (1_000, 3), (1, 1)];
    let ns = |id, title| Column::new(id, title, Unit::Nanoseconds);
    let rows = names.into_iter().zip(kinds).zip(values).map(|((name, kind), (calls, ms))| {
        let total = ms * 1_000_000;
        let deviation =
            if calls > 1 { Value::Float(calls as f64 * 123.45) } else { Value::Missing("one call only") };
        vec![
            Value::Text(name),
            Value::from(kind),
            Value::Integer(calls),
            Value::Integer(total),
            Value::Float(total as f64 / calls as f64),
            Value::Integer(999),
            Value::Integer(total),
            deviation,
            Value::Float(ms as f64),
        ]
    });
    Section {
        id: "kernels",
        title: "Top kernels",
        tables: vec![Table {
            id: "by_name",
            title: "GPU activities by name, shares of summed duration",
            columns: vec![
                Column::new("name", "Name", Unit::None),
                Column::new("type", "Type", Unit::None),
                Column::new("calls", "Calls", Unit::Count),
                ns("total_ns", "Total"),
                ns("mean_ns", "Mean"),
                ns("min_ns", "Min"),
                ns("max_ns", "Max"),
                ns("std_ns", "Std dev"),
                Column::new("share_pct", "Of durations", Unit::Percent),
            ],
            rows: rows.collect(),
        }],
        findings: vec![finding(
            "dominant_kernel",
            Severity::Info,
            "60.0% of the summed duration of all GPU activities is `ncclDevKernel_AllReduce_Sum_bf16_RING_LL`",
            None,
        )],
        ..Section::default()
    }
}

/// Numbers alone, one of them missing.
fn overlap() -> Section {
    Section {
        id: "comm-overlap",
        title: "Communication overlap",
        numbers: vec![
            number("overlap_pct", None, Value::Float(12.5)),
            number("hidden_memory_pct", None, Value::Missing("no copies")),
            number("exposed_pct", Some(0), Value::Float(87.5)),
            number("exposed_pct", Some(1), Value::Missing("no communication")),
        ],
        findings: vec![finding(
            "exposed_communication",
            Severity::Warning,
            "exposed communication takes 25.0% (250 ms) of a span of 1.0 s",
            Some((1_500, 250_000_000)),
        )],
        ..Section::default()
    }
}
