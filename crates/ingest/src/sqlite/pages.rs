//! Pages of a database by number, through a small cache, and read ahead where it is known which follow.

use std::ops::Deref;
use std::rc::Rc;

use super::database::Storage;

/// Bytes read in one go.
const BLOCK: usize = 1 << 16;

/// Blocks kept. Leaves are visited once; what is met again are pages that several tables share a block with, and
/// chains of overflow pages.
const SLOTS: usize = 16;

/// The pages of a database as one scan sees them.
pub(super) struct Pages<'d> {
    storage: &'d Storage<'d>,
    block: usize,
    slots: Vec<Slot>,
    /// Pages that were read ahead.
    ahead: Ahead,
}

#[derive(Default)]
struct Ahead {
    first: u32,
    count: u32,
    bytes: Rc<Vec<u8>>,
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
            ahead: Ahead::default(),
        }
    }

    /// As [`Self::page`], where the pages are known that are asked for next. Leaves of a table mostly follow one another
    /// in the file, with those of other tables between every few dozens: so just these are read, in one go.
    pub(super) fn page_of_run(&mut self, number: u32, next: impl Iterator<Item = u32>) -> Option<Page> {
        let size = self.storage.header.page_size;
        if self.storage.changed.contains_key(&number) {
            return self.page(number);
        }
        if number.wrapping_sub(self.ahead.first) >= self.ahead.count {
            let most = (self.block / size) as u32;
            let most = most.min(self.storage.pages.saturating_sub(number).saturating_add(1));
            let follow =
                next.zip(1..most).take_while(|(next, place)| number.checked_add(*place) == Some(*next));
            let count = follow.count() as u32 + 1;
            if count < 2 || number == 0 {
                return self.page(number);
            }
            self.ahead.count = 0;
            // What a page is still looked at in stays with that page.
            if Rc::get_mut(&mut self.ahead.bytes).is_none() {
                self.ahead.bytes = Rc::default();
            }
            let bytes = Rc::get_mut(&mut self.ahead.bytes)?;
            bytes.resize(count as usize * size, 0);
            let read = self.storage.file.read_at(u64::from(number - 1) * size as u64, bytes).ok()?;
            (self.ahead.first, self.ahead.count) = (number, (read / size) as u32);
        }
        let place = number.wrapping_sub(self.ahead.first);
        let start = place as usize * size;
        let is_read = place < self.ahead.count;
        is_read.then(|| Page { bytes: Rc::clone(&self.ahead.bytes), start, end: start + size })
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
