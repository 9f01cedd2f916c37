//! Steps that differ from the others. The first step of a recording is treated apart: it warms up caches, compilers
//! and the profiler itself.

use eaves_model::Ns;

use super::{Step, median};
use crate::RankSummary;
use crate::section::{Budget, Finding, Gain, Severity};
use crate::text::{duration, percentage};

/// A step this many times the median is worth a sentence.
const SLOW_RATIO: f64 = 1.5;
/// Given enough steps to have a median, the first one included.
const STEPS_FOR_A_MEDIAN: usize = 4;
/// Steps that spread so much around their mean are worth a sentence, given enough of them behind the first. The steps
/// of a steady loop spread by one or two percent.
const UNEVEN_PCT: f64 = 10.0;
const STEPS_FOR_A_SPREAD: usize = 4;
/// Less of the steps' time is unknown from noise.
const LOST_PCT: f64 = 2.0;

/// A rank with its selected steps.
type Of<'a> = (&'a RankSummary, &'a [Step]);

/// At most one finding of each kind, about the rank where it costs most.
pub(super) fn findings(ranks: &[Of<'_>]) -> Vec<Finding> {
    let slow = slow_step(ranks);
    // One step that sticks out spreads them all, so only one of the two is said.
    let uneven = if slow.is_none() { uneven_steps(ranks) } else { None };
    slow.into_iter().chain(uneven).chain(warm_up_step(ranks)).collect()
}

/// The steps behind the warm-up, of which the first of the recording always is one.
fn steady<'a>((rank, steps): &Of<'a>) -> &'a [Step] {
    let first = usize::from(steps.first().is_some_and(|first| first.is_first));
    let warm_up = usize::try_from(rank.steady.warm_up_steps).unwrap_or(usize::MAX);
    &steps[first.max(warm_up).min(steps.len())..]
}

/// Time of a step in which its GPU computed nothing; nothing if that is not known.
fn lost(step: &Step) -> Option<Ns> {
    let work = step.gpu.as_ref()?;
    Some(work.idle + work.times.exposed_communication() + work.times.exposed_memory())
}

/// The value below which a share of the steps is.
fn quantile(mut values: Vec<Ns>, numerator: usize, denominator: usize) -> Ns {
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) * numerator / denominator).copied().unwrap_or(Ns::ZERO)
}

/// What steps take beyond a usual one, as far as the GPU did not compute meanwhile: longer work is not a loss.
fn avoidable(steps: &[Step], usual: impl Fn(Vec<Ns>) -> Ns) -> Vec<Ns> {
    let usual_length = usual(steps.iter().map(length).collect());
    let usual_loss = usual(steps.iter().filter_map(lost).collect());
    let beyond = |step: &Step| {
        let longer = length(step) - usual_length;
        let loss = lost(step).map_or(longer, |lost| lost - usual_loss);
        longer.min(loss).max(Ns::ZERO)
    };
    steps.iter().map(beyond).collect()
}

fn length(step: &Step) -> Ns {
    step.window.length()
}

fn times(step: &Step, median: Ns) -> f64 {
    length(step).as_f64() / median.as_f64().max(1.0)
}

