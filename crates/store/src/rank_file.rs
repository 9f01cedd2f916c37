//! `rank.json`: what is known of a rank besides its rows. It is written last, so a rank is there when it is there.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use eaves_model::{
    DeviceProperties, Diagnostics, DistributedInfo, Metadata, ProcessGroup, RankSource, Recorder, Recording,
    SliceId, Times, Trace, Warning, WarningKind,
};
use serde::{Deserialize, Serialize};

use crate::dataset::is_address;
use crate::names::lasting;
use crate::objects::Object;

/// The version of the format. Tables and fields may be added within a version, never changed.
pub const FORMAT_VERSION: u64 = 1;

/// Fingerprint of a file, to detect changes.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Source {
    /// The file, without the member of an archive, or the address of an object.
    pub path: String,
    /// Its size.
    pub size: u64,
    /// When it was last written, in nanoseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_ns: Option<i64>,
    /// What an object store calls its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
}

impl Source {
    /// Of a file, or of the archive that a path such as `traces.zip!rank0.json` is in. Nothing for a stream, a directory or
    /// several files. An address of an object store is asked for.
    pub fn of(path: &str) -> Option<Self> {
        if is_address(path) {
            let Object { address, size, etag } = Object::find(path).ok()??;
            // Without a name of its content nobody can tell whether it changed.
            return etag.map(|etag| Self { path: address, size, modified_ns: None, etag: Some(etag) });
        }
        let archive = || path.match_indices('!').map(|(at, _)| &path[..at]);
        let file = std::iter::once(path).chain(archive()).find(|file| Path::new(file).is_file())?;
        let metadata = fs::metadata(file).ok()?;
        let modified = metadata.modified().ok()?;
        let modified_ns = match modified.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).ok()?,
            Err(before) => i64::try_from(before.duration().as_nanos()).ok()?.checked_neg()?,
        };
        Some(Self { path: file.to_owned(), size: metadata.len(), modified_ns: Some(modified_ns), etag: None })
    }
}

/// A file with a table.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct StoredTable {
    /// Name of the table; the file is called so too.
    pub name: String,
    /// Number of rows.
    pub rows: u64,
    /// Size of the file.
    pub bytes: u64,
    /// Checksum of the file, as in gzip.
    pub crc32: u32,
}

/// What `rank.json` holds.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct RankFile {
    /// Version of the format.
    pub format_version: u64,
    /// Who wrote it.
    pub written_by: String,
    /// The rank.
    pub rank: i64,
    /// How it became known: `trace`, `file-name` or `assumed`.
    pub rank_source: String,
    /// The input as the user named it, with the member of an archive after `!`.
    pub path: String,
    /// Format of the input.
    pub format: String,
    /// How the input was packed.
    pub container: String,
    /// Size of the input after unpacking.
    pub bytes: u64,
    /// The file that was read, to see whether it changed; none if it was several, or a stream.
    #[serde(default)]
    pub source: Option<Source>,
    /// Number of events in the input.
    pub events: u64,
    /// Rows of `slices` whose duration cannot be true.
    #[serde(default)]
    pub quarantined: Vec<u32>,
    /// Properties of an allocator snapshot besides its tables.
    #[serde(default)]
    pub snapshot: StoredSnapshot,
    /// What the input says of itself.
    pub metadata: StoredMetadata,
    /// What was odd about it.
    #[serde(default)]
    pub diagnostics: Vec<StoredWarning>,
    /// The tables that have rows.
    pub tables: Vec<StoredTable>,
}

/// Properties of an allocator snapshot besides its tables.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct StoredSnapshot {
    /// True if events have times.
    pub has_times: bool,
    /// False if the input ends early.
    pub is_complete: bool,
}

/// Something odd: a kind, how often, where first, what exactly.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct StoredWarning {
    /// The kind.
    pub kind: String,
    /// How often.
    pub count: u64,
    /// Offset of the first one.
    #[serde(default)]
    pub first_offset: Option<u64>,
    /// What exactly.
    #[serde(default)]
    pub detail: Option<String>,
}

