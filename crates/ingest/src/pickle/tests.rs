//! The machine against what CPython writes, and against what nobody should write.

use super::machine::{Build, End, Machine, Refused};
use super::opcodes as op;
use super::value::Value;

/// Writes everything down as Python would print it.
#[derive(Default)]
struct Printed {
    texts: Vec<String>,
    made: Vec<String>,
}

impl Printed {
    fn show(&self, value: Value) -> String {
        match value {
            Value::None => "None".to_owned(),
            Value::Bool(value) => if value { "True" } else { "False" }.to_owned(),
            Value::Int(value) => value.to_string(),
            Value::Unsigned(value) => value.to_string(),
            Value::Float(value) => value.to_string(),
            Value::Text(number) => format!("'{}'", self.texts[number as usize]),
            Value::EmptyList(_) => "[]".to_owned(),
            Value::EmptyDict(_) => "{}".to_owned(),
            Value::Built(_, number, _) => self.made[number as usize].clone(),
            Value::Opaque => "?".to_owned(),
        }
    }

    /// What was inside the brackets of something, and a comma.
    fn inside(&self, value: Value) -> String {
        match value {
            Value::Built(..) => {
                let shown = self.show(value);
                format!("{}, ", &shown[1..shown.len() - 1])
            }
            _ => String::new(),
        }
    }

    fn make(&mut self, shown: String) -> Value {
        self.made.push(shown);
        Value::built(0, self.made.len() as u32 - 1)
    }
}

impl Build for Printed {
    fn text(&mut self, text: &[u8], _: u64) -> u32 {
        self.texts.push(String::from_utf8_lossy(text).into_owned());
        self.texts.len() as u32 - 1
    }

    fn extend(&mut self, list: Value, items: &[Value], _: u64) -> Value {
        let items: Vec<String> = items.iter().map(|&item| self.show(item)).collect();
        let shown = format!("[{}{}]", self.inside(list), items.join(", "));
        self.make(shown)
    }

    fn insert(&mut self, dict: Value, pairs: &[Value], _: u64) -> Value {
        let pairs: Vec<String> =
            pairs.chunks(2).map(|pair| format!("{}: {}", self.show(pair[0]), self.show(pair[1]))).collect();
        let shown = format!("{{{}{}}}", self.inside(dict), pairs.join(", "));
        self.make(shown)
    }

    fn pair(&mut self, first: Value, second: Value) -> Value {
        let shown = format!("({}, {})", self.show(first), self.show(second));
        self.make(shown)
    }

    fn is_of_use(&self, pairs: &[Value]) -> bool {
        !pairs.is_empty()
    }
}

/// What a pickle comes to, and whether it ended as it should.
fn read(bytes: &[u8]) -> Result<(String, bool), Refused> {
    let mut machine = Machine::new(Box::new(bytes), Printed::default(), bytes.len() as u64);
    let end = machine.run()?;
    let last = machine.builder.made.last().cloned().unwrap_or_default();
    Ok((last, matches!(end, End::Stop)))
}

/// `{"a": [1, -2, 300, 70000, 2**40, 2**63, -2**63, 2**64, -1.5, None, True, False, "é", (0, 1)], "b": {}}`, written by
/// CPython 3.11 in every protocol.
const SAMPLES: [&[u8]; 4] = [
    b"\x80\x02}q\x00(X\x01\x00\x00\x00aq\x01]q\x02(K\x01J\xfe\xff\xff\xffM,\x01Jp\x11\x01\x00\x8a\x06\x00\x00\x00\x00\x00\x01\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01G\xbf\xf8\x00\x00\x00\x00\x00\x00N\x88\x89X\x02\x00\x00\x00\xc3\xa9q\x03K\x00K\x01\x86q\x04eX\x01\x00\x00\x00bq\x05}q\x06u.",
    b"\x80\x03}q\x00(X\x01\x00\x00\x00aq\x01]q\x02(K\x01J\xfe\xff\xff\xffM,\x01Jp\x11\x01\x00\x8a\x06\x00\x00\x00\x00\x00\x01\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01G\xbf\xf8\x00\x00\x00\x00\x00\x00N\x88\x89X\x02\x00\x00\x00\xc3\xa9q\x03K\x00K\x01\x86q\x04eX\x01\x00\x00\x00bq\x05}q\x06u.",
    b"\x80\x04\x95a\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01a\x94]\x94(K\x01J\xfe\xff\xff\xffM,\x01Jp\x11\x01\x00\x8a\x06\x00\x00\x00\x00\x00\x01\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01G\xbf\xf8\x00\x00\x00\x00\x00\x00N\x88\x89\x8c\x02\xc3\xa9\x94K\x00K\x01\x86\x94e\x8c\x01b\x94}\x94u.",
    b"\x80\x05\x95a\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01a\x94]\x94(K\x01J\xfe\xff\xff\xffM,\x01Jp\x11\x01\x00\x8a\x06\x00\x00\x00\x00\x00\x01\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01G\xbf\xf8\x00\x00\x00\x00\x00\x00N\x88\x89\x8c\x02\xc3\xa9\x94K\x00K\x01\x86\x94e\x8c\x01b\x94}\x94u.",
];

