//! Inputs that are not recordings over time.

use eaves_section::{Column, Number, Provenance, Section, Table, Unit, Value};

/// An input that is not a recording over time.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherInput<'a> {
    /// The input as the user named it.
    pub path: &'a str,
    /// What it is, such as `kernel-table`.
    pub kind: &'static str,
    /// Format of the content.
    pub format: &'a str,
    /// How it is packed, if it was read.
    pub container: Option<&'static str>,
    /// Size after unpacking, if it was read.
    pub bytes: Option<u64>,
    /// How many records it has, if it was read.
    pub records: Option<u64>,
    /// The device that it names, or why there is none.
    pub device: Result<&'a str, &'static str>,
}

/// Inputs other than traces.
pub fn other_inputs(inputs: &[OtherInput<'_>]) -> Section {
    let columns = vec![
        Column::new("path", "Path", Unit::None).main(),
        Column::new("kind", "Kind", Unit::None).main(),
        Column::new("format", "Format", Unit::None),
        Column::new("container", "Container", Unit::None),
        Column::new("size_bytes", "Decompressed size", Unit::Bytes),
        Column::new("records", "Records", Unit::Count),
        Column::new("device", "Device", Unit::None),
    ];
    let row = |input: &OtherInput<'_>| {
        let known = |value: Option<u64>| value.map_or(Value::Missing("not read here"), Value::from);
        vec![
            input.path.into(),
            input.kind.into(),
            input.format.into(),
            input.container.map_or(Value::Missing("not read here"), Value::from),
            known(input.bytes),
            known(input.records),
            input.device.map_or_else(Value::Missing, Value::from),
        ]
    };
    Section {
        id: "other-inputs",
        title: "Other inputs",
        numbers: vec![Number {
            id: "other_inputs",
            rank: None,
            value: inputs.len().into(),
            unit: Unit::Count,
            provenance: Provenance::Counter,
            explain: "inputs other than traces",
        }],
        tables: vec![Table {
            id: "other_inputs",
            title: "Other inputs",
            columns,
            rows: inputs.iter().map(row).collect(),
        }],
        charts: Vec::new(),
        findings: Vec::new(),
    }
}
