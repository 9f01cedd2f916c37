//! The answers of Holistic Trace Analysis on one page: shares of the GPU span, top kernels, launches,
//! communication, copies. Definitions are those of the other analyses; nothing is computed another way here.

mod part;
mod tables;

use eaves_model::Ns;

use self::part::{Copies, Launches, Part};
use super::{Analyse, Rank, missing};
use crate::section::{Number, Section, Unit, Value};
use crate::{Breakdown, Job, KernelType, Outcome, RankView, TypeTimes};

pub(super) struct HtaSummary;

impl Analyse for HtaSummary {
    const ID: &'static str = "hta-summary";
    type Part = Part;

    fn measure(rank: &RankView<'_>) -> Part {
        Part::measure(rank)
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Part>]) -> Outcome {
        let ranks: Vec<&Rank<'_, Part>> = ranks.iter().filter(|rank| rank.has_gpu_activity()).collect();
        if ranks.is_empty() {
            return missing::gpu_activity(job, Self::ID);
        }
        let totals = Totals::of(&ranks);
        Outcome::Section(Section {
            id: Self::ID,
            title: "Summary in HTA's terms",
            numbers: numbers(&totals),
            tables: tables::all(job, &ranks),
            charts: Vec::new(),
            findings: missing::ranks_without_gpu_activity(job).into_iter().collect(),
        })
    }
}

/// The ranks together.
struct Totals {
    times: TypeTimes,
    breakdown: Breakdown,
    launches: Launches,
    copies: Copies,
}

