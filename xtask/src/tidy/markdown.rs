//! The form of documents: what a linter of Markdown finds, as far as it matters to readers.

use super::Problem;
use super::sources::Sources;

/// The columns that text is wrapped at. Tables, code, pictures and words that cannot be broken may be wider.
const WIDTH: usize = 100;

/// Shorter sentences may occur twice.
const MIN_REPEATED: usize = 50;

/// What a line of a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Blank,
    /// Inside of a fence or indented as code.
    Code,
    /// The first or last line of a block of code.
    Fence,
    Heading(usize),
    Table,
    Text,
}

/// A line of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) number: usize,
    pub(crate) text: &'a str,
    pub(crate) kind: Kind,
}

/// The lines of a document.
pub(crate) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut is_fenced = false;
    let mut before = Kind::Blank;
    let mut result = Vec::new();
    for (index, text) in text.lines().enumerate() {
        let content = text.trim_start();
        let kind = if content.starts_with("```") {
            is_fenced = !is_fenced;
            Kind::Fence
        } else if is_fenced
            || (text.starts_with("    ")
                && (before == Kind::Code || before == Kind::Blank)
                && !in_list(&result))
        {
            Kind::Code
        } else if content.is_empty() {
            Kind::Blank
        } else if text.starts_with('#') {
            Kind::Heading(text.bytes().take_while(|byte| *byte == b'#').count())
        } else if content.starts_with('|') {
            Kind::Table
        } else {
            Kind::Text
        };
        before = kind;
        result.push(Line { number: index + 1, text, kind });
    }
    result
}

/// True if there is a space to break the text of a line at. That behind the mark of a list item is none.
fn can_be_wrapped(line: &str) -> bool {
    let text = line.trim_start();
    text.strip_prefix("- ").unwrap_or(text).contains(' ')
}

/// True if the paragraph before belongs to a list, in which indented text is no code.
fn in_list(before: &[Line<'_>]) -> bool {
    let text = before.iter().rev().find(|line| line.kind != Kind::Blank);
    text.is_some_and(|line| line.text.starts_with([' ', '-']) || line.text.starts_with(char::is_numeric))
}

/// Blank lines around headings, fences and tables; one level of headings at a time; wrapped lines; languages of code.
pub(super) fn form(sources: &Sources) -> Vec<Problem> {
    super::documents(sources).flat_map(|(name, text)| form_of(name, text)).collect()
}

fn form_of(name: &str, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let lines = lines(text);
    let mut level = 0;
    let mut is_open = false;
    for (index, line) in lines.iter().enumerate() {
        let mut report = |message: String| problems.push(Problem::new(name, line.number, message));
        let is_blank = |line: Option<&Line<'_>>| line.is_none_or(|line| line.kind == Kind::Blank);
        let before = index.checked_sub(1).and_then(|index| lines.get(index));
        let after = lines.get(index + 1);
        if line.text.ends_with([' ', '\t']) {
            report("space at the end of the line".to_owned());
        }
        match line.kind {
            Kind::Heading(depth) => {
                if depth > level + 1 {
                    report(format!("a heading of level {depth} below one of level {level}"));
                }
                // The parts of the book are titles in its table of contents.
                if depth == 1 && level > 0 && !name.ends_with("SUMMARY.md") {
                    report("a second title".to_owned());
                }
                level = depth;
                if !is_blank(before) || !is_blank(after) {
                    report("no blank lines around the heading".to_owned());
                }
            }
            Kind::Fence => {
                is_open = !is_open;
                if is_open && line.text.trim() == "```" {
                    report("a block of code without a language".to_owned());
                }
                if !is_blank(if is_open { before } else { after }) {
                    report("no blank line around the block of code".to_owned());
                }
            }
            Kind::Table if before.is_some_and(|line| line.kind == Kind::Text) => {
                report("no blank line before the table".to_owned());
            }
            Kind::Text => {
                let width = line.text.chars().count();
                if width > WIDTH && can_be_wrapped(line.text) && !line.text.starts_with("![") {
                    report(format!("{width} columns, more than {WIDTH}"));
                }
                if before.is_some_and(|line| line.kind == Kind::Table) {
                    report("no blank line after the table".to_owned());
                }
            }
            Kind::Blank if before.is_some_and(|line| line.kind == Kind::Blank) => {
                report("two blank lines".to_owned());
            }
            Kind::Blank | Kind::Code | Kind::Table => {}
        }
    }
    if is_open {
        problems.push(Problem::new(name, lines.len(), "a block of code without an end"));
    }
    if !text.ends_with('\n') || text.ends_with("\n\n") {
        problems.push(Problem::new(name, lines.len(), "the file does not end with one line feed"));
    }
    problems
}

/// A paragraph with the number of its first line. Items of lists are paragraphs.
pub(super) fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let mut paragraphs: Vec<(usize, String)> = Vec::new();
    let mut is_inside = false;
    for line in lines(text) {
        let content = line.text.trim();
        if line.kind != Kind::Text {
            is_inside = false;
            if let Kind::Heading(_) | Kind::Table = line.kind {
                paragraphs.push((line.number, content.to_owned()));
            }
        } else if is_inside
            && !content.starts_with("- ")
            && let Some((_, paragraph)) = paragraphs.last_mut()
        {
            paragraph.push(' ');
            paragraph.push_str(content);
        } else {
            is_inside = true;
            paragraphs.push((line.number, content.trim_start_matches("- ").to_owned()));
        }
    }
    paragraphs
}

