//! The machine: a stack, marks on it, and the memo.

use std::io::{self, Read};

use super::bytes::{Bytes, LONGEST_TEXT};
use super::memo::Memo;
use super::opcodes::{self as op, is_executable};
use super::value::{Place, Value};

/// Lists inside lists. Snapshots need six, and nothing that is read needs many more.
const DEEPEST: usize = 200;

/// Entries of stack and memo that any input may have.
const FREE: u64 = 1 << 16;

/// Makes something of what a pickle holds.
pub(crate) trait Build {
    /// A text; the answer is its number.
    fn text(&mut self, text: &[u8], offset: u64) -> u32;
    /// Adds items to a list; the answer is what the list is now.
    fn extend(&mut self, list: Value, items: &[Value], offset: u64) -> Value;
    /// Adds keys, each followed by its value, to a dictionary; the answer is what the dictionary is now.
    fn insert(&mut self, dict: Value, pairs: &[Value], offset: u64) -> Value;
    /// A tuple of two.
    fn pair(&mut self, first: Value, second: Value) -> Value;
    /// Whether a dictionary that the input ends inside of is of use without the rest.
    fn is_of_use(&self, pairs: &[Value]) -> bool;
}

/// How the input ended.
pub(crate) enum End {
    /// As it should.
    Stop,
    /// Too early.
    Cut(Option<io::Error>),
}

/// Why a pickle is not read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It would execute something: an instruction and its name.
    Executable(u64, &'static str),
    /// It is not a pickle, or one that nobody writes.
    Malformed(u64, String),
}

/// Reads a pickle.
pub(crate) struct Machine<'a, B> {
    bytes: Bytes<'a>,
    stack: Vec<Value>,
    /// Lengths of the stack.
    marks: Vec<usize>,
    memo: Memo,
    pub(crate) builder: B,
}

/// Why a step of the machine was the last.
enum Halt {
    Stop,
    /// The input ended.
    Cut,
    Refused(Refused),
}

fn malformed(offset: u64, what: impl Into<String>) -> Halt {
    Halt::Refused(Refused::Malformed(offset, what.into()))
}

impl<'a, B: Build> Machine<'a, B> {
    /// A machine for an input of which this many bytes are expected, 0 if nobody knows.
    pub(crate) fn new(reader: Box<dyn Read + Send + 'a>, builder: B, expected: u64) -> Self {
        let mut memo = Memo::default();
        // As many as usual snapshots have. What is not used is never taken from the system.
        memo.reserve(usize::try_from(expected / 50).unwrap_or(0));
        Self { bytes: Bytes::new(reader), stack: Vec::new(), marks: Vec::new(), memo, builder }
    }

    /// Bytes that were read.
    pub(crate) fn offset(&self) -> u64 {
        self.bytes.offset()
    }

    /// Entries of the stack at an offset. Each is 16 bytes, so the stack is at most twice what was read: whoever writes
    /// batches has a thousand, and whoever does not has an entry for every event, which takes more than eight bytes.
    fn limit(&self) -> u64 {
        FREE + self.bytes.offset() / 8
    }

    /// Entries of the memo at an offset: an object that is stored takes two bytes of the input at least.
    fn memo_limit(&self) -> u64 {
        FREE + self.bytes.offset() / 2
    }

    /// Reads to the end, or as far as it goes.
    pub(crate) fn run(&mut self) -> Result<End, Refused> {
        loop {
            match self.step() {
                Ok(()) => {}
                Err(Halt::Stop) => return Ok(End::Stop),
                Err(Halt::Refused(refused)) => return Err(refused),
                Err(Halt::Cut) => {
                    let failure = self.bytes.take_failure();
                    self.bytes.exhaust();
                    self.unwind();
                    return Ok(End::Cut(failure));
                }
            }
        }
    }

