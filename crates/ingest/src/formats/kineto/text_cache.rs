//! Short texts met lately. Categories, phases of flows and many names are a few bytes long and come again and again;
//! two words tell them apart without hashing or comparing texts.

use eaves_model::StringId;

const SLOTS: usize = 256;

#[derive(Clone, Copy)]
struct Slot {
    first: u64,
    last: u64,
    length: usize,
    id: StringId,
}

/// A direct-mapped cache from short texts to their ids.
pub(super) struct TextCache([Slot; SLOTS]);

impl Default for TextCache {
    fn default() -> Self {
        Self([Slot { first: 0, last: 0, length: usize::MAX, id: StringId::NONE }; SLOTS])
    }
}

impl TextCache {
    /// The longest text that two words tell.
    pub(super) const LONGEST: usize = 16;

    #[inline(always)]
    fn slot((first, last): (u64, u64), length: usize) -> usize {
        let mixed = (first ^ last.rotate_left(23) ^ length as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 56) as usize
    }

    /// The id of a text by its ends and length, if it was kept.
    #[inline(always)]
    pub(super) fn find(&self, ends: (u64, u64), length: usize) -> Option<StringId> {
        let slot = &self.0[Self::slot(ends, length)];
        ((slot.first, slot.last) == ends && slot.length == length).then_some(slot.id)
    }

    /// Keeps a text of at most [`Self::LONGEST`] bytes.
    pub(super) fn keep(&mut self, (first, last): (u64, u64), length: usize, id: StringId) {
        self.0[Self::slot((first, last), length)] = Slot { first, last, length, id };
    }
}
