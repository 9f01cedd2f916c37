//! The tables say what the analyses say.

use std::path::PathBuf;
use std::sync::Arc;

use eaves_analyze::{Options, RankView, launches, memory_events};
use eaves_model::{Ns, Run};
use serde_json::json;

use super::ask;
use crate::{Limits, Ranks, Recordings, query};

fn example(name: &str) -> Arc<Run> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    Arc::new(eaves_ingest::read(&[path], &eaves_ingest::Options::default()).unwrap())
}

fn ranks(run: &Arc<Run>) -> Ranks {
    let recordings: Arc<dyn Recordings> = run.clone();
    Ranks::in_memory("example", &recordings)
}

#[test]
fn every_column_of_every_table_can_be_asked_for() {
    let run = example("training");
    for table in crate::tables().unwrap() {
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
        let sql = format!("SELECT {} FROM {}", columns.join(", "), table.name);
        let answer = query(&sql, &ranks(&run), &Limits::default()).unwrap();
        let kinds: Vec<&str> = answer.columns().iter().map(|column| column.kind).collect();
        let documented: Vec<&str> = table.columns.iter().map(|column| column.kind).collect();
        assert_eq!(kinds, documented, "{}", table.name);
        let all = query(&format!("SELECT * FROM {}", table.name), &ranks(&run), &Limits::default()).unwrap();
        assert_eq!(all.json(), answer.json(), "{}", table.name);
    }
}

#[test]
fn kernels_are_those_of_the_analyses() {
    let run = example("training");
    let options = Options::default();
    for recording in &run.recordings {
        let rank = RankView::new(&recording.trace, &options);
        let rows = json!([[
            rank.gpu.len(),
            rank.sets.busy().measure().0,
            rank.sets.of_type(eaves_analyze::KernelType::Communication).measure().0,
            rank.gpu.len() - rank.links().unlinked(),
        ]]);
        let sql = format!(
            "SELECT count(*), interval_union(start_ns, end_ns),
                interval_union(start_ns, end_ns) FILTER (WHERE type = 'communication'), count(launch)
             FROM kernels WHERE rank = {}",
            recording.rank
        );
        assert_eq!(ask(&sql, &ranks(&run)), rows);
    }
}

#[test]
fn launches_operators_steps_and_memory_are_those_of_the_analyses() {
    let run = example("training");
    let options = Options::default();
    let recording = &run.recordings[0];
    let rank = RankView::new(&recording.trace, &options);
    let sum = |times: &mut dyn Iterator<Item = Ns>| times.map(|time| time.0).sum::<i64>();
    let launches = launches(&rank);
    let own = rank.operators().own_times(&recording.trace.slices);
    let work = rank.operators().gpu_work(rank.links(), &rank.gpu);
    let (_, events) = memory_events(&rank);
    let expected = [
        (
            "SELECT count(*), sum(delay_ns), sum(duration_ns), sum(kernels) FROM launches WHERE rank = 0",
            json!([[
                launches.len(),
                sum(&mut launches.iter().map(|launch| launch.delay())),
                sum(&mut launches.iter().map(|launch| launch.cpu)),
                launches.iter().map(|launch| launch.activities).sum::<u32>(),
            ]]),
        ),
        (
            "SELECT count(*), sum(self_ns), sum(self_gpu_ns) FROM ops WHERE rank = 0",
            json!([[own.len(), sum(&mut own.iter().copied()), sum(&mut work.iter().map(|work| work.time)),]]),
        ),
        (
            "SELECT count(*), sum(duration_ns) FROM steps WHERE rank = 0",
            json!([[rank.steps.len(), sum(&mut rank.steps.iter().map(|(_, window)| window.length())),]]),
        ),
        (
            "SELECT count(*), max(in_use_bytes) FROM memory WHERE rank = 0",
            json!([[events.len(), events.iter().map(|event| event.in_use).max(),]]),
        ),
    ];
    for (sql, rows) in expected {
        assert_eq!(ask(sql, &ranks(&run)), rows, "{sql}");
    }
}

#[test]
fn collectives_are_those_of_the_report() {
    let run = example("communication-bound");
    let outcomes = eaves_analyze::report(&run, &Options::default()).unwrap();
    let section =
        outcomes.iter().find(|outcome| outcome.id() == "collectives").and_then(|one| one.section()).unwrap();
    let table = &section.tables[0];
    let column = |id: &str| table.columns.iter().position(|column| column.id == id).unwrap();
    let sum = |id: &str| {
        let column = column(id);
        let values = table.rows.iter().map(|row| match row[column] {
            eaves_analyze::section::Value::Integer(value) => value,
            _ => 0,
        });
        values.sum::<i64>()
    };
    let answer = ask("SELECT count(*) FROM collectives", &ranks(&run));
    assert_eq!(answer, json!([[sum("calls")]]));
    assert_ne!(answer, json!([[0]]));
}

#[test]
fn names_and_work_are_judged_as_everywhere() {
    let run = example("training");
    let sql = "SELECT count(*) FROM kernels WHERE short_name <> short_kernel_name(name)
               OR (kind = 'kernel' AND type <> kernel_type(name))";
    assert_eq!(ask(sql, &ranks(&run)), json!([[0]]));
    let sql = "SELECT arithmetic_intensity(100, 50), arithmetic_intensity(1, 0),
                      roofline_class(1e12, 1e6, 'h100-sxm', 'fp16_matrix'), roofline_class(1e6, 1e9, 'h100-sxm', 'fp16_matrix'),
                      roofline_class(NULL, 1, 'h100-sxm', 'fp16_matrix')";
    assert_eq!(ask(sql, &ranks(&run)), json!([[2.0, null, "compute-bound", "memory-bound", null]]));
    // 3.35 TB/s of memory: 3.35 MB take a microsecond at best.
    let sql = "SELECT round(roofline_pct(0, 3350000, 2000, 'h100-sxm', 'fp16_matrix'), 6)";
    assert_eq!(ask(sql, &ranks(&run)), json!([[50.0]]));
}
