//! The streams of a recording, numbered.

use std::collections::HashMap;

use eaves_model::{MaybeI64, MaybeU32};
use serde::{Deserialize, Serialize};

use crate::section::{Column, Unit, Value};

/// A stream of a device. Activities without a stream, or without a device, share one each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub struct Stream {
    /// The device.
    pub device: MaybeU32,
    /// The stream's number on it.
    pub number: MaybeI64,
}

impl Stream {
    /// The columns that name a stream.
    pub(crate) const COLUMNS: [Column; 2] =
        [Column::new("device", "Device", Unit::None), Column::new("stream", "Stream", Unit::None)];

    /// The cells for these columns.
    pub(crate) fn cells(self) -> [Value; 2] {
        let number = self.number.get().map_or(Value::Missing("stream number not recorded"), Value::Integer);
        [device_cell(self.device), number]
    }
}

/// The number of a device as a cell.
pub(crate) fn device_cell(device: MaybeU32) -> Value {
    let missing = Value::Missing("device number not recorded");
    device.get().map_or(missing, |number| Value::Integer(i64::from(number)))
}

/// Gives every stream a small number, in the order in which they are met.
#[derive(Default)]
pub(crate) struct StreamNumbers {
    streams: Vec<Stream>,
    numbers: HashMap<Stream, u32>,
    last: Option<(Stream, u32)>,
}

impl StreamNumbers {
    /// The number of a stream.
    #[inline]
    pub(crate) fn of(&mut self, device: MaybeU32, number: MaybeI64) -> u32 {
        let stream = Stream { device, number };
        match self.last {
            // Activities of one stream come in runs.
            Some((last, number)) if last == stream => number,
            _ => self.look_up(stream),
        }
    }

    fn look_up(&mut self, stream: Stream) -> u32 {
        let streams = &mut self.streams;
        let number = *self.numbers.entry(stream).or_insert_with(|| {
            streams.push(stream);
            (streams.len() - 1) as u32
        });
        self.last = Some((stream, number));
        number
    }

    /// The streams by number.
    pub(crate) fn into_streams(self) -> Vec<Stream> {
        self.streams
    }
}
