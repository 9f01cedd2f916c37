//! Pickles, read and never executed.
//!
//! A pickle is a program for a small machine with a stack. Most of its instructions make plain values: numbers, texts,
//! lists, dictionaries. A few call functions of Python, which is how a pickle can do anything to whoever loads it; these
//! are refused, each by its name. Objects that are used twice stand in a list, the memo.
//!
//! No tree of the file is built. A [`Build`]er is told what is added to a list or dictionary and says what becomes of it in
//! one word, a [`Value`], which is all that the stack and the memo hold. So a structure that holds itself is no danger: what
//! is taken from the memo is what it was by then.
//!
//! Protocols 2 to 5, as in `Lib/pickletools.py` of CPython. Memory is bounded by the size of the input: see
//! [`Machine::limit`].

mod bytes;
mod machine;
mod memo;
mod opcodes;
#[cfg(test)]
pub(crate) mod tests;
mod value;

pub(crate) use machine::{Build, End, Machine, Refused};
pub(crate) use value::Value;

/// True for the first bytes of a pickle of protocol 2 or later.
pub(crate) fn is_it(first: &[u8]) -> bool {
    matches!(first, [opcodes::PROTO, 2..=5, ..])
}
