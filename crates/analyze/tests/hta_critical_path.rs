//! The critical path against that of HTA 0.6.1, on every trace for which there is one.
//!
//! HTA's path is its word only: nobody computed it a second time. What both define alike is compared, and what differs
//! is listed here and checked to be the reason.
//!
//! | trace | what differs | why |
//! |---|---|---|
//! | all | time between operators | HTA gives edges between operators the weight 0 and so loses the time of the program itself; here it counts as `host outside operators`. HTA's path is therefore shorter, and never longer |
//! | all | synchronizing calls | HTA gives them the weight 0; here they bear what is left when the device has done, and all if they waited for nothing |
//! | `hta_cp_alexnet` | hand-over from one stream to another | HTA gives it the weight 0; here it is `synchronisation` |
//! | all | `cudaEventQuery` | HTA counts it among the blocking calls with weight 0; it does not block, so here it bears its own time |
//! | all | launches | HTA's launch overhead begins with the launching call; here the call is a runtime call and the delay begins when it ends. The sum is the same |
//! | `hta_nccl` | annotations `nccl:all_reduce` | HTA takes them for calls; annotations are none, so here the operator around them, `record_param_comms`, bears the time. The sum is the same |
//! | `hta_cp_event_sync` | `cudaMemcpyAsync` of pageable memory | HTA counts the call as host time; here the copy bears its part, and the call what comes before and after. The sum is the same |
//! | `hta_cp_event_sync_multi_stream` | set before the last kernel | it ends in the microsecond in which the kernel's launch begins. HTA takes the kernel to have waited for the set, ours for the launch |
//! | `hta_cp_simple_add`, `tl_h100_bert_small` | the path's end | the host ends last, and waits for nothing. HTA leaves the host for the device, because there the gaps between kernels count and on the host they do not |

use crate::common::checks;
use crate::common::golden;
use crate::common::hta as reference;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use crate::common::checks::{Checks, CsvRow, read_csv};
use crate::common::hta::Case;
use eaves_analyze::{Cause, CriticalPath, Options, PathPart, RankView, Selection};
use eaves_model::{Ns, SliceKind, Trace};

/// HTA's window is an annotation; here it becomes a profiler step of this number.
const STEP: u64 = 1_000_000;

/// A case with HTA's path.
struct Compared {
    case: Case,
    trace: Trace,
    path: CriticalPath,
    zero: Ns,
}

impl Compared {
    fn new(case: Case) -> Option<Self> {
        let info = std::fs::read_to_string(case.output("critical_path0_info.json")?).unwrap();
        let annotation = field(&info, "annotation").trim_matches('"').to_owned();
        let mut trace = case.load().recordings.swap_remove(0).trace;
        let mut selection = Selection::default();
        if !annotation.is_empty() {
            let instance: usize = field(&info, "instance").parse().unwrap();
            let is_meant = |row: &usize| {
                trace.slices.kind[*row] == SliceKind::Annotation
                    && trace.strings.get(trace.slices.name[*row]).contains(&annotation)
            };
            let mut rows: Vec<usize> = (0..trace.slices.len()).filter(is_meant).collect();
            rows.sort_by_key(|&row| trace.slices.start[row]);
            let row = rows[instance];
            trace.slices.name[row] = trace.strings.intern(&format!("ProfilerStep#{STEP}"));
            selection = selection.with_steps(STEP..=STEP);
        }
        let options = Options::default().with_selection(selection);
        let rank = RankView::new(&trace, &options);
        let (path, zero) = (CriticalPath::of(&rank).unwrap(), rank.zero());
        Some(Self { case, trace, path, zero })
    }

    fn file(&self, what: &str) -> PathBuf {
        self.case.output(&format!("critical_path0_{what}.csv")).unwrap()
    }

    fn rows(&self, what: &str) -> Vec<CsvRow> {
        read_csv(&self.file(what)).unwrap()
    }

