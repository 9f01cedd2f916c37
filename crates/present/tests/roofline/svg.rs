//! The drawing as its reader sees it: elements at places.

use eaves_assess::roofline::Point;
use eaves_present::png;
use eaves_present::roofline::{ColourBy, Options, Palette, Theme, svg};
use eaves_section::{Chart, Column, Section, Table, Unit, Value};
use proptest::prelude::*;
use roxmltree::{Document, Node};

use super::sample;

fn drawn(sections: &[&Section]) -> String {
    svg(sections, &Options { title: Some("a title".to_owned()), ..Options::default() })
}

fn of_class<'a>(document: &'a Document<'_>, class: &str) -> Vec<Node<'a, 'a>> {
    let has = |node: &Node<'_, '_>| {
        node.attribute("class").is_some_and(|all| all.split(' ').any(|one| one == class))
    };
    document.descendants().filter(|node| has(node)).collect()
}

fn number(node: Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).unwrap().parse().unwrap()
}

/// Every pair of numbers that follows a letter that names places.
fn places(path: &str) -> Vec<(f64, f64)> {
    path.split(['M', 'L'])
        .filter_map(|part| {
            let end = part.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(part.len());
            let (x, y) = part[..end].trim().split_once(' ')?;
            Some((x.parse().ok()?, y.parse().ok()?))
        })
        .collect()
}

/// Left, top, right and bottom of each plot.
fn frames(document: &Document<'_>) -> Vec<[f64; 4]> {
    let frame = |node: Node<'_, '_>| {
        let path = node.attribute("d").unwrap();
        let numbers: Vec<f64> = path
            .split(|letter: char| !(letter.is_ascii_digit() || letter == '.'))
            .filter_map(|part| part.parse().ok())
            .collect();
        // `M left top H right V bottom H left z`
        [numbers[0], numbers[1], numbers[2], numbers[3]]
    };
    of_class(document, "frame").into_iter().map(frame).collect()
}

fn middle(mark: Node<'_, '_>) -> (f64, f64) {
    let path = mark.attribute("d").unwrap();
    let all = places(path);
    match path.split_once('a') {
        // A circle begins at its left end.
        Some((_, arc)) => {
            let radius: f64 = arc.split(' ').next().unwrap().parse().unwrap();
            (all[0].0 + radius, all[0].1)
        }
        None => {
            let count = all.len() as f64;
            (
                all.iter().map(|place| place.0).sum::<f64>() / count,
                all.iter().map(|place| place.1).sum::<f64>() / count,
            )
        }
    }
}

/// Marks of points, which say what they are.
fn marks<'a>(document: &'a Document<'_>) -> Vec<Node<'a, 'a>> {
    of_class(document, "m")
        .into_iter()
        .filter(|mark| mark.children().any(|child| child.has_tag_name("title")))
        .collect()
}

/// Checks what must hold for every drawing; the answer is how many marks and names it has.
fn check(text: &str) -> (usize, usize) {
    let document = Document::parse(text).unwrap();
    let frames = frames(&document);
    // The strip of points without bytes has no frame.
    let bands = of_class(&document, "band").into_iter().map(|band| {
        let (left, top) = (number(band, "x"), number(band, "y"));
        [left, top, left + number(band, "width"), top + number(band, "height")]
    });
    let areas: Vec<[f64; 4]> = frames.iter().copied().chain(bands).collect();
    let inside = |(x, y): (f64, f64)| {
        let holds = |[left, top, right, bottom]: &[f64; 4]| {
            (left - 0.1..=right + 0.1).contains(&x) && (top - 0.1..=bottom + 0.1).contains(&y)
        };
        areas.iter().any(holds)
    };
    let marks = marks(&document);
    for mark in &marks {
        let (x, y) = middle(*mark);
        assert!(x.is_finite() && y.is_finite() && inside((x, y)), "({x}, {y}) in {frames:?}");
        assert!((x, y) != (0.0, 0.0));
    }
    let width: f64 = number(document.root_element(), "width");
    let height: f64 = number(document.root_element(), "height");
    let mut boxes: Vec<[f64; 4]> = Vec::new();
    let names = of_class(&document, "label");
    for name in &names {
        let (x, y) = (number(*name, "x"), number(*name, "y"));
        // About the width of the narrowest letters, so that this check does not trust the one that placed them.
        let wide = name.text().unwrap().chars().count() as f64 * 10.5 * 0.3;
        let area = [x, y - 9.0, x + wide, y + 2.0];
        assert!(area[0] >= 0.0 && area[2] <= width && area[1] >= 0.0 && area[3] <= height, "{area:?}");
        let free = boxes.iter().all(|other| {
            area[0] >= other[2] || other[0] >= area[2] || area[1] >= other[3] || other[1] >= area[3]
        });
        assert!(free, "{} covers another name", name.text().unwrap());
        boxes.push(area);
    }
    for text in
        document.descendants().filter(|node| node.has_tag_name("text") && node.attribute("x").is_some())
    {
        assert!((0.0..=height).contains(&number(text, "y")), "{text:?}");
    }
    (marks.len(), names.len())
}

