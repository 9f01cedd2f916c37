//! The text of a trace, exactly as Kineto lays it out.
//!
//! The layout is that of `output_json.cpp` from PyTorch 2.1 to 2.8: two lines for what an event is and when, one
//! for its arguments. Odd spaces are Kineto's own.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::events::{Activity, ActivityEvent, Arrow, CallEvent, Events, FrameEvent, MemoryEvent, OpEvent};
use super::occupancy::Occupancy;

/// Writes events; counts them and their bytes.
#[derive(Debug)]
pub(crate) struct Writer<W> {
    out: W,
    buffer: String,
    process: u64,
    device: u64,
    event_index: u64,
    pub(crate) events: u64,
    pub(crate) bytes: u64,
}

/// Enough to make calls of the underlying writer rare, little enough to stay in the cache.
const BUFFER: usize = 1 << 18;

impl<W: Write> Writer<W> {
    pub(crate) fn new(out: W, process: u64, device: u64) -> Self {
        let buffer = String::with_capacity(BUFFER + (BUFFER >> 1));
        Self { out, buffer, process, device, event_index: 0, events: 0, bytes: 0 }
    }

    /// Writes text that is not an event.
    pub(crate) fn raw(&mut self, text: &str) -> io::Result<()> {
        self.buffer.push_str(text);
        self.flush_if_full()
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.bytes += self.buffer.len() as u64;
        self.out.write_all(self.buffer.as_bytes())?;
        self.buffer.clear();
        Ok(())
    }

    /// Writes what is left and gives the underlying writer back.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Writes events that have been sorted.
    pub(crate) fn events(&mut self, events: &Events) -> io::Result<()> {
        for op in &events.ops {
            self.op(events, op)?;
        }
        for event in &events.memory {
            self.memory(event)?;
        }
        for frame in &events.frames {
            self.frame(events, frame)?;
        }
        for call in &events.calls {
            self.call(call)?;
        }
        for activity in &events.activities {
            self.activity(events, activity)?;
        }
        Ok(())
    }

    fn next_index(&mut self) -> u64 {
        self.event_index += 1;
        self.event_index - 1
    }

    /// Everything of a complete event up to its arguments.
    fn begin(&mut self, category: &str, name: &str, place: (u64, u64), time: (u64, u64)) {
        let text = &mut self.buffer;
        text.push_str("\n  {\n    \"ph\": \"X\", \"cat\": \"");
        text.push_str(category);
        text.push_str("\", \"name\": \"");
        text.push_str(name);
        text.push_str("\", \"pid\": ");
        push_integer(text, place.0);
        text.push_str(", \"tid\": ");
        push_integer(text, place.1);
        text.push_str(",\n    \"ts\": ");
        push_time(text, time.0);
        text.push_str(", \"dur\": ");
        push_time(text, time.1);
        text.push_str(",\n    \"args\": {\n      ");
    }

    fn end(&mut self) -> io::Result<()> {
        self.buffer.push_str("\n    }\n  },");
        self.events += 1;
        self.flush_if_full()
    }

    fn op(&mut self, events: &Events, op: &OpEvent) -> io::Result<()> {
        let category = if op.is_annotation { "user_annotation" } else { "cpu_op" };
        self.begin(category, events.name_text(op.name), (self.process, op.thread), (op.start, op.duration));
        self.buffer.push_str("\"External id\": ");
        push_integer(&mut self.buffer, op.external_id);
        self.buffer.push(',');
        self.buffer.push_str(events.get(op.arguments));
        self.buffer.push_str(", \"Ev Idx\": ");
        let index = self.next_index();
        push_integer(&mut self.buffer, index);
        self.end()?;
        match op.arrow {
            None => Ok(()),
            Some(Arrow::Start(id)) => self.arrow('s', "fwdbwd", id, (self.process, op.thread), op.start),
            Some(Arrow::End(id)) => self.arrow('f', "fwdbwd", id, (self.process, op.thread), op.start),
        }
    }

    fn arrow(&mut self, phase: char, kind: &str, id: u64, place: (u64, u64), time: u64) -> io::Result<()> {
        let text = &mut self.buffer;
        text.push_str("\n  {\n    \"ph\": \"");
        text.push(phase);
        text.push_str("\", \"id\": ");
        push_integer(text, id);
        text.push_str(", \"pid\": ");
        push_integer(text, place.0);
        text.push_str(", \"tid\": ");
        push_integer(text, place.1);
        text.push_str(", \"ts\": ");
        push_time(text, time);
        text.push_str(",\n    \"cat\": \"");
        text.push_str(kind);
        text.push_str("\", \"name\": \"");
        text.push_str(kind);
        text.push_str(if phase == 'f' { "\", \"bp\": \"e\"\n  }," } else { "\"\n  }," });
        self.events += 1;
        self.flush_if_full()
    }

