//! Honest timing on a machine that does other things too.
//!
//! Samples are shorter than a timeslice, so that most see no other program. Each is tagged with the processor time of its
//! threads, how often they were interrupted, what the hypervisor took and the core clock next to it; one that is
//! contaminated is dropped and counted. Kernels that will be compared are run in alternation.

mod clock;
mod protocol;
mod runner;
mod tags;
mod thread_team;

pub use clock::core_clock;
pub use protocol::{Protocol, measure};
pub(crate) use protocol::{Run, sample_all};
pub(crate) use runner::{Order, Outcome, Runner};
pub(crate) use thread_team::on_each_processor;
pub use thread_team::{cores, hand_over, processors};
