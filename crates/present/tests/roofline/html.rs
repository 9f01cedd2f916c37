//! The page: sound, complete, and nothing from elsewhere.

use std::fs;

use eaves_analyze::section::Outcome;
use eaves_present::roofline::{Page, html};
use eaves_present::{Document, Input, json, saved};

use crate::pictures::folder;
use crate::sample;

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

fn data<'a>(page: &'a str, id: &str) -> &'a str {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    page.split(&start).nth(1).unwrap().split("</script>").next().unwrap()
}

#[test]
fn no_name_becomes_markup_or_fills_a_place() {
    let evil =
        "</script><script>alert(1)</script><!--\" onclick='x' & <b> {{program}} {{pages}} {{data}} {{title}}";
    let mut points = sample::points(3);
    for point in &mut points {
        point.name = evil.to_owned();
        point.kind = evil.to_owned();
    }
    points.push(sample::unknown(evil));
    let outcomes = vec![Outcome::Section(sample::held(&points))];
    let document = Document { verb: "roofline", outcomes, ..Document::default() };
    let page = html(&[Page { label: evil, document: &document }], evil);
    // One element of data, one program.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(page.matches("class Chart").count(), 1);
    assert!(!page.contains("<b> {{"));
    let found: serde_json::Value = serde_json::from_str(data(&page, "eaves")).unwrap();
    assert_eq!(found["sections"][0]["tables"][0]["rows"][0][0], evil);
}

#[test]
fn a_page_of_nothing_says_so() {
    assert!(html(&[], "nothing").contains("There is nothing to show"));
    let document = Document { verb: "roofline", ..Document::default() };
    assert!(html(&[Page { label: "empty", document: &document }], "nothing").contains("id=\"input-1\""));
}

#[test]
fn pages_hold_all_their_documents_and_load_nothing() {
    let documents = [document(5), document(50), document(2_000)];
    let pages: Vec<Page<'_>> = documents
        .iter()
        .zip(["H100 bf16", "H100 fp8", "many"])
        .map(|(document, label)| Page { label, document })
        .collect();
    let page = html(&pages, "llama-7b");
    for (document, id) in documents.iter().zip(["eaves", "eaves-2", "eaves-3"]) {
        let mut bytes = Vec::new();
        json::write(document, &mut bytes).unwrap();
        let expected: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let found: serde_json::Value = serde_json::from_str(data(&page, id)).unwrap();
        assert_eq!(found, expected);
    }
    assert!(page.contains("default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"));
    for forbidden in ["http:", "https:", "@import", "<img", "<link", "fetch(", "eval(", "innerHTML", "{{"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    for (name, pages) in [("page-5", &pages[..1]), ("page-50", &pages[1..2]), ("pages", &pages[..])] {
        fs::write(folder().join(format!("{name}.html")), html(pages, "llama-7b")).unwrap();
    }
    // What was saved is an input again.
    assert!(saved::read(&folder().join("pages.html")).unwrap().is_some());
}
