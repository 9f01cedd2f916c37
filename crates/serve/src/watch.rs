//! Inputs, configuration and formulas that change while they are looked at.
//!
//! Times and sizes of files are looked at several times a second. That works on every file system, network ones and those
//! of containers too, where systems tell nothing about changes made elsewhere.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::routes::events::Message;
use crate::state::Shared;

/// How often files are looked at. A change counts when it has been the same twice, so that nobody reads half a file.
const PERIOD: Duration = Duration::from_millis(300);
/// Files of a folder that are looked at.
const MOST_FILES: usize = 10_000;

/// What a path looked like: files, bytes, and the newest time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stamp {
    files: usize,
    bytes: u64,
    newest: Option<SystemTime>,
}

impl Stamp {
    fn of(paths: &[PathBuf]) -> Self {
        let mut stamp = Self::default();
        paths.iter().for_each(|path| stamp.add(path, 0));
        stamp
    }

    fn add(&mut self, path: &Path, depth: usize) {
        /// Folders in folders.
        const DEEPEST: usize = 4;
        let Ok(metadata) = std::fs::metadata(path) else { return };
        if metadata.is_dir() {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            for entry in entries.take(MOST_FILES) {
                if depth < DEEPEST && self.files < MOST_FILES {
                    self.add(&entry.path(), depth + 1);
                }
            }
            return;
        }
        self.files += 1;
        self.bytes += metadata.len();
        self.newest = self.newest.max(metadata.modified().ok());
    }
}

/// What was seen of one thing.
#[derive(Default)]
struct Seen {
    /// What everybody knows.
    told: Option<Stamp>,
    /// What it was the last time.
    last: Stamp,
}

impl Seen {
    /// True if it has changed and has come to rest.
    fn changed(&mut self, now: Stamp) -> bool {
        let rests = self.last == now;
        self.last = now;
        match self.told {
            None => {
                self.told = Some(now);
                false
            }
            Some(told) if rests && told != now => {
                self.told = Some(now);
                true
            }
            Some(_) => false,
        }
    }
}

/// Looks for as long as the server is there.
pub(crate) async fn watch(shared: Weak<Shared>) {
    let mut seen: HashMap<String, Seen> = HashMap::new();
    loop {
        tokio::time::sleep(PERIOD).await;
        let Some(shared) = shared.upgrade() else { return };
        let looked = tokio::task::spawn_blocking(move || {
            look(&shared, &mut seen);
            seen
        });
        match looked.await {
            Ok(back) => seen = back,
            Err(_) => return,
        }
    }
}

fn look(shared: &Arc<Shared>, seen: &mut HashMap<String, Seen>) {
    // Nobody listens: that is not an error.
    let tell = |kind, data| drop(shared.events.send(Message { kind, data }));
    let options = &shared.options;
    for (kind, path) in [("config", options.config_path()), ("ops", options.ops_path())] {
        let stamp = Stamp::of(&[path.to_owned()]);
        if seen.entry(kind.to_owned()).or_default().changed(stamp) {
            // What was read with them is not what it was. Traces have formulas only if they were named.
            let is_of_all = kind == "ops" && options.ops.is_some();
            let all = shared.runs.all();
            for run in all.iter().filter(|run| run.is_read() && (is_of_all || !run.has_traces())) {
                run.forget();
                tell("run", json!({"id": run.id}));
            }
            tell(kind, json!({"path": path.display().to_string()}));
        }
    }
    for run in shared.runs.all() {
        let stamp = Stamp::of(&run.inputs);
        // What was deleted cannot be read again: what is in memory is all there is.
        let is_gone = stamp.files == 0;
        if !is_gone && seen.entry(format!("run {}", run.id)).or_default().changed(stamp) {
            run.forget();
            tell("run", json!({"id": run.id}));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_counts_when_it_rests() {
        let stamp = |bytes| Stamp { files: 1, bytes, newest: None };
        let mut seen = Seen::default();
        let changes: Vec<bool> =
            [1, 1, 2, 3, 3, 3, 1, 1].into_iter().map(|bytes| seen.changed(stamp(bytes))).collect();
        assert_eq!(changes, [false, false, false, false, true, false, false, true]);
    }

    #[test]
    fn a_folder_is_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let of = || Stamp::of(&[folder.path().to_owned()]);
        let empty = of();
        std::fs::write(folder.path().join("a"), "x").unwrap();
        let one = of();
        std::fs::write(folder.path().join("a"), "xy").unwrap();
        assert!(empty != one && one != of());
        assert_eq!((of().files, of().bytes), (1, 2));
    }
}
