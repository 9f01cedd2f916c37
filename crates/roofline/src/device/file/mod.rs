//! Devices from files: our own YAML and what other tools write.

mod citations;
mod foreign;
mod own;
mod rocprof_compute;
mod tree;

use std::fmt;
use std::path::{Path, PathBuf};

pub use self::foreign::{NPU_BANDWIDTH_GBPS, NPU_PEAK_TOPS, default_npu};
pub(super) use self::own::scaled;
use self::tree::{Kind, Node};
use super::{Confidence, Device, Source};

/// A peaks file is some hundred lines; what is larger is something else.
const LARGEST: u64 = 4 << 20;

/// What a device without any roof lacks, and what to do.
const NOTHING: &str = "neither a peak nor a bandwidth";
const NEEDED: &str = "add `hbm_bw_GBps` and `compute_peaks_GFLOPs`: see docs/devices.md";

/// What the cores of a processor are called, in the catalog and in files that eaves writes.
const CORE: &str = "core";

/// What a device of one core says of its scope: measured files have it next to the processor as a whole.
pub const ONE_CORE: &str = "one core";

/// Why a file is not a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1, if the trouble is in one.
    pub line: Option<usize>,
    /// What is wrong.
    pub cause: String,
    /// What to try.
    pub hint: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.cause)
    }
}

impl std::error::Error for FileError {}

/// What is wrong in a text, before its file is known.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem {
    line: Option<usize>,
    cause: String,
    hint: Option<String>,
}

impl Problem {
    fn new(line: usize, cause: impl Into<String>) -> Self {
        Self { line: Some(line), cause: cause.into(), hint: None }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn within(self, path: &Path) -> FileError {
        let usual = || "see docs/devices.md for the format of peaks files".to_owned();
        FileError {
            path: path.to_owned(),
            line: self.line,
            cause: self.cause,
            hint: self.hint.unwrap_or_else(usual),
        }
    }
}

/// The device of a file. Of a file with several, `FILE#ID` names one.
///
/// # Errors
/// If the file cannot be read, is in no known form, or has several devices and none is named.
pub fn read(path: &Path) -> Result<Device, FileError> {
    let (path, member) = split(path);
    let path = path.as_path();
    let text = text(path)?;
    let devices = parse(&text, path)?;
    let ids = || devices.iter().map(|device| device.id.as_str()).collect::<Vec<_>>().join(", ");
    let found = match &member {
        Some(member) => devices.iter().find(|device| device.id.eq_ignore_ascii_case(member)),
        // The devices of a measured table are those of one machine, of one kind.
        None if rocprof_compute::is_one(&text) => devices.first(),
        None => meant(&devices),
    };
    let failed = |cause, hint| FileError { path: path.to_owned(), line: None, cause, hint };
    let Some(found) = found else {
        let cause = match &member {
            Some(member) => format!("no device `{member}` in it; devices are {}", ids()),
            None => format!("it contains {} devices: {}", devices.len(), ids()),
        };
        let names = devices.iter().map(|device| format!("{}#{}", path.display(), device.id));
        return Err(failed(cause, format!("name one: {}", names.collect::<Vec<_>>().join(" or "))));
    };
    if lacks_roofs(found) {
        return Err(failed(format!("{}: {NOTHING}", found.id), needed(found)));
    }
    Ok(found.clone())
}

/// The one device that a file is about: its only accelerator, or its processor as a whole. Files that eaves writes about a
/// machine have the processor next to the accelerator, and one core next to all of them.
fn meant(devices: &[Device]) -> Option<&Device> {
    let is_processor = |device: &&Device| device.unit_kind.as_deref() == Some(CORE);
    let accelerators: Vec<&Device> = devices.iter().filter(|device| !is_processor(device)).collect();
    if !accelerators.is_empty() {
        return only(&accelerators);
    }
    let whole: Vec<&Device> =
        devices.iter().filter(|device| device.scope.as_deref() != Some(ONE_CORE)).collect();
    only(&whole).or_else(|| only(&devices.iter().collect::<Vec<_>>()))
}

fn only<'a>(found: &[&'a Device]) -> Option<&'a Device> {
    match found {
        [device] => Some(device),
        _ => None,
    }
}

