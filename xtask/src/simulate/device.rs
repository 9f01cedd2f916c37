//! The device side of one process: two streams that work in order, and collectives that wait for each other.

use super::events::{Activity, ActivityEvent, Function, Launch, Name, Text};
use super::pace::{Cost, Pace};
use super::random::Random;
use super::recorder::Recorder;

/// The stream PyTorch computes on.
pub(crate) const COMPUTE_STREAM: u64 = 7;
/// The stream NCCL communicates on.
pub(crate) const COMMUNICATION_STREAM: u64 = 20;

/// Kernels that want more have to ask for it.
const SHARED_MEMORY_BY_DEFAULT: u64 = 49_151;

/// A kernel to launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel {
    pub(crate) name: Name,
    pub(crate) function: Function,
    pub(crate) launch: Launch,
    pub(crate) cost: Cost,
}

/// A collective whose end depends on the other ranks.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// The kernel and its range among the recorded activities.
    activities: [usize; 2],
    /// When its inputs are there.
    ready: u64,
    /// How long the transfer takes once every rank takes part.
    transfer: u64,
}

/// The streams of a device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Device {
    pub(crate) pace: Pace,
    compute_free: u64,
    communication_free: u64,
    pending: Vec<Pending>,
}

impl Device {
    /// A host range on the device. Kineto lets it begin 1 ns early, so that viewers nest it properly.
    pub(crate) fn annotation(&self, name: Name, external_id: u64, start: u64, end: u64) -> ActivityEvent {
        ActivityEvent {
            name,
            activity: Activity::Annotation,
            stream: COMPUTE_STREAM,
            start: start - 1,
            duration: end - start + 1,
            correlation: 0,
            external_id,
        }
    }
}

impl Recorder {
    /// Launches a kernel on the compute stream.
    pub(crate) fn launch(&mut self, kernel: Kernel) {
        if kernel.launch.shared_memory > SHARED_MEMORY_BY_DEFAULT {
            self.call(Function::OCCUPANCY, 500, 1_100, false);
            self.call(Function::SET_ATTRIBUTE, 300, 900, false);
        }
        let (correlation, called) = self.call(kernel.function, 2_400, 4_800, true);
        let duration = self.random.around(self.device.pace.nanoseconds(kernel.cost), 25);
        let activity = Activity::Kernel(kernel.launch, Text::default());
        let name = self.named_by_element(kernel.name);
        self.run(name, activity, correlation, called, duration);
    }

    /// The same kernel of a model in float32.
    fn named_by_element(&mut self, name: Name) -> Name {
        match name {
            Name::Fixed(text) if self.device.pace.element_bytes == 4 && text.contains("c10::BFloat16") => {
                let text = text.replace("c10::BFloat16", "float");
                self.events.name(format_args!("{text}"))
            }
            name => name,
        }
    }

    /// Copies within the device on the compute stream. Every byte is read and written.
    pub(crate) fn copy_on_device(&mut self, bytes: u64) {
        let (correlation, called) = self.call(Function::MEMCPY, 3_500, 7_500, true);
        let cost = Cost::Work { flop: 0, bytes: 2 * bytes, rate: Cost::TUNED };
        let pace = Pace { element_bytes: 2, ..self.device.pace };
        let duration = self.random.around(pace.nanoseconds(cost), 20);
        self.run(
            "Memcpy DtoD (Device -> Device)".into(),
            Activity::Copy(bytes),
            correlation,
            called,
            duration,
        );
    }

    /// Copies from memory that the device cannot read by itself, at this many bytes per microsecond: the driver waits
    /// for the stream, moves the bytes piece by piece into memory of its own, and returns when all are there.
    pub(crate) fn copy_pageable(&mut self, bytes: u64, bytes_per_microsecond: u64) {
        let duration = self.random.around(4_000 + 1_000 * bytes / bytes_per_microsecond, 20);
        let left = self.device.compute_free.saturating_sub(self.now()) + duration;
        let (correlation, called) = self.call_waiting(Function::MEMCPY, left, (3_500, 7_500), true);
        let name = "Memcpy HtoD (Pageable -> Device)".into();
        self.run(name, Activity::Copy(bytes), correlation, called, duration);
    }

    /// Copies between host and device on the compute stream.
    pub(crate) fn copy(&mut self, name: &'static str, bytes: u64) {
        let (correlation, called) = self.call(Function::MEMCPY, 3_500, 7_500, true);
        // PCIe 4.0 x16 moves about 24 GB/s.
        let duration = self.random.around(1_400 + bytes / 24, 20);
        self.run(name.into(), Activity::Copy(bytes), correlation, called, duration);
    }

