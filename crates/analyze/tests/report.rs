//! The whole report on real traces: whatever the numbers are, they must not contradict each other.

use crate::common;
use crate::common::sections::integer;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use eaves_analyze::section::{Column, Number, Section, Value};
use eaves_analyze::{Options, Outcome, RankView, Selection, info, report};
use eaves_model::{Interval, Recorder, Recording, Run};

/// Folders of the reference data that hold traces directly.
fn trace_folders() -> Option<Vec<PathBuf>> {
    let root = common::data("")?;
    let mut folders = vec![root.join("torch"), root.join("torch/gloo2")];
    for parent in ["hta/traces", "tracelens/cases"] {
        folders.extend(common::folders(&root.join(parent)).iter().map(|name| root.join(parent).join(name)));
    }
    // Not traces: an execution trace and a memory timeline.
    folders
        .retain(|path| !path.ends_with("hta_execution_trace_et") && !path.ends_with("hta_memory_timeline"));
    folders.retain(|path| path.is_dir());
    Some(folders)
}

fn column(section: &Section, table: usize, id: &str) -> Vec<Value> {
    let table = &section.tables[table];
    let index = table.columns.iter().position(|column| column.id == id).unwrap();
    table.rows.iter().map(|row| row[index].clone()).collect()
}

fn sum(section: &Section, table: usize, id: &str) -> i64 {
    column(section, table, id).iter().map(integer).sum()
}

/// What holds for every section: cells fit columns, ids are unique, floats are finite, shares are shares.
fn check_form(section: &Section, place: &Path) {
    let place = format!("{} {}", place.display(), section.id);
    let mut ids = HashSet::new();
    for Number { id, rank, value, .. } in &section.numbers {
        assert!(ids.insert((id, rank)), "{place}: {id} of rank {rank:?} twice");
        if id.ends_with("_pct")
            && let Value::Float(share) = value
        {
            assert!((0.0..=100.0).contains(share), "{place}: {id} is {share}");
        }
    }
    let tables: HashSet<&str> = section.tables.iter().map(|table| table.id).collect();
    assert_eq!(tables.len(), section.tables.len(), "{place}");
    for table in &section.tables {
        for row in &table.rows {
            assert_eq!(row.len(), table.columns.len(), "{place} {}", table.id);
            assert!(row.iter().all(|cell| !matches!(cell, Value::Float(float) if !float.is_finite())));
        }
        for (index, column) in table.columns.iter().enumerate() {
            let times = column.id.ends_with("_ns");
            let negative = |cell: &Value| matches!(cell, Value::Integer(time) if *time < 0);
            assert!(!times || !table.rows.iter().any(|row| negative(&row[index])), "{place} {}", column.id);
        }
    }
}

fn find<'a>(outcomes: &'a [Outcome], id: &str) -> Option<&'a Section> {
    outcomes.iter().find(|outcome| outcome.id() == id)?.section()
}

/// Everything on the critical path has a cause, and everything explained a name.
fn check_path(path: &Section) {
    let total = |id: &str| -> i64 {
        path.numbers.iter().filter(|number| number.id == id).map(|number| integer(&number.value)).sum()
    };
    assert_eq!(sum(path, 0, "time_ns"), total("window_ns"));
    assert_eq!(sum(path, 1, "time_ns"), total("path_ns"));
    let gains = column(path, 1, "gain_if_free_ns").into_iter().zip(column(path, 1, "time_ns"));
    for (gain, time) in gains.filter(|(gain, _)| !matches!(gain, Value::Missing(_))) {
        assert!(integer(&gain) <= integer(&time));
    }
}

