//! Processors, memory, load and processes: what `sysinfo` reads on Linux, macOS and Windows.

use std::collections::HashMap;
use std::time::Instant;

use serde::Serialize;
use sysinfo::{MINIMUM_CPU_UPDATE_INTERVAL, MemoryRefreshKind, Pid, ProcessRefreshKind, ProcessesToUpdate};

/// Shares of the time in which processors worked.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cores {
    /// All together.
    pub total_pct: f64,
    /// Each by itself.
    pub cores_pct: Vec<f64>,
}

/// The memory of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// In all.
    pub total_bytes: u64,
    /// What programs could have without swapping.
    pub available_bytes: u64,
}

/// A tree of processes at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Processes {
    /// How many there are.
    pub count: usize,
    /// Threads of all of them, where the system tells.
    pub threads: Option<usize>,
    /// Memory that they have in the machine.
    pub memory_bytes: u64,
    /// Time of processors since the sample before: 100 for each that was busy. What a process used after the sample
    /// before its end is not in it.
    pub cpu_pct: Option<f64>,
}

/// What the system said last.
pub(super) struct System {
    system: sysinfo::System,
    cores_at: Instant,
    cores: Option<Cores>,
    /// When the processes of the tree were looked at, and the milliseconds that each had used by then.
    used: Option<(Instant, HashMap<Pid, u64>)>,
}

impl System {
    pub(super) fn new() -> Self {
        let mut system = sysinfo::System::new();
        system.refresh_cpu_usage();
        Self { system, cores_at: Instant::now(), cores: None, used: None }
    }

    /// Since the call before. The system counts in long units, so of calls in quick succession only the first looks.
    pub(super) fn cores(&mut self) -> Option<Cores> {
        if self.cores_at.elapsed() >= MINIMUM_CPU_UPDATE_INTERVAL {
            self.system.refresh_cpu_usage();
            self.cores_at = Instant::now();
            let share = |share: f32| f64::from(share).clamp(0.0, 100.0);
            let cores_pct: Vec<f64> = self.system.cpus().iter().map(|cpu| share(cpu.cpu_usage())).collect();
            let total_pct = share(self.system.global_cpu_usage());
            self.cores = (!cores_pct.is_empty()).then_some(Cores { total_pct, cores_pct });
        }
        self.cores.clone()
    }

    pub(super) fn memory(&mut self) -> Option<Memory> {
        self.system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
        let (total_bytes, available_bytes) = (self.system.total_memory(), self.system.available_memory());
        (total_bytes > 0).then_some(Memory { total_bytes, available_bytes })
    }

    /// A process with everything below it; nothing if it is gone.
    pub(super) fn processes(&mut self, root: u32) -> Option<Processes> {
        let root = Pid::from_u32(root);
        let all = ProcessRefreshKind::nothing().without_tasks().with_cpu().with_memory();
        self.system.refresh_processes_specifics(ProcessesToUpdate::All, true, all);
        let parents = self.system.processes().iter().map(|(id, process)| (*id, process.parent())).collect();
        let tree = below(root, &parents);
        // Threads are looked up for these alone: a machine may have ten thousands.
        let threads = ProcessRefreshKind::nothing().with_tasks();
        self.system.refresh_processes_specifics(ProcessesToUpdate::Some(&tree), false, threads);
        let (now, processes) = (Instant::now(), self.system.processes());
        let tree: Vec<_> = tree.iter().filter_map(|id| processes.get(id)).collect();
        if tree.is_empty() {
            return None;
        }
        let used = tree.iter().map(|process| (process.pid(), process.accumulated_cpu_time())).collect();
        let cpu_pct = self.used.as_ref().map(|(then, before)| {
            let milliseconds = now.duration_since(*then).as_secs_f64().max(1e-3) * 1e3;
            100.0 * growth(before, &used) as f64 / milliseconds
        });
        self.used = Some((now, used));
        Some(Processes {
            count: tree.len(),
            threads: tree.iter().map(|process| Some(process.tasks()?.len() + 1)).sum(),
            memory_bytes: tree.iter().map(|process| process.memory()).sum(),
            cpu_pct,
        })
    }
}

/// Runnable processes on average; Windows counts none.
pub(super) fn load() -> Option<[f64; 3]> {
    let load = sysinfo::System::load_average();
    (!cfg!(windows)).then_some([load.one, load.five, load.fifteen])
}

/// The root and everything below it, by the parent of each process; nothing if the root is gone.
fn below(root: Pid, parents: &HashMap<Pid, Option<Pid>>) -> Vec<Pid> {
    if !parents.contains_key(&root) {
        return Vec::new();
    }
    let is_below = |id: Pid| {
        let mut at = id;
        // A chain of parents has no circle, but what was read is of several moments.
        for _ in 0..parents.len() {
            if at == root {
                return true;
            }
            match parents.get(&at) {
                Some(Some(parent)) => at = *parent,
                _ => return false,
            }
        }
        false
    };
    parents.keys().copied().filter(|id| is_below(*id)).collect()
}

/// What processes used since then. One that is new has used all of it since.
fn growth(before: &HashMap<Pid, u64>, after: &HashMap<Pid, u64>) -> u64 {
    after.iter().map(|(id, used)| used.saturating_sub(before.get(id).copied().unwrap_or(0))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u32) -> Pid {
        Pid::from_u32(number)
    }

    #[test]
    fn a_tree_by_hand() {
        let parents = [(1, None), (7, Some(1)), (8, Some(7)), (9, Some(8)), (5, Some(1)), (6, Some(4))];
        let parents = parents.map(|(child, parent)| (id(child), parent.map(id))).into();
        let mut tree = below(id(7), &parents);
        tree.sort();
        assert_eq!(tree, [7, 8, 9].map(id));
        assert_eq!(below(id(4), &parents), []);
        let circle = [(2, 3), (3, 2)].map(|(child, parent)| (id(child), Some(id(parent)))).into();
        assert_eq!(below(id(1), &circle), []);
    }

    #[test]
    fn growth_by_hand() {
        // One worked for 30 ms, one is new, one is gone.
        let before = HashMap::from([(id(1), 100), (id(2), 50)]);
        let after = HashMap::from([(id(1), 130), (id(3), 5)]);
        assert_eq!(growth(&before, &after), 35);
    }
}
