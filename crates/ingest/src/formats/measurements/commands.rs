//! NPU commands: `[{"type": "ID_CONV", "data_type": "INT8", "time_ns": ..., shapes}, ...]`. The shapes stay in the
//! record; what follows from them is a formula, not a measurement.

use eaves_model::{Measurement, MeasurementKind};

use super::Draft;
use super::fields::Fields;
use super::objects::Objects;

/// Adds the commands to a draft.
pub(super) fn read(objects: &Objects, draft: &mut Draft) {
    draft.device = objects.header.get("device").and_then(|device| device.as_str()).map(str::to_owned);
    for (index, (offset, object)) in objects.list.iter().enumerate() {
        let mut fields = Fields { object, offset: *offset, diagnostics: &mut draft.diagnostics };
        let command = Measurement {
            kind: MeasurementKind::Compute,
            name: fields.text(&["name"]).unwrap_or_else(|| format!("#{}", index + 1)),
            type_name: fields.text(&["type"]).unwrap_or_default(),
            dtype: fields.text(&["data_type"]).unwrap_or_default(),
            shape: Vec::new(),
            flops: None,
            macs: fields.number(&["macs"]),
            bytes: fields.number(&["bytes"]),
            measured_bytes: fields.number(&["hw_bytes"]),
            time: fields.time(&["time"]),
            calls: fields.calls(),
            link: None,
            protocol: None,
            counters: Vec::new(),
            record: fields.record(),
        };
        draft.records.push(command);
    }
}