/// [`Metadata`] as JSON.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct StoredMetadata {
    pub schema_version: Option<i64>,
    pub base_time_ns: Option<i64>,
    pub trace_name: Option<String>,
    pub trace_id: Option<String>,
    pub display_time_unit: Option<String>,
    pub host_name: Option<String>,
    /// Who recorded; nothing in files of versions that did not store it.
    #[serde(default)]
    pub recorder: Option<String>,
    pub tool: Option<String>,
    pub clock: Option<String>,
    /// True if no start times were recorded.
    pub in_sequence: bool,
    /// True if no durations were recorded either.
    #[serde(default)]
    pub without_times: bool,
    pub devices: Vec<StoredDevice>,
    pub distributed: Option<StoredDistributed>,
    pub options: Vec<(String, bool)>,
    pub versions: Vec<(String, String)>,
    pub settings: Vec<(String, String)>,
}

/// [`DeviceProperties`] as JSON.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct StoredDevice {
    pub id: Option<i64>,
    pub name: String,
    pub architecture: String,
    pub numbers: Vec<(String, StoredNumber)>,
}

/// A number that JSON may not have.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
pub enum StoredNumber {
    /// One that it has.
    Finite(f64),
    /// `NaN`, `inf` or `-inf`.
    Other(String),
}

/// [`DistributedInfo`] as JSON.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct StoredDistributed {
    pub backend: Option<String>,
    pub rank: Option<i64>,
    pub world_size: Option<i64>,
    pub nccl_version: Option<String>,
    pub groups: Vec<StoredGroup>,
}

/// [`ProcessGroup`] as JSON.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct StoredGroup {
    pub name: String,
    pub description: String,
    pub backend_config: String,
    pub size: Option<i64>,
    pub ranks: Vec<i64>,
}

const RANK_SOURCES: [(RankSource, &str); 3] =
    [(RankSource::Trace, "trace"), (RankSource::FileName, "file-name"), (RankSource::Assumed, "assumed")];

impl RankFile {
    /// Of a recording whose tables were written. Its rank may be changed until the file is written.
    pub fn new(recording: &Recording, source: Option<Source>, tables: Vec<StoredTable>) -> Self {
        let Recording { path, format, container, bytes, rank, rank_source, trace } = recording;
        let name = |known: &&(RankSource, &str)| known.0 == *rank_source;
        Self {
            format_version: FORMAT_VERSION,
            written_by: crate::parquet::CREATED_BY.to_owned(),
            rank: *rank,
            rank_source: RANK_SOURCES.iter().find(name).map_or("assumed", |known| known.1).to_owned(),
            path: path.clone(),
            format: (*format).to_owned(),
            container: (*container).to_owned(),
            bytes: *bytes,
            source,
            events: trace.events,
            quarantined: trace.quarantined.iter().map(|slice| slice.0).collect(),
            snapshot: StoredSnapshot {
                has_times: trace.snapshot.has_times,
                is_complete: trace.snapshot.is_complete,
            },
            metadata: StoredMetadata::of(&trace.metadata),
            diagnostics: StoredWarning::all(&trace.diagnostics),
            tables,
        }
    }

    /// The recording without rows.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn recording(&self) -> Result<Recording, String> {
        let source = RANK_SOURCES.iter().find(|known| known.1 == self.rank_source);
        let lasting =
            |name: &str| lasting(name).ok_or_else(|| format!("`{name:.80}` is no name of a format"));
        let mut trace = Trace {
            metadata: self.metadata.model()?,
            quarantined: self.quarantined.iter().map(|&row| SliceId(row)).collect(),
            events: self.events,
            diagnostics: StoredWarning::diagnostics(&self.diagnostics)?,
            ..Trace::default()
        };
        trace.snapshot.has_times = self.snapshot.has_times;
        trace.snapshot.is_complete = self.snapshot.is_complete;
        Ok(Recording {
            path: self.path.clone(),
            format: lasting(&self.format)?,
            container: lasting(&self.container)?,
            bytes: self.bytes,
            rank: self.rank,
            rank_source: source
                .ok_or_else(|| format!("`{:.80}` is no source of a rank", self.rank_source))?
                .0,
            trace,
        })
    }
}

impl StoredWarning {
    fn of(warning: &Warning) -> Self {
        let Warning { kind, count, first_offset, detail } = warning;
        let kind = kind.id().to_owned();
        Self { kind, count: *count, first_offset: *first_offset, detail: detail.clone() }
    }

    /// All that was odd, to be stored.
    pub fn all(diagnostics: &Diagnostics) -> Vec<Self> {
        diagnostics.warnings().iter().map(Self::of).collect()
    }

