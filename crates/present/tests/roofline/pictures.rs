//! Pictures for eyes. `cargo test -p eaves-present --test roofline -- --ignored` paints them into `target/tmp/roofline`.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use eaves_present::png;
use eaves_present::roofline::{ColourBy, Options, Theme, svg};
use eaves_section::Section;

use super::sample;

pub(crate) fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("roofline");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Paints light and dark; the answer is how large the last drawing is and how long it took.
fn paint(name: &str, sections: &[&Section], colour_by: ColourBy) -> String {
    let mut report = String::new();
    for (theme, shade) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        let title = Some("llama-7b.json".to_owned());
        let options = Options { theme, colour_by, title, ..Options::default() };
        let start = Instant::now();
        let drawing = svg(sections, &options);
        report = format!("{name} {shade}: {} bytes of SVG in {:?}", drawing.len(), start.elapsed());
        fs::write(folder().join(format!("{name}-{shade}.svg")), &drawing).unwrap();
        let picture = png::render(&drawing, png::SCREEN).unwrap();
        fs::write(folder().join(format!("{name}-{shade}.png")), picture).unwrap();
    }
    report
}

#[test]
#[ignore = "for eyes; painting takes seconds without optimisation"]
fn few() {
    println!("{}", paint("5", &[&sample::roofline(5)], ColourBy::Status));
}

#[test]
#[ignore = "for eyes; painting takes seconds without optimisation"]
fn some() {
    let section = sample::held(&sample::mixed());
    println!("{}", paint("50", &[&section, &sample::communication(30)], ColourBy::Status));
    println!("{}", paint("50-kind", &[&section], ColourBy::Kind));
}

#[test]
#[ignore = "for eyes; painting takes seconds without optimisation"]
fn many() {
    println!("{}", paint("2000", &[&sample::roofline(2_000)], ColourBy::Status));
}

#[test]
#[ignore = "for eyes; painting takes seconds without optimisation"]
fn others() {
    println!("{}", paint("communication", &[&sample::communication(400)], ColourBy::Status));
    println!("{}", paint("sweep", &[&sample::sweep()], ColourBy::Status));
}
