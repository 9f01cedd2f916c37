//! A training job: what runs, and how it is recorded.

use std::io;

use super::document::Document;
use super::habits::Habits;
use super::kineto::Writer;
use super::loading::Loading;
use super::pace::Pace;
use super::random::Random;
use super::recorder::Process;
use super::tensor::Element;
use super::training::{self, Place, Reading, Shape, Trainer};

/// A job and how it is recorded.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// The name the trace gives itself.
    pub(crate) file: &'static str,
    pub(crate) seed: u64,
    pub(crate) shape: Shape,
    /// Length of the texts.
    pub(crate) sequence: u64,
    pub(crate) steps: u64,
    pub(crate) with_stack: bool,
    pub(crate) with_shapes: bool,
    /// How each rank loads its data.
    pub(crate) loading: Vec<Loading>,
    pub(crate) reading: Reading,
    /// Bytes per nanosecond between two ranks.
    pub(crate) link: u64,
    /// Whether gradients are summed over ranks.
    pub(crate) distributed: bool,
    pub(crate) element: Element,
    pub(crate) habits: Habits,
    /// How fast the device of each rank is; that of the last holds for all further ones.
    pub(crate) pace: Vec<Pace>,
}

/// Steps of a run that only tells how long a step takes: one, and as many as every rhythm of a fault fits into.
const STEPS_OF_THE_TRUTH: u64 = 1 + 12;

const FIRST_STEP: u64 = 3;
/// When the jobs were recorded, in nanoseconds after the base time.
const START: u64 = 4_213_371_902_118_000;

impl Job {
    /// How long a step takes in the long run, in nanoseconds: the mean of the whole job, without the first one.
    pub(crate) fn step_time(&self) -> u64 {
        let ends = Self { steps: STEPS_OF_THE_TRUTH, ..self.clone() }.run().ends;
        let steady = ends.last().zip(ends.first()).map_or(0, |(last, first)| last - first);
        steady / (STEPS_OF_THE_TRUTH - 1)
    }

    fn run(&self) -> Done {
        let mut random = Random::new(self.seed);
        let world = self.loading.len() as u64;
        let mut documents = Vec::new();
        let mut ranks = Vec::new();
        for (rank, &loading) in (0..).zip(&self.loading) {
            let process = Process {
                id: 48_210 + rank,
                autograd_thread: 48_377 + 3 * rank,
                device: rank,
                with_stack: self.with_stack,
                with_shapes: self.with_shapes,
                small_calls: 0,
                seed: random.next(),
                start: START + rank * 912_377,
            };
            let trace_id = u128::from(random.next()) << 64 | u128::from(random.next());
            documents.push(Document { process, rank, world, trace_id, name: self.file });
            let (reading, link, element, habits) = (self.reading, self.link, self.element, self.habits);
            let place = Place { rank, world, loading, reading, link, element, habits };
            let mut trainer = Trainer::new(process, self.shape, place);
            trainer.sequence = self.sequence;
            trainer.distributed = self.distributed;
            let pace = self.pace.get(rank as usize).or(self.pace.last()).copied().unwrap_or_default();
            trainer.recorder.device.pace = Pace { element_bytes: self.element.bytes(), ..pace };
            trainer.start();
            ranks.push(trainer);
        }
        // A step before the recording fills the allocator's cache, as the profiler's warm-up does.
        training::step(&mut ranks, FIRST_STEP - 1, &mut random, |_| 0);
        for (rank, document) in ranks.iter_mut().zip(&mut documents) {
            document.process.start = rank.restart();
        }
        let mut ends = Vec::new();
        for number in FIRST_STEP..FIRST_STEP + self.steps {
            training::step(&mut ranks, number, &mut random, |_| 0);
            ends.push(ranks.iter().map(|rank| rank.recorder.device_done()).max().unwrap_or(0));
        }
        Done { ranks, documents, ends }
    }

    /// The trace of every rank.
    pub(crate) fn record(&self) -> io::Result<Vec<Vec<u8>>> {
        let Done { ranks, documents, .. } = self.run();
        let mut traces = Vec::new();
        for (mut rank, document) in ranks.into_iter().zip(documents) {
            let end = rank.stop();
            let mut writer = Writer::new(Vec::new(), document.process.id, document.process.device);
            writer.raw(&document.header())?;
            rank.recorder.events.sort();
            writer.events(&rank.recorder.events)?;
            writer.raw(&document.footer(end).0)?;
            traces.push(writer.finish()?);
        }
        Ok(traces)
    }
}

/// A job that has run.
struct Done {
    ranks: Vec<Trainer>,
    documents: Vec<Document>,
    /// When the devices were done with each step.
    ends: Vec<u64>,
}
