//! Findings that an engineer would reject, and those that were missing.

use eaves_analyze::section::{Section, Severity};
use eaves_analyze::{Options, report};
use eaves_model::{Ns, Recording, Run};

use super::{analysed, event, findings, ids, kernel, launch, operator};
use crate::twins::{column, number};

/// A sequence of kernels of equal length, each launched early enough by calls at a fixed interval.
fn busy(first: u32, (count, time): (u32, u32), every: u32) -> Vec<String> {
    let pair = |index: u32| {
        let number = first + index;
        [launch(number, first + index * every), kernel("gemm", number, (first + 20 + index * time, time))]
    };
    (0..count).flat_map(pair).collect()
}

/// Of one recording. Whatever it is, no finding may gain nothing.
fn found(events: &[String]) -> Vec<Section> {
    let sections = analysed(events);
    for gain in findings(&sections).iter().filter_map(|finding| finding.gain.as_ref()) {
        assert!(gain.high > Ns::ZERO && gain.low <= gain.high, "{gain:?}");
    }
    sections
}

#[test]
fn what_comes_before_the_first_kernel_is_start_up() {
    let mut events = vec![event("cpu_op", "aten::resize", 1, (0, 217_000), "")];
    events.extend(busy(217_000, (4_000, 59), 41));
    let sections = found(&events);
    assert_eq!(ids(&sections), ["start_up"]);
    let start_up = findings(&sections)[0];
    assert_eq!((start_up.severity, &start_up.gain), (Severity::Info, &None));
}

#[test]
fn uneven_steps_gain_no_more_than_is_idle() {
    let (mut events, mut now) = (Vec::new(), 0);
    for (number, length) in [20_000, 12_000, 31_000, 9_000, 28_000, 14_000, 33_000, 11_000].iter().enumerate()
    {
        events.push(event("user_annotation", &format!("ProfilerStep#{number}"), 1, (now, *length), ""));
        // One of a thousand microseconds is idle in each.
        events.extend([launch(now + 1, now), kernel("gemm", now + 1, (now + 1_000, length - 1_000))]);
        now += length;
    }
    for finding in findings(&found(&events)) {
        let high = finding.gain.as_ref().map_or(Ns::ZERO, |gain| gain.high);
        assert!(high <= Ns(1_000_000), "{finding:?}");
    }
}

