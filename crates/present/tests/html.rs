//! The page: sound HTML, complete data, nothing from elsewhere, and no name that becomes markup.

use eaves_present::{Document, html, json, page, saved};
use eaves_section::{Chart, Column, Outcome, Section, Table, Unit, Value};

use crate::sample;

/// Elements that have no end.
const VOID: [&str; 4] = ["br", "meta", "!DOCTYPE", "hr"];

/// Walks the tags of a page and fails on any that is not closed in order. Returns the ids.
fn check_structure(page: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut ids = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').unwrap();
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        let name = tag.trim_start_matches('/').split([' ', '\n']).next().unwrap().to_owned();
        assert!(tag.matches('"').count().is_multiple_of(2), "a quote inside a tag: {tag}");
        if let Some(id) = tag.split(" id=\"").nth(1) {
            ids.push(id.split('"').next().unwrap().to_owned());
        }
        if tag.starts_with('/') {
            assert_eq!(open.pop().as_deref(), Some(name.as_str()), "before: {}", &rest[..rest.len().min(80)]);
        } else if !VOID.contains(&name.as_str()) && !tag.ends_with('/') {
            // What is inside these is not a markup.
            if matches!(name.as_str(), "style" | "script") {
                rest = &rest[rest.find(&format!("</{name}>")).unwrap()..];
            }
            open.push(name);
        }
    }
    assert_eq!(open, Vec::<String>::new());
    ids
}

fn data(page: &str) -> serde_json::Value {
    let start = "<script type=\"application/json\" id=\"eaves\">";
    let text = page.split(start).nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(text).unwrap()
}

fn json_of(document: &Document) -> serde_json::Value {
    let mut bytes = Vec::new();
    json::write(document, &mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn every_element_is_closed_and_every_link_leads_somewhere() {
    let page = html::render(&sample::document());
    let ids = check_structure(&page);
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "{ids:?}");
    for link in page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        let target = link.strip_prefix('#').unwrap_or_else(|| panic!("leads away: {link}"));
        assert!(ids.iter().any(|id| id == target), "{link}");
    }
    for label in page.split("aria-labelledby=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(ids.iter().any(|id| id == label), "{label}");
    }
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let page = html::render(&sample::document());
    assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'"));
    for forbidden in ["http:", "https:", "//cdn", "url(", "@import", "<img", "<link", "javascript", "onclick"]
    {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn the_page_holds_the_whole_document() {
    let document = sample::document();
    assert_eq!(data(&html::render(&document)), json_of(&document));
    let nothing = Document { verb: "report", ..Document::default() };
    let page = html::render(&nothing);
    check_structure(&page);
    assert_eq!(data(&page), json_of(&nothing));
}

#[test]
fn what_to_do_stands_before_the_numbers_and_every_finding_is_there() {
    let document = sample::document();
    let page = html::render(&document);
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    assert!(place("id=\"warnings\"") < place("id=\"findings\""));
    assert!(place("id=\"findings\"") < place("id=\"temporal-breakdown\""));
    assert!(place("id=\"temporal-breakdown\"") < place("id=\"skipped\""));
    assert_eq!(page.matches("<article>").count(), document.findings().len());
}

#[test]
fn no_name_becomes_markup() {
    let evil = "</script><script>alert(1)</script><!--\" onclick='x' & <b>";
    let table = Table {
        id: "by_name",
        title: "Names",
        columns: vec![
            Column::new("name", "Name", Unit::None),
            Column::new("share_pct", "Of all", Unit::Percent),
        ],
        rows: vec![
            vec![Value::from(evil), Value::Float(12.5)],
            vec![Value::from(evil.repeat(9)), Value::Missing("no \"calls\" <here>")],
            vec![Value::from("short row")],
        ],
    };
    let section = Section { id: "kernels", title: "Kernels", tables: vec![table], ..Section::default() };
    let document =
        Document { verb: "report", outcomes: vec![Outcome::Section(section)], ..Document::default() };
    let page = html::render(&document);
    check_structure(&page);
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(data(&page), json_of(&document));
    assert!(page.contains("style=\"--part:12.50%\""));
    assert!(page.contains("title=\"no &quot;calls&quot; &lt;here&gt;\""));
}

#[test]
fn a_roofline_has_its_chart_before_its_tables() {
    let column = |id, title, unit| Column::new(id, title, unit);
    let points = Table {
        id: "points",
        title: "Against the roof",
        columns: vec![
            column("name", "Name", Unit::None),
            column("intensity", "Intensity", Unit::FlopPerByte),
            column("achieved_gflops", "Achieved", Unit::GigaflopsPerSecond),
        ],
        rows: vec![vec![Value::from("gemm <b>"), Value::Float(100.0), Value::Float(5e5)]],
    };
    let charts = vec![Chart::Roofline { points: "points", ceilings: "roofs", without_formula: "unmodelled" }];
    let section =
        Section { id: "roofline", title: "Roofline", tables: vec![points], charts, ..Section::default() };
    let document =
        Document { verb: "report", outcomes: vec![Outcome::Section(section)], ..Document::default() };
    let page = html::render(&document);
    check_structure(&page);
    assert_eq!(page.matches("<svg").count(), 1);
    assert!(page.find("<svg") < page.find("Against the roof"));
    assert!(!page.contains("http:") && !page.contains("<b>"));
    // The style of the chart concerns nothing else.
    let style =
        page.split("<svg").nth(1).unwrap().split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    assert!(
        style.split('}').filter(|rule| rule.contains('{')).all(|rule| rule.contains(".eaves-roofline ")),
        "{style}"
    );
}

fn long_document() -> Document {
    let rows = (0..1_500).map(|row| vec![Value::Integer(row)]).collect();
    let table =
        Table { id: "points", title: "Points", columns: vec![Column::new("at", "At", Unit::None)], rows };
    let section = Section { id: "long", title: "Long", tables: vec![table], ..Section::default() };
    Document { outcomes: vec![Outcome::Section(section)], ..Document::default() }
}

#[test]
fn a_long_table_is_cut_and_says_so() {
    let page = html::render(&long_document());
    assert_eq!(page.matches("<tr>").count(), 1_001);
    assert!(page.contains("500 more rows") && page.contains("including rows not shown"));
    assert_eq!(data(&page)["sections"][0]["tables"][0]["rows"].as_array().unwrap().len(), 1_500);
}

/// Without its program it is short tables; its data is whole all the same.
#[test]
fn a_file_has_all_rows_and_shows_few_without_its_program() {
    let file = page::offline(&long_document(), &page::Parts::default(), page::BUDGET);
    let tables = file.split("<div id=\"app\">").nth(1).unwrap().split("eaves-document").next().unwrap();
    assert_eq!(tables.matches("<tr>").count(), 31);
    assert!(tables.contains("1,470 more rows"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    std::fs::write(&path, file).unwrap();
    let saved = saved::open(&path).unwrap().unwrap();
    assert_eq!(saved::tables(&saved.document)[0].rows.len(), 1_500);
}
