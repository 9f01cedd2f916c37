//! The calls of OpenCL that kernels need: all of the unsafe code, and nothing but it.
//!
//! `opencl3` releases objects in `drop` and panics if the driver refuses; after a device is lost it does. So objects are
//! released here, and a refusal is ignored: there is nothing left to be done with the object.
#![expect(unsafe_code, reason = "OpenCL is a C interface; what each call relies on is said beside it")]

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::rc::Rc;

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue, release_command_queue};
use opencl3::context::{Context, context::release_context};
use opencl3::device::{
    CL_DEVICE_PARTITION_BY_COUNTS, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, Device, SubDevice, release_device,
};
use opencl3::error_codes::{
    CL_DEVICE_PARTITION_FAILED, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, ClError,
};
use opencl3::event::{Event, release_event};
use opencl3::kernel::{Kernel, release_kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, ClMem, release_mem_object};
use opencl3::program::{Program, release_program};
use opencl3::types::{CL_BLOCKING, cl_mem, cl_uint};

use crate::backend::BenchError;
use crate::buffer::Plain;

/// An object that is released without a panic.
macro_rules! released {
    ($(#[$doc:meta])* $name:ident($object:ty), $release:path, $handle:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(super) struct $name(ManuallyDrop<$object>);

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the object is ours, and its own `drop` never runs.
                let _refused = unsafe { $release(self.0.$handle()) };
            }
        }
    };
}

released!(
    /// Some units of a device.
    OwnPart(SubDevice), release_device, id
);
released!(
    /// What objects of a device belong to.
    OwnContext(Context), release_context, get
);
released!(
    /// Where commands for a device are put.
    OwnQueue(CommandQueue), release_command_queue, get
);
released!(
    /// Compiled kernels.
    OwnProgram(Program), release_program, get
);
released!(
    /// A kernel that can be run.
    OwnKernel(Kernel), release_kernel, get
);
released!(
    /// Memory of the device.
    Memory(Buffer<u8>), release_mem_object, get
);
released!(
    /// A command that was put into the queue.
    Command(Event), release_event, get
);

/// What a kernel is given.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    /// Memory; kept as long as the argument, which the driver does not promise.
    Memory(Rc<Memory>),
    /// A 32-bit number.
    U32(u32),
    /// A 64-bit number.
    U64(u64),
    /// A single-precision number.
    F32(f32),
    /// A double-precision number.
    F64(f64),
    /// A half-precision number, by its bits.
    F16(u16),
}

/// Which work items to run: offsets, sizes and groups of up to two dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) offset: [usize; 2],
    pub(super) global: [usize; 2],
    pub(super) local: [usize; 2],
}

/// A device that commands can be sent to.
#[derive(Debug)]
pub(super) struct Driver {
    name: String,
    // Each is released before what it belongs to.
    queue: OwnQueue,
    context: OwnContext,
    _part: Option<OwnPart>,
    /// Memory with its size, behind which nothing may be written.
    #[cfg(test)]
    guarded: std::cell::RefCell<Vec<(std::rc::Weak<Memory>, usize)>>,
}

/// Bytes behind all memory, and what they are.
#[cfg(test)]
const GUARD: [u8; 256] = [0xA5; 256];

impl Driver {
    /// Opens a device, or this many units of it; `name` is what errors call it.
    pub(super) fn open(whole: Device, units: Option<u32>, name: &str) -> Result<Self, BenchError> {
        let failed = |error| failed(name, "opening it", error);
        let part = units.map(|units| part_of(whole, units)).transpose().map_err(failed)?;
        let device = part.as_ref().map_or(whole, |part| Device::new(part.0.id()));
        let context = Context::from_device(&device).map_err(failed)?;
        let context = OwnContext(ManuallyDrop::new(context));
        // The call of OpenCL 1.2, which every version still has. SAFETY: the context was made of this device.
        let queue = unsafe { CommandQueue::create(&context.0, device.id(), CL_QUEUE_PROFILING_ENABLE) };
        let queue = OwnQueue(ManuallyDrop::new(queue.map_err(failed)?));
        Ok(Self {
            name: name.to_owned(),
            queue,
            context,
            _part: part,
            #[cfg(test)]
            guarded: std::cell::RefCell::default(),
        })
    }

