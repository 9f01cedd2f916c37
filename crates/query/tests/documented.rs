//! Every question of docs/query.md has an answer, and the reference names every table, column and function.

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

/// The reference is generated from the sources of the tables; this is what the engine has.
#[test]
fn every_table_column_and_function_is_in_the_reference() {
    let page = fs::read_to_string(project().join("docs/reference/sql.md")).unwrap();
    for table in eaves_query::tables().unwrap() {
        let section = page.split(&format!("### `{}`\n", table.name)).nth(1);
        let section = section.unwrap_or_else(|| panic!("no section about `{}`", table.name));
        let section = section.split("\n##").next().unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
        let documented: Vec<(&str, &str)> =
            rows.map(|(name, rest)| (name, rest.split(" | ").next().unwrap())).collect();
        let columns: Vec<(&str, &str)> =
            table.columns.iter().map(|column| (column.name, column.kind)).collect();
        assert_eq!(documented, columns, "{}", table.name);
    }
    for function in eaves_query::functions().unwrap() {
        assert!(page.contains(&format!("| `{}` |", function.call)), "{}", function.call);
    }
}
