//! Recordings kept in memory, so that a second question reads no file.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use eaves_query::Limits;

use crate::Recordings;

/// What people call some inputs.
pub(crate) fn name_of(inputs: &[PathBuf]) -> String {
    let first = inputs.first().map(|path| path.display().to_string()).unwrap_or_default();
    match inputs.len() {
        0 | 1 => first,
        several => format!("{first} and {} more", several - 1),
    }
}

/// What is loaded. Whoever holds recordings keeps them in memory; the session itself keeps the ones used last within a
/// budget, and finds all that are still there.
#[derive(Debug, Default)]
pub struct Session {
    /// Bytes of recordings that the session itself keeps.
    budget: u64,
    /// What answers in SQL may take; as much as they like by default.
    query_limits: Option<Limits>,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// Recordings with the inputs that they are found by.
    known: Vec<(Vec<PathBuf>, Weak<Recordings>)>,
    /// The one used last comes first.
    kept: VecDeque<Arc<Recordings>>,
}

impl Session {
    /// A session that keeps recordings of this many bytes.
    pub fn with_budget(budget: u64) -> Self {
        Self { budget, ..Self::default() }
    }

    /// A session whose answers in SQL take no more than this.
    pub fn with_query_limits(limits: Limits) -> Self {
        Self { query_limits: Some(limits), ..Self::default() }
    }

    /// What answers in SQL may take, if they may not take all.
    pub fn query_limits(&self) -> Option<Limits> {
        self.query_limits
    }

    /// A session that knows recordings which somebody else keeps.
    pub fn of(recordings: &Arc<Recordings>) -> Self {
        let session = Self::default();
        session.add(recordings);
        session
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // Lists are never left half-changed.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of recordings, and keeps them if there is room.
    pub fn add(&self, recordings: &Arc<Recordings>) {
        self.know(recordings.inputs.clone(), recordings);
    }

    /// The same under a name that is not a file: requests may be about several recordings of the same inputs.
    pub fn add_as(&self, name: &Path, recordings: &Arc<Recordings>) {
        self.know(vec![name.to_owned()], recordings);
    }

    fn know(&self, inputs: Vec<PathBuf>, recordings: &Arc<Recordings>) {
        let mut held = self.held();
        held.known.retain(|(_, known)| known.strong_count() > 0);
        held.known.push((inputs, Arc::downgrade(recordings)));
        if recordings.size() <= self.budget {
            held.kept.push_front(recordings.clone());
            let mut size = 0u64;
            held.kept.retain(|kept| {
                size = size.saturating_add(kept.size());
                size <= self.budget
            });
        }
    }

    /// The recordings of these inputs, whole, if they are in memory.
    pub fn find(&self, inputs: &[PathBuf]) -> Option<Arc<Recordings>> {
        let mut held = self.held();
        // The newest first: inputs may have been read again because they changed.
        let mut known = held.known.iter().rev().filter(|(known, _)| known == inputs);
        let found = known.find_map(|(_, known)| known.upgrade())?;
        if let Some(at) = held.kept.iter().position(|kept| Arc::ptr_eq(kept, &found))
            && let Some(kept) = held.kept.remove(at)
        {
            held.kept.push_front(kept);
        }
        Some(found)
    }

    /// Forgets inputs that changed.
    pub fn forget(&self, input: &Path) {
        let is_other = |recordings: &Recordings| !recordings.inputs.iter().any(|known| known == input);
        let mut held = self.held();
        held.kept.retain(|kept| is_other(kept));
        held.known.retain(|(_, known)| known.upgrade().is_some_and(|known| is_other(&known)));
    }
}

#[cfg(test)]
mod tests {
    use eaves_analyze::Selection;
    use eaves_section::Value;
    use serde_json::{Map, json};

    use super::*;
    use crate::{Answer, Context, parse, verbs};

    const TRAINING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/training");

    fn read(rank: i64) -> Arc<Recordings> {
        let selection = Selection::default().with_ranks(vec![rank]);
        Arc::new(Recordings::read(&[TRAINING.into()], selection, None).unwrap())
    }

    fn asked<V: crate::Verb>(session: &Session, fields: serde_json::Value) -> Answer {
        let fields: Map<String, serde_json::Value> = fields.as_object().unwrap().clone();
        parse::<V>(fields).unwrap().run(&Context::new(session)).unwrap()
    }

    fn busy_ns(answer: &Answer) -> Vec<(Option<i64>, Value)> {
        let section = answer.document.sections().find(|section| section.id == "temporal-breakdown").unwrap();
        let busy = section.numbers.iter().filter(|number| number.id == "busy_ns");
        busy.map(|number| (number.rank, number.value.clone())).collect()
    }

    /// Two parts of one input are distinguished by the names that they were given, and each stays the part it is.
    #[test]
    fn parts_in_memory_stay_parts() {
        let (first, second, session) = (read(0), read(1), Session::default());
        session.add_as(Path::new("first"), &first);
        session.add_as(Path::new("second"), &second);
        let of_files = |rank: i64| {
            let fields = json!({"inputs": [TRAINING], "section": "temporal-breakdown", "rank": rank});
            asked::<verbs::Report>(&Session::default(), fields)
        };
        for (name, rank) in [("first", 0), ("second", 1)] {
            let fields = json!({"inputs": [name], "section": "temporal-breakdown"});
            let held = asked::<verbs::Report>(&session, fields);
            assert_eq!(busy_ns(&held), busy_ns(&of_files(rank)), "{name}");
            assert!(matches!(busy_ns(&held).as_slice(), [(Some(known), _)] if *known == rank), "{name}");
        }
        let compared = asked::<verbs::Diff>(&session, json!({"base": "first", "new": "second"}));
        let ranks: Vec<i64> = compared.document.inputs.iter().map(|input| input.rank).collect();
        assert_eq!(ranks, [0, 1]);
    }
}
