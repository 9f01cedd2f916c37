//! What is wrong with measurements. A broken limit is never hidden.

use eaves_roofline::measured::{Execution, Measurement, Violation};
use eaves_section::{Finding, Severity};

use super::name;

pub(super) fn findings(measured: &[&Measurement]) -> Vec<Finding> {
    let mut found: Vec<Finding> = measured.iter().flat_map(|measurement| broken(measurement)).collect();
    let ran = |measurement: &&&Measurement| measurement.execution == Execution::Executed;
    let contaminated: Vec<String> = measured
        .iter()
        .filter(ran)
        .filter(|measurement| measurement.time.is_none())
        .map(|measurement| named(measurement))
        .collect();
    if !contaminated.is_empty() {
        found.push(Finding {
            id: "contaminated",
            severity: Severity::Warning,
            claim: format!("Other programs disturbed nearly every sample of {}.", contaminated.join(", ")),
            gain: None,
            evidence: "results: rows without a time; samples: contamination".to_owned(),
            next: "run again on a quieter machine, or increase --seconds".to_owned(),
        });
    }
    found
}

fn named(measurement: &Measurement) -> String {
    format!("{} in {}", name(&measurement.spec), measurement.spec.precision())
}

fn broken(measurement: &Measurement) -> Vec<Finding> {
    let finding = |violation: &Violation| {
        let (id, next) = match violation {
            Violation::WrongResult { .. } => {
                ("wrong_result", "do not use this kernel here; report it with the --json output")
            }
            _ => ("impossible_number", "do not use this number; report it with the --json output"),
        };
        Finding {
            id,
            severity: Severity::Critical,
            claim: format!(
                "{} ({}): {violation}.",
                named(measurement),
                measurement.conditions.implementation
            ),
            gain: None,
            evidence: "results: violations; samples".to_owned(),
            next: next.to_owned(),
        }
    };
    measurement.violations.iter().map(finding).collect()
}
