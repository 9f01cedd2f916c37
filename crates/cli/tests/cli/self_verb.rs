//! `eaves self`: completions and manual pages name every verb.

use crate::support::run;

#[test]
fn completions_know_the_verbs() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let answer = run(std::env::temp_dir().as_path(), &["self", "completions", shell]);
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{shell}");
        for verb in ["report", "timeline", "diff"] {
            assert!(answer.stdout.contains(verb), "{shell}: {verb}");
        }
    }
}

#[test]
fn every_verb_has_a_manual_page() {
    let directory = tempfile::tempdir().unwrap();
    let answer = run(directory.path(), &["self", "man", "man1"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
    for page in ["eaves.1", "eaves-report.1", "eaves-self-man.1"] {
        let text = std::fs::read_to_string(directory.path().join("man1").join(page)).unwrap();
        assert!(text.contains(".SH NAME"), "{page}");
    }
}
