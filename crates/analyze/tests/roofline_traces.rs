//! The roofline of every recording in the reference data: how much of the busy time has a formula, and that nothing is above
//! its roof without a cause that is known.

use crate::common;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use eaves_analyze::roofline::{Class, Scope, TracePoints, reported_device, trace_points, trace_section};
use eaves_analyze::section::Value;
use eaves_analyze::{Options, RankView};
use eaves_model::{Ns, Run, StringId, Trace};
use eaves_roofline::Settings;

/// Recordings, by path below the reference data.
const FOLDERS: &[&str] = &[
    "ascend",
    "chakra",
    "formats",
    "graph-capture",
    "hta/traces",
    "perfetto-gpu",
    "sources",
    "torch",
    "tracelens/cases",
    "tracelens/inference",
    "tracelens/nccl",
    "tracelens/rocprof",
    "xplane",
];

/// Share of the busy time, communication and the framework's own time apart, that has a formula or a cause in the
/// recording why it has none.
const EXPLAINED_PCT: f64 = 97.0;

/// Recordings with shapes of which less has a formula: how much at least, and what they lack.
const BELOW: &[(&str, f64, &str)] = &[
    ("hta_2rank/", 96.2, "list shapes in TorchScript, operators and kernels that were sampled away"),
    ("hta_no_dist_info/", 96.5, "list shapes in TorchScript, table widths; operators of a private extension"),
    ("hta_rank_non_gpu/", 96.5, "the same: another name of it"),
    ("hta_rank_unavailable/", 96.5, "the same: another name of it"),
    ("syn_4rank/", 96.2, "the same: made of `hta_2rank`"),
    ("tl_vllm_decode_graph/", 3.0, "the capture of its graphs, which is not beside it"),
    ("tl_vllm_piecewise_graph/", 3.0, "the same"),
    ("trace_filter_sampled_rank", 96.2, "the same: this is `hta_2rank`"),
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Every file below a folder that can be read.
fn runs(root: &Path) -> impl Iterator<Item = (PathBuf, Run)> {
    let mut paths = Vec::new();
    files(root, &mut paths);
    paths.into_iter().filter_map(|path| {
        let run = eaves_ingest::read(std::slice::from_ref(&path), &eaves_ingest::Options::default());
        Some((path, run.ok()?))
    })
}

/// Busy time without a formula by name and reason, most first.
fn missing(points: &TracePoints) -> Vec<((String, String), f64)> {
    let (_, whole) = points.covered();
    let mut sums: BTreeMap<(String, String), f64> = BTreeMap::new();
    for row in points.rows.iter().filter(|row| !matches!(row.class, Class::Communication | Class::Framework))
    {
        if let Err(reason) = &row.load {
            let share = 100.0 * row.counted.as_f64() / whole.as_f64();
            *sums.entry((row.name.chars().take(70).collect(), reason.clone())).or_default() += share;
        }
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by(|a, b| b.1.total_cmp(&a.1));
    sums
}

#[test]
fn nothing_is_above_its_roof_without_a_cause() {
    let (mut recordings, mut points_held, mut wrong) = (0, 0, Vec::new());
    let options = Options::default();
    for folder in FOLDERS {
        let Some(root) = common::data(folder) else { return };
        for (path, run) in runs(&root) {
            // The time of operators on the host is not the device's.
            for recording in run.recordings.iter().filter(|recording| !recording.trace.gpu.is_empty()) {
                let points = trace_points(&RankView::new(&recording.trace, &options));
                let (covered, whole) = points.covered();
                if whole.0 <= 0 {
                    continue;
                }
                recordings += 1;
                let place = path.strip_prefix(root.parent().unwrap()).unwrap().display();
                println!("{place}: {:.2} %", 100.0 * covered.as_f64() / whole.as_f64());
                for ((name, reason), share) in
                    missing(&points).into_iter().take(6).filter(|(_, share)| *share > 0.3)
                {
                    println!("    {share:5.2} % {name}: {reason}");
                }
                let Ok(device) = reported_device(&points.devices) else { continue };
                let scope = Scope { ranks: 1, steps: 0 };
                let section = trace_section(&points, scope, &device, &Settings::default());
                let table = section.tables.iter().find(|table| table.id == "points").unwrap();
                let column = |id: &str| table.columns.iter().position(|column| column.id == id).unwrap();
                points_held += table.rows.len();
                for row in &table.rows {
                    // Operands that fit in a cache, and sparsity, are causes; that something must be wrong is none.
                    if let Value::Text(flag) = &row[column("flag")]
                        && !flag.contains("fit in")
                        && !flag.contains("sparsity")
                    {
                        wrong.push(format!("{place}: {:?}: {flag}", row[column("name")]));
                    }
                }
            }
        }
    }
    println!("{recordings} recordings, {points_held} points against a device");
    // What the data held when this was written; less means that something was not looked at.
    assert!(recordings >= 116 && points_held >= 1_000, "{recordings} {points_held}");
    assert!(wrong.is_empty(), "{} above the roof: {wrong:#?}", wrong.len());
}

#[test]
fn recordings_with_shapes_are_covered() {
    let (mut recordings, mut below) = (0, Vec::new());
    let options = Options::default();
    for folder in FOLDERS {
        let Some(root) = common::data(folder) else { return };
        for (path, run) in runs(&root) {
            let has_shapes = |trace: &Trace| trace.ops.input_dims.iter().any(|dims| *dims != StringId::NONE);
            for recording in run.recordings.iter().filter(|recording| has_shapes(&recording.trace)) {
                let points = trace_points(&RankView::new(&recording.trace, &options));
                let (covered, whole) = points.covered();
                if whole <= Ns::ZERO {
                    continue;
                }
                recordings += 1;
                let of_whole = |time: Ns| 100.0 * time.as_f64() / whole.as_f64();
                let (pct, explained) = (of_whole(covered), of_whole(covered + points.unrecorded()));
                let place = path.display().to_string();
                println!("{pct:6.2} % {explained:6.2} % {place}");
                let floor = BELOW.iter().find(|(part, ..)| place.contains(part));
                let floor = floor.map_or(EXPLAINED_PCT, |(_, floor, _)| *floor);
                if pct < floor || explained < EXPLAINED_PCT {
                    below.push((
                        place,
                        pct,
                        explained,
                        missing(&points).into_iter().take(4).collect::<Vec<_>>(),
                    ));
                }
            }
        }
    }
    println!("{recordings} recordings with shapes");
    assert!(recordings >= 55, "{recordings}");
    assert!(below.is_empty(), "{below:#?}");
}
