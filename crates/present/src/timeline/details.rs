//! What a recording says of a slice besides name and time, in a few words.

use std::collections::HashMap;

use eaves_model::{GpuActivity, SliceId, Trace};
use eaves_roofline::operand_text::described;

use eaves_section::quantity;

/// The lookup of slices, each text once.
#[derive(Debug)]
pub(super) struct Details {
    /// For each slice 0, or one more than the place of its text.
    of_slice: Vec<u32>,
    texts: Vec<String>,
}

impl Details {
    /// Looks at the slices that are asked for.
    pub(super) fn new(trace: &Trace, wanted: impl Fn(SliceId) -> bool) -> Self {
        let mut details = Self { of_slice: vec![0; trace.slices.len()], texts: Vec::new() };
        let mut known = HashMap::new();
        for row in (0..trace.gpu.len()).filter(|&row| wanted(trace.gpu.slice[row])) {
            let activity = trace.gpu.row(row);
            details.set(activity.slice, of_activity(trace, &activity), &mut known);
        }
        // Shapes are interned already, so the texts made of them are made once.
        let mut shapes = HashMap::new();
        for row in (0..trace.ops.len()).filter(|&row| wanted(trace.ops.slice[row])) {
            let (dims, types) = (trace.ops.input_dims[row], trace.ops.input_types[row]);
            let Some(dims) = dims.some() else { continue };
            let place = *shapes.entry((dims, types)).or_insert_with(|| {
                let (dims, types) = (trace.strings.get(dims), trace.strings.get(types));
                details.texts.push(format!("inputs {}", described(dims, types)));
                details.texts.len() as u32
            });
            details.of_slice[trace.ops.slice[row].index()] = place;
        }
        details
    }

    fn set(&mut self, slice: SliceId, text: String, known: &mut HashMap<String, u32>) {
        if text.is_empty() {
            return;
        }
        let texts = &mut self.texts;
        let place = *known.entry(text).or_insert_with_key(|text| {
            texts.push(text.clone());
            texts.len() as u32
        });
        self.of_slice[slice.index()] = place;
    }

    /// The text of a slice.
    pub(super) fn of(&self, slice: SliceId) -> Option<&str> {
        let place = (*self.of_slice.get(slice.index())? as usize).checked_sub(1)?;
        self.texts.get(place).map(String::as_str)
    }
}

fn of_activity(trace: &Trace, activity: &GpuActivity) -> String {
    let mut parts = Vec::new();
    let extent = |[x, y, z]: [u32; 3]| format!("{x}×{y}×{z}");
    parts.extend(activity.grid.get().map(|grid| format!("grid {}", extent(grid))));
    parts.extend(activity.block.get().map(|block| format!("block {}", extent(block))));
    parts.extend(activity.registers.get().map(|registers| format!("{registers} registers")));
    let shared = activity.shared_memory.get().filter(|&bytes| bytes > 0);
    parts.extend(shared.map(|bytes| format!("{} shared memory", quantity::bytes(bytes as f64))));
    parts.extend(
        activity.occupancy_pct.get().map(|percent| format!("occupancy {}", quantity::percent(percent))),
    );
    parts.extend(activity.bytes.get().map(|bytes| quantity::bytes(bytes as f64)));
    parts.extend(activity.bandwidth_gbps.get().map(|rate| format!("{} GB/s", quantity::decimal(rate))));
    let kind = trace.strings.get(activity.detail);
    parts.extend((!kind.is_empty()).then(|| kind.to_owned()));
    parts.join(", ")
}
