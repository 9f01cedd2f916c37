//! What inputs were before they were read. A file that is written or replaced while it is read is not known by what it is
//! afterwards, for then nobody would read the rest of it.

use std::collections::HashMap;

use eaves_store::Source;

/// Inputs as they were, by their names.
#[derive(Default)]
pub(super) struct Sources(HashMap<String, Source>);

impl Sources {
    /// Looks at an input before it is read.
    pub(super) fn remember(&mut self, path: &str) -> Option<Source> {
        let source = Source::of(path)?;
        self.0.insert(source.path.clone(), source.clone());
        Some(source)
    }

    /// What a recording that was read is known by; nothing if its file is not what it was.
    pub(super) fn of_read(&self, path: &str) -> Option<Source> {
        Source::of(path).filter(|now| self.0.get(&now.path) == Some(now))
    }
}
