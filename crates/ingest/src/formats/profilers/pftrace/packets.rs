//! The packets of a trace one after another, however long the trace is.

use std::io::{self, BufReader, Read};

use eaves_model::WarningKind;

use super::PACKET;
use crate::protobuf::{Fields, varint};

/// No packet is longer. Perfetto's own are below 128 MB.
const LONGEST: u64 = 256 << 20;

/// How much packed packets may unpack to.
const MOST_UNPACKED: u64 = 256 << 20;

/// What ended the trace early, and where.
pub(super) type Damage = Option<(WarningKind, u64, String)>;

/// Calls a function with every packet and its offset. The answer is the number of bytes, and what ended them early.
pub(super) fn each(reader: impl Read, mut take: impl FnMut(&[u8], u64)) -> (u64, Damage) {
    let mut reader = BufReader::with_capacity(1 << 17, Counted { reader, bytes: 0 });
    let mut packet = Vec::new();
    let mut offset = 0;
    loop {
        match next(&mut reader, &mut packet) {
            Ok(Next::Packet(length)) => {
                take(&packet, offset);
                offset += length;
            }
            Ok(Next::Other(length)) => offset += length,
            Ok(Next::End) => return (offset, None),
            Ok(Next::Damaged) => {
                // What follows is read for its length alone; an error there changes nothing.
                let _ = io::copy(&mut reader, &mut io::sink());
                let what = "packets after this point cannot be parsed".to_owned();
                return (reader.get_ref().bytes, Some((WarningKind::Garbage, offset, what)));
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                let what = "the last packet is truncated".to_owned();
                return (reader.get_ref().bytes, Some((WarningKind::Truncated, offset, what)));
            }
            Err(error) => return (offset, Some((WarningKind::DamagedContainer, offset, error.to_string()))),
        }
    }
}

/// A reader that knows how much it gave.
struct Counted<R> {
    reader: R,
    bytes: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.bytes += read as u64;
        Ok(read)
    }
}

enum Next {
    /// A packet, with its length including the tag.
    Packet(u64),
    /// Something else of a trace.
    Other(u64),
    End,
    Damaged,
}

fn next(reader: &mut impl Read, packet: &mut Vec<u8>) -> io::Result<Next> {
    packet.clear();
    let Some((tag, tag_size)) = number(reader)? else { return Ok(Next::End) };
    if tag & 7 != 2 || tag >> 3 == 0 {
        return Ok(Next::Damaged);
    }
    let Some((length, length_size)) = number(reader)? else {
        return Err(io::ErrorKind::UnexpectedEof.into());
    };
    if length > LONGEST {
        return Ok(Next::Damaged);
    }
    let read = reader.by_ref().take(length).read_to_end(packet)?;
    if (read as u64) < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let whole = tag_size + length_size + length;
    Ok(if tag == u64::from(PACKET) { Next::Packet(whole) } else { Next::Other(whole) })
}

/// A number and its length; nothing at the end of the input.
fn number(reader: &mut impl Read) -> io::Result<Option<(u64, u64)>> {
    let mut bytes = [0; 10];
    for at in 0..bytes.len() {
        if let Err(error) = reader.read_exact(&mut bytes[at..=at]) {
            let ended = error.kind() == io::ErrorKind::UnexpectedEof && at == 0;
            return if ended { Ok(None) } else { Err(error) };
        }
        if bytes[at] < 0x80 {
            break;
        }
    }
    // Ten bytes that all go on are not a number; the tag of nothing is damage.
    Ok(Some(varint(&bytes).map_or((0, 10), |(value, size)| (value, size as u64))))
}

/// The packets that are packed in a packet.
pub(super) fn unpack(packed: &[u8], mut take: impl FnMut(&[u8])) -> bool {
    let mut unpacked = Vec::new();
    let decoder = flate2::read::ZlibDecoder::new(packed);
    let sound = decoder.take(MOST_UNPACKED).read_to_end(&mut unpacked).is_ok();
    let mut whole = true;
    for field in Fields::new(&unpacked) {
        match field {
            Ok(field) if field.number == 1 => field.value.bytes().into_iter().for_each(&mut take),
            Ok(_) => {}
            Err(_) => whole = false,
        }
    }
    sound && whole
}
