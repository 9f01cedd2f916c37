//! Which fields of a record are wanted, and where they are.

use super::record::{DEFAULT, ROWID, length_of, varint};
use super::schema::{Column, Literal, Schema};

/// A value of a record: its serial type, and where its bytes begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) serial: u64,
    pub(super) start: usize,
    /// For a whole number, by how many bits eight bytes from there on are too long.
    pub(super) surplus: u32,
}

impl Field {
    /// Of what is no whole number of one byte or more.
    pub(super) const NO_NUMBER: u32 = 64;

    pub(super) const NULL: Self = Self { serial: 0, start: 0, surplus: Self::NO_NUMBER };

    #[inline(always)]
    fn new(serial: u64, start: usize, length: usize) -> Self {
        let is_number = matches!(serial, 1..=6);
        let surplus = if is_number { 64 - 8 * length as u32 } else { Self::NO_NUMBER };
        Self { serial, start, surplus }
    }
}

/// The wanted columns of a table.
pub(super) struct Plan<'s> {
    /// Of each column of the record up to the last wanted one: which of the wanted it is.
    slots: Vec<u32>,
    /// What is known of each wanted column before the record is looked at.
    before: Vec<Field>,
    /// The columns as declared; `None` if the table has no such column.
    pub(super) columns: Vec<Option<&'s Column>>,
    /// Headers that were met, and what they say.
    shapes: Vec<Shape>,
    /// The one of the record looked at.
    current: usize,
}

/// Headers kept by what they hash to, and one more for those that are not kept.
const SHAPES: usize = 32;

/// Headers of more bytes are read anew each time.
const WORDS: usize = 6;

/// A header: rows of a table differ in their values, and hardly in the types and sizes of these.
#[derive(Clone)]
struct Shape {
    /// The header, with zeros behind it; it says its own length.
    header: [u64; WORDS],
    fields: Vec<Field>,
    /// How many bytes of the record the fields need; 0 if there is no header here.
    needed: usize,
}

const UNWANTED: u32 = u32::MAX;

impl<'s> Plan<'s> {
    pub(super) fn new(schema: &'s Schema, wanted: &[&str]) -> Self {
        let mut plan = Self {
            slots: Vec::new(),
            before: Vec::new(),
            columns: Vec::new(),
            shapes: Vec::new(),
            current: SHAPES,
        };
        for (index, name) in wanted.iter().enumerate() {
            let place = schema.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name));
            let column = place.and_then(|place| schema.columns.get(place));
            let serial = match column {
                Some(column) if column.is_rowid => ROWID,
                Some(column) if column.default != Literal::Null => DEFAULT,
                _ => 0,
            };
            if let Some(place) = place.filter(|_| serial != ROWID) {
                if plan.slots.len() <= place {
                    plan.slots.resize(place + 1, UNWANTED);
                }
                plan.slots[place] = index as u32;
            }
            plan.before.push(Field { serial, ..Field::NULL });
            plan.columns.push(column);
        }
        let shape = Shape { header: [0; WORDS], fields: plan.before.clone(), needed: 0 };
        plan.shapes = vec![shape; SHAPES + 1];
        plan
    }

    /// A field of the record looked at.
    #[inline(always)]
    pub(super) fn field(&self, index: usize) -> Field {
        let shape = self.shapes.get(self.current);
        shape.and_then(|shape| shape.fields.get(index)).copied().unwrap_or(Field::NULL)
    }

    /// Finds the fields of a record whose header is there whole. The answer is how many bytes of it they need.
    #[inline(always)]
    pub(super) fn find(&mut self, payload: &[u8]) -> Option<usize> {
        let header = header(payload);
        let place = header.map_or(SHAPES, |header| place(&header));
        let shape = self.shapes.get_mut(place)?;
        self.current = place;
        if shape.needed > 0 && header.is_some_and(|header| is_same(&header, &shape.header)) {
            return Some(shape.needed);
        }
        shape.header = header.unwrap_or_default();
        shape.needed = 0;
        shape.needed = fields(payload, &self.slots, &self.before, &mut shape.fields)?;
        Some(shape.needed)
    }
}

/// The header that a record begins with, if it is short and bytes enough follow.
#[inline(always)]
fn header(payload: &[u8]) -> Option<[u64; WORDS]> {
    let length = usize::from(*payload.first()?);
    if length == 0 || length > 8 * WORDS || payload.len() < length.next_multiple_of(8) {
        return None;
    }
    let mut header = [0; WORDS];
    let words = payload.as_chunks::<8>().0;
    for (word, bytes) in header.iter_mut().zip(words).take(length.div_ceil(8)) {
        *word = u64::from_le_bytes(*bytes);
    }
    let surplus = length.next_multiple_of(8) - length;
    *header.get_mut((length - 1) / 8)? &= u64::MAX >> (8 * surplus);
    Some(header)
}

/// True for equal headers, in a few instructions rather than a call.
#[inline(always)]
fn is_same(one: &[u64; WORDS], other: &[u64; WORDS]) -> bool {
    (0..WORDS).fold(0, |difference, word| difference | (one[word] ^ other[word])) == 0
}

/// Where a header is kept.
#[inline(always)]
fn place(header: &[u64; WORDS]) -> usize {
    // The multiplier of Fibonacci hashing; the highest bits depend on all others.
    let mix = |hash: u64, word: &u64| (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (header.iter().fold(0, mix) >> 59) as usize
}

/// Reads a header.
#[inline(never)]
fn fields(payload: &[u8], slots: &[u32], before: &[Field], fields: &mut [Field]) -> Option<usize> {
    fields.copy_from_slice(before);
    let (header, mut at) = varint(payload, 0)?;
    // A header counts its own length, so none has none.
    let mut start = usize::try_from(header).ok().filter(|header| *header > 0)?;
    let header = payload.get(..start)?;
    let mut needed = start;
    for &slot in slots {
        // Columns that were added later are not in earlier records.
        if at >= header.len() {
            break;
        }
        let (serial, next) = varint(header, at)?;
        at = next;
        let length = length_of(serial)?;
        let end = start.checked_add(length)?;
        if slot != UNWANTED {
            if let Some(field) = fields.get_mut(slot as usize) {
                *field = Field::new(serial, start, length);
            }
            needed = end;
        }
        start = end;
    }
    Some(needed)
}
