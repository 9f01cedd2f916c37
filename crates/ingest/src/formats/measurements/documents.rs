//! What `eaves bench --json` writes: the rows of its table `results`.

use eaves_model::{Measurement, MeasurementKind};
use serde_json::{Map, Value};

use super::Draft;
use super::fields::Fields;

const SCHEMA: &str = "eaves.bench/";

/// True if a text begins as such a document: the schema is the first key that we write.
pub(super) fn is_one(first: &str) -> bool {
    let value = first.strip_prefix('{').map(str::trim_start).and_then(|rest| rest.strip_prefix("\"schema\""));
    let value = value.map(str::trim_start).and_then(|rest| rest.strip_prefix(':')).map(str::trim_start);
    value.is_some_and(|value| value.strip_prefix('"').is_some_and(|value| value.starts_with(SCHEMA)))
}

/// Adds the results of a document to a draft; of any other object nothing.
pub(super) fn read(document: &Map<String, Value>, draft: &mut Draft) {
    let schema = document.get("schema").and_then(Value::as_str);
    if !schema.is_some_and(|schema| schema.starts_with(SCHEMA)) {
        return;
    }
    let of = |value: &Value, id: &str| value.get("id").and_then(Value::as_str) == Some(id);
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    for section in list(document.get("sections")).iter().filter(|section| of(section, "bench")) {
        let numbers = list(section.get("numbers"));
        let device = numbers.iter().find(|number| of(number, "device"));
        let device = device.and_then(|number| number.get("value")?.as_str());
        draft.device = draft.device.take().or_else(|| device.map(str::to_owned));
        for table in list(section.get("tables")).iter().filter(|table| of(table, "results")) {
            let columns = list(table.get("columns"));
            let ids: Vec<&str> =
                columns.iter().map(|column| column.get("id").and_then(Value::as_str).unwrap_or("")).collect();
            for row in list(table.get("rows")) {
                let cells = row.as_array().cloned().unwrap_or_default();
                let object = ids.iter().map(|id| (*id).to_owned()).zip(cells).collect();
                let record = record(&object, draft);
                draft.records.push(record);
            }
        }
    }
}

/// One kernel. Results without a time, because they were contaminated or wrong, have none here.
fn record(object: &Map<String, Value>, draft: &mut Draft) -> Measurement {
    let mut fields = Fields { object, offset: 0, diagnostics: &mut draft.diagnostics };
    let words: Vec<String> =
        ["name", "precision", "implementation"].iter().filter_map(|key| fields.text(&[key])).collect();
    Measurement {
        kind: MeasurementKind::Compute,
        name: words.join(" "),
        type_name: fields.text(&["kind"]).unwrap_or_default(),
        dtype: fields.text(&["computed_in"]).unwrap_or_default(),
        flops: fields.number(&["flops"]),
        bytes: fields.number(&["bytes"]),
        time: fields.number(&["time_ns"]),
        calls: 1,
        record: fields.record(),
        ..Measurement::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Form, form_of, read};

    const DOCUMENT: &str = r#"{"schema": "eaves.bench/1", "tool": {"name": "eaves", "version": "0.1.0"}, "sections": [
        {"id": "bench", "numbers": [{"id": "device", "value": "Test CPU"}], "tables": [
            {"id": "samples", "columns": [{"id": "row"}], "rows": [[1], [2]]},
            {"id": "results", "columns": [{"id": "name"}, {"id": "precision"}, {"id": "time_ns"}, {"id": "flops"},
                {"id": "bytes"}, {"id": "computed_in"}, {"id": "kind"}],
             "rows": [["gemv 1x8x8", "int8/int8", 1500.5, 128, 64.0, "int8", "gemv"],
                      ["read 1.0 KiB", "fp32", null, 0, 1024, null, "stream"]]}]},
        {"id": "roofline", "tables": [{"id": "results", "columns": [], "rows": [[]]}]}]}"#;

    #[test]
    fn results_of_ours_are_kernels() {
        assert_eq!(form_of(DOCUMENT.as_bytes()), Some(Form::Benchmark));
        let content = read(DOCUMENT.as_bytes(), Form::Benchmark).unwrap();
        assert_eq!(content.device.as_deref(), Some("Test CPU"));
        let [gemv, stream] = content.records.as_slice() else { panic!("{:?}", content.records) };
        assert_eq!((gemv.name.as_str(), gemv.dtype.as_str()), ("gemv 1x8x8 int8/int8", "int8"));
        assert_eq!((gemv.time, gemv.flops, gemv.bytes), (Some(1500.5), Some(128.0), Some(64.0)));
        assert_eq!((stream.time, stream.flops, stream.type_name.as_str()), (None, Some(0.0), "stream"));
        assert!(content.diagnostics.warnings().is_empty());
    }

    #[test]
    fn documents_of_other_verbs_are_not() {
        let other = DOCUMENT.replace("eaves.bench/1", "eaves.report/1");
        assert_eq!(form_of(other.as_bytes()), None);
        assert!(read(other.as_bytes(), Form::Benchmark).unwrap().records.is_empty());
    }
}