#[test]
fn copies_on_the_device_do_not_ask_for_pinned_memory() {
    let copy = |number: u32, start: u32| {
        let arguments = format!(
            r#""device": 0, "stream": 7, "correlation": {number}, "bytes": 400000000, "memory bandwidth (GB/s)": 800"#
        );
        let name = "Memcpy DtoD (Device -> Device)";
        [
            event(
                "cuda_runtime",
                "cudaMemcpyAsync",
                1,
                (start - 50, 5),
                &format!(r#""correlation": {number}"#),
            ),
            event("gpu_memcpy", name, 7, (start, 500), &arguments),
        ]
    };
    let mut events = busy(1_000, (20, 50), 40);
    events.extend((0..4).flat_map(|at| copy(900 + at, 2_100 + 500 * at)));
    let sections = found(&events);
    assert!(ids(&sections).contains(&"device_copies"), "{:?}", ids(&sections));
    for finding in findings(&sections) {
        assert!(!finding.next.contains("pin"), "{finding:?}");
    }
}

#[test]
fn attention_in_parts_is_named() {
    let shapes = |dims| (dims, r#"["c10::BFloat16", "c10::BFloat16"]"#);
    let scores = shapes("[[96, 1024, 64], [96, 64, 1024]]");
    let values = shapes("[[96, 1024, 1024], [96, 1024, 64]]");
    let mut events = Vec::new();
    for layer in 0..6 {
        let start = 3_000 * layer;
        events.extend(operator("aten::bmm", scores, "gemm", start, 700));
        events.extend(operator(
            "aten::_softmax",
            ("[[96, 1024, 1024], [], []]", r#"["c10::BFloat16", "Scalar", "Scalar"]"#),
            "softmax",
            start + 700,
            700,
        ));
        events.extend(operator("aten::bmm", values, "gemm", start + 1_400, 700));
        events.extend(operator("aten::mm", shapes("[[12288, 768], [768, 768]]"), "gemm", start + 2_100, 890));
    }
    assert_eq!(ids(&found(&events)).first(), Some(&"unfused_attention"));
}

#[test]
fn what_is_compiled_is_not_told_to_be_compiled() {
    let mut events = Vec::new();
    for at in 0..200 {
        let start = 100 * at;
        events.push(event("cpu_op", "Torch-Compiled Region: 0/0", 1, (start, 99), ""));
        events
            .extend([launch(at + 1, start + 80), kernel("triton_poi_fused_add_0", at + 1, (start + 90, 10))]);
    }
    let sections = found(&events);
    assert_eq!(ids(&sections).first(), Some(&"host_bound"));
    for finding in findings(&sections) {
        assert!(!finding.next.contains("`torch.compile`"), "{finding:?}");
    }
}

#[test]
fn what_happens_once_is_no_steady_behavior() {
    let mut events = busy(1_000, (300, 1_000), 900);
    // The first launch of a kernel, which loads its module, and the first call that takes memory.
    events.push(event("cuda_runtime", "cudaLaunchKernel", 1, (302_000, 726_000), r#""correlation": 5"#));
    events.push(kernel("softmax", 5, (1_028_100, 1_000)));
    events.push(event("cuda_runtime", "cudaFree", 1, (1_029_200, 1_000_000), r#""correlation": 6"#));
    events.extend(busy(2_030_000, (300, 1_000), 900));
    let sections = found(&events);
    assert_eq!(ids(&sections), ["start_up"]);
}

#[test]
fn advice_fits_what_was_recorded() {
    let graph = |number: u32, start: u32| {
        let call =
            event("cuda_runtime", "cudaGraphLaunch", 1, (start, 5), &format!(r#""correlation": {number}"#));
        let nodes = (0..4).map(move |node| kernel("node", number, (start + 10 + 200 * node, 200)));
        std::iter::once(call).chain(nodes)
    };
    let sections = found(&(0..20).flat_map(|at| graph(at + 1, 810 * at)).collect::<Vec<_>>());
    for finding in findings(&sections) {
        assert!(!finding.next.contains("record_shapes"), "{finding:?}");
    }
    // No operators were recorded, so none was around.
    let sections = found(&busy(0, (50, 100), 90));
    for text in
        findings(&sections).iter().flat_map(|finding| [&finding.claim, &finding.evidence, &finding.next])
    {
        assert!(!text.contains("outside any operator"), "{text}");
    }
}

#[test]
fn a_wait_dominates_nothing() {
    let ccp = |name: &str, times| event("mtia_ccp_events", name, 7, times, r#""device": 0, "stream": 7"#);
    let sections =
        found(&[ccp("fc_kernel", (0, 10)), ccp("event_wait", (10, 5_000)), ccp("fc_kernel", (5_020, 10))]);
    for finding in findings(&sections) {
        assert!(!finding.claim.contains("event_wait"), "{finding:?}");
    }
}

/// Three steps of 30 ms on a host alone, of which something takes a part at an offset.
fn host_steps(name: &str, offset: u32, time: u32) -> Vec<String> {
    let step = |number: u32| {
        let start = 30_000 * number;
        let shapes = r#""Input Dims": [[131584]], "Input type": ["float"]"#;
        [
            event("user_annotation", &format!("ProfilerStep#{number}"), 1, (start, 30_000), ""),
            event("user_annotation", name, 1, (start + offset, time), shapes),
            event("cpu_op", "aten::mm", 1, (start + 29_200, 700), ""),
        ]
    };
    (0..3).flat_map(step).collect()
}

#[test]
fn a_loader_that_a_host_waits_for_is_found() {
    // 17.58 of 30 ms are 58.6 %.
    let loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
    let sections = found(&host_steps(loader, 0, 17_580));
    let first = findings(&sections)[0];
    assert_eq!((first.id, first.severity), ("data_loading", Severity::Critical));
    assert!(first.claim.contains("58.6%"), "{}", first.claim);
    assert_eq!(first.gain.as_ref().map(|gain| gain.high), Some(Ns(17_580_000)));
    assert_eq!(number(&sections, "temporal-breakdown", "busy_ns"), None);
    assert_eq!(column(&sections, "cpu-operators", "by_operator", "calls"), [3]);
}

#[test]
fn three_collectives_are_enough_to_find_the_rank_that_is_waited_for() {
    let recording = |rank: u32, came: u32| -> Recording {
        let text = format!(
            r#"{{"schemaVersion": 1, "distributedInfo": {{"backend": "gloo", "rank": {rank}, "world_size": 2,
            "pg_config": [{{"pg_name": "0", "pg_size": 2, "ranks": [0, 1]}}]}}, "traceEvents": [{}]}}"#,
            host_steps("gloo:all_reduce", came, 29_000 - came).join(",")
        );
        eaves_ingest::read_bytes("made", text.as_bytes()).unwrap()
    };
    let mut recordings = vec![recording(0, 3_000), recording(1, 27_000)];
    for (recording, rank) in recordings.iter_mut().zip(0..) {
        recording.rank = rank;
    }
    let run = Run { recordings, ..Run::default() };
    let outcomes = report(&run, &Options::default()).unwrap();
    let sections: Vec<Section> = outcomes.iter().filter_map(|outcome| outcome.section().cloned()).collect();
    let first = findings(&sections).into_iter().find(|finding| finding.id == "straggler").unwrap();
    assert!(first.claim.contains("wait for rank 1 for 80.0% of the time"), "{}", first.claim);
}
