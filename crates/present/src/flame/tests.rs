//! Every format read again by other means than it was written.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use eaves_analyze::flame::{self, FlameOptions};
use eaves_analyze::{Options, RankView};
use eaves_section::flame::{Flame, Grouping, Metric, NodeId, Order, Tree, difference};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// A name with everything that could be taken for something else.
const NASTY: &str = "a;b \\n\n</script><!-- & \"q\" \u{1} 5";

/// Reads events given as category, name, thread, start and length in microseconds, arguments.
fn flame_of(events: &[(&str, &str, i64, i64, i64, Value)], merge_threads: bool) -> Flame {
    let event = |(category, name, thread, start, length, arguments): &(&str, &str, i64, i64, i64, Value)| {
        json!({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "ts": start, "dur": length,
               "args": arguments})
    };
    let trace = json!({"traceEvents": events.iter().map(event).collect::<Vec<_>>()});
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rank0.json");
    std::fs::write(&path, trace.to_string()).unwrap();
    let run = eaves_ingest::read(&[path], &eaves_ingest::Options::default()).unwrap();
    let options = FlameOptions { chart: Some(usize::MAX), merge_threads };
    let parts: Vec<_> = run
        .recordings
        .iter()
        .map(|recording| flame::measure(&RankView::new(&recording.trace, &Options::default()), &options))
        .collect();
    flame::assemble(&run.recordings, &parts, &Options::default(), false).unwrap()
}

fn sample() -> Flame {
    flame_of(
        &[
            ("python_function", "train", 1, 0, 100, json!({})),
            ("cpu_op", NASTY, 1, 10, 30, json!({})),
            ("cuda_runtime", "cudaLaunchKernel", 1, 20, 5, json!({"correlation": 1})),
            ("cpu_op", NASTY, 1, 50, 20, json!({})),
            ("cpu_op", "aten::relu", 1, 75, 0, json!({})),
            ("cpu_op", "backward", 2, 30, 8, json!({})),
            (
                "kernel",
                "void gemm<float>(float*)",
                7,
                60,
                300,
                json!({"correlation": 1, "device": 0, "stream": 7}),
            ),
            ("gpu_memcpy", "Memcpy HtoD", 7, 400, 9, json!({"device": 0, "stream": 7})),
        ],
        false,
    )
}

fn drawing<'a>(names: &'a [String], tree: &'a Tree, order: Order, metric: Metric) -> Drawing<'a> {
    Drawing { title: "a & <b>", names, tree, order, metric }
}

/// Calls something with every view and metric of the sample.
fn each(mut work: impl FnMut(&Drawing<'_>)) {
    let flame = sample();
    for order in Order::ALL {
        let tree = flame.view(order, &Grouping::default());
        for metric in Metric::ALL.into_iter().filter(|&metric| tree.whole(metric) > 0) {
            work(&drawing(&flame.names, &tree, order, metric));
        }
    }
}

/// What belongs to each stack, from the tree itself.
fn stacks(drawing: &Drawing<'_>) -> BTreeMap<Vec<String>, i64> {
    let tree = drawing.tree;
    let mut stacks = BTreeMap::new();
    for (index, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.own[drawing.metric] > 0) {
        let mut stack = Vec::new();
        let mut id = index as NodeId;
        while id != Tree::ROOT {
            stack.insert(0, drawing.name(id).to_owned());
            id = tree.node(id).parent;
        }
        *stacks.entry(stack).or_insert(0) += node.own[drawing.metric];
    }
    stacks
}

/// The name that was escaped.
fn unescape(name: &str) -> String {
    let mut text = String::new();
    let mut rest = name;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let (letter, length) = match &rest[at + 1..] {
            code if code.starts_with("x3b") => (';', 3),
            code if code.starts_with('n') => ('\n', 1),
            code if code.starts_with('r') => ('\r', 1),
            code => {
                assert!(code.starts_with('\\'));
                ('\\', 1)
            }
        };
        text.push(letter);
        rest = &rest[at + 1 + length..];
    }
    text + rest
}

fn read_folded(text: &[u8]) -> BTreeMap<Vec<String>, i64> {
    let mut stacks = BTreeMap::new();
    for line in std::str::from_utf8(text).unwrap().lines() {
        let (stack, amount) = line.rsplit_once(' ').unwrap();
        *stacks.entry(stack.split(';').map(unescape).collect()).or_insert(0) +=
            amount.parse::<i64>().unwrap();
    }
    stacks
}

#[test]
fn folded_stacks_read_back_as_they_were() {
    each(|drawing| assert_eq!(read_folded(&folded::render(drawing).unwrap()), stacks(drawing)));
}

