//! What each input holds: events, slices, tracks, devices, steps, versions.

use eaves_model::{Ident, RankSource, Recording, Run, SliceKind};

use crate::section::{Column, Number, Section, Table, Unit, Value};

pub(super) fn section(run: &Run) -> Section {
    let events: u64 = run.recordings.iter().map(|recording| recording.trace.events).sum();
    let number = |id, value, explain| Number::counter(id, value, Unit::Count, explain);
    let tables = [inputs(run), slices(run), steps(run), devices(run), versions(run), clocks(run)];
    Section {
        id: "contents",
        title: "Input contents",
        numbers: vec![
            number("inputs", run.recordings.len().into(), "recordings read"),
            number("events", events.into(), "readable events of all phases, over all inputs"),
        ],
        // The first table is there even without a recording, so that programs find it.
        tables: tables
            .into_iter()
            .enumerate()
            .filter(|(index, table)| *index == 0 || !table.rows.is_empty())
            .map(|(_, table)| table)
            .collect(),
        charts: Vec::new(),
        findings: Vec::new(),
    }
}

fn inputs(run: &Run) -> Table {
    Table {
        id: "inputs",
        title: "Inputs",
        columns: vec![
            Column::RANK,
            Column::new("rank_from", "Rank known from", Unit::None),
            Column::new("path", "Path", Unit::None),
            Column::new("format", "Format", Unit::None),
            Column::new("container", "Container", Unit::None),
            Column::new("size_bytes", "Decompressed size", Unit::Bytes),
            Column::new("events", "Events", Unit::Count),
            Column::new("slices", "Slices", Unit::Count),
            Column::new("tracks", "Tracks", Unit::Count),
            Column::new("gpus", "GPUs", Unit::Count),
            Column::new("streams", "Streams", Unit::Count),
            Column::new("gpu_activities", "GPU activities", Unit::Count),
            Column::new("steps", "Steps", Unit::Count),
            Column::new("span_ns", "Span", Unit::Nanoseconds),
            Column::new("host", "Host", Unit::None),
        ],
        rows: run.recordings.iter().map(input).collect(),
    }
}

fn input(recording: &Recording) -> Vec<Value> {
    let trace = &recording.trace;
    let (gpus, streams) = gpus_and_streams(recording);
    vec![
        Value::Integer(recording.rank),
        rank_from(recording.rank_source).into(),
        recording.path.as_str().into(),
        recording.format.into(),
        recording.container.into(),
        recording.bytes.into(),
        trace.events.into(),
        trace.slices.len().into(),
        trace.tracks.len().into(),
        gpus.into(),
        streams.into(),
        trace.gpu.len().into(),
        trace.steps().len().into(),
        trace.extent().map_or(Value::Missing("nothing with a duration"), |extent| extent.length().into()),
        trace.metadata.host_name.as_deref().map_or(Value::Missing("not recorded"), Value::from),
    ]
}

fn rank_from(source: RankSource) -> &'static str {
    match source {
        RankSource::Trace => "the trace",
        RankSource::FileName => "the file name",
        RankSource::Assumed => "name order",
    }
}

/// Distinct devices and distinct streams of devices among the GPU activities. Activities without a device or
/// stream number are distinguished by their track.
fn gpus_and_streams(recording: &Recording) -> (usize, usize) {
    let (trace, gpu) = (&recording.trace, &recording.trace.gpu);
    let (mut devices, mut streams) = (Vec::new(), Vec::new());
    let mut last = None;
    for row in 0..gpu.len() {
        let track = trace.slices.track[gpu.slice[row].index()];
        let place = (track, gpu.device[row], gpu.stream[row]);
        if last == Some(place) {
            continue;
        }
        last = Some(place);
        let (process, thread) = match trace.tracks.threads.process.get(track.index()) {
            Some(&process) => (process, trace.tracks.threads.thread[track.index()]),
            None => (Ident::NONE, Ident::NONE),
        };
        let device = gpu.device[row].get().map_or(process, |number| Ident::number(i64::from(number)));
        let stream = gpu.stream[row].get().map_or(thread, Ident::number);
        devices.push(device);
        streams.push((device, stream));
    }
    devices.sort_unstable();
    devices.dedup();
    streams.sort_unstable();
    streams.dedup();
    (devices.len(), streams.len())
}

