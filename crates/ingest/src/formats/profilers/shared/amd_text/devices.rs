//! What files say of the machine: `agent_info.csv` of rocprofv3, `sysinfo.csv` and `roofline.csv` of rocprof-compute.

use eaves_model::{DeviceProperties, Trace, WarningKind};

use super::super::super::{Input, Refused};
use super::cells::{self, Cells};
use super::lines::{self, Lines};
use super::table;

/// A row as names and cells.
struct Record {
    cells: Vec<(String, String)>,
}

impl Record {
    fn text(&self, name: &str) -> Option<&str> {
        let found = self.cells.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, cell)| cell.as_str()).filter(|cell| !cell.is_empty())
    }

    fn integer(&self, name: &str) -> Option<i64> {
        self.text(name).and_then(|cell| cells::integer(cell.as_bytes()))
    }

    /// Every number under the name of its column, sorted by name.
    fn numbers(&self) -> Vec<(String, f64)> {
        let number = |(name, cell): &(String, String)| Some((name.clone(), cells::float(cell.as_bytes())?));
        let mut numbers: Vec<(String, f64)> = self.cells.iter().filter_map(number).collect();
        numbers.sort_by(|a, b| a.0.cmp(&b.0));
        numbers.dedup_by(|a, b| a.0 == b.0);
        numbers
    }
}

/// The agents that are GPUs, by number of their node.
pub(in super::super::super) fn agents(input: Input<'_>) -> Result<(Trace, u64), Refused> {
    rows(input, |trace, record| {
        if record.text("Agent_Type").is_some_and(|kind| kind.eq_ignore_ascii_case("GPU")) {
            let name = ["Product_Name", "Model_Name", "Name"].iter().find_map(|column| record.text(column));
            trace.metadata.devices.push(DeviceProperties {
                id: record.integer("Node_Id"),
                name: name.unwrap_or_default().to_owned(),
                architecture: record
                    .text("Name")
                    .filter(|name| name.starts_with("gfx"))
                    .unwrap_or_default()
                    .to_owned(),
                numbers: record.numbers(),
            });
        }
    })
}

/// The one GPU that a workload ran on, and the machine.
pub(in super::super::super) fn sysinfo(input: Input<'_>) -> Result<(Trace, u64), Refused> {
    rows(input, |trace, record| {
        let name = ["gpu_model", "gpu_soc", "gpu_series"].iter().find_map(|column| record.text(column));
        let mut numbers = record.numbers();
        // Numbers of the run, not of the device.
        numbers.retain(|(name, _)| !["version", "timestamp"].contains(&name.as_str()));
        trace.metadata.devices.push(DeviceProperties {
            id: None,
            name: name.unwrap_or_default().to_owned(),
            architecture: record.text("gpu_arch").unwrap_or_default().to_owned(),
            numbers,
        });
        trace.metadata.host_name = record.text("hostname").map(str::to_owned);
        trace.metadata.trace_name = record.text("workload_name").map(str::to_owned);
        for (column, name) in
            [("rocm_version", "ROCm"), ("amd_gpu_kernel_version", "amdgpu"), ("vbios", "VBIOS")]
        {
            if let Some(version) = record.text(column) {
                trace.metadata.versions.push((name.to_owned(), version.to_owned()));
            }
        }
        trace.metadata.versions.sort();
    })
}

/// What each device was measured to reach, in GB/s and GFLOP/s or GOP/s.
pub(in super::super::super) fn roofline(input: Input<'_>) -> Result<(Trace, u64), Refused> {
    rows(input, |trace, record| {
        let mut numbers = record.numbers();
        numbers.retain(|(name, _)| name != "device");
        let id = record.integer("device");
        trace.metadata.devices.push(DeviceProperties { id, numbers, ..DeviceProperties::default() });
    })
}

/// Reads every row of a table that has a header.
fn rows(input: Input<'_>, mut take: impl FnMut(&mut Trace, &Record)) -> Result<(Trace, u64), Refused> {
    let mut trace = Trace::default();
    let mut lines = Lines::new(input.rest);
    let mut names: Option<Vec<String>> = None;
    let mut cells = Cells::default();
    while let Some(line) = lines.next(&mut trace.diagnostics) {
        if lines::is_banner(line.bytes) {
            continue;
        }
        cells.split_quoted(line.bytes);
        let texts =
            (0..cells.len()).map(|at| String::from_utf8_lossy(cells.get(line.bytes, at)).into_owned());
        let Some(names) = &names else {
            names = Some(texts.collect());
            continue;
        };
        if cells.len() != names.len() {
            let oddity = if line.is_ended { WarningKind::BadRecord } else { WarningKind::Truncated };
            trace.diagnostics.note(oddity, Some(line.offset));
            continue;
        }
        let record = Record { cells: names.iter().cloned().zip(texts).collect() };
        trace.events += 1;
        take(&mut trace, &record);
    }
    if trace.metadata.devices.is_empty() {
        return Err(table::refused(lines.bytes(), "a device table without a readable row"));
    }
    Ok((trace, lines.bytes()))
}