proptest! {
    #[test]
    fn any_name_survives_folding(names in prop::collection::vec("[a;\\\\nrx3b\n\r ]{1,8}", 1..5)) {
        let events: Vec<_> = (0i64..).zip(&names)
            .map(|(level, name)| ("cpu_op", name.as_str(), 1, level, 20 - 2 * level, json!({})))
            .collect();
        let flame = flame_of(&events, false);
        let drawing = drawing(&flame.names, &flame.merged, Order::LeftHeavy, Metric::Cpu);
        prop_assert_eq!(read_folded(&folded::render(&drawing).unwrap()), stacks(&drawing));
    }
}

/// Checks that a frame of d3-flame-graph is not less than its children, and counts.
fn check_d3(frame: &Value) -> usize {
    let children = frame["children"].as_array().unwrap();
    let sum: f64 = children.iter().map(|child| child["value"].as_f64().unwrap()).sum();
    assert!(frame["name"].is_string());
    assert!(frame["value"].as_f64().unwrap() >= sum * (1.0 - 1e-12));
    1 + children.iter().map(check_d3).sum::<usize>()
}

#[test]
fn d3_has_every_frame_with_its_total() {
    each(|drawing| {
        let root: Value = serde_json::from_slice(&d3::render(drawing).unwrap()).unwrap();
        let drawn = drawing.tree.nodes.iter().filter(|node| node.total[drawing.metric] > 0).count();
        assert_eq!(check_d3(&root), drawn);
        let whole = drawing.tree.whole(drawing.metric) as f64;
        let is_time = drawing.metric.unit() == Unit::Nanoseconds;
        assert_eq!(root["value"].as_f64(), Some(if is_time { whole / 1e3 } else { whole }));
    });
}

/// The rules of speedscope's file format (`file-format-spec.ts`), and what its importer insists on.
fn check_speedscope(file: &Value) -> i64 {
    assert_eq!(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
    let frames = file["shared"]["frames"].as_array().unwrap();
    assert!(frames.iter().all(|frame| frame["name"].is_string()));
    let profiles = file["profiles"].as_array().unwrap();
    assert!(file["activeProfileIndex"].as_u64().unwrap() < profiles.len() as u64);
    let mut total = 0;
    for profile in profiles {
        assert!(profile["name"].is_string());
        assert!(["none", "nanoseconds", "bytes"].contains(&profile["unit"].as_str().unwrap()));
        let (start, end) = (profile["startValue"].as_i64().unwrap(), profile["endValue"].as_i64().unwrap());
        assert!(start <= end);
        let is_frame = |index: &Value| index.as_u64().unwrap() < frames.len() as u64;
        if profile["type"] == "sampled" {
            let weights = profile["weights"].as_array().unwrap();
            let samples = profile["samples"].as_array().unwrap();
            assert_eq!(weights.len(), samples.len());
            assert!(samples.iter().all(|stack| stack.as_array().unwrap().iter().all(is_frame)));
            total += weights.iter().map(|weight| weight.as_i64().unwrap()).sum::<i64>();
            continue;
        }
        assert_eq!(profile["type"], "evented");
        let (mut open, mut last) = (Vec::new(), start);
        for event in profile["events"].as_array().unwrap() {
            let at = event["at"].as_i64().unwrap();
            assert!(last <= at && at <= end, "{last} {at} {end}");
            assert!(is_frame(&event["frame"]));
            last = at;
            match event["type"].as_str().unwrap() {
                "O" => open.push((event["frame"].clone(), at)),
                "C" => {
                    let (frame, begin) = open.pop().unwrap();
                    assert_eq!(frame, event["frame"]);
                    if open.is_empty() {
                        total += at - begin;
                    }
                }
                other => panic!("{other}"),
            }
        }
        assert!(open.is_empty());
    }
    total
}

#[test]
fn speedscope_files_follow_its_format() {
    each(|drawing| {
        let file: Value = serde_json::from_slice(&speedscope::render(drawing).unwrap()).unwrap();
        assert_eq!(check_speedscope(&file), drawing.tree.whole(drawing.metric));
        let evented = file["profiles"][0]["type"] == "evented";
        assert_eq!(evented, drawing.order == Order::Time);
    });
    let flame = sample();
    let tree = flame.view(Order::Time, &Grouping::default());
    let drawing = drawing(&flame.names, &tree, Order::Time, Metric::Cpu);
    let file: Value = serde_json::from_slice(&speedscope::render(&drawing).unwrap()).unwrap();
    let names: Vec<&str> =
        file["profiles"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["thread 1", "thread 2"]);
    // The second thread begins 30 us after the first.
    assert_eq!(file["profiles"][1]["startValue"], 30_000);
    assert_eq!(file["profiles"][0]["endValue"], 100_000);
}

#[test]
fn pictures_are_well_formed_and_hold_no_markup_of_names() {
    each(|drawing| {
        let text = String::from_utf8(svg::render(drawing).unwrap()).unwrap();
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        for tag in ["g", "title", "text", "style", "svg"] {
            let opened =
                text.matches(&format!("<{tag}>")).count() + text.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, text.matches(&format!("</{tag}>")).count(), "{tag}");
        }
        assert!(!text.contains("script") || text.contains("&lt;/script&gt;"));
        assert!(text.chars().all(|letter| letter >= ' ' || letter == '\n'));
        let wide = drawing.tree.nodes.iter().filter(|node| node.total[drawing.metric] > 0).count();
        assert_eq!(text.matches("<g>").count(), wide, "all frames of the sample are wide enough");
    });
}

