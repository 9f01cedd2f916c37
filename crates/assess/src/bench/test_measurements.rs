//! Measurements made up for tests.

use eaves_roofline::measured::{
    CacheState, Conditions, Contamination, Execution, Measurement, Sample, Spec, Verification, summary,
};
use eaves_roofline::{Precision, Work};

pub(crate) fn precision(name: &str) -> Precision {
    name.parse().expect(name)
}

pub(crate) fn gemv(n: usize, k: usize, weights: &str) -> Spec {
    Spec::Gemv { n, k, weights: precision(weights), activations: Precision::FP32 }
}

pub(crate) fn gemm(m: usize, weights: &str) -> Spec {
    Spec::Gemm { m, n: 1000, k: 1000, weights: precision(weights), activations: Precision::FP32 }
}

fn work(spec: &Spec) -> Work {
    let (m, n, k, weights) = match *spec {
        Spec::Gemv { n, k, weights, .. } => (1, n, k, weights),
        Spec::Gemm { m, n, k, weights, .. } => (m, n, k, weights),
        Spec::Stream { bytes, .. } => {
            return Work::movement().reads("x", bytes as f64 / 4.0, Precision::FP32);
        }
        _ => return Work::matrix(1e6, Precision::FP32),
    };
    Work::matrix((m * n * k) as f64, Precision::FP32).reads("weight", (n * k) as f64, weights)
}

/// Ten clean samples about this time and two dirty ones.
pub(crate) fn measured(spec: Spec, microseconds: f64) -> Measurement {
    let sample = |index: u32, contamination| Sample {
        piece: 0,
        calls: 10,
        wall_ns: (microseconds * 1e4) as u64 + u64::from(index % 3) * 10,
        other_ns: None,
        switches: Some(0),
        steal: Some(0),
        clock: Some(3.2e9),
        contamination,
    };
    let mut samples: Vec<Sample> = (0..10).map(|index| sample(index, None)).collect();
    samples.push(sample(0, Some(Contamination::Switched)));
    samples.push(sample(0, Some(Contamination::Stolen)));
    Measurement {
        spec,
        conditions: Conditions {
            backend: "cpu".to_owned(),
            device: "Test CPU".to_owned(),
            implementation: "by hand".to_owned(),
            threads: 1,
            state: CacheState::Cold,
            huge_pages: Some(true),
        },
        work: work(&spec),
        chores: Vec::new(),
        time: summary(&samples, 1),
        samples,
        clock: Some(3.2e9),
        verification: Some(Verification { error: 1e-7, tolerance: 1e-6, against: "f64".to_owned() }),
        execution: Execution::Executed,
        violations: Vec::new(),
    }
}

/// With so few clean samples that exists no number.
pub(crate) fn contaminated(spec: Spec) -> Measurement {
    let mut measurement = measured(spec, 100.0);
    for sample in &mut measurement.samples[4..] {
        sample.contamination = Some(Contamination::LostProcessor);
    }
    measurement.time = summary(&measurement.samples, 1);
    measurement
}
