//! What a trace says about itself, as the top level of a Kineto file.

use eaves_model::{DeviceProperties, DistributedInfo, Metadata, ProcessGroup, Recorder, Times};

use super::json;

/// How every file begins: it says who wrote it.
pub(super) const SIGNATURE: &str = concat!("{\"exportedBy\":\"eaves ", env!("CARGO_PKG_VERSION"), "\"");

/// Appends the opening brace, every top-level field that is known, and the beginning of the list of events.
pub(super) fn push_header(buffer: &mut Vec<u8>, metadata: &Metadata) {
    buffer.extend_from_slice(SIGNATURE.as_bytes());
    let mut object = Object { buffer, any: true };
    object.integer("schemaVersion", metadata.schema_version);
    if !metadata.devices.is_empty() {
        object.list("deviceProperties", &metadata.devices, push_device);
    }
    for (name, version) in &metadata.versions {
        object.number_or_text(name, version);
    }
    if let Some(distributed) = &metadata.distributed {
        push_distributed(object.key("distributedInfo"), distributed);
    }
    object.text("trace_id", metadata.trace_id.as_deref());
    for (name, on) in &metadata.options {
        object.integer(name, Some(i64::from(*on)));
    }
    // What Kineto writes needs no word on who recorded.
    let recorder = Some(metadata.recorder.id())
        .filter(|_| !matches!(metadata.recorder, Recorder::Torch | Recorder::Unknown));
    if metadata.tool.is_some()
        || metadata.clock.is_some()
        || metadata.times != Times::Recorded
        || recorder.is_some()
    {
        let mut ours = Object::open(object.key("eaves"));
        ours.text("recorder", recorder);
        ours.text("tool", metadata.tool.as_deref());
        ours.text("clock", metadata.clock.as_deref());
        if metadata.times == Times::InSequence {
            ours.key("in_sequence").extend_from_slice(b"true");
        }
        if !metadata.times.has_durations() {
            ours.key("without_times").extend_from_slice(b"true");
        }
        ours.close();
    }
    object.text("host_name", metadata.host_name.as_deref());
    object.text("displayTimeUnit", metadata.display_time_unit.as_deref());
    object.integer("baseTimeNanoseconds", metadata.base_time_ns);
    object.text("traceName", metadata.trace_name.as_deref());
    object.key("traceEvents").push(b'[');
}

/// Appends the end of the list of events and of the file.
pub(super) fn push_footer(buffer: &mut Vec<u8>) {
    buffer.extend_from_slice(b"\n]}\n");
}

fn push_device(buffer: &mut Vec<u8>, device: &DeviceProperties) {
    let mut object = Object::open(buffer);
    object.integer("id", device.id);
    object.text("name", Some(&device.name));
    object.text("architecture", Some(device.architecture.as_str()).filter(|text| !text.is_empty()));
    for (name, value) in &device.numbers {
        json::push_float(object.key(name), *value);
    }
    object.close();
}

fn push_distributed(buffer: &mut Vec<u8>, distributed: &DistributedInfo) {
    let mut object = Object::open(buffer);
    object.text("backend", distributed.backend.as_deref());
    object.integer("rank", distributed.rank);
    object.integer("world_size", distributed.world_size);
    if !distributed.groups.is_empty() {
        object.integer("pg_count", i64::try_from(distributed.groups.len()).ok());
        object.list("pg_config", &distributed.groups, push_group);
    }
    object.text("nccl_version", distributed.nccl_version.as_deref());
    object.close();
}

fn push_group(buffer: &mut Vec<u8>, group: &ProcessGroup) {
    let mut object = Object::open(buffer);
    object.text("pg_name", Some(&group.name));
    object.text("pg_desc", Some(&group.description));
    object.text("backend_config", Some(&group.backend_config));
    object.integer("pg_size", group.size);
    object.list("ranks", &group.ranks, |buffer, &rank| json::push_integer(buffer, rank));
    object.close();
}

/// A JSON object that is being written.
struct Object<'b> {
    buffer: &'b mut Vec<u8>,
    any: bool,
}

impl<'b> Object<'b> {
    fn open(buffer: &'b mut Vec<u8>) -> Self {
        buffer.push(b'{');
        Self { buffer, any: false }
    }

    fn close(self) {
        self.buffer.push(b'}');
    }

    fn key(&mut self, key: &str) -> &mut Vec<u8> {
        if self.any {
            self.buffer.push(b',');
        }
        self.any = true;
        json::push_string(self.buffer, key);
        self.buffer.push(b':');
        self.buffer
    }

    fn integer(&mut self, key: &str, value: Option<i64>) {
        if let Some(value) = value {
            json::push_integer(self.key(key), value);
        }
    }

    fn text(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            json::push_string(self.key(key), value);
        }
    }

    /// Versions are numbers in most traces and texts in some; the model has the text of both. `1.10` must stay a
    /// text, because as a number it would read as 1.1.
    fn number_or_text(&mut self, key: &str, value: &str) {
        let number = serde_json::from_str::<serde_json::Number>(value);
        if number.is_ok_and(|number| number.to_string() == value) {
            self.key(key).extend_from_slice(value.as_bytes());
        } else {
            self.text(key, Some(value));
        }
    }

    fn list<T>(&mut self, key: &str, items: &[T], push: impl Fn(&mut Vec<u8>, &T)) {
        let buffer = self.key(key);
        buffer.push(b'[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                buffer.push(b',');
            }
            push(buffer, item);
        }
        buffer.push(b']');
    }
}
