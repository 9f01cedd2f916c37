//! Answers that can also be a picture: the charts of their sections as SVG or PNG.

use std::path::Path;

use anyhow::Result;
use eaves_analyze::Outcome;
use eaves_analyze::section::Section;
use eaves_present::roofline::{Options, svg};
use eaves_present::{Document, png};

use crate::arguments::{OutputArguments, check_output};
use crate::destination::{self, Format, Target};
use crate::failure::hinted;

/// Tables that are for programs: people would drown in them.
pub const FOR_PROGRAMS: [&str; 2] = ["classification", "samples"];

enum Form {
    Png(Target),
    Svg(Target),
    Document(destination::Destination),
}

/// Where the answer goes; found out before the work, so that a wrong name costs no time.
pub(crate) struct Drawn {
    form: Form,
    for_programs: bool,
}

impl Drawn {
    pub(crate) fn new(output: &OutputArguments, inputs: &[std::path::PathBuf]) -> Result<Self> {
        let path = output.path();
        check_output(path, inputs)?;
        let ending = path.and_then(Path::extension).and_then(|ending| ending.to_str()).unwrap_or_default();
        let is = |format| output.format() == Some(format);
        let picture: Option<fn(Target) -> Form> = match ending.to_ascii_lowercase().as_str() {
            "png" => Some(Form::Png),
            "svg" => Some(Form::Svg),
            _ => None,
        };
        let for_programs = is(Format::Json)
            || is(Format::Csv)
            || path.and_then(Format::of).is_some_and(|format| matches!(format, Format::Json | Format::Csv))
            || path.is_some_and(|path| path.as_os_str().to_string_lossy().ends_with(['/', '\\']));
        let form = match (picture, output.format()) {
            (Some(_), Some(_)) => {
                return Err(hinted(
                    "--json, --csv and --markdown do not go with a picture".to_owned(),
                    "give one of the two",
                ));
            }
            (Some(form), None) => form(Target::open(path)?),
            (None, _) => Form::Document(output.destination(inputs)?),
        };
        Ok(Self { form, for_programs })
    }

    /// Writes it.
    pub(crate) fn write(self, mut document: Document, top: usize, output: &OutputArguments) -> Result<()> {
        if !self.for_programs {
            for outcome in &mut document.outcomes {
                if let Outcome::Section(section) = outcome {
                    section.tables.retain(|table| !FOR_PROGRAMS.contains(&table.id));
                }
            }
        }
        let drawing = || {
            let sections: Vec<&Section> = document.sections().collect();
            svg(&sections, &Options::default())
        };
        match self.form {
            Form::Document(destination) => output.finish(&document, destination, top),
            Form::Svg(target) => {
                let drawing = drawing();
                output.finish_with(&document, false, |printer| target.write(drawing.as_bytes(), printer))
            }
            Form::Png(target) => {
                let picture = png::render(&drawing(), png::SCREEN)?;
                output.finish_with(&document, false, |printer| target.write(&picture, printer))
            }
        }
    }
}
