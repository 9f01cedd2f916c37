//! The chart of characters and the table below it.

use eaves_present::roofline::terminal_chart;
use eaves_present::{Document, terminal};
use eaves_section::Outcome;
use unicode_width::UnicodeWidthStr;

use super::sample;

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

fn document(count: usize) -> Document {
    let outcomes = vec![Outcome::Section(sample::roofline(count))];
    Document { verb: "roofline", outcomes, ..Document::default() }
}

#[test]
fn nothing_is_wider_than_the_terminal() {
    let sections = [sample::held(&sample::mixed()), sample::communication(30), sample::sweep()];
    for width in [40, 80, 120, 200] {
        for section in &sections {
            let chart = terminal_chart(&[section], width, true);
            for line in plain(&chart).lines() {
                assert!(line.width() <= width, "{width}: {line}");
            }
        }
        let options = terminal::Options { width, top: 10 };
        for line in plain(&terminal::render(&document(50), &options)).lines() {
            assert!(width < 80 || line.width() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn colours_only_repeat_what_is_there() {
    let section = sample::roofline(50);
    let coloured = terminal_chart(&[&section], 80, true);
    let chart = terminal_chart(&[&section], 80, false);
    assert!(coloured.contains('\u{1b}') && !chart.contains('\u{1b}'));
    assert_eq!(plain(&coloured), chart);
    println!("{chart}");
    println!("{}", plain(&terminal::render(&document(50), &terminal::Options::default())));
    println!("{}", terminal_chart(&[&sample::communication(12), &sample::sweep()], 80, false));
}

#[test]
fn letters_of_the_chart_are_those_of_the_table() {
    let text = plain(&terminal::render(&document(5), &terminal::Options::default()));
    let (chart, table) = text.split_once("Name").unwrap();
    for letter in ['A', 'B', 'C', 'D', 'E'] {
        assert!(table.lines().any(|line| line.starts_with(&format!("  {letter} "))), "{letter} in {table}");
        // Behind the axis, where no number or text has capital letters of this kind alone.
        let plots = chart.lines().filter_map(|line| line.split_once(['│', '┤'])).map(|(_, plot)| plot);
        assert!(plots.clone().any(|plot| plot.contains(letter)), "{letter} in {chart}");
    }
}
