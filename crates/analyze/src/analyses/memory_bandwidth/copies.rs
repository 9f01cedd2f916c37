//! Copies and sets: where from, where to, how many bytes, how fast.

use eaves_model::{Interval, SliceId, SliceKind, StringId, Trace};
use serde::{Deserialize, Serialize};

use crate::{KernelType, RankView};

/// What a copy or memset does, by direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[repr(u8)]
pub(crate) enum CopyKind {
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
    PeerToPeer,
    HostToHost,
    /// A copy whose direction is not known, such as MTIA's `dma_request`, or one of arrays.
    OtherCopy,
    Set,
    /// A copy or memset that the driver runs as a kernel. Its bytes are not recorded.
    Kernel,
}

impl CopyKind {
    /// Every kind, in the order of its number.
    pub(crate) const ALL: [Self; 8] = [
        Self::HostToDevice,
        Self::DeviceToHost,
        Self::DeviceToDevice,
        Self::PeerToPeer,
        Self::HostToHost,
        Self::OtherCopy,
        Self::Set,
        Self::Kernel,
    ];

    /// Its name, as CUPTI and HTA spell it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::HostToDevice => "Memcpy HtoD",
            Self::DeviceToHost => "Memcpy DtoH",
            Self::DeviceToDevice => "Memcpy DtoD",
            Self::PeerToPeer => "Memcpy PtoP",
            Self::HostToHost => "Memcpy HtoH",
            Self::OtherCopy => "Memcpy other",
            Self::Set => "Memset",
            Self::Kernel => "Copy kernel",
        }
    }

    /// The kind of an activity that moves memory, by its kind, its name, and the direction recorded next to it.
    fn of(kind: SliceKind, name: &str, detail: &str) -> Self {
        if kind == SliceKind::Memset || name.contains("Memset") {
            return Self::Set;
        }
        match (Self::of_copy(name), Self::of_copy(detail)) {
            (Self::OtherCopy, Self::OtherCopy) if kind == SliceKind::Kernel => Self::Kernel,
            (Self::OtherCopy, told) => told,
            (known, _) => known,
        }
    }

    /// The direction in a text: `Memcpy HtoD (Pinned -> Device)` of CUPTI and roctracer, `CopyHostToDevice` of older
    /// roctracers, `MEMORY_COPY_HOST_TO_DEVICE` of rocprofv3.
    fn of_copy(text: &str) -> Self {
        let has = |parts: [&str; 3]| parts.iter().any(|part| text.contains(part));
        if has(["HtoD", "HostToDevice", "HOST_TO_DEVICE"]) {
            Self::HostToDevice
        } else if has(["DtoH", "DeviceToHost", "DEVICE_TO_HOST"]) {
            Self::DeviceToHost
        } else if has(["DtoD", "DeviceToDevice", "DEVICE_TO_DEVICE"]) {
            Self::DeviceToDevice
        } else if has(["PtoP", "PeerToPeer", "PEER_TO_PEER"]) {
            Self::PeerToPeer
        } else if has(["HtoH", "HostToHost", "HOST_TO_HOST"]) {
            Self::HostToHost
        } else {
            Self::OtherCopy
        }
    }
}

/// What memory on the host a copy reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostMemory {
    /// Ordinary memory: the driver copies it to a pinned buffer first.
    Pageable,
    /// Memory that the device reads and writes itself.
    Pinned,
    /// Not recorded (AMD), or there is none.
    Unknown,
}

impl HostMemory {
    /// From a name such as `Memcpy HtoD (Pageable -> Device)`.
    pub(super) fn of(name: &str) -> Self {
        if name.contains("Pageable") {
            Self::Pageable
        } else if name.contains("Pinned") {
            Self::Pinned
        } else {
            Self::Unknown
        }
    }
}

/// A selected copy or memset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Copy {
    pub(crate) kind: CopyKind,
    pub(super) name: StringId,
    /// The part inside the selected window of time.
    pub(crate) interval: Interval,
    /// Its bytes, of one that is cut by the window the same part.
    pub(super) bytes: Option<u64>,
    /// Bytes of the whole.
    pub(super) size: Option<u64>,
    /// Bytes per second, if they are known. Integers, so that sums have no residue.
    pub(crate) rate: Option<u64>,
    /// Its row in the view of GPU activities.
    pub(crate) index: usize,
}

/// More bytes in a second than any device moves: what claims more is damaged.
const HIGHEST_RATE: f64 = 1e18;

