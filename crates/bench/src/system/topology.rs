//! Which processors of the system are one core.
//!
//! Threads of a core that runs several at a time share its units and its caches: two of them at once say nothing of what a
//! core can do, and make its own caches look shared. So threads are put on cores of their own first, and roofs are of cores.

/// Processors in the order in which threads are put on them: the first of every core, then the second of every core, and so
/// on. `siblings` has the processors of the same core, as the system writes them; a processor that it says nothing of
/// is a core.
pub(super) fn order(usable: &[usize], siblings: impl Fn(usize) -> Option<String>) -> (Vec<usize>, usize) {
    let mut ranked: Vec<(usize, usize)> = Vec::with_capacity(usable.len());
    for &processor in usable {
        let same = siblings(processor).map(|text| list(&text)).unwrap_or_default();
        // How many of its core come before it, of those that may be used.
        let rank = same.iter().filter(|other| **other < processor && usable.contains(other)).count();
        ranked.push((rank, processor));
    }
    ranked.sort_unstable();
    let cores = ranked.iter().filter(|(rank, _)| *rank == 0).count();
    (ranked.into_iter().map(|(_, processor)| processor).collect(), cores)
}

/// The numbers of `0,64` or `0-1,8`, as `thread_siblings_list` has them (Documentation/admin-guide/cputopology.rst of Linux).
fn list(text: &str) -> Vec<usize> {
    /// No machine has more; a file that says so is wrong.
    const MOST: usize = 1 << 16;
    let mut numbers = Vec::new();
    for part in text.trim().split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(from), Ok(to)) = (from.trim().parse::<usize>(), to.trim().parse::<usize>()) {
            numbers.extend((from..=to).take(MOST));
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_the_system_writes_them() {
        assert_eq!(list("0,64\n"), [0, 64]);
        assert_eq!(list("0-1,8\n"), [0, 1, 8]);
        assert_eq!(list("3"), [3]);
        assert!(list("").is_empty());
        assert_eq!(list("x,2-y,5"), [5]);
    }

    /// Four cores of two threads, numbered as Linux does on most (0 and 4 are one) and on some (0 and 1 are one).
    #[test]
    fn cores_come_before_their_second_threads() {
        let far = |processor: usize| Some(format!("{},{}", processor % 4, processor % 4 + 4));
        assert_eq!(order(&[0, 1, 2, 3, 4, 5, 6, 7], far), (vec![0, 1, 2, 3, 4, 5, 6, 7], 4));
        let near = |processor: usize| Some(format!("{}-{}", processor / 2 * 2, processor / 2 * 2 + 1));
        assert_eq!(order(&[0, 1, 2, 3, 4, 5, 6, 7], near), (vec![0, 2, 4, 6, 1, 3, 5, 7], 4));
        // Of a core of which only the second thread may be used, that is the first.
        assert_eq!(order(&[1, 2, 3], near), (vec![1, 2, 3], 2));
        assert_eq!(order(&[0, 1], |_| None), (vec![0, 1], 2));
    }
}
