//! The forms an answer can have, and which of them a file name asks for.

use std::path::Path;

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text for a terminal.
    Text,
    /// JSON, as `schema/eaves.schema.json` describes it.
    Json,
    /// Every table as CSV.
    Csv,
    /// Markdown.
    Markdown,
    /// A page that needs nothing else.
    Html,
    /// A drawing.
    Svg,
    /// A picture.
    Png,
    /// A line per stack.
    Folded,
    /// What the viewer speedscope reads.
    Speedscope,
    /// What d3-flame-graph reads.
    D3,
    /// Rows as a Parquet file.
    Parquet,
    /// What was measured of some ranks, to be combined with other ranks.
    Partial,
    /// The peaks of devices, which `--device FILE` reads.
    Yaml,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 13] = [
        Self::Text,
        Self::Json,
        Self::Csv,
        Self::Markdown,
        Self::Html,
        Self::Svg,
        Self::Png,
        Self::Folded,
        Self::Speedscope,
        Self::D3,
        Self::Parquet,
        Self::Partial,
        Self::Yaml,
    ];

    /// What any document can be.
    pub const OF_DOCUMENTS: [Self; 5] = [Self::Text, Self::Json, Self::Csv, Self::Markdown, Self::Html];

    /// Its name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Folded => "folded",
            Self::Speedscope => "speedscope",
            Self::D3 => "d3",
            Self::Parquet => "parquet",
            Self::Partial => "partial",
            Self::Yaml => "yaml",
        }
    }

    /// The form of a name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.id() == id)
    }

    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Text => ".txt",
            Self::Json => ".json",
            Self::Csv => ".csv",
            Self::Markdown => ".md",
            Self::Html => ".html",
            Self::Svg => ".svg",
            Self::Png => ".png",
            Self::Folded => ".folded",
            Self::Speedscope => ".speedscope.json",
            Self::D3 => ".d3.json",
            Self::Parquet => ".parquet",
            Self::Partial => ".eaves-partial",
            Self::Yaml => ".yaml",
        }
    }

    /// The form that a file name asks for.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let endings = [(".htm", Self::Html), (".markdown", Self::Markdown), (".yml", Self::Yaml)];
        let longest_first = [Self::Speedscope, Self::D3].into_iter().chain(Self::ALL);
        let usual = longest_first.map(|form| (form.ending(), form));
        usual.chain(endings).find(|(ending, _)| name.ends_with(ending)).map(|(_, form)| form)
    }

    /// True for what documents whose sections have charts can be.
    pub fn is_of_charts(self) -> bool {
        Self::OF_DOCUMENTS.contains(&self) || matches!(self, Self::Svg | Self::Png)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_the_form() {
        for (name, form) in [
            ("a.json", Some(Form::Json)),
            ("a.speedscope.json", Some(Form::Speedscope)),
            ("a.D3.JSON", Some(Form::D3)),
            ("dir/a.htm", Some(Form::Html)),
            ("a.md", Some(Form::Markdown)),
            ("a.txt", Some(Form::Text)),
            ("a.yml", Some(Form::Yaml)),
            ("a.pdf", None),
            ("json", None),
        ] {
            assert_eq!(Form::of(Path::new(name)), form, "{name}");
        }
        for form in Form::ALL {
            assert_eq!(Form::from_id(form.id()), Some(form));
            assert_eq!(Form::of(Path::new(&format!("a{}", form.ending()))), Some(form));
        }
    }
}