    /// HTA's time of a kind.
    fn bound_by(&self, kind: &str) -> f64 {
        let rows = self.rows("summary");
        let row = rows.iter().find(|row| row["bound_by"] == kind);
        row.map_or(0.0, |row| row["duration"].parse().unwrap())
    }

    fn name(&self, part: &PathPart) -> &str {
        part.slice.some().map_or("", |slice| self.trace.slice_name(slice))
    }

    /// Our time in microseconds of what a condition holds for.
    fn time(&self, is_meant: impl Fn(Cause, &str) -> bool) -> f64 {
        let parts = self.path.parts.iter().filter(|part| is_meant(part.cause, self.name(part)));
        checks::microseconds(parts.map(|part| part.interval.length()).sum())
    }

    /// The part of the path at an instant.
    fn at(&self, time: Ns) -> &PathPart {
        let index = self.path.parts.partition_point(|part| part.interval.end <= time);
        &self.path.parts[index]
    }

    /// The name of the case, whether its times are rounded or not.
    fn trace_name(&self) -> &str {
        self.case.name.trim_end_matches(" (rounded)")
    }

    fn has_same_sum(&self) -> bool {
        self.trace_name() == "hta_cp_event_sync_multi_stream"
    }

    fn has_same_chain(&self) -> bool {
        ["hta_cp_alexnet", "hta_cp_event_sync", "hta_nccl"].contains(&self.trace_name())
    }
}

fn field<'a>(json: &'a str, key: &str) -> &'a str {
    let (_, rest) = json.split_once(&format!("\"{key}\": ")).unwrap();
    rest.split(['\n', '}']).next().unwrap().trim_end_matches(',')
}

fn is_call(cause: Cause) -> bool {
    matches!(cause, Cause::Operator | Cause::RuntimeCall)
}

#[test]
fn the_path_is_hta_s_where_the_definitions_are() {
    let mut checks = Checks::default();
    let Some(cases) = reference::all_cases() else { return };
    let compared: Vec<Compared> = cases.into_iter().filter_map(Compared::new).collect();
    for compared in &compared {
        let place = compared.case.name.as_str();
        let length = checks::microseconds(compared.path.length());
        let info =
            std::fs::read_to_string(compared.case.output("critical_path0_info.json").unwrap()).unwrap();
        let theirs: f64 = field(&info, "cp_weight").parse().unwrap();
        checks.near("not longer than ours", place, (theirs - length).max(0.0), 0.0, 0.0);
        nodes(compared, &mut checks);
        host_edges(compared, &mut checks);
        if compared.has_same_sum() {
            sums(compared, &mut checks);
        }
        if compared.has_same_chain() {
            sums(compared, &mut checks);
            by_name(compared, &mut checks);
        }
        activities(compared, &mut checks);
    }
    checks.finish();
    golden::answer("hta_critical_path");
    assert_eq!(checks.count("not longer than ours"), 8);
    assert!(checks.count("edge on the host") > 300, "{}", checks.count("edge on the host"));
    assert!(checks.count("by name") > 100, "{}", checks.count("by name"));
    assert!(checks.count("activity") > 30, "{}", checks.count("activity"));
}

/// Times of a kind, where both paths are the same chain.
fn sums(compared: &Compared, checks: &mut Checks) {
    let place = compared.case.name.as_str();
    // Sums of floats.
    let tolerance = 0.001;
    let gpu = |cause, name: &str| {
        matches!(cause, Cause::Compute | Cause::Communication | Cause::Memory) && !name.contains("Pageable")
    };
    let theirs = compared.bound_by("gpu_compute_bound") + compared.bound_by("gpu_communication_bound");
    let on_device = (compared.time(gpu), theirs);
    let gaps = (
        compared.time(|cause, _| cause == Cause::KernelGap),
        compared.bound_by("gpu_kernel_kernel_overhead"),
    );
    let host = compared.time(|cause, name| {
        let copies =
            name.contains("Pageable") || (cause == Cause::Synchronisation && name == "cudaMemcpyAsync");
        (is_call(cause) && name != "cudaEventQuery") || cause == Cause::LaunchDelay || copies
    });
    let theirs = compared.bound_by("cpu_bound") + compared.bound_by("gpu_kernel_launch_overhead");
    if compared.has_same_sum() {
        // The set and the gap behind it there are the launch here.
        let (ours, theirs) = (on_device.0 + gaps.0 + host, on_device.1 + gaps.1 + theirs);
        checks.near("all kinds", place, ours, theirs, tolerance);
        return;
    }
    checks.near("on the device", place, on_device.0, on_device.1, tolerance);
    checks.near("gaps", place, gaps.0, gaps.1, tolerance);
    checks.near("host and launches", place, host, theirs, tolerance);
}

