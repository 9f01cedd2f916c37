//! A simulated training job, recorded as PyTorch's profiler would.
//!
//! Two ranks train a small transformer on simulated devices. Host and device have clocks of their own: an operator
//! takes time on its thread, a kernel starts when its launch has arrived and its stream is free, a collective ends
//! when the last rank has joined it, memory is given out and taken back. So the numbers of a trace fit each
//! other, as they do in a recording of a real job. Nothing depends on a clock or on the machine.

pub(crate) mod document;
pub(crate) mod faults;
pub(crate) mod habits;
pub(crate) mod job;
pub(crate) mod kineto;
pub(crate) mod loading;
pub(crate) mod random;
pub(crate) mod recorder;
pub(crate) mod tensor;
pub(crate) mod training;

mod backward;
mod communication;
mod device;
mod eager;
mod events;
mod forward;
mod kernels;
mod memory;
mod occupancy;
mod optimizer;
mod pace;
mod tape;
#[cfg(test)]
mod tests;
