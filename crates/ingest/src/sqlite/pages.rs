//! Pages of a database by number, through a small cache that reads ahead.

use std::ops::Deref;
use std::rc::Rc;

use super::database::Storage;

/// Bytes read in one go. Leaves of a table mostly follow one another in the file, so most of them are read before
/// they are asked for.
const BLOCK: usize = 1 << 16;

/// Blocks kept. Leaves are visited once; what is met again are pages that several tables share a block with, and
/// chains of overflow pages.
const SLOTS: usize = 16;

/// The pages of a database as one scan sees them.
pub(super) struct Pages<'d> {
    storage: &'d Storage<'d>,
    block: usize,
    slots: Vec<Slot>,
}

struct Slot {
    block: u64,
    bytes: Rc<Vec<u8>>,
}

/// One page, kept alive while it is looked at.
pub(super) struct Page {
    bytes: Rc<Vec<u8>>,
    start: usize,
    end: usize,
}

impl Deref for Page {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or_default()
    }
}

impl<'d> Pages<'d> {
    pub(super) fn new(storage: &'d Storage<'d>) -> Self {
        let empty = || Slot { block: u64::MAX, bytes: Rc::default() };
        Self {
            storage,
            block: BLOCK.max(storage.header.page_size),
            slots: std::iter::repeat_with(empty).take(SLOTS).collect(),
        }
    }

    /// The whole page of a number, which counts from 1; nothing if the file has none or it cannot be read.
    pub(super) fn page(&mut self, number: u32) -> Option<Page> {
        if number == 0 || number > self.storage.pages {
            return None;
        }
        let size = self.storage.header.page_size;
        if let Some(offset) = self.storage.changed.get(&number) {
            let mut bytes = vec![0; size];
            let log = self.storage.log.as_ref()?;
            let read = log.read_at(*offset, &mut bytes).ok()?;
            return (read == size).then(|| Page { bytes: Rc::new(bytes), start: 0, end: size });
        }
        let offset = u64::from(number - 1) * size as u64;
        let block = offset / self.block as u64;
        let start = (offset % self.block as u64) as usize;
        let slot = self.slots.get_mut((block % SLOTS as u64) as usize)?;
        if slot.block != block {
            // A block that a page is still looked at in stays with that page.
            if Rc::get_mut(&mut slot.bytes).is_none() {
                slot.bytes = Rc::default();
            }
            slot.block = u64::MAX;
            let offset = block * self.block as u64;
            let rest = self.storage.file.size().saturating_sub(offset).min(self.block as u64);
            let bytes = Rc::get_mut(&mut slot.bytes)?;
            bytes.resize(rest as usize, 0);
            let read = self.storage.file.read_at(offset, bytes).ok()?;
            bytes.truncate(read);
            slot.block = block;
        }
        let end = start + size;
        (end <= slot.bytes.len()).then(|| Page { bytes: Rc::clone(&slot.bytes), start, end })
    }
}
