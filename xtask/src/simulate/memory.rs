//! A caching allocator in the manner of PyTorch's: blocks are kept for reuse, so `reserved` only grows.

use std::collections::BTreeMap;

/// PyTorch rounds every request up to this.
const GRAIN: u64 = 512;
const MEBIBYTE: u64 = 1 << 20;
/// Segments are multiples of this; requests up to 1 MiB share one.
const SEGMENT: u64 = 2 * MEBIBYTE;

/// A block in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    capacity: u64,
}

/// All memory of one device.
#[derive(Clone, Debug)]
pub(crate) struct Allocator {
    pub(crate) allocated: u64,
    pub(crate) reserved: u64,
    next_address: u64,
    /// Next address and end of the segment that small blocks are cut from.
    small: (u64, u64),
    /// Free blocks by capacity; the last one freed is used first.
    free: BTreeMap<u64, Vec<u64>>,
}

impl Allocator {
    pub(crate) fn new(first_address: u64) -> Self {
        Self { allocated: 0, reserved: 0, next_address: first_address, small: (0, 0), free: BTreeMap::new() }
    }

    pub(crate) fn allocate(&mut self, bytes: u64) -> Block {
        let bytes = bytes.max(1).next_multiple_of(GRAIN);
        self.allocated += bytes;
        // A block that is a little too large is better than a new segment.
        let fitting = self.free.range_mut(bytes..=bytes + bytes / 4).find(|(_, blocks)| !blocks.is_empty());
        if let Some((&capacity, blocks)) = fitting
            && let Some(address) = blocks.pop()
        {
            return Block { address, bytes, capacity };
        }
        let address = if bytes <= MEBIBYTE { self.cut_small(bytes) } else { self.reserve(bytes) };
        Block { address, bytes, capacity: bytes }
    }

    pub(crate) fn free(&mut self, block: Block) {
        self.allocated -= block.bytes;
        self.free.entry(block.capacity).or_default().push(block.address);
    }

    fn cut_small(&mut self, bytes: u64) -> u64 {
        if self.small.0 + bytes > self.small.1 {
            let address = self.reserve(SEGMENT);
            self.small = (address, address + SEGMENT);
        }
        let address = self.small.0;
        self.small.0 += bytes;
        address
    }

    fn reserve(&mut self, bytes: u64) -> u64 {
        let bytes = bytes.next_multiple_of(SEGMENT);
        let address = self.next_address;
        self.next_address += bytes;
        self.reserved += bytes;
        address
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_blocks_are_used_again() {
        let mut allocator = Allocator::new(1 << 40);
        let first = allocator.allocate(3 * MEBIBYTE);
        let second = allocator.allocate(100);
        assert_eq!((first.bytes, second.bytes), (3 * MEBIBYTE, GRAIN));
        assert_eq!((allocator.allocated, allocator.reserved), (first.bytes + second.bytes, 3 * SEGMENT));
        allocator.free(first);
        let again = allocator.allocate(3 * MEBIBYTE - GRAIN);
        assert_eq!(again.address, first.address);
        assert_eq!((allocator.allocated, allocator.reserved), (again.bytes + second.bytes, 3 * SEGMENT));
        allocator.free(again);
        allocator.free(second);
        assert_eq!(allocator.allocated, 0);
    }
}
