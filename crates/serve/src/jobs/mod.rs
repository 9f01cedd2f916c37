//! Benchmarks: one kernel after the other, each told when it has finished.

mod plan;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use eaves_app::verbs::bench::BenchKernel;
use eaves_app::{Answer, Context, Session};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::{OwnedMutexGuard, watch};

use crate::Problem;
use crate::requests::printed;
use crate::state::Shared;

/// Jobs that are remembered, and of which one runs.
const MOST_JOBS: usize = 32;

/// What is told of a job.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Progress {
    /// `running`, `done`, `failed` or `cancelled`.
    pub(crate) state: &'static str,
    /// Kernels that finished.
    pub(crate) done: usize,
    /// Kernels in all.
    pub(crate) total: usize,
    /// What runs next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
    /// `eaves.bench/1` with the kernel that just finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) document: Option<Value>,
    /// Why a kernel could not be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

impl Progress {
    /// True if nothing follows.
    pub(crate) fn is_last(&self) -> bool {
        self.state != "running"
    }
}

/// A job, with all that was told of it.
pub(crate) struct Job {
    pub(crate) id: String,
    told: Mutex<Vec<Progress>>,
    /// How much was told.
    count: watch::Sender<usize>,
    cancelled: AtomicBool,
}

impl Job {
    fn tell(&self, progress: Progress) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.push(progress);
        self.count.send_replace(told.len());
    }

    /// What was told from some place on.
    pub(crate) fn from(&self, place: usize) -> Vec<Progress> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.get(place..).unwrap_or_default().to_vec()
    }

    /// Tells when there is more.
    pub(crate) fn listen(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    /// Stops after the kernel that runs.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        self.from(0).last().is_some_and(Progress::is_last)
    }

    fn run(&self, kernels: &[BenchKernel], session: &Session) {
        let total = kernels.len();
        let mut measured = 0;
        for (done, kernel) in kernels.iter().enumerate() {
            if self.cancelled.load(Ordering::Relaxed) {
                return self.tell(Progress { state: "cancelled", done, total, ..Progress::default() });
            }
            if done == 0 {
                let next = Some(kernel.label());
                self.tell(Progress { state: "running", done, total, next, ..Progress::default() });
            }
            let next = kernels.get(done + 1).map(BenchKernel::label);
            let progress = Progress { state: "running", done: done + 1, total, next, ..Progress::default() };
            let answer = kernel.run(&Context::new(session)).map_err(Problem::from);
            self.tell(match answer.and_then(|answer| document(&answer)) {
                Ok(document) => {
                    measured += 1;
                    Progress { document: Some(document), ..progress }
                }
                Err(problem) => {
                    Progress { error: Some(format!("{}: {problem}", kernel.label())), ..progress }
                }
            });
        }
        let (state, error) = match measured {
            0 => ("failed", Some("no kernel could be run".to_owned())),
            _ => ("done", None),
        };
        self.tell(Progress { state, done: total, total, error, ..Progress::default() });
    }
}

/// All jobs.
#[derive(Default)]
pub(crate) struct Jobs {
    list: Mutex<Vec<Arc<Job>>>,
    next: AtomicU64,
    /// Two benchmarks at once would measure each other.
    turn: Arc<tokio::sync::Mutex<()>>,
}

fn document(answer: &Answer) -> Result<Value, Problem> {
    serde_json::from_slice(&printed(answer)?).map_err(|error| Problem::internal(error.to_string()))
}

impl Jobs {
    /// Waits until no other kernel is measured. Until the guard is dropped none is.
    pub(crate) async fn turn(&self) -> OwnedMutexGuard<()> {
        self.turn.clone().lock_owned().await
    }

    /// Starts a job.
    pub(crate) fn start(&self, asked: Map<String, Value>, shared: &Shared) -> Result<Arc<Job>, Problem> {
        let kernels = plan::kernels(asked, shared)?;
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() >= MOST_JOBS {
            match list.iter().position(|job| job.is_over()) {
                Some(oldest) => drop(list.remove(oldest)),
                None => {
                    return Err(
                        Problem::failed("too many benchmarks are waiting").hint("cancel some of them")
                    );
                }
            }
        }
        let id = (self.next.fetch_add(1, Ordering::Relaxed) + 1).to_string();
        let job = Arc::new(Job {
            id,
            told: Mutex::default(),
            count: watch::channel(0).0,
            cancelled: AtomicBool::new(false),
        });
        list.push(job.clone());
        let (turn, session, running) = (self.turn.clone(), shared.session.clone(), job.clone());
        // A thread of its own: measured kernels must not share one with requests.
        std::thread::Builder::new()
            .name("eaves-bench".to_owned())
            .spawn(move || {
                let _turn = turn.blocking_lock();
                running.run(&kernels, &session);
            })
            .map_err(|error| Problem::internal(format!("no thread for a benchmark: {error}")))?;
        Ok(job)
    }

    /// The job of an id.
    pub(crate) fn find(&self, id: &str) -> Result<Arc<Job>, Problem> {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let found = list.iter().find(|job| job.id == id).cloned();
        found.ok_or_else(|| Problem::missing(format!("no job `{id}`")).hint("POST /api/v1/bench starts one"))
    }
}
