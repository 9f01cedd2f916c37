//! Logs of `torch.compile`: graph breaks, recompilations, where the time of compiling goes, and how much was fused.
//!
//! What PyTorch says is quoted as its words, in separate columns and tables; advice of ours is next to it and never
//! mixed with it.

mod advice;
mod breaks;
mod caches;
mod cause;
mod compare;
mod fusion;
mod names;
mod ranks;
mod recompiles;
mod stacks;
mod steps;
mod times;

use eaves_model::compile::CompileLog;
use eaves_section::Outcome;

pub use self::cause::Cause;
pub use self::compare::compare;
pub use self::times::{Phases, phases};

/// The ids of all sections, in order. The last is there if there are several logs.
pub const SECTIONS: [&str; 6] =
    ["graph-breaks", "recompiles", "compile-time", "fusion", "compile-stacks", "compile-ranks"];

/// Everything that logs of one run show, one log a rank. The sections are in the order people want to read them.
pub fn sections(logs: &[CompileLog]) -> Vec<Outcome> {
    let mut outcomes = vec![
        breaks::section(logs),
        recompiles::section(logs),
        times::section(logs),
        fusion::section(logs),
        stacks::section(logs),
    ];
    if logs.len() > 1 {
        outcomes.push(ranks::section(logs));
    }
    outcomes
}
