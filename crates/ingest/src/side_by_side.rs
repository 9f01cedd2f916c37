//! The same work on several inputs, on as many threads as there are.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The answer for each input, in their order; none for one whose work ended in a panic.
pub(crate) fn each<T: Sync, R: Send>(
    inputs: &[T],
    workers: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<Option<R>> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = inputs.iter().map(|_| Mutex::new(None)).collect();
    let worker = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = inputs.get(at) else { return };
            let result = work(input);
            if let Ok(mut slot) = results[at].lock() {
                *slot = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(worker);
        }
        worker();
    });
    results.into_iter().map(|slot| slot.into_inner().ok().flatten()).collect()
}
