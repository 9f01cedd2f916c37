//! `eaves query`.

use std::fs;

use crate::support::{TRACE, run};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("trace.json"), TRACE).unwrap();
    folder
}

#[cfg(not(feature = "sql"))]
#[test]
fn a_build_without_sql_says_how_to_get_it() {
    let folder = folder();
    for arguments in [&["query", "SELECT 1", "trace.json"][..], &["query", "--tables"]] {
        let answer = run(folder.path(), arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""));
        assert!(
            answer.stderr.contains("no SQL") && answer.stderr.contains("--features sql"),
            "{}",
            answer.stderr
        );
    }
}

#[cfg(feature = "sql")]
mod built {
    use serde_json::{Value, json};

    use super::{folder, fs, run};
    use crate::support::{eaves, names};

    const KERNELS: &str = "SELECT name, type, duration_ns FROM kernels ORDER BY start_ns LIMIT 2";

    #[test]
    fn an_answer_has_every_form() {
        let folder = folder();
        let ask = |options: &[&str]| {
            let answer = run(folder.path(), &[&["query", KERNELS, "trace.json"], options].concat());
            assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{options:?}");
            answer.stdout
        };
        assert_eq!(
            ask(&[]),
            "name  type     duration_ns\n----  -------  -----------\ngemm  compute        30000\nrelu  compute        10000\n"
        );
        assert_eq!(ask(&["--csv"]), "name,type,duration_ns\ngemm,compute,30000\nrelu,compute,10000\n");
        let answer: Value = serde_json::from_str(&ask(&["--json"])).unwrap();
        assert_eq!(answer["rows"], json!([["gemm", "compute", 30000], ["relu", "compute", 10000]]));
        assert_eq!(answer["columns"][2], json!({"name": "duration_ns", "type": "int"}));
        assert!(ask(&["--markdown"]).contains("| gemm | compute | 30000 |"));
        assert!(ask(&["--top", "1"]).ends_with("30000\n1 more row\n"));
        assert_eq!(ask(&["-o", "answer.parquet"]), "");
        assert!(fs::read(folder.path().join("answer.parquet")).unwrap().starts_with(b"PAR1"));
    }

    #[test]
    fn busy_time_is_that_of_the_report() {
        let folder = folder();
        let sql = "SELECT interval_union(start_ns, end_ns), interval_idle(start_ns, end_ns),
                   interval_difference(start_ns, end_ns, type = 'communication', type = 'compute') FROM kernels";
        let answer = run(folder.path(), &["query", sql, "trace.json", "--json"]);
        let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(answer["rows"], json!([[90_000, 10_000, 50_000]]));
    }

    #[test]
    fn what_is_wrong_is_shown_in_its_place_and_nothing_is_written() {
        let folder = folder();
        let answer =
            run(folder.path(), &["query", "SELECT nam\nFROM kernels", "trace.json", "-o", "answer.csv"]);
        assert_eq!(answer.code, Some(2));
        let expected = "error: no column `nam` in `kernels` (line 1, column 8)\n  SELECT nam\n         ^\nhint: did you mean `name`?";
        assert!(answer.stderr.starts_with(expected), "{}", answer.stderr);
        assert_eq!(names(folder.path()), ["trace.json"]);
        for (sql, said) in [
            ("COPY kernels TO 'kernels.csv'", "only queries are allowed"),
            ("SELECT * FROM 'trace.json'", "no table"),
            ("SELECT", "error:"),
        ] {
            let answer = run(folder.path(), &["query", sql, "trace.json"]);
            assert_eq!(answer.code, Some(2), "{sql}");
            assert!(answer.stderr.contains(said), "{sql}: {}", answer.stderr);
        }
        let answer = run(folder.path(), &["query", "SELECT 1", "trace.json", "-o", "answer.html"]);
        assert!(answer.stderr.contains(".parquet"), "{}", answer.stderr);
    }

    #[test]
    fn a_dataset_with_several_runs_is_asked_as_a_whole() {
        let folder = folder();
        for name in ["monday", "tuesday"] {
            let answer = run(folder.path(), &["ingest", "trace.json", "-o", "dataset", "--run", name]);
            assert_eq!(answer.code, Some(0), "{}", answer.stderr);
        }
        let sql = "SELECT run, count(*) AS kernels FROM kernels GROUP BY run ORDER BY run";
        let ask = |input: &str| run(folder.path(), &["query", sql, input, "--csv"]).stdout;
        assert_eq!(ask("dataset"), "run,kernels\nmonday,3\ntuesday,3\n");
        assert_eq!(ask("dataset/run=tuesday"), "run,kernels\ntuesday,3\n");
        assert_eq!(ask("trace.json"), "run,kernels\ntrace,3\n");
    }

    #[test]
    fn tables_are_listed_and_a_question_may_come_from_stdin() {
        let folder = folder();
        let listed = run(folder.path(), &["query", "--tables"]).stdout;
        for said in [
            "kernels: GPU activities: kernels, memcpys and memsets",
            "  duration_ns",
            "interval_union(start, end)",
        ] {
            assert!(listed.contains(said), "{said}: {listed}");
        }
        fs::write(
            folder.path().join("question.sql"),
            "-- how many\nSELECT count(*) AS kernels FROM kernels;\n",
        )
        .unwrap();
        let question = fs::File::open(folder.path().join("question.sql")).unwrap();
        let output =
            eaves(folder.path(), ["query", "-", "trace.json", "--csv"]).stdin(question).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "kernels\n3\n");
    }
}
