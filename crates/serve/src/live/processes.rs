//! A process and everything that it started, from `/proc`: <https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html>.

use std::collections::HashMap;

use serde::Serialize;

/// A tree of processes at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Processes {
    /// How many there are.
    pub count: usize,
    /// Threads of all of them.
    pub threads: u64,
    /// Memory that they have in the machine.
    pub memory_bytes: u64,
    /// Time of processors since the sample before: 100 for each that was busy.
    pub cpu_pct: Option<f64>,
    /// Time of processors in all, in ticks.
    #[serde(skip)]
    pub(super) ticks: u64,
}

/// One process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct One {
    parent: u32,
    ticks: u64,
    threads: u64,
    pages: u64,
}

/// A process with everything below it; nothing if it is gone.
pub(super) fn below(root: u32) -> Option<Processes> {
    /// What systems that matter here have.
    const PAGE: u64 = 4096;
    let mut all: HashMap<u32, One> = HashMap::new();
    for entry in std::fs::read_dir("/proc").ok()?.flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Ok(text) = std::fs::read_to_string(entry.path().join("stat"))
            && let Some(one) = parse(&text)
        {
            all.insert(id, one);
        }
    }
    all.get(&root)?;
    let is_below = |id: u32| {
        let mut at = id;
        // A chain of parents has no circle, but what was read is of several moments.
        for _ in 0..all.len() {
            if at == root {
                return true;
            }
            match all.get(&at) {
                Some(one) => at = one.parent,
                None => return false,
            }
        }
        false
    };
    let mut tree = Processes::default();
    for (_, one) in all.iter().filter(|(id, _)| is_below(**id)) {
        tree.count += 1;
        tree.threads += one.threads;
        tree.memory_bytes += one.pages * PAGE;
        tree.ticks += one.ticks;
    }
    Some(tree)
}

/// The fields behind the name, which may hold anything and ends at the last bracket. Times of children that are gone
/// count too, or work of short-lived processes would be lost.
fn parse(text: &str) -> Option<One> {
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    // The third field of the manual is the first here.
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let ticks = (14..=17).map(field).sum::<Option<u64>>()?;
    Some(One { parent: u32::try_from(field(4)?).ok()?, ticks, threads: field(20)?, pages: field(24)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_by_hand() {
        let text = "42 (a) b (c) S 7 42 42 0 -1 4194304 100 0 0 0 11 5 2 1 20 0 3 0 1000 123456 77 18446744073709551615 1";
        assert_eq!(parse(text), Some(One { parent: 7, ticks: 19, threads: 3, pages: 77 }));
        assert_eq!(parse("42 (a S 7"), None);
        assert_eq!(parse("42 (a) S 7 1"), None);
    }
}
