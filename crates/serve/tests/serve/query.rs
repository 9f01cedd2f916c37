//! Questions in SQL.

use serde_json::json;

use crate::client::Served;

const QUERY: &str = "/api/v1/runs/latest/query";

#[cfg(feature = "sql")]
#[test]
fn a_question_is_answered_within_its_limit() {
    let served = Served::start();
    let ask = |body: serde_json::Value| served.send("POST", QUERY, &body.to_string());
    let sql = "SELECT run, rank, count(*) AS calls FROM kernels GROUP BY run, rank ORDER BY rank";
    let answer = ask(json!({ "sql": sql })).json();
    let columns = json!([{"name": "run", "type": "text"}, {"name": "rank", "type": "int"}, {"name": "calls", "type": "int"}]);
    assert_eq!((&answer["columns"], &answer["truncated"]), (&columns, &json!(false)));
    assert_eq!((&answer["rows"][1][0], &answer["rows"][1][1]), (&json!("training"), &json!(1)));
    let answer = ask(json!({"sql": "SELECT name FROM slices", "limit": 3})).json();
    assert_eq!((answer["rows"].as_array().unwrap().len(), &answer["truncated"]), (3, &json!(true)));
    ask(json!({"sql": "SELECT nom FROM slices"})).is_problem(400);
    ask(json!({"sql": "DROP TABLE slices"})).is_problem(400);
    ask(json!({"sql": "SELECT * FROM '/etc/passwd'"})).is_problem(400);
    ask(json!({"limit": 3})).is_problem(422);
    served.send("POST", "/api/v1/runs/99/query", "{\"sql\": \"SELECT 1\"}").is_problem(404);
}

#[cfg(feature = "sql")]
#[test]
fn what_can_be_asked_about_is_listed() {
    let listed = Served::start().get(&format!("{QUERY}/tables")).json();
    let tables: Vec<&str> =
        listed["tables"].as_array().unwrap().iter().map(|table| table["name"].as_str().unwrap()).collect();
    assert!(tables.contains(&"kernels") && tables.contains(&"runs"), "{tables:?}");
    assert_eq!(listed["tables"][0]["columns"][0], json!({"name": "run", "type": "text", "about": "The run"}));
    assert!(
        listed["functions"].as_array().unwrap().iter().any(|function| function["name"] == "interval_union")
    );
}

#[cfg(not(feature = "sql"))]
#[test]
fn a_build_without_sql_says_so() {
    let served = Served::start();
    served.send("POST", QUERY, &json!({"sql": "SELECT 1"}).to_string()).is_problem(501);
    served.get(&format!("{QUERY}/tables")).is_problem(501);
}
