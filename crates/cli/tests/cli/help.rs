//! Every verb explains itself: one sentence, examples, options; readable on the narrowest terminal.

use crate::support::run;

/// Every verb, found by asking.
pub(crate) fn verbs(path: &[String]) -> Vec<Vec<String>> {
    let mut found = vec![path.to_vec()];
    let help = help(path, "--help");
    let commands =
        help.split("\nCommands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or("");
    for line in commands.lines() {
        let name = line.split_whitespace().next().unwrap_or("help");
        if name != "help" {
            found.extend(verbs(&[path, &[name.to_owned()]].concat()));
        }
    }
    found
}

pub(crate) fn help(path: &[String], flag: &str) -> String {
    let arguments: Vec<&str> = path.iter().map(String::as_str).chain([flag]).collect();
    let answer = run(std::env::temp_dir().as_path(), &arguments);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{path:?}");
    answer.stdout
}

#[test]
fn every_help_has_examples_and_short_lines() {
    let verbs = verbs(&[]);
    assert!(verbs.len() >= 5, "{verbs:?}");
    for path in verbs {
        for flag in ["-h", "--help"] {
            let text = help(&path, flag);
            let lines: Vec<&str> = text.lines().collect();
            assert!(
                lines[0].ends_with(char::is_alphanumeric) || lines[0].ends_with('?'),
                "{path:?}: {}",
                lines[0]
            );
            assert_eq!(lines[1..3], ["", "Examples:"], "{path:?}");
            let example = format!("  eaves {}", path.join(" "));
            assert!(lines[3].starts_with(example.trim_end()), "{path:?}: {}", lines[3]);
            for line in lines {
                assert!(line.chars().count() <= 79, "{path:?}: {line}");
            }
        }
    }
}
