//! `--fail-on`: what was typed, as what it means.

use anyhow::Result;
use eaves_analyze::compare::{Condition, ConditionError, Metric, Subject, Threshold};
use eaves_model::suggestion::did_you_mean;
use eaves_section::Unit;

use crate::condition::{Limit, Parts};
use crate::hinted;

const FORM: &str = "write a metric, `>` or `<`, and a change: `step>+3%`, `idle>2ms`, `peak_memory>+100MB`, \
                    `kernels>+10`, `kernel:NAME>5%`";

/// `step>+3%`.
pub(super) fn parse(text: &str) -> Result<Condition> {
    let wrong = |what: String| hinted(format!("`--fail-on {text}`: {what}"), FORM);
    let parts = Parts::of(text).ok_or_else(|| wrong("neither `>` nor `<`".to_owned()))?;
    let subject = match parts.subject.strip_prefix("kernel:") {
        Some("") => return Err(wrong("`kernel:` without a name".to_owned())),
        Some(name) => Subject::Kernel(name.to_owned()),
        None => Subject::Metric(metric(parts.subject).ok_or_else(|| unknown(text, parts.subject))?),
    };
    let threshold = parts.limit.and_then(threshold);
    let threshold = threshold.ok_or_else(|| wrong(format!("`{}` is not a change", parts.typed)))?;
    Ok(Condition { text: text.to_owned(), subject, above: parts.above, threshold })
}

fn metric(name: &str) -> Option<Metric> {
    Metric::ALL.into_iter().find(|metric| metric.id() == name)
}

fn unknown(text: &str, name: &str) -> anyhow::Error {
    let known = || Metric::ALL.into_iter().map(Metric::id);
    let hint = match did_you_mean(name, known()) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => format!("metrics are {} and kernel:NAME", known().collect::<Vec<_>>().join(", ")),
    };
    hinted(format!("`--fail-on {text}`: no metric `{name}`"), hint)
}

/// A change in percent, or in nanoseconds, bytes or a count.
fn threshold(limit: Limit) -> Option<Threshold> {
    match limit.unit {
        Unit::Percent => Some(Threshold::Percent(limit.value)),
        Unit::Nanoseconds | Unit::Bytes | Unit::Count => {
            let amount = limit.value.round();
            (amount.abs() < i64::MAX as f64).then_some(Threshold::Amount(amount as i64, limit.unit))
        }
        _ => None,
    }
}

/// Why a condition cannot be checked, as an error.
pub(super) fn explain(condition: &Condition, error: &ConditionError) -> anyhow::Error {
    let (what, hint) = match (error, &condition.subject) {
        (ConditionError::NotThere, Subject::Metric(Metric::Step)) => (
            "only one run has profiler steps, or neither".to_owned(),
            "call `prof.step()` at the end of every iteration, or use `span` or `busy`".to_owned(),
        ),
        (ConditionError::NotThere, Subject::Metric(Metric::Span)) => {
            ("runs with steps are compared by step".to_owned(), "use `step`".to_owned())
        }
        (ConditionError::NotThere, _) => (
            "only one run has it, or neither".to_owned(),
            "the table `summary` shows what they have; `eaves info` shows how to record the rest".to_owned(),
        ),
        (ConditionError::NoSuchKernel, _) => (
            "neither run has such a kernel".to_owned(),
            "`eaves diff --top 0` lists all names; part of a name is enough".to_owned(),
        ),
        (ConditionError::OtherUnit(unit), _) => {
            let units = match unit {
                Unit::Bytes => "%, B, kB, MB or GB",
                Unit::Count => "% or a bare number",
                _ => "%, ns, us, ms or s",
            };
            ("the change has the wrong unit".to_owned(), format!("give it in {units}"))
        }
        (ConditionError::NoPercent, _) => (
            "it is 0 in the base, so there is no percentage".to_owned(),
            "give the change in its unit".to_owned(),
        ),
        _ => ("it cannot be checked".to_owned(), FORM.to_owned()),
    };
    hinted(format!("`--fail-on {}`: {what}", condition.text), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (Subject, bool, Threshold) {
        let condition = parse(text).unwrap();
        (condition.subject, condition.above, condition.threshold)
    }

    #[test]
    fn conditions_are_read_as_they_are_meant() {
        let step = Subject::Metric(Metric::Step);
        assert_eq!(parsed("step>+3%"), (step.clone(), true, Threshold::Percent(3.0)));
        assert_eq!(parsed(" step < -2.5 % "), (step.clone(), false, Threshold::Percent(-2.5)));
        assert_eq!(parsed("step>1.5ms"), (step, true, Threshold::Amount(1_500_000, Unit::Nanoseconds)));
        let memory = Subject::Metric(Metric::PeakMemory);
        assert_eq!(parsed("peak_memory>+100MB"), (memory, true, Threshold::Amount(100_000_000, Unit::Bytes)));
        let kernels = Subject::Metric(Metric::Kernels);
        assert_eq!(parsed("kernels>10"), (kernels, true, Threshold::Amount(10, Unit::Count)));
        let kernel = Subject::Kernel("void f<int>(a<b>)".to_owned());
        assert_eq!(parsed("kernel:void f<int>(a<b>)>5%"), (kernel, true, Threshold::Percent(5.0)));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let refused =
            ["", "step", "step>", "step>x%", "stop>3%", "kernel:>3%", ">3%", "step>3 parsecs", "step>1e999s"];
        for text in refused {
            assert!(parse(text).is_err(), "{text}");
        }
        let hint = |text: &str| crate::Failure::from(parse(text).unwrap_err()).hint.unwrap();
        assert_eq!(hint("stpe>3%"), "did you mean `step`?");
    }
}
