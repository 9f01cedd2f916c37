//! Jobs that spend their time in one way each, so that it is known what a report must say of them.

use anyhow::Result;

use crate::simulate::document::Document;
use crate::simulate::kineto::Writer;
use crate::simulate::loading::Loading;
use crate::simulate::random::Random;
use crate::simulate::recorder::Process;
use crate::simulate::training::{self, Place, Reading, Shape, Trainer};

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
}

const FIRST_STEP: u64 = 3;
const WORKERS: Loading = Loading::Workers { queue: (18_000, 31_000) };
/// When the jobs were recorded, in nanoseconds after the base time.
const START: u64 = 4_213_371_902_118_000;
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
    },
];

impl Scenario {
    /// The trace of every rank.
    pub(super) fn record(&self) -> Result<Vec<Vec<u8>>> {
        let mut random = Random::new(self.seed);
        let world = self.loading.len() as u64;
        let mut documents = Vec::new();
        let mut ranks = Vec::new();
        for (rank, &loading) in (0..).zip(self.loading) {
            let process = Process {
                id: 48_210 + rank,
                autograd_thread: 48_377 + 3 * rank,
                device: rank,
                with_stack: self.with_stack,
                small_calls: 0,
                seed: random.next(),
                start: START + rank * 912_377,
            };
            let trace_id = u128::from(random.next()) << 64 | u128::from(random.next());
            documents.push(Document { process, rank, world, trace_id, name: self.file });
            let place = Place { rank, world, loading, reading: self.reading, link: self.link };
            let mut trainer = Trainer::new(process, self.shape, place);
            trainer.sequence = self.sequence;
            trainer.start();
            ranks.push(trainer);
        }
        // A step before the recording fills the allocator's cache, as the profiler's warm-up does.
        training::step(&mut ranks, FIRST_STEP - 1, &mut random, |_| 0);
        for (rank, document) in ranks.iter_mut().zip(&mut documents) {
            document.process.start = rank.restart();
        }
        for number in FIRST_STEP..FIRST_STEP + self.steps {
            training::step(&mut ranks, number, &mut random, |_| 0);
        }
        let mut files = Vec::new();
        for (mut rank, document) in ranks.into_iter().zip(documents) {
            let end = rank.stop();
            let mut writer = Writer::new(Vec::new(), document.process.id, document.process.device);
            writer.raw(&document.header())?;
            rank.recorder.events.sort();
            writer.events(&rank.recorder.events)?;
            writer.raw(&document.footer(end).0)?;
            files.push(writer.finish()?);
        }
        Ok(files)
    }
}
