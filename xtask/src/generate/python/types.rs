//! What a field may hold, as Python's types.

use anyhow::{Result, bail};
use serde_json::{Map, Value};

/// The definitions that schemas refer to.
pub(super) struct Definitions<'a>(pub(super) Option<&'a Map<String, Value>>);

impl<'a> Definitions<'a> {
    /// What a schema refers to, if it refers to anything.
    pub(super) fn target(&self, schema: &Value) -> Option<&'a Value> {
        let name = schema.get("$ref")?.as_str()?.rsplit('/').next()?;
        self.0?.get(name)
    }
}

/// The types of a field, each once, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Types {
    names: Vec<String>,
    /// True if it may be nothing.
    pub(super) is_optional: bool,
    /// True if it is a list, whose single element may stand for it.
    pub(super) is_list: bool,
}

impl Types {
    pub(super) fn of(schema: &Value, definitions: &Definitions<'_>, is_path: bool) -> Result<Self> {
        let mut types = Self::default();
        types.add(schema, definitions, is_path)?;
        Ok(types)
    }

    fn add(&mut self, schema: &Value, definitions: &Definitions<'_>, is_path: bool) -> Result<()> {
        if let Some(target) = definitions.target(schema) {
            return self.add(target, definitions, is_path);
        }
        if let Some(words) = literals(schema) {
            self.name(format!("Literal[{}]", words.join(", ")));
            return Ok(());
        }
        for part in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
            self.add(part, definitions, is_path)?;
        }
        let kinds: Vec<&str> = match schema.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if kinds.is_empty() && schema.get("anyOf").is_none() {
            bail!("nothing says what it holds: {schema}");
        }
        for kind in kinds.iter().copied() {
            match kind {
                "null" => self.is_optional = true,
                "boolean" => self.name("bool".to_owned()),
                "integer" => self.name("int".to_owned()),
                "number" => self.name("float".to_owned()),
                "string" => self.name(if is_path { "Path" } else { "str" }.to_owned()),
                "array" => self.add_list(schema, definitions, is_path, kinds.len() == 1)?,
                other => bail!("no type of Python is known for {other}: {schema}"),
            }
        }
        Ok(())
    }

    fn add_list(
        &mut self,
        schema: &Value,
        definitions: &Definitions<'_>,
        is_path: bool,
        is_alone: bool,
    ) -> Result<()> {
        let Some(items) = schema.get("items") else { bail!("a list of anything: {schema}") };
        let item = Self::of(items, definitions, is_path)?;
        let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
        match (bound("minItems"), bound("maxItems")) {
            (Some(2), Some(2)) => self.name(format!("tuple[{0}, {0}]", item.text())),
            _ => {
                if is_alone {
                    self.is_list = true;
                    self.name(item.text());
                }
                self.name(format!("Sequence[{}]", item.text()));
            }
        }
        Ok(())
    }

    /// One of some words.
    pub(super) fn literal(words: &[&str]) -> Self {
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        Self { names: vec![format!("Literal[{}]", quoted.join(", "))], ..Self::default() }
    }

    /// A recording in memory may stand for files.
    pub(super) fn add_recording(&mut self) {
        if let Some(at) = self.names.iter().position(|name| name == "Path") {
            self.names.insert(at + 1, "Recording".to_owned());
        }
    }

    /// As an annotation of each of several.
    pub(super) fn item(&self) -> String {
        let items = self.names.iter().filter(|name| !name.starts_with("Sequence["));
        items.map(String::as_str).collect::<Vec<_>>().join(" | ")
    }

    fn name(&mut self, name: String) {
        if !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    /// As an annotation.
    pub(super) fn text(&self) -> String {
        self.names.join(" | ")
    }
}

/// The words that a field may hold, quoted, if it may hold nothing else.
fn literals(schema: &Value) -> Option<Vec<String>> {
    let words: Vec<&Value> = match (schema.get("enum"), schema.get("oneOf")) {
        (Some(words), _) => words.as_array()?.iter().collect(),
        (_, Some(variants)) => {
            variants.as_array()?.iter().map(|variant| variant.get("const")).collect::<Option<_>>()?
        }
        _ => return None,
    };
    words.into_iter().map(|word| Some(format!("\"{}\"", word.as_str()?))).collect()
}
