//! Which fields of a record are wanted, and where they are.

use super::record::{DEFAULT, ROWID, length_of, varint};
use super::schema::{Column, Literal, Schema};

/// A value of a record: its serial type, and where its bytes begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) serial: u64,
    pub(super) start: usize,
}

/// The wanted columns of a table.
pub(super) struct Plan<'s> {
    /// Of each column of the record up to the last wanted one: which of the wanted it is.
    slots: Vec<u32>,
    /// What is known of each wanted column before the record is looked at.
    before: Vec<Field>,
    /// The columns as declared; `None` if the table has no such column.
    pub(super) columns: Vec<Option<&'s Column>>,
    /// The fields of the record looked at.
    pub(super) fields: Vec<Field>,
}

const UNWANTED: u32 = u32::MAX;

impl<'s> Plan<'s> {
    pub(super) fn new(schema: &'s Schema, wanted: &[&str]) -> Self {
        let mut plan =
            Self { slots: Vec::new(), before: Vec::new(), columns: Vec::new(), fields: Vec::new() };
        for (index, name) in wanted.iter().enumerate() {
            let place = schema.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name));
            let column = place.and_then(|place| schema.columns.get(place));
            let serial = match column {
                Some(column) if column.is_rowid => ROWID,
                Some(column) if column.default != Literal::Null => DEFAULT,
                _ => 0,
            };
            if let Some(place) = place.filter(|_| serial != ROWID) {
                if plan.slots.len() <= place {
                    plan.slots.resize(place + 1, UNWANTED);
                }
                plan.slots[place] = index as u32;
            }
            plan.before.push(Field { serial, start: 0 });
            plan.columns.push(column);
        }
        plan.fields.clone_from(&plan.before);
        plan
    }

    /// Finds the fields of a record whose header is there whole. The answer is how many bytes of it they need.
    #[inline(always)]
    pub(super) fn find(&mut self, payload: &[u8]) -> Option<usize> {
        self.fields.copy_from_slice(&self.before);
        let (header, mut at) = varint(payload, 0)?;
        let mut start = usize::try_from(header).ok()?;
        let header = payload.get(..start)?;
        let mut needed = start;
        for &slot in &self.slots {
            // Columns that were added later are not in earlier records.
            if at >= header.len() {
                break;
            }
            let (serial, next) = varint(header, at)?;
            at = next;
            let end = start.checked_add(length_of(serial)?)?;
            if slot != UNWANTED {
                if let Some(field) = self.fields.get_mut(slot as usize) {
                    *field = Field { serial, start };
                }
                needed = end;
            }
            start = end;
        }
        Some(needed)
    }
}
