//! The runs that clients look at. As many stay in memory as a bound allows; what was used longest ago is dropped and
//! read again when somebody asks for it.

mod loaded;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use eaves_app::{Recordings, Session, verbs};
use eaves_store::staging::TemporaryDirectory;
use serde::Serialize;

pub(crate) use self::loaded::{Loaded, Window};
use crate::{Options, Problem};

/// Runs that there may be at once; an old one is deleted by whoever wants more.
const MOST_RUNS: usize = 1_000;

/// A run, read or not.
pub(crate) struct Run {
    pub(crate) id: String,
    pub(crate) inputs: Vec<PathBuf>,
    /// Removes what was uploaded with the run.
    _folder: Option<TemporaryDirectory>,
    loaded: Mutex<Option<Arc<Loaded>>>,
    failure: Mutex<Option<Problem>>,
    used: AtomicU64,
}

/// A run, as clients see it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct RunInfo {
    /// Its ID in paths.
    id: String,
    /// For people.
    title: String,
    /// Its sources.
    inputs: Vec<String>,
    /// `ready`, `reading`, `unread` or `failed`.
    state: &'static str,
    /// Why, if it failed.
    error: Option<String>,
}

/// What runs are compared with, as the user said when the server started.
#[derive(Debug)]
struct Opening {
    device: Option<String>,
    config: PathBuf,
    ops: PathBuf,
    /// Formulas that were named are for traces, too; those that lie around are for measurements.
    is_ops_named: bool,
}

impl Opening {
    fn config_file(&self) -> Option<PathBuf> {
        self.config.is_file().then(|| self.config.clone())
    }

    fn ops_file(&self, has_traces: bool) -> Option<PathBuf> {
        let is_meant = self.is_ops_named || !has_traces;
        (is_meant && self.ops.is_file()).then(|| self.ops.clone())
    }
}

/// All runs.
pub(crate) struct Runs {
    session: Arc<Session>,
    opening: Opening,
    /// Bytes that they may take together.
    bound: u64,
    list: Mutex<Vec<Arc<Run>>>,
    next: AtomicU64,
    clock: AtomicU64,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing is ever left half-changed.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the names of runs begin with in requests: `run:1`.
const PREFIX: &str = "run:";

impl Run {
    /// What requests call it.
    pub(crate) fn name(&self) -> String {
        format!("{PREFIX}{}", self.id)
    }

    /// The id in the name of a run, if it is one. A file of that name is `./run:1`.
    pub(crate) fn id_in(name: &Path) -> Option<&str> {
        name.to_str()?.strip_prefix(PREFIX)
    }

    /// The last part of the first input, and how many more there are.
    pub(crate) fn title(&self) -> String {
        let name = |path: &PathBuf| {
            path.file_name()
                .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
        };
        match self.inputs.as_slice() {
            [] => "nothing".to_owned(),
            [only] => name(only),
            [first, rest @ ..] => format!("{} and {} more", name(first), rest.len()),
        }
    }

    pub(crate) fn info(&self) -> RunInfo {
        let error = locked(&self.failure).as_ref().map(ToString::to_string);
        let state = match self.loaded.try_lock() {
            Err(TryLockError::WouldBlock) => "reading",
            _ if error.is_some() => "failed",
            Ok(loaded) if loaded.is_some() => "ready",
            _ => "unread",
        };
        let inputs = self.inputs.iter().map(|path| path.display().to_string()).collect();
        RunInfo { id: self.id.clone(), title: self.title(), inputs, state, error }
    }

    /// True if it is in memory.
    pub(crate) fn is_read(&self) -> bool {
        self.loaded.try_lock().is_ok_and(|loaded| loaded.is_some())
    }

    /// True if it is in memory and has traces.
    pub(crate) fn has_traces(&self) -> bool {
        let loaded = self.loaded.try_lock();
        loaded.is_ok_and(|loaded| loaded.as_ref().is_some_and(|loaded| loaded.recordings().has_traces()))
    }

    /// Forgets what was read: the inputs have changed.
    pub(crate) fn forget(&self) {
        *locked(&self.loaded) = None;
        *locked(&self.failure) = None;
    }
}

impl Runs {
    pub(crate) fn new(session: Arc<Session>, options: &Options) -> Self {
        let opening = Opening {
            device: options.device.clone(),
            config: options.config_path().to_owned(),
            ops: options.ops_path().to_owned(),
            is_ops_named: options.ops.is_some(),
        };
        Self {
            session,
            opening,
            bound: options.memory,
            list: Mutex::default(),
            next: AtomicU64::new(1),
            clock: AtomicU64::new(0),
        }
    }

