//! Processes, threads, devices and streams.

use eaves_model::{Diagnostics, Ident, Strings, TrackId, Tracks};

use super::super::Map;
use crate::sqlite::{Database, Error};

/// Numbers of threads are serialized: eight bits of the hardware, eight of the machine, 24 of the process and 24 of the
/// thread, from the highest on.
const THREAD_BITS: u32 = 24;
const MACHINE_BITS: u32 = 48;

/// Calls of another process may have the same correlation numbers. They are raised by so much for every process.
const PROCESS_SHIFT: u32 = 40;

/// The process of a thread.
pub(super) fn process_of(thread: i64) -> i64 {
    thread & !((1 << THREAD_BITS) - 1)
}

/// The number of a process in its system.
pub(super) fn number_of(process: i64) -> i64 {
    process >> THREAD_BITS & ((1 << THREAD_BITS) - 1)
}

/// What tracks know a device by. Devices go by name: their numbers are small, as are those of processes in a container.
pub(super) fn device_title(device: i64) -> String {
    if device < 0 { "unknown device".to_owned() } else { format!("GPU {device}") }
}

/// Where things happened.
#[derive(Default)]
pub(super) struct Places {
    /// Processes in the order they were met.
    processes: Vec<i64>,
    /// Where each of them is in that order.
    indices: Map<i64, usize>,
    /// Rows of one process mostly follow each other.
    last_process: Option<(i64, usize)>,
    /// Number of the GPU, by number of the process and of the device in it.
    devices: Map<(i64, i64), i64>,
    /// Streams that were met: process, device, stream.
    streams: Map<(i64, i64, i64), TrackId>,
    /// The process that the plain name of a stream is taken by.
    owners: Map<(i64, i64), i64>,
    last: Option<((i64, i64, i64), TrackId)>,
    last_thread: Option<(i64, TrackId)>,
}

impl Places {
    /// Which GPU is which device of which process: `CUDA_VISIBLE_DEVICES` numbers them again for each.
    pub(super) fn read_devices(
        &mut self,
        database: &Database<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Error> {
        let Some(table) = database.table("TARGET_INFO_CUDA_DEVICE") else { return Ok(()) };
        table.scan(&["pid", "cudaId", "gpuId"], diagnostics, |row| {
            if let (Some(process), Some(device), Some(gpu)) = (row.integer(0), row.integer(1), row.integer(2))
            {
                self.devices.insert((process, device), gpu);
            }
        })
    }

    /// True if devices are known by the numbers of their GPUs.
    pub(super) fn has_devices(&self) -> bool {
        !self.devices.is_empty()
    }

    /// The number of a device over all processes.
    pub(super) fn device(&self, process: i64, device: i64) -> i64 {
        self.devices.get(&(number_of(process), device)).copied().unwrap_or(device)
    }

    /// Processes in the order they were met.
    pub(super) fn processes(&self) -> &[i64] {
        &self.processes
    }

    /// True if something of the process was met.
    pub(super) fn is_met(&self, process: i64) -> bool {
        self.indices.contains_key(&process)
    }

    /// The devices that have a track, in the order of their numbers.
    pub(super) fn devices_met(&self) -> Vec<i64> {
        let mut devices: Vec<i64> = self.owners.keys().map(|(device, _)| *device).collect();
        devices.sort_unstable();
        devices.dedup();
        devices
    }

    /// Which of the processes it is.
    pub(super) fn index(&mut self, process: i64) -> usize {
        match self.last_process {
            Some((last, index)) if last == process => return index,
            _ => {}
        }
        let processes = &mut self.processes;
        let index = *self.indices.entry(process).or_insert_with(|| {
            processes.push(process);
            processes.len() - 1
        });
        self.last_process = Some((process, index));
        index
    }

    /// A process as tracks know it.
    pub(super) fn ident(&mut self, process: i64) -> Ident {
        let index = self.index(process);
        let first = self.processes.first().copied().unwrap_or(process);
        // Of other machines the whole number tells processes apart.
        let is_near = index == 0 || first >> MACHINE_BITS == process >> MACHINE_BITS;
        Ident::number(if is_near { number_of(process) } else { process >> THREAD_BITS })
    }

    /// The track of a thread.
    #[inline]
    pub(super) fn thread(&mut self, thread: Option<i64>, tracks: &mut Tracks) -> TrackId {
        match (self.last_thread, thread) {
            (Some((last, track)), Some(thread)) if last == thread => track,
            _ => self.another_thread(thread, tracks),
        }
    }

    fn another_thread(&mut self, thread: Option<i64>, tracks: &mut Tracks) -> TrackId {
        let Some(thread) = thread else { return tracks.get_or_add(Ident::NONE, Ident::NONE) };
        let process = self.ident(process_of(thread));
        let track = tracks.get_or_add(process, Ident::number(thread & ((1 << THREAD_BITS) - 1)));
        self.last_thread = Some((thread, track));
        track
    }

    /// The track of a stream. Streams of several processes on one device are kept apart.
    pub(super) fn stream(
        &mut self,
        (process, device, stream): (i64, i64, i64),
        tracks: &mut Tracks,
        strings: &mut Strings,
    ) -> TrackId {
        let key = (process, device, stream);
        match self.last {
            Some((last, track)) if last == key => return track,
            _ => {}
        }
        let track = match self.streams.get(&key) {
            Some(track) => *track,
            None => {
                let owner = *self.owners.entry((device, stream)).or_insert(process);
                let (thread, name) = if owner == process {
                    // Waiting for a device waits for no stream of it.
                    let name = if stream < 0 { "all streams".to_owned() } else { format!("stream {stream}") };
                    (Ident::number(stream), name)
                } else {
                    let name = format!("stream {stream} of process {}", number_of(process));
                    (Ident::text(strings.intern(&name)), name)
                };
                let place = Ident::text(strings.intern(&device_title(device)));
                let track = tracks.get_or_add(place, thread);
                tracks.threads.name[track.index()] = strings.intern(&name);
                self.streams.insert(key, track);
                track
            }
        };
        self.last = Some((key, track));
        track
    }

    /// The correlation number of a process, such that no other process has it.
    pub(super) fn correlation(&mut self, process: i64, number: Option<i64>) -> Option<i64> {
        // CUPTI counts from 1.
        let number = number.filter(|number| *number > 0)?;
        let raised = (self.index(process) as i64) << PROCESS_SHIFT;
        number.checked_add(raised)
    }
}
