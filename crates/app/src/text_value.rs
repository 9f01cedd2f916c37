//! Values written as text, such as `4k` or `1.5ms..20ms`: the same at every door.

use serde_json::Value;

/// Lets JSON hold a type that is written as text. A number counts as its digits, and a list as the text that joins it, if
/// the type has one.
macro_rules! written_as_text {
    ($type:ty, $name:literal, $example:literal) => {
        $crate::text_value::written_as_text!(
            $type,
            $name,
            {"type": ["string", "number"], "examples": [$example]},
            |_| None
        );
    };
    ($type:ty, $name:literal, $schema:tt, $joined:expr) => {
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::text_value::parsed(from, $joined)
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}

pub(crate) use written_as_text;

/// Reads a value from its text, from a number, or from a list that may be joined to a text.
pub(crate) fn parsed<'de, T, D>(from: D, joined: fn(&[Value]) -> Option<String>) -> Result<T, D::Error>
where
    T: std::str::FromStr<Err = String>,
    D: serde::Deserializer<'de>,
{
    use serde::de::{Deserialize, Error};
    let value = Value::deserialize(from)?;
    let text = match &value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(values) => joined(values),
        _ => None,
    };
    match text {
        Some(text) => text.parse().map_err(Error::custom),
        None => Err(Error::custom(format!("expected a text or a number, not {value}"))),
    }
}

/// Whole numbers in a unit as one text.
pub(crate) fn joined(values: &[Value], separator: &str, unit: &str) -> Option<String> {
    let texts = values.iter().map(|value| Some(format!("{}{unit}", value.as_i64()?)));
    Some(texts.collect::<Option<Vec<String>>>()?.join(separator))
}

/// Reads values from a list of texts and numbers, from one text with commas, or from one number.
pub(crate) fn list<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
    D: serde::Deserializer<'de>,
{
    use serde::de::{Deserialize, Error};
    use serde_json::Value;
    let texts = match Value::deserialize(from)? {
        Value::String(text) => text.split(',').map(str::to_owned).collect(),
        Value::Number(number) => vec![number.to_string()],
        Value::Array(values) => values
            .into_iter()
            .map(|value| match value {
                Value::String(text) => Ok(text),
                Value::Number(number) => Ok(number.to_string()),
                other => Err(Error::custom(format!("expected texts or numbers, not {other}"))),
            })
            .collect::<Result<Vec<String>, _>>()?,
        other => return Err(Error::custom(format!("expected a list, a text or a number, not {other}"))),
    };
    texts.iter().map(|text| text.trim().parse().map_err(Error::custom)).collect()
}

/// Reads names from a list, or from one text with commas.
pub(crate) fn names<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Names {
        Text(String),
        List(Vec<String>),
    }
    Ok(match <Names as serde::Deserialize>::deserialize(from)? {
        Names::Text(text) => text.split(',').map(|name| name.trim().to_owned()).collect(),
        Names::List(list) => list,
    })
}

/// Reads paths from a list, or from the text of one.
pub(crate) fn paths<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<std::path::PathBuf>, D::Error> {
    several(from)
}

/// Reads values from a list, or a single one.
pub(crate) fn several<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
where
    T: serde::Deserialize<'de>,
    D: serde::Deserializer<'de>,
{
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Several<T> {
        List(Vec<T>),
        One(T),
    }
    Ok(match <Several<T> as serde::Deserialize>::deserialize(from)? {
        Several::List(list) => list,
        Several::One(one) => vec![one],
    })
}
