//! What `--json` prints, from `schema/eaves.schema.json`.

use anyhow::{Context, Result};
use serde_json::Value;

use super::super::definitions;
use super::{code, list, page as finished, paragraph, sentence, table, text};

const SCHEMA: &str = "schema/eaves.schema.json";

const INTRODUCTION: &str = "\
# JSON reference

What every verb prints with `--json`, from [the schema](../../schema/eaves.schema.json), which
`eaves self schema` prints too. The [JSON guide](../json.md) shows how to read it.

";

pub(super) fn page() -> Result<String> {
    let schema = definitions::read(SCHEMA)?;
    let mut page = INTRODUCTION.to_owned();
    page.push_str("## The document\n\n");
    page.push_str(&object(&schema));
    let parts = schema["$defs"].as_object().context("no definitions")?;
    for (name, part) in parts {
        page.push_str(&format!("## {}\n\n", code(name)));
        page.push_str(&object(part));
    }
    Ok(finished(&page))
}

/// An object with its keys, those that are always there first; or what else a definition describes.
pub(super) fn object(schema: &Value) -> String {
    let mut result = text(schema, "description").map(|about| paragraph(&sentence(about))).unwrap_or_default();
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return result + &paragraph(&format!("{}.", capitalized(&kind(schema))));
    };
    let required: Vec<&str> = list(schema, "required").iter().filter_map(Value::as_str).collect();
    let optional = properties.keys().map(String::as_str).filter(|name| !required.contains(name));
    let rows = required.iter().map(|name| (*name, "")).chain(optional.map(|name| (name, "optional")));
    let rows = rows.filter_map(|(name, presence)| {
        let property = properties.get(name)?;
        let about = text(property, "description").map(sentence).unwrap_or_default();
        Some(vec![code(name), kind(property), presence.to_owned(), about])
    });
    result.push_str(&table(&["key", "value", "presence", "meaning"], &rows.collect::<Vec<_>>()));
    result
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// What a value is, in words.
pub(super) fn kind(schema: &Value) -> String {
    if let Some(target) = text(schema, "$ref") {
        let name = target.rsplit('/').next().unwrap_or(target);
        // Parts of requests over HTTP have no heading: the command line reference has their fields.
        let is_request = target.contains("/components/") && name.starts_with(char::is_lowercase);
        return if is_request { code(name) } else { format!("[{}](#{})", code(name), name.to_lowercase()) };
    }
    if let Some(value) = schema.get("const") {
        return code(&value.to_string());
    }
    let values = list(schema, "enum");
    if !values.is_empty() {
        let shown: Vec<String> = values.iter().map(|value| code(&value.to_string())).collect();
        return shown.join(", ");
    }
    for key in ["oneOf", "anyOf"] {
        let variants = list(schema, key);
        if !variants.is_empty() {
            let shown: Vec<String> = variants.iter().map(kind).collect();
            return shown.join(" or ");
        }
    }
    let single = text(schema, "type").into_iter().map(str::to_owned);
    let several = list(schema, "type").iter().filter_map(Value::as_str).map(str::to_owned);
    let types: Vec<String> = single
        .chain(several)
        .map(|name| match (name.as_str(), schema.get("items")) {
            ("array", Some(items)) => format!("list of {}", kind(items)),
            ("array", None) => "list".to_owned(),
            ("object", _) => keys(schema).unwrap_or(name),
            _ => name,
        })
        .collect();
    if types.is_empty() { "any value".to_owned() } else { types.join(" or ") }
}

/// An object that has no name, by its keys.
fn keys(schema: &Value) -> Option<String> {
    let properties = schema.get("properties")?.as_object()?;
    let keys: Vec<String> = properties.keys().map(|key| code(key)).collect();
    Some(format!("object with {}", keys.join(", ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_named_by_what_they_may_be() {
        assert_eq!(kind(&json!({"type": ["integer", "null"]})), "integer or null");
        assert_eq!(
            kind(&json!({"type": "array", "items": {"$ref": "#/$defs/row"}})),
            "list of [`row`](#row)"
        );
        assert_eq!(kind(&json!({"enum": ["a", null]})), "`\"a\"`, `null`");
        assert_eq!(kind(&json!({"type": "object", "properties": {"b": {}}})), "object with `b`");
        assert_eq!(kind(&json!({})), "any value");
    }

    #[test]
    fn keys_that_are_always_there_come_first() {
        let schema = json!({
            "description": "A row",
            "required": ["z"],
            "properties": {"a": {"type": "string"}, "z": {"type": "integer", "description": "The count"}},
        });
        assert_eq!(
            object(&schema),
            "A row.\n\n| key | value | presence | meaning |\n|---|---|---|---|\n\
             | `z` | integer | | The count. |\n| `a` | string | optional | |\n\n"
        );
    }
}
