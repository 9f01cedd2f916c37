//! What will be run: files to write first, then command lines.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Everything that a request comes to, and nothing that depends on the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Files that must be there before the first command.
    pub files: Vec<(PathBuf, String)>,
    /// Directories that must be there: profilers make only some of theirs.
    pub directories: Vec<PathBuf>,
    /// Command lines, in order.
    pub runs: Vec<Invocation>,
    /// What of the request this profiler does in another way, for the user to know.
    pub notes: Vec<String>,
}

/// Purpose of a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Runs the program: its output is the program's, its exit code too.
    Record,
    /// Turns what was recorded into something that can be read.
    Convert,
}

/// One command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// What it is for.
    pub purpose: Purpose,
    /// The profiler, or the program itself where it needs none.
    pub program: OsString,
    /// Its arguments, those of the program at the end.
    pub arguments: Vec<OsString>,
    /// Variables of the environment that it needs.
    pub environment: Vec<(&'static str, OsString)>,
    /// Directories that are put in front of a variable with a list of them, whatever that has.
    pub search: Vec<(&'static str, PathBuf)>,
    /// The file without which a conversion has nothing to do.
    pub needs: Option<PathBuf>,
}

impl Invocation {
    /// A command line that runs the program, without arguments yet.
    pub(crate) fn record(program: impl Into<OsString>) -> Self {
        Self {
            purpose: Purpose::Record,
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            search: Vec::new(),
            needs: None,
        }
    }

    /// Adds one argument.
    pub(crate) fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments.
    pub(crate) fn arguments(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// The command line as it would be typed.
    pub fn to_shell(&self) -> String {
        let words = [&self.program].into_iter().chain(&self.arguments).map(|word| quoted(word));
        self.variables().chain(words).collect::<Vec<_>>().join(" ")
    }

    /// Its environment, for a program that somebody else starts from a shell.
    pub fn to_exports(&self) -> String {
        self.variables().map(|variable| format!("export {variable}\n")).collect()
    }

    fn variables(&self) -> impl Iterator<Item = String> {
        let search = self.search.iter().map(|(name, directory)| {
            // The rest of the list, if there is one, is what the shell has.
            format!("{name}={}\"${{{name}:+:${name}}}\"", quoted(directory.as_os_str()))
        });
        let environment = self.environment.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        search.chain(environment)
    }
}

/// A word as a shell takes it literally.
pub fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-+=:,./@%^".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Why a profiler cannot fulfill a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Refused {
    /// What it cannot do.
    pub what: String,
    /// What to do about it.
    pub hint: String,
}

impl Refused {
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }
}

/// AMD's older profilers are shell scripts that do not quote what they are given.
pub(crate) fn without_blanks(tool: &str, directory: &Path) -> Result<(), Refused> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-+=:,./@%".contains(letter);
    if directory.to_str().is_some_and(|text| text.chars().all(plain)) {
        return Ok(());
    }
    Err(Refused::new(
        format!("{tool} does not support this directory name: {}", directory.display()),
        "use an --output-dir with only letters, digits, `_`, `-` and `.`",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_as_a_shell_wants_them() {
        for (word, expected) in [
            ("plain-word_1.csv", "plain-word_1.csv"),
            ("", "''"),
            ("two words", "'two words'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("regex:^sm__.*", "'regex:^sm__.*'"),
        ] {
            assert_eq!(quoted(OsStr::new(word)), expected);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_takes_quoted_words_back_apart() {
        let words = ["a b", "it's", "\"", "$(exit 3)", "`x`", "\\", "*", "~", "#", "new\nline"];
        let line: Vec<String> = words.iter().map(|word| quoted(OsStr::new(word))).collect();
        let script = format!("printf '%s\\0' {}", line.join(" "));
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        let expected: Vec<u8> = words.iter().flat_map(|word| [word.as_bytes(), b"\0"].concat()).collect();
        assert_eq!(output.stdout, expected);
    }
}
