//! The instructions, by the names that `pickletools` gives them.

macro_rules! opcodes {
    ($($name:ident = $byte:literal,)*) => {
        $(pub(super) const $name: u8 = $byte;)*

        /// The name of an instruction, if there is one.
        pub(super) fn name(byte: u8) -> Option<&'static str> {
            match byte {
                $($name => Some(stringify!($name)),)*
                _ => None,
            }
        }
    };
}

opcodes! {
    MARK = b'(',
    STOP = b'.',
    POP = b'0',
    POP_MARK = b'1',
    DUP = b'2',
    FLOAT = b'F',
    INT = b'I',
    BININT = b'J',
    BININT1 = b'K',
    LONG = b'L',
    BININT2 = b'M',
    NONE = b'N',
    PERSID = b'P',
    BINPERSID = b'Q',
    REDUCE = b'R',
    STRING = b'S',
    BINSTRING = b'T',
    SHORT_BINSTRING = b'U',
    UNICODE = b'V',
    BINUNICODE = b'X',
    EMPTY_LIST = b']',
    APPEND = b'a',
    BUILD = b'b',
    GLOBAL = b'c',
    DICT = b'd',
    APPENDS = b'e',
    GET = b'g',
    BINGET = b'h',
    INST = b'i',
    LONG_BINGET = b'j',
    LIST = b'l',
    OBJ = b'o',
    PUT = b'p',
    BINPUT = b'q',
    LONG_BINPUT = b'r',
    SETITEM = b's',
    TUPLE = b't',
    SETITEMS = b'u',
    EMPTY_DICT = b'}',
    EMPTY_TUPLE = b')',
    BINFLOAT = b'G',
    BINBYTES = b'B',
    SHORT_BINBYTES = b'C',
    PROTO = 0x80,
    NEWOBJ = 0x81,
    EXT1 = 0x82,
    EXT2 = 0x83,
    EXT4 = 0x84,
    TUPLE1 = 0x85,
    TUPLE2 = 0x86,
    TUPLE3 = 0x87,
    NEWTRUE = 0x88,
    NEWFALSE = 0x89,
    LONG1 = 0x8A,
    LONG4 = 0x8B,
    SHORT_BINUNICODE = 0x8C,
    BINUNICODE8 = 0x8D,
    BINBYTES8 = 0x8E,
    EMPTY_SET = 0x8F,
    ADDITEMS = 0x90,
    FROZENSET = 0x91,
    NEWOBJ_EX = 0x92,
    STACK_GLOBAL = 0x93,
    MEMOIZE = 0x94,
    FRAME = 0x95,
    BYTEARRAY8 = 0x96,
    NEXT_BUFFER = 0x97,
    READONLY_BUFFER = 0x98,
}

/// True for what would call a function or load one, or asks whoever loads the pickle for an object.
pub(super) fn is_executable(byte: u8) -> bool {
    matches!(
        byte,
        PERSID
            | BINPERSID
            | REDUCE
            | BUILD
            | GLOBAL
            | INST
            | OBJ
            | NEWOBJ
            | EXT1
            | EXT2
            | EXT4
            | NEWOBJ_EX
            | STACK_GLOBAL
            | NEXT_BUFFER
            | READONLY_BUFFER
    )
}
