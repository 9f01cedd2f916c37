//! Measurements as points of a roofline.

use eaves_roofline::measured::{Measurement, Spec};

use super::{name, seconds};
use crate::roofline::{Load, Mark, Point};

/// One point for each kernel that has a number.
pub fn points(measured: &[&Measurement]) -> Vec<Point> {
    let several = |read: fn(&Measurement) -> String| {
        measured.first().is_some_and(|first| measured.iter().any(|other| read(other) != read(first)))
    };
    let precisions = several(|measurement| measurement.spec.precision());
    let codes = several(|measurement| measurement.conditions.implementation.clone());
    let threads = several(|measurement| measurement.conditions.threads.to_string());
    let point = |measurement: &&Measurement| {
        let time = seconds(measurement)? * 1e9;
        let mut words = vec![name(&measurement.spec)];
        if precisions {
            words.push(measurement.spec.precision());
        }
        if codes {
            words.push(measurement.conditions.implementation.clone());
        }
        if threads {
            words.push(format!("{} threads", measurement.conditions.threads));
        }
        Some(Point {
            name: words.join(" "),
            kind: measurement.spec.family().to_owned(),
            dtype: measurement.spec.precision(),
            calls: 1,
            time: Some(time),
            load: Ok(Load::from(&measurement.work)),
            mark: match measurement.spec {
                Spec::Gemv { .. } | Spec::Gemm { .. } => Mark::Circle,
                Spec::Attention { .. } => Mark::Pentagon,
                Spec::Stream { .. } => Mark::Triangle,
                _ => Mark::Diamond,
            },
            record: None,
        })
    };
    measured.iter().filter_map(point).collect()
}