#[test]
fn a_page_holds_every_view() {
    let flame = sample();
    let trees = Order::ALL.map(|order| flame.view(order, &Grouping::default()));
    let views: Vec<Drawing<'_>> = Order::ALL
        .into_iter()
        .zip(&trees)
        .map(|(order, tree)| drawing(&flame.names, tree, order, Metric::Gpu))
        .collect();
    let inputs = ["a </script> b".to_owned()];
    let data: Value =
        serde_json::from_slice(&data::render(&data::Page { inputs: &inputs, views: &views }).unwrap())
            .unwrap();
    assert_eq!(data["inputs"][0], inputs[0].as_str());
    assert_eq!(data["metric"], Metric::Gpu as usize);
    for (view, tree) in data["views"].as_array().unwrap().iter().zip(&trees) {
        assert_eq!(view["level"].as_array().unwrap().len(), tree.nodes.len());
        for metric in Metric::ALL {
            let own = view["own"][metric as usize].as_array().unwrap();
            assert_eq!(own.iter().map(|own| own.as_i64().unwrap()).sum::<i64>(), tree.whole(metric));
        }
    }
    assert!(data["names"].as_array().unwrap().iter().any(|name| name == NASTY));
}

#[test]
fn comparisons_are_drawn_where_a_format_has_room_for_them() {
    let of = |length| {
        flame_of(&[("cpu_op", "a", 1, 0, 100, json!({})), ("cpu_op", "b", 1, 10, length, json!({}))], true)
    };
    let (base, new) = (of(20), of(60));
    let (names, tree) = difference((&base.names, &base.merged), (&new.names, &new.merged));
    let drawing = drawing(&names, &tree, Order::LeftHeavy, Metric::Cpu);
    let text = String::from_utf8(folded::render(&drawing).unwrap()).unwrap();
    assert_eq!(text, "thread *;a 80000 40000\nthread *;a;b 20000 60000\n");
    let root: Value = serde_json::from_slice(&d3::render(&drawing).unwrap()).unwrap();
    let inner = &root["children"][0]["children"][0]["children"][0];
    assert_eq!((inner["name"].as_str(), inner["delta"].as_f64()), (Some("b"), Some(40.0)));
    assert!(matches!(speedscope::render(&drawing), Err(Error::NoDifference(_))));
    let picture = String::from_utf8(svg::render(&drawing).unwrap()).unwrap();
    assert!(picture.contains("20.00 µs before, 60.00 µs now, +200.0%"), "{picture}");
    assert_eq!(
        [change(0, 5), change(5, 0), change(0, 0), change(10_001, 10_000)],
        ["gone", "new", "nothing in both", "0.0%"]
    );
}

#[test]
fn depth_is_no_limit_but_for_formats_that_write_whole_stacks() {
    let depth = 100_000;
    let mut trace = String::from("[");
    for level in 0..depth {
        let comma = if level > 0 { "," } else { "" };
        let length = depth - level;
        write!(trace, "{comma}{{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":{level},\"dur\":{length}}}").unwrap();
    }
    trace.push(']');
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("deep.json");
    std::fs::write(&path, trace).unwrap();
    let run = eaves_ingest::read(&[path], &eaves_ingest::Options::default()).unwrap();
    let options = FlameOptions { chart: Some(usize::MAX), merge_threads: false };
    let part = flame::measure(&RankView::new(&run.recordings[0].trace, &Options::default()), &options);
    let flame = flame::assemble(&run.recordings, &[part], &Options::default(), false).unwrap();
    let merged = drawing(&flame.names, &flame.merged, Order::LeftHeavy, Metric::Cpu);
    let deepest = flame.merged.levels().into_iter().max();
    assert_eq!(deepest, Some(depth as u32));
    d3::render(&merged).unwrap();
    svg::render(&merged).unwrap();
    data::render(&data::Page { inputs: &[], views: &[merged] }).unwrap();
    assert!(matches!(folded::render(&merged), Err(Error::TooDeep(_))));
    assert!(matches!(speedscope::render(&merged), Err(Error::TooDeep(_))));
    let chart = flame.chart.as_ref().unwrap();
    let chart = drawing(&flame.names, chart, Order::Time, Metric::Cpu);
    let file = speedscope::render(&chart).unwrap();
    assert_eq!(check_speedscope(&serde_json::from_slice(&file).unwrap()), 1_000 * depth);
    let options = crate::terminal::Options { width: 80, top: 0 };
    let text = crate::terminal::flame::render(&crate::Document::default(), &merged, &options);
    assert!(text.lines().count() > depth as usize);
}
