//! Work of the GPU that a fused operator or a setting avoids, by the operators and kernels that show it.

mod measure;
mod pattern;
#[cfg(test)]
mod tests;

use eaves_model::Ns;

use self::measure::{Part, Sum, tensor_float_ratio};
use self::pattern::Pattern;
use super::{Analyse, Rank, Shown, missing};
use crate::section::{Budget, Column, Finding, Gain, Section, Severity, Table, Unit, Value};
use crate::text::{duration, percent, percentage};
use crate::{Job, Outcome, RankView};

pub(super) struct AvoidableWork;

impl Analyse for AvoidableWork {
    const ID: &'static str = "avoidable-work";
    const SHOWN: Shown = Shown::WhenAsked;
    type Part = Part;

    fn measure(rank: &RankView<'_>) -> Part {
        measure::measure(rank)
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Part>]) -> Outcome {
        if !ranks.iter().any(|rank| rank.has_gpu_activity()) {
            return missing::gpu_activity(job, Self::ID);
        }
        if !ranks.iter().any(|rank| rank.part.operators) {
            return missing::operators(job, Self::ID);
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "Avoidable GPU work",
            numbers: Vec::new(),
            tables: vec![by_pattern(job, ranks)],
            charts: Vec::new(),
            findings: Pattern::ALL.iter().filter_map(|&pattern| finding(job, ranks, pattern)).collect(),
        })
    }
}

/// TF32 reaches at least so much of its peak, relative to the share that FP32 reaches of its own.
const TENSOR_FLOAT_REACH: f64 = 0.6;

/// A pattern on a rank, with what doing without it gains.
fn sum(job: &Job, rank: &Rank<'_, Part>, pattern: Pattern) -> Sum {
    let mut sum = rank.part.sums[pattern as usize];
    if pattern == Pattern::Float32Product {
        let ratio = match &job.options.device {
            Some(device) => tensor_float_ratio(device),
            None => rank.part.tensor_float_ratio,
        };
        let gained = |share: f64| Ns((sum.time.as_f64() * share.max(0.0)) as i64);
        let (low, high) =
            ratio.map_or((0.0, 0.0), |ratio| (1.0 - 1.0 / (TENSOR_FLOAT_REACH * ratio), 1.0 - 1.0 / ratio));
        (sum.low, sum.high) = (gained(low), gained(high));
    }
    sum
}

fn by_pattern(job: &Job, ranks: &[Rank<'_, Part>]) -> Table {
    let own = [
        Column::new("pattern", "Pattern", Unit::None),
        Column::new("activities", "GPU activities", Unit::Count),
        Column::new("time_ns", "Time", Unit::Nanoseconds),
        Column::new("share_pct", "Of busy time", Unit::Percent),
        Column::new("gain_low_ns", "Gain, at least", Unit::Nanoseconds),
        Column::new("gain_high_ns", "Gain, at most", Unit::Nanoseconds),
    ];
    let rows = ranks
        .iter()
        .flat_map(|rank| Pattern::ALL.iter().map(move |&pattern| (rank, pattern, sum(job, rank, pattern))));
    let cells = |(rank, pattern, sum): (&Rank<'_, Part>, Pattern, Sum)| {
        let own = [
            pattern.id().into(),
            sum.activities.into(),
            sum.time.into(),
            Value::percent(sum.time.0, rank.times.busy().0),
            sum.low.into(),
            sum.high.into(),
        ];
        job.rank_cells(rank).into_iter().chain(own).collect()
    };
    Table {
        id: "by_pattern",
        title: "Avoidable work by pattern",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows: rows.filter(|(.., sum)| sum.activities > 0).map(cells).collect(),
    }
}

/// Shares of the span that a gain has to be: below, it is rarely worth the work.
const WARNING_PCT: f64 = 3.0;
const CRITICAL_PCT: f64 = 20.0;

/// At most one finding a pattern, about the rank where it costs most.
fn finding(job: &Job, ranks: &[Rank<'_, Part>], pattern: Pattern) -> Option<Finding> {
    let share = |rank: &Rank<'_, Part>, sum: Sum| {
        percentage(sum.high, rank.span.map_or(Ns::ZERO, |span| span.length()))
    };
    let of = ranks.iter().map(|rank| (rank, sum(job, rank, pattern)));
    let (rank, sum) = of.max_by(|(a, one), (b, other)| {
        share(a, *one).total_cmp(&share(b, *other)).then(b.rank.cmp(&a.rank))
    })?;
    let share = share(rank, sum);
    if share < WARNING_PCT {
        return None;
    }
    let worst = if ranks.len() > 1 { format!("rank {} is worst: ", rank.rank) } else { String::new() };
    let gain = Gain::new(sum.low, sum.high, rank.steps, pattern.basis()).out_of(rank.rank, Budget::Compute);
    Some(Finding {
        id: pattern.id(),
        severity: if share < CRITICAL_PCT { Severity::Warning } else { Severity::Critical },
        claim: format!(
            "{worst}{}, {} of the busy time ({} in {} kernels)",
            pattern.subject(),
            percent(sum.time, rank.times.busy()),
            duration(sum.time),
            sum.activities
        ),
        gain: Some(gain),
        evidence: format!("table by_pattern, rank {}, pattern {}", rank.rank, pattern.id()),
        // Compiled code has chains only where a graph breaks.
        next: match pattern {
            Pattern::ElementwiseChain => job.audience().unless_compiled(pattern.next(), pattern.next()),
            _ => pattern.next().to_owned(),
        },
    })
}