    /// A new run, not read yet.
    pub(crate) fn add(
        &self,
        inputs: Vec<PathBuf>,
        folder: Option<TemporaryDirectory>,
    ) -> Result<Arc<Run>, Problem> {
        let mut list = locked(&self.list);
        if list.len() >= MOST_RUNS {
            return Err(Problem::failed(format!("there are {MOST_RUNS} runs")).hint("delete some of them"));
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        let run = Arc::new(Run {
            id,
            inputs,
            _folder: folder,
            loaded: Mutex::default(),
            failure: Mutex::default(),
            used: AtomicU64::new(0),
        });
        list.push(run.clone());
        Ok(run)
    }

    /// All, the newest last.
    pub(crate) fn all(&self) -> Vec<Arc<Run>> {
        locked(&self.list).clone()
    }

    /// The run of an id; `latest` is the newest.
    pub(crate) fn find(&self, id: &str) -> Result<Arc<Run>, Problem> {
        let list = locked(&self.list);
        let found = match id {
            "latest" => list.last(),
            _ => list.iter().find(|run| run.id == id),
        };
        found.cloned().ok_or_else(|| {
            let (message, hint) = match list.is_empty() {
                true => {
                    ("no run yet".to_owned(), "start the server with inputs, or POST paths to /api/v1/runs")
                }
                false => (format!("no run `{id}`"), "GET /api/v1/runs lists them"),
            };
            Problem::missing(message).hint(hint)
        })
    }

    /// Forgets a run.
    pub(crate) fn remove(&self, id: &str) -> Result<(), Problem> {
        let run = self.find(id)?;
        locked(&self.list).retain(|other| !Arc::ptr_eq(other, &run));
        Ok(())
    }

    /// The run in memory, read if need be. Whoever else wants it meanwhile waits.
    pub(crate) fn load(&self, run: &Run) -> Result<Arc<Loaded>, Problem> {
        run.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let mut slot = locked(&run.loaded);
        if let Some(loaded) = &*slot {
            return Ok(loaded.clone());
        }
        if let Some(failure) = &*locked(&run.failure) {
            return Err(failure.clone());
        }
        match Loaded::read(&run.inputs, Path::new(&run.name()), &self.session, &self.opening) {
            Ok(loaded) => {
                let loaded = Arc::new(loaded);
                *slot = Some(loaded.clone());
                drop(slot);
                self.make_room(run);
                Ok(loaded)
            }
            Err(problem) => {
                *locked(&run.failure) = Some(problem.clone());
                Err(problem)
            }
        }
    }

    /// Compares a run with what the server was started with, where a request says nothing of it.
    pub(crate) fn complete(&self, request: &mut verbs::Roofline, recordings: &Recordings) {
        request.device = std::mem::take(&mut request.device).or_named(self.opening.device.clone());
        let has_traces = recordings.has_traces();
        // Traces say what they were recorded on.
        if request.config.is_none() && request.device.is_unnamed() && !has_traces {
            request.config = self.opening.config_file();
        }
        if request.ops.is_none() {
            request.ops = self.opening.ops_file(has_traces);
        }
    }

    /// Drops what was used longest ago until the rest is within the bound. What is being read or is the newest stays.
    fn make_room(&self, newest: &Run) {
        let mut ready: Vec<(u64, u64, Arc<Run>)> = Vec::new();
        for run in self.all() {
            let memory = match run.loaded.try_lock() {
                Ok(loaded) => loaded.as_ref().map(|loaded| loaded.memory()),
                Err(_) => None,
            };
            if let Some(memory) = memory {
                ready.push((run.used.load(Ordering::Relaxed), memory, run));
            }
        }
        ready.sort_by_key(|(used, ..)| *used);
        let mut sum: u64 = ready.iter().map(|(_, memory, _)| memory).sum();
        for (_, memory, run) in ready {
            if sum <= self.bound {
                break;
            }
            if run.id != newest.id
                && let Ok(mut loaded) = run.loaded.try_lock()
            {
                *loaded = None;
                sum -= memory;
            }
        }
    }

    /// How many are in memory.
    #[cfg(test)]
    fn in_memory(&self) -> usize {
        self.all().iter().filter(|run| locked(&run.loaded).is_some()).count()
    }
}

#[cfg(test)]
mod tests {
    use eaves_app::Session;

    use super::*;

    fn runs(bound: u64) -> Runs {
        Runs::new(Arc::new(Session::default()), &Options { memory: bound, ..Options::default() })
    }

    fn written(folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        let event = r#"{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 5}"#;
        std::fs::write(&path, format!(r#"{{"traceEvents": [{event}]}}"#)).unwrap();
        path
    }

    #[test]
    fn what_was_used_longest_ago_makes_room() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), "trace.json");
        let add = |runs: &Runs| runs.add(vec![path.clone()], None).unwrap();
        let alone = runs(u64::MAX);
        let size = alone.load(&add(&alone)).unwrap().memory();
        // Room for two and a half of them.
        let runs = runs(2 * size + size / 2);
        let all: Vec<_> = (0..3).map(|_| add(&runs)).collect();
        runs.load(&all[0]).unwrap();
        runs.load(&all[1]).unwrap();
        assert_eq!(runs.in_memory(), 2);
        // The first is used again, so the second goes.
        runs.load(&all[0]).unwrap();
        runs.load(&all[2]).unwrap();
        let states: Vec<_> = runs.all().iter().map(|run| run.info().state).collect();
        assert_eq!(states, ["ready", "unread", "ready"]);
        // And is read again when it is wanted, in the place of the first.
        runs.load(&all[1]).unwrap();
        assert_eq!(runs.in_memory(), 2);
    }

    #[test]
    fn a_failure_is_remembered_until_the_input_changes() {
        let folder = tempfile::tempdir().unwrap();
        let runs = runs(u64::MAX);
        let run = runs.add(vec![folder.path().join("trace.json")], None).unwrap();
        assert!(runs.load(&run).is_err());
        written(folder.path(), "trace.json");
        assert!(runs.load(&run).is_err() && run.info().state == "failed");
        run.forget();
        assert!(runs.load(&run).is_ok());
        runs.remove("latest").unwrap();
        assert!(runs.find("latest").is_err());
    }

    #[test]
    fn a_run_has_a_name_of_its_own() {
        let runs = runs(u64::MAX);
        let run = runs.add(vec!["a".into()], None).unwrap();
        assert_eq!(Run::id_in(Path::new(&run.name())), Some("1"));
        for other in ["1", "./run:1", "/run:1", "h100-sxm"] {
            assert_eq!(Run::id_in(Path::new(other)), None, "{other}");
        }
    }
}
