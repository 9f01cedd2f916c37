//! A list of JSON objects, past whatever damage there is.

use eaves_model::{Diagnostics, WarningKind};
use serde_json::{Deserializer, Map, Value};

use super::line_of;
use super::sniff::end_of_text;
use crate::refusal::Unreadable;

/// An object and where it begins in the text.
pub(super) type Object = (u64, Map<String, Value>);

/// The objects of a file.
#[derive(Debug, Default)]
pub(super) struct Objects {
    /// Entries of the list.
    pub(super) list: Vec<Object>,
    /// What stands next to the list, or the whole object if it has no list.
    pub(super) header: Map<String, Value>,
}

/// Reads a bare list, or the first of the named lists of an object.
pub(super) fn read(text: &str, lists: &[&str], diagnostics: &mut Diagnostics) -> Result<Objects, Unreadable> {
    if text.trim().is_empty() {
        return Err(Unreadable {
            line: 1,
            what: "the input is empty".to_owned(),
            hint: "write an empty list as `[]`",
        });
    }
    let clean = without_bare_words(text);
    match serde_json::from_str(&clean) {
        Ok(Value::Array(entries)) => {
            let from = list_start(&clean, lists).unwrap_or(0);
            Ok(Objects { list: objects(entries, &clean, from, diagnostics), header: Map::new() })
        }
        Ok(Value::Object(mut header)) => {
            let mut list = Vec::new();
            if let Some(Value::Array(entries)) = lists.iter().find_map(|key| header.shift_remove(*key)) {
                let from = list_start(&clean, lists).unwrap_or(0);
                list = objects(entries, &clean, from, diagnostics);
            }
            Ok(Objects { list, header })
        }
        Ok(_) => Err(Unreadable {
            line: 1,
            what: "JSON that is neither a list nor an object".to_owned(),
            hint: "see `eaves roofline --help` for the input formats",
        }),
        Err(error) => salvage(text, &clean, lists, &error, diagnostics),
    }
}

/// Entries that are objects, with their places; others are noted.
fn objects(entries: Vec<Value>, text: &str, from: usize, diagnostics: &mut Diagnostics) -> Vec<Object> {
    let places = places(text.as_bytes(), from);
    let mut objects = Vec::with_capacity(entries.len());
    for (index, entry) in entries.into_iter().enumerate() {
        let place = places.get(index).copied().unwrap_or(from) as u64;
        match entry {
            Value::Object(object) => objects.push((place, object)),
            _ => {
                let detail = format!("entry {} is not an object", index + 1);
                diagnostics.note_detail(WarningKind::BadRecord, Some(place), detail);
            }
        }
    }
    objects
}

/// Where the entries of a sound list begin, of which the bracket stands before `from`.
fn places(bytes: &[u8], from: usize) -> Vec<usize> {
    let (mut at, mut depth, mut places) = (from, 0_usize, Vec::new());
    let mut is_next = true;
    while let Some(&byte) = bytes.get(at) {
        if is_next && !byte.is_ascii_whitespace() && byte != b']' {
            places.push(at);
            is_next = false;
        }
        match byte {
            b'"' => match end_of_text(bytes, at + 1) {
                Some(end) => at = end,
                None => return places,
            },
            b'{' | b'[' => depth += 1,
            b'}' | b']' => match depth.checked_sub(1) {
                Some(outside) => depth = outside,
                None => return places,
            },
            b',' if depth == 0 => is_next = true,
            _ => {}
        }
        at += 1;
    }
    places
}

/// Behind the bracket of the bare list, or of the first of the named ones.
fn list_start(clean: &str, lists: &[&str]) -> Option<usize> {
    if clean.trim_start().starts_with('[') {
        return clean.find('[').map(|at| at + 1);
    }
    lists.iter().find_map(|key| {
        let at = clean.find(&format!("\"{key}\""))?;
        clean[at..].find('[').map(|bracket| at + bracket + 1)
    })
}

/// Takes what can be read of a damaged file, object by object.
fn salvage(
    text: &str,
    clean: &str,
    lists: &[&str],
    error: &serde_json::Error,
    diagnostics: &mut Diagnostics,
) -> Result<Objects, Unreadable> {
    let mut at = list_start(clean, lists).unwrap_or(clean.len());
    let (mut list, mut ends_early) = (Vec::new(), None);
    while let Some(found) = next_object(clean, at) {
        let mut stream = Deserializer::from_str(&clean[found..]).into_iter::<Map<String, Value>>();
        at = match stream.next() {
            Some(Ok(object)) => {
                list.push((found as u64, object));
                found + stream.byte_offset().max(1)
            }
            Some(Err(error)) if !error.is_eof() => {
                let detail = format!("line {}: {}", line_of(text, found), place_free(&error));
                diagnostics.note_detail(WarningKind::BadRecord, Some(found as u64), detail);
                found + 1
            }
            _ => {
                // The damage may be a bracket that is missing; what follows may still be sound.
                ends_early.get_or_insert(found);
                found + 1
            }
        };
    }
    if list.is_empty() {
        return Err(Unreadable {
            line: error.line().max(1) as u64,
            what: format!("unreadable JSON: {}", place_free(error)),
            hint: "write the file again; it has no readable record",
        });
    }
    if ends_early.is_some() || diagnostics.count(WarningKind::BadRecord) == 0 {
        let place = ends_early.unwrap_or_else(|| clean.trim_end().len());
        diagnostics.note(WarningKind::Truncated, Some(place as u64));
    }
    Ok(Objects { list, header: Map::new() })
}

/// The message without the place, which is that inside the record.
fn place_free(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.split(" at line ").next().unwrap_or_default().to_owned()
}

/// The next bracket that opens an entry of the list: one behind a colon opens a value inside an entry.
fn next_object(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let found = at + text.get(at..)?.find('{')?;
        if !text[..found].trim_end().ends_with(':') {
            return Some(found);
        }
        at = found + 1;
    }
}

/// Replaces the `NaN` and `Infinity` that Python writes, which JSON has no word for, by texts of the same length: they
/// are then values that do not fit, and every offset stays where it was.
fn without_bare_words(text: &str) -> std::borrow::Cow<'_, str> {
    const WORDS: [(&[u8], &str); 3] =
        [(b"-Infinity", "\"\"       "), (b"Infinity", "\"\"      "), (b"NaN", "\"\" ")];
    let bytes = text.as_bytes();
    let mut clean = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = memchr::memchr3(b'"', b'N', b'I', &bytes[at..]) {
        at += found;
        if bytes[at] == b'"' {
            let Some(end) = end_of_text(bytes, at + 1) else { break };
            at = end + 1;
            continue;
        }
        let start = if at > copied && bytes[at - 1] == b'-' && bytes[at] == b'I' { at - 1 } else { at };
        match WORDS.iter().find(|(word, _)| bytes[start..].starts_with(word)) {
            Some((word, instead)) => {
                clean.push_str(&text[copied..start]);
                clean.push_str(instead);
                at = start + word.len();
                copied = at;
            }
            None => at += 1,
        }
    }
    if copied == 0 {
        return text.into();
    }
    clean.push_str(&text[copied..]);
    clean.into()
}
