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
    /// Of what is not a whole number of one byte or more.
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

/// Headers of more bytes are read again each time.
const WORDS: usize = 6;

/// A header: rows of a table differ in their values, and hardly in the types and sizes of these.
#[derive(Clone)]
struct Shape {
    /// The words of the header, each with the bits that are the header's; it says its own length.
    header: [Word; WORDS],
    /// How many words it has; 0 if it is too long to be kept, or there is none here.
    words: usize,
    fields: Vec<Field>,
    /// How many bytes of the record the fields need.
    needed: usize,
    /// The shape that came behind it last time: a table of two kinds of rows has them by turns.
    behind: usize,
}

/// Eight bytes of a header.
#[derive(Clone, Copy, Default)]
struct Word {
    bits: u64,
    mask: u64,
}

impl Shape {
    /// True if the record begins with this header.
    #[inline(always)]
    fn is_of(&self, payload: &[u8]) -> bool {
        let words = payload.as_chunks::<8>().0;
        let (Some(words), Some(header)) = (words.get(..self.words), self.header.get(..self.words)) else {
            return false;
        };
        let is_same =
            |(word, header): (&[u8; 8], &Word)| u64::from_le_bytes(*word) & header.mask == header.bits;
        self.words > 0 && words.iter().zip(header).all(is_same)
    }
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
        let shape = Shape {
            header: [Word::default(); WORDS],
            words: 0,
            fields: plan.before.clone(),
            needed: 0,
            behind: SHAPES,
        };
        plan.shapes = vec![shape; SHAPES + 1];
        plan
    }

    /// The fields of the record looked at.
    #[inline(always)]
    pub(super) fn fields(&self) -> &[Field] {
        self.shapes.get(self.current).map_or(&[], |shape| &shape.fields)
    }

    /// Finds the fields of a record whose header is there whole. The answer is how many bytes of it they need.
    #[inline(always)]
    pub(super) fn find(&mut self, payload: &[u8]) -> Option<usize> {
        let shape = self.shapes.get(self.current)?;
        let behind = self.shapes.get(shape.behind)?;
        if behind.is_of(payload) {
            self.current = shape.behind;
            return Some(behind.needed);
        }
        self.look_up(payload)
    }

    /// The same for a header that was not expected.
    #[inline(never)]
    fn look_up(&mut self, payload: &[u8]) -> Option<usize> {
        let header = header(payload);
        let place = header.as_ref().map_or(SHAPES, |(header, words)| place(header, *words));
        if let Some(shape) = self.shapes.get_mut(self.current) {
            shape.behind = place;
        }
        self.current = place;
        let shape = self.shapes.get_mut(place)?;
        if shape.is_of(payload) {
            return Some(shape.needed);
        }
        // Without words nothing is of this shape, until it is known to be sound.
        shape.words = 0;
        shape.needed = fields(payload, &self.slots, &self.before, &mut shape.fields)?;
        if let Some((header, words)) = header {
            (shape.header, shape.words) = (header, words);
        }
        Some(shape.needed)
    }
}

/// The header that a record begins with and how many words it has, if it is short and bytes enough follow.
fn header(payload: &[u8]) -> Option<([Word; WORDS], usize)> {
    let length = usize::from(*payload.first()?);
    if length == 0 || length > 8 * WORDS {
        return None;
    }
    let words = payload.as_chunks::<8>().0.get(..length.div_ceil(8))?;
    let mut header = [Word::default(); WORDS];
    for (place, (word, bytes)) in header.iter_mut().zip(words).enumerate() {
        let surplus = (8 * place + 8).saturating_sub(length);
        let mask = u64::MAX >> (8 * surplus);
        *word = Word { bits: u64::from_le_bytes(*bytes) & mask, mask };
    }
    Some((header, words.len()))
}

/// Where a header is kept.
fn place(header: &[Word; WORDS], words: usize) -> usize {
    // The multiplier of Fibonacci hashing; the highest bits depend on all others.
    let mix = |hash: u64, word: &Word| (hash.rotate_left(23) ^ word.bits).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (header.iter().take(words).fold(0, mix) >> 59) as usize
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
