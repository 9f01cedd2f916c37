//! Jobs that spend their time in one way each, so that it is known what a report must say of them.

use crate::simulate::habits::Habits;
use crate::simulate::job::Job;
use crate::simulate::loading::Loading;
use crate::simulate::tensor::Element;
use crate::simulate::training::{Reading, Shape};

/// A job and how it is recorded.
pub(super) struct Scenario {
    /// The folder of its files, and the name the trace gives itself.
    pub(super) name: &'static str,
    file: &'static str,
    seed: u64,
    shape: Shape,
    /// Length of the texts.
    sequence: u64,
    steps: u64,
    with_stack: bool,
    /// How each rank loads its data.
    loading: &'static [Loading],
    reading: Reading,
    /// Bytes per nanosecond between two ranks.
    link: u64,
    habits: fn() -> Habits,
}

const WORKERS: Loading = Loading::Workers { queue: (18_000, 31_000) };
/// Two devices of one machine, over PCIe and over NVLink, and two machines over Ethernet.
const PCIE: u64 = 19;
const NVLINK: u64 = 230;
const ETHERNET: u64 = 3;

pub(super) const ALL: &[Scenario] = &[
    // Two ranks of which the second reads from a slow disk, so the first waits for it.
    Scenario {
        name: "training",
        file: "training.pt.trace.json",
        seed: 20_250_923,
        shape: Shape { layers: 3, hidden: 768, heads: 12, vocabulary: 16_000, batch: 16 },
        sequence: 512,
        steps: 3,
        with_stack: true,
        loading: &[
            Loading::InProcess { decoding: (52_000, 68_000) },
            Loading::InProcess { decoding: (390_000, 440_000) },
        ],
        reading: Reading::Now(1),
        link: PCIE,
        habits: Habits::default,
    },
    // Kernels so long that the host is always ahead: workers load the data, nothing is read from the device before it
    // has the next step, and the link is fast.
    Scenario {
        name: "healthy",
        file: "healthy.pt.trace.json",
        seed: 1,
        shape: Shape { layers: 1, hidden: 1_024, heads: 16, vocabulary: 16_000, batch: 16 },
        sequence: 512,
        steps: 4,
        with_stack: false,
        loading: &[WORKERS; 2],
        reading: Reading::OneBehind,
        link: NVLINK,
        habits: Habits::default,
    },
    // Kernels so short that no launch comes in time, and four numbers read in every step.
    Scenario {
        name: "host-bound",
        file: "host_bound.pt.trace.json",
        seed: 2,
        shape: Shape { layers: 1, hidden: 128, heads: 4, vocabulary: 1_024, batch: 2 },
        sequence: 64,
        steps: 3,
        with_stack: true,
        loading: &[Loading::Workers { queue: (3_000, 5_000) }],
        reading: Reading::Now(4),
        link: PCIE,
        habits: Habits::default,
    },
    // The healthy job over a slow network.
    Scenario {
        name: "communication-bound",
        file: "communication_bound.pt.trace.json",
        seed: 3,
        shape: Shape { layers: 1, hidden: 1_024, heads: 16, vocabulary: 16_000, batch: 16 },
        sequence: 512,
        steps: 4,
        with_stack: false,
        loading: &[WORKERS; 2],
        reading: Reading::OneBehind,
        link: ETHERNET,
        habits: Habits::default,
    },
    // A small model with the vocabulary of GPT-2. 50257 is odd, so the largest products read their operands element by
    // element, at a fraction of their speed.
    Scenario {
        name: "unpadded",
        file: "unpadded.pt.trace.json",
        seed: 4,
        shape: Shape { layers: 1, hidden: 1_024, heads: 16, vocabulary: 50_257, batch: 8 },
        sequence: 512,
        steps: 3,
        with_stack: false,
        loading: &[WORKERS],
        reading: Reading::OneBehind,
        link: NVLINK,
        habits: || Habits { unaligned: 400, ..Habits::default() },
    },
    // The same with the vocabulary padded to a multiple of 64.
    Scenario {
        name: "padded",
        file: "padded.pt.trace.json",
        seed: 4,
        shape: Shape { layers: 1, hidden: 1_024, heads: 16, vocabulary: 50_304, batch: 8 },
        sequence: 512,
        steps: 3,
        with_stack: false,
        loading: &[WORKERS],
        reading: Reading::OneBehind,
        link: NVLINK,
        habits: Habits::default,
    },
];

impl Scenario {
    /// The job that it describes.
    pub(super) fn job(&self) -> Job {
        Job {
            file: self.file,
            seed: self.seed,
            shape: self.shape,
            sequence: self.sequence,
            steps: self.steps,
            with_stack: self.with_stack,
            with_shapes: true,
            loading: self.loading.to_vec(),
            reading: self.reading,
            link: self.link,
            distributed: true,
            element: Element::BFloat16,
            habits: (self.habits)(),
            pace: Vec::new(),
        }
    }
}
