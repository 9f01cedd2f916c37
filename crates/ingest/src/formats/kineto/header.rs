//! What stands next to the events at the top level of a trace.

use eaves_model::{DeviceProperties, DistributedInfo, Metadata, ProcessGroup, Recorder, Times};
use serde_json::Value;

/// Recorder options, which are written as 0 or 1.
const OPTIONS: [&str; 5] = ["profile_memory", "record_shapes", "with_flops", "with_modules", "with_stack"];

/// True for keys whose values are wanted.
pub(super) fn is_known(key: &str) -> bool {
    OPTIONS.contains(&key)
        || key.ends_with("_version")
        || matches!(
            key,
            "baseTimeNanoseconds"
                | "deviceProperties"
                | "displayTimeUnit"
                | "distributedInfo"
                | "eaves"
                | "eaves_operator_threads"
                | "eaves_processors"
                | "host_name"
                | "schemaVersion"
                | "traceName"
                | "trace_id"
        )
}

/// Takes in one top-level value. The answer is false if a known key has a value that cannot be read.
pub(super) fn take(metadata: &mut Metadata, key: &str, json: &[u8]) -> bool {
    if !is_known(key) {
        return true;
    }
    let Ok(value) = serde_json::from_str::<Value>(&String::from_utf8_lossy(json)) else { return false };
    match key {
        "baseTimeNanoseconds" => metadata.base_time_ns = value.as_i64(),
        "deviceProperties" => {
            metadata.devices =
                value.as_array().map(|list| list.iter().map(device).collect()).unwrap_or_default();
        }
        "displayTimeUnit" => metadata.display_time_unit = text(&value),
        "distributedInfo" => metadata.distributed = value.is_object().then(|| distributed(&value)),
        "eaves" => {
            metadata.recorder = value["recorder"].as_str().and_then(Recorder::from_id).unwrap_or_default();
            metadata.tool = text(&value["tool"]);
            metadata.clock = text(&value["clock"]);
            if value["in_sequence"] == true {
                metadata.times = Times::InSequence;
            }
            if value["without_times"] == true {
                metadata.times = Times::NotRecorded;
            }
        }
        "host_name" => metadata.host_name = text(&value),
        "schemaVersion" => metadata.schema_version = value.as_i64(),
        "traceName" => metadata.trace_name = text(&value),
        "trace_id" => metadata.trace_id = text(&value),
        option if OPTIONS.contains(&option) => {
            let on = value.as_bool().or(value.as_f64().map(|number| number != 0.0)).unwrap_or(false);
            insert(&mut metadata.options, key, on);
        }
        _ => insert(&mut metadata.versions, key, text(&value).unwrap_or_else(|| value.to_string())),
    }
    true
}

fn insert<T>(list: &mut Vec<(String, T)>, key: &str, value: T) {
    match list.binary_search_by(|(other, _)| other.as_str().cmp(key)) {
        Ok(at) => list[at].1 = value,
        Err(at) => list.insert(at, (key.to_owned(), value)),
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn text_or_empty(value: &Value) -> String {
    text(value).unwrap_or_default()
}

fn device(value: &Value) -> DeviceProperties {
    let mut device = DeviceProperties {
        id: value["id"].as_i64(),
        name: text_or_empty(&value["name"]),
        architecture: text_or_empty(&value["architecture"]),
        ..Default::default()
    };
    for (key, value) in value.as_object().into_iter().flatten() {
        if key != "id"
            && let Some(number) = value.as_f64()
        {
            insert(&mut device.numbers, key, number);
        }
    }
    device
}

fn distributed(value: &Value) -> DistributedInfo {
    let groups = value["pg_config"].as_array().map(|groups| groups.iter().map(group).collect());
    DistributedInfo {
        backend: text(&value["backend"]),
        rank: value["rank"].as_i64(),
        world_size: value["world_size"].as_i64(),
        nccl_version: text(&value["nccl_version"]),
        groups: groups.unwrap_or_default(),
    }
}

fn group(value: &Value) -> ProcessGroup {
    let description = if value["pg_desc"].is_string() { &value["pg_desc"] } else { &value["uid"] };
    let ranks = value["ranks"].as_array().map(|ranks| ranks.iter().filter_map(Value::as_i64).collect());
    ProcessGroup {
        name: text_or_empty(&value["pg_name"]),
        description: text_or_empty(description),
        backend_config: text_or_empty(&value["backend_config"]),
        size: value["pg_size"].as_i64(),
        ranks: ranks.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_recorders_write() {
        let mut metadata = Metadata::default();
        let header: [(&str, &str); 8] = [
            ("schemaVersion", "1"),
            ("eaves_processors", "2"),
            ("baseTimeNanoseconds", "1751410836000000000"),
            ("with_stack", "1"),
            ("record_shapes", "0"),
            ("cuda_driver_version", "12090"),
            ("deviceProperties", r#"[{"id": 0, "name": "NVIDIA H100", "numSms": 132, "computeMajor": 9}]"#),
            (
                "distributedInfo",
                r#"{"backend": "nccl", "rank": 3, "world_size": 8,
                    "pg_config": [{"pg_name": "0", "uid": "all", "ranks": [0, 1]}]}"#,
            ),
        ];
        for (key, json) in header {
            assert!(take(&mut metadata, key, json.as_bytes()), "{key}");
        }
        assert_eq!(metadata.base_time_ns, Some(1_751_410_836_000_000_000));
        assert_eq!(
            (metadata.option("with_stack"), metadata.option("record_shapes")),
            (Some(true), Some(false))
        );
        assert_eq!(metadata.option("with_flops"), None);
        assert!(metadata.versions.contains(&("eaves_processors".to_owned(), "2".to_owned())));
        assert_eq!(metadata.devices[0].number("numSms"), Some(132.0));
        let distributed = metadata.distributed.as_ref().unwrap();
        assert_eq!((distributed.rank, distributed.groups[0].description.as_str()), (Some(3), "all"));
        assert!(!take(&mut metadata, "distributedInfo", b"{broken"));
        assert!(take(&mut metadata, "unknown", b"{broken"));
    }
}
