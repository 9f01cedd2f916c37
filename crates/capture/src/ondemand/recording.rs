//! One order on its way: who was asked, and what of it is there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::order::{Extent, Order};
use crate::torch::TRACE;

/// Each process asks once a second; who has not until then is not part of it.
const GATHERING: Duration = Duration::from_millis(3500);
/// A process that has been told and is still ready after this has not heard it: Kineto waits for an answer for some
/// milliseconds only, which a busy machine may take, and says that it is not ready from then on that it has heard.
const UNHEARD: Duration = Duration::from_secs(5);
/// The end of a trace, with the name of its file, is within this many bytes.
const TAIL: u64 = 16 * 1024;

/// What a process is known to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    /// It starts others, or serves them.
    pub(super) aside: bool,
    /// It made a step of an optimizer.
    pub(super) stepping: bool,
}

/// How far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Nobody was asked yet.
    Nobody,
    /// That many processes record.
    Recording(usize),
    /// All is there that will be.
    Done(Vec<PathBuf>, Vec<i32>),
}

/// A process that was asked.
#[derive(Debug)]
struct Asked {
    /// When it was told last.
    told: Instant,
    /// What it wrote.
    file: Option<PathBuf>,
}

/// An order that is carried out.
#[derive(Debug)]
pub(super) struct Recording {
    order: Order,
    folder: PathBuf,
    /// Those that were asked.
    asked: BTreeMap<i32, Asked>,
    lost: Vec<i32>,
    /// When nobody else is asked any more.
    closing: Option<Instant>,
}

