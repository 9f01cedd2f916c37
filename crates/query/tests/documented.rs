//! Every question of docs/query.md has an answer, and the page names every table, column and function.

#![cfg(feature = "sql")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eaves_query::{Limits, Ranks, Recordings};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    fs::read_to_string(project().join("docs/query.md")).unwrap()
}

/// The questions with the examples they are about.
fn questions(page: &str) -> Vec<(&str, &str)> {
    let blocks = page.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.map(|sql| (sql.lines().next().unwrap().strip_prefix("-- ").unwrap(), sql)).collect()
}

#[test]
fn every_question_has_an_answer() {
    let page = page();
    let questions = questions(&page);
    assert!(questions.len() >= 10);
    for (example, sql) in questions {
        let run = eaves_ingest::read(&[project().join(example)], &eaves_ingest::Options::default()).unwrap();
        let run: Arc<dyn Recordings> = Arc::new(run);
        let answer = eaves_query::query(sql, &Ranks::in_memory("example", &run), &Limits::default());
        let answer = answer.unwrap_or_else(|error| panic!("{error}: {}\n{sql}", error.hint()));
        assert!(answer.rows() > 0, "{sql}");
    }
}

#[test]
fn every_table_column_and_function_is_on_the_page() {
    let page = page();
    for table in eaves_query::tables().unwrap() {
        let line = page.lines().find(|line| line.starts_with(&format!("| `{}` |", table.name)));
        let line = line.unwrap_or_else(|| panic!("no line about `{}`", table.name));
        let documented: Vec<&str> =
            line.rsplit(" | ").next().unwrap().split('`').skip(1).step_by(2).collect();
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
        let own: Vec<&str> = columns.into_iter().filter(|name| !["run", "rank"].contains(name)).collect();
        assert_eq!(documented, own, "{}", table.name);
    }
    for function in eaves_query::functions().unwrap() {
        assert!(page.contains(&format!("| `{}` |", function.call)), "{}", function.call);
    }
}