/// What the sections say of each other.
fn check_agreement(outcomes: &[Outcome]) {
    if let Some(path) = find(outcomes, "critical-path") {
        check_path(path);
    }
    let Some(breakdown) = find(outcomes, "temporal-breakdown") else { return };
    for row in 0..breakdown.tables[0].rows.len() {
        let of = |id| integer(&column(breakdown, 0, id)[row]);
        assert_eq!(of("idle_ns") + of("busy_ns"), of("span_ns"));
        assert_eq!(of("compute_ns") + of("exposed_comm_ns") + of("exposed_memory_ns"), of("busy_ns"));
        assert_eq!(of("compute_ns") + of("non_compute_ns"), of("busy_ns"));
    }
    let types = find(outcomes, "kernel-types").unwrap();
    assert_eq!(sum(types, 0, "time_ns"), sum(breakdown, 0, "busy_ns"));
    let idle = find(outcomes, "idle-time").unwrap();
    assert_eq!(column(idle, 0, "idle_ns"), column(breakdown, 0, "idle_ns"));
    assert_eq!(column(idle, 0, "span_ns"), column(breakdown, 0, "span_ns"));
    let kernels = find(outcomes, "kernels").unwrap();
    let total = kernels.numbers.iter().find(|number| number.id == "total_ns").unwrap();
    assert_eq!(sum(kernels, 0, "total_ns"), integer(&total.value));
    assert!(sum(kernels, 0, "total_ns") >= sum(breakdown, 0, "busy_ns"));
    if let Some(overlap) = find(outcomes, "comm-overlap") {
        assert_eq!(sum(overlap, 0, "exposed_ns"), sum(breakdown, 0, "exposed_comm_ns"));
        assert_eq!(
            sum(overlap, 0, "exposed_ns") + sum(overlap, 0, "overlapped_ns"),
            sum(overlap, 0, "comm_ns")
        );
        let collectives = find(outcomes, "collectives").unwrap();
        let on_gpu = |id| -> i64 {
            let rows = column(collectives, 1, "runs_on").into_iter().zip(column(collectives, 1, id));
            rows.filter(|(place, _)| *place == "gpu".into()).map(|(_, value)| integer(&value)).sum()
        };
        assert_eq!(on_gpu("comm_ns"), sum(overlap, 0, "comm_ns"));
        assert_eq!(on_gpu("exposed_ns"), sum(overlap, 0, "exposed_ns"));
    }
}

/// The causes of idle time add up to the idle time, rank by rank, and the gains that follow from them to no more.
fn check_idle_causes(outcomes: &[Outcome], tail: i64) {
    let Some(causes) = find(outcomes, "idle-causes") else { return };
    let breakdown = find(outcomes, "temporal-breakdown").unwrap();
    let key = |columns: &[Column], row: &[Value]| -> Vec<Value> {
        let names = columns.iter().zip(row).filter(|(column, _)| matches!(column.id, "rank" | "input"));
        names.map(|(_, cell)| cell.clone()).collect()
    };
    let idle = breakdown.tables[0].rows.iter().zip(column(breakdown, 0, "idle_ns"));
    for (row, idle) in idle {
        let rank = key(&breakdown.tables[0].columns, row);
        let Some(table) = causes.tables.iter().position(|table| table.id == "by_cause") else {
            assert_eq!(idle, Value::Integer(0));
            continue;
        };
        let rows = &causes.tables[table];
        let of = |id| {
            let cells = rows.rows.iter().zip(column(causes, table, id));
            let own = cells.filter(|(row, _)| key(&rows.columns, row) == rank);
            own.map(|(_, time)| integer(&time)).sum::<i64>()
        };
        assert_eq!(of("time_ns"), integer(&idle), "rank {rank:?}");
        if breakdown.tables[0].rows.len() == 1 {
            let gains = causes.findings.iter().filter_map(|finding| finding.gain.as_ref());
            let steps = find(outcomes, "steps").map_or(1, |steps| integer(&steps.numbers[0].value));
            let gained: i64 = gains.map(|gain| gain.high.0 * if gain.per_step { steps } else { 1 }).sum();
            assert!(gained <= of("time_ns") + of("lead_in_ns") + tail);
        }
    }
}

