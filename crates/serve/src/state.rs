//! What all requests share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eaves_app::Session;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};

use crate::jobs::Jobs;
use crate::routes::Described;
use crate::routes::events::Message;
use crate::routes::query::LIMITS;
use crate::runs::Runs;
use crate::{Options, Problem};

/// Clients that are told of the machine at once: each has a thread while it listens.
const MOST_LISTENERS: usize = 32;

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) options: Options,
    /// What requests find in memory: the runs that were read, each by its name.
    pub(crate) session: Arc<Session>,
    pub(crate) runs: Runs,
    pub(crate) jobs: Jobs,
    /// Devices that clients described.
    pub(crate) described: Described,
    /// Clients that listen to what changes.
    pub(crate) events: broadcast::Sender<Message>,
    /// Places of those that listen to samples of the machine.
    listeners: Arc<Semaphore>,
    /// Heavy work that may go on at once.
    work: Arc<Semaphore>,
}

impl Shared {
    pub(crate) fn new(options: Options) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let session = Arc::new(Session::with_query_limits(LIMITS));
        Self {
            runs: Runs::new(session.clone(), &options),
            jobs: Jobs::default(),
            options,
            session,
            described: Described::default(),
            events: broadcast::channel(64).0,
            listeners: Arc::new(Semaphore::new(MOST_LISTENERS)),
            work: Arc::new(Semaphore::new(cores.max(2))),
        }
    }

    /// A place among those that listen to samples of the machine, until it is dropped.
    pub(crate) fn place_to_listen(&self) -> Result<OwnedSemaphorePermit, Problem> {
        self.listeners.clone().try_acquire_owned().map_err(|_| {
            Problem::failed(format!("{MOST_LISTENERS} clients listen already")).hint("close some of them")
        })
    }

    /// Does heavy work on its own thread, when it is its turn.
    pub(crate) async fn heavy<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let gone = |_| Problem::internal("the server is stopping");
        let turn = self.work.clone().acquire_owned().await.map_err(gone)?;
        let shared = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work(&shared)
        });
        done.await.unwrap_or_else(|_| {
            Err(Problem::internal("internal error").hint("this is a bug in eaves; please report it"))
        })
    }

    /// Checks that a client may open a path, and says where it really is.
    pub(crate) fn allowed(&self, path: &Path) -> Result<PathBuf, Problem> {
        let name = path.display();
        let bytes = path.as_os_str().as_encoded_bytes();
        if bytes.is_empty() || bytes == b"-" || bytes.contains(&0) {
            return Err(Problem::bad(format!("`{name}` is no path")));
        }
        let found = path.canonicalize().map_err(|_| {
            Problem::missing(format!("not found: `{name}`")).hint("paths refer to the server's machine")
        });
        if self.options.anywhere {
            return found;
        }
        let outside = || {
            Problem::forbidden(format!("`{name}` is outside the folders this server may read"))
                .hint("start it with that folder, or with --anywhere")
        };
        // Whether something exists outside is nobody's business either.
        let found =
            found.map_err(|missing| if self.is_below(&absolute(path)) { missing } else { outside() })?;
        if self.is_below(&found) { Ok(found) } else { Err(outside()) }
    }

    fn is_below(&self, path: &Path) -> bool {
        let folders = self.options.folders.iter().filter_map(|folder| folder.canonicalize().ok());
        folders.into_iter().any(|folder| path.starts_with(folder))
    }
}

/// A path without `.` and `..`, for what does not exist.
fn absolute(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in std::path::absolute(path).unwrap_or_default().components() {
        match part {
            std::path::Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}
