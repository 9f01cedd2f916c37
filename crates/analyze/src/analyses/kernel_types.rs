//! How long each combination of activity types ran together.

use std::cmp::Reverse;

use super::{Analyse, Rank, Shown, missing};
use crate::section::{Column, Number, Section, Table, Unit, Value};
use crate::type_sets::mask_name;
use crate::{Job, Outcome, RankSummary, RankView, TypeTimes};

pub(super) struct KernelTypes;

impl Analyse for KernelTypes {
    const ID: &'static str = "kernel-types";
    const SHOWN: Shown = Shown::WhenAsked;
    const NEEDS_TIMES: bool = false;
    // The summary of a rank has all it needs.
    type Part = ();

    fn measure(_rank: &RankView<'_>) {}

    fn assemble(job: &Job, _ranks: &[Rank<'_, ()>]) -> Outcome {
        section(job)
    }
}

fn section(job: &Job) -> Outcome {
    let ranks: Vec<&RankSummary> = job.ranks.iter().filter(|rank| rank.has_gpu_activity()).collect();
    if ranks.is_empty() {
        return missing::gpu_activity(job, KernelTypes::ID);
    }
    let mut total = TypeTimes::default();
    for rank in &ranks {
        total += rank.times;
    }
    let mut tables = vec![Table {
        id: "by_types",
        title: "Concurrent GPU activity types, shares of busy time",
        columns: columns(Vec::new()),
        rows: rows(&[], &total),
    }];
    if ranks.len() > 1 {
        tables.push(Table {
            id: "by_rank_and_types",
            title: "The same by rank, shares of each rank's busy time",
            columns: columns(job.rank_columns()),
            rows: ranks.iter().flat_map(|rank| rows(&job.rank_cells(rank), &rank.times)).collect(),
        });
    }
    Outcome::Section(Section {
        id: KernelTypes::ID,
        title: "Concurrent GPU activity",
        numbers: vec![Number::formula(
            "busy_ns",
            total.busy().into(),
            Unit::Nanoseconds,
            "GPU busy time, summed over the ranks; 100% of the shares",
        )],
        tables,
        charts: Vec::new(),
        findings: missing::ranks_without_gpu_activity(job).into_iter().collect(),
    })
}

fn columns(leading: Vec<Column>) -> Vec<Column> {
    let own = [
        Column::new("types", "Types", Unit::None),
        Column::new("time_ns", "Time", Unit::Nanoseconds),
        Column::new("share_pct", "Of busy time", Unit::Percent),
    ];
    leading.into_iter().chain(own).collect()
}

/// Longest first; every instant of busy time is in exactly one row.
fn rows(leading: &[Value], times: &TypeTimes) -> Vec<Vec<Value>> {
    let busy = times.busy();
    let mut combinations: Vec<_> = times.combinations().collect();
    combinations.sort_by_key(|&(mask, time)| (Reverse(time), mask));
    combinations
        .into_iter()
        .map(|(mask, time)| {
            let own = [mask_name(mask).into(), time.into(), Value::percent(time.0, busy.0)];
            leading.iter().cloned().chain(own).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::{Kernel, Memcpy};

    use crate::section::Value;
    use crate::test_trace::{TestTrace, column, column_ids, integers, run_of, section_of, texts};

    #[test]
    fn every_busy_instant_is_in_one_row() {
        let mut first = TestTrace::default();
        first
            .gpu(Kernel, "gemm", 0, 60)
            .gpu(Kernel, "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", 50, 80)
            .gpu(Memcpy, "Memcpy DtoH (Device -> Pinned)", 90, 100);
        let mut second = TestTrace::default();
        second.gpu(Kernel, "gemm", 0, 110);
        let section = section_of(&run_of(vec![first, second]), "kernel-types");
        assert_eq!(column_ids(&section, "by_types"), ["types", "time_ns", "share_pct"]);
        let types = ["compute", "communication", "compute + communication", "memory"];
        assert_eq!(column(&section, "by_types", "types"), texts(types));
        assert_eq!(column(&section, "by_types", "time_ns"), integers([160, 20, 10, 10]));
        assert_eq!(column(&section, "by_types", "share_pct"), [80.0, 10.0, 5.0, 5.0].map(Value::Float));
        assert_eq!(column(&section, "by_rank_and_types", "rank"), integers([0, 0, 0, 0, 1]));
        assert_eq!(column(&section, "by_rank_and_types", "time_ns"), integers([50, 20, 10, 10, 110]));
    }
}
