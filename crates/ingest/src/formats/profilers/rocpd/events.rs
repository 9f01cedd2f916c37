//! What kernels, calls and copies have in common: category, correlation, and what a marker says.

use std::collections::HashMap;

use eaves_model::{StringId, Trace};
use serde_json::Value;

use super::super::Refused;
use super::Run;
use super::tables::Described;

/// An event.
#[derive(Clone, Copy)]
pub(super) struct Event {
    id: i64,
    /// What a call and the work it started have in common.
    pub(super) correlation: i64,
    pub(super) category: StringId,
}

impl Event {
    /// What is known of a row without one.
    pub(super) fn unknown() -> Self {
        Self { id: 0, correlation: 0, category: StringId::NONE }
    }
}

/// All events of a run, in order of their numbers.
#[derive(Default)]
pub(super) struct Events {
    list: Vec<Event>,
    /// Numbers that the program gave, where it did.
    pub(super) external: HashMap<i64, i64>,
    /// Texts of markers.
    pub(super) messages: HashMap<i64, StringId>,
}

impl Events {
    /// Reads the events. Rows come in order of their numbers.
    pub(super) fn read(run: Run<'_>, described: &Described, trace: &mut Trace) -> Result<Self, Refused> {
        let mut events = Self::default();
        let Trace { strings, diagnostics, .. } = trace;
        let wanted = ["id", "category_id", "stack_id", "correlation_id", "extdata"];
        run.scan("rocpd_event", &wanted, diagnostics, |row| {
            let Some(id) = row.integer(0) else { return };
            let category = described.string(row.integer(1));
            events.list.push(Event { id, correlation: row.integer(2).unwrap_or(0), category });
            if let Some(external) = row.integer(3).filter(|external| *external != 0) {
                events.external.insert(id, external);
            }
            if strings.get(category).starts_with("MARKER")
                && let Some(text) = row.text(4)
                && let Ok(value) = serde_json::from_str::<Value>(&text)
                && let Some(message) = value.get("message").and_then(Value::as_str)
            {
                events.messages.insert(id, strings.intern(message));
            }
        })?;
        events.list.sort_by_key(|event| event.id);
        Ok(events)
    }

    /// An event by its number. Numbers usually have no gaps, so its place is where they say.
    #[inline]
    pub(super) fn get(&self, id: Option<i64>) -> Option<Event> {
        let id = id?;
        let first = self.list.first()?.id;
        let guess = id.checked_sub(first).and_then(|place| usize::try_from(place).ok());
        if let Some(event) = guess.and_then(|place| self.list.get(place)).filter(|event| event.id == id) {
            return Some(*event);
        }
        let place = self.list.binary_search_by_key(&id, |event| event.id).ok()?;
        self.list.get(place).copied()
    }
}