    fn memory(&mut self, event: &MemoryEvent) -> io::Result<()> {
        let (process, device, index) = (self.process, self.device, self.next_index());
        let text = &mut self.buffer;
        text.push_str(
            "\n  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\",\n    \"pid\": ",
        );
        push_integer(text, process);
        text.push_str(", \"tid\": ");
        push_integer(text, event.thread);
        text.push_str(",\n    \"ts\": ");
        push_time(text, event.time);
        text.push_str(",\n    \"args\": {\n      \"Total Reserved\": ");
        push_integer(text, event.reserved);
        text.push_str(", \"Total Allocated\": ");
        push_integer(text, event.allocated);
        text.push_str(if event.bytes < 0 { ", \"Bytes\": -" } else { ", \"Bytes\": " });
        push_integer(text, event.bytes.unsigned_abs());
        text.push_str(", \"Addr\": ");
        push_integer(text, event.address);
        text.push_str(", \"Device Id\": ");
        push_integer(text, device);
        text.push_str(", \"Device Type\": 1, \"Ev Idx\": ");
        push_integer(text, index);
        self.end()
    }

    fn frame(&mut self, events: &Events, frame: &FrameEvent) -> io::Result<()> {
        let (place, time) = ((self.process, self.process), (frame.start, frame.duration));
        self.begin("python_function", events.name_text(frame.name), place, time);
        let index = self.next_index();
        let text = &mut self.buffer;
        text.push_str("\"Python parent id\": ");
        match frame.parent {
            None => text.push_str("null"),
            Some(parent) => push_integer(text, parent),
        }
        text.push_str(", \"Python id\": ");
        push_integer(text, frame.id);
        if let Some(module) = frame.module {
            text.push_str(", \"Python module id\": ");
            push_integer(text, module);
        }
        text.push_str(", \"Ev Idx\": ");
        push_integer(text, index);
        self.end()
    }

    fn call(&mut self, call: &CallEvent) -> io::Result<()> {
        let place = (self.process, call.thread);
        self.begin(call.function.category, call.function.name, place, (call.start, call.duration));
        let text = &mut self.buffer;
        push_external_id(text, call.external_id);
        text.push_str("\"cbid\": ");
        push_integer(text, u64::from(call.function.number));
        text.push_str(", \"correlation\": ");
        push_integer(text, call.correlation);
        self.end()?;
        if call.launches {
            self.arrow('s', "ac2g", call.correlation, place, call.start)?;
        }
        Ok(())
    }

    fn activity(&mut self, events: &Events, event: &ActivityEvent) -> io::Result<()> {
        let place = (self.device, event.stream);
        let category = match event.activity {
            Activity::Kernel(..) => "kernel",
            Activity::Copy(_) => "gpu_memcpy",
            Activity::Set(_) => "gpu_memset",
            Activity::Annotation => "gpu_user_annotation",
        };
        self.begin(category, events.name_text(event.name), place, (event.start, event.duration));
        let device = self.device;
        let text = &mut self.buffer;
        match event.activity {
            Activity::Annotation => {
                text.push_str("\"External id\": ");
                push_integer(text, event.external_id);
                return self.end();
            }
            Activity::Kernel(launch, rest) => {
                push_external_id(text, Some(event.external_id));
                text.push_str("\"queued\": 0, ");
                push_place(text, device, event);
                text.push_str(",      \"registers per thread\": ");
                push_integer(text, launch.registers);
                text.push_str(",      \"shared memory\": ");
                push_integer(text, launch.shared_memory);
                let occupancy = Occupancy::of(launch);
                let _ = write!(
                    text,
                    ",      \"blocks per SM\": {:.6},      \"warps per SM\": {:.6},      \"grid\": {:?},      \"block\": {:?},      \"est. achieved occupancy %\": {}",
                    occupancy.blocks_per_multiprocessor,
                    occupancy.warps_per_multiprocessor,
                    launch.grid,
                    launch.block,
                    occupancy.percent,
                );
                text.push_str(events.get(rest));
            }
            Activity::Copy(bytes) | Activity::Set(bytes) => {
                push_external_id(text, Some(event.external_id));
                push_place(text, device, event);
                let bandwidth = bytes as f64 / event.duration as f64;
                let _ = write!(text, ",      \"bytes\": {bytes}, \"memory bandwidth (GB/s)\": {bandwidth}");
            }
        }
        self.end()?;
        self.arrow('f', "ac2g", event.correlation, place, event.start)
    }
}

fn push_external_id(text: &mut String, id: Option<u64>) {
    if let Some(id) = id {
        text.push_str("\"External id\": ");
        push_integer(text, id);
        text.push(',');
    }
    text.push_str("      ");
}

fn push_place(text: &mut String, device: u64, event: &ActivityEvent) {
    text.push_str("\"device\": ");
    push_integer(text, device);
    text.push_str(", \"context\": 1,      \"stream\": ");
    push_integer(text, event.stream);
    text.push_str(", \"correlation\": ");
    push_integer(text, event.correlation);
}

/// Appends a number. Formatting machinery would take most of the time of a big trace.
pub(crate) fn push_integer(text: &mut String, mut value: u64) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    text.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}

/// Appends nanoseconds as microseconds with three decimals.
pub(crate) fn push_time(text: &mut String, nanoseconds: u64) {
    push_integer(text, nanoseconds / 1000);
    let rest = nanoseconds % 1000;
    text.push('.');
    for divisor in [100, 10, 1] {
        text.push(char::from(b'0' + (rest / divisor % 10) as u8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_decimals() {
        let mut text = String::new();
        for nanoseconds in [0, 7, 1_000, 4_458_676_522_690_655] {
            push_time(&mut text, nanoseconds);
            text.push(' ');
        }
        assert_eq!(text, "0.000 0.007 1.000 4458676522690.655 ");
    }
}
