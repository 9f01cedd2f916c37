//! Linux: `/proc`, `/sys`, and calls that only Linux has.

use std::io::Read;
use std::ptr::NonNull;

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

use super::{ProcessTime, topology};

/// Nanoseconds of processor time that this thread had.
pub(crate) fn thread_cpu_ns() -> Option<u64> {
    nanoseconds(ClockId::ThreadCPUTime)
}

fn nanoseconds(clock: ClockId) -> Option<u64> {
    let time = clock_gettime(clock);
    Some(u64::try_from(time.tv_sec).ok()? * 1_000_000_000 + u64::try_from(time.tv_nsec).ok()?)
}

/// Times that this thread was interrupted for another.
pub(crate) fn thread_switches() -> Option<u64> {
    switches_of(libc::RUSAGE_THREAD)
}

#[expect(unsafe_code, reason = "no safe wrapper knows the resources of a thread")]
fn switches_of(whom: libc::c_int) -> Option<u64> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the kernel fills the structure, which is valid zeroed.
    let usage = unsafe {
        if libc::getrusage(whom, usage.as_mut_ptr()) != 0 {
            return None;
        }
        usage.assume_init()
    };
    u64::try_from(usage.ru_nivcsw).ok()
}

/// What this program had so far.
pub(crate) fn process_time() -> Option<ProcessTime> {
    let cpu_ns = nanoseconds(ClockId::ProcessCPUTime)?;
    Some(ProcessTime { cpu_ns, switches: switches_of(libc::RUSAGE_SELF)? })
}

/// Clock ticks that the hypervisor took from all processors so far.
pub(crate) fn steal() -> Option<u64> {
    // The line of all processors is the first: `cpu user nice system idle iowait irq softirq steal ...` (proc(5)).
    let mut text = [0; 256];
    let length = std::fs::File::open("/proc/stat").ok()?.read(&mut text).ok()?;
    let line = std::str::from_utf8(text.get(..length)?).ok()?.lines().next()?;
    line.split_ascii_whitespace().nth(8)?.parse().ok()
}

/// Bytes that can be had without taking them from other programs (`MemAvailable` of proc_meminfo(5)).
pub(crate) fn available_memory() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: f64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024.0)
}

/// Asks for huge pages in a range of our memory.
#[expect(unsafe_code, reason = "advice about memory takes its address")]
pub(crate) fn ask_for_huge_pages(start: NonNull<u8>, bytes: usize) {
    // SAFETY: the range is ours and the advice changes no contents. A refusal costs speed alone, and is reported.
    let _refused =
        unsafe { rustix::mm::madvise(start.as_ptr().cast(), bytes, rustix::mm::Advice::LinuxHugepage) };
}

/// Bytes of huge pages in the mapping that holds this address (`AnonHugePages` of proc_pid_smaps(5)).
pub(crate) fn huge_bytes(address: usize) -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/smaps").ok()?;
    let mut inside = false;
    for line in text.lines() {
        let first = line.split_ascii_whitespace().next()?;
        if let Some((from, to)) = first.split_once('-')
            && let (Ok(from), Ok(to)) = (usize::from_str_radix(from, 16), usize::from_str_radix(to, 16))
        {
            inside = (from..to).contains(&address);
        } else if inside && first == "AnonHugePages:" {
            let kilobytes: usize = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
            return Some(kilobytes << 10);
        }
    }
    None
}

/// Processors that this thread may use. Threads that it starts later inherit what it is pinned to, so they are told.
#[derive(Clone, Copy)]
pub(crate) struct Places(Option<CpuSet>);

impl Places {
    pub(crate) fn here() -> Self {
        Self(sched_getaffinity(None).ok())
    }

    /// Processors that may be used, cores first, and how many cores they are.
    fn order(&self) -> Option<(Vec<usize>, usize)> {
        let allowed = self.0.as_ref()?;
        let usable: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).collect();
        Some(topology::order(&usable, siblings))
    }

    /// How many cores they are.
    pub(crate) fn cores(&self) -> Option<usize> {
        self.order().map(|(_, cores)| cores).filter(|cores| *cores > 0)
    }

    /// Pins the calling thread to its own processor, and to its own core while there are some. A single thread stays
    /// where the scheduler put it.
    pub(crate) fn pin(&self, index: usize, threads: usize) {
        let place = || self.order().and_then(|(order, _)| order.get(index).copied());
        let Some(cpu) = (if threads == 1 { Some(sched_getcpu()) } else { place() }) else { return };
        let mut one = CpuSet::new();
        one.set(cpu);
        // A thread that is not pinned has samples that are dirty, at worst.
        let _unpinned = sched_setaffinity(None, &one);
    }

    /// Lets the calling thread use all of them again.
    pub(crate) fn unpin(&self) {
        if let Some(allowed) = &self.0 {
            // A thread that stays pinned is slower at worst.
            let _still_pinned = sched_setaffinity(None, allowed);
        }
    }
}

/// The processors of the same core.
fn siblings(processor: usize) -> Option<String> {
    std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list"))
        .ok()
}
