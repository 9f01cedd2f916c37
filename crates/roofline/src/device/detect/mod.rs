//! Which devices a machine has, from what its system says about them. Nothing is measured, and nothing is assumed.

mod amd;
mod cpu;
mod nvidia;

use std::path::{Path, PathBuf};

use super::{Confidence, Device, Fact, Source, Unknown};

/// Where to look.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The root of the file system: `/`, or where that of another machine is mounted.
    pub root: PathBuf,
    /// What `nvidia-smi --query-gpu=name --format=csv,noheader` printed, for systems without the files.
    pub nvidia_smi: Option<String>,
}

/// Kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The processor.
    Cpu,
    /// An accelerator.
    Gpu,
}

impl Kind {
    /// The name in tables.
    pub fn id(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        }
    }
}

/// A device of the machine, or several of the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Detected {
    /// Processor or accelerator.
    pub kind: Kind,
    /// What the system calls it.
    pub reported: String,
    /// Where that stands.
    pub place: String,
    /// How many there are.
    pub count: u32,
    /// Why the catalog does not have it, if it does not.
    pub unknown: Option<Unknown>,
    /// The device of the catalog, or what the system says of one that is not in it.
    pub device: Device,
}

impl Detected {
    /// Whether there is anything to compares work with.
    pub fn has_roofs(&self) -> bool {
        let bandwidth = self.device.main_memory().is_some_and(|memory| memory.bandwidth.is_some());
        bandwidth && !self.device.peaks.is_empty()
    }
}

impl Machine {
    /// This machine, by its files.
    pub fn here() -> Self {
        Self { root: PathBuf::from("/"), nvidia_smi: None }
    }

    /// Every device, accelerators first.
    pub fn detect(&self) -> Vec<Detected> {
        let mut found: Vec<Detected> = Vec::new();
        let single = nvidia::detect(self).into_iter().chain(amd::detect(self)).chain(cpu::detect(self));
        for one in single {
            let same =
                |other: &&mut Detected| (&other.reported, &other.device) == (&one.reported, &one.device);
            match found.iter_mut().find(same) {
                Some(other) => other.count += 1,
                None => found.push(one),
            }
        }
        found
    }

    /// The text of a file below the root; nothing if there is none.
    fn text(&self, path: &str) -> Option<String> {
        let bytes = std::fs::read(self.root.join(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The paths of what is in a folder below the root, in order of number and name.
    fn entries(&self, folder: &str) -> Vec<String> {
        let read = |entry: std::io::Result<std::fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
        let mut names: Vec<String> = std::fs::read_dir(self.root.join(folder))
            .map(|entries| entries.filter_map(read).collect())
            .unwrap_or_default();
        names.sort_by_key(|name| {
            (name.trim_start_matches(char::is_alphabetic).parse::<u64>().ok(), name.clone())
        });
        names.into_iter().map(|name| format!("{folder}/{name}")).collect()
    }
}

/// What the system says of a device: nobody else has checked it, and nobody knows better.
fn told(value: f64, place: &str) -> Option<Fact> {
    let source = Source { text: format!("/{place}"), confidence: Confidence::High };
    (value > 0.0 && value.is_finite()).then_some(Fact { value, source })
}

/// An id made of a name.
fn id_of(name: &str) -> String {
    let lower = name.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// The last part of a path.
fn name_of(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}
