//! `chromium_event`: beginnings and ends of the phases of a compilation.

use crate::json::walk::{Bad, Walk};

/// Whether a phase begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Begin,
    End,
    /// Something that has no length.
    Neither,
}

/// A beginning or end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event<'a> {
    /// The phase, as it is written.
    pub(super) name: &'a [u8],
    /// Nanoseconds since 1970.
    pub(super) time: i64,
    pub(super) edge: Edge,
    /// True if it belongs to a compilation: what workers do says `None`.
    pub(super) has_compile: bool,
}

/// Reads the payload of an event. Nothing for events without a time.
pub(super) fn parse(payload: &[u8]) -> Result<Option<Event<'_>>, Bad> {
    let mut walk = Walk::new(payload);
    let (mut name, mut time, mut edge, mut has_compile) = (None, None, Edge::Neither, false);
    walk.object()?;
    while let Some(key) = walk.key()? {
        match key {
            b"name" => name = walk.maybe_text()?,
            b"ts" => time = walk.scaled(3)?,
            b"ph" => {
                edge = match walk.maybe_text()? {
                    Some(b"B") => Edge::Begin,
                    Some(b"E") => Edge::End,
                    _ => Edge::Neither,
                }
            }
            b"args" if walk.peek() == Some(b'{') => {
                walk.object()?;
                while let Some(key) = walk.key()? {
                    if key == b"compile_id" {
                        has_compile = walk.maybe_text()?.is_some_and(|id| id != b"None");
                    } else {
                        walk.skip()?;
                    }
                }
            }
            _ => walk.skip()?,
        }
    }
    Ok(name.zip(time).map(|(name, time)| Event { name, time, edge, has_compile }))
}
