//! The page of rooflines: sound, complete, and nothing from elsewhere.

use std::fs;

use eaves_present::page::{BUDGET, Parts, offline};
use eaves_present::{Document, Input, json, saved};
use eaves_section::Outcome;

use super::sample;

fn document(count: usize) -> Document {
    let input = Input {
        path: "traces/llama-7b.json.gz".to_owned(),
        role: None,
        format: "kineto",
        container: "gzip",
        rank: 0,
        rank_source: "assumed",
        events: 12,
        bytes: 345,
    };
    let mut points = sample::points(count);
    if count >= 50 {
        points = sample::mixed();
        points.extend(sample::points(count).into_iter().skip(50));
    }
    let outcomes = vec![
        Outcome::Section(sample::held(&points)),
        Outcome::Section(sample::communication(30)),
        Outcome::Section(sample::sweep()),
    ];
    Document { verb: "roofline", inputs: vec![input], outcomes, ..Document::default() }
}

/// What a browser that runs no programs shows.
fn still(page: &str) -> &str {
    page.split("<div id=\"eaves-read\">").nth(1).unwrap().split("<script").next().unwrap()
}

#[test]
fn no_name_becomes_markup() {
    let evil = "</script><script>alert(1)</script><!--\" onclick='x' & <b>";
    let mut points = sample::points(3);
    for point in &mut points {
        point.name = evil.to_owned();
        point.kind = evil.to_owned();
    }
    points.push(sample::unknown(evil));
    let outcomes = vec![Outcome::Section(sample::held(&points))];
    let document = Document { verb: "roofline", outcomes, ..Document::default() };
    let page = offline(&document, &Parts::default(), BUDGET);
    let clean = offline(&Document { verb: "roofline", ..Document::default() }, &Parts::default(), BUDGET);
    for mark in ["<script", "</script>", "<b>", "<!--"] {
        assert_eq!(page.matches(mark).count(), clean.matches(mark).count(), "{mark}");
    }
    assert!(still(&page).contains("&lt;b&gt;"));
}

#[test]
fn several_inputs_are_all_there_and_drawn_without_a_program() {
    let documents = [document(5), document(50), document(2_000)];
    let outcomes = documents.iter().flat_map(|document| document.outcomes.clone()).collect();
    let whole = Document { outcomes, ..documents[0].clone() };
    let page = offline(&whole, &Parts::default(), BUDGET);
    // Three charts of each input: kernels, messages, a sweep.
    assert_eq!(still(&page).matches("<figure class=\"chart\"><svg").count(), 9);
    // No script runs but the two that are in the file: a name that became one would not.
    let policy = page.split_once("content=\"").unwrap().1.split_once('"').unwrap().0;
    assert!(
        policy.starts_with("default-src 'none'; script-src 'sha256-")
            && policy.matches("'sha256-").count() == 2
    );
    assert!(!policy.split_once("style-src").unwrap().0.contains("unsafe-inline"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pages.html");
    fs::write(&path, &page).unwrap();
    // What was saved is an input again, whole.
    let mut bytes = Vec::new();
    json::write(&whole, &mut bytes).unwrap();
    let expected: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let found: serde_json::Value = serde_json::from_str(&saved::open(&path).unwrap().unwrap().json).unwrap();
    assert_eq!(found, expected);
}
