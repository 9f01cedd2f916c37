//! The rules by hand, and that they hold whatever is recorded.

use eaves_model::DeviceProperties;
use eaves_model::SliceKind::{Annotation, Kernel, Memcpy, Op, Runtime};
use proptest::prelude::*;

use super::*;
use crate::section::{Section, Severity, Value};
use crate::test_trace::{TestTrace, column, run_of};
use crate::{Options, RankView, job, report};

const NCCL: &str = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

/// Two steps of 1000: 500 compute, 200 communication, 100 copies, 200 idle.
fn trace() -> TestTrace {
    let mut test = TestTrace::default();
    for step in 0..2 {
        let start = 1000 * step;
        test.step(step as u64, start, start + 1000);
        test.gpu(Kernel, "gemm", start, start + 500)
            .gpu(Kernel, NCCL, start + 500, start + 700)
            .gpu(Memcpy, "Memcpy DtoD (Device -> Device)", start + 700, start + 800)
            .gpu(Kernel, "end", start + 1000, start + 1000);
    }
    test
}

fn finding(id: &'static str, gain: Gain) -> Finding {
    Finding {
        id,
        severity: Severity::Warning,
        claim: String::new(),
        gain: Some(gain),
        evidence: String::new(),
        next: String::new(),
    }
}

/// The findings after they were settled, in the order of the report.
fn settled(findings: Vec<Finding>) -> Vec<Finding> {
    let run = run_of(vec![trace()]);
    let options = Options::default();
    let measured = [job::measure(&RankView::new(&run.recordings[0].trace, &options), &[])];
    let summaries: Vec<&job::Summary> = measured.iter().map(|one| &one.summary).collect();
    let assembly = job::Assembly::new(&run.recordings, &summaries, &options).unwrap();
    let mut outcomes = [Outcome::Section(Section { findings, ..Section::default() })];
    assembly.settle(&mut outcomes);
    outcomes[0].section().unwrap().findings.clone()
}

fn gain(high: i64, budget: Budget) -> Gain {
    Gain::new(Ns(high / 2), Ns(high), 2, "").out_of(0, budget)
}

#[test]
fn a_gain_is_what_there_is_at_most() {
    let high = |budget| settled(vec![finding("a", gain(9_000, budget))])[0].gain.clone().unwrap().high;
    assert_eq!(high(Budget::Idle), Ns(200));
    assert_eq!(high(Budget::ExposedCommunication), Ns(200));
    assert_eq!(high(Budget::ExposedMemory), Ns(100));
    assert_eq!(high(Budget::Compute), Ns(500));
    assert_eq!(high(Budget::NotComputing), Ns(500));
    assert_eq!(high(Budget::Everything), Ns(1000));
    let low = settled(vec![finding("a", gain(9_000, Budget::Idle))])[0].gain.clone().unwrap().low;
    assert_eq!(low, Ns(200));
}

#[test]
fn what_two_sections_find_is_said_once() {
    let section = |findings| Outcome::Section(Section { findings, ..Section::default() });
    let plain = |id| Finding { gain: None, ..finding(id, gain(1, Budget::Idle)) };
    let mut outcomes = [
        section(vec![finding("a", gain(100, Budget::Idle)), plain("b")]),
        section(vec![
            finding("a", gain(200, Budget::Idle)),
            finding("a", gain(50, Budget::Idle)),
            plain("b"),
        ]),
    ];
    say_once(&mut outcomes);
    let ids = |outcome: &Outcome| -> Vec<&str> {
        outcome.section().unwrap().findings.iter().map(|finding| finding.id).collect()
    };
    assert_eq!(ids(&outcomes[0]), ["b"]);
    assert_eq!(ids(&outcomes[1]), ["a", "a"]);
}

#[test]
fn what_gains_nothing_is_no_finding() {
    assert_eq!(settled(vec![finding("a", gain(0, Budget::Idle)), finding("b", gain(1, Budget::Idle))]), []);
}