#[test]
fn every_point_is_drawn_inside_its_plot() {
    for (count, least_names) in [(1, 1), (5, 5), (50, 15), (2_000, 10)] {
        let (marks, names) = check(&drawn(&[&sample::roofline(count)]));
        assert_eq!(marks, count);
        assert!(names >= least_names, "{names} names of {count} points");
    }
}

#[test]
fn what_cannot_be_on_the_plot_is_beside_it_or_counted() {
    let section = sample::held(&sample::mixed());
    let text = drawn(&[&section, &sample::communication(30)]);
    // 50 points, 3 copies, one without bytes, one without a time; 30 messages.
    assert_eq!(check(&text).0, 85);
    for words in [
        "no arithmetic",
        "no bytes",
        "no time: drawn at its roof",
        "1 without a formula not drawn",
        "above its roof",
    ] {
        assert!(text.contains(words), "{words}");
    }
    let document = Document::parse(&text).unwrap();
    // A plot for bandwidths, the plot itself, and that of communication.
    assert_eq!(frames(&document).len(), 3);
    let strip = frames(&document).into_iter().min_by(|a, b| a[0].total_cmp(&b[0])).unwrap();
    let in_strip = marks(&document).into_iter().filter(|mark| middle(*mark).0 < strip[2]).count();
    assert_eq!(in_strip, 3);
}

#[test]
fn nothing_and_little_can_be_drawn() {
    assert!(drawn(&[]).contains("nothing to draw"));
    check(&drawn(&[]));
    let nothing = sample::held(&[]);
    assert_eq!(check(&drawn(&[&nothing])), (0, 0));
    let copy = sample::held(&[sample::copy(1e6, 0.5)]);
    assert_eq!(check(&drawn(&[&copy])).0, 1);
    let unknown = sample::held(&[sample::unknown("custom")]);
    assert_eq!(check(&drawn(&[&unknown])).0, 0);
    for id in ["roofline", "comm-roofline", "predict", "kernels"] {
        let empty = Section { id, title: "Empty", ..Section::default() };
        check(&drawn(&[&empty]));
    }
}

#[test]
fn rows_that_are_short_or_odd_do_no_harm() {
    let columns = vec![
        Column::new("name", "Name", Unit::None),
        Column::new("intensity", "Intensity", Unit::FlopPerByte),
        Column::new("achieved_gflops", "Achieved", Unit::GigaflopsPerSecond),
    ];
    let row = |intensity, achieved| vec![Value::from("odd"), Value::Float(intensity), Value::Float(achieved)];
    let rows = vec![
        row(f64::INFINITY, 1.0),
        row(f64::NAN, f64::NAN),
        row(0.0, 0.0),
        row(-1.0, 5.0),
        row(1e-300, 1e300),
        row(1e300, 1e-300),
        vec![Value::from("short")],
        Vec::new(),
        vec![Value::Integer(3), Value::from("text"), Value::Missing("nothing")],
    ];
    let points = Table { id: "points", title: "Points", columns, rows };
    let charts = vec![Chart::Roofline { points: "points", ceilings: "roofs", without_formula: "unmodelled" }];
    let section =
        Section { id: "roofline", title: "Roofline", tables: vec![points], charts, ..Section::default() };
    // The two of the widest range, and two that have a rate and no place across.
    assert_eq!(check(&drawn(&[&section])).0, 4);
}