impl Recording {
    /// Begins one, in the first folder that is free.
    pub(super) fn new(order: Order, directory: &Path) -> io::Result<Self> {
        let mut number = 1;
        let folder = loop {
            let folder = directory.join(format!("recording-{number}"));
            match fs::create_dir(&folder) {
                Ok(()) => break folder,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        };
        fs::create_dir(partial(&folder))?;
        Ok(Self { order, folder, asked: BTreeMap::new(), lost: Vec::new(), closing: None })
    }

    /// What to tell a process that asks and is ready. Steps are asked for only of processes that made one: Kineto would
    /// record half a second of the others, and not say so.
    pub(super) fn offer(&mut self, process: i32, kind: Kind, now: Instant) -> Option<String> {
        let wanted = match self.order.extent {
            Extent::Steps(_) => kind.stepping,
            Extent::Duration(_) => true,
        };
        let closed = self.closing.is_some_and(|closing| now >= closing);
        if let Some(asked) = self.asked.get_mut(&process) {
            let begun = asked.file.is_some() || written(&self.folder, process).exists();
            if begun || now < asked.told + UNHEARD {
                return None;
            }
            asked.told = now;
        } else if kind.aside || !wanted || closed {
            return None;
        } else {
            self.closing.get_or_insert(now + GATHERING);
            self.asked.insert(process, Asked { told: now, file: None });
        }
        Some(self.order.config(&partial(&self.folder).join("trace.json")))
    }

    /// Looks for what was written. What is whole gets its name.
    pub(super) fn advance(
        &mut self,
        now: Instant,
        is_alive: impl Fn(i32) -> bool,
        rank: impl Fn(i32) -> Option<u32>,
    ) -> io::Result<Progress> {
        for (process, asked) in self.asked.iter_mut().filter(|(_, asked)| asked.file.is_none()) {
            // One that ended may have written it before.
            let alive = is_alive(*process);
            let written = written(&self.folder, *process);
            if is_whole(&written) {
                let rank = rank(*process).map(|rank| format!("rank{rank}_")).unwrap_or_default();
                let to = self.folder.join(format!("{rank}pid{process}{TRACE}"));
                fs::rename(written, &to)?;
                asked.file = Some(to);
            } else if !alive && !self.lost.contains(process) {
                self.lost.push(*process);
            }
        }
        let Some(closing) = self.closing else { return Ok(Progress::Nobody) };
        let found: Vec<PathBuf> = self.asked.values().filter_map(|asked| asked.file.clone()).collect();
        let open = self.asked.len() - found.len() - self.lost.len();
        if open > 0 || now < closing {
            return Ok(Progress::Recording(self.asked.len()));
        }
        drop(fs::remove_dir_all(partial(&self.folder)));
        Ok(Progress::Done(found, self.lost.clone()))
    }

    /// True if it is steps that are wanted, and not a time.
    pub(super) fn wants_steps(&self) -> bool {
        matches!(self.order.extent, Extent::Steps(_))
    }

    /// Nobody waits for it any more. What processes write yet is left.
    pub(super) fn abandon(self) {
        if self.asked.is_empty() {
            drop(fs::remove_dir_all(&self.folder));
        }
    }
}

fn partial(folder: &Path) -> PathBuf {
    folder.join("partial")
}

/// Where a process writes: Kineto puts its number into the name.
fn written(folder: &Path, process: i32) -> PathBuf {
    partial(folder).join(format!("trace_{process}.json"))
}

/// True if a trace is written to its end: Kineto writes the name of the trace last.
fn is_whole(path: &Path) -> bool {
    let tail = || -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut tail = Vec::new();
        file.take(TAIL).read_to_end(&mut tail)?;
        Ok(tail)
    };
    tail().is_ok_and(|tail| {
        let name = b"\"traceName\"";
        tail.trim_ascii_end().ends_with(b"}") && tail.windows(name.len()).any(|window| window == name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: Order =
        Order { extent: Extent::Steps(3), align: 1, stacks: false, shapes: false, memory: false };
    const STEPPING: Kind = Kind { aside: false, stepping: true };
    const WHOLE: &str = "{\"traceEvents\": [{}],\n  \"traceName\": \"x.json\"\n}\n";

    fn nobody(_: i32) -> Option<u32> {
        None
    }

    #[test]
    fn all_that_step_are_asked_once_and_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let mut recording = Recording::new(STEPS, directory.path()).unwrap();
        let start = Instant::now();
        // One that starts the others, and one that has not stepped yet.
        assert_eq!(recording.offer(1, Kind { aside: true, stepping: true }, start), None);
        assert_eq!(recording.offer(2, Kind::default(), start), None);
        assert_eq!(recording.advance(start, |_| true, nobody).unwrap(), Progress::Nobody);
        assert!(recording.offer(2, STEPPING, start).is_some_and(|config| config.contains("ITERATIONS=3")));
        assert_eq!(recording.offer(2, STEPPING, start), None);
        assert!(recording.offer(3, STEPPING, start + Duration::from_secs(1)).is_some());
        let later = start + GATHERING;
        assert_eq!(recording.offer(4, STEPPING, later), None, "too late");
        let partial = directory.path().join("recording-1/partial");
        fs::write(partial.join("trace_2.json"), WHOLE).unwrap();
        fs::write(partial.join("trace_3.json"), &WHOLE[..30]).unwrap();
        assert_eq!(recording.advance(later, |_| true, nobody).unwrap(), Progress::Recording(2));
        assert!(!directory.path().join("recording-1/pid3.pt.trace.json").exists());
        fs::write(partial.join("trace_3.json"), WHOLE).unwrap();
        let files =
            ["pid2", "rank1_pid3"].map(|name| directory.path().join(format!("recording-1/{name}{TRACE}")));
        let done = Progress::Done(files.to_vec(), vec![]);
        assert_eq!(recording.advance(later, |_| true, |_| Some(1)).unwrap(), done);
        assert!(!partial.exists());
    }

    #[test]
    fn who_is_still_ready_long_after_it_was_told_is_told_again() {
        let directory = tempfile::tempdir().unwrap();
        let mut recording = Recording::new(STEPS, directory.path()).unwrap();
        let start = Instant::now();
        assert!(recording.offer(2, STEPPING, start).is_some());
        assert_eq!(recording.offer(2, STEPPING, start + UNHEARD / 2), None);
        // Also when nobody new is asked any more.
        assert!(recording.offer(2, STEPPING, start + UNHEARD).is_some());
        assert_eq!(recording.offer(2, STEPPING, start + UNHEARD), None);
        let partial = directory.path().join("recording-1/partial");
        fs::write(partial.join("trace_2.json"), &WHOLE[..30]).unwrap();
        assert_eq!(recording.offer(2, STEPPING, start + 3 * UNHEARD), None, "it writes");
    }

    #[test]
    fn a_process_that_ends_is_not_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let order = Order { extent: Extent::Duration(Duration::from_secs(1)), ..STEPS };
        let mut recording = Recording::new(order, directory.path()).unwrap();
        let start = Instant::now();
        // A time needs no steps.
        assert!(recording.offer(7, Kind::default(), start).is_some());
        assert_eq!(recording.advance(start, |_| false, nobody).unwrap(), Progress::Recording(1));
        assert_eq!(
            recording.advance(start + GATHERING, |_| false, nobody).unwrap(),
            Progress::Done(vec![], vec![7])
        );
        Recording::new(order, directory.path()).unwrap().abandon();
        assert!(!directory.path().join("recording-2").exists());
    }
}
