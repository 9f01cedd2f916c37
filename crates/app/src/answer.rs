//! What a verb answers, and how it becomes bytes.

use std::sync::Arc;

use eaves_present::roofline;
use eaves_present::{Document, csv, json, markdown, page, png, terminal};
use eaves_query::ResultSet;
use eaves_section::{Outcome, Section};

use crate::{Failure, Form};

/// Tables for programs only: too long to read.
const FOR_PROGRAMS: [&str; 2] = ["classification", "samples"];

/// How text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns of the terminal.
    pub width: usize,
    /// Rows of each table; 0 for all.
    pub top: usize,
    /// True for every section of a report instead of its first screen.
    pub full: bool,
}

/// Subject of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caption {
    /// The inputs.
    pub title: String,
    /// The amount that it shows.
    pub metric: &'static str,
    /// The order of what it shows.
    pub order: &'static str,
}

/// What a verb draws in its own way. What it does not is drawn as of any document.
pub trait Drawing: Send + Sync {
    /// The answer in a form, with colors where it is text; nothing if it has no way of its own.
    ///
    /// # Errors
    /// If there is nothing to draw, or the form cannot hold it.
    fn draw(&self, document: &Document, form: Form, look: Look) -> Result<Option<Vec<u8>>, Failure>;

    /// What its picture is of, if there is one.
    fn caption(&self) -> Option<Caption> {
        None
    }

    /// True if its text shows the warnings.
    fn shows_warnings(&self) -> bool {
        true
    }

    /// The tables that become files of their own; a name may have folders in it.
    fn tables<'a>(&'a self, document: &'a Document) -> Vec<csv::NamedTable<'a>> {
        csv::tables(document)
    }
}

/// A condition of the user that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooMuch {
    /// The condition as it was written.
    pub condition: String,
    /// What makes it hold.
    pub because: String,
}

/// The answer of a verb.
pub struct Answer {
    /// The answer as data.
    pub document: Document,
    /// Rows shown per table by default; 0 for all.
    pub top: usize,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Note for CSV output.
    pub csv_note: Option<&'static str>,
    /// Conditions that hold and on which the user wants to fail.
    pub too_much: Vec<TooMuch>,
    /// Why the numbers are impossible; reported after them as an error.
    pub fault: Option<Failure>,
    /// How it is drawn, if not as any document.
    pub drawing: Option<Box<dyn Drawing>>,
    /// Rows of a SQL query, which are not a section.
    pub rows: Option<Arc<ResultSet>>,
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer").field("document", &self.document).finish_non_exhaustive()
    }
}

impl Answer {
    /// Rows shown per table by default.
    const USUAL_ROWS: usize = 10;

    /// The answer that is a document.
    pub fn new(document: Document) -> Self {
        Self {
            document,
            top: Self::USUAL_ROWS,
            notes: Vec::new(),
            csv_note: None,
            too_much: Vec::new(),
            fault: None,
            drawing: None,
            rows: None,
        }
    }

    /// With this default number of rows per table.
    #[must_use]
    pub fn with_top(mut self, top: usize) -> Self {
        self.top = top;
        self
    }

    /// Drawn in its own way.
    #[must_use]
    pub fn drawn_by(mut self, drawing: impl Drawing + 'static) -> Self {
        self.drawing = Some(Box::new(drawing));
        self
    }

    /// The answer, unless its numbers are impossible.
    ///
    /// # Errors
    /// If they are.
    pub fn sound(mut self) -> Result<Self, Failure> {
        match self.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(self),
        }
    }

    /// True if its text shows the warnings.
    pub fn shows_warnings(&self) -> bool {
        self.drawing.as_ref().is_none_or(|drawing| drawing.shows_warnings())
    }

    /// The tables that become files of their own.
    pub fn tables(&self) -> Vec<csv::NamedTable<'_>> {
        match &self.drawing {
            Some(drawing) => drawing.tables(&self.document),
            None => csv::tables(&self.document),
        }
    }

    /// The answer in a form. Text has colors.
    ///
    /// # Errors
    /// If there is nothing to draw, or the form cannot hold it.
    pub fn render(&self, form: Form, look: Look) -> Result<Vec<u8>, Failure> {
        if let Some(drawing) = &self.drawing
            && let Some(drawn) = drawing.draw(&self.document, form, look)?
        {
            return Ok(drawn);
        }
        render(&self.document, form, look)
    }
}

/// Any document in a form.
fn render(document: &Document, form: Form, look: Look) -> Result<Vec<u8>, Failure> {
    let for_people = || without_tables_for_programs(document);
    let cannot = |error: std::io::Error| Failure::new(error.to_string(), "choose another form");
    let mut bytes = Vec::new();
    match form {
        Form::Json => json::write(document, &mut bytes).map_err(cannot)?,
        Form::Csv => csv::write(document, &mut bytes).map_err(anyhow::Error::from)?,
        Form::Markdown => bytes = markdown::render(&for_people(), look.top).into_bytes(),
        Form::Html => bytes = page::of(&for_people()).into_bytes(),
        Form::Text => {
            let options = terminal::Options { width: look.width, top: look.top };
            let is_first_screen = document.has_first_screen && !look.full;
            let draw = if is_first_screen { terminal::overview } else { terminal::render };
            bytes = draw(&for_people(), &options).into_bytes();
        }
        Form::Svg => bytes = chart(document)?.into_bytes(),
        Form::Png => bytes = painted(&chart(document)?)?,
        Form::Folded | Form::Speedscope | Form::D3 | Form::Parquet | Form::Partial | Form::Yaml => {
            return Err(Failure::usage(
                format!("`{}` has no {} form", document.verb, form.id()),
                "`eaves flame` writes call trees, `eaves report` partial reports, `eaves device` peaks files, `eaves query` rows",
            ));
        }
    }
    Ok(bytes)
}

/// A drawing as a picture.
pub(crate) fn painted(svg: &str) -> Result<Vec<u8>, Failure> {
    png::render(svg, png::SCREEN).map_err(|error| Failure::new(error.to_string(), error.hint()))
}

/// The charts of the sections.
fn chart(document: &Document) -> Result<String, Failure> {
    let sections: Vec<&Section> = document.sections().collect();
    if !sections.iter().any(|section| roofline::has_chart(section)) {
        return Err(Failure::usage(
            format!("`{}` has no chart", document.verb),
            "write .html, .json, .csv, .md or .txt",
        ));
    }
    Ok(roofline::svg(&sections, &roofline::Options::default()))
}

/// A document as people see it.
pub fn without_tables_for_programs(document: &Document) -> Document {
    let mut shown = document.clone();
    for outcome in &mut shown.outcomes {
        if let Outcome::Section(section) = outcome {
            section.tables.retain(|table| !FOR_PROGRAMS.contains(&table.id));
        }
    }
    shown
}