    #[inline]
    fn step(&mut self) -> Result<(), Halt> {
        let offset = self.bytes.offset();
        let opcode = self.bytes.byte().ok_or(Halt::Cut)?;
        match opcode {
            op::BINGET => {
                let index = self.bytes.byte().ok_or(Halt::Cut)?;
                self.recall(usize::from(index), offset)?;
            }
            op::LONG_BINGET => {
                let index = self.u32()?;
                self.recall(index as usize, offset)?;
            }
            op::MEMOIZE => self.memoize(self.memo.len() as u64, offset)?,
            op::BINPUT => {
                let index = self.bytes.byte().ok_or(Halt::Cut)?;
                self.memoize(u64::from(index), offset)?;
            }
            op::LONG_BINPUT => {
                let index = self.u32()?;
                self.memoize(u64::from(index), offset)?;
            }
            op::SHORT_BINUNICODE | op::SHORT_BINSTRING => {
                let length = self.bytes.byte().ok_or(Halt::Cut)?;
                self.text(u64::from(length), offset)?;
            }
            op::BINUNICODE | op::BINSTRING => {
                let length = self.u32()?;
                self.text(u64::from(length), offset)?;
            }
            op::BINUNICODE8 => {
                let length = self.u64()?;
                self.text(length, offset)?;
            }
            op::LONG1 => {
                let length = self.bytes.byte().ok_or(Halt::Cut)?;
                self.long(u64::from(length), offset)?;
            }
            op::LONG4 => {
                let length = self.u32()?;
                self.long(u64::from(length), offset)?;
            }
            op::BININT => {
                let bytes = self.bytes.array().ok_or(Halt::Cut)?;
                self.push(Value::Int(i64::from(i32::from_le_bytes(bytes))), offset)?;
            }
            op::BININT1 => {
                let byte = self.bytes.byte().ok_or(Halt::Cut)?;
                self.push(Value::Int(i64::from(byte)), offset)?;
            }
            op::BININT2 => {
                let bytes = self.bytes.array().ok_or(Halt::Cut)?;
                self.push(Value::Int(i64::from(u16::from_le_bytes(bytes))), offset)?;
            }
            op::BINFLOAT => {
                let bytes = self.bytes.array().ok_or(Halt::Cut)?;
                self.push(Value::Float(f64::from_be_bytes(bytes)), offset)?;
            }
            op::NONE => self.push(Value::None, offset)?,
            op::NEWTRUE => self.push(Value::Bool(true), offset)?,
            op::NEWFALSE => self.push(Value::Bool(false), offset)?,
            op::EMPTY_LIST => self.push(Value::EmptyList(Place::NOWHERE), offset)?,
            op::EMPTY_DICT => self.push(Value::EmptyDict(Place::NOWHERE), offset)?,
            op::EMPTY_TUPLE | op::EMPTY_SET => self.push(Value::Opaque, offset)?,
            op::MARK => {
                if self.marks.len() >= DEEPEST {
                    return Err(malformed(offset, format!("nested more than {DEEPEST} deep")));
                }
                self.marks.push(self.stack.len());
            }
            op::APPEND => self.change(self.stack.len().checked_sub(1), offset, false)?,
            op::SETITEM => self.change(self.stack.len().checked_sub(2), offset, true)?,
            op::APPENDS => {
                let mark = self.marks.pop();
                self.change(mark, offset, false)?;
            }
            op::SETITEMS => {
                let mark = self.marks.pop();
                self.change(mark, offset, true)?;
            }
            op::LIST | op::DICT => self.gather(opcode == op::DICT, offset)?,
            op::TUPLE1 => self.tuple(1, offset)?,
            op::TUPLE2 => self.tuple(2, offset)?,
            op::TUPLE3 => self.tuple(3, offset)?,
            op::TUPLE | op::FROZENSET => {
                let length = self.marks.pop().and_then(|mark| self.stack.len().checked_sub(mark));
                let length = length.ok_or_else(|| malformed(offset, "a tuple without a beginning"))?;
                self.tuple(length, offset)?;
            }
            op::ADDITEMS | op::POP_MARK => {
                let mark = self.marks.pop().filter(|&mark| mark <= self.stack.len());
                let mark = mark.ok_or_else(|| malformed(offset, "an end without a beginning"))?;
                self.stack.truncate(mark);
            }
            op::POP => {
                // At a mark it takes the mark.
                if self.marks.last() == Some(&self.stack.len()) {
                    self.marks.pop();
                } else {
                    self.pop(offset)?;
                }
            }
            op::DUP => {
                let value = self.pop(offset)?;
                self.push(value, offset)?;
                self.push(value, offset)?;
            }
            op::SHORT_BINBYTES => {
                let length = self.bytes.byte().ok_or(Halt::Cut)?;
                self.opaque(u64::from(length), offset)?;
            }
            op::BINBYTES => {
                let length = self.u32()?;
                self.opaque(u64::from(length), offset)?;
            }
            op::BINBYTES8 | op::BYTEARRAY8 => {
                let length = self.u64()?;
                self.opaque(length, offset)?;
            }
            op::PROTO => {
                let version = self.bytes.byte().ok_or(Halt::Cut)?;
                if version > 5 {
                    return Err(malformed(offset, format!("a pickle of unknown protocol {version}")));
                }
            }
            // Frames are there to read ahead by; what they hold is the same without them.
            op::FRAME => self.bytes.skip(8).ok_or(Halt::Cut)?,
            op::STOP => return Err(Halt::Stop),
            _ => return Err(refuse(opcode, offset)),
        }
        Ok(())
    }