    fn failed(&self, what: &str, error: ClError) -> BenchError {
        failed(&self.name, what, error)
    }

    /// Compiles kernels. An error carries what the compiler said.
    pub(super) fn build(&self, source: &str, options: &str) -> Result<OwnProgram, BenchError> {
        let program = Program::create_from_source(&self.context.0, source)
            .map_err(|error| self.failed("reading kernels", error))?;
        let mut program = OwnProgram(ManuallyDrop::new(program));
        let devices = self.context.0.devices().to_vec();
        if let Err(error) = program.0.build(&devices, options) {
            let log = devices.first().and_then(|device| program.0.get_build_log(*device).ok());
            let cause = format!("compiling kernels ({options}): {error}\n{}", log.unwrap_or_default().trim());
            return Err(BenchError::Device { device: self.name.clone(), cause });
        }
        Ok(program)
    }

    /// The kernel of this name.
    pub(super) fn kernel(&self, program: &OwnProgram, name: &str) -> Result<OwnKernel, BenchError> {
        let kernel = Kernel::create(&program.0, name).map_err(|error| self.failed(name, error))?;
        Ok(OwnKernel(ManuallyDrop::new(kernel)))
    }

    /// Memory with these numbers in it.
    #[cfg(not(test))]
    pub(super) fn upload<T: Plain>(&self, numbers: &[T]) -> Result<Rc<Memory>, BenchError> {
        Ok(Rc::new(self.stored(numbers)?))
    }