/// Times of operators and calls by name, where both paths are the same chain.
fn by_name(compared: &Compared, checks: &mut Checks) {
    let mut theirs: BTreeMap<String, f64> = BTreeMap::new();
    for row in compared.rows("breakdown").iter().filter(|row| row["bound_by"] == "cpu_bound") {
        // To HTA these annotations are calls; here the operator around them bears the time.
        let name = if row["s_name"].starts_with("nccl:") { "record_param_comms" } else { &row["s_name"] };
        *theirs.entry(name.to_owned()).or_default() += row["duration"].parse::<f64>().unwrap();
    }
    // The launch that the path leaves the host by counts as launch overhead there.
    let launch = compared.bound_by("gpu_kernel_launch_overhead");
    for (name, theirs) in theirs.into_iter().filter(|&(_, time)| time > 0.0) {
        let ours = compared.time(|cause, other| is_call(cause) && other == name);
        let place = format!("{} {name}", compared.case.name);
        match name.as_str() {
            "cudaMemcpyAsync" if compared.case.name == "hta_cp_event_sync" => {}
            "cudaLaunchKernel" => {
                checks.near(
                    "launching calls",
                    &place,
                    (ours - theirs).clamp(0.0, launch),
                    ours - theirs,
                    0.01,
                );
            }
            _ => checks.near("by name", &place, ours, theirs, 0.01),
        }
    }
}

/// Every node is the start or the end of an event of ours. HTA writes whole microseconds, whatever the times are.
fn nodes(compared: &Compared, checks: &mut Checks) {
    let (trace, zero) = (&compared.trace, compared.zero);
    let mut known: HashSet<(&str, bool, i64)> = HashSet::new();
    for row in 0..trace.slices.len() {
        let name = trace.slice_name(row.into());
        // HTA cuts floats, which may be half a nanosecond off.
        let start = checks::microseconds(trace.slices.start[row]) - checks::microseconds(zero);
        let end = start + checks::microseconds(trace.slices.duration[row]);
        known.insert((name, true, start as i64));
        known.insert((name, false, end as i64));
    }
    for row in compared.rows("nodes") {
        let key = (row["ev_name"].as_str(), row["is_start"] == "True", row["ts"].parse().unwrap());
        let place = format!("{} {key:?}", compared.case.name);
        checks.near("node", &place, f64::from(u8::from(known.contains(&key))), 1.0, 0.0);
    }
}

