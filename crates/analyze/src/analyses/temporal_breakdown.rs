//! Where the time of the GPU went: computing, exposed communication, exposed memory traffic, nothing.

use eaves_model::{MaybeU32, Ns};
use serde::{Deserialize, Serialize};

use super::{Analyse, Rank, missing};
use crate::section::{Chart, Column, Number, Section, Table, Unit, Value};
use crate::{Job, KernelType, Outcome, RankSummary, RankView, TypeSets, TypeTimes};

pub(super) struct TemporalBreakdown;

/// The time of a GPU, every instant counted once. Computation hides communication, and both hide memory
/// traffic: `compute + exposed_communication + exposed_memory + idle = span`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Breakdown {
    /// From the first start to the last end of GPU activity.
    pub span: Ns,
    /// In which anything ran.
    pub busy: Ns,
    /// In which anything computed.
    pub compute: Ns,
    /// In which something communicated and nothing computed.
    pub exposed_communication: Ns,
    /// In which memory was moved and nothing computed or communicated.
    pub exposed_memory: Ns,
}

impl Breakdown {
    /// The breakdown of activities over their own span.
    pub fn of(sets: &TypeSets) -> Self {
        let span = sets.span().map_or(Ns::ZERO, |span| span.length());
        Self::from_times(&TypeTimes::of(sets), span)
    }

    /// The breakdown from times that are known already.
    pub fn from_times(times: &TypeTimes, span: Ns) -> Self {
        Self {
            span,
            busy: times.busy(),
            compute: times.total(KernelType::Compute),
            exposed_communication: times.exposed_communication(),
            exposed_memory: times.exposed_memory(),
        }
    }

    /// In which something ran but nothing computed.
    pub fn non_compute(&self) -> Ns {
        self.busy - self.compute
    }

    /// In which nothing ran.
    pub fn idle(&self) -> Ns {
        self.span - self.busy
    }

    /// The values in the order of [`PARTS`].
    pub(super) fn values(&self) -> [Ns; PARTS.len()] {
        [
            self.idle(),
            self.compute,
            self.non_compute(),
            self.exposed_communication,
            self.exposed_memory,
            self.busy,
            self.span,
        ]
    }
}

/// One value of the breakdown as number and column.
pub(super) struct Part {
    id: &'static str,
    pub(super) title: &'static str,
    explain: &'static str,
    /// Id, title and meaning of the share.
    share: (&'static str, &'static str, &'static str),
}

pub(super) const PARTS: [Part; 7] = [
    Part {
        id: "idle_ns",
        title: "Idle",
        explain: "GPU span minus busy time",
        share: ("idle_pct", "Idle of span", "idle time, share of the GPU span"),
    },
    Part {
        id: "compute_ns",
        title: "Compute",
        explain: "union of all compute kernels",
        share: ("compute_pct", "Compute of span", "compute time, share of the GPU span"),
    },
    Part {
        id: "non_compute_ns",
        title: "Non-compute",
        explain: "busy time without computation: exposed communication plus exposed memory",
        share: ("non_compute_pct", "Non-compute of span", "non-compute time, share of the GPU span"),
    },
    Part {
        id: "exposed_comm_ns",
        title: "Exposed communication",
        explain: "time with communication but no computation",
        share: (
            "exposed_comm_pct",
            "Exposed communication, of span",
            "exposed communication, share of the GPU span",
        ),
    },
    Part {
        id: "exposed_memory_ns",
        title: "Exposed memory",
        explain: "time with memcpys or memsets, but no computation or communication",
        share: (
            "exposed_memory_pct",
            "Exposed memory, of span",
            "exposed memory traffic, share of the GPU span",
        ),
    },
    Part {
        id: "busy_ns",
        title: "Busy",
        explain: "union of all GPU activities",
        share: ("busy_pct", "Busy of span", "busy time, share of the GPU span"),
    },
    Part {
        id: "span_ns",
        title: "Span",
        explain: "first start to last end of GPU activity",
        share: ("span_pct", "Span of span", "sum of the shares: 100 unless the span is empty"),
    },
];

impl Analyse for TemporalBreakdown {
    const ID: &'static str = "temporal-breakdown";
    /// The devices of a rank that has several, each with its own span.
    type Part = Vec<(MaybeU32, Breakdown)>;