#[test]
fn gains_that_may_be_the_same_time_say_so() {
    let overlaps = |gains: &[(&'static str, i64, Budget)]| {
        let findings = gains.iter().map(|&(id, high, budget)| finding(id, gain(high, budget))).collect();
        let pair = |finding: Finding| (finding.id, finding.gain.unwrap().overlaps);
        settled(findings).into_iter().map(pair).collect::<Vec<_>>()
    };
    // Both fit into 200 a step.
    assert_eq!(
        overlaps(&[("a", 240, Budget::Idle), ("b", 160, Budget::Idle)]),
        [("a", vec![]), ("b", vec![])]
    );
    assert_eq!(
        overlaps(&[("a", 240, Budget::Idle), ("b", 162, Budget::Idle)]),
        [("a", vec![]), ("b", vec!["a"])]
    );
    // Kinds apart never are.
    assert_eq!(
        overlaps(&[("a", 400, Budget::Idle), ("b", 400, Budget::ExposedCommunication)]),
        [("a", vec![]), ("b", vec![])]
    );
    // A wide one may be either of them, and nobody knows which.
    assert_eq!(
        overlaps(&[("a", 100, Budget::Idle), ("b", 60, Budget::NotComputing), ("c", 40, Budget::Compute)]),
        [("a", vec![]), ("b", vec!["a"]), ("c", vec![])]
    );
}

/// What a random recording is made of: steps, and for each activity when it is launched, how long that takes, what it
/// is, how long after the launch it starts and how long it runs, and what the host does before.
type Random = (Vec<i64>, Vec<(i64, i64, usize, i64, i64, usize)>);

fn random() -> impl Strategy<Value = Random> {
    let activity = (0i64..400_000, 1i64..3_000, 0usize..4, 0i64..5_000, 0i64..20_000, 0usize..6);
    (prop::collection::vec(1_000i64..60_000, 0..9), prop::collection::vec(activity, 0..60))
}

const LOADER: &str = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

/// A product of square matrices, which is below its roof, above it or too short to say.
fn product(test: &mut TestTrace, size: i64, start: i64, end: i64) {
    let dims = format!("[[{size},{size}],[{size},{size}]]");
    test.operator("aten::mm", start, end, &dims, r#"["float","float"]"#);
}

fn steps(lengths: &[i64]) -> TestTrace {
    let mut test = TestTrace::default();
    let mut start = 1_000;
    for (number, length) in lengths.iter().enumerate() {
        test.step(number as u64, start, start + length);
        start += length;
    }
    test
}

fn recording((lengths, activities): &Random) -> TestTrace {
    let mut test = steps(lengths);
    let device = DeviceProperties { name: "NVIDIA A100-SXM4-80GB".to_owned(), ..DeviceProperties::default() };
    test.trace.metadata.devices.push(device);
    for (index, &(launched, call, kind, delay, length, before)) in activities.iter().enumerate() {
        let correlation = index as i64;
        match before {
            1 => test.host(Annotation, "## load_batch ##", launched - 900, launched),
            2 => test.host(Op, "aten::item", launched - 700, launched),
            3 => test.host(Runtime, "cudaMalloc", launched - 500, launched),
            4 => test.host(Op, "aten::softmax", launched - 300, launched + call),
            5 => {
                product(&mut test, 16 + delay / 8, launched - 300, launched + call);
                &mut test
            }
            _ => &mut test,
        };
        test.launch(correlation, launched, launched + call);
        let (kind, name) = [
            (Kernel, "gemm"),
            (Kernel, NCCL),
            (Memcpy, "Memcpy HtoD (Pageable -> Device)"),
            (Memcpy, "Memcpy DtoD (Device -> Device)"),
        ][kind];
        let begin = launched + call + delay;
        test.gpu_on(0, Some(correlation), kind, name, begin, begin + length).bytes(100_000);
    }
    test.on_one_thread();
    test
}

/// The same on a processor: what is random takes its turns on one thread.
fn on_the_host((lengths, activities): &Random) -> TestTrace {
    let mut test = steps(lengths);
    let mut now = 1_000;
    for &(_, before, kind, delay, length, _) in activities {
        let start = now + before % 2_000;
        let end = start + length;
        match kind {
            0 => {
                product(&mut test, 16 + delay / 64, start, end);
                &mut test
            }
            1 => test.host(Annotation, LOADER, start, end),
            2 => test.annotation("gloo:all_reduce", start, end, "[[4096]]", r#"["float"]"#),
            _ => test.host(Op, "aten::copy_", start, end),
        };
        now = end;
    }
    test.on_one_thread();
    test
}

/// The random recordings below are of a kind in which there is something to gain.
#[test]
fn such_recordings_have_findings_of_the_roof_and_of_loading() {
    let ids = |test: TestTrace| {
        let outcomes = report(&run_of(vec![test]), &Options::default()).unwrap();
        let sections = outcomes.iter().filter_map(Outcome::section);
        let findings = sections.flat_map(|section| &section.findings);
        findings.filter(|finding| finding.gain.is_some()).map(|finding| finding.id).collect::<Vec<_>>()
    };
    let launched = (0..4).map(|step| (2_000 + 30_000 * step, 1_000, 0, 800, 15_000, 5)).collect();
    assert!(ids(recording(&(vec![30_000; 4], launched))).contains(&"roofline_headroom"));
    let turns = (0..8).map(|turn| (0, 0, turn % 2, 640, [8_000, 20_000][turn % 2], 0)).collect();
    assert!(ids(on_the_host(&(vec![30_000; 4], turns))).contains(&"data_loading"));
}

/// What the rows of a table come to.
fn sum(outcomes: &[Outcome], section: &str, table: &str, id: &str) -> i64 {
    let section = outcomes.iter().filter_map(Outcome::section).find(|one| one.id == section);
    section.map_or(0, |section| {
        let values = column(section, table, id);
        values.into_iter().map(|value| if let Value::Integer(value) = value { value } else { 0 }).sum()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Of any ranks: no gain is zero or more than there is of its kind, low is no more than high, and what does not
    /// overlap adds up to a step, and of each kind to what there is.
    #[test]
    fn gains_never_exceed_the_time_there_is(
        ranks in prop::collection::vec(random(), 1..4),
        is_on_the_host in prop::bool::weighted(0.3),
    ) {
        let record = if is_on_the_host { on_the_host } else { recording };
        let run = run_of(ranks.iter().map(record).collect());
        let options = Options::default();
        let views: Vec<crate::RankView<'_>> =
            run.recordings.iter().map(|recording| RankView::new(&recording.trace, &options)).collect();
        // In a step, or altogether: idle, exposed communication, exposed memory, compute, and the whole.
        let times = |per_step: bool, rank: &crate::RankView<'_>| {
            let steady = rank.steady();
            let divisor = if per_step { steady.steps.max(1) as i64 } else { 1 };
            let window = steady.window.map_or(0, |window| window.length().0);
            let extent = rank.extent.map_or(0, |extent| extent.length().0);
            let steps = if steady.steps > 0 { steady.step_time.0 } else { 0 };
            // A host that runs ahead takes less for its steps than the GPU.
            let whole = if steps.max(window) > 0 { steps.max(window) } else { extent };
            if steady.window.is_none() {
                return [whole / divisor; 5];
            }
            [
                steady.idle().0 / divisor,
                steady.times.exposed_communication().0 / divisor,
                steady.times.exposed_memory().0 / divisor,
                steady.times.total(crate::KernelType::Compute).0 / divisor,
                whole / divisor,
            ]
        };
        let outcomes = report(&run, &options).unwrap();
        let findings = || outcomes.iter().filter_map(Outcome::section).flat_map(|section| &section.findings);
        let fewest_steps = ranks.iter().map(|(steps, _)| steps.len().max(1) as i64).min().unwrap_or(1);
        let mut together = [0i64; 2];
        for finding in findings() {
            let Some(gain) = &finding.gain else { continue };
            prop_assert!(Ns::ZERO <= gain.low && gain.low <= gain.high && gain.high > Ns::ZERO, "{:?}", finding);
            let most = views
                .iter()
                .enumerate()
                .filter(|(index, _)| gain.rank.is_none_or(|rank| rank == *index as i64))
                .map(|(_, view)| {
                    let [idle, communication, memory, compute, whole] = times(gain.per_step, view);
                    match gain.budget {
                        Budget::Idle => idle,
                        Budget::ExposedCommunication => communication,
                        Budget::ExposedMemory => memory,
                        Budget::Compute => compute,
                        // Rounded down once rather than three times.
                        Budget::NotComputing => idle + communication + memory + 2,
                        Budget::Everything => whole,
                    }
                    .min(whole)
                })
                .max()
                .unwrap_or(0);
            prop_assert!(gain.high.0 <= most, "{:?} of {}", finding, most);
            // And no more than what this finding is about, of all ranks, or of all steps of one.
            let all = gain.high.0 * if gain.per_step { fewest_steps } else { 1 };
            let there_is = match finding.id {
                "roofline_headroom" => sum(&outcomes, "roofline", "by_operator", "headroom_ns"),
                "data_loading" if is_on_the_host => sum(&outcomes, "data-loading", "by_loader", "time_ns"),
                _ => i64::MAX,
            };
            prop_assert!(all <= there_is, "{:?} of {}", finding, there_is);
            if gain.overlaps.is_empty() {
                together[usize::from(gain.per_step)] += gain.high.0;
            } else {
                let known = |id: &&str| findings().any(|other| other.id == *id);
                prop_assert!(gain.overlaps.iter().all(known));
            }
        }
        for (per_step, sum) in [false, true].into_iter().zip(together) {
            let whole = views.iter().map(|view| times(per_step, view)[4]).max().unwrap_or(0);
            prop_assert!(sum <= whole, "{} of {}", sum, whole);
        }
    }
}