/// Every piece of HTA's path on the host is one of ours, with the same call. Times of nodes are whole microseconds, so
/// where those of the trace are not, the same call has to be on our path within these microseconds.
fn host_edges(compared: &Compared, checks: &mut Checks) {
    let is_whole = compared.trace.slices.start.iter().all(|start| start.0 % 1_000 == 0);
    let nodes: HashMap<String, CsvRow> =
        compared.rows("nodes").into_iter().map(|row| (row["node"].clone(), row)).collect();
    for edge in compared.rows("edges") {
        let weight: i64 = edge["weight"].parse().unwrap();
        if edge["critical"] != "True" || edge["type"] != "OPERATOR_KERNEL" || weight == 0 {
            continue;
        }
        let (from, to) = (&nodes[&edge["u"]], &nodes[&edge["v"]]);
        let start = compared.zero + Ns(from["ts"].parse::<i64>().unwrap() * 1_000);
        let name = if from["is_start"] == "True" {
            &from["ev_name"]
        } else if to["is_start"] == "False" {
            &to["ev_name"]
        } else {
            continue;
        };
        if is_on_device(compared, start, name) {
            continue;
        }
        if !is_whole {
            let end = start + Ns(1_000 * (weight + 2));
            let parts = compared.path.parts.iter();
            let mut meanwhile = parts.filter(|part| part.interval.start < end && part.interval.end > start);
            let same = meanwhile.any(|part| compared.name(part) == name);
            let place = format!("{} {start} {name}", compared.case.name);
            checks.near("edge within microseconds", &place, f64::from(u8::from(same)), 1.0, 0.0);
            continue;
        }
        let part = compared.at(start);
        // Both numbers are 1 where the same call runs; where ours counts it otherwise the table above says why.
        let same =
            compared.name(part) == name || (name == "cudaMemcpyAsync" && part.cause == Cause::LaunchDelay);
        let place =
            format!("{} {start} {name}: {:?} {}", compared.case.name, part.cause, compared.name(part));
        checks.near("edge on the host", &place, f64::from(u8::from(same)), 1.0, 0.0);
        let end = start + Ns(weight * 1_000);
        if name != "cudaMemcpyAsync" {
            let ours = checks::microseconds(part.interval.end.min(end) - start);
            checks.near("its length", &place, ours, weight as f64, 0.0);
        }
    }
}

fn is_on_device(compared: &Compared, start: Ns, name: &str) -> bool {
    let trace = &compared.trace;
    let is_this = |row: usize| {
        (trace.slices.start[row] - start).0 / 1_000 == 0 && trace.strings.get(trace.slices.name[row]) == name
    };
    trace.gpu.slice.iter().any(|slice| is_this(slice.index()))
}

/// Every activity on HTA's path is on ours, and no other; except where the table above says why.
fn activities(compared: &Compared, checks: &mut Checks) {
    let place = compared.case.name.as_str();
    let mut theirs: Vec<f64> = compared
        .rows("breakdown")
        .iter()
        .filter(|row| ["gpu_compute_bound", "gpu_communication_bound"].contains(&row["bound_by"].as_str()))
        .map(|row| row["duration"].parse().unwrap())
        .collect();
    let parts = compared.path.parts.iter();
    let ours =
        parts.filter(|part| matches!(part.cause, Cause::Compute | Cause::Communication | Cause::Memory));
    let mut ours: Vec<f64> = ours
        .filter(|part| !compared.name(part).contains("Pageable"))
        .map(|part| checks::microseconds(part.interval.length()))
        .collect();
    match compared.trace_name() {
        "hta_cp_simple_add" | "tl_h100_bert_small" => return host_ends_last(compared),
        "hta_cp_event_sync_multi_stream" => {
            let set = theirs.iter().position(|&time| time == 1.0).unwrap();
            theirs.remove(set);
        }
        _ => {}
    }
    ours.sort_by(f64::total_cmp);
    theirs.sort_by(f64::total_cmp);
    checks.near("activities", place, ours.len() as f64, theirs.len() as f64, 0.0);
    for (ours, theirs) in ours.into_iter().zip(theirs) {
        checks.near("activity", place, ours, theirs, 0.001);
    }
}

/// The device has done before the window ends, and behind that the path is on the host.
fn host_ends_last(compared: &Compared) {
    let (trace, window) = (&compared.trace, compared.path.window);
    let last = trace.gpu.slice.iter().map(|slice| trace.slices.end(slice.index())).max().unwrap();
    assert!(last < window.end);
    let mut rest = compared.path.parts.iter().filter(|part| part.interval.end > last);
    assert!(rest.all(|part| part.cause.is_host() || part.cause == Cause::Synchronisation));
}
