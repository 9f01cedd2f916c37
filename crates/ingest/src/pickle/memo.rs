//! The memo: objects that may be used again, five bytes each.

use super::value::{Place, Value};

const OPAQUE: u8 = 0;
const TEXT: u8 = 1;
const EMPTY_LIST: u8 = 2;
const EMPTY_DICT: u8 = 3;
/// A place that was skipped.
const UNUSED: u8 = 4;
/// Kinds that the builder numbers begin here.
const BUILT: u8 = 8;

/// Objects by their index.
#[derive(Default)]
pub(super) struct Memo {
    kinds: Vec<u8>,
    numbers: Vec<u32>,
}

impl Memo {
    pub(super) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(super) fn reserve(&mut self, entries: usize) {
        self.kinds.reserve(entries);
        self.numbers.reserve(entries);
    }

    /// Stores a value at an index, which the caller keeps within bounds. The answer is the value as it knows its place.
    /// Numbers are never shared by those who write pickles, so they are not kept.
    pub(super) fn put(&mut self, index: usize, value: Value) -> Value {
        if index >= self.kinds.len() {
            self.kinds.resize(index + 1, UNUSED);
            self.numbers.resize(index + 1, 0);
        }
        (self.kinds[index], self.numbers[index]) = match value {
            Value::Text(number) => (TEXT, number),
            Value::EmptyList(_) => (EMPTY_LIST, 0),
            Value::EmptyDict(_) => (EMPTY_DICT, 0),
            Value::Built(kind, number, _) => (BUILT.saturating_add(kind), number),
            _ => (OPAQUE, 0),
        };
        value.placed(Place::at(index))
    }

    /// What stands at an index.
    pub(super) fn get(&self, index: usize) -> Option<Value> {
        let number = *self.numbers.get(index)?;
        let value = match *self.kinds.get(index)? {
            UNUSED => return None,
            TEXT => Value::Text(number),
            EMPTY_LIST => Value::EmptyList(Place::NOWHERE),
            EMPTY_DICT => Value::EmptyDict(Place::NOWHERE),
            kind if kind >= BUILT => Value::built(kind - BUILT, number),
            _ => Value::Opaque,
        };
        Some(value.placed(Place::at(index)))
    }
}