    fn measure(rank: &RankView<'_>) -> Self::Part {
        let devices = rank.gpu.devices();
        if devices.len() < 2 {
            return Vec::new();
        }
        let of = |device| Breakdown::of(&rank.gpu.sets_where(|index| rank.gpu.device[index] == device));
        devices.into_iter().map(|device| (device, of(device))).collect()
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Self::Part>]) -> Outcome {
        let whole: Vec<(&RankSummary, Breakdown)> = ranks
            .iter()
            .filter_map(|rank| Some((rank.summary, Breakdown::from_times(&rank.times, rank.span?.length()))))
            .collect();
        if whole.is_empty() {
            return missing::gpu_activity(job, Self::ID);
        }
        let tables: Vec<Table> = std::iter::once(by_rank(job, &whole)).chain(by_device(job, ranks)).collect();
        Outcome::Section(Section {
            id: Self::ID,
            title: "GPU time breakdown",
            numbers: whole.iter().flat_map(|(rank, breakdown)| numbers(rank.rank, breakdown)).collect(),
            charts: tables.iter().map(|table| Chart::Breakdown { bars: table.id }).collect(),
            tables,
            findings: missing::ranks_without_gpu_activity(job).into_iter().collect(),
        })
    }
}

fn numbers(rank: i64, breakdown: &Breakdown) -> Vec<Number> {
    let number = |id, value, unit, explain| Number::formula(id, value, unit, explain).of_rank(rank);
    let times = PARTS
        .iter()
        .zip(breakdown.values())
        .map(|(part, time)| number(part.id, time.into(), Unit::Nanoseconds, part.explain));
    let shares = PARTS.iter().zip(breakdown.values()).map(|(part, time)| {
        let (id, _, explain) = part.share;
        number(id, Value::percent(time.0, breakdown.span.0), Unit::Percent, explain)
    });
    times.chain(shares).collect()
}

fn columns(leading: Vec<Column>) -> Vec<Column> {
    let times = PARTS.iter().map(|part| Column::new(part.id, part.title, Unit::Nanoseconds));
    let shares =
        PARTS.iter().map(|part| part.share).map(|(id, title, _)| Column::new(id, title, Unit::Percent));
    leading.into_iter().chain(times).chain(shares).collect()
}

fn cells(leading: Vec<Value>, breakdown: &Breakdown) -> Vec<Value> {
    let shares = breakdown.values().map(|time| Value::percent(time.0, breakdown.span.0));
    leading.into_iter().chain(breakdown.values().map(Value::from)).chain(shares).collect()
}

fn by_rank(job: &Job, ranks: &[(&RankSummary, Breakdown)]) -> Table {
    Table {
        id: "by_rank",
        title: "GPU time by rank, shares of the GPU span",
        columns: columns(job.rank_columns()),
        rows: ranks.iter().map(|(rank, breakdown)| cells(job.rank_cells(rank), breakdown)).collect(),
    }
}

