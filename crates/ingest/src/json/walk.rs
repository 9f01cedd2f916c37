//! A walk over a complete piece of JSON that is small enough to be in memory: a line of a log, a payload. No tree, no
//! recursion: what is not asked for is skipped.

use super::number;

/// What stands here is not JSON of the expected kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bad;

/// A place in a piece of JSON.
#[derive(Clone, Debug)]
pub(crate) struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Walk<'a> {
    /// The beginning.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next byte that is not a blank.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    fn expect(&mut self, byte: u8) -> Result<(), Bad> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(Bad)
    }

    /// Into an object.
    pub(crate) fn object(&mut self) -> Result<(), Bad> {
        self.expect(b'{')
    }

    /// Into a list.
    pub(crate) fn list(&mut self) -> Result<(), Bad> {
        self.expect(b'[')
    }

    /// Inside an object: the next key as it is written; the walk then stands at its value. Nothing at the object's
    /// end, past which it then stands.
    pub(crate) fn key(&mut self) -> Result<Option<&'a [u8]>, Bad> {
        if !self.next(b'}')? {
            return Ok(None);
        }
        let key = self.text()?;
        self.expect(b':')?;
        Ok(Some(key))
    }

    /// Inside a list: whether there is another item, at which the walk then stands.
    pub(crate) fn item(&mut self) -> Result<bool, Bad> {
        self.next(b']')
    }

    fn next(&mut self, end: u8) -> Result<bool, Bad> {
        if self.peek() == Some(b',') {
            self.at += 1;
        }
        match self.peek() {
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(false)
            }
            Some(_) => Ok(true),
            None => Err(Bad),
        }
    }

    /// A text as it is written, escapes and all.
    pub(crate) fn text(&mut self) -> Result<&'a [u8], Bad> {
        self.expect(b'"')?;
        let start = self.at;
        let mut rest = self.bytes.get(start..).ok_or(Bad)?;
        loop {
            let at = memchr::memchr2(b'"', b'\\', rest).ok_or(Bad)?;
            if rest[at] == b'"' {
                let end = self.bytes.len() - rest.len() + at;
                self.at = end + 1;
                return Ok(&self.bytes[start..end]);
            }
            // The escape and what it escapes.
            rest = rest.get(at + 2..).ok_or(Bad)?;
        }
    }

    /// A text, if the value is one; else the value is skipped.
    pub(crate) fn maybe_text(&mut self) -> Result<Option<&'a [u8]>, Bad> {
        if self.peek() == Some(b'"') { self.text().map(Some) } else { self.skip().map(|()| None) }
    }

    /// A number or literal as it is written.
    pub(crate) fn word(&mut self) -> Result<&'a [u8], Bad> {
        self.peek();
        let rest = self.bytes.get(self.at..).ok_or(Bad)?;
        let is_end = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r');
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        if length == 0 {
            return Err(Bad);
        }
        self.at += length;
        Ok(&rest[..length])
    }

    /// An integer scaled by a power of ten, if the value is a number; else the value is skipped.
    pub(crate) fn scaled(&mut self, power: i32) -> Result<Option<i64>, Bad> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => Ok(number::scaled(self.word()?, power)),
            _ => self.skip().map(|()| None),
        }
    }

    /// An integer, if the value is a number.
    pub(crate) fn integer(&mut self) -> Result<Option<i64>, Bad> {
        self.scaled(0)
    }

    /// Past the value that stands here.
    pub(crate) fn skip(&mut self) -> Result<(), Bad> {
        match self.peek() {
            Some(b'"') => self.text().map(|_| ()),
            Some(b'{' | b'[') => self.skip_nested(),
            Some(_) => self.word().map(|_| ()),
            None => Err(Bad),
        }
    }

    fn skip_nested(&mut self) -> Result<(), Bad> {
        let mut depth = 0usize;
        loop {
            let rest = self.bytes.get(self.at..).ok_or(Bad)?;
            let is_mark = |byte: &u8| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']');
            self.at += rest.iter().position(is_mark).ok_or(Bad)?;
            match self.bytes[self.at] {
                b'"' => {
                    self.text()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                _ => depth -= 1,
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_not_asked_for_is_passed_over() {
        let text = br#" {"a": {"x": [1, "}\"", {}]}, "b": -2.5, "c" : "\\", "d": [], "e": null }"#;
        let mut walk = Walk::new(text);
        walk.object().unwrap();
        assert_eq!(walk.key(), Ok(Some(&b"a"[..])));
        walk.skip().unwrap();
        assert_eq!(walk.key(), Ok(Some(&b"b"[..])));
        assert_eq!(walk.scaled(3), Ok(Some(-2500)));
        assert_eq!(walk.key(), Ok(Some(&b"c"[..])));
        assert_eq!(walk.text(), Ok(&br"\\"[..]));
        assert_eq!(walk.key(), Ok(Some(&b"d"[..])));
        walk.list().unwrap();
        assert_eq!(walk.item(), Ok(false));
        assert_eq!(walk.key(), Ok(Some(&b"e"[..])));
        assert_eq!(walk.integer(), Ok(None));
        assert_eq!(walk.key(), Ok(None));
    }

    proptest! {
        /// Every cut of sound JSON is bad, and every byte of it is met without a panic.
        #[test]
        fn a_cut_is_bad(cut in 1usize..60) {
            let text = br#"{"a": {"x": [1, "}\"", {}]}, "b": -2.5, "c": "\\\"", "d": []}"#;
            let mut walk = Walk::new(&text[..cut]);
            let mut all = || -> Result<(), Bad> {
                walk.object()?;
                while walk.key()?.is_some() {
                    walk.skip()?;
                }
                Ok(())
            };
            prop_assert_eq!(all(), Err(Bad));
        }
    }
}
