//! What slices are annotated with: the arguments that AMD's profilers give, by their names.

use eaves_model::{StringId, Strings};

use super::sequences::Sequence;
use crate::protobuf::{Fields, Value};

/// The annotations of one event.
#[derive(Default)]
pub(super) struct Annotations {
    pub(super) correlation: Option<i64>,
    pub(super) stream: Option<i64>,
    pub(super) queue: Option<i64>,
    pub(super) agent: Option<u32>,
    pub(super) target: Option<u32>,
    pub(super) operation: Option<i64>,
    pub(super) scratch: Option<i64>,
    pub(super) shared_memory: Option<i64>,
    pub(super) vector_registers: Option<u32>,
    pub(super) accumulation_registers: Option<u32>,
    pub(super) scalar_registers: Option<u32>,
    pub(super) workgroup: Option<i64>,
    pub(super) grid: Option<i64>,
    pub(super) bytes: Option<i64>,
    pub(super) address: Option<i64>,
    /// Numbers with a point that have no name here: hardware counters of a kernel.
    pub(super) counters: Vec<(StringId, f64)>,
}

impl Annotations {
    /// Forgets all, but not the room.
    pub(super) fn clear(&mut self) {
        let mut counters = std::mem::take(&mut self.counters);
        counters.clear();
        *self = Self { counters, ..Self::default() };
    }

    /// Takes in a `DebugAnnotation`.
    pub(super) fn take(&mut self, message: &[u8], sequence: &Sequence, strings: &mut Strings) {
        let (mut interned, mut name): (Option<u64>, &[u8]) = (None, &[]);
        let (mut number, mut real, mut text): (Option<i64>, _, &[u8]) = (None, None, &[]);
        let mut interned_text = None;
        for field in Fields::new(message).flatten() {
            match (field.number, field.value) {
                (1, value) => interned = value.integer(),
                (10, Value::Bytes(bytes)) => name = bytes,
                // Both signs are written as 64 bits.
                (2 | 3 | 4 | 7, Value::Varint(value)) => number = Some(value as i64),
                (5, value) => real = value.float(),
                (6, Value::Bytes(bytes)) => text = bytes,
                (17, Value::Varint(number)) => interned_text = sequence.texts.get(&number).copied(),
                _ => {}
            }
        }
        let id = interned.and_then(|number| sequence.annotation_names.get(&number).copied());
        let known = id.map_or(std::str::from_utf8(name).unwrap_or_default(), |id| strings.get(id));
        let count = || number.and_then(|number| u32::try_from(number).ok());
        let shown = match interned_text {
            Some(text) => strings.get(text),
            None => std::str::from_utf8(text).unwrap_or_default(),
        };
        match known {
            "corr_id" => self.correlation = number,
            "stream_ID" => self.stream = number,
            "queue" => self.queue = number,
            "agent" | "src_agent" => self.agent = agent(shown, number),
            "dst_agent" => self.target = agent(shown, number),
            "operation" => self.operation = number,
            "Scratch_Size" => self.scratch = number,
            "LDS_Block_Size" => self.shared_memory = number,
            "VGPR_Count" => self.vector_registers = count(),
            "Accum_VGPR_Count" => self.accumulation_registers = count(),
            "SGPR_Count" => self.scalar_registers = count(),
            "workgroup_size" => self.workgroup = number,
            "grid_size" => self.grid = number,
            "copy_bytes" | "allocation_size" => self.bytes = number,
            "address" => self.address = number,
            _ => {
                if let Some(value) = real.filter(|value| value.is_finite()) {
                    let known = id.unwrap_or_else(|| strings.intern_bytes(name).0);
                    self.counters.push((known, value));
                }
            }
        }
    }
}

/// The number at the end of `Agent-4`, `GPU 0` or `4`.
fn agent(text: &str, number: Option<i64>) -> Option<u32> {
    let digits = text.trim_end_matches(']').rsplit(|letter: char| !letter.is_ascii_digit()).next()?;
    digits.parse().ok().or_else(|| number.and_then(|number| u32::try_from(number).ok()))
}