    /// Memory with these numbers in it, and a guard behind them.
    #[cfg(test)]
    pub(super) fn upload<T: Plain>(&self, numbers: &[T]) -> Result<Rc<Memory>, BenchError> {
        let bytes = size_of_val(numbers);
        // SAFETY: numbers have no padding.
        let raw = unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast::<u8>(), bytes) };
        let memory = Rc::new(self.stored(&[raw, &GUARD].concat())?);
        self.guarded.borrow_mut().push((Rc::downgrade(&memory), bytes));
        Ok(memory)
    }

    /// Whether all guards are still there.
    #[cfg(test)]
    pub(super) fn is_intact(&self) -> bool {
        let mut guarded = self.guarded.borrow_mut();
        guarded.retain(|(memory, _)| memory.strong_count() > 0);
        guarded.iter().filter_map(|(memory, bytes)| Some((memory.upgrade()?, *bytes))).all(
            |(memory, bytes)| {
                let all = self.download::<u8>(&memory, bytes + GUARD.len());
                all.is_ok_and(|all| all.ends_with(&GUARD))
            },
        )
    }

    fn stored<T: Plain>(&self, numbers: &[T]) -> Result<Memory, BenchError> {
        let bytes = size_of_val(numbers);
        // Memory of no bytes does not exist. SAFETY: no host memory is given.
        let memory = unsafe {
            Buffer::create(&self.context.0, CL_MEM_READ_WRITE, bytes.max(16), std::ptr::null_mut())
        };
        let memory = memory.map_err(|error| match error.0 {
            CL_MEM_OBJECT_ALLOCATION_FAILURE | CL_OUT_OF_HOST_MEMORY => {
                BenchError::Memory { what: format!("{bytes} bytes on {}", self.name) }
            }
            _ => self.failed("making memory", error),
        })?;
        let mut memory = Memory(ManuallyDrop::new(memory));
        if bytes > 0 {
            // SAFETY: numbers have no padding, and the write is over when the call returns.
            let written = unsafe {
                let raw = std::slice::from_raw_parts(numbers.as_ptr().cast::<u8>(), bytes);
                self.queue.0.enqueue_write_buffer(&mut memory.0, CL_BLOCKING, 0, raw, &[])
            };
            drop(Command(ManuallyDrop::new(written.map_err(|error| self.failed("writing memory", error))?)));
        }
        Ok(memory)
    }

    /// The first this many numbers of this memory.
    pub(super) fn download<T: Plain + Default>(
        &self,
        memory: &Memory,
        count: usize,
    ) -> Result<Vec<T>, BenchError> {
        let mut numbers = vec![T::default(); count];
        if count > 0 {
            // SAFETY: every pattern of bits is a number, and the read is over when the call returns.
            let read = unsafe {
                let bytes = size_of_val(numbers.as_slice());
                let raw = std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast::<u8>(), bytes);
                self.queue.0.enqueue_read_buffer(&memory.0, CL_BLOCKING, 0, raw, &[])
            };
            drop(Command(ManuallyDrop::new(read.map_err(|error| self.failed("reading memory", error))?)));
        }
        Ok(numbers)
    }

    /// Gives a kernel its argument of this index.
    pub(super) fn set(
        &self,
        kernel: &OwnKernel,
        index: usize,
        argument: &Argument,
    ) -> Result<(), BenchError> {
        let index = cl_uint::try_from(index).unwrap_or(cl_uint::MAX);
        // SAFETY: the driver copies the number, or the handle of memory that lives as long as the argument; it refuses sizes
        // other than the kernel's.
        let set = unsafe {
            match argument {
                Argument::Memory(memory) => {
                    let handle: cl_mem = memory.0.get();
                    kernel.0.set_arg::<*mut c_void>(index, &handle)
                }
                Argument::U32(number) => kernel.0.set_arg(index, number),
                Argument::U64(number) => kernel.0.set_arg(index, number),
                Argument::F32(number) => kernel.0.set_arg(index, number),
                Argument::F64(number) => kernel.0.set_arg(index, number),
                Argument::F16(bits) => kernel.0.set_arg(index, bits),
            }
        };
        set.map_err(|error| self.failed(&format!("argument {index}"), error))
    }

    /// Puts a kernel into the queue, after whatever is in it.
    pub(super) fn enqueue(&self, kernel: &OwnKernel, range: &Range) -> Result<Command, BenchError> {
        // SAFETY: the arrays live through the call. That kernels stay inside their memory is theirs to see to: they are in
        // this folder, have the sizes among their arguments, and are tested on sizes that divide by nothing.
        let event = unsafe {
            self.queue.0.enqueue_nd_range_kernel(
                kernel.0.get(),
                2,
                range.offset.as_ptr(),
                range.global.as_ptr(),
                range.local.as_ptr(),
                &[],
            )
        };
        let event = event.map_err(|error| self.failed("running a kernel", error))?;
        Ok(Command(ManuallyDrop::new(event)))
    }

    /// Waits until everything in the queue is done.
    pub(super) fn finish(&self) -> Result<(), BenchError> {
        self.queue.0.finish().map_err(|error| self.failed("finishing", error))
    }

    /// When the device began and ended a command that is done, in its own nanoseconds.
    pub(super) fn times(&self, command: &Command) -> Result<(u64, u64), BenchError> {
        let start = command.0.profiling_command_start();
        let end = command.0.profiling_command_end();
        match (start, end) {
            (Ok(start), Ok(end)) => Ok((start, end)),
            (Err(error), _) | (_, Err(error)) => Err(self.failed("reading time stamps", error)),
        }
    }
}

/// That many units of a device. There is one part, and what is left is not used.
fn part_of(device: Device, units: u32) -> Result<OwnPart, ClError> {
    let properties =
        [CL_DEVICE_PARTITION_BY_COUNTS, units as isize, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0];
    let parts = device.create_sub_devices(&properties)?;
    let mut parts = parts.into_iter().map(|part| OwnPart(ManuallyDrop::new(part)));
    parts.next().ok_or(ClError(CL_DEVICE_PARTITION_FAILED))
}

fn failed(device: &str, what: &str, error: ClError) -> BenchError {
    BenchError::Device { device: device.to_owned(), cause: format!("{what}: {error}") }
}
