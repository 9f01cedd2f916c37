//! What an export says about itself and the machine. Of the lists that hold the environment of processes
//! (`TARGET_INFO_SYSTEM_ENV`, `META_DATA_CAPTURE`) only the entries named here are taken, and nothing of the second.

use eaves_model::{DeviceProperties, DistributedInfo, Ident, MaybeI64, Process, StringId};

use super::super::Map;
use super::places::{device_title, number_of, process_of};
use super::sink::Sink;
use crate::sqlite::{Database, Error, Value};

pub(super) fn read(database: &Database<'_>, sink: &mut Sink) -> Result<(), Error> {
    read_export(database, sink)?;
    read_system(database, sink)?;
    read_devices(database, sink)?;
    read_ranks(database, sink)?;
    read_names(database, sink)
}

fn read_export(database: &Database<'_>, sink: &mut Sink) -> Result<(), Error> {
    // The second name is that of version 2 of the schema.
    for table in ["META_DATA_EXPORT", "EXPORT_META_DATA"] {
        sink.each(database, table, &["name", "value"], |sink, row| {
            let (Some(name), Some(value)) = (row.text(0), row.text(1)) else { return };
            let metadata = &mut sink.trace.metadata;
            match &*name {
                "EXPORT_PRODUCT_VERSION" => metadata.tool = Some(format!("Nsight Systems {value}")),
                "EXPORT_SCHEMA_VERSION" => {
                    metadata.versions.push(("nsys_export_schema".to_owned(), value.into_owned()));
                }
                _ => {}
            }
        })?;
    }
    sink.trace.metadata.tool.get_or_insert_with(|| "Nsight Systems".to_owned());
    sink.each(database, "TARGET_INFO_SESSION_START_TIME", &["utcEpochNs"], |sink, row| {
        sink.trace.metadata.base_time_ns = row.integer(0);
    })
}

fn read_system(database: &Database<'_>, sink: &mut Sink) -> Result<(), Error> {
    sink.each(database, "TARGET_INFO_SYSTEM_ENV", &["name", "value"], |sink, row| {
        let (Some(name), Some(value)) = (row.text(0), row.text(1)) else { return };
        let metadata = &mut sink.trace.metadata;
        let version = match &*name {
            "Hostname" => {
                metadata.host_name = Some(value.into_owned());
                return;
            }
            "CudaDriverVersion" => "cuda_driver",
            "NvDriverVersion" => "nvidia_driver",
            _ => return,
        };
        metadata.versions.push((version.to_owned(), value.into_owned()));
    })?;
    sink.trace.metadata.versions.sort();
    sink.trace.metadata.versions.dedup();
    Ok(())
}

fn read_devices(database: &Database<'_>, sink: &mut Sink) -> Result<(), Error> {
    let Some(table) = database.table("TARGET_INFO_GPU") else { return Ok(()) };
    let columns: Vec<&str> = table.columns().collect();
    let has_devices = sink.places.has_devices();
    sink.each(database, table.name(), &columns, |sink, row| {
        let mut device = DeviceProperties::default();
        for (index, column) in columns.iter().enumerate() {
            let number = match row.value(index) {
                Value::Integer(value) => value as f64,
                Value::Real(value) => value,
                Value::Text(text) if *column == "name" => {
                    device.name = text.into_owned();
                    continue;
                }
                _ => continue,
            };
            device.numbers.push(((*column).to_owned(), number));
        }
        device.numbers.sort_by(|(left, _), (right, _)| left.cmp(right));
        let whole = |name: &str| device.number(name).map(|number| number as i64);
        // Kernels name devices as CUDA numbers them, which is by GPU only if a table translates it.
        let id = if has_devices { whole("id") } else { whole("cuDevice").or(whole("id")) };
        if let (Some(major), Some(minor)) = (whole("computeMajor"), whole("computeMinor")) {
            device.architecture = format!("sm_{major}{minor}");
        }
        device.id = id;
        sink.trace.metadata.devices.push(device);
    })?;
    sink.trace.metadata.devices.sort_by_key(|device| device.id);
    Ok(())
}

