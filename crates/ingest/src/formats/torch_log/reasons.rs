//! Why a frame was compiled again: guards of earlier compilations that failed.

use super::records::lines;
use crate::json::text::unescape;
use crate::json::walk::{Bad, Walk};

/// A guard that failed, as PyTorch says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// The compilation whose guard it is.
    pub(super) of: String,
    /// The guard.
    pub(super) guard: String,
    /// Where the value is used.
    pub(super) place: String,
}

/// The most reasons of one recompilation that are kept: as many as compilations a frame may have by default, and more.
const MOST: usize = 64;

/// The longest text that is kept.
const LONGEST: usize = 2 << 10;

/// The payload says it is JSON. It is a list of texts where there are several reasons, and one bare text, without even
/// quotes, where there is one.
pub(super) fn parse(payload: &[u8]) -> Vec<Told> {
    if let Ok(told) = list(payload) {
        return told;
    }
    let text: Vec<String> = lines(payload).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    vec![one(&text.join("\n"))]
}

fn list(payload: &[u8]) -> Result<Vec<Told>, Bad> {
    let mut walk = Walk::new(payload);
    if walk.peek() == Some(b'"') {
        return Ok(vec![from_json(walk.text()?)]);
    }
    walk.list()?;
    let mut told = Vec::new();
    while walk.item()? {
        let text = walk.text()?;
        if told.len() < MOST {
            told.push(from_json(text));
        }
    }
    Ok(told)
}

fn from_json(text: &[u8]) -> Told {
    one(&String::from_utf8_lossy(&unescape(text).0))
}

/// `5/0: k == 1    # return x*k  # comp.py:19 in f`, then a stack.
pub(super) fn one(text: &str) -> Told {
    let first = text.lines().next().unwrap_or_default();
    let (of, rest) = match first.split_once(": ") {
        Some((of, rest)) if is_id(of) => (of, rest),
        _ => ("", first),
    };
    let (guard, comment) = rest.split_once("  # ").unwrap_or((rest, ""));
    let place = comment.rsplit_once("  # ").map_or(comment, |(_, place)| place);
    Told { of: cut(of), guard: cut(guard), place: cut(place) }
}

/// `5/0` or `!0/5/0`
fn is_id(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '/' | '!'))
}

fn cut(text: &str) -> String {
    text.trim().chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(of: &str, guard: &str, place: &str) -> Told {
        Told { of: of.into(), guard: guard.into(), place: place.into() }
    }

    #[test]
    fn one_reason_is_a_bare_text() {
        let payload = b"\t5/0: k == 1          # return x*k   # scale  # src/comp.py:19 in f\n\tUser stack trace:\n\t  File";
        assert_eq!(parse(payload), [told("5/0", "k == 1", "src/comp.py:19 in f")]);
    }

    #[test]
    fn several_reasons_are_a_list() {
        let payload = br#"	[
	"5/1: tensor 'x' size mismatch at index 0. expected 8, actual 9",
	"5/0: L['y'] == \"a\"  # z  # a.py:1 in g\nUser stack trace:\n  File \"a.py\""
	]"#;
        let expected = [
            told("5/1", "tensor 'x' size mismatch at index 0. expected 8, actual 9", ""),
            told("5/0", "L['y'] == \"a\"", "a.py:1 in g"),
        ];
        assert_eq!(parse(payload), expected);
        assert_eq!(parse(b"\t\"0/0: GLOBAL_STATE changed\""), [told("0/0", "GLOBAL_STATE changed", "")]);
        assert_eq!(parse(b"\t[\"0/0: cut of"), [told("", "[\"0/0: cut of", "")]);
    }
}