impl Totals {
    fn of(ranks: &[&Rank<'_, Part>]) -> Self {
        let (mut times, mut span) = (TypeTimes::default(), Ns::ZERO);
        let (mut launches, mut copies) = (Launches::default(), Copies::default());
        for rank in ranks {
            times += rank.times;
            span += rank.span.map_or(Ns::ZERO, |span| span.length());
            launches.merge(&rank.part.launches);
            copies.merge(&rank.part.copies);
        }
        Self { times, breakdown: Breakdown::from_times(&times, span), launches, copies }
    }
}

fn numbers(totals: &Totals) -> Vec<Number> {
    let Totals { times, breakdown, launches, copies } = totals;
    let communication = times.total(KernelType::Communication);
    let overlapped = times.overlapped_communication();
    let share = |time: Ns| Value::percent(time.0, breakdown.span.0);
    let of_communication = if communication == Ns::ZERO {
        Value::Missing("nothing communicated")
    } else {
        Value::percent(overlapped.0, communication.0)
    };
    let rows = [
        (
            "span_ns",
            breakdown.span.into(),
            Unit::Nanoseconds,
            "GPU span, summed over the ranks; 100% of the shares",
        ),
        (
            "compute_pct",
            share(breakdown.compute),
            Unit::Percent,
            "time with a compute kernel running, share of the GPU span",
        ),
        (
            "exposed_comm_pct",
            share(breakdown.exposed_communication),
            Unit::Percent,
            "time with communication but no computation, share of the GPU span",
        ),
        (
            "exposed_memory_pct",
            share(breakdown.exposed_memory),
            Unit::Percent,
            "time with only memcpys or memsets, share of the GPU span",
        ),
        (
            "idle_pct",
            share(breakdown.idle()),
            Unit::Percent,
            "idle time, share of the GPU span; adds up to 100 with the three shares above",
        ),
        (
            "all_comm_pct",
            share(communication),
            Unit::Percent,
            "communication time, hidden or not, share of the GPU span",
        ),
        (
            "all_memory_pct",
            share(times.total(KernelType::Memory)),
            Unit::Percent,
            "memcpy and memset time, hidden or not, share of the GPU span",
        ),
        ("comm_ns", communication.into(), Unit::Nanoseconds, "communication time"),
        (
            "overlap_pct",
            of_communication,
            Unit::Percent,
            "communication hidden behind computation, share of communication",
        ),
        (
            "copy_gbps",
            copies.bandwidth(),
            Unit::GigabytesPerSecond,
            "bytes of memcpys and memsets with known size, over their summed duration",
        ),
        ("kernels", launches.kernels.into(), Unit::Count, "kernels; memcpys and memsets excluded"),
    ];
    let number = |(id, value, unit, explain)| Number::formula(id, value, unit, explain);
    rows.into_iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::{Kernel, Memcpy};

    use eaves_model::Run;

    use super::*;
    use crate::analyses::HTA_SUMMARY;
    use crate::test_trace::{TestTrace, column, integers, number, run_of, texts};
    use crate::{Options, report_of};

    fn outcome(run: &Run) -> Outcome {
        report_of(run, &Options::default(), &[&HTA_SUMMARY]).unwrap().swap_remove(0)
    }

    fn section_of(traces: Vec<TestTrace>) -> Section {
        outcome(&run_of(traces)).section().unwrap().clone()
    }

    const NCCL: &str = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

    /// 100..200 compute, 200..230 communication alone, 230..250 nothing, 250..260 copy alone, 260..300 compute.
    fn trace() -> TestTrace {
        let mut test = TestTrace::default();
        test.launch(1, 50, 60)
            .launch(2, 100, 190)
            .kernel("gemm", 1, 100, 180)
            .kernel("gelu", 2, 150, 200)
            .gpu(Kernel, NCCL, 190, 230)
            .gpu(Memcpy, "Memcpy HtoD (Pinned -> Device)", 195, 205)
            .gpu(Memcpy, "Memcpy HtoD (Pinned -> Device)", 250, 270)
            .gpu(Kernel, "gemm", 260, 300);
        test
    }

    #[test]
    fn shares_add_up_and_totals_stand_beside_them() {
        let section = section_of(vec![trace()]);
        let value = |id| number(&section, id, None);
        assert_eq!(value("span_ns"), Value::Integer(200));
        let shares = ["compute_pct", "exposed_comm_pct", "exposed_memory_pct", "idle_pct"].map(value);
        assert_eq!(shares, [70.0, 15.0, 5.0, 10.0].map(Value::Float));
        assert_eq!([value("all_comm_pct"), value("all_memory_pct")], [20.0, 15.0].map(Value::Float));
        assert_eq!(value("overlap_pct"), Value::Float(25.0));
        assert_eq!(value("kernels"), Value::Integer(4));
        assert_eq!(value("copy_gbps"), Value::Missing("no memcpy or memset has a known size"));
    }

    #[test]
    fn ranks_are_summed() {
        let mut idle = TestTrace::default();
        idle.gpu(Kernel, "gemm", 0, 100).gpu(Kernel, "gemm", 700, 800);
        let section = section_of(vec![trace(), idle, TestTrace::default()]);
        // 140 + 200 of 200 + 800.
        assert_eq!(number(&section, "compute_pct", None), Value::Float(34.0));
        assert_eq!(column(&section, "by_rank", "rank"), integers([0, 1]));
        assert_eq!(column(&section, "by_rank", "idle_pct"), [10.0, 75.0].map(Value::Float));
        assert_eq!(column(&section, "top_kernels", "name")[..2], texts(["gemm", "gelu"]));
        assert_eq!(column(&section, "top_kernels", "total_ns")[..2], integers([320, 50]));
    }

    #[test]
    fn launches_by_hand() {
        let section = section_of(vec![trace()]);
        assert_eq!(column(&section, "launches", "kernels"), integers([4]));
        assert_eq!(column(&section, "launches", "launched"), integers([2]));
        assert_eq!(column(&section, "launches", "calls"), integers([2]));
        // Calls of 10 and 90; the first kernel starts 40 after its call, the second during it.
        assert_eq!(column(&section, "launches", "mean_call_ns"), [Value::Float(50.0)]);
        assert_eq!(column(&section, "launches", "mean_delay_ns"), [Value::Float(20.0)]);
        // 50 on the device for a call of 90.
        assert_eq!(column(&section, "launches", "short_kernels"), integers([1]));
    }

    #[test]
    fn collectives_without_a_recorded_name_have_that_of_the_kernel() {
        let section = section_of(vec![trace()]);
        assert_eq!(column(&section, "collectives", "name"), texts([NCCL]));
        assert_eq!(column(&section, "collectives", "total_ns"), integers([40]));
        let mut quiet = TestTrace::default();
        quiet.gpu(Kernel, "gemm", 0, 10);
        let section = section_of(vec![quiet]);
        assert!(section.tables.iter().all(|table| table.id != "collectives"));
        assert_eq!(number(&section, "overlap_pct", None), Value::Missing("nothing communicated"));
        assert_eq!(
            column(&section, "launches", "mean_call_ns"),
            [Value::Missing("launching call not recorded")]
        );
    }

    #[test]
    fn without_gpu_activity_there_is_nothing_to_sum_up() {
        assert!(matches!(outcome(&run_of(vec![TestTrace::default()])), Outcome::Skipped(_)));
    }
}
