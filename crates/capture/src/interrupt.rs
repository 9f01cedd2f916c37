//! Ctrl-C while a program runs.

use std::sync::atomic::{AtomicU32, Ordering};

/// Programs that run at this moment.
static RUNNING: AtomicU32 = AtomicU32::new(0);
/// How often the user asked to stop since the first of them was started.
static ASKED: AtomicU32 = AtomicU32::new(0);

/// Tells a running program to stop, and a second time to stop at once. False if none is running, so that exists
/// nothing to wait for. To be called by whoever handles the signal.
pub fn interrupt() -> bool {
    if RUNNING.load(Ordering::SeqCst) == 0 {
        return false;
    }
    ASKED.fetch_add(1, Ordering::SeqCst);
    true
}

/// While this lives a program is running.
pub(crate) struct Running;

impl Running {
    pub(crate) fn start() -> Self {
        if RUNNING.fetch_add(1, Ordering::SeqCst) == 0 {
            ASKED.store(0, Ordering::SeqCst);
        }
        Self
    }

    /// How often the user asked to stop.
    pub(crate) fn asked(&self) -> u32 {
        ASKED.load(Ordering::SeqCst)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}
