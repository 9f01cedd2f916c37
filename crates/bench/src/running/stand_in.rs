//! A backend that runs nothing and says what it is told, so that tests depend on no machine.

use eaves_roofline::measured::summary;
use eaves_roofline::{Precision, Work};

use crate::{Backend, BenchError, Conditions, Execution, Measurement, Options, Sample, Spec, Verification};

/// Every kernel takes this many microseconds, and its results are wrong by so much.
pub(super) struct StandIn {
    pub(super) microseconds: u64,
    pub(super) error: f64,
}

impl Backend for StandIn {
    fn id(&self) -> &'static str {
        "cpu"
    }

    fn device(&self) -> String {
        "Stand-in".to_owned()
    }

    fn measure(&self, specs: &[Spec], options: &Options) -> Vec<Result<Measurement, BenchError>> {
        specs.iter().map(|spec| self.one(spec, options)).collect()
    }
}

impl StandIn {
    fn one(&self, spec: &Spec, options: &Options) -> Result<Measurement, BenchError> {
        let Spec::Gemv { n, k, weights, .. } = *spec else {
            return Err(BenchError::Unsupported {
                backend: "stand-in".to_owned(),
                what: spec.family().to_owned(),
                why: "there is gemv alone".to_owned(),
            });
        };
        let sample = Sample {
            piece: 0,
            calls: 1,
            wall_ns: self.microseconds * 1000,
            other_ns: None,
            switches: None,
            steal: None,
            clock: Some(3e9),
            contamination: None,
        };
        let samples = vec![sample; 9];
        let weight = (n * k) as f64;
        Ok(Measurement {
            spec: *spec,
            conditions: Conditions {
                backend: "cpu".to_owned(),
                device: self.device(),
                implementation: "none".to_owned(),
                threads: options.threads,
                state: options.state,
                huge_pages: None,
            },
            work: Work::matrix(weight, Precision::FP32).reads("weight", weight, weights),
            chores: Vec::new(),
            time: summary(&samples, 1),
            samples,
            clock: Some(3e9),
            verification: Some(Verification {
                error: self.error,
                tolerance: 1e-6,
                against: "nothing".to_owned(),
            }),
            execution: Execution::Executed,
            violations: Vec::new(),
        })
    }
}
