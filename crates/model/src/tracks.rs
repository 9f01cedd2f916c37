//! Tracks and processes: where things happened, and how these places are called.

use hashbrown::HashMap;

use crate::table::table;
use crate::{ColumnData, Element, Ident, MaybeI64, Relocation, StringId, TrackId, Unfit};

table! {
    /// Every (process, thread) pair that occurs.
    TrackTable / Track {
        /// Process.
        process: Ident,
        /// Thread or stream.
        thread: Ident,
        /// Name of the thread.
        name: StringId,
        /// Order the trace asks for.
        sort_index: MaybeI64,
    }
}

table! {
    /// Every process that was given a name, a label or an order.
    ProcessTable / Process {
        /// Process.
        process: Ident,
        /// Name.
        name: StringId,
        /// Labels.
        labels: StringId,
        /// Order the trace asks for.
        sort_index: MaybeI64,
    }
}

/// The track and process tables with their look-ups.
#[derive(Clone, Debug, Default)]
pub struct Tracks {
    /// Threads and streams.
    pub threads: TrackTable,
    /// Processes.
    pub processes: ProcessTable,
    by_key: HashMap<(Ident, Ident), TrackId, foldhash::fast::FixedState>,
    by_process: HashMap<Ident, u32, foldhash::fast::FixedState>,
    last: Option<((Ident, Ident), TrackId)>,
}

impl PartialEq for Tracks {
    fn eq(&self, other: &Self) -> bool {
        self.threads == other.threads && self.processes == other.processes
    }
}

impl Tracks {
    /// The track of a (process, thread) pair, which is added if new.
    #[inline]
    pub fn get_or_add(&mut self, process: Ident, thread: Ident) -> TrackId {
        let key = (process, thread);
        match self.last {
            Some((last, id)) if last == key => id,
            _ => self.look_up(key),
        }
    }

    fn look_up(&mut self, key: (Ident, Ident)) -> TrackId {
        let threads = &mut self.threads;
        let id = *self.by_key.entry(key).or_insert_with(|| {
            threads.push(Track {
                process: key.0,
                thread: key.1,
                name: StringId::NONE,
                sort_index: MaybeI64::NONE,
            });
            TrackId::from(threads.len() - 1)
        });
        self.last = Some((key, id));
        id
    }

    /// The row of a process in [`Self::processes`], which is added if new.
    pub fn process(&mut self, process: Ident) -> usize {
        let processes = &mut self.processes;
        *self.by_process.entry(process).or_insert_with(|| {
            processes.push(Process { process, ..Process::default() });
            (processes.len() - 1) as u32
        }) as usize
    }

    /// The row of a process, if the trace described it.
    pub fn find_process(&self, process: Ident) -> Option<usize> {
        self.by_process.get(&process).map(|&row| row as usize)
    }

    /// Number of tracks.
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// True without tracks.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// Takes in the tracks of a later part of the same trace, whose strings were absorbed already.
    /// What the later part says of a track wins. The answer is the new id of each track.
    pub fn absorb(&mut self, other: &Tracks, relocation: &Relocation) -> Vec<TrackId> {
        for row in 0..other.processes.len() {
            let Process { process, name, labels, sort_index } = other.processes.row(row);
            self.describe_process(Process {
                process: process.relocate(relocation),
                name: name.relocate(relocation),
                labels: labels.relocate(relocation),
                sort_index,
            });
        }
        (0..other.threads.len())
            .map(|row| {
                let Track { process, thread, name, sort_index } = other.threads.row(row);
                self.describe_thread(Track {
                    process: process.relocate(relocation),
                    thread: thread.relocate(relocation),
                    name: name.relocate(relocation),
                    sort_index,
                })
            })
            .collect()
    }

    /// Appends threads that are given as columns.
    pub(crate) fn extend_threads(&mut self, columns: Vec<ColumnData>) -> Result<(), Unfit> {
        let before = self.threads.len();
        self.threads.extend_from(columns)?;
        for row in before..self.threads.len() {
            let key = (self.threads.process[row], self.threads.thread[row]);
            if self.by_key.insert(key, TrackId::from(row)).is_some() {
                return Err(Unfit::Twice { table: "tracks", row });
            }
        }
        Ok(())
    }

    /// Appends processes that are given as columns.
    pub(crate) fn extend_processes(&mut self, columns: Vec<ColumnData>) -> Result<(), Unfit> {
        let before = self.processes.len();
        self.processes.extend_from(columns)?;
        for row in before..self.processes.len() {
            // Row numbers were made sure to fit.
            if self.by_process.insert(self.processes.process[row], row as u32).is_some() {
                return Err(Unfit::Twice { table: "processes", row });
            }
        }
        Ok(())
    }

    /// Takes in what is said of a process. What is not said erases nothing.
    pub fn describe_process(&mut self, said: Process) {
        let row = self.process(said.process);
        overwrite(&mut self.processes.name[row], said.name);
        overwrite(&mut self.processes.labels[row], said.labels);
        if said.sort_index.is_some() {
            self.processes.sort_index[row] = said.sort_index;
        }
    }

    /// Takes in what is said of a thread, which is added if new. What is not said erases nothing.
    pub fn describe_thread(&mut self, said: Track) -> TrackId {
        let id = self.get_or_add(said.process, said.thread);
        overwrite(&mut self.threads.name[id.index()], said.name);
        if said.sort_index.is_some() {
            self.threads.sort_index[id.index()] = said.sort_index;
        }
        id
    }
}

fn overwrite(old: &mut StringId, new: StringId) {
    if new != StringId::NONE {
        *old = new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strings;

    #[test]
    fn tracks_of_two_parts_become_one_table() {
        let (mut strings, mut other_strings) = (Strings::default(), Strings::default());
        let mut tracks = Tracks::default();
        let spans = Ident::text(strings.intern("Spans"));
        tracks.get_or_add(Ident::number(1), Ident::number(2));
        tracks.get_or_add(spans, Ident::number(0));

        let mut other = Tracks::default();
        other_strings.intern("first");
        let other_spans = Ident::text(other_strings.intern("Spans"));
        let same = other.get_or_add(other_spans, Ident::number(0));
        let new = other.get_or_add(Ident::number(9), Ident::number(9));
        other.threads.name[same.index()] = other_strings.intern("spans thread");

        let relocation = Relocation { strings: strings.absorb(&other_strings), ..Relocation::default() };
        let moved = tracks.absorb(&other, &relocation);
        assert_eq!(moved, [TrackId(1), TrackId(2)]);
        assert_eq!(tracks.len(), 3);
        assert_eq!(strings.get(tracks.threads.name[1]), "spans thread");
        assert_eq!(moved[new.index()], TrackId(2));
    }
}