/// The rank, if the recording is of one rank.
fn read_ranks(database: &Database<'_>, sink: &mut Sink) -> Result<(), Error> {
    let mut ranks = Vec::new();
    sink.each(database, "MPI_RANKS", &["rank"], |_, row| ranks.extend(row.integer(0)))?;
    ranks.sort_unstable();
    ranks.dedup();
    if let [rank] = ranks.as_slice() {
        let info = DistributedInfo { rank: Some(*rank), ..DistributedInfo::default() };
        sink.trace.metadata.distributed = Some(info);
    }
    Ok(())
}

/// Names of processes, threads and devices that occur.
fn read_names(database: &Database<'_>, sink: &mut Sink) -> Result<(), Error> {
    sink.each(database, "PROCESSES", &["globalPid", "name"], |sink, row| {
        let (Some(process), Some(name)) = (row.integer(0), row.text(1)) else { return };
        // The table has every process of the system.
        if sink.places.is_met(process) {
            let ident = sink.places.ident(process);
            let name = sink.trace.strings.intern(&name);
            name_process(sink, ident, name);
        }
    })?;
    let mut threads: Map<i64, (i64, i64)> = Map::default();
    sink.each(database, "ThreadNames", &["globalTid", "nameId", "priority"], |sink, row| {
        let (Some(thread), Some(name)) = (row.integer(0), row.integer(1)) else { return };
        let priority = row.integer(2).unwrap_or(0);
        let is_met = sink.places.is_met(process_of(thread));
        if is_met && threads.get(&thread).is_none_or(|(known, _)| *known < priority) {
            threads.insert(thread, (priority, name));
        }
    })?;
    let mut threads: Vec<_> = threads.into_iter().collect();
    threads.sort_unstable();
    // Names are given to tracks that are there; none is added, so this holds to the end.
    let known = &sink.trace.tracks.threads;
    let rows: Map<(Ident, Ident), usize> =
        (0..known.len()).map(|row| ((known.process[row], known.thread[row]), row)).collect();
    for (thread, (_, name)) in threads {
        let process = sink.places.ident(process_of(thread));
        let number = Ident::number(thread - process_of(thread));
        let Some(&row) = rows.get(&(process, number)) else { continue };
        let known = &mut sink.trace.tracks.threads.name[row];
        // What the program itself called the thread stays.
        if *known == StringId::NONE
            && let Some(name) = sink.names.get(Some(name), &mut sink.trace.strings)
        {
            *known = name;
        }
    }
    name_devices(sink);
    Ok(())
}

fn name_devices(sink: &mut Sink) {
    let trace = &mut sink.trace;
    let mut names: Map<i64, StringId> = Map::default();
    for device in &trace.metadata.devices {
        if let Some(number) = device.id {
            names.entry(number).or_insert_with(|| trace.strings.intern(&device.name));
        }
    }
    for number in sink.places.devices_met() {
        let labels = trace.strings.intern(&device_title(number));
        let name = names.get(&number).copied().unwrap_or(labels);
        // Texts are ordered as they were met, devices are wanted by their numbers.
        let sort_index = MaybeI64::from(Some(number).filter(|number| *number >= 0));
        trace.tracks.describe_process(Process { process: Ident::text(labels), name, labels, sort_index });
    }
    for process in sink.places.processes().to_vec() {
        let ident = sink.places.ident(process);
        if sink.trace.tracks.find_process(ident).is_none() {
            let name = sink.trace.strings.intern(&format!("process {}", number_of(process)));
            name_process(sink, ident, name);
        }
    }
}

fn name_process(sink: &mut Sink, process: Ident, name: StringId) {
    let (labels, sort_index) = (StringId::NONE, MaybeI64::NONE);
    sink.trace.tracks.describe_process(Process { process, name, labels, sort_index });
}
