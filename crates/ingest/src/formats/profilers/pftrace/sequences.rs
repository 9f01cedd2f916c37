//! What packets of one sequence need not repeat: names by number, and defaults.

use std::collections::HashMap;

use eaves_model::{StringId, Strings};

use crate::protobuf::Fields;

/// The state of a sequence since it was last cleared.
#[derive(Default)]
pub(super) struct Sequence {
    pub(super) categories: HashMap<u64, StringId>,
    pub(super) names: HashMap<u64, StringId>,
    pub(super) annotation_names: HashMap<u64, StringId>,
    pub(super) texts: HashMap<u64, StringId>,
    pub(super) clock: Option<u64>,
    pub(super) track: Option<u64>,
    /// Packets were lost, so the numbers of names mean nothing until the state is cleared.
    pub(super) has_holes: bool,
}

impl Sequence {
    /// Takes in an `InternedData`.
    pub(super) fn intern(&mut self, message: &[u8], strings: &mut Strings) {
        for field in Fields::new(message).flatten() {
            let table = match field.number {
                1 => &mut self.categories,
                2 => &mut self.names,
                3 => &mut self.annotation_names,
                29 => &mut self.texts,
                _ => continue,
            };
            let (mut number, mut text) = (None, None);
            for field in Fields::new(field.value.bytes().unwrap_or_default()).flatten() {
                match field.number {
                    1 => number = field.value.integer(),
                    2 => text = field.value.bytes(),
                    _ => {}
                }
            }
            if let (Some(number), Some(text)) = (number, text) {
                table.insert(number, strings.intern_bytes(text).0);
            }
        }
    }

    /// Takes in a `TracePacketDefaults`.
    pub(super) fn default_to(&mut self, message: &[u8]) {
        for field in Fields::new(message).flatten() {
            match field.number {
                58 => self.clock = field.value.integer(),
                11 => {
                    let fields = Fields::new(field.value.bytes().unwrap_or_default()).flatten();
                    for field in fields.filter(|field| field.number == 11) {
                        self.track = field.value.integer();
                    }
                }
                _ => {}
            }
        }
    }
}