/// A row for every device of the ranks that have several.
fn by_device(job: &Job, ranks: &[Rank<'_, Vec<(MaybeU32, Breakdown)>>]) -> Option<Table> {
    let mut rows = Vec::new();
    for rank in ranks {
        for (device, breakdown) in rank.part {
            let mut leading = job.rank_cells(rank);
            leading.push(device.get().map_or(Value::Missing("device number not recorded"), |number| {
                Value::Integer(i64::from(number))
            }));
            rows.push(cells(leading, breakdown));
        }
    }
    let mut leading = job.rank_columns();
    leading.push(Column::new("device", "Device", Unit::None));
    (!rows.is_empty()).then(|| Table {
        id: "by_device",
        title: "GPU time by device, shares of each device's own span",
        columns: columns(leading),
        rows,
    })
}

#[cfg(test)]
mod tests {
    use eaves_model::Interval;
    use eaves_model::SliceKind::{Kernel, Memcpy};
    use proptest::prelude::*;

    use super::*;
    use crate::test_trace::{TestTrace, column, column_ids, integers, number, run_of, section_of};

    const NCCL: &str = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

    /// 100..200 compute, 200..230 communication alone, 230..250 nothing, 250..260 copy alone, 260..300 compute.
    fn trace() -> TestTrace {
        let mut test = TestTrace::default();
        test.gpu(Kernel, "gemm", 100, 180)
            .gpu(Kernel, "gelu", 150, 200)
            .gpu(Kernel, NCCL, 190, 230)
            .gpu(Memcpy, "Memcpy HtoD (Pinned -> Device)", 195, 205)
            .gpu(Memcpy, "Memcpy HtoD (Pinned -> Device)", 250, 270)
            .gpu(Kernel, "gemm", 260, 300);
        test
    }

    #[test]
    fn values_by_hand() {
        let section = section_of(&run_of(vec![trace()]), "temporal-breakdown");
        let value = |id| number(&section, id, Some(0));
        assert_eq!([value("span_ns"), value("busy_ns"), value("idle_ns")].to_vec(), integers([200, 180, 20]));
        assert_eq!([value("compute_ns"), value("non_compute_ns")].to_vec(), integers([140, 40]));
        assert_eq!([value("exposed_comm_ns"), value("exposed_memory_ns")].to_vec(), integers([30, 10]));
        assert_eq!(value("idle_pct"), Value::Float(10.0));
        assert_eq!(value("compute_pct"), Value::Float(70.0));
        assert_eq!(column(&section, "by_rank", "exposed_comm_pct"), [Value::Float(15.0)]);
        assert_eq!(section.tables.len(), 1);
    }

    #[test]
    fn columns_are_those_of_the_contract() {
        let section = section_of(&run_of(vec![trace()]), "temporal-breakdown");
        let expected = [
            "rank",
            "idle_ns",
            "compute_ns",
            "non_compute_ns",
            "exposed_comm_ns",
            "exposed_memory_ns",
            "busy_ns",
            "span_ns",
            "idle_pct",
            "compute_pct",
            "non_compute_pct",
            "exposed_comm_pct",
            "exposed_memory_pct",
            "busy_pct",
            "span_pct",
        ];
        assert_eq!(column_ids(&section, "by_rank"), expected);
    }

    #[test]
    fn devices_of_one_recording_are_told_apart() {
        let mut test = trace();
        test.gpu_on(1, None, Kernel, "gemm", 1000, 1100).gpu_on(1, None, Kernel, "gemm", 1150, 1200);
        let section = section_of(&run_of(vec![test]), "temporal-breakdown");
        assert_eq!(column(&section, "by_device", "device"), integers([0, 1]));
        assert_eq!(column(&section, "by_device", "idle_ns"), integers([20, 50]));
        assert_eq!(number(&section, "span_ns", Some(0)), Value::Integer(1100));
    }

    #[test]
    fn ranks_without_activity_are_named() {
        let section = section_of(&run_of(vec![trace(), TestTrace::default()]), "temporal-breakdown");
        let ids: Vec<_> = section.findings.iter().map(|finding| finding.id).collect();
        assert_eq!(ids, ["ranks_without_gpu_activity"]);
    }

    #[test]
    fn without_gpu_activity_it_says_how_to_record_it() {
        let run = run_of(vec![TestTrace::default()]);
        let Outcome::Skipped(skipped) =
            crate::test_trace::analyse(&run, "temporal-breakdown", Default::default())
        else {
            panic!("no section expected");
        };
        assert!(skipped.how_to_record.contains("ProfilerActivity.CUDA"));
    }

    proptest! {
        /// Twin: one flag a nanosecond.
        #[test]
        fn agrees_with_one_flag_per_nanosecond(
            activities in prop::collection::vec((0i64..200, 0i64..40, 0usize..3), 0..40)
        ) {
            let mut flags = [[false; 240]; 3];
            for &(start, length, kind) in &activities {
                flags[kind][start as usize..(start + length) as usize].fill(true);
            }
            let count = |inside: fn(bool, bool, bool) -> bool| {
                Ns((0..240).filter(|&t| inside(flags[0][t], flags[1][t], flags[2][t])).count() as i64)
            };
            let first = activities.iter().map(|&(start, ..)| start).min().unwrap_or(0);
            let last = activities.iter().map(|&(start, length, _)| start + length).max().unwrap_or(0);
            let sets: TypeSets = activities
                .iter()
                .map(|&(start, length, kind)| {
                    (Interval::new(Ns(start), Ns(start + length)), KernelType::ALL[kind])
                })
                .collect();
            let breakdown = Breakdown::of(&sets);
            prop_assert_eq!(breakdown.span, Ns(last - first));
            prop_assert_eq!(breakdown.busy, count(|a, b, c| a || b || c));
            prop_assert_eq!(breakdown.compute, count(|a, _, _| a));
            prop_assert_eq!(breakdown.exposed_communication, count(|a, b, _| b && !a));
            prop_assert_eq!(breakdown.exposed_memory, count(|a, b, c| c && !b && !a));
            prop_assert_eq!(breakdown.idle(), Ns(last - first) - breakdown.busy);
            prop_assert_eq!(
                breakdown.non_compute(),
                breakdown.exposed_communication + breakdown.exposed_memory
            );
        }
    }
}
