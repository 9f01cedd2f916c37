//! Snapshots of a caching allocator of any size, made on the fly: training that repeats its steps, with stacks as long as
//! PyTorch's when it records those of C++ too.

mod pickle;

use std::io::{self, Write};

use self::pickle::{Pickle, Stored};

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Layers of the model.
    pub(crate) layers: usize,
    /// Frames below those of the model, on every stack.
    pub(crate) native: usize,
    /// Steps end when this many bytes are written, but not before the first.
    pub(crate) bytes: u64,
    /// True if the last step fails for want of memory.
    pub(crate) fails: bool,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Made {
    /// Size of the pickle.
    pub(crate) bytes: u64,
    /// Events of the allocator.
    pub(crate) events: u64,
    /// The most that was asked for at a time, as the simulation knows it.
    pub(crate) peak: i64,
    /// What stays in use all the time.
    pub(crate) kept: i64,
}

/// Tensors of a layer that are kept for the backward pass, in elements of 4 KiB.
const KEPT: [i64; 6] = [512, 512, 2048, 2048, 512, 256];
/// A parameter, and two states of the optimizer.
const PARAMETER: i64 = 8 << 20;
const GRAIN: i64 = 4096;
/// Where addresses begin, in the usual range of a device.
const BASE: i64 = 0x7F00_0000_0000;
const SEGMENT: i64 = 32 << 20;

/// Writes a snapshot.
pub(crate) fn write<W: Write>(output: W, shape: Shape) -> io::Result<(W, Made)> {
    let mut writer =
        Writer { pickle: Pickle::begin(output)?, frames: Vec::new(), made: Made::default(), time: 0 };
    writer.pickle.begin_dict()?;
    writer.segments(&shape)?;
    writer.traces(&shape)?;
    writer.rest()?;
    writer.pickle.end_dict()?;
    let Writer { pickle, mut made, .. } = writer;
    made.bytes = pickle.bytes + 1;
    Ok((pickle.finish()?, made))
}

struct Writer<W> {
    pickle: Pickle<W>,
    /// Frames that were written: name, file, line.
    frames: Vec<((String, String, i64), Stored)>,
    made: Made,
    /// Microseconds.
    time: i64,
}

/// A stack: what the program is doing, in which layer.
#[derive(Clone, Copy)]
enum Doing {
    Building,
    Forward(usize, usize),
    Backward(usize),
}

impl<W: Write> Writer<W> {
    fn pair(&mut self, key: &str, value: i64) -> io::Result<()> {
        self.pickle.text(key)?;
        self.pickle.integer(value)
    }

    fn words(&mut self, key: &str, value: &str) -> io::Result<()> {
        self.pickle.text(key)?;
        self.pickle.text(value)
    }

    fn frame(&mut self, name: &str, file: &str, line: i64) -> io::Result<()> {
        self.pickle.item()?;
        let is_it = |((known, of, at), _): &&((String, String, i64), Stored)| {
            *at == line && known == name && of == file
        };
        if let Some(&(_, stored)) = self.frames.iter().rev().find(is_it) {
            return self.pickle.again(stored);
        }
        let stored = self.pickle.begin_dict()?;
        self.words("name", name)?;
        self.words("filename", file)?;
        self.pair("line", line)?;
        self.pickle.end_dict()?;
        self.frames.push(((name.to_owned(), file.to_owned(), line), stored));
        Ok(())
    }

