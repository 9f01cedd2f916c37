//! Processors, memory and load, from `/proc`: <https://man7.org/linux/man-pages/man5/proc_stat.5.html>.

use serde::Serialize;

/// What the kernel counts times of processes in: `USER_HZ`, which is 100 on every architecture but one of the past.
pub(super) const TICKS_PER_SECOND: f64 = 100.0;

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

/// How long a processor worked and was idle. The first of a list is all of them together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ticks {
    busy: u64,
    idle: u64,
}

pub(super) fn ticks() -> Option<Vec<Ticks>> {
    parse_ticks(&std::fs::read_to_string("/proc/stat").ok()?)
}

fn parse_ticks(text: &str) -> Option<Vec<Ticks>> {
    let line = |line: &str| {
        let numbers: Vec<u64> =
            line.split_whitespace().skip(1).filter_map(|number| number.parse().ok()).collect();
        // user nice system idle iowait irq softirq steal; guests are in user already.
        let at = |place: usize| numbers.get(place).copied().unwrap_or(0);
        let idle = at(3) + at(4);
        Ticks { busy: (0..8).map(at).sum::<u64>() - idle, idle }
    };
    let list: Vec<Ticks> = text.lines().take_while(|line| line.starts_with("cpu")).map(line).collect();
    (!list.is_empty()).then_some(list)
}

/// What processors did between two looks; nothing if no time has passed or some came or went.
pub(super) fn shares(before: &[Ticks], after: &[Ticks]) -> Option<Cores> {
    if before.len() != after.len() {
        return None;
    }
    let share = |(before, after): (&Ticks, &Ticks)| {
        let (busy, idle) = (after.busy.saturating_sub(before.busy), after.idle.saturating_sub(before.idle));
        if busy + idle == 0 { 0.0 } else { 100.0 * busy as f64 / (busy + idle) as f64 }
    };
    let mut all: Vec<f64> = before.iter().zip(after).map(share).collect();
    if before.first() == after.first() {
        return None;
    }
    let total_pct = all.remove(0);
    Some(Cores { total_pct, cores_pct: all })
}

pub(super) fn memory() -> Option<Memory> {
    parse_memory(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn parse_memory(text: &str) -> Option<Memory> {
    let kibibytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':').split_whitespace().next()?.parse::<u64>().ok()
    };
    let bytes = |name| Some(kibibytes(name)? * 1024);
    Some(Memory { total_bytes: bytes("MemTotal")?, available_bytes: bytes("MemAvailable")? })
}

pub(super) fn load() -> Option<[f64; 3]> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let mut numbers = text.split_whitespace().map_while(|number| number.parse().ok());
    Some([numbers.next()?, numbers.next()?, numbers.next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_by_hand() {
        let before =
            parse_ticks("cpu  100 0 50 800 50 0 0 0 9 9\ncpu0 100 0 50 800 50 0 0 0 0 0\nintr 1").unwrap();
        assert_eq!(before, [Ticks { busy: 150, idle: 850 }; 2]);
        let after = parse_ticks("cpu  160 0 60 820 60 0 0 0 0 0\ncpu0 160 0 60 820 60 0 0 0 0 0\n").unwrap();
        // 70 of 100 ticks.
        let cores = shares(&before, &after).unwrap();
        assert_eq!((cores.total_pct, cores.cores_pct), (70.0, vec![70.0]));
        assert_eq!(shares(&before, &before), None);
        assert_eq!(shares(&before, &after[..1]), None);
        assert_eq!(parse_ticks("nothing"), None);
    }

    #[test]
    fn memory_by_hand() {
        let text = "MemTotal:       16 kB\nMemFree:         1 kB\nMemAvailable:    3 kB\n";
        assert_eq!(parse_memory(text), Some(Memory { total_bytes: 16_384, available_bytes: 3_072 }));
        assert_eq!(parse_memory("MemTotal: x kB"), None);
    }
}
