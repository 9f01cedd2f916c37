//! The same work on several inputs, as many side by side as there are threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The answer for each input, in their order. The work is also told the place of the input.
///
/// # Panics
/// If the work does.
pub fn map<T: Sync, R: Send>(inputs: &[T], threads: usize, work: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let answers: Vec<Mutex<Option<R>>> = inputs.iter().map(|_| Mutex::new(None)).collect();
    let worker = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let (Some(input), Some(slot)) = (inputs.get(at), answers.get(at)) else { return };
            let answer = work(at, input);
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(inputs.len()) {
            scope.spawn(worker);
        }
        worker();
    });
    // Every place was taken once, so all are there.
    let answers = answers.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner));
    answers.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_in_the_order_of_inputs() {
        let inputs: Vec<u64> = (0..100).collect();
        for threads in [0, 1, 3, 200] {
            let answers = map(&inputs, threads, |at, input| (at as u64, input * input));
            let expected: Vec<(u64, u64)> = inputs.iter().map(|input| (*input, input * input)).collect();
            assert_eq!(answers, expected);
        }
        assert_eq!(map(&[] as &[u64], 4, |_, input| *input), []);
    }
}
