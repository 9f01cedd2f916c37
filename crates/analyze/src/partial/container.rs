//! Rows as an Arrow IPC stream, which any Arrow library reads.
//!
//! It is written by `arrow-ipc`. It is read by hand, row by row from buffers whose bounds were checked, with the types of
//! that crate for the messages alone: its readers take lengths as they stand, and end with a panic or an allocation
//! of any size on bytes that are not what they say. Both are here, next to what the rows mean, because the crate that knows
//! Arrow tables, `store`, must not know analyses, nor this one files.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, LargeBinaryArray, RecordBatch, StringArray, UInt64Array};
use arrow_buffer::Buffer;
use arrow_ipc::convert::MessageBuffer;
use arrow_ipc::writer::StreamWriter;
use arrow_ipc::{MessageHeader, Type};
use arrow_schema::{ArrowError, DataType, Field, Schema};

use super::PartialError;

/// One row: what one analysis measured of one recording.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// The rank, if the recording or its name tells it.
    pub(super) rank: Option<i64>,
    pub(super) path: Arc<str>,
    pub(super) analysis: String,
    pub(super) part: Buffer,
}

impl Row {
    /// FNV-1a of everything in the row (Fowler, Noll, Vo; <http://www.isthe.com/chongo/tech/comp/fnv/>), so that damage
    /// which leaves a readable stream is seen.
    fn checksum(&self) -> u64 {
        let rank = self.rank.unwrap_or(i64::MIN).to_le_bytes();
        let texts = [self.path.as_bytes(), &[0], self.analysis.as_bytes(), &[0]];
        let bytes = rank.iter().chain(texts.into_iter().flatten()).chain(self.part.as_slice());
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }
}

/// Bytes of parts in one batch of rows. A reader in another language holds a batch at a time.
const BATCH: usize = 16 << 20;

/// The columns with the buffers each has in a batch: validity, offsets where lengths differ, values.
const COLUMNS: [(&str, Type, usize); 5] = [
    ("rank", Type::Int, 2),
    ("path", Type::Utf8, 3),
    ("analysis", Type::Utf8, 3),
    ("part", Type::LargeBinary, 3),
    ("checksum", Type::Int, 2),
];

/// Writes rows.
pub(super) fn write(facts: HashMap<String, String>, rows: &[Row]) -> Result<Vec<u8>, ArrowError> {
    let field = |index: usize, of| Field::new(COLUMNS[index].0, of, index == 0);
    let fields = vec![
        field(0, DataType::Int64),
        field(1, DataType::Utf8),
        field(2, DataType::Utf8),
        field(3, DataType::LargeBinary),
        field(4, DataType::UInt64),
    ];
    let schema = Arc::new(Schema::new_with_metadata(fields, facts));
    let mut writer = StreamWriter::try_new(Vec::new(), &schema)?;
    let mut rest = rows;
    while !rest.is_empty() {
        let mut size = 0;
        let fits = rest.iter().take_while(|row| {
            let before = size;
            size += row.part.len();
            before == 0 || size <= BATCH
        });
        let (batch, behind) = rest.split_at(fits.count().max(1));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter(batch.iter().map(|row| row.rank))),
            Arc::new(StringArray::from_iter_values(batch.iter().map(|row| &*row.path))),
            Arc::new(StringArray::from_iter_values(batch.iter().map(|row| &row.analysis))),
            Arc::new(LargeBinaryArray::from_iter_values(batch.iter().map(|row| row.part.as_slice()))),
            Arc::new(UInt64Array::from_iter_values(batch.iter().map(Row::checksum))),
        ];
        writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns)?)?;
        rest = behind;
    }
    writer.into_inner()
}

/// Reads what [`write()`] wrote: the facts of the schema, and the rows, whose parts are slices of the stream.
pub(super) fn read(stream: &Buffer) -> Result<(HashMap<String, String>, Vec<Row>), PartialError> {
    let mut rest = stream.clone();
    let (schema, _) = message(&mut rest)?.ok_or(damaged("it is empty"))?;
    let facts = facts(&schema)?;
    let mut rows = Vec::new();
    while let Some((header, body)) = message(&mut rest)? {
        batch(&header, &body, &mut rows)?;
    }
    match rest.is_empty() {
        true => Ok((facts, rows)),
        false => Err(damaged("trailing bytes")),
    }
}

fn damaged(what: &'static str) -> PartialError {
    PartialError::Damaged(what)
}