    /// All that was odd, as it was.
    ///
    /// # Errors
    /// If a kind is unknown.
    pub fn diagnostics(stored: &[Self]) -> Result<Diagnostics, String> {
        let mut diagnostics = Diagnostics::default();
        for Self { kind, count, first_offset, detail } in stored {
            let known = WarningKind::ALL.into_iter().find(|known| known.id() == kind);
            let kind = known.ok_or_else(|| format!("`{kind:.80}` is no kind of warning"))?;
            match detail {
                Some(detail) => {
                    diagnostics.note_detail(kind, *first_offset, detail.as_str());
                    diagnostics.note_many(kind, count.saturating_sub(1), *first_offset);
                }
                None => diagnostics.note_many(kind, *count, *first_offset),
            }
        }
        Ok(diagnostics)
    }
}

impl StoredMetadata {
    fn of(metadata: &Metadata) -> Self {
        let Metadata {
            schema_version,
            base_time_ns,
            trace_name,
            trace_id,
            display_time_unit,
            host_name,
            recorder,
            tool,
            clock,
            times,
            devices,
            distributed,
            options,
            versions,
            settings,
        } = metadata.clone();
        Self {
            schema_version,
            base_time_ns,
            trace_name,
            trace_id,
            display_time_unit,
            host_name,
            recorder: Some(recorder.id().to_owned()).filter(|_| recorder != Recorder::Unknown),
            tool,
            clock,
            in_sequence: !times.has_starts(),
            without_times: !times.has_durations(),
            devices: devices.into_iter().map(StoredDevice::of).collect(),
            distributed: distributed.map(StoredDistributed::of),
            options,
            versions,
            settings,
        }
    }

    fn model(&self) -> Result<Metadata, String> {
        let stored = self.clone();
        Ok(Metadata {
            schema_version: stored.schema_version,
            base_time_ns: stored.base_time_ns,
            trace_name: stored.trace_name,
            trace_id: stored.trace_id,
            display_time_unit: stored.display_time_unit,
            host_name: stored.host_name,
            // One that only a newer version knows is as good as none.
            recorder: stored.recorder.and_then(|id| Recorder::from_id(&id)).unwrap_or_default(),
            tool: stored.tool,
            clock: stored.clock,
            times: match (stored.in_sequence, stored.without_times) {
                (_, true) => Times::NotRecorded,
                (true, false) => Times::InSequence,
                (false, false) => Times::Recorded,
            },
            devices: stored.devices.into_iter().map(StoredDevice::model).collect::<Result<_, _>>()?,
            distributed: stored.distributed.map(StoredDistributed::model),
            options: stored.options,
            versions: stored.versions,
            settings: stored.settings,
        })
    }
}

impl StoredDevice {
    fn of(device: DeviceProperties) -> Self {
        let DeviceProperties { id, name, architecture, numbers } = device;
        let number = |value: f64| match value.is_finite() {
            true => StoredNumber::Finite(value),
            false => StoredNumber::Other(value.to_string()),
        };
        let numbers = numbers.into_iter().map(|(key, value)| (key, number(value))).collect();
        Self { id, name, architecture, numbers }
    }

    fn model(self) -> Result<DeviceProperties, String> {
        let number = |value: StoredNumber| match value {
            StoredNumber::Finite(value) => Ok(value),
            StoredNumber::Other(text) => text.parse().map_err(|_| format!("`{text:.80}` is no number")),
        };
        let Self { id, name, architecture, numbers } = self;
        let numbers = numbers
            .into_iter()
            .map(|(key, value)| Ok((key, number(value)?)))
            .collect::<Result<_, String>>()?;
        Ok(DeviceProperties { id, name, architecture, numbers })
    }
}

impl StoredDistributed {
    fn of(info: DistributedInfo) -> Self {
        let DistributedInfo { backend, rank, world_size, nccl_version, groups } = info;
        let group = |group: ProcessGroup| {
            let ProcessGroup { name, description, backend_config, size, ranks } = group;
            StoredGroup { name, description, backend_config, size, ranks }
        };
        let groups = groups.into_iter().map(group).collect();
        Self { backend, rank, world_size, nccl_version, groups }
    }

    fn model(self) -> DistributedInfo {
        let Self { backend, rank, world_size, nccl_version, groups } = self;
        let group = |group: StoredGroup| {
            let StoredGroup { name, description, backend_config, size, ranks } = group;
            ProcessGroup { name, description, backend_config, size, ranks }
        };
        let groups = groups.into_iter().map(group).collect();
        DistributedInfo { backend, rank, world_size, nccl_version, groups }
    }
}
