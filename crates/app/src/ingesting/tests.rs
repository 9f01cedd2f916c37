//! A dataset that is written by tasks, in whatever order, is the one that a single process writes.

use std::fs;
use std::path::PathBuf;

use eaves_store::Dataset;
use eaves_testing::contents;

use super::{Job, Work};

/// A trace of a rank, or one that says nothing about its rank.
fn trace(rank: Option<i64>, name: &str) -> String {
    let rank = rank.map_or_else(String::new, |rank| format!("\"rank\": {rank}, "));
    format!(
        r#"{{"schemaVersion": 1, "distributedInfo": {{"backend": "nccl", {rank}"world_size": 4}}, "traceEvents": [
        {{"ph": "X", "cat": "kernel", "name": "{name}", "pid": 0, "tid": 7, "ts": 10, "dur": 30, "args": {{"device": 0, "stream": 7}}}}]}}"#
    )
}

/// Inputs, and two datasets that are brought up to date by them: by one process, and by tasks.
struct Both {
    directory: tempfile::TempDir,
}

impl Both {
    fn new(traces: &[(&str, &str)]) -> Self {
        let both = Self { directory: tempfile::tempdir().unwrap() };
        fs::create_dir(both.at("traces")).unwrap();
        traces.iter().for_each(|(name, content)| both.write(name, content));
        both
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, content: &str) {
        fs::write(self.at("traces").join(name), content).unwrap();
    }

    /// Brings both up to date and compares them, and what is said of them. The answer is what was done.
    fn update(&self, backwards: bool) -> Vec<String> {
        let plan = |name: &str| {
            Work::plan(&[self.at("traces")], &self.at(name).display().to_string(), Some("run")).unwrap()
        };
        let here = plan("here").here(Default::default()).unwrap();
        let mut job = Job::of(plan("tasks"));
        let dataset = self.at("tasks").display().to_string();
        loop {
            let mut tasks = job.tasks().unwrap();
            if tasks.is_empty() {
                break;
            }
            if backwards {
                tasks.reverse();
            }
            for task in tasks {
                let answer = task.run(&dataset, "run", self.directory.path()).unwrap();
                job.answered(&task.file, answer);
            }
        }
        let there = job.finish().unwrap();
        let (one, other) = (contents(&self.at("here")).unwrap(), contents(&self.at("tasks")).unwrap());
        assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
        for (file, content) in &one {
            assert!(*content == other[file], "{}", file.display());
        }
        let said = |outcome: &super::Outcome| {
            let document = super::Outcome::from_bytes(&outcome.to_bytes().unwrap()).unwrap().document();
            format!("{document:#?}\n{:#?}", outcome.refused())
        };
        assert_eq!(said(&here), said(&there));
        let done = |entry: &super::Entry| format!("{} {}", entry.rank, entry.action.name());
        there.entries.iter().map(done).collect()
    }
}

#[test]
fn ranks_are_added_replaced_and_skipped() {
    for backwards in [false, true] {
        let both = Both::new(&[]);
        for rank in 0..4 {
            both.write(&format!("{rank}.json"), &trace(Some(rank), "gemm"));
        }
        assert_eq!(both.update(backwards), ["0 added", "1 added", "2 added", "3 added"]);
        assert_eq!(both.update(backwards), ["0 skipped", "1 skipped", "2 skipped", "3 skipped"]);
        both.write("2.json", &trace(Some(2), "a longer name"));
        both.write("4.json", "<html>");
        assert_eq!(both.update(backwards), ["0 skipped", "1 skipped", "2 replaced", "3 skipped"]);
    }
}

#[test]
fn of_two_that_are_one_rank_the_first_by_name_is_it() {
    for backwards in [false, true] {
        let (first, second) = (trace(Some(1), "first"), trace(Some(1), "second"));
        let both =
            Both::new(&[("a.json", &first), ("b.json", &second), ("c.json", &trace(Some(0), "other"))]);
        assert_eq!(both.update(backwards), ["0 added", "1 added"]);
        // One that comes before the one that is there.
        both.write("0.json", &trace(Some(0), "new"));
        both.write("b.json", &trace(Some(1), "changed a little"));
        assert_eq!(both.update(backwards).len(), 2);
    }
}

#[test]
fn recordings_without_a_rank_get_one() {
    for backwards in [false, true] {
        let (some, told) = (trace(None, "some"), trace(Some(1), "told"));
        let both = Both::new(&[("a.json", &some), ("b.json", &told), ("c.json", &some), ("d.json", &some)]);
        assert_eq!(both.update(backwards), ["0 added", "1 added", "2 added", "3 added"]);
    }
}

#[test]
fn files_of_one_recording_are_put_together() {
    let kernels = "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n\"KERNEL_DISPATCH\",\"Agent 4\",1,0,100,1,10,\"axpy\",1,1000,2000,0,0,8,0,16,64,1,1,64,1,1\n";
    let calls = "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n\"HIP_RUNTIME_API\",\"hipLaunchKernel\",100,100,1,500,900\n";
    for backwards in [false, true] {
        let files = [("1_kernel_trace.csv", kernels), ("1_hip_api_trace.csv", calls)];
        assert_eq!(Both::new(&files).update(backwards), ["0 added"]);
        let alone = Both::new(&[("1_kernel_trace.csv", kernels)]);
        assert_eq!(alone.update(backwards), ["0 added"]);
        alone.write("rank7.json", &trace(Some(7), "gemm"));
        assert_eq!(alone.update(backwards).len(), 2);
    }
}

/// A file that is written while it is read is read again, for what was read may be half of it.
#[test]
fn a_file_that_changes_is_not_known_by_what_it_became() {
    let both = Both::new(&[("0.json", &trace(Some(0), "gemm"))]);
    let dataset = both.at("here").display().to_string();
    let plan = || Work::plan(&[both.at("traces")], &dataset, Some("run")).unwrap();
    let planned = plan();
    both.write("0.json", &trace(Some(0), "a longer name"));
    planned.here(Default::default()).unwrap();
    let stored = || Dataset::open(&dataset).unwrap().rank_file("run", 0).unwrap();
    assert_eq!(stored().source, None);
    let again = plan().here(Default::default()).unwrap();
    assert_eq!(again.entries[0].action.name(), "replaced");
    assert!(stored().source.is_some());
}

/// What is damaged is made again under its number; what a later version wrote is not touched.
#[test]
fn only_damaged_ranks_are_replaced() {
    let both = Both::new(&[("a.json", &trace(None, "a")), ("b.json", &trace(None, "b"))]);
    assert_eq!(both.update(false), ["0 added", "1 added"]);
    for name in ["here", "tasks"] {
        fs::write(both.at(name).join("run=run/rank=0/rank.json"), "{}").unwrap();
    }
    assert_eq!(both.update(false), ["0 replaced", "1 skipped"]);
    let file = both.at("here").join("run=run/rank=1/rank.json");
    let content = fs::read_to_string(&file).unwrap();
    fs::write(&file, content.replace("\"format_version\": 1", "\"format_version\": 2")).unwrap();
    let dataset = both.at("here").display().to_string();
    let refused = Work::plan(&[both.at("traces")], &dataset, Some("run")).err().unwrap();
    assert!(refused.to_string().contains("version 2"), "{refused}");
}
