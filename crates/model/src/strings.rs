//! Interned strings: each distinct text is stored once and known by a four byte id.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::StringId;

/// The distinct strings of one trace, in the order they were first met.
#[derive(Clone, Debug, Default)]
pub struct Strings {
    pool: String,
    ends: Vec<usize>,
    table: HashTable<u32>,
    hasher: FixedState,
}

fn hash(hasher: &FixedState, text: &[u8]) -> u64 {
    let mut state = hasher.build_hasher();
    state.write(text);
    state.finish()
}

fn slice<'a>(pool: &'a str, ends: &[usize], id: u32) -> &'a str {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &pool[start..ends[id]]
}

impl Strings {
    /// The id of a text that is known to be valid, which is stored if it is new.
    #[inline]
    pub fn intern(&mut self, text: &str) -> StringId {
        let hash = hash(&self.hasher, text.as_bytes());
        match self.lookup(text.as_bytes(), hash) {
            Some(id) => id,
            None => self.insert(text, hash),
        }
    }

    /// The id of raw bytes that came from a file. The flag is false if they were not UTF-8, in which case
    /// every invalid sequence was replaced by U+FFFD. Bytes met before are not checked again.
    #[inline]
    pub fn intern_bytes(&mut self, bytes: &[u8]) -> (StringId, bool) {
        let hash = hash(&self.hasher, bytes);
        match self.lookup(bytes, hash) {
            Some(id) => (id, true),
            None => self.insert_bytes(bytes, hash),
        }
    }

    #[inline]
    fn lookup(&self, bytes: &[u8], hash: u64) -> Option<StringId> {
        let (pool, ends) = (self.pool.as_bytes(), &self.ends);
        let equal = |&id: &u32| {
            let id = id as usize;
            let start = if id == 0 { 0 } else { ends[id - 1] };
            &pool[start..ends[id]] == bytes
        };
        self.table.find(hash, equal).map(|&id| StringId(id))
    }

    #[cold]
    fn insert_bytes(&mut self, bytes: &[u8], hash: u64) -> (StringId, bool) {
        match std::str::from_utf8(bytes) {
            Ok(text) => (self.insert(text, hash), true),
            Err(_) => (self.intern(&String::from_utf8_lossy(bytes)), false),
        }
    }

    #[cold]
    fn insert(&mut self, text: &str, hash_of_text: u64) -> StringId {
        let id = StringId::from(self.ends.len());
        self.pool.push_str(text);
        self.ends.push(self.pool.len());
        let (pool, ends, hasher) = (&self.pool, &self.ends, &self.hasher);
        self.table.insert_unique(hash_of_text, id.0, |&id| hash(hasher, slice(pool, ends, id).as_bytes()));
        id
    }

    /// The text of an id; empty for [`StringId::NONE`].
    #[inline]
    pub fn get(&self, id: StringId) -> &str {
        if id.index() < self.ends.len() { slice(&self.pool, &self.ends, id.0) } else { "" }
    }

    /// The id of a text if it occurs in this trace.
    pub fn find(&self, text: &str) -> Option<StringId> {
        self.lookup(text.as_bytes(), hash(&self.hasher, text.as_bytes()))
    }

    /// Number of distinct strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if nothing was interned.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All strings in id order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len()).map(|id| slice(&self.pool, &self.ends, id as u32))
    }

    /// All strings one after the other in id order, and where each of them ends, for those who take them whole.
    pub fn joined(&self) -> (&str, &[usize]) {
        (&self.pool, &self.ends)
    }

    /// Takes in the strings of another table; the answer is the new id of each.
    pub fn absorb(&mut self, other: &Strings) -> Vec<StringId> {
        other.iter().map(|text| self.intern(text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_an_id() {
        let mut strings = Strings::default();
        let first = strings.intern("aten::mm");
        assert_eq!(strings.intern_bytes(b"aten::mm"), (first, true));
        let other = strings.intern("");
        assert_ne!(first, other);
        assert_eq!((strings.get(first), strings.get(other), strings.len()), ("aten::mm", "", 2));
        assert_eq!(strings.find("aten::mm"), Some(first));
        assert_eq!(strings.find("absent"), None);
        assert_eq!(strings.get(StringId::NONE), "");
        assert_eq!(strings.joined(), ("aten::mm", &[8, 8][..]));
    }

    #[test]
    fn invalid_utf8_is_replaced_and_said() {
        let mut strings = Strings::default();
        let (id, valid) = strings.intern_bytes(b"a\xffb");
        assert!(!valid);
        assert_eq!(strings.get(id), "a\u{fffd}b");
        assert_eq!(strings.intern_bytes(b"a\xffb"), (id, false));
    }
}
