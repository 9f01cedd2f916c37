//! Lists that stay in order, so that two people who add a line rarely touch the same place.

use super::Problem;
use super::sources::Sources;

const START: &str = "// tidy-alphabetical-start";
const END: &str = "// tidy-alphabetical-end";

/// Lines between the markers are in order. Lines that are indented deeper belong to the one above them.
pub(super) fn ordered(sources: &Sources) -> Vec<Problem> {
    sources.ending(".rs").flat_map(|(name, text)| in_file(name, text)).collect()
}

fn in_file(name: &str, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    // Indentation of the marker and the item before, while inside.
    let mut list: Option<(usize, &str)> = None;
    for (index, line) in text.lines().enumerate() {
        let content = line.trim_start();
        let indentation = line.len() - content.len();
        if content == START {
            list = Some((indentation, ""));
        } else if content == END {
            if list.take().is_none() {
                problems.push(Problem::new(name, index + 1, "the end of an ordered list without a start"));
            }
        } else if let Some((depth, last)) = &mut list
            && indentation == *depth
            && is_item(content)
        {
            let key = sort_key(content);
            if key < *last {
                problems.push(Problem::new(name, index + 1, format!("`{content}` belongs further up")));
            }
            *last = key;
        }
    }
    if list.is_some() {
        problems.push(Problem::new(name, text.lines().count(), "an ordered list without an end"));
    }
    problems
}

/// Comments, attributes and closing brackets belong to items.
fn is_item(content: &str) -> bool {
    let first = content.chars().next();
    first.is_some_and(|first| first.is_alphanumeric() || matches!(first, '(' | '"' | '&' | '_' | '`'))
}

/// What an item is ordered by, byte by byte: not its visibility.
fn sort_key(content: &str) -> &str {
    let mut rest = content;
    for prefix in ["pub(crate) ", "pub(super) ", "pub ", "mod ", "use ", "&"] {
        rest = rest.strip_prefix(prefix).unwrap_or(rest);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_out_of_order_is_found() {
        let text = "// tidy-alphabetical-start\npub mod idle;\nmod busy;\n// tidy-alphabetical-end\n";
        let problems = in_file("a.rs", text);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].to_string(), "a.rs:3: `mod busy;` belongs further up");
    }

    #[test]
    fn what_belongs_to_an_item_is_passed_over() {
        let text = "    // tidy-alphabetical-start\n    a(\n        z,\n    ),\n    // why\n    b,\n    // tidy-alphabetical-end\n";
        assert_eq!(in_file("a.rs", text), []);
        assert_eq!(in_file("a.rs", "// tidy-alphabetical-start\n").len(), 1);
    }
}