    /// A stack as its own list, as PyTorch writes it.
    fn stack(&mut self, doing: Doing, native: usize) -> io::Result<Stored> {
        self.pickle.text("frames")?;
        let stored = self.pickle.begin_list()?;
        for depth in 0..native {
            self.frame(&format!("c10::cuda::detail::level{depth}(unsigned long)"), "??", 0)?;
        }
        let call = |writer: &mut Self| {
            writer.frame("_call_impl", "/usr/lib/python3/site-packages/torch/nn/modules/module.py", 1780)?;
            writer.frame(
                "_wrapped_call_impl",
                "/usr/lib/python3/site-packages/torch/nn/modules/module.py",
                1771,
            )
        };
        match doing {
            Doing::Building => self.frame("__init__", "/srv/user/net/model.py", 12)?,
            Doing::Forward(layer, tensor) => {
                self.frame("at::_ops::empty_memory_format::call(c10::ArrayRef<c10::SymInt>)", "??", 0)?;
                self.frame("at::_ops::mm::call(at::Tensor const&, at::Tensor const&)", "??", 0)?;
                self.frame("forward", "/usr/lib/python3/site-packages/torch/nn/modules/linear.py", 125)?;
                call(self)?;
                self.frame("forward", "/srv/user/net/layer.py", 30 + tensor as i64)?;
                call(self)?;
                self.frame("forward", "/srv/user/net/model.py", 40 + layer as i64)?;
                call(self)?;
            }
            Doing::Backward(layer) => {
                self.frame("at::_ops::mm::call(at::Tensor const&, at::Tensor const&)", "??", 0)?;
                self.frame(&format!("torch::autograd::generated::MmBackward{layer}::apply()"), "??", 0)?;
                self.frame("torch::autograd::Engine::evaluate_function(GraphTask&)", "??", 0)?;
            }
        }
        self.frame("main", "/srv/user/train.py", 77)?;
        self.pickle.end_list()?;
        Ok(stored)
    }

    fn segments(&mut self, shape: &Shape) -> io::Result<()> {
        self.pickle.text("segments")?;
        self.pickle.begin_list()?;
        for layer in 0..shape.layers {
            self.pickle.item()?;
            self.pickle.begin_dict()?;
            let address = BASE + layer as i64 * SEGMENT;
            for (key, value) in [
                ("device", 0),
                ("address", address),
                ("total_size", SEGMENT),
                ("allocated_size", 3 * PARAMETER),
                ("active_size", 3 * PARAMETER),
                ("requested_size", 3 * PARAMETER),
                ("stream", 0),
            ] {
                self.pair(key, value)?;
            }
            self.words("segment_type", "large")?;
            self.pickle.text("is_expandable")?;
            self.pickle.truth(false)?;
            self.pickle.text("frames")?;
            self.pickle.begin_list()?;
            self.pickle.end_list()?;
            self.pickle.text("blocks")?;
            self.pickle.begin_list()?;
            for block in 0..4 {
                self.pickle.item()?;
                self.pickle.begin_dict()?;
                for (key, value) in [
                    ("address", address + block * PARAMETER),
                    ("size", PARAMETER),
                    ("requested_size", PARAMETER),
                ] {
                    self.pair(key, value)?;
                }
                // The last of them is free: what activations are made of.
                self.words("state", if block < 3 { "active_allocated" } else { "inactive" })?;
                self.stack(Doing::Building, shape.native)?;
                self.pickle.end_dict()?;
            }
            self.pickle.end_list()?;
            self.pickle.end_dict()?;
            self.made.kept += 3 * PARAMETER;
        }
        self.pickle.end_list()
    }

    fn traces(&mut self, shape: &Shape) -> io::Result<()> {
        self.pickle.text("device_traces")?;
        self.pickle.begin_list()?;
        self.pickle.item()?;
        self.pickle.begin_list()?;
        self.made.peak = self.made.kept;
        loop {
            self.step(shape)?;
            if self.pickle.bytes >= shape.bytes {
                break;
            }
        }
        if shape.fails {
            self.failure()?;
        }
        self.pickle.end_list()?;
        self.pickle.end_list()
    }

