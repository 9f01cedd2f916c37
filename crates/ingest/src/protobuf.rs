//! Protocol buffers without a schema: the fields of a message one after another, as the wire has them.
//!
//! The encoding is that of <https://protobuf.dev/programming-guides/encoding/>. Nothing is copied, lengths are checked
//! against what is there, and unknown fields cost no more than being stepped over.

/// One field of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Field<'a> {
    /// Its number.
    pub(crate) number: u32,
    /// Its value.
    pub(crate) value: Value<'a>,
}

/// A value by its type on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    /// Integers, booleans, enumerations.
    Varint(u64),
    /// `fixed64`, `sfixed64`, `double`, by their bits.
    Fixed64(u64),
    /// `fixed32`, `sfixed32`, `float`, by their bits.
    Fixed32(u32),
    /// Texts, bytes, messages, packed lists.
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The number, if it is an integer of any width.
    pub(crate) fn integer(self) -> Option<u64> {
        match self {
            Self::Varint(value) | Self::Fixed64(value) => Some(value),
            Self::Fixed32(value) => Some(u64::from(value)),
            Self::Bytes(_) => None,
        }
    }

    /// The number, if it has the width of a float.
    pub(crate) fn float(self) -> Option<f64> {
        match self {
            Self::Fixed64(bits) => Some(f64::from_bits(bits)),
            Self::Fixed32(bits) => Some(f64::from(f32::from_bits(bits))),
            Self::Varint(_) | Self::Bytes(_) => None,
        }
    }

    /// The bytes, if it has its own length.
    pub(crate) fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// A message that cannot be read any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damaged {
    /// Where in the message the field begins that cannot be read.
    pub(crate) offset: usize,
}

/// The fields of a message, up to its end or the first that cannot be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a> {
    message: &'a [u8],
    position: usize,
}

impl<'a> Fields<'a> {
    /// The fields of a message.
    pub(crate) fn new(message: &'a [u8]) -> Self {
        Self { message, position: 0 }
    }

    /// Where the next field begins.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    fn read(&mut self) -> Option<Field<'a>> {
        let key = self.varint()?;
        let number = u32::try_from(key >> 3).ok().filter(|&number| number > 0)?;
        let value = match key & 7 {
            0 => Value::Varint(self.varint()?),
            1 => Value::Fixed64(u64::from_le_bytes(*self.take(8)?.first_chunk()?)),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Fixed32(u32::from_le_bytes(*self.take(4)?.first_chunk()?)),
            // Groups went out of use before any format that is read here.
            _ => return None,
        };
        Some(Field { number, value })
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let end = self.position.checked_add(length)?;
        let bytes = self.message.get(self.position..end)?;
        self.position = end;
        Some(bytes)
    }

    fn varint(&mut self) -> Option<u64> {
        let (value, length) = varint(self.message.get(self.position..)?)?;
        self.position += length;
        Some(value)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Damaged>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.position >= self.message.len() {
            return None;
        }
        let offset = self.position;
        let field = self.read().ok_or(Damaged { offset });
        if field.is_err() {
            // Nothing behind damage can be distinguished.
            self.position = self.message.len();
        }
        Some(field)
    }
}

/// The number at the start of some bytes, seven bits a byte and the lowest first, and how many bytes it takes.
/// Nothing if it does not end within ten bytes, or is cut off.
pub(crate) fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (index, &byte) in bytes.iter().take(10).enumerate() {
        // Bits above the 64th are lost, as they are in every decoder.
        value |= u64::from(byte & 0x7F) << (7 * index);
        if byte < 0x80 {
            return Some((value, index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the encoding guide: 150 as `96 01`, field 1; `testing` as field 2; -2 as ten bytes.
    #[test]
    fn the_examples_of_the_guide() {
        let message = b"\x08\x96\x01\x12\x07testing\x1a\x03\x08\x96\x01";
        let fields: Vec<_> = Fields::new(message).map(|field| field.map(|f| (f.number, f.value))).collect();
        assert_eq!(
            fields,
            [
                Ok((1, Value::Varint(150))),
                Ok((2, Value::Bytes(b"testing"))),
                Ok((3, Value::Bytes(b"\x08\x96\x01"))),
            ]
        );
        let minus_two = b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01";
        assert_eq!(varint(minus_two), Some((-2_i64 as u64, 10)));
        assert_eq!(varint(&[0xFF; 11]), None);
    }

    #[test]
    fn floats_of_both_widths() {
        let mut message = vec![0x0D];
        message.extend(1.5_f32.to_le_bytes());
        message.push(0x11);
        message.extend((-0.25_f64).to_le_bytes());
        let values: Vec<_> = Fields::new(&message).map(|field| field.unwrap().value.float()).collect();
        assert_eq!(values, [Some(1.5), Some(-0.25)]);
    }

    #[test]
    fn a_message_cut_anywhere_gives_what_is_whole_and_says_where_it_ends() {
        let message = b"\x08\x96\x01\x12\x07testing\x1d\0\0\0\0\x21\0\0\0\0\0\0\0\0";
        let starts = [0, 3, 12, 17, 26];
        for length in 0..=message.len() {
            let fields: Vec<_> = Fields::new(&message[..length]).collect();
            let whole = starts.iter().filter(|&&start| start > 0 && start <= length).count();
            let expected = whole + usize::from(!starts.contains(&length));
            assert_eq!(fields.len(), expected, "{length}");
            if !starts.contains(&length) {
                let offset = starts[whole];
                assert_eq!(fields.last(), Some(&Err(Damaged { offset })), "{length}");
            }
        }
    }

    #[test]
    fn a_length_that_is_not_true_is_damage() {
        let message = [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0];
        assert_eq!(Fields::new(&message).next(), Some(Err(Damaged { offset: 0 })));
    }
}
