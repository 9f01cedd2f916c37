//! What was recorded, what was not, and which option of the recorder records it.

use eaves_model::Run;

use crate::recorder::{Advisor, ITEMS, Item};
use crate::section::{Column, Section, Table, Unit, Value};

pub(super) fn section(run: &Run) -> Section {
    Section {
        id: "recording",
        title: "Recorded data",
        tables: vec![Table {
            id: "recorded",
            title: "Recorded data, its use, and how to record what is missing",
            columns: vec![
                Column::new("what", "What", Unit::None),
                Column::new("present", "Present", Unit::None),
                Column::new("note", "Note", Unit::None),
            ],
            rows: ITEMS.iter().filter_map(|item| row(run, item)).collect(),
        }],
        ..Section::default()
    }
}

/// Nothing if no recorder of the inputs could have recorded it.
fn row(run: &Run, item: &Item) -> Option<Vec<Value>> {
    let inputs = run.recordings.len();
    let with = run.recordings.iter().filter(|recording| (item.present)(&recording.trace)).count();
    let present = match with {
        0 => "no".to_owned(),
        _ if with == inputs => "yes".to_owned(),
        _ => format!("{with} of {inputs} inputs"),
    };
    let without = run.recordings.iter().find(|recording| !(item.present)(&recording.trace));
    let recorder = without.map(|recording| recording.trace.metadata.recorder).unwrap_or_default();
    let note = match (with, Advisor(recorder).options(item)) {
        _ if with == inputs && inputs > 0 => item.used_for.to_owned(),
        (_, Some(how)) => format!("{}: {how}", item.used_for),
        (0, None) => return None,
        (_, None) => item.used_for.to_owned(),
    };
    Some(vec![item.what.into(), present.into(), note.into()])
}
