//! The arguments that are decoded. Everything else in `args` is left in the file, to be looked up by position.

use eaves_model::{Extent, Ident, StringId};

use crate::json::padded::Padded;

/// How a value is decoded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    /// An integer, also one in quotes.
    Integer,
    /// A float.
    Float,
    /// A text, interned.
    Text,
    /// Any value as its JSON text, interned. A text stands for itself, so JSON in quotes is JSON too.
    Json,
    /// A process or thread: a number, a text, or `false` for none.
    Ident,
    /// Three extents `[x, y, z]`, or a text.
    Extent,
}

macro_rules! arguments {
    ($($(#[$doc:meta])* $key:literal => $name:ident: $type:ident,)*) => {
        /// A known argument.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Argument { $($(#[$doc])* $name,)* }

        /// Keys and types, in the order of [`Argument`].
        const KNOWN: &[(&str, Argument, Type)] = &[$(($key, Argument::$name, Type::$type),)*];
    };
}

arguments! {
    // tidy-alphabetical-start
    "Addr" => Address: Integer,
    "Bytes" => AllocatedBytes: Integer,
    "Call stack" => CallStack: Text,
    "CallFrom" => CalledFrom: Text,
    "Collective name" => CollectiveName: Text,
    "Concrete Inputs" => ConcreteInputs: Json,
    "Device Id" => DeviceId: Integer,
    "Device Type" => DeviceType: Integer,
    "Ev Idx" => EventIndex: Integer,
    "External id" => ExternalId: Integer,
    "Fwd thread id" => ForwardThread: Integer,
    "Global rank start" => GlobalRankStart: Integer,
    "Global rank stride" => GlobalRankStride: Integer,
    "Group size" => GroupSize: Integer,
    "In msg nelems" => InElements: Integer,
    "In split size" => InSplits: Text,
    "Input Dims" => InputDims: Json,
    "Input Strides" => InputStrides: Json,
    "Input type" => InputTypes: Json,
    "Is asynchronized op" => IsAsynchronous: Integer,
    "Module Hierarchy" => ModuleHierarchy: Text,
    "Out msg nelems" => OutElements: Integer,
    "Out split size" => OutSplits: Text,
    "Process Group Description" => GroupDescription: Text,
    "Process Group Name" => GroupName: Text,
    "Process Group Ranks" => GroupRanks: Text,
    "Profiler Event Index" => ProfilerEventIndex: Integer,
    "Python id" => PythonId: Integer,
    "Python module id" => PythonModule: Integer,
    "Python parent id" => PythonParent: Integer,
    "Rank" => Rank: Integer,
    "Record function id" => RecordFunctionId: Integer,
    "Seq" => CollectiveSequence: Integer,
    "Sequence number" => SequenceNumber: Integer,
    "Total Allocated" => TotalAllocated: Integer,
    "Total Reserved" => TotalReserved: Integer,
    "Trace iteration" => TraceIteration: Integer,
    "Trace name" => TraceName: Text,
    "block" => Block: Extent,
    "blocks per SM" => BlocksPerSm: Float,
    "bytes" => Bytes: Integer,
    "cbid" => CallbackId: Integer,
    "cid" => CallId: Integer,
    "context" => Context: Integer,
    "correlation" => Correlation: Integer,
    "cuda_sync_kind" => SyncKind: Text,
    "device" => Device: Integer,
    "direction" => Direction: Text,
    "dst" => Destination: Integer,
    "dtype" => Dtype: Text,
    "eaves details" => Exported: Json,
    "eaves track" => OriginalThread: Ident,
    "est. achieved occupancy %" => Occupancy: Float,
    "external id" => OldExternalId: Integer,
    "grid" => Grid: Extent,
    "kernel" => Kernel: Text,
    "kernel_backend" => KernelBackend: Text,
    "kernel_file" => KernelFile: Text,
    "kernel_hash" => KernelHash: Text,
    "kernel_kwargs" => KernelArguments: Text,
    "kernel_name" => KernelName: Text,
    "kind" => Kind: Text,
    "labels" => Labels: Text,
    "memory bandwidth (GB/s)" => Bandwidth: Float,
    "name" => Name: Text,
    "num_stages" => Stages: Integer,
    "num_warps" => Warps: Integer,
    "ptr" => Pointer: Integer,
    "queued" => Queued: Integer,
    "registers per thread" => Registers: Integer,
    "shared memory" => SharedMemory: Integer,
    "size" => Size: Integer,
    "sort_index" => SortIndex: Integer,
    "src" => Source: Integer,
    "stream" => Stream: Integer,
    "wait_on_cuda_event_id" => WaitOnEvent: Integer,
    "wait_on_cuda_event_record_corr_id" => WaitOnRecord: Integer,
    "wait_on_stream" => WaitOnStream: Integer,
    "warps per SM" => WarpsPerSm: Float,
    // tidy-alphabetical-end
}

impl Argument {
    /// The key of [`Self::OriginalThread`], which is not a metric where all other arguments are.
    pub(super) const LANE: &[u8] = b"eaves track";
}

/// A key as the scanner compares it: its first and last eight bytes in two words. Keys of up to 16 bytes are
/// known by these and their length alone.
#[derive(Clone, Copy)]
struct Key {
    first: u64,
    last: u64,
    length: u32,
    /// What it is; `None` in an empty slot.
    known: Option<(Argument, Type)>,
}

const SLOTS: usize = 512;
const EMPTY: Key = Key { first: 0, last: 0, length: 0, known: None };

const fn word(bytes: &[u8], start: usize) -> u64 {
    let mut value = 0;
    let mut at = 0;
    while at < 8 && start + at < bytes.len() {
        value |= (bytes[start + at] as u64) << (8 * at);
        at += 1;
    }
    value
}

#[inline(always)]
const fn slot(first: u64, last: u64, length: usize) -> usize {
    let mixed = (first ^ last.rotate_left(29) ^ length as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 55) as usize
}

static TABLE: [Key; SLOTS] = {
    let mut table = [EMPTY; SLOTS];
    let mut entry = 0;
    while entry < KNOWN.len() {
        let bytes = KNOWN[entry].0.as_bytes();
        let (first, length) = (word(bytes, 0), bytes.len());
        let last = if length > 8 { word(bytes, length - 8) } else { first };
        let mut at = slot(first, last, length);
        while table[at].known.is_some() {
            at = (at + 1) % SLOTS;
        }
        let known = Some((KNOWN[entry].1, KNOWN[entry].2));
        table[at] = Key { first, last, length: length as u32, known };
        entry += 1;
    }
    table
};

/// The known argument of a key between two positions.
#[inline(always)]
pub(super) fn find(chunk: Padded<'_>, start: usize, end: usize) -> Option<(Argument, Type)> {
    let length = end - start;
    if length == 0 {
        return None;
    }
    let (first, last) = chunk.ends(start, end);
    let mut at = slot(first, last, length);
    loop {
        let key = &TABLE[at];
        let (argument, kind) = key.known?;
        if key.first == first && key.last == last && key.length as usize == length {
            let is_same = || KNOWN[argument as usize].0.as_bytes() == chunk.slice(start, end);
            if length <= 16 || is_same() {
                return Some((argument, kind));
            }
        }
        at = (at + 1) % SLOTS;
    }
}

/// The decoded arguments of one event. Clearing it is one store, whatever it held.
pub(super) struct Arguments {
    seen: u128,
    values: [i64; KNOWN.len()],
    grid: Extent,
    block: Extent,
    thread: Ident,
}

impl Default for Arguments {
    fn default() -> Self {
        let none = Extent::default();
        Self { seen: 0, values: [0; KNOWN.len()], grid: none, block: none, thread: Ident::NONE }
    }
}

/// The set of some arguments.
pub(super) const fn set_of(arguments: &[Argument]) -> u128 {
    let mut set = 0;
    let mut at = 0;
    while at < arguments.len() {
        set |= 1 << arguments[at] as u8;
        at += 1;
    }
    set
}

impl Arguments {
    /// Forgets everything.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.seen = 0;
    }

    /// Keeps a value; false if the key occurred before.
    #[inline(always)]
    pub(super) fn put(&mut self, argument: Argument, value: i64) -> bool {
        let bit = 1 << argument as u8;
        let fresh = self.seen & bit == 0;
        self.seen |= bit;
        self.values[argument as usize] = value;
        fresh
    }

    /// Keeps extents.
    pub(super) fn put_extent(&mut self, argument: Argument, extent: Extent) -> bool {
        match argument {
            Argument::Grid => self.grid = extent,
            _ => self.block = extent,
        }
        // The value tells extents from a text: no text has the id of none.
        self.put(argument, i64::from(StringId::NONE.0))
    }

    /// Keeps the thread an event on an extra lane belongs to.
    pub(super) fn put_thread(&mut self, thread: Ident) -> bool {
        self.thread = thread;
        self.put(Argument::OriginalThread, 0)
    }

    /// The thread an event on an extra lane belongs to.
    #[inline(always)]
    pub(super) fn original_thread(&self) -> Option<Ident> {
        self.number(Argument::OriginalThread).map(|_| self.thread)
    }

    /// True if any argument of a set occurred.
    #[inline(always)]
    pub(super) fn any(&self, set: u128) -> bool {
        self.seen & set != 0
    }

    /// A number.
    #[inline(always)]
    pub(super) fn number(&self, argument: Argument) -> Option<i64> {
        (self.seen >> argument as u8 & 1 != 0).then(|| self.values[argument as usize])
    }

    /// A float.
    #[inline(always)]
    pub(super) fn float(&self, argument: Argument) -> Option<f64> {
        self.number(argument).map(|bits| f64::from_bits(bits as u64))
    }

    /// A text or JSON text.
    #[inline(always)]
    pub(super) fn text(&self, argument: Argument) -> StringId {
        self.number(argument).map_or(StringId::NONE, |id| StringId(id as u32))
    }

    /// Extents.
    pub(super) fn extent(&self, argument: Argument) -> Extent {
        match self.number(argument) {
            Some(value) if value == i64::from(StringId::NONE.0) => match argument {
                Argument::Grid => self.grid,
                _ => self.block,
            },
            _ => Extent::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::padded::PADDING;

    fn look_up(key: &str) -> Option<Argument> {
        let mut bytes = key.as_bytes().to_vec();
        bytes.resize(key.len() + PADDING, 0);
        find(Padded::new(&bytes, key.len()), 0, key.len()).map(|(argument, _)| argument)
    }

    #[test]
    fn every_key_is_found_and_no_other() {
        assert!(KNOWN.len() < 128, "one bit each in a 128 bit set");
        assert!(KNOWN.is_sorted_by_key(|&(key, _, _)| key));
        for (position, &(key, argument, _)) in KNOWN.iter().enumerate() {
            assert_eq!(argument as usize, position);
            assert_eq!(look_up(key), Some(argument));
            assert_eq!(look_up(&format!("{key}s")), None, "{key} with one letter more");
            assert_eq!(look_up(&key[..key.len() - 1]), None, "{key} with one letter less");
        }
        assert_eq!(look_up("wait_on_cuda_event_RECORD_corr_id"), None);
        assert_eq!(look_up(""), None);
    }
}
