//! The runs that clients look at. As many stay in memory as a bound allows; what was used longest ago is dropped and
//! read again when somebody asks for it.

mod loaded;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use serde::Serialize;
use tempfile::TempDir;

pub(crate) use self::loaded::{Loaded, Window};
use crate::{Engine, Problem};

/// Runs that there may be at once; an old one is deleted by whoever wants more.
const MOST_RUNS: usize = 1_000;

/// A run, read or not.
pub(crate) struct Run {
    pub(crate) id: String,
    pub(crate) inputs: Vec<PathBuf>,
    /// Removes what was uploaded with the run.
    _folder: Option<TempDir>,
    loaded: Mutex<Option<Arc<Loaded>>>,
    failure: Mutex<Option<Problem>>,
    used: AtomicU64,
}

/// What clients are told of a run.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct RunInfo {
    /// What it is called in paths.
    id: String,
    /// For people.
    title: String,
    /// What it was read from.
    inputs: Vec<String>,
    /// `ready`, `reading`, `unread` or `failed`.
    state: &'static str,
    /// Why, if it failed.
    error: Option<String>,
}

/// All runs.
pub(crate) struct Runs {
    engine: Arc<dyn Engine>,
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

impl Run {
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

    /// True if it is in memory and has recordings.
    pub(crate) fn is_recorded(&self) -> bool {
        let loaded = self.loaded.try_lock();
        loaded.is_ok_and(|loaded| loaded.as_ref().is_some_and(|loaded| loaded.recorded().is_some()))
    }

    /// Forgets what was read: the inputs have changed.
    pub(crate) fn forget(&self) {
        *locked(&self.loaded) = None;
        *locked(&self.failure) = None;
    }
}

impl Runs {
    pub(crate) fn new(engine: Arc<dyn Engine>, bound: u64) -> Self {
        Self { engine, bound, list: Mutex::default(), next: AtomicU64::new(1), clock: AtomicU64::new(0) }
    }

    /// A new run, not read yet.
    pub(crate) fn add(&self, inputs: Vec<PathBuf>, folder: Option<TempDir>) -> Result<Arc<Run>, Problem> {
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
                true => (
                    "there is no run yet".to_owned(),
                    "start the server with inputs, or POST paths to /api/v1/runs",
                ),
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
        match self.engine.open(&run.inputs) {
            Ok(opened) => {
                let loaded = Arc::new(Loaded::new(opened));
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
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use crate::Opened;

    /// Opens a megabyte for whatever it is asked for.
    #[derive(Default)]
    struct Megabytes(AtomicUsize);

    impl Engine for Megabytes {
        fn answer(&self, _: &[String]) -> Result<Vec<u8>, Problem> {
            Err(Problem::bad("none"))
        }
        fn open(&self, inputs: &[PathBuf]) -> Result<Opened, Problem> {
            self.0.fetch_add(1, Ordering::Relaxed);
            match inputs {
                [] => Err(Problem::failed("nothing")),
                _ => Ok(Opened { json: vec![b' '; 1_000_000], document: None, recorded: None }),
            }
        }
        fn ask(&self, _: &str, _: serde_json::Map<String, serde_json::Value>) -> Result<Vec<u8>, Problem> {
            Err(Problem::bad("none"))
        }
        fn known(&self, _: &str) -> Result<Vec<u8>, Problem> {
            Err(Problem::bad("none"))
        }
        fn check_ops(&self, _: &str) -> Vec<(Option<usize>, String)> {
            Vec::new()
        }
    }

    #[test]
    fn what_was_used_longest_ago_makes_room() {
        let engine = Arc::new(Megabytes::default());
        // Each is counted three times: as it is and packed twice.
        let runs = Runs::new(engine.clone(), 7_000_000);
        let all: Vec<_> = (0..3).map(|_| runs.add(vec![PathBuf::from("a")], None).unwrap()).collect();
        runs.load(&all[0]).unwrap();
        runs.load(&all[1]).unwrap();
        assert_eq!((runs.in_memory(), engine.0.load(Ordering::Relaxed)), (2, 2));
        // The first is used again, so the second goes.
        runs.load(&all[0]).unwrap();
        runs.load(&all[2]).unwrap();
        let states: Vec<_> = runs.all().iter().map(|run| run.info().state).collect();
        assert_eq!(states, ["ready", "unread", "ready"]);
        runs.load(&all[1]).unwrap();
        assert_eq!(engine.0.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn a_failure_is_remembered_until_the_input_changes() {
        let engine = Arc::new(Megabytes::default());
        let runs = Runs::new(engine.clone(), 0);
        let run = runs.add(Vec::new(), None).unwrap();
        assert!(runs.load(&run).is_err() && runs.load(&run).is_err());
        assert_eq!((engine.0.load(Ordering::Relaxed), run.info().state), (1, "failed"));
        run.forget();
        assert!(runs.load(&run).is_err());
        assert_eq!(engine.0.load(Ordering::Relaxed), 2);
        runs.remove("latest").unwrap();
        assert!(runs.find("latest").is_err());
    }
}
