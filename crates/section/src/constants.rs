//! Texts of ours that what was measured holds, when they come back from another process.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde::de::{Deserialize, Deserializer, Error};

/// A text of this program: the name of a category, a reason. An alias because `serde` takes every `&str` for
/// a part of what is read, which such a text is not.
pub type Constant = &'static str;

/// Texts that are kept, and their length. The program has a few hundred of these, none as long; other bytes than ours
/// must not fill the memory with theirs, which is never given back.
const MOST: usize = 4096;
const LONGEST: usize = 1024;

static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// The constant of this text; nothing if it cannot be one of ours.
pub fn constant(text: &str) -> Option<Constant> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(text) {
        return Some(found);
    }
    if text.len() > LONGEST || known.len() >= MOST {
        return None;
    }
    let kept: Constant = Box::leak(text.to_owned().into_boxed_str());
    known.insert(kept);
    Some(kept)
}

/// Reads a constant.
pub fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Constant, D::Error> {
    let text = String::deserialize(from)?;
    constant(&text).ok_or_else(|| D::Error::custom("a text that is none of this program"))
}

/// Reads something, or the constant that says why it is not there.
pub fn read_or_reason<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Result<T, Constant>, D::Error> {
    match Result::<T, String>::deserialize(from)? {
        Ok(value) => Ok(Ok(value)),
        Err(text) => match constant(&text) {
            Some(reason) => Ok(Err(reason)),
            None => Err(D::Error::custom("a reason that is none of this program")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_kept_once_and_only_if_it_may_be_ours() {
        let (first, second) = (constant("gemm").unwrap(), constant(&String::from("gemm")).unwrap());
        assert!(std::ptr::eq(first, second));
        assert!(constant(&"x".repeat(LONGEST + 1)).is_none());
    }
}
