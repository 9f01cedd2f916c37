//! The tables that describe: strings, processes, threads, agents, kernels and counters by their numbers.

use std::collections::HashMap;

use eaves_model::{StringId, Trace, WarningKind};
use serde_json::Value;

use super::super::Refused;
use super::super::shared::amd::{self, Agent, Registers};
use super::Run;

/// What rows refer to by number.
#[derive(Default)]
pub(super) struct Described {
    pub(super) strings: HashMap<i64, StringId>,
    /// Numbers that the system gave to processes.
    pub(super) processes: HashMap<i64, i64>,
    /// Numbers that the system gave to threads, and their names.
    pub(super) threads: HashMap<i64, (i64, String)>,
    /// Agents, whose handles are the numbers of their rows.
    pub(super) agents: Vec<Agent>,
    pub(super) kernels: HashMap<i64, (StringId, Registers)>,
    pub(super) counters: HashMap<i64, StringId>,
    pub(super) host_name: Option<String>,
}

/// Reads the tables that describe.
pub(super) fn read(run: Run<'_>, trace: &mut Trace) -> Result<Described, Refused> {
    let mut found = Described::default();
    let Trace { strings, diagnostics, .. } = trace;
    run.scan("rocpd_string", &["id", "string"], diagnostics, |row| {
        if let (Some(id), Some(text)) = (row.integer(0), row.text(1)) {
            found.strings.insert(id, strings.intern(&text));
        }
    })?;
    run.scan("rocpd_info_node", &["hostname"], diagnostics, |row| {
        let name = row.text(0).filter(|name| !name.is_empty()).map(|name| name.into_owned());
        found.host_name = found.host_name.take().or(name);
    })?;
    // Not a word of the other columns: they hold the command line and the environment.
    run.scan("rocpd_info_process", &["id", "pid"], diagnostics, |row| {
        if let (Some(id), Some(number)) = (row.integer(0), row.integer(1)) {
            found.processes.insert(id, number);
        }
    })?;
    run.scan("rocpd_info_thread", &["id", "tid", "name"], diagnostics, |row| {
        if let (Some(id), Some(number)) = (row.integer(0), row.integer(1)) {
            found.threads.insert(id, (number, row.text(2).unwrap_or_default().into_owned()));
        }
    })?;
    let mut damaged = None;
    let wanted = ["id", "type", "type_index", "name", "product_name", "extdata"];
    run.scan("rocpd_info_agent", &wanted, diagnostics, |row| {
        let Some(id) = row.integer(0) else { return };
        let described = row.text(5).and_then(|text| serde_json::from_str::<Value>(&text).ok());
        let agent = described.as_ref().and_then(amd::agent);
        if agent.is_none() {
            damaged = damaged.or(Some(row.offset()));
        }
        let text = |column: usize| row.text(column).unwrap_or_default().into_owned();
        let is_gpu = row.text(1).as_deref() == Some("GPU");
        let mut agent = agent.unwrap_or_else(|| Agent {
            handle: id,
            device: None,
            wave_size: None,
            properties: eaves_model::DeviceProperties {
                name: text(4),
                architecture: if is_gpu { text(3) } else { String::new() },
                ..Default::default()
            },
        });
        agent.handle = id;
        if agent.device.is_none() && is_gpu {
            agent.device = row.integer(2).and_then(|index| u32::try_from(index).ok());
            agent.properties.id = agent.device.map(i64::from);
        }
        found.agents.push(agent);
    })?;
    if let Some(offset) = damaged {
        diagnostics.note_detail(WarningKind::BadHeader, Some(offset), "agent properties");
    }
    let wanted = ["id", "display_name", "kernel_name", "arch_vgpr_count", "accum_vgpr_count", "sgpr_count"];
    run.scan("rocpd_info_kernel_symbol", &wanted, diagnostics, |row| {
        let Some(id) = row.integer(0) else { return };
        let name = row.text(1).filter(|name| !name.is_empty()).or_else(|| row.text(2)).unwrap_or_default();
        let count = |column: usize| row.integer(column).and_then(|count| u32::try_from(count).ok());
        let registers = Registers { vector: count(3), accumulation: count(4), scalar: count(5) };
        found.kernels.insert(id, (strings.intern(amd::kernel_name(&name)), registers));
    })?;
    run.scan("rocpd_info_pmc", &["id", "name", "symbol"], diagnostics, |row| {
        let name = row.text(1).filter(|name| !name.is_empty()).or_else(|| row.text(2));
        if let (Some(id), Some(name)) = (row.integer(0), name) {
            found.counters.insert(id, strings.intern(&name));
        }
    })?;
    Ok(found)
}

impl Described {
    /// A text by its number.
    pub(super) fn string(&self, id: Option<i64>) -> StringId {
        id.and_then(|id| self.strings.get(&id)).copied().unwrap_or(StringId::NONE)
    }

    /// An agent by the number of its row.
    pub(super) fn agent(&self, id: Option<i64>) -> Option<&Agent> {
        self.agents.iter().find(|agent| Some(agent.handle) == id)
    }
}