/// Takes the next message and its body; nothing at the end, which is written too.
fn message(rest: &mut Buffer) -> Result<Option<(MessageBuffer, Buffer)>, PartialError> {
    const CONTINUES: [u8; 4] = [0xff; 4];
    let too_short = || damaged("it ends early");
    let (begin, length) = match rest.as_slice() {
        [a, b, c, d, e, f, g, h, ..] => ([*a, *b, *c, *d], u32::from_le_bytes([*e, *f, *g, *h])),
        _ => return Err(too_short()),
    };
    if begin != CONTINUES {
        return Err(PartialError::Foreign);
    }
    rest.advance(8);
    let length = length as usize;
    if length == 0 {
        return Ok(None);
    }
    let header = rest.as_slice().get(..length).ok_or_else(too_short)?;
    // Copied, so that it is aligned as its reader wants.
    let header =
        MessageBuffer::try_new(Buffer::from(header)).map_err(|_| damaged("a message cannot be read"))?;
    rest.advance(length);
    let body = usize::try_from(header.as_ref().bodyLength()).map_err(|_| damaged("a length is negative"))?;
    if body > rest.len() {
        return Err(too_short());
    }
    let taken = rest.slice_with_length(0, body);
    rest.advance(body);
    Ok(Some((header, taken)))
}

/// The facts of a schema whose columns are ours.
fn facts(message: &MessageBuffer) -> Result<HashMap<String, String>, PartialError> {
    let message = message.as_ref();
    let schema = message.header_as_schema().ok_or(PartialError::Foreign)?;
    let fields = schema.fields().ok_or(PartialError::Foreign)?;
    let named =
        |field: arrow_ipc::Field<'_>| (field.name().unwrap_or_default().to_owned(), field.type_type());
    let ours = COLUMNS.iter().map(|&(name, of, _)| (name.to_owned(), of));
    if !fields.iter().map(named).eq(ours) {
        return Err(PartialError::Foreign);
    }
    let pairs = schema.custom_metadata().into_iter().flatten();
    Ok(pairs.filter_map(|pair| Some((pair.key()?.to_owned(), pair.value()?.to_owned()))).collect())
}

/// Reads the rows of a batch.
fn batch(message: &MessageBuffer, body: &Buffer, rows: &mut Vec<Row>) -> Result<(), PartialError> {
    let message = message.as_ref();
    let batch = message.header_as_record_batch().ok_or(damaged("a message is not a record batch"))?;
    debug_assert_eq!(message.header_type(), MessageHeader::RecordBatch);
    let count = usize::try_from(batch.length()).map_err(|_| damaged("a length is negative"))?;
    let outside = || damaged("a column exceeds its batch");
    let mut buffers = Vec::new();
    for buffer in batch.buffers().into_iter().flatten() {
        let (offset, length) = (usize::try_from(buffer.offset()), usize::try_from(buffer.length()));
        let (Ok(offset), Ok(length)) = (offset, length) else { return Err(outside()) };
        let end = offset.checked_add(length).filter(|&end| end <= body.len()).ok_or_else(outside)?;
        buffers.push(offset..end);
    }
    if buffers.len() != COLUMNS.iter().map(|(_, _, buffers)| buffers).sum::<usize>()
        || batch.compression().is_some()
    {
        return Err(damaged("a batch has other columns"));
    }
    let bytes = |index: usize| body.as_slice().get(buffers[index].clone()).unwrap_or_default();
    let word = |index: usize, row: usize| -> Result<[u8; 8], PartialError> {
        let word = bytes(index).get(8 * row..8 * row + 8).ok_or_else(outside)?;
        word.try_into().map_err(|_| outside())
    };
    let text = |index: usize, row: usize| -> Result<&str, PartialError> {
        let at = |row: usize| -> Option<usize> {
            let word = bytes(index).get(4 * row..4 * row + 4)?;
            usize::try_from(i32::from_le_bytes(word.try_into().ok()?)).ok()
        };
        let range = at(row).zip(at(row + 1)).ok_or_else(outside)?;
        let bytes = bytes(index + 1).get(range.0..range.1).ok_or_else(outside)?;
        std::str::from_utf8(bytes).map_err(|_| damaged("a string is not UTF-8"))
    };
    // Before room is made for them: every row has a checksum.
    if count > bytes(12).len() / 8 {
        return Err(outside());
    }
    for row in 0..count {
        let validity = bytes(0);
        let has_rank =
            validity.is_empty() || validity.get(row / 8).ok_or_else(outside)? >> (row % 8) & 1 == 1;
        let at = |row| word(9, row).map(|word| usize::try_from(i64::from_le_bytes(word)));
        let (Ok(start), Ok(end)) = (at(row)?, at(row + 1)?) else { return Err(outside()) };
        let part = &buffers[10];
        if start > end || end > part.len() {
            return Err(outside());
        }
        let read = Row {
            rank: if has_rank { Some(i64::from_le_bytes(word(1, row)?)) } else { None },
            path: text(3, row)?.into(),
            analysis: text(6, row)?.to_owned(),
            part: body.slice_with_length(part.start + start, end - start),
        };
        if read.checksum() != u64::from_le_bytes(word(12, row)?) {
            return Err(damaged("a checksum differs"));
        }
        rows.push(read);
    }
    Ok(())
}