fn slices(run: &Run) -> Table {
    let rows = run.recordings.iter().flat_map(|recording| {
        let mut counts = [0usize; SliceKind::ALL.len()];
        for &kind in &recording.trace.slices.kind {
            counts[kind as usize] += 1;
        }
        SliceKind::ALL
            .into_iter()
            .zip(counts)
            .filter(|&(_, count)| count > 0)
            .map(|(kind, count)| vec![Value::Integer(recording.rank), kind.name().into(), count.into()])
            .collect::<Vec<_>>()
    });
    Table {
        id: "slices_by_kind",
        title: "Slices by kind",
        columns: vec![
            Column::RANK,
            Column::new("kind", "Kind", Unit::None),
            Column::new("slices", "Slices", Unit::Count),
        ],
        rows: rows.collect(),
    }
}

fn steps(run: &Run) -> Table {
    let rows = run.recordings.iter().filter_map(|recording| {
        let trace = &recording.trace;
        let steps = trace.steps();
        let numbers = steps.iter().map(|&(number, _)| number);
        let (first, last) = (numbers.clone().min()?, numbers.max()?);
        Some(vec![Value::Integer(recording.rank), first.into(), last.into(), steps.len().into()])
    });
    Table {
        id: "steps",
        title: "Profiler steps",
        columns: vec![
            Column::RANK,
            Column::new("first", "First", Unit::None),
            Column::new("last", "Last", Unit::None),
            Column::new("steps", "Steps", Unit::Count),
        ],
        rows: rows.collect(),
    }
}

/// What recorders call the bytes of a device's memory: PyTorch, Nsight Systems, Nsight Compute, ROCm's agents.
const MEMORY: &[&str] =
    &["totalGlobalMem", "totalMemory", "device__attribute_total_memory", "mem_banks.size_in_bytes"];

/// The same of its multiprocessors.
const MULTIPROCESSORS: &[&str] =
    &["numSms", "smCount", "device__attribute_multiprocessor_count", "cu_count", "cu_per_gpu"];

fn devices(run: &Run) -> Table {
    const MISSING: &str = "not recorded";
    let rows = run.recordings.iter().flat_map(|recording| {
        recording.trace.metadata.devices.iter().map(|device| {
            let whole = |names: &[&str]| {
                let number = names.iter().find_map(|name| device.number(name));
                number.map_or(Value::Missing(MISSING), |number| Value::Integer(number as i64))
            };
            let capability = match (device.number("computeMajor"), device.number("computeMinor")) {
                (Some(major), Some(minor)) => Value::Text(format!("{major}.{minor}")),
                _ => Value::known_text(
                    Some(device.architecture.as_str()).filter(|name| !name.is_empty()),
                    MISSING,
                ),
            };
            vec![
                Value::Integer(recording.rank),
                device.id.map_or(Value::Missing(MISSING), Value::Integer),
                device.name.as_str().into(),
                whole(MEMORY),
                whole(MULTIPROCESSORS),
                capability,
            ]
        })
    });
    Table {
        id: "devices",
        title: "Devices, as described by the recorder",
        columns: vec![
            Column::RANK,
            Column::new("device", "Device", Unit::None),
            Column::new("name", "Name", Unit::None),
            Column::new("memory_bytes", "Memory", Unit::Bytes),
            Column::new("multiprocessors", "Multiprocessors", Unit::Count),
            Column::new("compute_capability", "Compute capability", Unit::None),
        ],
        rows: rows.collect(),
    }
}

/// Who measured the times, and how those of several files were brought together.
fn clocks(run: &Run) -> Table {
    let rows = run.recordings.iter().filter_map(|recording| {
        let metadata = &recording.trace.metadata;
        let clock = metadata.clock.as_deref()?;
        let tool = metadata.tool.as_deref().map_or(Value::Missing("not recorded"), Value::from);
        Some(vec![Value::Integer(recording.rank), tool, clock.into()])
    });
    Table {
        id: "clocks",
        title: "Clocks",
        columns: vec![
            Column::RANK,
            Column::new("tool", "Recorded by", Unit::None),
            Column::new("clock", "Time base", Unit::None),
        ],
        rows: rows.collect(),
    }
}

fn versions(run: &Run) -> Table {
    let rows = run.recordings.iter().flat_map(|recording| {
        let metadata = &recording.trace.metadata;
        let schema = metadata.schema_version.map(|version| ("schema".to_owned(), version.to_string()));
        let nccl = metadata.distributed.as_ref().and_then(|info| info.nccl_version.clone());
        let nccl = nccl.map(|version| ("nccl".to_owned(), version));
        metadata
            .versions
            .iter()
            .cloned()
            .chain(nccl)
            .chain(schema)
            .map(|(name, version)| vec![Value::Integer(recording.rank), name.into(), version.into()])
            .collect::<Vec<_>>()
    });
    Table {
        id: "versions",
        title: "Versions, as given by the recorder",
        columns: vec![
            Column::RANK,
            Column::new("name", "Name", Unit::None),
            Column::new("version", "Version", Unit::None),
        ],
        rows: rows.collect(),
    }
}
