//! Rooflines as pictures, one flat table, or folders of tables.

use eaves_assess::roofline::flat_table;
use eaves_present::roofline::{Options, svg};
use eaves_present::{Document, csv, page, terminal};
use eaves_section::{Outcome, Section, Table};

use super::Roofline;
use super::inputs::OneInput;
use crate::answer::{painted, without_tables_for_programs};
use crate::{Answer, Drawing, Failure, Form, Look};

/// Rows shown per table by default.
const ROWS: usize = 20;

/// All inputs as one answer.
pub(super) fn answer(request: &Roofline, inputs: Vec<OneInput>) -> Answer {
    let options = Options {
        theme: request.theme(),
        colour_by: request.colour_by(),
        palette: request.palette(),
        title: match inputs.as_slice() {
            [input] => Some(input.label.clone()),
            _ => None,
        },
        ..Options::default()
    };
    let mut answer = Answer::new(whole(&inputs)).with_top(ROWS);
    if answer.document.sections().any(|section| section.id == "comm-roofline") {
        answer.csv_note = Some("this table excludes messages; -o DIR/ writes every table");
    }
    answer.drawn_by(Rooflines { inputs, options })
}

struct Rooflines {
    inputs: Vec<OneInput>,
    options: Options,
}

impl Drawing for Rooflines {
    fn draw(&self, document: &Document, form: Form, look: Look) -> Result<Option<Vec<u8>>, Failure> {
        let drawing = || svg(&document.sections().collect::<Vec<&Section>>(), &self.options);
        Ok(match form {
            Form::Html => {
                let shown = without_tables_for_programs(document);
                Some(page::roofline(&shown, &self.options).into_bytes())
            }
            Form::Svg => Some(drawing().into_bytes()),
            Form::Png => Some(painted(&drawing())?),
            Form::Csv => {
                let mut bytes = Vec::new();
                csv::write_table(&self.flat_table(), &mut bytes).map_err(anyhow::Error::from)?;
                Some(bytes)
            }
            Form::Text => {
                let options = terminal::Options { width: look.width, top: look.top };
                Some(terminal::render(&shown(document), &options).into_bytes())
            }
            _ => None,
        })
    }

    /// In a folder per input if there are several.
    fn tables<'a>(&'a self, document: &'a Document) -> Vec<csv::NamedTable<'a>> {
        if self.inputs.len() == 1 {
            return csv::tables(document);
        }
        let numbered = self.inputs.iter().enumerate().flat_map(|(index, input)| {
            csv::tables(&input.document).into_iter().map(move |mut named| {
                named.name = format!("{}/{}", index + 1, named.name);
                named
            })
        });
        numbered.collect()
    }
}

impl Rooflines {
    /// All points as one table.
    fn flat_table(&self) -> Table {
        flat_table(self.inputs.iter().flat_map(|input| {
            let sections = input.document.sections().filter(|section| section.id == "roofline");
            sections.map(|section| (input.label.as_str(), section))
        }))
    }
}

fn whole(inputs: &[OneInput]) -> Document {
    let mut whole = Document { verb: "roofline", ..Document::default() };
    for input in inputs {
        whole.inputs.extend(input.document.inputs.iter().cloned());
        whole.warnings.extend(input.document.warnings.iter().cloned());
        whole.outcomes.extend(input.document.outcomes.iter().cloned());
    }
    whole
}

/// What people see in a terminal: a table without rows says nothing.
fn shown(whole: &Document) -> Document {
    let mut shown = without_tables_for_programs(whole);
    for outcome in &mut shown.outcomes {
        if let Outcome::Section(section) = outcome {
            section.tables.retain(|table| !table.rows.is_empty());
        }
    }
    shown
}
