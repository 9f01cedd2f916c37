//! zstd, of one frame or many.

use std::io::{self, BufReader, Read};

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// The unpacked content of all frames.
pub(super) fn unpack<R: Read>(reader: R) -> impl Read {
    let reader = BufReader::with_capacity(super::PACKED, reader);
    Frames::Between(Held { reader, magic: [0; 4], given: 4 })
}

/// A reader that can give four bytes back.
struct Held<R> {
    reader: R,
    magic: [u8; 4],
    given: usize,
}

impl<R: Read> Read for Held<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.magic.len() {
            return self.reader.read(buffer);
        }
        let given = (&self.magic[self.given..]).read(buffer)?;
        self.given += given;
        Ok(given)
    }
}

enum Frames<R: Read> {
    Between(Held<R>),
    Inside(Box<StreamingDecoder<Held<R>, FrameDecoder>>),
    Done,
}

impl<R: Read> Frames<R> {
    /// Opens the next frame, past skippable ones; done at the end of the input.
    fn next(mut held: Held<R>) -> io::Result<Self> {
        loop {
            let mut first = [0];
            if held.read(&mut first)? == 0 {
                return Ok(Self::Done);
            }
            held.magic[0] = first[0];
            let mut rest = [0; 3];
            held.read_exact(&mut rest)?;
            held.magic[1..].copy_from_slice(&rest);
            let is_skippable = held.magic[0] & 0xF0 == 0x50 && held.magic[1..] == [0x2A, 0x4D, 0x18];
            if !is_skippable {
                held.given = 0;
                let decoder = StreamingDecoder::new(held)
                    .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
                return Ok(Self::Inside(Box::new(decoder)));
            }
            let mut length = [0; 4];
            held.read_exact(&mut length)?;
            io::copy(&mut held.by_ref().take(u64::from(u32::from_le_bytes(length))), &mut io::sink())?;
        }
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            *self = match std::mem::replace(self, Self::Done) {
                Self::Done => return Ok(0),
                Self::Between(held) => Self::next(held)?,
                Self::Inside(mut decoder) => {
                    let read = decoder.read(buffer)?;
                    if read > 0 {
                        *self = Self::Inside(decoder);
                        return Ok(read);
                    }
                    Self::Between(decoder.into_inner())
                }
            };
        }
    }
}