#[test]
fn every_protocol_of_cpython_is_read() {
    let expected = "{'a': [1, -2, 300, 70000, 1099511627776, 9223372036854775808, -9223372036854775808, ?, -1.5, None, \
                    True, False, 'é', (0, 1)], 'b': {}}";
    for sample in SAMPLES {
        assert_eq!(read(sample).unwrap(), (expected.to_owned(), true));
    }
}

/// Whatever the input is cut behind, there is an answer, and what was complete is in it.
#[test]
fn what_was_read_before_a_cut_is_kept() {
    for sample in SAMPLES {
        for end in 0..sample.len() {
            let (_, stopped) = read(&sample[..end]).unwrap();
            assert!(!stopped, "{end}");
        }
        let (shown, _) = read(&sample[..sample.len() - 1]).unwrap();
        assert!(shown.ends_with("'b': {}}"), "{shown}");
    }
}

/// Each instruction that would call or load something is named with its offset, wherever it stands.
#[test]
fn what_executes_is_refused() {
    let executable = [
        (op::PERSID, "PERSID"),
        (op::BINPERSID, "BINPERSID"),
        (op::REDUCE, "REDUCE"),
        (op::BUILD, "BUILD"),
        (op::GLOBAL, "GLOBAL"),
        (op::INST, "INST"),
        (op::OBJ, "OBJ"),
        (op::NEWOBJ, "NEWOBJ"),
        (op::EXT1, "EXT1"),
        (op::EXT2, "EXT2"),
        (op::EXT4, "EXT4"),
        (op::NEWOBJ_EX, "NEWOBJ_EX"),
        (op::STACK_GLOBAL, "STACK_GLOBAL"),
        (op::NEXT_BUFFER, "NEXT_BUFFER"),
        (op::READONLY_BUFFER, "READONLY_BUFFER"),
    ];
    for (byte, name) in executable {
        let bytes =
            [&[op::PROTO, 4, op::EMPTY_LIST, op::MARK, op::NONE][..], &[byte], b"os\nsystem\n."].concat();
        assert_eq!(read(&bytes), Err(Refused::Executable(5, name)));
    }
    // `pickle.dumps(os.system)` and a class that calls it when it is loaded.
    assert_eq!(read(b"\x80\x02cposix\nsystem\nq\x00."), Err(Refused::Executable(2, "GLOBAL")));
    let payload = b"\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02id\x94\x85\x94R\x94.";
    assert_eq!(read(payload), Err(Refused::Executable(28, "STACK_GLOBAL")));
}

/// Every byte that is not an instruction of a plain value is refused, and nothing else is.
#[test]
fn all_other_bytes_are_known() {
    for byte in 0..=255 {
        let bytes = [&[op::PROTO, 4][..], &[byte]].concat();
        let is_refused = matches!(read(&bytes), Err(Refused::Executable(..)));
        assert_eq!(is_refused, op::is_executable(byte), "{byte:#x}");
        if op::name(byte).is_none() {
            assert!(matches!(read(&bytes), Err(Refused::Malformed(2, _))), "{byte:#x}");
        }
    }
}

fn is_malformed(bytes: &[u8]) -> bool {
    matches!(read(bytes), Err(Refused::Malformed(..)))
}