    fn u32(&mut self) -> Result<u32, Halt> {
        self.bytes.array().map(u32::from_le_bytes).ok_or(Halt::Cut)
    }

    fn u64(&mut self) -> Result<u64, Halt> {
        self.bytes.array().map(u64::from_le_bytes).ok_or(Halt::Cut)
    }

    #[inline]
    fn push(&mut self, value: Value, offset: u64) -> Result<(), Halt> {
        if self.stack.len() as u64 >= FREE && self.stack.len() as u64 >= self.limit() {
            return Err(malformed(offset, "more values than any list or dictionary takes"));
        }
        self.stack.push(value);
        Ok(())
    }

    /// Takes a value, but none from before the last mark.
    fn pop(&mut self, offset: u64) -> Result<Value, Halt> {
        let floor = self.marks.last().copied().unwrap_or(0);
        let value = if self.stack.len() > floor { self.stack.pop() } else { None };
        value.ok_or_else(|| malformed(offset, "an instruction that finds no value"))
    }

    #[inline]
    fn recall(&mut self, index: usize, offset: u64) -> Result<(), Halt> {
        let value = self.memo.get(index);
        let value = value
            .ok_or_else(|| malformed(offset, format!("object {index} of the memo, which is not there")))?;
        self.push(value, offset)
    }

    fn memoize(&mut self, index: u64, offset: u64) -> Result<(), Halt> {
        if index >= FREE && index >= self.memo_limit() {
            return Err(malformed(
                offset,
                format!("object {index} of the memo, which is more than there can be"),
            ));
        }
        let top =
            self.stack.last_mut().ok_or_else(|| malformed(offset, "nothing to be stored in the memo"))?;
        *top = self.memo.put(index as usize, *top);
        Ok(())
    }

    fn text(&mut self, length: u64, offset: u64) -> Result<(), Halt> {
        let kept = length.min(LONGEST_TEXT as u64);
        let text = self.bytes.span(kept as usize).ok_or(Halt::Cut)?;
        let number = self.builder.text(text, offset);
        self.bytes.skip(length - kept).ok_or(Halt::Cut)?;
        self.push(Value::Text(number), offset)
    }

    fn opaque(&mut self, length: u64, offset: u64) -> Result<(), Halt> {
        self.bytes.skip(length).ok_or(Halt::Cut)?;
        self.push(Value::Opaque, offset)
    }

    /// An integer of any length, least byte first, in two's complement.
    fn long(&mut self, length: u64, offset: u64) -> Result<(), Halt> {
        let mut wide = [0u8; 9];
        let kept = length.min(9) as usize;
        let digits = self.bytes.span(kept).ok_or(Halt::Cut)?;
        let sign = if digits.last().is_some_and(|last| last & 0x80 != 0) { 0xFF } else { 0 };
        wide[kept..].fill(sign);
        wide[..kept].copy_from_slice(digits);
        self.bytes.skip(length - kept as u64).ok_or(Halt::Cut)?;
        let [low @ .., high] = wide;
        let value = match high {
            // More than nine bytes do not fit whatever they are: nobody writes what begins with zeros.
            _ if length > 9 => Value::Opaque,
            0 if low[7] & 0x80 != 0 => Value::Unsigned(u64::from_le_bytes(low)),
            0 => Value::Int(i64::from_le_bytes(low)),
            0xFF if low[7] & 0x80 != 0 => Value::Int(i64::from_le_bytes(low)),
            _ => Value::Opaque,
        };
        self.push(value, offset)
    }

