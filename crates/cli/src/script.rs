//! `eaves profile train.py`: the form that other tools have, in which no `--` tells a program from an input.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::failure::hinted;

/// Verbs that run programs.
const VERBS: [&str; 3] = ["compile", "memory", "profile"];

/// What to type instead, if the words name a script where a program belongs after `--`. Which of the words behind it are
/// options of ours and which are the script's cannot be known, so they are not guessed at but shown.
pub(crate) fn misplaced(words: &[OsString]) -> Option<anyhow::Error> {
    let is_script = |word: &&OsString| {
        let path = Path::new(word);
        path.extension() == Some(OsStr::new("py")) && path.is_file()
    };
    let verb = words.get(1).and_then(|word| word.to_str()).filter(|verb| VERBS.contains(verb))?;
    let rest = words.get(2..)?;
    if rest.iter().any(|word| word == "--") {
        return None;
    }
    let at = rest.iter().position(|word| is_script(&word))?;
    // A file to write is another mistake, which is told elsewhere.
    if at > 0 && ["-o", "--output"].iter().any(|option| rest[at - 1] == *option) {
        return None;
    }
    let text = |words: &[OsString]| -> String {
        words.iter().map(|word| format!("{} ", word.to_string_lossy())).collect()
    };
    let script = rest[at].to_string_lossy();
    let (before, after) = (text(&rest[..at]), text(&rest[at + 1..]));
    Some(hinted(
        format!("{script} is a program, not a recording: put programs after `--`"),
        format!("`eaves {verb} {before}{after}-- python {script}`"),
    ))
}
