//! The ranks of one job, as many as wanted, with a straggler and a slow link among them.
//!
//! Nothing is simulated event by event: a layer has a fixed shape, and when things happen on a rank follows from a few
//! numbers, so a rank costs what writing it costs. What ranks have in common, the ends of collectives, is worked out once.
//! As in real recordings, a bigger one has more layers in its few steps, and each layer gathers its weights once.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};

/// A job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    /// Ranks.
    pub(crate) count: u64,
    /// Bytes of the JSON of each, about.
    pub(crate) size: u64,
}

/// Ranks of one machine, which gather weights among themselves.
const MACHINE: u64 = 8;
const STEPS: u64 = 10;
/// Kernels of a layer.
const KERNELS: u64 = 32;
/// Bytes of a layer as it is written, about.
const LAYER_BYTES: u64 = 14_000;

/// Nanoseconds. The last rank to come decides when a collective moves; then it takes its own time. `LATE` is that of a
/// layer, and more than a slow gathering costs.
const LOADING: u64 = 200_000;
const LATE: u64 = 2_000_000;
const KERNEL: u64 = 400_000;
const JITTER: u64 = 8_000;
const GATHER: u64 = 100_000;
const SLOW_GATHER: u64 = 700_000;
const REDUCE: u64 = 300_000;

impl Job {
    /// The rank that loads its data slowly, so that all others wait for it.
    pub(crate) fn straggler(&self) -> u64 {
        // The first of its machine: all of these come late to what follows.
        self.count * 5 / 8 / MACHINE * MACHINE
    }

    /// The machine whose links are slow; never that of the straggler.
    pub(crate) fn slow_machine(&self) -> u64 {
        self.straggler() / MACHINE / 2
    }

    fn steps(&self) -> u64 {
        (self.size / LAYER_BYTES).clamp(2, STEPS)
    }

    /// Layers of a step.
    fn layers(&self) -> u64 {
        (self.size / self.steps() / LAYER_BYTES).max(1)
    }

    fn loading(&self, rank: u64) -> u64 {
        LOADING + if rank == self.straggler() { LATE * self.layers() } else { 0 }
    }

    fn gather(&self, rank: u64) -> u64 {
        if rank / MACHINE == self.slow_machine() { SLOW_GATHER } else { GATHER }
    }

    /// Length of a kernel: the same everywhere, but for a little. `place` counts the layers of all steps.
    fn kernel(&self, rank: u64, place: u64, kernel: u64) -> u64 {
        let mixed = (rank << 40 | place << 8 | kernel).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        KERNEL + (mixed >> 32) % JITTER
    }

    /// How long a rank computes a layer.
    fn computing(&self, rank: u64, place: u64) -> u64 {
        (0..KERNELS).map(|kernel| self.kernel(rank, place, kernel)).sum()
    }

    /// Where the layers of a step are in the count of all.
    fn places(&self, step: u64) -> std::ops::Range<u64> {
        step * self.layers()..(step + 1) * self.layers()
    }
}

/// When the collectives of a step end.
struct Step {
    start: u64,
    /// Of each machine, those of its layers.
    gathered: Vec<Vec<u64>>,
    reduced: u64,
}

fn steps(job: &Job) -> Vec<Step> {
    let mut start = 1_000_000;
    let mut steps = Vec::new();
    for step in 0..job.steps() {
        let gathered: Vec<Vec<u64>> = (0..job.count.div_ceil(MACHINE))
            .map(|machine| {
                let ranks = machine * MACHINE..((machine + 1) * MACHINE).min(job.count);
                let mut before = None;
                let layer = |place| {
                    let began = |rank| before.unwrap_or(start + job.loading(rank));
                    let arrived = ranks.clone().map(|rank| began(rank) + job.computing(rank, place)).max();
                    let end = arrived.unwrap_or(start) + job.gather(ranks.start);
                    before = Some(end);
                    end
                };
                job.places(step).map(layer).collect()
            })
            .collect();
        let last = gathered.iter().filter_map(|layers| layers.last()).max();
        let reduced = last.copied().unwrap_or(start) + REDUCE;
        steps.push(Step { start, gathered, reduced });
        start = reduced + 50_000;
    }
    steps
}

/// Writes a file for each rank.
pub(crate) fn write(folder: &Path, job: Job) -> Result<u64> {
    if job.count < 2 * MACHINE {
        bail!("`gen ranks` needs `--count` of {} or more", 2 * MACHINE);
    }
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let steps = steps(&job);
    let mut bytes = 0;
    for rank in 0..job.count {
        let path = folder.join(format!("rank{rank:05}.json"));
        let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
        let mut out = BufWriter::new(file);
        write_rank(&mut out, &job, &steps, rank)?;
        bytes += out.into_inner().map_err(|error| error.into_error())?.metadata()?.len();
    }
    Ok(bytes)
}

/// PyTorch writes of long lists the first thirty and the last.
fn listed(ranks: std::ops::Range<u64>) -> String {
    let last = ranks.end - 1;
    let texts: Vec<String> = ranks.clone().take(30).map(|rank| rank.to_string()).collect();
    match texts.len() as u64 == ranks.end - ranks.start {
        true => format!("[{}]", texts.join(", ")),
        false => format!("[{}, ..., {last}]", texts.join(", ")),
    }
}

/// Microseconds, as traces have them.
fn time(nanoseconds: u64) -> String {
    format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
}