    /// Adds everything from an index of the stack on to the list or dictionary below.
    #[inline]
    fn change(&mut self, from: Option<usize>, offset: u64, is_dict: bool) -> Result<(), Halt> {
        let floor = self.marks.last().copied().unwrap_or(0);
        let Some(from) = from.filter(|&from| floor < from && from <= self.stack.len()) else {
            return Err(malformed(offset, "items without a list or dictionary"));
        };
        let (below, items) = self.stack.split_at(from);
        let container = below[from - 1];
        let changed = if is_dict {
            if items.len() % 2 == 1 {
                return Err(malformed(offset, "a key without a value"));
            }
            self.builder.insert(container, items, offset)
        } else {
            self.builder.extend(container, items, offset)
        };
        self.settle(from, container, changed);
        Ok(())
    }

    /// Replaces a container below an index of the stack, and in the memo, by what it became.
    fn settle(&mut self, from: usize, container: Value, changed: Value) {
        let place = container.place();
        self.stack.truncate(from);
        if let Some(top) = self.stack.last_mut() {
            *top = changed.placed(place);
        }
        if let Some(index) = place.index() {
            self.memo.put(index, changed);
        }
    }

    /// A new list or dictionary of everything since the last mark.
    fn gather(&mut self, is_dict: bool, offset: u64) -> Result<(), Halt> {
        let mark = self.marks.pop().filter(|&mark| mark <= self.stack.len());
        let mark = mark.ok_or_else(|| malformed(offset, "items without a beginning"))?;
        let items = &self.stack[mark..];
        let made = match (is_dict, items.len()) {
            (true, length) if length % 2 == 1 => return Err(malformed(offset, "a key without a value")),
            (true, 0) => Value::EmptyDict(Place::NOWHERE),
            (true, _) => self.builder.insert(Value::EmptyDict(Place::NOWHERE), items, offset),
            (false, 0) => Value::EmptyList(Place::NOWHERE),
            (false, _) => self.builder.extend(Value::EmptyList(Place::NOWHERE), items, offset),
        };
        self.stack.truncate(mark);
        self.push(made, offset)
    }

    fn tuple(&mut self, length: usize, offset: u64) -> Result<(), Halt> {
        let floor = self.marks.last().copied().unwrap_or(0);
        let from = self.stack.len().checked_sub(length).filter(|&from| from >= floor);
        let from = from.ok_or_else(|| malformed(offset, "a tuple of more values than there are"))?;
        let made = match self.stack[from..] {
            [first, second] => self.builder.pair(first, second),
            _ => Value::Opaque,
        };
        self.stack.truncate(from);
        self.push(made, offset)
    }

    /// Ends every list that is open, and every dictionary that is of use without the rest.
    fn unwind(&mut self) {
        let offset = self.bytes.offset();
        while let Some(mark) = self.marks.pop() {
            let Some(from) = Some(mark).filter(|&mark| 0 < mark && mark <= self.stack.len()) else {
                continue;
            };
            let (below, items) = self.stack.split_at(from);
            let container = below[from - 1];
            let pairs = &items[..items.len() / 2 * 2];
            let is_dict = self.builder.is_of_use(pairs);
            let changed = match container {
                Value::EmptyDict(_) if is_dict => self.builder.insert(container, pairs, offset),
                Value::EmptyDict(_) => Value::Opaque,
                _ if items.is_empty() => container,
                _ if is_dict => self.builder.insert(container, pairs, offset),
                _ => self.builder.extend(container, items, offset),
            };
            self.settle(from, container, changed);
        }
    }
}

fn refuse(opcode: u8, offset: u64) -> Halt {
    match op::name(opcode) {
        Some(name) if is_executable(opcode) => Halt::Refused(Refused::Executable(offset, name)),
        Some(name) => {
            malformed(offset, format!("the instruction {name} of protocol 0, which snapshots do not have"))
        }
        None => malformed(offset, format!("the byte {opcode:#04x}, which is no instruction of a pickle")),
    }
}
