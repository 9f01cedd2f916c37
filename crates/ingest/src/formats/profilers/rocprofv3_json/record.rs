//! One record: the fields of every section, which have the same names wherever they occur.

use eaves_model::Extent;

use crate::json::cursor::{Cursor, Fault};
use crate::json::number;

/// What a record says. Nested objects (`correlation_id`, `dispatch_info`) are read as if their fields stood next to the
/// others: no name occurs twice.
#[derive(Default)]
pub(super) struct Record {
    pub(super) kind: Option<i64>,
    pub(super) operation: Option<i64>,
    pub(super) thread: Option<i64>,
    pub(super) internal: Option<i64>,
    pub(super) external: Option<i64>,
    pub(super) start: Option<i64>,
    pub(super) end: Option<i64>,
    pub(super) agent: Option<i64>,
    pub(super) source_agent: Option<i64>,
    pub(super) target_agent: Option<i64>,
    pub(super) queue: Option<i64>,
    pub(super) stream: Option<i64>,
    pub(super) kernel: Option<i64>,
    pub(super) dispatch: Option<i64>,
    pub(super) private_segment: Option<i64>,
    pub(super) group_segment: Option<i64>,
    pub(super) workgroup: [u32; 3],
    pub(super) grid: [u32; 3],
    pub(super) bytes: Option<i64>,
    pub(super) address: Option<i64>,
    pub(super) vector_registers: Option<i64>,
    pub(super) accumulation_registers: Option<i64>,
    pub(super) scalar_registers: Option<i64>,
    /// Counters by their handles, in the order they stand: one for each instance.
    pub(super) counters: Vec<(i64, f64)>,
    /// Values that do not fit their field.
    pub(super) bad_values: u32,
}

impl Record {
    /// Forgets the record before, but not the room its counters had.
    fn clear(&mut self) {
        let mut counters = std::mem::take(&mut self.counters);
        counters.clear();
        *self = Self { counters, ..Self::default() };
    }
}

/// Reads the record the cursor stands at.
pub(super) fn read(cursor: &mut Cursor<'_>, record: &mut Record) -> Result<(), Fault> {
    record.clear();
    fields(cursor, record, 0)
}

/// Deeper than any record is nested.
const DEEPEST: u32 = 4;

fn fields(cursor: &mut Cursor<'_>, record: &mut Record, depth: u32) -> Result<(), Fault> {
    cursor.each_field(|cursor, key, value| {
        let place = match key {
            b"kind" => &mut record.kind,
            b"operation" => &mut record.operation,
            b"thread_id" => &mut record.thread,
            b"internal" => &mut record.internal,
            b"external" => &mut record.external,
            b"start_timestamp" => &mut record.start,
            b"end_timestamp" => &mut record.end,
            b"kernel_id" => &mut record.kernel,
            b"dispatch_id" => &mut record.dispatch,
            b"private_segment_size" => &mut record.private_segment,
            b"group_segment_size" | b"lds_block_size_v" => &mut record.group_segment,
            b"bytes" | b"allocation_size" => &mut record.bytes,
            b"arch_vgpr_count" => &mut record.vector_registers,
            b"accum_vgpr_count" => &mut record.accumulation_registers,
            b"sgpr_count" => &mut record.scalar_registers,
            b"agent_id" => return handle(cursor, value, &mut record.agent),
            b"src_agent_id" => return handle(cursor, value, &mut record.source_agent),
            b"dst_agent_id" => return handle(cursor, value, &mut record.target_agent),
            b"queue_id" => return handle(cursor, value, &mut record.queue),
            b"stream_id" => return handle(cursor, value, &mut record.stream),
            b"address" => return address(cursor, value, &mut record.address),
            b"workgroup_size" => return extent(cursor, value, &mut record.workgroup),
            b"grid_size" => return extent(cursor, value, &mut record.grid),
            b"records" => return counters(cursor, value, &mut record.counters),
            b"correlation_id" | b"dispatch_info" | b"dispatch_data"
                if cursor.chunk.at(value) == b'{' && depth < DEEPEST =>
            {
                return fields(cursor, record, depth + 1);
            }
            _ => return cursor.skip(value),
        };
        let found = number::integer(cursor.chunk, value);
        if found.is_none() {
            record.bad_values += 1;
            return cursor.skip(value);
        }
        // What is said twice counts once: `dispatch_info` and the record around it say the same.
        *place = place.or(found);
        Ok(())
    })
}

/// `{"handle":1}`, or the bare number.
#[inline(always)]
fn handle(cursor: &mut Cursor<'_>, value: usize, place: &mut Option<i64>) -> Result<(), Fault> {
    if cursor.chunk.at(value) != b'{' {
        *place = number::integer(cursor.chunk, value);
        return cursor.skip(value);
    }
    cursor.each_field(|cursor, key, value| {
        if key == b"handle" {
            *place = number::integer(cursor.chunk, value);
        }
        cursor.skip(value)
    })
}

/// `{"x":1,"y":1,"z":1}`.
#[inline(always)]
fn extent(cursor: &mut Cursor<'_>, value: usize, place: &mut [u32; 3]) -> Result<(), Fault> {
    if cursor.chunk.at(value) != b'{' {
        return cursor.skip(value);
    }
    let mut axes = [None; 3];
    cursor.each_field(|cursor, key, value| {
        let axis = match key {
            b"x" => 0,
            b"y" => 1,
            b"z" => 2,
            _ => return cursor.skip(value),
        };
        axes[axis] = number::integer(cursor.chunk, value).and_then(|number| u32::try_from(number).ok());
        cursor.skip(value)
    })?;
    let Extent(extents) = Extent::of_axes(axes);
    *place = extents;
    Ok(())
}

/// A number, an object with one, or a text such as `0x7f00`.
fn address(cursor: &mut Cursor<'_>, value: usize, place: &mut Option<i64>) -> Result<(), Fault> {
    if cursor.chunk.at(value) != b'"' {
        return handle(cursor, value, place);
    }
    let (start, end) = cursor.text()?;
    let text = std::str::from_utf8(cursor.chunk.slice(start, end)).unwrap_or_default();
    let digits = text.strip_prefix("0x").unwrap_or(text);
    *place = u64::from_str_radix(digits, 16).ok().map(|address| address as i64);
    Ok(())
}

/// The instances of counters.
fn counters(cursor: &mut Cursor<'_>, value: usize, found: &mut Vec<(i64, f64)>) -> Result<(), Fault> {
    if cursor.chunk.at(value) != b'[' {
        return cursor.skip(value);
    }
    cursor.advance();
    loop {
        match cursor.peek()? {
            b']' => {
                cursor.advance();
                return Ok(());
            }
            b'{' => {
                let (mut counter, mut amount) = (None, None);
                cursor.each_field(|cursor, key, value| match key {
                    b"counter_id" => handle(cursor, value, &mut counter),
                    b"value" => {
                        amount = real(cursor.word(value));
                        cursor.skip(value)
                    }
                    _ => cursor.skip(value),
                })?;
                if let (Some(counter), Some(amount)) = (counter, amount) {
                    found.push((counter, amount));
                }
            }
            _ => return Err(Fault::Bad),
        }
    }
}

fn real(word: &[u8]) -> Option<f64> {
    let value: f64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}
