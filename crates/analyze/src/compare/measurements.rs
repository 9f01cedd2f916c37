//! What is compared of kernel tables and other measurements: names with calls and times, without steps.

use eaves_model::{Measurement, MeasurementKind, Measurements};

use super::profile::{Entry, Place, Profile, RankProfile, Series};
use crate::KernelType;

impl Profile {
    /// What measurement files give to compare; nothing if no record has a time.
    pub fn of_measurements(files: &[Measurements]) -> Option<Self> {
        let records = || files.iter().flat_map(|file| &file.records).enumerate();
        let of_kind = |kind| records().filter(move |(_, record)| record.kind == kind).filter_map(entry);
        let kernels: Vec<Entry> = of_kind(MeasurementKind::Compute).collect();
        let messages: Vec<Entry> = of_kind(MeasurementKind::Communication).collect();
        if kernels.is_empty() && messages.is_empty() {
            return None;
        }
        let collectives = (!messages.is_empty()).then_some(messages);
        Some(Self::new(vec![RankProfile { kernels, collectives, ..RankProfile::default() }]))
    }
}

fn entry((order, record): (usize, &Measurement)) -> Option<Entry> {
    let outside = |value: i64| Series { inside: Vec::new(), outside: value };
    let time = record.time?.round() as i64;
    let name = if record.name.is_empty() { &record.type_name } else { &record.name };
    let class = match record.kind {
        MeasurementKind::Compute => KernelType::of_kernel(name),
        MeasurementKind::Communication => KernelType::Communication,
    };
    Some(Entry {
        place: Place { name: name.clone(), class: class.id(), operator: None, path: String::new() },
        order: order as u64,
        calls: outside(i64::try_from(record.calls).unwrap_or(i64::MAX)),
        time: outside(time),
        total: outside(time),
        gpu: Series::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: MeasurementKind, name: &str, calls: u64, time: Option<f64>) -> Measurement {
        Measurement { kind, name: name.to_owned(), calls, time, ..Measurement::default() }
    }

    #[test]
    fn calls_of_one_name_are_summed_over_files() {
        let work = MeasurementKind::Compute;
        let files = [
            Measurements {
                records: vec![record(work, "gemm", 2, Some(30.4)), record(work, "norm", 1, None)],
                ..Measurements::default()
            },
            Measurements {
                records: vec![
                    record(work, "gemm", 1, Some(12.0)),
                    record(MeasurementKind::Communication, "all_reduce", 1, Some(5.0)),
                ],
                ..Measurements::default()
            },
        ];
        let profile = Profile::of_measurements(&files).unwrap();
        let [gemm] = profile.kernels.as_slice() else { panic!("{:?}", profile.kernels) };
        assert_eq!((gemm.place.name.as_str(), gemm.calls.sum(), gemm.time.sum()), ("gemm", 3, 42));
        assert_eq!(profile.collectives.unwrap()[0].time.sum(), 5);
        assert!(Profile::of_measurements(&[]).is_none());
    }
}