#[test]
fn names_stay_texts() {
    let evil = "</text><script>alert(1)</script>\" onload='x' & \u{0} <b>漢字";
    let mut points: Vec<Point> = sample::points(4);
    for point in &mut points {
        point.name = evil.to_owned();
        point.kind = evil.to_owned();
    }
    let text = svg(
        &[&sample::held(&points)],
        &Options { title: Some(evil.to_owned()), colour_by: ColourBy::Kind, ..Options::default() },
    );
    check(&text);
    assert!(!text.contains("<script") && !text.contains("<b>"));
}

#[test]
fn every_choice_makes_a_drawing() {
    let section = sample::roofline(60);
    let safe = svg(&[&section], &Options::default());
    for theme in [Theme::Light, Theme::Dark, Theme::Auto] {
        for colour_by in [ColourBy::Status, ColourBy::Kind, ColourBy::Dtype] {
            for palette in [Palette::Safe, Palette::Classic] {
                check(&svg(&[&section], &Options { theme, colour_by, palette, ..Options::default() }));
            }
        }
    }
    // The colors of the NPU tools are a choice, not the default.
    let classic = svg(&[&section], &Options { palette: Palette::Classic, ..Options::default() });
    for colour in ["#27ae60", "#2ecc71", "#e74c3c", "#c0392b", "#2980b9"] {
        assert!(classic.contains(colour) && !safe.contains(colour), "{colour}");
    }
    for (width, height) in [(0, 0), (500, 400), (3_000, 500), (600, 2_000)] {
        check(&svg(&[&section], &Options { width, height, ..Options::default() }));
    }
}

#[test]
fn a_picture_that_follows_the_system_is_painted_light() {
    let section = sample::roofline(3);
    let painted = |theme| {
        let options = Options { theme, width: 480, height: 360, ..Options::default() };
        png::render(&svg(&[&section], &options), 0.5).unwrap()
    };
    assert_eq!(painted(Theme::Auto), painted(Theme::Light));
    assert_ne!(painted(Theme::Auto), painted(Theme::Dark));
}

/// What no public document states is dashed, and the legend says so.
#[test]
fn unverified_roofs_are_dashed() {
    let mut section = sample::roofline(50);
    let dashed = |section: &Section| {
        let text = drawn(&[section]);
        let document = Document::parse(&text).unwrap();
        let lines =
            |class| of_class(&document, class).iter().filter(|line| line.has_tag_name("path")).count();
        (lines("unverified"), text.contains(">unverified<"))
    };
    assert_eq!(dashed(&section), (0, false));
    let roofs = section.tables.iter_mut().find(|table| table.id == "roofs").unwrap();
    // Main memory stands first; `confidence` is the last column.
    *roofs.rows[0].last_mut().unwrap() = "unverified".into();
    let (lines, said) = dashed(&section);
    assert!(lines >= 2 && said, "the roof and its swatch: {lines}");
}

#[test]
fn roofs_meet_at_the_knee_and_bound_the_plot() {
    let text = drawn(&[&sample::roofline(50)]);
    let document = Document::parse(&text).unwrap();
    let line = |class: &str| places(of_class(&document, class)[0].attribute("d").unwrap());
    // The highest ceiling begins where the slope of main memory ends.
    let (slope, ceiling) = (line("roof"), line("ceiling"));
    assert!((slope[1].0 - ceiling[0].0).abs() < 0.2 && (slope[1].1 - ceiling[0].1).abs() < 0.2);
    // Level lines are level, slopes rise to the right.
    assert_eq!(ceiling[0].1, ceiling[1].1);
    assert!(slope[1].0 > slope[0].0 && slope[1].1 < slope[0].1);
    for words in [
        "HBM3 3.35 TB/s",
        "bf16 matrix 989 TFLOP/s",
        "fp32 vector 66.9 TFLOP/s",
        "295 FLOP/B",
        "NVIDIA H100 SXM",
    ] {
        assert!(text.contains(words), "{words}");
    }
    // No point has these.
    assert!(!text.contains("tf32") && !text.contains("fp64"));
}

#[test]
fn a_sweep_has_a_chart_a_unit_and_a_line_a_series() {
    let text = drawn(&[&sample::sweep()]);
    check(&text);
    let document = Document::parse(&text).unwrap();
    assert_eq!(frames(&document).len(), 3);
    assert_eq!(of_class(&document, "series").len(), 6);
    assert!(text.contains("over m<") && text.contains(">bf16<") && text.contains(">fp8<"));
}