#[test]
fn what_is_said_to_be_long_takes_no_memory() {
    let huge = u64::MAX.to_le_bytes();
    for opcode in [op::BINUNICODE8, op::BINBYTES8, op::BYTEARRAY8] {
        let bytes = [&[op::PROTO, 4, opcode][..], &huge, b"abc"].concat();
        assert_eq!(read(&bytes).unwrap(), (String::new(), false));
    }
    for opcode in [op::BINUNICODE, op::BINBYTES, op::LONG4] {
        let bytes = [&[op::PROTO, 4, opcode][..], &[0xFF; 4], b"abc"].concat();
        assert_eq!(read(&bytes).unwrap(), (String::new(), false));
    }
    let frame = [&[op::PROTO, 4, op::FRAME][..], &huge, b"]."].concat();
    assert!(read(&frame).unwrap().1);
}

#[test]
fn bombs_are_refused() {
    // A place far behind the end of the memo.
    assert!(is_malformed(&[&[op::EMPTY_LIST, op::LONG_BINPUT][..], &[0xFF; 4]].concat()));
    // An object that was never stored.
    assert!(is_malformed(&[op::BINGET, 3]));
    // One value, over and over, never used; or stored over and over.
    assert!(is_malformed(&vec![op::NONE; 1 << 20]));
    assert!(is_malformed(&[&[op::NONE][..], &vec![op::DUP; 1 << 20]].concat()));
    assert!(is_malformed(&[&[op::NONE][..], &vec![op::MEMOIZE; 1 << 20]].concat()));
    // Lists inside lists.
    assert!(is_malformed(&[op::EMPTY_LIST, op::MARK].repeat(1 << 16)));
    // Ends without beginnings.
    for opcode in
        [op::APPEND, op::APPENDS, op::SETITEM, op::SETITEMS, op::TUPLE, op::TUPLE3, op::POP, op::LIST]
    {
        assert!(is_malformed(&[opcode]), "{opcode:#x}");
    }
    assert!(is_malformed(&[op::EMPTY_DICT, op::MARK, op::NONE, op::SETITEMS]));
}

/// A list that holds itself: by then it was empty.
#[test]
fn what_holds_itself_ends() {
    assert_eq!(read(b"\x80\x04]\x94(h\x00h\x00e.").unwrap(), ("[[], []]".to_owned(), true));
    // `a = []; a.append([a])`, and the billion laughs: each list holds the one before twice.
    let mut bytes = b"\x80\x04]\x94".to_vec();
    for level in 0..20u8 {
        bytes.extend([
            op::EMPTY_LIST,
            op::MEMOIZE,
            op::MARK,
            op::BINGET,
            level,
            op::BINGET,
            level,
            op::APPENDS,
        ]);
    }
    // Nothing is made of it but what the builder makes: here all that was written, which is why there are only twenty.
    bytes.push(op::STOP);
    assert!(read(&bytes).unwrap().1);
}

/// Memo and stack know a list by one name: what it becomes, it is in both.
#[test]
fn what_is_stored_grows_with_what_it_is() {
    // x = ["a"]; [x, x]
    let bytes = b"\x80\x04](]\x94\x8c\x01a\x94ah\x00e.";
    assert_eq!(read(bytes).unwrap().0, "[['a'], ['a']]");
    // Two batches.
    let bytes = b"\x80\x02](]q\x00(K\x01K\x02e(K\x03eh\x00e.";
    assert_eq!(read(bytes).unwrap().0, "[[1, 2, 3], [1, 2, 3]]");
}

#[test]
fn integers_of_any_length_are_read() {
    let read = |digits: &[u8]| {
        let bytes = [b"](\x8a", &[digits.len() as u8][..], digits, b"e."].concat();
        read(&bytes).unwrap().0
    };
    assert_eq!(read(&[]), "[0]");
    assert_eq!(read(&[0xFF]), "[-1]");
    assert_eq!(read(&[0xFF, 0]), "[255]");
    assert_eq!(read(&[0, 0, 0, 0, 0, 0, 0, 0x80]), "[-9223372036854775808]");
    assert_eq!(read(&[0, 0, 0, 0, 0, 0, 0, 0x80, 0]), "[9223372036854775808]");
    assert_eq!(read(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0]), "[18446744073709551615]");
    assert_eq!(read(&[0, 0, 0, 0, 0, 0, 0, 0, 1]), "[?]");
    assert_eq!(read(&[1; 255]), "[?]");
}
