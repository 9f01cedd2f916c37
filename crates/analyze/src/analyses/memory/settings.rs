//! How the allocator was set up: what a snapshot has as `allocator_settings`.

use eaves_model::Trace;

use super::tables::Ranks;
use crate::Job;
use crate::section::{Column, Table, Unit};

/// The settings of a snapshot by name, sorted; none of any other recording.
///
/// A setting may have a value for each size (`roundup_power2_divisions`), read as `name.size`. If all are the same it is
/// one.
pub(super) fn settings_of(trace: &Trace) -> Vec<(String, String)> {
    if trace.snapshot.segments.is_empty() && trace.snapshot.events.is_empty() {
        return Vec::new();
    }
    let settings = &trace.metadata.settings;
    let group = |name: &str| name.split_once('.').map(|(group, _)| group.to_owned());
    let mut found: Vec<(String, String)> = Vec::with_capacity(settings.len());
    for (name, value) in settings {
        let Some(whole) = group(name) else {
            found.push((name.clone(), value.clone()));
            continue;
        };
        let mut siblings = settings.iter().filter(|(other, _)| group(other).as_ref() == Some(&whole));
        if !siblings.all(|(_, other)| other == value) {
            found.push((name.clone(), value.clone()));
        } else if found.last().is_none_or(|(last, _)| *last != whole) {
            found.push((whole, value.clone()));
        }
    }
    found
}

/// A row a setting.
pub(super) fn table(job: &Job, ranks: &Ranks<'_>) -> Table {
    let own = [Column::new("setting", "Setting", Unit::None), Column::new("value", "Value", Unit::None)];
    let mut rows = Vec::new();
    for rank in ranks {
        for (name, value) in &rank.part.settings {
            let cells = [name.as_str().into(), value.as_str().into()];
            rows.push(job.rank_cells(rank).into_iter().chain(cells).collect());
        }
    }
    Table {
        id: "allocator_settings",
        title: "Allocator settings (PYTORCH_ALLOC_CONF); -1: no limit, 0: off",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

#[cfg(test)]
mod tests {
    use eaves_model::{MaybeI64, MemorySegment, StringId};

    use super::*;

    fn with(settings: &[(&str, &str)]) -> Trace {
        let mut trace = Trace::default();
        trace.metadata.settings =
            settings.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        trace.snapshot.segments.push(MemorySegment {
            device_type: 1,
            device: 0,
            address: 0,
            bytes: 1,
            stream: MaybeI64::new(0),
            kind: StringId::NONE,
            pool: 0,
            expandable: 0,
            stack: eaves_model::MaybeU32::NONE,
        });
        trace
    }

    fn names(trace: &Trace) -> Vec<String> {
        settings_of(trace).into_iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    #[test]
    fn values_by_size_are_one_if_they_are_the_same() {
        let same = [("divisions.1", "0"), ("divisions.2", "0"), ("expandable_segments", "false")];
        assert_eq!(names(&with(&same)), ["divisions=0", "expandable_segments=false"]);
        let differ = [("divisions.1", "4"), ("divisions.2", "0"), ("max_split_size", "-1")];
        assert_eq!(names(&with(&differ)), ["divisions.1=4", "divisions.2=0", "max_split_size=-1"]);
    }

    #[test]
    fn settings_of_other_recordings_are_not_the_allocators() {
        let mut trace = with(&[("a", "b")]);
        trace.snapshot.segments = Default::default();
        assert!(settings_of(&trace).is_empty());
    }
}