    /// One step: what is kept in the forward pass goes in the backward pass, which needs twice as much for a moment.
    fn step(&mut self, shape: &Shape) -> io::Result<()> {
        let mut level = self.made.kept;
        let address =
            |layer: usize, tensor: usize| BASE + (1 << 40) + ((layer * 16 + tensor) as i64) * (64 << 20);
        for layer in 0..shape.layers {
            for (tensor, elements) in KEPT.into_iter().enumerate() {
                level += elements * GRAIN;
                self.event(
                    "alloc",
                    address(layer, tensor),
                    elements * GRAIN,
                    Doing::Forward(layer, tensor),
                    shape,
                )?;
            }
        }
        for layer in (0..shape.layers).rev() {
            for (tensor, elements) in KEPT.into_iter().enumerate().rev() {
                let bytes = elements * GRAIN;
                let temporary = address(layer, tensor + KEPT.len());
                self.event("alloc", temporary, bytes, Doing::Backward(layer), shape)?;
                self.made.peak = self.made.peak.max(level + bytes);
                level -= bytes;
                self.release(address(layer, tensor), bytes, Doing::Backward(layer), shape)?;
                self.release(temporary, bytes, Doing::Backward(layer), shape)?;
            }
        }
        Ok(())
    }

    fn begin_event(&mut self, action: &str, place: (&str, i64), bytes: i64) -> io::Result<()> {
        self.time += 3;
        self.made.events += 1;
        self.pickle.item()?;
        self.pickle.begin_dict()?;
        self.words("action", action)?;
        self.pair(place.0, place.1)?;
        self.pair("size", bytes)?;
        self.pair("stream", 0)?;
        self.pair("time_us", 1_760_000_000_000_000 + self.time)?;
        self.words("compile_context", "N/A")?;
        self.words("user_metadata", "")
    }

    fn event(
        &mut self,
        action: &str,
        address: i64,
        bytes: i64,
        doing: Doing,
        shape: &Shape,
    ) -> io::Result<()> {
        self.begin_event(action, ("addr", address), bytes)?;
        self.stack(doing, shape.native)?;
        self.pickle.end_dict()
    }

    /// A release is asked for and done, with one stack.
    fn release(&mut self, address: i64, bytes: i64, doing: Doing, shape: &Shape) -> io::Result<()> {
        self.begin_event("free_requested", ("addr", address), bytes)?;
        let stack = self.stack(doing, shape.native)?;
        self.pickle.end_dict()?;
        self.begin_event("free_completed", ("addr", address), bytes)?;
        self.pickle.text("frames")?;
        self.pickle.again(stack)?;
        self.pickle.end_dict()
    }

    fn failure(&mut self) -> io::Result<()> {
        self.begin_event("oom", ("device_free", 1 << 20), 1 << 36)?;
        self.pickle.end_dict()
    }

    fn rest(&mut self) -> io::Result<()> {
        self.pickle.text("allocator_settings")?;
        self.pickle.begin_dict()?;
        self.words("PYTORCH_CUDA_ALLOC_CONF", "")?;
        self.pair("max_split_size", -1)?;
        self.pickle.end_dict()?;
        self.pickle.text("external_annotations")?;
        self.pickle.begin_list()?;
        for (stage, time) in [("START", 1), ("END", self.time)] {
            self.pickle.item()?;
            self.pickle.begin_dict()?;
            self.words("stage", stage)?;
            self.words("name", "ProfilerStep#1")?;
            self.pair("device", 0)?;
            self.pair("time_us", 1_760_000_000_000_000 + time)?;
            self.pickle.end_dict()?;
        }
        self.pickle.end_list()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_has_the_peak_that_was_simulated() {
        let shape = Shape { layers: 2, native: 1, bytes: 0, fails: true };
        let (bytes, made) = write(Vec::new(), shape).unwrap();
        assert_eq!(made.bytes, bytes.len() as u64);
        // Two layers of 3 x 8 MiB, and 5888 elements of 4 KiB each; most when the last 256 and 512 of them are gone and
        // the 2048 before are there twice.
        assert_eq!(made.kept, 2 * 3 * (8 << 20));
        assert_eq!(made.peak, made.kept + (2 * 5888 - 256 - 512 + 2048) * 4096);
        assert_eq!(made.events, 2 * 6 * 6 + 1);
    }
}