fn write_rank(out: &mut impl Write, job: &Job, steps: &[Step], rank: u64) -> Result<()> {
    let (count, process) = (job.count, 1000 + rank);
    write!(
        out,
        "{{\"schemaVersion\": 1, \"deviceProperties\": [{{\"id\": 0, \"name\": \"NVIDIA A100-SXM4-80GB\", \
         \"totalGlobalMem\": 85174583296, \"computeMajor\": 8, \"computeMinor\": 0, \"numSms\": 108}}], \
         \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {rank}, \"world_size\": {count}}},\n\"traceEvents\": ["
    )?;
    let machine = rank / MACHINE;
    let of_machine = listed(machine * MACHINE..((machine + 1) * MACHINE).min(count));
    let of_all = listed(0..count);
    let mut correlation = 0;
    let mut comma = "";
    for (number, step) in steps.iter().enumerate() {
        let mut event = |out: &mut dyn Write,
                         cat: &str,
                         name: &str,
                         thread: u64,
                         (start, end): (u64, u64),
                         args: &str| {
            let device = matches!(cat, "kernel");
            let result = write!(
                out,
                "{comma}\n{{\"ph\": \"X\", \"cat\": \"{cat}\", \"name\": \"{name}\", \"pid\": {}, \"tid\": {thread}, \
                 \"ts\": {}, \"dur\": {}{args}}}",
                if device { 0 } else { process },
                time(start),
                time(end - start),
            );
            comma = ",";
            result
        };
        let begin = step.start;
        let end = step.reduced + 20_000;
        event(out, "user_annotation", &format!("ProfilerStep#{}", number + 1), process, (begin, end), "")?;
        let loaded = begin + job.loading(rank);
        let loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
        event(out, "user_annotation", loader, process, (begin + 1_000, loaded - 20_000), "")?;
        let mut at = loaded;
        let collective = |name: &str, elements: u64, group: &str, size: u64, ranks: &str| {
            format!(
                ", \"args\": {{\"device\": 0, \"stream\": 20, \"Collective name\": \"{name}\", \"In msg nelems\": {elements}, \
                 \"Out msg nelems\": {elements}, \"Group size\": {size}, \"dtype\": \"Float\", \
                 \"Process Group Name\": \"{group}\", \"Process Group Ranks\": \"{ranks}\"}}"
            )
        };
        let gather = collective("_allgather_base", 1 << 20, "1", MACHINE, &of_machine);
        let gathered = step.gathered.get(machine as usize).map_or(&[][..], Vec::as_slice);
        for (place, gathered) in job.places(number as u64).zip(gathered) {
            let launched = at - 18_000;
            for kernel in 0..KERNELS {
                correlation += 1;
                let launch = launched + 1_500 * kernel;
                let linked = format!(", \"args\": {{\"correlation\": {correlation}}}");
                event(out, "cpu_op", "aten::mm", process, (launch - 200, launch + 1_200), "")?;
                event(out, "cuda_runtime", "cudaLaunchKernel", process, (launch, launch + 1_000), &linked)?;
                let placed =
                    format!(", \"args\": {{\"correlation\": {correlation}, \"device\": 0, \"stream\": 7}}");
                let done = at + job.kernel(rank, place, kernel);
                event(out, "kernel", "ampere_sgemm_128x64_tn", 7, (at, done), &placed)?;
                at = done;
            }
            event(out, "kernel", "ncclDevKernel_AllGather_RING_LL", 20, (at, *gathered), &gather)?;
            at = *gathered;
        }
        let reduce = collective("allreduce", 1 << 22, "0", count, &of_all);
        event(out, "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, (at, step.reduced), &reduce)?;
    }
    write!(out, "\n]}}\n")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_waits_for_the_straggler_and_its_links_are_sound() {
        let job = Job { count: 64, size: 600_000 };
        assert_ne!(job.straggler() / MACHINE, job.slow_machine());
        for (number, step) in steps(&job).iter().enumerate() {
            let layers =
                job.places(number as u64).map(|place| job.computing(job.straggler(), place) + GATHER);
            let late = step.start + job.loading(job.straggler()) + layers.sum::<u64>() + REDUCE;
            // Others of its machine may compute a layer longer, by the little that differs.
            let little = job.layers() * KERNELS * JITTER;
            assert!((late..late + little).contains(&step.reduced), "{} {late}", step.reduced);
            let machine_of = job.straggler() / MACHINE;
            let others =
                step.gathered.iter().enumerate().filter(|(machine, _)| *machine as u64 != machine_of);
            assert!(others.flat_map(|(_, layers)| layers).all(|end| *end < late - REDUCE));
        }
    }

    #[test]
    fn lists_are_cut_as_pytorch_does() {
        assert_eq!(listed(8..10), "[8, 9]");
        assert!(listed(0..64).ends_with("28, 29, ..., 63]"));
    }

    #[test]
    fn a_rank_is_json_of_about_the_size() {
        let job = Job { count: 16, size: 100_000 };
        let mut bytes = Vec::new();
        write_rank(&mut bytes, &job, &steps(&job), 3).unwrap();
        assert!((50_000..200_000).contains(&bytes.len()), "{}", bytes.len());
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text.matches('{').count(), text.matches('}').count());
        assert!(text.contains("\"rank\": 3, \"world_size\": 16"));
        assert_eq!(
            text.matches("\"ph\"").count() as u64,
            job.steps() * (3 + job.layers() * (1 + 3 * KERNELS))
        );
    }
}
