//! Verbs: requests that can be answered, and how JSON becomes one.

use eaves_model::suggestion::did_you_mean;
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{Answer, Context, Failure, Form};

/// Examples stand before the options: most people need no more.
pub const HELP_TEMPLATE: &str = "\
{about}

Examples:
{before-help}{usage-heading} {usage}

{all-args}";

/// A request, and how it is answered.
pub trait Verb: DeserializeOwned + JsonSchema {
    /// Its name at every door.
    const NAME: &'static str;

    /// Answers it.
    ///
    /// # Errors
    /// If the request means nothing, an input cannot be read, or there is nothing to answer with.
    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure>;

    /// The files it reads, so that none is overwritten.
    fn files(&self) -> Vec<std::path::PathBuf> {
        Vec::new()
    }

    /// True if its answer can have a form. Asked before the work, so that a wrong name costs no time.
    fn has_form(&self, form: Form) -> bool {
        Form::OF_DOCUMENTS.contains(&form)
    }
}

/// Reads a request from JSON. Every field must be one that it has.
///
/// # Errors
/// If a field is unknown or holds something that it cannot mean.
pub fn parse<V: Verb>(fields: Map<String, Value>) -> Result<V, Failure> {
    let known = field_names(&schema_for!(V), &fields);
    for name in fields.keys() {
        if !known.iter().any(|field| field == name) {
            let hint = match did_you_mean(name, known.iter().map(String::as_str)) {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => format!("fields are {}", known.join(", ")),
            };
            return Err(Failure::usage(format!("`{}` has no field `{name}`", V::NAME), hint));
        }
    }
    serde_json::from_value(Value::Object(fields)).map_err(|error| {
        Failure::usage(format!("`{}`: {error}", V::NAME), "the schema of the request says what fields hold")
    })
}

/// The names of the fields that a schema has. Of the variants of a request, only the one that `fields` name counts, if
/// they name one.
fn field_names(schema: &Schema, fields: &Map<String, Value>) -> Vec<String> {
    let value = schema.as_value();
    let reader = SchemaReader { definitions: value.get("$defs"), fields };
    let mut names = Vec::new();
    reader.collect(value, &mut names);
    names.sort();
    names.dedup();
    names
}

struct SchemaReader<'a> {
    definitions: Option<&'a Value>,
    fields: &'a Map<String, Value>,
}

impl SchemaReader<'_> {
    fn collect(&self, value: &Value, names: &mut Vec<String>) {
        if let Some(properties) = value.get("properties").and_then(Value::as_object) {
            names.extend(properties.keys().cloned());
        }
        for parts in variants(value) {
            let named: Vec<&Value> = parts.iter().filter(|part| self.names_tag_of(part)).collect();
            for part in if named.is_empty() { parts.iter().collect() } else { named } {
                self.collect(part, names);
            }
        }
        if let Some(part) = self.target(value) {
            self.collect(part, names);
        }
    }

    /// What a schema refers to.
    fn target(&self, value: &Value) -> Option<&Value> {
        let path = value.get("$ref").and_then(Value::as_str)?;
        self.definitions?.get(path.rsplit('/').next()?)
    }

    /// True if a field has the text by which a variant, or one of its own, is told from others.
    fn names_tag_of(&self, variant: &Value) -> bool {
        let properties = variant.get("properties").and_then(Value::as_object);
        let is_tagged = properties.into_iter().flatten().any(|(name, property)| {
            let tag = property.get("const");
            tag.is_some() && tag == self.fields.get(name)
        });
        is_tagged
            || variants(variant).flatten().any(|part| self.names_tag_of(part))
            || self.target(variant).is_some_and(|part| self.names_tag_of(part))
    }
}

/// The lists of alternatives and parts of a schema.
fn variants(value: &Value) -> impl Iterator<Item = &Vec<Value>> {
    ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|key| value.get(key)?.as_array())
}

/// A verb of the list of all, for doors that take its name as data.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// The schema of its request.
    pub schema: fn() -> Schema,
    /// Reads a request and answers it, if there is an answer to be believed.
    pub answer: fn(Map<String, Value>, &Context<'_>) -> Result<Answer, Failure>,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Entry").field(&self.name).finish()
    }
}

impl Entry {
    /// The entry of a verb.
    pub const fn of<V: Verb>() -> Self {
        Self {
            name: V::NAME,
            schema: || schema_for!(V),
            answer: |fields, context| parse::<V>(fields)?.run(context)?.sound(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};
    use serde_json::json;

    use super::*;
    use crate::verbs::Report;

    fn asked(fields: Value) -> Result<Report, Failure> {
        parse(fields.as_object().unwrap().clone())
    }

    fn typed(words: &[&str]) -> Report {
        let command = Report::augment_args(clap::Command::new("report"));
        Report::from_arg_matches(&command.get_matches_from([&["report"], words].concat())).unwrap()
    }

    #[test]
    fn json_and_words_make_the_same_request() {
        assert_eq!(asked(json!({"inputs": ["a.json"]})).unwrap(), typed(&["a.json"]));
        let fields = json!({"inputs": ["a.json"], "step": "3-7", "rank": 0, "time": "1ms..2ms",
            "section": "kernels,steps", "kernel_wait": "5us", "details": true});
        let words = "a.json --step 3-7 --rank 0 --time 1ms..2ms --section kernels --section steps \
                     --kernel-wait 5us --details";
        assert_eq!(asked(fields).unwrap(), typed(&words.split_whitespace().collect::<Vec<_>>()));
    }

    #[test]
    fn what_a_request_has_not_is_refused_with_a_hint() {
        let unknown = asked(json!({"inputs": ["a.json"], "sections": "kernels"})).unwrap_err();
        assert_eq!(unknown.message, "`report` has no field `sections`");
        assert_eq!(unknown.hint.as_deref(), Some("did you mean `section`?"));
        let wrong = asked(json!({"inputs": ["a.json"], "step": "7-3"})).unwrap_err();
        assert!(wrong.message.contains("expected a step such as"), "{wrong}");
    }
}
