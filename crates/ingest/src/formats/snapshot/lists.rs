//! Lists of records, as runs of rows.

/// What a builder makes of dictionaries and lists, by the number in [`Value::Built`](crate::pickle::Value::Built).
pub(super) mod kind {
    /// A row of the frames.
    pub(in super::super) const FRAME: u8 = 0;
    /// A list of frames: a row of the stacks.
    pub(in super::super) const STACK: u8 = 1;
    /// A row of the events.
    pub(in super::super) const EVENT: u8 = 2;
    /// A row of the blocks.
    pub(in super::super) const BLOCK: u8 = 3;
    /// A row of the segments.
    pub(in super::super) const SEGMENT: u8 = 4;
    /// A list of other things.
    pub(in super::super) const LIST: u8 = 5;
    /// A dictionary of settings.
    pub(in super::super) const SETTINGS: u8 = 6;
    /// The whole.
    pub(in super::super) const ROOT: u8 = 7;
    /// The number of a pool.
    pub(in super::super) const POOL: u8 = 8;
}

/// Rows that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) kind: u8,
    pub(super) first: u32,
    pub(super) count: u32,
}

/// An empty list inside a list.
pub(super) const EMPTY: u32 = u32::MAX;

/// All lists, by number.
#[derive(Default)]
pub(super) struct Lists {
    lists: Vec<Vec<Run>>,
}

impl Lists {
    /// A new list.
    pub(super) fn create(&mut self) -> u32 {
        self.lists.push(Vec::new());
        (self.lists.len() - 1) as u32
    }

    /// Adds a row to a list.
    pub(super) fn add(&mut self, list: u32, kind: u8, row: u32) {
        let Some(runs) = self.lists.get_mut(list as usize) else { return };
        match runs.last_mut() {
            Some(last) if last.kind == kind && last.first.checked_add(last.count) == Some(row) => {
                last.count += 1
            }
            _ => runs.push(Run { kind, first: row, count: 1 }),
        }
    }

    /// The runs of a list.
    pub(super) fn runs(&self, list: u32) -> &[Run] {
        self.lists.get(list as usize).map_or(&[], Vec::as_slice)
    }

    /// The rows of one kind in a list.
    pub(super) fn rows(&self, list: u32, kind: u8) -> impl Iterator<Item = u32> + '_ {
        let of_kind = self.runs(list).iter().filter(move |run| run.kind == kind);
        of_kind.flat_map(|run| run.first..run.first.saturating_add(run.count))
    }
}

impl Lists {
    /// The lists in a list, in order; empty ones are [`EMPTY`].
    pub(super) fn rows_of_lists(&self, list: u32) -> impl Iterator<Item = u32> + '_ {
        let lists = self.runs(list).iter().filter(|run| run.kind == kind::LIST);
        lists.flat_map(|run| (0..run.count).map(|more| run.first.saturating_add(more)))
    }
}
