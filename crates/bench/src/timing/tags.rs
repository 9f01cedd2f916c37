//! What else happened while something was timed.

use eaves_roofline::measured::Contamination;

use crate::system;

/// Share of the time that a thread must have had its processor. The reading of the clocks itself is in it.
const PROCESSOR_SHARE: f64 = 0.98;

/// The state of this thread before or after a sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    /// Nanoseconds of processor time.
    cpu_ns: Option<u64>,
    /// Times it was interrupted for another thread.
    switches: Option<u64>,
}

impl Reading {
    /// Of the calling thread, now.
    pub(super) fn now() -> Self {
        Self { cpu_ns: system::thread_cpu_ns(), switches: system::thread_switches() }
    }

    /// What happened from `self` to `later`, during which `wall_ns` passed.
    pub(super) fn until(self, later: Self, wall_ns: u64) -> Tags {
        let difference = |one: Option<u64>, other: Option<u64>| other?.checked_sub(one?);
        let cpu_ns = difference(self.cpu_ns, later.cpu_ns);
        let switches = difference(self.switches, later.switches);
        let contamination = if switches.is_some_and(|count| count > 0) {
            Some(Contamination::Switched)
        } else if cpu_ns.is_some_and(|cpu| (cpu as f64) < wall_ns as f64 * PROCESSOR_SHARE) {
            Some(Contamination::LostProcessor)
        } else {
            None
        };
        Tags {
            cpu_ns,
            switches: switches.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
            contamination,
        }
    }
}

/// What happened in a sample of one thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tags {
    pub(super) cpu_ns: Option<u64>,
    pub(super) switches: Option<u32>,
    pub(super) contamination: Option<Contamination>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(cpu_ns: u64, switches: u64) -> Reading {
        Reading { cpu_ns: Some(cpu_ns), switches: Some(switches) }
    }

    #[test]
    fn a_sample_is_dirty_if_the_thread_was_interrupted_or_did_not_have_the_processor() {
        let at = reading(1000, 3);
        assert_eq!(at.until(reading(2000, 3), 1000).contamination, None);
        assert_eq!(at.until(reading(1970, 3), 1000).contamination, Some(Contamination::LostProcessor));
        assert_eq!(at.until(reading(2000, 4), 1000).contamination, Some(Contamination::Switched));
        assert_eq!(Reading::default().until(Reading::default(), 1000).contamination, None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn sleeping_is_seen() {
        let before = Reading::now();
        let start = std::time::Instant::now();
        std::thread::sleep(std::time::Duration::from_millis(5));
        let wall_ns = u64::try_from(start.elapsed().as_nanos()).unwrap();
        assert!(before.until(Reading::now(), wall_ns).contamination.is_some());
    }
}
