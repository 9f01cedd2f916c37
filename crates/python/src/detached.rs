//! Work without the interpreter's lock.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use eaves_app::Failure;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::failure::raised;

/// How long Ctrl-C may go unnoticed.
const PATIENCE: Duration = Duration::from_millis(50);
/// What a main thread has.
const STACK: usize = 8 << 20;

/// Does work on another thread while other threads of Python run. Ctrl-C raises at once; the work then comes to its end
/// unheard.
pub(crate) fn detached<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::channel();
    let work = move || {
        // Nobody listens any more after Ctrl-C.
        drop(sender.send(work()));
    };
    thread::Builder::new().name("eaves".to_owned()).stack_size(STACK).spawn(work)?;
    loop {
        let result;
        (receiver, result) = py.detach(move || {
            let result = receiver.recv_timeout(PATIENCE);
            (receiver, result)
        });
        match result {
            Ok(answer) => return answer.map_err(|failure| raised(py, failure)),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("internal error in eaves; please report it"));
            }
        }
    }
}

/// Gives signals back to Python's own handlers. Only the main thread can do so; others leave them.
pub(crate) fn restore_signals(py: Python<'_>) -> PyResult<()> {
    let signal = py.import("signal")?;
    for name in ["SIGINT", "SIGTERM", "SIGHUP"] {
        let Ok(number) = signal.getattr(name) else { continue };
        let handler = signal.call_method1("getsignal", (&number,))?;
        if !handler.is_none() {
            drop(signal.call_method1("signal", (number, handler)));
        }
    }
    Ok(())
}