/// What to do about a device without roofs: a processor is available and can be measured.
fn needed(device: &Device) -> String {
    if device.unit_kind.as_deref() == Some(CORE) {
        return format!("measure this machine with `eaves device measure -o roofs.yaml`, or {NEEDED}");
    }
    NEEDED.to_owned()
}

fn lacks_roofs(device: &Device) -> bool {
    device.peaks.is_empty() && device.memory.iter().all(|level| level.bandwidth.is_none())
}

/// The path and what follows its last `#`, unless a file has that very name.
fn split(path: &Path) -> (PathBuf, Option<String>) {
    if let Some((file, member)) = path.to_str().and_then(|text| text.rsplit_once('#'))
        && !path.exists()
    {
        return (PathBuf::from(file), Some(member.to_owned()));
    }
    (path.to_owned(), None)
}

fn text(path: &Path) -> Result<String, FileError> {
    let failed = |cause: String, hint: &str| FileError {
        path: path.to_owned(),
        line: None,
        cause,
        hint: hint.to_owned(),
    };
    let io = |error: std::io::Error| {
        failed(format!("cannot be read: {error}"), "`eaves device list` shows the devices that need no file")
    };
    let size = std::fs::metadata(path).map_err(io)?.len();
    if size > LARGEST {
        return Err(failed(format!("too large for a peaks file: {size} bytes"), "is it a trace?"));
    }
    String::from_utf8(std::fs::read(path).map_err(io)?)
        .map_err(|error| failed(format!("not UTF-8: {error}"), "save it as UTF-8"))
}

/// Every device of a text in any form that [`read`] knows; `path` is what errors and sources call it.
///
/// # Errors
/// If it is in no known form.
pub fn parse(text: &str, path: &Path) -> Result<Vec<Device>, FileError> {
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    devices(text, &file).map_err(|problem| problem.within(path))
}

fn devices(text: &str, file: &str) -> Result<Vec<Device>, Problem> {
    if rocprof_compute::is_one(text) {
        return rocprof_compute::devices(text, file);
    }
    let mut root = tree::parse(text)?;
    citations::resolve(&mut root)?;
    if !root.is_map() {
        return Err(Problem::new(root.line, format!("a peaks file must be a map, not {}", root.described())));
    }
    if let Some(list) = root.get("devices") {
        return members(list, file);
    }
    if foreign::is_registry(&root) {
        return members(&root, file);
    }
    let found = device(&root, stem(file), file)?;
    if lacks_roofs(&found) {
        return Err(Problem::new(root.line, NOTHING).hint(needed(&found)));
    }
    Ok(vec![found])
}

/// The devices of a list, or of a map from ids to devices.
fn members(list: &Node, file: &str) -> Result<Vec<Device>, Problem> {
    let found: Vec<Device> = match &list.kind {
        Kind::List(items) => {
            items.iter().map(|item| device(item, stem(file), file)).collect::<Result<_, _>>()?
        }
        Kind::Map(entries) => {
            entries.iter().map(|entry| device(&entry.value, &entry.key, file)).collect::<Result<_, _>>()?
        }
        _ => Vec::new(),
    };
    if found.is_empty() {
        return Err(Problem::new(list.line, "`devices` names no device"));
    }
    Ok(found)
}

/// The device of a map, in whatever form it is. `id` is what to call it if it does not say.
fn device(node: &Node, id: &str, file: &str) -> Result<Device, Problem> {
    if !node.is_map() {
        return Err(Problem::new(node.line, format!("a device must be a map, not {}", node.described())));
    }
    let source = Source { text: file.to_owned(), confidence: Confidence::Medium };
    match foreign::Form::of(node) {
        Some(form) => form.device(node, id, source),
        None => own::device(node, id, source),
    }
}

fn stem(file: &str) -> &str {
    file.split('.').next().unwrap_or(file)
}
