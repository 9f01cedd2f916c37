//! How much of the communication is hidden behind computation.

use eaves_model::Ns;

use super::{Analyse, Rank, Shown, missing};
use crate::section::{Column, Number, Section, Skipped, Table, Unit, Value};
use crate::{Job, KernelType, Outcome, RankSummary, RankView};

pub(super) struct CommOverlap;

const COMM: &str = "union of all communication kernels";
const OVERLAPPED: &str = "communication time during which the same rank computed";
const EXPOSED: &str = "communication time during which the same rank did not compute";
const OVERLAP: &str = "overlapped communication, share of the rank's communication time";

impl Analyse for CommOverlap {
    const ID: &'static str = "comm-overlap";
    const SHOWN: Shown = Shown::WhenAsked;
    // The summary of a rank has all it needs.
    type Part = ();

    fn measure(_rank: &RankView<'_>) {}

    fn assemble(job: &Job, _ranks: &[Rank<'_, ()>]) -> Outcome {
        section(job)
    }
}

fn section(job: &Job) -> Outcome {
    if !job.ranks.iter().any(RankSummary::has_gpu_activity) {
        return missing::gpu_activity(job, CommOverlap::ID);
    }
    let communicates = |rank: &&RankSummary| rank.times.total(KernelType::Communication) > Ns::ZERO;
    let ranks: Vec<&RankSummary> = job.ranks.iter().filter(communicates).collect();
    if ranks.is_empty() {
        return Outcome::Skipped(Skipped {
            id: CommOverlap::ID,
            missing: "communication: no NCCL, RCCL or other communication kernel ran".to_owned(),
            how_to_record: job.audience().either(
                "record a run on several GPUs, every rank with `ProfilerActivity.CUDA`; CPU backends such as gloo run no \
                 kernels",
                "record a run on several GPUs, each rank into a separate file",
            ),
        });
    }
    Outcome::Section(Section {
        id: CommOverlap::ID,
        title: "Communication overlap",
        numbers: ranks.iter().flat_map(|rank| numbers(rank)).collect(),
        tables: vec![by_rank(job, &ranks)],
        charts: Vec::new(),
        findings: Vec::new(),
    })
}

/// Communication, overlapped, exposed, overlap.
fn values(rank: &RankSummary) -> [Value; 4] {
    let communication = rank.times.total(KernelType::Communication);
    let overlapped = rank.times.overlapped_communication();
    let exposed = rank.times.exposed_communication();
    [communication.into(), overlapped.into(), exposed.into(), Value::percent(overlapped.0, communication.0)]
}

const COLUMNS: [(Column, &str); 4] = [
    (Column::new("comm_ns", "Communication", Unit::Nanoseconds), COMM),
    (Column::new("overlapped_ns", "Overlapped", Unit::Nanoseconds), OVERLAPPED),
    (Column::new("exposed_ns", "Exposed", Unit::Nanoseconds), EXPOSED),
    (Column::new("overlap_pct", "Overlapped of communication", Unit::Percent), OVERLAP),
];

fn numbers(rank: &RankSummary) -> Vec<Number> {
    let number = |(value, (column, explain)): (Value, (Column, &'static str))| {
        Number::of_column(column, value, explain).of_rank(rank.rank)
    };
    values(rank).into_iter().zip(COLUMNS).map(number).collect()
}

fn by_rank(job: &Job, ranks: &[&RankSummary]) -> Table {
    Table {
        id: "by_rank",
        title: "Communication by rank, overlap as a share of communication time",
        columns: job.rank_columns().into_iter().chain(COLUMNS.map(|(column, _)| column)).collect(),
        rows: ranks
            .iter()
            .map(|rank| job.rank_cells(rank).into_iter().chain(values(rank)).collect())
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::Kernel;

    use super::*;
    use crate::test_trace::{TestTrace, analyse, column, integers, number, run_of, section_of};

    #[test]
    fn values_by_hand() {
        let mut test = TestTrace::default();
        // Communication 10..50 in two kernels that overlap, compute 0..20 and 40..45.
        test.gpu(Kernel, "gemm", 0, 20)
            .gpu(Kernel, "ncclDevKernel_AllGather_RING_LL", 10, 40)
            .gpu(Kernel, "void deep_ep::intranode::combine<8>", 30, 50)
            .gpu(Kernel, "gemm", 40, 45);
        let section = section_of(&run_of(vec![test, TestTrace::default()]), "comm-overlap");
        assert_eq!(number(&section, "overlap_pct", Some(0)), Value::Float(37.5));
        assert_eq!(column(&section, "by_rank", "comm_ns"), integers([40]));
        assert_eq!(column(&section, "by_rank", "overlapped_ns"), integers([15]));
        assert_eq!(column(&section, "by_rank", "exposed_ns"), integers([25]));
    }

    #[test]
    fn without_communication_there_is_no_overlap() {
        let mut test = TestTrace::default();
        test.gpu(Kernel, "gemm", 0, 20);
        let outcome = analyse(&run_of(vec![test]), "comm-overlap", Default::default());
        assert!(matches!(outcome, Outcome::Skipped(skipped) if skipped.missing.starts_with("communication")));
    }
}
