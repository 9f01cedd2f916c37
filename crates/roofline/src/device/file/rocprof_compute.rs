//! `roofline.csv` of rocprof-compute: a row for each device that was measured.

use super::Problem;
use crate::device::{Device, empirical};

/// True if a text is one.
pub(super) fn is_one(text: &str) -> bool {
    let header = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
    empirical::is_one(|name| header.split(',').any(|column| column.trim() == name))
}

/// The devices, by the number in the column `device`.
pub(super) fn devices(text: &str, file: &str) -> Result<Vec<Device>, Problem> {
    let mut lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let header: Vec<&str> = lines.next().map_or("", |(_, line)| line).split(',').map(str::trim).collect();
    let mut found = Vec::new();
    for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let cell = |name: &str| {
            let place = header.iter().position(|column| *column == name)?;
            cells.get(place).copied().filter(|cell| !cell.is_empty())
        };
        let id = cell("device").map_or_else(|| found.len().to_string(), str::to_owned);
        let mut device = Device {
            name: format!("device {id} of {file}"),
            id,
            vendor: Some("AMD".to_owned()),
            ..Device::default()
        };
        let source = format!("measured with rocprof-compute ({file})");
        if !empirical::apply(&mut device, &source, &|name| cell(name)?.parse().ok()) {
            return Err(Problem::new(index + 1, "the row has no rates"));
        }
        found.push(device);
    }
    if found.is_empty() {
        return Err(
            Problem::new(1, "no device in it").hint("run `rocprof-compute profile --roof-only` again")
        );
    }
    Ok(found)
}
