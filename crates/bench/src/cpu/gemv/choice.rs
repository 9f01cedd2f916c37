//! Which inner loop runs: chosen once.

use super::activations::{Arrangement, Given, Prepared, Vector};
use super::portable;
use super::rows::Rows;
use crate::cpu::InstructionSet;
use crate::formats::Format;

/// An inner loop.
///
/// # Safety
/// There must be a row for each result, activations prepared for their length in the arrangement of the choice, and the
/// instructions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Code {
    Single(unsafe fn(&Rows<'_>, &Prepared, &mut [f32])),
    Double(unsafe fn(&Rows<'_>, &Prepared, &mut [f64])),
}

/// An inner loop and how it wants activations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) instructions: InstructionSet,
    pub(super) code: Code,
    pub(super) arrangement: Arrangement,
    /// What integer weights are stored too large by.
    pub(super) offset: i32,
    /// How it works.
    pub(super) how: &'static str,
}

impl Choice {
    /// The best for a format with at most these instructions; `None` if activations are not to be multiplied with it.
    pub(super) fn of(format: Format, given: Given, instructions: InstructionSet) -> Option<Self> {
        if (format == Format::Fp64) != (given == Given::Fp64) {
            return None;
        }
        #[cfg(target_arch = "x86_64")]
        if instructions >= InstructionSet::Avx2 {
            return super::avx2::choice(format, given == Given::Quantised);
        }
        let _no_code_of_their_own = instructions;
        portable::choice(format, given == Given::Quantised)
    }

    /// `avx2 4 rows even/odd`.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.instructions, self.how)
    }

    /// Prepares activations with the same instructions.
    pub(super) fn prepare(&self, prepared: &mut Prepared, vector: &Vector) {
        #[cfg(target_arch = "x86_64")]
        if self.instructions >= InstructionSet::Avx2 {
            return super::avx2::prepare(prepared, vector);
        }
        prepared.prepare(vector);
    }
}
