//! Where the answer goes and in which form: a picture, a page, one flat table, or a document as other verbs write it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use eaves_analyze::roofline::flat_table;
use eaves_analyze::section::Section;
use eaves_present::roofline::{Options, svg};
use eaves_present::{Document, csv, page, png, terminal};

use super::Arguments;
use super::run::Answer;
use crate::arguments::{OutputArguments, check_output};
use crate::destination::{self, Format, Target};
use crate::failure::hinted;

enum Form {
    Html(Target),
    Png(Target),
    Svg(Target),
    Table(Target),
    Text(Target),
    /// One file per table, in a folder per input if there are several.
    Directory(PathBuf),
    Document(destination::Destination),
}

/// Found out before the work, so that a wrong name costs no time.
pub(super) struct Destination(Form);

impl Destination {
    pub(super) fn new(arguments: &Arguments, output: &OutputArguments) -> Result<Self> {
        let path = output.path();
        let files = arguments.files();
        check_output(path, &files)?;
        let ending = path.and_then(Path::extension).and_then(|ending| ending.to_str()).unwrap_or_default();
        let picture: Option<fn(Target) -> Form> = match ending.to_ascii_lowercase().as_str() {
            "html" | "htm" => Some(Form::Html),
            "png" => Some(Form::Png),
            "svg" => Some(Form::Svg),
            _ => None,
        };
        let is_directory = path.is_some_and(|path| path.as_os_str().to_string_lossy().ends_with(['/', '\\']));
        let form = match (picture, output.format()) {
            (Some(_), Some(_)) => {
                return Err(hinted(
                    "--json, --csv and --markdown do not go with a picture or page".to_owned(),
                    "give one of the two",
                ));
            }
            (Some(form), None) => form(Target::open(path)?),
            (None, None | Some(Format::Csv)) if is_directory => {
                Form::Directory(path.map(Path::to_owned).unwrap_or_default())
            }
            (None, asked) => match asked.or_else(|| path.and_then(Format::of)) {
                Some(Format::Csv)
                    if path.is_none_or(|path| matches!(Format::of(path), None | Some(Format::Csv))) =>
                {
                    Form::Table(Target::open(path)?)
                }
                None if path.is_none() => Form::Text(Target::Stdout),
                Some(Format::Terminal) => Form::Text(Target::open(path)?),
                _ => Form::Document(output.destination(&files)?),
            },
        };
        Ok(Self(form))
    }

    pub(super) fn write(
        self,
        arguments: &Arguments,
        answers: &[Answer],
        output: &OutputArguments,
    ) -> Result<()> {
        let whole = whole(answers);
        let sections: Vec<&Section> = whole.sections().collect();
        match self.0 {
            Form::Document(destination) => output.finish(&whole, destination, arguments.top),
            Form::Text(target) => {
                let shows_warnings = matches!(target, Target::Stdout);
                output.finish_with(&whole, shows_warnings, |printer| {
                    let options = terminal::Options { width: target.width(printer), top: arguments.top };
                    target.write_styled(&terminal::render(&shown(&whole), &options), printer)
                })
            }
            Form::Table(target) => {
                let mut bytes = Vec::new();
                csv::write_table(&table(answers), &mut bytes)?;
                output.finish_with(&whole, false, |printer| {
                    if sections.iter().any(|section| section.id == "comm-roofline") {
                        printer.note("note: messages are not in this table; -o DIR/ writes every table\n");
                    }
                    target.write(&bytes, printer)
                })
            }
            Form::Directory(directory) => {
                let folder = |index: usize| match answers.len() {
                    1 => directory.clone(),
                    // A separator at the end makes it a folder.
                    _ => directory.join(format!("{}", index + 1)).join(""),
                };
                output.finish_with(&whole, false, |printer| {
                    answers.iter().enumerate().try_for_each(|(index, answer)| {
                        destination::Destination::new(Some(Format::Csv), Some(&folder(index)))?.write(
                            &answer.document,
                            0,
                            printer,
                        )
                    })
                })
            }
            Form::Html(target) => {
                let page = page::of(&whole);
                output.finish_with(&whole, false, |printer| target.write(page.as_bytes(), printer))
            }
            Form::Svg(target) => {
                let drawing = drawing(arguments, answers, &sections);
                output.finish_with(&whole, false, |printer| target.write(drawing.as_bytes(), printer))
            }
            Form::Png(target) => {
                let picture = png::render(&drawing(arguments, answers, &sections), png::SCREEN)?;
                output.finish_with(&whole, false, |printer| target.write(&picture, printer))
            }
        }
    }
}

fn drawing(arguments: &Arguments, answers: &[Answer], sections: &[&Section]) -> String {
    let title = match answers {
        [answer] => Some(answer.label.clone()),
        _ => None,
    };
    let options = Options {
        theme: arguments.theme(),
        colour_by: arguments.colour_by(),
        palette: arguments.palette(),
        title,
        ..Options::default()
    };
    svg(sections, &options)
}

/// All answers as one document.
fn whole(answers: &[Answer]) -> Document {
    let mut whole = Document { verb: "roofline", ..Document::default() };
    for answer in answers {
        whole.inputs.extend(answer.document.inputs.iter().cloned());
        whole.warnings.extend(answer.document.warnings.iter().cloned());
        whole.outcomes.extend(answer.document.outcomes.iter().cloned());
    }
    whole
}

/// What people see: the flat table repeats the points, and a table without rows says nothing.
fn shown(whole: &Document) -> Document {
    let mut shown = whole.clone();
    for outcome in &mut shown.outcomes {
        if let eaves_analyze::section::Outcome::Section(section) = outcome {
            section.tables.retain(|table| table.id != "classification" && !table.rows.is_empty());
        }
    }
    shown
}

/// All points as one table.
fn table(answers: &[Answer]) -> eaves_analyze::section::Table {
    flat_table(answers.iter().flat_map(|answer| {
        let sections = answer.document.sections().filter(|section| section.id == "roofline");
        sections.map(|section| (answer.label.as_str(), section))
    }))
}