/// From the last selected activity to the end of the last selected step, in which the GPU has nothing to do either: what the
/// next step launches comes later. What is longer than all gaps before it is not believed.
fn tail(run: &Run, step: Option<u64>) -> i64 {
    let of = |recording: &Recording| {
        let selection =
            step.map_or_else(Selection::default, |step| Selection::default().with_steps(step..=step));
        let options = Options::default().with_selection(selection);
        let rank = RankView::new(&recording.trace, &options);
        let selected = rank.steps.iter().filter(|(number, _)| step.is_none_or(|step| step == *number));
        let end = selected.map(|(_, interval)| interval.end).max();
        let busy = rank.sets.busy();
        let Some((first, last)) = busy.as_slice().first().zip(busy.as_slice().last()) else { return 0 };
        let gaps = busy.gaps(Interval::new(first.start, last.end));
        let longest = gaps.as_slice().iter().map(|gap| gap.length().0).max().unwrap_or(0);
        end.map_or(0, |end| (end - last.end).0.clamp(0, longest))
    };
    run.recordings.iter().map(of).max().unwrap_or(0)
}

fn check_steps(run: &Run) {
    let all = report(run, &Options::default()).unwrap();
    let Some(steps) = find(&all, "steps") else { return };
    for step in column(steps, 0, "step").iter().map(|step| integer(step) as u64) {
        let selection = Selection::default().with_steps(step..=step);
        let outcomes = report(run, &Options::default().with_selection(selection)).unwrap();
        check_idle_causes(&outcomes, tail(run, Some(step)));
        let Some(breakdown) = find(&outcomes, "temporal-breakdown") else { continue };
        // What a step shows in the table of steps is what it shows when it is selected.
        let rows = column(steps, 0, "step").into_iter().zip(column(steps, 0, "gpu_busy_ns"));
        let of_step = rows.filter(|(number, _)| integer(number) as u64 == step);
        let busy: i64 = of_step.map(|(_, busy)| integer(&busy)).sum();
        assert_eq!(busy, sum(breakdown, 0, "busy_ns"), "step {step}");
    }
}

#[test]
fn sections_of_real_traces_do_not_contradict_each_other() {
    let Some(folders) = trace_folders() else { return };
    for folder in &folders {
        let run = common::read_run(folder);
        let outcomes = report(&run, &Options::default()).unwrap();
        assert_eq!(outcomes, report(&run, &Options::default()).unwrap(), "{}", folder.display());
        for section in outcomes.iter().chain(&info(&run)).filter_map(Outcome::section) {
            // Several recordings of one folder may be of the same rank and then share numbers' ids.
            let ranks: HashSet<i64> = run.recordings.iter().map(|recording| recording.rank).collect();
            if ranks.len() == run.recordings.len() {
                check_form(section, folder);
            }
        }
        check_agreement(&outcomes);
        check_idle_causes(&outcomes, tail(&run, None));
        check_steps(&run);
    }
    println!("{} folders", folders.len());
    assert!(folders.len() >= 30, "{}", folders.len());
}

/// Who recorded with Nsight Systems or rocprof is not told what to write in a program of PyTorch's.
#[test]
fn findings_speak_of_pytorch_to_its_users_alone() {
    const WORDS: [&str; 6] = ["torch", "TORCH", "DataLoader", "prof.step", "with_stack", "bucket_cap_mb"];
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut torch_says = 0;
    for example in ["communication-bound", "host-bound", "training"] {
        for recorder in Recorder::ALL.into_iter().filter(|recorder| *recorder != Recorder::Unknown) {
            let mut run = common::read_run(&examples.join(example));
            run.recordings.iter_mut().for_each(|recording| recording.trace.metadata.recorder = recorder);
            for outcome in report(&run, &Options::default()).unwrap() {
                let Outcome::Section(section) = outcome else { continue };
                for finding in &section.findings {
                    let has_words = WORDS.iter().any(|word| finding.next.contains(word));
                    let is_torch = recorder == Recorder::Torch;
                    assert!(
                        !has_words || is_torch,
                        "{example} {recorder:?} {}: {}",
                        finding.id,
                        finding.next
                    );
                    torch_says += u32::from(has_words);
                }
            }
        }
    }
    assert!(torch_says > 0);
}
