//! The command of a job, for the shell of the machine that runs it.

use super::Call;
use crate::hinted;

/// The longest command; the system's limit for one argument is a little more.
const LONGEST_COMMAND: usize = 120_000;

/// The command of a job. Its answer is in the log, under the name of the job.
pub(super) fn entrypoint(call: &Call<'_>, name: &str) -> anyhow::Result<String> {
    let mut words =
        vec!["python".to_owned(), "-m".to_owned(), "eaves.cluster".to_owned(), call.verb.to_owned()];
    words.extend(["--address", "auto", "--log", name].map(str::to_owned));
    if let Ok(folder) = std::env::current_dir() {
        words.extend(["--folder".to_owned(), folder.display().to_string()]);
    }
    words.extend(call.options.iter().map(|word| word.to_string_lossy().into_owned()));
    words.push("--".to_owned());
    words.extend(call.inputs.iter().map(|input| input.display().to_string()));
    let command = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    if command.len() > LONGEST_COMMAND {
        return Err(hinted(
            format!("too many inputs for one command: {}", call.inputs.len()),
            "name their directory, or quote the pattern so that the cluster expands it",
        ));
    }
    Ok(command)
}

/// A word as shells take it unchanged.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=,+@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn words_pass_a_shell_unchanged() {
        let words =
            ["plain/a.json", "", "two words", "it's", "$HOME", "a;b", "*.json", "ü", "\"", "\\", "a\nb"];
        let line = words.map(quoted).join(" ");
        if cfg!(unix) {
            let script = format!("for word in {line}; do printf '%s\\0' \"$word\"; done");
            let said = std::process::Command::new("sh").args(["-c", &script]).output().unwrap().stdout;
            let said = String::from_utf8(said).unwrap();
            assert_eq!(said.split_terminator('\0').collect::<Vec<_>>(), words);
        }
        assert_eq!(quoted("plain/a.json"), "plain/a.json");
    }

    #[test]
    fn too_many_names_are_refused() {
        let inputs: Vec<PathBuf> = (0..20_000).map(|rank| format!("traces/{rank}.json").into()).collect();
        let call = |inputs| Call { verb: "measure", options: vec!["--details".into()], inputs };
        assert!(entrypoint(&call(&inputs), "name").is_err());
        let command = entrypoint(&call(&inputs[..1]), "eaves-1").unwrap();
        assert!(
            command.starts_with("python -m eaves.cluster measure --address auto --log eaves-1 --folder "),
            "{command}"
        );
        assert!(command.ends_with(" --details -- traces/0.json"), "{command}");
    }
}
