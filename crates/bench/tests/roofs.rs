//! The roofs of the machine that the tests run on. How quick it is, and how busy, decides no test: what was measured must fit
//! together, and what was not must be named.

use std::path::Path;
use std::time::Duration;

use eaves_bench::cpu::Cpu;
use eaves_bench::roofs::{Effort, measure_roofs, sustained};
use eaves_bench::timing::processors;
use eaves_roofline::device;

#[test]
fn what_was_measured_fits_together() {
    let mut said = Vec::new();
    let threads = processors().min(2);
    let roofs = measure_roofs(&Cpu::detect(), threads, Effort::Quick, &mut |progress| {
        assert!((0.0..=1.0).contains(&progress.share));
        said.push(progress.what.to_owned());
    });
    assert!(said.len() > 30 && said.iter().all(|what| !what.is_empty()));

    // Levels grow, and main memory is the last.
    let sizes: Vec<usize> = roofs.levels.iter().filter_map(|level| level.fits).collect();
    assert!(sizes.is_sorted_by(|one, other| one < other), "{sizes:?}");
    assert_eq!(roofs.levels.len(), sizes.len() + usize::from(!roofs.accesses.is_empty()));
    if let Some(last) = roofs.levels.last() {
        assert_eq!((last.id.as_str(), last.fits), ("hbm", None));
    }

    // What is kept is right, and a rate is never better at the median than at best.
    assert!(roofs.measurements.iter().all(|measured| measured.is_sound()));
    let levels = roofs.levels.iter().flat_map(|level| level.traffic.pairs().map(|(_, pair)| pair.clone()));
    let others = roofs.peaks.iter().map(|peak| peak.rate.clone());
    let chores = roofs.rates.iter().map(|chore| chore.rate.clone());
    for pair in levels.chain(others).chain(chores) {
        for rate in [pair.one, pair.all].into_iter().flatten() {
            assert!(rate.median > 0.0 && rate.median <= rate.best && rate.clean >= 5, "{rate:?}");
        }
    }

    // As a device it is a file that is read again.
    for threads in [1, threads] {
        let device = roofs.device(threads);
        if !device.peaks.is_empty() {
            let text = device::to_yaml(std::slice::from_ref(&device));
            assert_eq!(device::parse(&text, Path::new("measured.yaml")).unwrap(), [device]);
        }
    }
}

#[test]
fn a_long_run_is_told_by_the_second() {
    let mut shares = Vec::new();
    let length = Duration::from_millis(120);
    let seconds = sustained(&Cpu::detect(), 1, length, &mut |progress| shares.push(progress.share)).unwrap();
    assert_eq!(seconds.len(), shares.len());
    assert!(!seconds.is_empty() && seconds.is_sorted_by(|one, other| one.at < other.at));
    assert!(seconds.iter().all(|second| second.clean <= second.samples));
}
