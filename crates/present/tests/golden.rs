//! One document in every form, compared with files that were checked by hand.
//!
//! `EAVES_UPDATE_GOLDEN=1 cargo test -p eaves-present` writes the files again; look at the difference.

use std::path::Path;

use eaves_present::{Document, csv, json, markdown, terminal, timeline};
use unicode_width::UnicodeWidthStr;

use crate::sample::{self, trace};

fn check(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("EAVES_UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    for (number, (expected, actual)) in expected.lines().zip(actual.lines()).enumerate() {
        assert_eq!(expected, actual, "line {} of {name}", number + 1);
    }
    assert_eq!(expected, actual, "{name} ends elsewhere");
}

fn terminal_text(width: usize, top: usize) -> String {
    let text = terminal::render(&sample::document(), &terminal::Options { width, top });
    anstream::adapter::strip_str(&text).to_string()
}

#[test]
fn terminal_of_80_columns() {
    check("report-80.txt", &terminal_text(80, 3));
}

#[test]
fn terminal_of_120_columns() {
    check("report-120.txt", &terminal_text(120, 0));
}

#[test]
fn terminal_with_colours() {
    let document = sample::document();
    let text = terminal::render(&document, &terminal::Options { width: 80, top: 3 });
    check("report-80.ansi", &text);
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in [60, 80, 100, 120] {
        for line in terminal_text(width, 0).lines() {
            assert!(line.width() <= width, "{} columns at {width}: {line}", line.width());
        }
    }
}

#[test]
fn markdown_of_a_report() {
    check("report.md", &markdown::render(&sample::document(), 3));
}

#[test]
fn csv_of_a_report() {
    let mut bytes = Vec::new();
    csv::write(&sample::document(), &mut bytes).unwrap();
    check("report.csv", &String::from_utf8(bytes).unwrap());
}

#[test]
fn json_of_a_report() {
    let mut bytes = Vec::new();
    json::write(&sample::document(), &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    check("report.json", &text.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn timeline_as_a_drawing() {
    let run = trace::run();
    let (outcomes, charts) = trace::timeline(&run);
    check("timeline.svg", &timeline::svg(&charts, outcomes[0].section(), 800));
}

#[test]
fn timeline_of_80_columns() {
    let run = trace::run();
    let (outcomes, charts) = trace::timeline(&run);
    let document = Document::new("timeline", &run, outcomes);
    let text = terminal::render_timeline(&document, &charts, &terminal::Options::default());
    let text = anstream::adapter::strip_str(&text).to_string();
    check("timeline-80.txt", &text);
    assert!(text.lines().all(|line| line.width() <= 80));
}
