//! Names and explanations of saved reports. Sections hold them as constants of the program, so each text that is none
//! is kept once for the life of the process.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Bytes of all texts together. Reports of ours have a few kilobytes of them.
const MOST: usize = 4 << 20;

#[derive(Default)]
struct Known {
    texts: HashSet<&'static str>,
    bytes: usize,
}

/// A text that lives as long as the process. Nothing when there are too many, which no report of ours has.
pub(super) fn lasting(text: &str) -> Option<&'static str> {
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    // A set is never left half-changed.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.texts.get(text) {
        return Some(found);
    }
    known.bytes = known.bytes.checked_add(text.len()).filter(|&bytes| bytes <= MOST)?;
    let made: &'static str = Box::leak(Box::from(text));
    known.texts.insert(made);
    Some(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_kept_once_and_too_many_are_refused() {
        let (first, second) = (lasting("idle_pct").unwrap(), lasting("idle_pct").unwrap());
        assert!(std::ptr::eq(first, second));
        assert_eq!(lasting(&"x".repeat(MOST + 1)), None);
        assert_eq!(lasting("idle_pct"), Some("idle_pct"));
    }
}
