//! Ctrl-C leaves nothing behind.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{eaves, names};

#[test]
fn an_interruption_removes_the_unfinished_output() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = eaves(directory.path(), ["report", "-", "-o", "report.json"]);
    // A stdin that never ends keeps the program at work.
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Waiting for the child would close it, and the program might end by itself before the signal arrives.
    let stdin = child.stdin.take();
    while names(directory.path()).is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before a temporary file appeared");
        std::thread::sleep(Duration::from_millis(10));
    }
    let name = names(directory.path()).remove(0);
    assert!(name.starts_with(".report.json."), "{name}");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let status = child.wait().unwrap();
    drop(stdin);
    assert_eq!(status.code(), Some(130));
    assert_eq!(names(directory.path()), Vec::<String>::new());
}