/// A row for each: predicted, measured and the ends of the prediction, in nanoseconds.
fn validation(rows: &[(&str, f64, f64, f64, f64)]) -> Section {
    let cells = |(class, predicted, measured, least, most): &(&str, f64, f64, f64, f64)| {
        let numbers = [predicted, measured, least, most].map(|number| Value::Float(*number));
        let mut cells: Vec<Value> = vec!["gemv 1x64x64".into(), (*class).into(), Value::Integer(1)];
        cells.extend(numbers);
        cells
    };
    let number = |id| Column::new(id, id, Unit::Nanoseconds);
    Section {
        id: "validate",
        title: "Theoretical and measured roofs",
        charts: vec![Chart::Validation { kernels: "rows" }],
        tables: vec![Table {
            id: "rows",
            title: "Each kernel",
            columns: vec![
                Column::new("name", "Kernel", Unit::None),
                Column::new("class", "Class", Unit::None),
                Column::new("threads", "Threads", Unit::Count),
                number("predicted_ns"),
                number("time_ns"),
                number("least_ns"),
                number("most_ns"),
            ],
            rows: rows.iter().map(cells).collect(),
        }],
        ..Section::default()
    }
}

#[test]
fn a_prediction_that_is_right_is_on_the_diagonal_and_its_interval_is_a_bar() {
    let text = drawn(&[&validation(&[
        ("gemv", 1e6, 1e6, 9e5, 2e6),
        ("stream", 1e3, 1e3, 1e3, 1e3),
        ("gemm", 1e4, 1e5, 9e3, 2e4),
    ])]);
    assert_eq!(check(&text).0, 3);
    let document = Document::parse(&text).unwrap();
    let diagonal = places(of_class(&document, "roof")[0].attribute("d").unwrap());
    let [(left, bottom), (right, top)] = diagonal.as_slice() else { panic!("{diagonal:?}") };
    // How far above the diagonal a mark is, as a share of the plot.
    let above = |mark: Node<'_, '_>| {
        let (x, y) = middle(mark);
        (bottom - y) / (bottom - top) - (x - left) / (right - left)
    };
    let marks = marks(&document);
    for (index, expected) in [(0, 0.0), (1, 0.0)] {
        assert!((above(marks[index]) - expected).abs() < 2e-3, "{}", above(marks[index]));
    }
    // Ten times as long is one decade of three and the room at the ends, 0.22 each.
    assert!((above(marks[2]) - 1.0 / 3.44).abs() < 2e-3, "{}", above(marks[2]));
    // Bars begin at the least, and the band is a plane around the diagonal.
    let bars = of_class(&document, "leader");
    assert_eq!(bars.len(), 3);
    let (from, y) = places(bars[0].attribute("d").unwrap())[0];
    let expected = left + (9e5_f64.log10() - 3.0 + 0.22) / 3.44 * (right - left);
    assert!((from - expected).abs() < 0.2 && (y - middle(marks[0]).1).abs() < 0.2, "{from} {expected}");
    assert_eq!(of_class(&document, "within").len(), 1);
    assert!(text.contains(">gemm (1)<") && text.contains("900.0 % off"), "{text}");
    // Nothing that has no number is drawn.
    assert!(drawn(&[&validation(&[("gemv", f64::NAN, 1.0, 1.0, 1.0)])]).contains("nothing to draw"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_points_make_a_sound_drawing(
        points in proptest::collection::vec((-6.0..6.0f64, -3.0..7.0f64, 0.0..9.0f64), 0..60),
        width in 480u32..1600,
    ) {
        let columns = vec![
            Column::new("name", "Name", Unit::None),
            Column::new("intensity", "Intensity", Unit::FlopPerByte),
            Column::new("achieved_gflops", "Achieved", Unit::GigaflopsPerSecond),
            Column::new("time_ns", "Time", Unit::Nanoseconds),
        ];
        let rows = points.iter().enumerate().map(|(index, &(x, y, time))| vec![
            Value::Text(format!("kernel_with_number_{index}")),
            Value::Float(10f64.powf(x)),
            Value::Float(10f64.powf(y)),
            Value::Integer(10f64.powf(time) as i64),
        ]).collect();
        let mut section = sample::held(&[]);
        section.tables[0] = Table { id: "points", title: "Points", columns, rows };
        let text = svg(&[&section], &Options { width, ..Options::default() });
        prop_assert_eq!(check(&text).0, points.len());
    }
}
