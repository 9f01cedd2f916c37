//! The keys of a snapshot's dictionaries.

use eaves_model::{Diagnostics, MaybeI64, StringId, Strings, WarningKind};

use crate::pickle::Value;

macro_rules! keys {
    ($($name:ident,)*) => {
        /// A key, by its number among the texts of the snapshot.
        #[expect(non_camel_case_types, reason = "as written")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub(super) enum Key { $($name,)* }

        const NAMES: &[&str] = &[$(stringify!($name),)*];
    };
}

keys! {
    action,
    addr,
    address,
    allocator_settings,
    blocks,
    category,
    device,
    device_free,
    device_traces,
    filename,
    frames,
    host_segments,
    host_traces,
    is_expandable,
    line,
    name,
    requested_size,
    segment_pool_id,
    segment_type,
    segments,
    size,
    stage,
    state,
    stream,
    time_us,
    total_size,
}

/// Number of keys.
const COUNT: usize = NAMES.len();

/// Makes the keys the first texts.
pub(super) fn intern(strings: &mut Strings) {
    for name in NAMES {
        strings.intern(name);
    }
}

/// The values of one dictionary by key.
pub(super) struct Fields {
    values: [Option<Value>; COUNT],
    pub(super) offset: u64,
}

impl Fields {
    /// The known keys among pairs.
    pub(super) fn of(pairs: &[Value], offset: u64) -> Self {
        let mut values = [None; COUNT];
        for pair in pairs.chunks_exact(2) {
            if let [Value::Text(key), value] = *pair
                && let Some(slot) = values.get_mut(key as usize)
            {
                *slot = Some(value);
            }
        }
        Self { values, offset }
    }

    /// A value.
    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<Value> {
        self.values[key as usize]
    }

    /// True if the key is there.
    #[inline]
    pub(super) fn has(&self, key: Key) -> bool {
        self.get(key).is_some()
    }

    /// An integer; what does not fit is noted and skipped.
    pub(super) fn integer(&self, key: Key, diagnostics: &mut Diagnostics) -> Option<i64> {
        match self.get(key)? {
            Value::Int(value) => Some(value),
            Value::Bool(value) => Some(i64::from(value)),
            Value::None => None,
            _ => {
                diagnostics.note(WarningKind::BadValue, Some(self.offset));
                None
            }
        }
    }

    /// A size in bytes, which is never negative.
    pub(super) fn size(&self, key: Key, diagnostics: &mut Diagnostics) -> Option<i64> {
        let value = self.integer(key, diagnostics)?;
        if value < 0 {
            diagnostics.note(WarningKind::BadValue, Some(self.offset));
        }
        (value >= 0).then_some(value)
    }

    /// The bits of an address. Some devices have addresses from 2^63 on.
    pub(super) fn address(&self, key: Key, diagnostics: &mut Diagnostics) -> Option<i64> {
        match self.get(key)? {
            Value::Unsigned(value) => Some(value as i64),
            _ => self.integer(key, diagnostics),
        }
    }

    /// A number that may be missing, such as that of a stream, which is a pointer on some devices.
    pub(super) fn number(&self, key: Key, diagnostics: &mut Diagnostics) -> MaybeI64 {
        self.address(key, diagnostics).into()
    }

    /// A text.
    pub(super) fn text(&self, key: Key) -> StringId {
        match self.get(key) {
            Some(Value::Text(number)) => StringId(number),
            _ => StringId::NONE,
        }
    }
}
