//! Tables and functions of SQL, from where the engine has them: `crates/query/src`. Building the engine takes minutes, so
//! its declarations are read, and a test of the engine compares the page with what it has.

use anyhow::{Context, Result, bail};

use super::{code, page as finished, paragraph, sentence, table};
use crate::project;

const SOURCES: &str = "crates/query/src";

const INTRODUCTION: &str = "\
# SQL reference

Tables, columns and functions of `eaves query`, as `eaves query --tables` lists them. The [SQL
guide](../query.md) has examples. Columns whose names end in `_ns` are whole nanoseconds; points in
time count from the zero of the recording.

";

/// Types of columns, by the functions that declare them.
const TYPES: [(&str, &str); 4] = [("float", "float"), ("int", "int"), ("text", "text"), ("truth", "bool")];

pub(super) fn page() -> Result<String> {
    let mut page = INTRODUCTION.to_owned();
    let all = source("tables/mod.rs")?;
    let mut tables = vec![runs(&all)?];
    for entry in all.split(" entry::<").skip(1) {
        let file = entry.split(':').next().unwrap_or_default();
        let text = source(&format!("tables/{file}.rs"))?;
        let mut rows = vec![row("run", "text", "The run"), row("rank", "int", "The rank")];
        rows.extend(columns(&text)?);
        tables.push((constant(&text, "NAME")?, constant(&text, "ABOUT")?, rows));
    }
    tables.sort();
    page.push_str("## Tables\n\n");
    for (name, about, rows) in tables {
        page.push_str(&format!("### {}\n\n{}", code(&name), paragraph(&sentence(&about))));
        page.push_str(&table(&["column", "type", "meaning"], &rows));
    }
    page.push_str("## Functions\n\nBesides those of SQL:\n\n");
    let mut rows = Vec::new();
    for file in ["intervals", "kernels", "roofline"] {
        let text = source(&format!("functions/{file}.rs"))?;
        for declared in text.split("FunctionInfo {").skip(1) {
            rows.push(vec![
                code(after(declared, "call: ")?),
                sentence(&after(declared, "about: ")?.replace("\\\n", " ")),
            ]);
        }
    }
    rows.sort();
    page.push_str(&table(&["function", "returns"], &rows));
    Ok(finished(&page))
}

/// The table of runs, which has no file.
fn runs(all: &str) -> Result<(String, String, Vec<Vec<String>>)> {
    let declared = all.split_once("fn runs()").context("no table of runs")?.1;
    let ranks = row("ranks", "int", after(declared, "about: ")?);
    let table = declared.split_once("\n    TableInfo {").context("no table of runs")?.1;
    let about = after(table, "about: ")?;
    Ok((after(table, "name: ")?.to_owned(), about.to_owned(), vec![row("run", "text", "The run"), ranks]))
}

fn source(name: &str) -> Result<String> {
    let path = project::root().join(SOURCES).join(name);
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {SOURCES}/{name}"))
}

fn row(name: &str, kind: &str, about: &str) -> Vec<String> {
    vec![code(name), kind.to_owned(), sentence(about)]
}

/// The value of a constant.
fn constant(text: &str, name: &str) -> Result<String> {
    Ok(after(text, &format!("const {name}: &'static str ="))?.to_owned())
}

/// The text in quotes behind some words.
fn after<'a>(text: &'a str, words: &str) -> Result<&'a str> {
    let rest = text.split_once(words).with_context(|| format!("no `{words}`"))?.1;
    rest.trim_start()
        .strip_prefix('"')
        .and_then(|rest| rest.split('"').next())
        .with_context(|| words.to_owned())
}

/// Columns in the order in which they are declared: `int("name", "meaning", |rows, row| ...)`.
fn columns(text: &str) -> Result<Vec<Vec<String>>> {
    let mut columns = Vec::new();
    for (at, _) in text.match_indices("(\"").chain(text.match_indices("(\n")) {
        let word = text[..at].rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
        let Some((_, kind)) = TYPES.iter().find(|(function, _)| *function == word) else { continue };
        let mut parts = text[at..].split('"').skip(1).step_by(2);
        let (Some(name), Some(about)) = (parts.next(), parts.next()) else {
            bail!("a column without a meaning")
        };
        columns.push((at, row(name, kind, about)));
    }
    columns.sort();
    Ok(columns.into_iter().map(|(_, row)| row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_read_in_order() {
        let text = "vec![\n  int(\"a\", \"Number `a`\", |rows, row| count(row)),\n  text(\n    \"b\",\n    \"Text\",\n    get,\n  ),\n]";
        let found = columns(text).unwrap();
        assert_eq!(found, [row("a", "int", "Number `a`"), row("b", "text", "Text")]);
        assert_eq!(constant("    const NAME: &'static str = \"ops\";", "NAME").unwrap(), "ops");
    }
}