/// The copies and memsets of a rank, in the order of the file.
pub(crate) fn copies(rank: &RankView<'_>) -> Vec<Copy> {
    let (trace, gpu) = (rank.trace, &rank.gpu);
    (0..gpu.len())
        .filter(|&index| gpu.kernel_type[index] == KernelType::Memory)
        .map(|index| {
            let row = gpu.row[index].index();
            let slice = trace.gpu.slice[row].index();
            let (part, whole) = (gpu.interval[index], trace.slices.interval(slice));
            let size = trace.gpu.bytes[row].get().or_else(|| bytes_of_call(rank, index));
            let size = size.and_then(|bytes| u64::try_from(bytes).ok());
            let cut = |bytes: u64| scaled(bytes, part.length().0, whole.length().0);
            Copy {
                kind: CopyKind::of(
                    trace.slices.kind[slice],
                    trace.strings.get(gpu.name[index]),
                    trace.strings.get(trace.gpu.detail[row]),
                ),
                name: gpu.name[index],
                interval: part,
                bytes: if part == whole { size } else { size.map(cut) },
                size,
                rate: rate(trace, row, size, whole),
                index,
            }
        })
        .collect()
}

/// Bytes per second. What the profiler says is best: it knows nanoseconds also where the file has microseconds only.
fn rate(trace: &Trace, row: usize, size: Option<u64>, whole: Interval) -> Option<u64> {
    let told = trace.gpu.bandwidth_gbps[row].get().map(|rate| rate * 1e9);
    let told = told.filter(|rate| (0.0..=HIGHEST_RATE).contains(rate)).map(|rate| rate.round() as u64);
    told.or_else(|| {
        let rate = scaled(size?, 1_000_000_000, whole.length().0);
        (whole.length().0 > 0 && rate as f64 <= HIGHEST_RATE).then_some(rate)
    })
}

/// `value * part / whole`, rounded down; 0 of an empty whole.
fn scaled(value: u64, part: i64, whole: i64) -> u64 {
    let (part, whole) = (u128::from(part.unsigned_abs()), u128::from(whole.unsigned_abs()));
    let scaled = (u128::from(value) * part).checked_div(whole).unwrap_or(0);
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

/// Older roctracers record the bytes with the call only. A call that launched a graph has none.
fn bytes_of_call(rank: &RankView<'_>, index: usize) -> Option<i64> {
    let arguments = &rank.trace.runtime_arguments;
    if arguments.is_empty() {
        return None;
    }
    let call: SliceId = rank.links().launch(rank.gpu.row[index])?;
    let name = rank.trace.slice_name(call);
    // Rows are in the order of their slices.
    let row = arguments.slice.binary_search(&call).ok()?;
    arguments.bytes[row].get().filter(|_| name.contains("Memcpy") || name.contains("Memset"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_known_by_the_names_of_every_recorder() {
        let of = |name| CopyKind::of(SliceKind::Memcpy, name, "").name();
        assert_eq!(of("Memcpy HtoD (Pinned -> Device)"), "Memcpy HtoD");
        assert_eq!(of("Memcpy DtoH (Device -> Pageable)"), "Memcpy DtoH");
        assert_eq!(of("CopyDeviceToDevice"), "Memcpy DtoD");
        assert_eq!(of("Memcpy PtoP (Device -> Device)"), "Memcpy PtoP");
        assert_eq!(of("Memcpy DtoA (Device -> Array)"), "Memcpy other");
        assert_eq!(of("dma_request"), "Memcpy other");
        assert_eq!(CopyKind::of(SliceKind::Memcpy, "hipMemcpyAsync", "HtoD"), CopyKind::HostToDevice);
        assert_eq!(CopyKind::of(SliceKind::Memset, "Memset (Device)", "Device"), CopyKind::Set);
        assert_eq!(CopyKind::of(SliceKind::Kernel, "Memset (Unknown)", ""), CopyKind::Set);
        let kernel = |name| CopyKind::of(SliceKind::Kernel, name, "");
        assert_eq!(kernel("__amd_rocclr_copyBuffer"), CopyKind::Kernel);
        assert_eq!(kernel("MEMORY_COPY_DEVICE_TO_HOST"), CopyKind::DeviceToHost);
        assert_eq!(HostMemory::of("Memcpy DtoH (Device -> Pageable)"), HostMemory::Pageable);
        assert_eq!(HostMemory::of("Memcpy HtoD (Host -> Device)"), HostMemory::Unknown);
    }

    #[test]
    fn extreme_sizes_do_not_overflow() {
        assert_eq!(scaled(u64::MAX, i64::MAX, 1), u64::MAX);
        assert_eq!(scaled(100, 3, 7), 42);
        assert_eq!(scaled(100, 3, 0), 0);
    }
}