/// No file says a sentence twice.
pub(super) fn repetitions(sources: &Sources) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, text) in super::documents(sources).filter(|(name, _)| !name.starts_with(super::GENERATED)) {
        let mut seen: Vec<(String, usize)> = Vec::new();
        for (line, paragraph) in paragraphs(text) {
            if paragraph.starts_with('|') {
                continue;
            }
            for sentence in paragraph.split_inclusive(". ").map(str::trim) {
                if sentence.len() < MIN_REPEATED {
                    continue;
                }
                match seen.iter().find(|(earlier, _)| earlier == sentence) {
                    Some((_, earlier)) => {
                        problems.push(Problem::new(name, line, format!("says the same as line {earlier}")));
                    }
                    None => seen.push((sentence.to_owned(), line)),
                }
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        form_of("a.md", text).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn a_clean_document_has_no_problems() {
        let wide = "x".repeat(120);
        let text = format!(
            "# A\n\nText.\n\n| a | {wide} |\n|---|---|\n\n```sh\nls   # {wide}\n```\n\n## B\n\n- an item\n\n{wide}\n"
        );
        assert_eq!(messages(&text), [""; 0]);
    }

    #[test]
    fn what_is_wrong_with_the_form_is_found() {
        let wide = "word ".repeat(21);
        let text = format!("# A\nText. \n\n\n### C\n\n```\nls\n```\n{}\n| a |\n", wide.trim());
        assert_eq!(
            messages(&text),
            [
                "a.md:1: no blank lines around the heading",
                "a.md:2: space at the end of the line",
                "a.md:4: two blank lines",
                "a.md:5: a heading of level 3 below one of level 1",
                "a.md:7: a block of code without a language",
                "a.md:9: no blank line around the block of code",
                "a.md:10: 104 columns, more than 100",
                "a.md:11: no blank line before the table",
            ]
        );
        assert_eq!(messages("# A\n\n```sh\n"), ["a.md:3: a block of code without an end"]);
        assert_eq!(messages("# A"), ["a.md:1: the file does not end with one line feed"]);
    }

    #[test]
    fn a_sentence_that_occurs_twice_is_found() {
        let sentence = "This sentence is long enough to be\na repetition if it occurs again.";
        let text = format!("# A\n\nFirst. {sentence}\n\n- {}\n", sentence.replace('\n', " "));
        let sources = Sources::of(&[("a.md", &text)]);
        let found: Vec<String> = repetitions(&sources).iter().map(Problem::to_string).collect();
        assert_eq!(found, ["a.md:6: says the same as line 3"]);
    }

    #[test]
    fn paragraphs_are_joined_and_code_is_none() {
        let text = "# A\n\none\ntwo\n- three\n  four\n\n```sh\nfive\n```\n\n    six\n";
        let found = paragraphs(text);
        assert_eq!(found, [(1, "# A".to_owned()), (3, "one two".to_owned()), (5, "three four".to_owned())]);
    }
}