    /// Clears device memory on the compute stream.
    pub(crate) fn clear(&mut self, bytes: u64) {
        let (correlation, called) = self.call(Function::MEMSET, 2_000, 3_600, true);
        let duration = self.random.around(1_200 + bytes / 1_500, 20);
        self.run("Memset (Device)".into(), Activity::Set(bytes), correlation, called, duration);
    }

    fn run(&mut self, name: Name, activity: Activity, correlation: u64, called: u64, duration: u64) {
        let arrives = called + self.random.between(2_100, 3_900);
        let gap = self.random.between(700, 1_300);
        let start = arrives.max(self.device.compute_free + gap);
        self.device.compute_free = start + duration;
        self.cover(start, start + duration);
        let external_id = self.external_id().unwrap_or(correlation);
        self.events.activities.push(ActivityEvent {
            name,
            activity,
            stream: COMPUTE_STREAM,
            start,
            duration,
            correlation,
            external_id,
        });
    }

    /// Launches a collective on the communication stream. Its times are known after [`finish_collectives`].
    pub(crate) fn launch_collective(&mut self, kernel: Kernel, arguments: Text) {
        self.call(Function::EVENT_RECORD, 900, 1_800, false);
        self.call(Function::STREAM_WAIT_EVENT, 800, 1_500, false);
        let (correlation, called) = self.call(kernel.function, 5_000, 9_000, true);
        let arrives = called + self.random.between(2_100, 3_900);
        let external_id = self.external_id().unwrap_or(correlation);
        let event = ActivityEvent {
            name: kernel.name,
            activity: Activity::Kernel(kernel.launch, arguments),
            stream: COMMUNICATION_STREAM,
            start: 0,
            duration: 0,
            correlation,
            external_id,
        };
        let range = ActivityEvent {
            name: "nccl:all_reduce".into(),
            activity: Activity::Annotation,
            external_id: external_id + 1,
            correlation: 0,
            ..event
        };
        let first = self.events.activities.len();
        self.events.activities.extend([event, range]);
        self.device.pending.push(Pending {
            activities: [first, first + 1],
            ready: arrives.max(self.device.compute_free + 1_000),
            transfer: self.device.pace.nanoseconds(kernel.cost),
        });
        self.call(Function::EVENT_RECORD, 900, 1_800, false);
    }

    /// Waits until the compute stream is empty.
    pub(crate) fn synchronize(&mut self, function: Function) {
        self.wait_until(function, self.device.compute_free);
    }

    /// Waits until the device has come to an instant.
    pub(crate) fn wait_until(&mut self, function: Function, instant: u64) {
        let left = instant.saturating_sub(self.now());
        self.call_waiting(function, left, (2_500, 5_500), false);
    }

    /// When the device is done with everything launched so far.
    pub(crate) fn device_done(&self) -> u64 {
        self.device.compute_free.max(self.device.communication_free)
    }
}

/// Ends the collectives of all ranks: a collective starts on each rank when that rank is ready and ends on all of
/// them when the last one is. `absent` gives how much later ranks that are not simulated come.
pub(crate) fn finish_collectives<'a>(
    ranks: impl IntoIterator<Item = &'a mut Recorder>,
    random: &mut Random,
    mut absent: impl FnMut(&mut Random) -> u64,
) {
    let mut ranks: Vec<&mut Recorder> = ranks.into_iter().collect();
    let count = ranks.first().map_or(0, |rank| rank.device.pending.len());
    for index in 0..count {
        let starts: Vec<u64> = ranks
            .iter()
            .map(|rank| rank.device.pending[index].ready.max(rank.device.communication_free + 900))
            .collect();
        let last = starts.iter().copied().max().unwrap_or(0) + absent(random);
        for (rank, start) in ranks.iter_mut().zip(starts) {
            let Pending { activities: [kernel, range], transfer, .. } = rank.device.pending[index];
            let end = last + random.around(transfer, 4);
            let activities = &mut rank.events.activities;
            (activities[kernel].start, activities[kernel].duration) = (start, end - start);
            (activities[range].start, activities[range].duration) = (start - 1, end - start + 1);
            rank.device.communication_free = end;
        }
    }
    for rank in ranks {
        rank.device.pending.clear();
        // The optimizer waits for the gradients by an event on the compute stream.
        rank.device.compute_free = rank.device.compute_free.max(rank.device.communication_free);
    }
}
