//! What is asked of the operating system: one module for each, with the same functions. What a system does not say is `None`.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(any(target_os = "linux", test))]
mod topology;

#[cfg(target_os = "linux")]
use linux as here;
#[cfg(not(target_os = "linux"))]
use other as here;

pub(crate) use here::{
    Places, ask_for_huge_pages, available_memory, huge_bytes, process_time, steal, thread_cpu_ns,
    thread_switches,
};

/// What all threads of this program had so far, those of drivers included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessTime {
    /// Nanoseconds of processor time.
    pub(crate) cpu_ns: u64,
    /// Times that a thread was interrupted for another.
    pub(crate) switches: u64,
}