fn slow_step(ranks: &[Of<'_>]) -> Option<Finding> {
    let (rank, steps, step, median) = ranks
        .iter()
        .filter(|(_, steps)| steps.len() >= STEPS_FOR_A_MEDIAN)
        .map(|of| (of.0, steady(of), median(steady(of))))
        // Where every other step is slow, none sticks out.
        .filter(|&(_, steps, median)| {
            2 * steps.iter().filter(|step| times(step, median) >= SLOW_RATIO).count() < steps.len()
        })
        .flat_map(|(rank, steps, median)| (0..steps.len()).map(move |index| (rank, steps, index, median)))
        .max_by_key(|(_, steps, index, median)| length(&steps[*index]) - *median)?;
    let beyond = avoidable(steps, |values| quantile(values, 1, 2));
    let is_slow = |step: &Step| times(step, median) >= SLOW_RATIO;
    // All that stick out, as far as they lose time.
    let sum = |beyond: &[Ns]| -> Ns {
        steps.iter().zip(beyond).filter(|(step, _)| is_slow(step)).map(|(_, &beyond)| beyond).sum()
    };
    let (all, least) = (sum(&beyond), sum(&avoidable(steps, |values| quantile(values, 3, 4))));
    let slow = steps.iter().filter(|step| is_slow(step)).count();
    let gained = beyond[step];
    let (step, count) = (&steps[step], steps.len() as u64);
    if times(step, median) < SLOW_RATIO {
        return None;
    }
    let is_work = 2 * gained.0 < (length(step) - median).0;
    Some(Finding {
        id: "slow_step",
        severity: if is_work { Severity::Info } else { Severity::Warning },
        claim: format!(
            "step {} of rank {} took {}, {:.1} times the median of {}{}{}",
            step.number,
            rank.rank,
            duration(length(step)),
            times(step, median),
            duration(median),
            if slow > 1 { format!("; {} more are slow, too", slow - 1) } else { String::new() },
            if is_work { "; its GPU had more work" } else { "" }
        ),
        gain: (!is_work).then(|| {
            Gain::new(
                least.min(all),
                all,
                count,
                "time of such steps beyond the median without computing, spread over the steps; at least the time \
                beyond the third quartile",
            )
            .out_of(rank.rank, Budget::NotComputing)
        }),
        evidence: format!("table by_step, rank {}, step {}", rank.rank, step.number),
        next: if is_work {
            format!(
                "compare its work with that of other steps (`--step {}`): a longer batch, an evaluation",
                step.number
            )
        } else {
            format!(
                "inspect this step with `--step {}`: recompilation, garbage collection, checkpoints and data \
                loading are the usual causes",
                step.number
            )
        },
    })
}

/// Standard deviation of the durations, of their mean in percent.
fn spread_pct(steps: &[Step]) -> f64 {
    let count = steps.len() as f64;
    let mean = steps.iter().map(|step| length(step).as_f64()).sum::<f64>() / count;
    let squares: f64 = steps.iter().map(|step| (length(step).as_f64() - mean).powi(2)).sum();
    100.0 * (squares / (count - 1.0)).sqrt() / mean.max(1.0)
}

fn uneven_steps(ranks: &[Of<'_>]) -> Option<Finding> {
    let (rank, steps) = ranks
        .iter()
        .map(|of| (of.0, steady(of)))
        .filter(|(_, steps)| steps.len() >= STEPS_FOR_A_SPREAD)
        .max_by(|(_, a), (_, b)| spread_pct(a).total_cmp(&spread_pct(b)))?;
    let spread = spread_pct(steps);
    if spread < UNEVEN_PCT {
        return None;
    }
    let mut lengths: Vec<Ns> = steps.iter().map(length).collect();
    lengths.sort_unstable();
    let (shortest, longest) = (lengths[0], lengths[lengths.len() - 1]);
    let mean = lengths.iter().copied().sum::<Ns>();
    let beyond: Ns = avoidable(steps, |values| quantile(values, 1, 4)).into_iter().sum();
    // Batches of different length make steps uneven, and nothing is lost.
    let is_work = percentage(beyond, mean) < LOST_PCT;
    Some(Finding {
        id: "uneven_steps",
        severity: if is_work { Severity::Info } else { Severity::Warning },
        claim: format!(
            "the steps of rank {} take {} to {}, a spread of {spread:.0}% of their mean{}",
            rank.rank,
            duration(shortest),
            duration(longest),
            if is_work { ", like their GPU work" } else { "" }
        ),
        gain: (!is_work).then(|| {
            Gain::new(
                Ns::ZERO,
                beyond,
                steps.len() as u64,
                "if every step lost as little time without computing as the lower quartile",
            )
            .out_of(rank.rank, Budget::NotComputing)
        }),
        evidence: format!("table by_step, rank {}, column duration_ns", rank.rank),
        next: "compare a short step with a long one (`--step N`): varying batch lengths, data loading and other \
            load on the machine are the usual causes"
            .to_owned(),
    })
}

/// Says that totals include a step that is not like the others. What it costs is paid once, so there is no gain.
fn warm_up_step(ranks: &[Of<'_>]) -> Option<Finding> {
    let (rank, first, rest) = ranks
        .iter()
        .filter(|(_, steps)| steps.len() >= STEPS_FOR_A_MEDIAN)
        .filter_map(|of| Some((of.0, of.1.first()?, steady(of))))
        .filter(|(_, first, _)| first.is_first)
        .max_by(|a, b| times(a.1, median(a.2)).total_cmp(&times(b.1, median(b.2))))?;
    if times(first, median(rest)) < SLOW_RATIO {
        return None;
    }
    let (from, to) = (rest.first()?.number, rest.last()?.number);
    Some(Finding {
        id: "warm_up_step",
        severity: Severity::Info,
        claim: format!(
            "step {} of rank {}, the first of the recording, took {:.1} times the median of the others",
            first.number,
            rank.rank,
            times(first, median(rest))
        ),
        gain: None,
        evidence: format!("table by_step, rank {}, step {}", rank.rank, first.number),
        next: format!("exclude it with `--step {from}-{to}`, or record after a few warm-up steps"),
    })
}

#[cfg(test)]
mod tests {
    use eaves_model::Ns;

    use crate::section::{Finding, Severity};
    use crate::test_trace::{TestTrace, analyse, run_of, section_of};
    use crate::{Outcome, Selection};

    fn trace(lengths: &[i64]) -> TestTrace {
        let mut test = TestTrace::default();
        let mut start = 0;
        for (index, length) in lengths.iter().enumerate() {
            test.step(index as u64 + 1, start, start + length);
            start += length;
        }
        test
    }

    fn findings(lengths: &[i64]) -> Vec<Finding> {
        section_of(&run_of(vec![trace(lengths)]), "steps").findings
    }

    #[test]
    fn a_slow_step_is_found() {
        let found = findings(&[10, 10, 40, 10]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].claim, "step 3 of rank 0 took 40 ns, 4.0 times the median of 10 ns");
        // 30 ns too much in one of the three steps behind the first, beyond the median and beyond the other two.
        let gain = found[0].gain.as_ref().unwrap();
        assert_eq!((gain.low, gain.high, gain.per_step), (Ns(10), Ns(10), true));
        assert_eq!(findings(&[10, 10, 40]), []);
        assert_eq!(findings(&[100, 101, 103, 99, 100]), []);
    }

    #[test]
    fn the_first_step_is_treated_apart() {
        let found = findings(&[40, 10, 11, 10]);
        assert_eq!((found[0].id, found[0].severity), ("warm_up_step", Severity::Info));
        assert_eq!(
            found[0].claim,
            "step 1 of rank 0, the first of the recording, took 4.0 times the median of the others"
        );
        assert!(found[0].next.contains("`--step 2-4`"), "{}", found[0].next);
        assert_eq!(found.len(), 1);
        // Of selected steps the first is one like the others.
        let run = run_of(vec![trace(&[10, 40, 10, 10, 10])]);
        let selected = analyse(&run, "steps", Selection::default().with_steps(2..=5));
        let Outcome::Section(section) = selected else { panic!("a section was expected") };
        assert_eq!(section.findings[0].id, "slow_step");
    }

    /// Steps in which the GPU computes for some time and is idle for the rest.
    fn with_gpu(steps: &[(i64, i64)]) -> Vec<Finding> {
        let mut test = trace(&steps.iter().map(|(length, _)| *length).collect::<Vec<_>>());
        let mut start = 0;
        for (index, &(length, busy)) in steps.iter().enumerate() {
            test.launch(index as i64, start, start).kernel("gemm", index as i64, start, start + busy);
            start += length;
        }
        section_of(&run_of(vec![test]), "steps").findings
    }

    #[test]
    fn longer_work_is_no_loss() {
        // 20 ns idle in each step, however long it computes.
        let found = with_gpu(&[(100, 80), (80, 60), (120, 100), (80, 60), (120, 100)]);
        assert_eq!((found[0].id, found[0].severity, &found[0].gain), ("uneven_steps", Severity::Info, &None));
        let found = with_gpu(&[(100, 80), (100, 80), (300, 280), (100, 80), (100, 80)]);
        assert_eq!((found[0].id, found[0].severity, &found[0].gain), ("slow_step", Severity::Info, &None));
        // Of 200 ns more the GPU is idle for 150.
        let found = with_gpu(&[(100, 80), (100, 80), (300, 130), (100, 80), (100, 80)]);
        assert_eq!((found[0].id, found[0].gain.as_ref().unwrap().high), ("slow_step", Ns(150 / 4)));
    }

    #[test]
    fn steps_that_spread_are_uneven() {
        // Mean 100, differences of 20: the deviation is the root of 1600 / 3.
        let found = findings(&[500, 80, 120, 80, 120]);
        let ids: Vec<_> = found.iter().map(|finding| finding.id).collect();
        assert_eq!(ids, ["uneven_steps", "warm_up_step"]);
        assert_eq!(found[0].claim, "the steps of rank 0 take 80 ns to 120 ns, a spread of 23% of their mean");
        // The second of the four is the lower quarter: 80. The others take 80 more together.
        assert_eq!(found[0].gain.as_ref().unwrap().high, Ns(20));
        // Differences of 8: a deviation of 9.2.
        assert_eq!(findings(&[100, 92, 108, 92, 108]), []);
        assert_eq!(findings(&[100, 85, 115, 85]), []);
    }
}
