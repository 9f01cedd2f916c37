//! Comparison of host and device time with figures that were computed by an independent program as unions of the
//! events of real traces.

use crate::common;
use crate::common::checks::{Checks, microseconds};
use eaves_analyze::timeline::{Activity, is_host_work};
use eaves_analyze::{Options, RankView};
use eaves_model::{IntervalSet, Recording, SliceKind};

/// The figures of a trace in microseconds. Busy time of the GPU, its overlap with every event of the host that has a
/// category of its own (named ranges too, which cover whole steps), and its overlap with what we count as work:
/// operators, runtime calls, Python frames.
struct Figures {
    folder: &'static str,
    file: &'static str,
    gpu: f64,
    overlap_with_ranges: f64,
    overlap: f64,
    cpu: f64,
}

const FIGURES: [Figures; 6] = [
    Figures {
        folder: "hta_cp_alexnet",
        file: "",
        gpu: 66_141.0,
        overlap_with_ranges: 66_141.0,
        overlap: 64_666.0,
        cpu: 43_355_136.0,
    },
    Figures {
        folder: "hta_cp_simple_add",
        file: "",
        gpu: 49_758.0,
        overlap_with_ranges: 49_758.0,
        overlap: 48_529.0,
        cpu: 41_435_189.0,
    },
    Figures {
        folder: "hta_amd_mi250",
        file: "",
        gpu: 149.042_480,
        overlap_with_ranges: 149.042_480,
        overlap: 149.042_480,
        cpu: 8_649.622_070,
    },
    Figures {
        folder: "hta_cp_event_sync_multi_stream",
        file: "",
        gpu: 372.0,
        overlap_with_ranges: 73.0,
        overlap: 73.0,
        cpu: 1_104.0,
    },
    Figures {
        folder: "hta_cp_event_sync",
        file: "",
        gpu: 51.0,
        overlap_with_ranges: 51.0,
        overlap: 37.0,
        cpu: 2_428.0,
    },
    Figures {
        folder: "hta_2rank",
        file: "sampled_rank-0",
        gpu: 547_656.0,
        overlap_with_ranges: 547_656.0,
        overlap: 387_900.0,
        cpu: 623_283.0,
    },
];

#[test]
fn host_and_device_time_of_real_traces() {
    let Some(root) = common::data("hta") else { return };
    let mut checks = Checks::default();
    for figures in &FIGURES {
        let run = common::read_run(&root.join("traces").join(figures.folder));
        let recording =
            run.recordings.iter().find(|recording| recording.path.contains(figures.file)).unwrap();
        compare(figures, recording, &mut checks);
    }
    checks.finish();
    assert_eq!(checks.count("gpu") + checks.count("overlap"), 12);
}

fn compare(figures: &Figures, recording: &Recording, checks: &mut Checks) {
    // The traces of MI250 have a nanosecond and less in the times, of which a sum of unions loses some.
    const TOLERANCE: f64 = 0.01;
    let options = Options::default();
    let view = RankView::new(&recording.trace, &options);
    let mut check = |what, set: &IntervalSet, theirs| {
        checks.near(what, figures.folder, microseconds(set.measure()), theirs, TOLERANCE);
    };
    let activity = Activity::of(&view);
    check("gpu", &activity.gpu, figures.gpu);
    check("cpu", &activity.cpu, figures.cpu);
    check("overlap", &activity.cpu.intersection(&activity.gpu), figures.overlap);
    let calls = Activity::with(&view, SliceKind::is_host_call);
    check("overlap with ranges", &calls.cpu.intersection(&calls.gpu), figures.overlap_with_ranges);
    assert!(!is_host_work(SliceKind::Annotation) && is_host_work(SliceKind::Python));
}
