//! The write-ahead log next to a database: what was committed there and not yet written back.

use std::collections::HashMap;
use std::io;

use crate::source::ReadAt;

/// What a log changes.
#[derive(Default)]
pub(super) struct Changes {
    /// Number of pages of the database after the last commit; 0 without one.
    pub(super) pages: u32,
    /// Where the newest committed content of each changed page begins in the log.
    pub(super) offsets: HashMap<u32, u64>,
}

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// Reads a log up to the last frame that is whole and commits. A log that is none, or of another database, changes
/// nothing, as it does for SQLite.
pub(super) fn committed(log: &dyn ReadAt, page_size: usize) -> io::Result<Changes> {
    let mut changes = Changes::default();
    let mut header = [0; HEADER];
    if log.read_at(0, &mut header)? < HEADER {
        return Ok(changes);
    }
    let is_big_endian = match word(&header, 0) {
        0x377F_0682 => false,
        0x377F_0683 => true,
        _ => return Ok(changes),
    };
    let mut sum = checksum(&header[..24], (0, 0), is_big_endian);
    let is_sound = sum == (word(&header, 24), word(&header, 28));
    if !is_sound || word(&header, 8) as usize != page_size {
        return Ok(changes);
    }
    let salt = &header[16..24];
    let mut frame = vec![0; FRAME_HEADER + page_size];
    let mut offset = HEADER as u64;
    let mut pending = Vec::new();
    while log.read_at(offset, &mut frame)? == frame.len() {
        // Frames of an earlier round of the log have another salt.
        if frame.get(8..16) != Some(salt) {
            break;
        }
        let (head, page) = frame.split_at(FRAME_HEADER);
        sum = checksum(&head[..8], sum, is_big_endian);
        sum = checksum(page, sum, is_big_endian);
        if sum != (word(head, 16), word(head, 20)) {
            break;
        }
        pending.push((word(head, 0), offset + FRAME_HEADER as u64));
        let pages_after_commit = word(head, 4);
        if pages_after_commit > 0 {
            changes.pages = pages_after_commit;
            changes.offsets.extend(pending.drain(..));
        }
        offset += frame.len() as u64;
    }
    Ok(changes)
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
    bytes.map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

fn checksum(bytes: &[u8], start: (u32, u32), is_big_endian: bool) -> (u32, u32) {
    let number = if is_big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
    let mut sum = start;
    for &[a, b, c, d, e, f, g, h] in bytes.as_chunks::<8>().0 {
        sum.0 = sum.0.wrapping_add(number([a, b, c, d])).wrapping_add(sum.1);
        sum.1 = sum.1.wrapping_add(number([e, f, g, h])).wrapping_add(sum.0);
    }
    sum
}
