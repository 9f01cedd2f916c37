//! Verbs: requests that can be answered, and how JSON becomes one.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Command};
use eaves_model::suggestion::did_you_mean;
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{Answer, Context, Failure, Form};

/// Examples come before the options: most readers need no more.
pub const HELP_TEMPLATE: &str = "\
{about}

Examples:
{before-help}{usage-heading} {usage}

{all-args}";

/// A request, and how it is answered.
pub trait Verb: Args + DeserializeOwned + JsonSchema {
    /// Its name at every door.
    const NAME: &'static str;

    /// True if its own option says where its files go, and the answer only lists them.
    const MAKES_FILES: bool = false;

    /// Answers it.
    ///
    /// # Errors
    /// If the request means nothing, an input cannot be read, or there is nothing to answer with.
    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure>;

    /// The files that it may read, so that none is overwritten, and so that doors can refuse those that a client has
    /// no right to.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// What it does besides answering, such as writing files, if anything. Doors that clients reach refuse it.
    fn effect(&self) -> Option<&'static str> {
        Self::MAKES_FILES.then_some("writes files")
    }

    /// True if it runs kernels here. Two such requests at once would measure each other.
    fn runs_kernels(&self) -> bool {
        false
    }

    /// True if its answer can have a form. Asked before the work, so that a wrong name costs no time.
    fn has_form(&self, form: Form) -> bool {
        Form::OF_DOCUMENTS.contains(&form)
    }

    /// True if this form of its answer takes more than the document needs, such as rows that are drawn. An answer has it
    /// only if the context wanted that form.
    fn is_prepared_for(&self, _form: Form) -> bool {
        false
    }
}

/// A request of any verb.
pub trait Request: Send + Sync {
    /// [`Verb::run`], if there is an answer to be believed.
    ///
    /// # Errors
    /// As there.
    fn answer(&self, context: &Context<'_>) -> Result<Answer, Failure>;

    /// [`Verb::has_form`].
    fn can_have(&self, form: Form) -> bool;

    /// [`Verb::is_prepared_for`].
    fn prepares(&self, form: Form) -> bool;

    /// [`Verb::files`].
    fn reads(&self) -> Vec<PathBuf>;

    /// [`Verb::effect`].
    fn side_effect(&self) -> Option<&'static str>;

    /// [`Verb::runs_kernels`].
    fn measures(&self) -> bool;
}

impl<V: Verb + Send + Sync> Request for V {
    fn answer(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        self.run(context)?.sound()
    }

    fn can_have(&self, form: Form) -> bool {
        self.has_form(form)
    }

    fn prepares(&self, form: Form) -> bool {
        self.is_prepared_for(form)
    }

    fn reads(&self) -> Vec<PathBuf> {
        self.files()
    }

    fn side_effect(&self) -> Option<&'static str> {
        self.effect()
    }

    fn measures(&self) -> bool {
        self.runs_kernels()
    }
}

/// Reads a request from JSON. Every field must be one that it has.
///
/// # Errors
/// If a field is unknown or holds something that it cannot mean.
pub fn parse<V: Verb>(fields: Map<String, Value>) -> Result<V, Failure> {
    let schema = schema_for!(V);
    let reader = SchemaReader::new(&schema, &fields);
    let known = reader.fields();
    for (name, value) in &fields {
        let Some(property) = known.get(name.as_str()) else {
            let names = || known.keys().copied();
            return Err(Failure::usage(
                format!("`{}` has no field `{name}`", V::NAME),
                hint(name, names(), || format!("fields are {}", names().collect::<Vec<_>>().join(", "))),
            ));
        };
        // Numbers name variants to serde, but not to readers of the schema.
        if property.get("const").is_some_and(Value::is_string) && !value.is_string() {
            let message = format!("invalid `{name}`: {value}");
            return Err(Failure::usage(
                message,
                format!("`{name}` is a text, such as {}", property["const"]),
            ));
        }
        let words = reader.words(property);
        if let Some(text) = value.as_str().filter(|text| !words.is_empty() && !words.contains(text)) {
            return Err(Failure::usage(
                format!("invalid `{name}`: `{text}`"),
                hint(text, words.iter().copied(), || format!("expected one of {}", words.join(", "))),
            ));
        }
    }
    serde_json::from_value(Value::Object(fields))
        .map_err(|error| Failure::usage(format!("`{}`: {error}", V::NAME), "see the request schema"))
}

fn hint<'a>(typed: &str, known: impl Iterator<Item = &'a str>, all: impl FnOnce() -> String) -> String {
    did_you_mean(typed, known).map_or_else(all, |similar| format!("did you mean `{similar}`?"))
}

/// Reads what a schema says of fields. Of the variants of a request, only the one that they name counts, if they name one.
pub(crate) struct SchemaReader<'a> {
    schema: &'a Value,
    given: &'a Map<String, Value>,
}

impl<'a> SchemaReader<'a> {
    pub(crate) fn new(schema: &'a Schema, given: &'a Map<String, Value>) -> Self {
        Self { schema: schema.as_value(), given }
    }

    /// The fields by name, each with its own schema.
    pub(crate) fn fields(&self) -> BTreeMap<&'a str, &'a Value> {
        let mut fields = BTreeMap::new();
        self.collect(self.schema, &mut fields);
        fields
    }

    fn collect(&self, value: &'a Value, fields: &mut BTreeMap<&'a str, &'a Value>) {
        if let Some(properties) = value.get("properties").and_then(Value::as_object) {
            fields.extend(properties.iter().map(|(name, property)| (name.as_str(), property)));
        }
        let variants = alternatives(value).flat_map(|parts| self.meant(parts));
        for part in variants.chain(parts(value)) {
            self.collect(part, fields);
        }
        if let Some(part) = self.target(value) {
            self.collect(part, fields);
        }
    }

    /// The variants that the fields mean: those with this tag, else those with such a tag, else those that need none.
    fn meant(&self, parts: &'a [Value]) -> Vec<&'a Value> {
        let is_exact = |name: &str, tag: &Value| self.given.get(name) == Some(tag);
        let is_of_field = |name: &str, _: &Value| self.given.contains_key(name);
        let having = |is_meant: &dyn Fn(&str, &Value) -> bool| -> Vec<&'a Value> {
            parts.iter().filter(|part| self.has_tag(part, is_meant)).collect()
        };
        let untagged = parts.iter().filter(|part| !self.has_tag(part, &|_, _| true)).collect();
        let choices = [having(&is_exact), having(&is_of_field), untagged, parts.iter().collect()];
        choices.into_iter().find(|meant| !meant.is_empty()).unwrap_or_default()
    }

    /// What a schema refers to.
    fn target(&self, value: &Value) -> Option<&'a Value> {
        let name = value.get("$ref")?.as_str()?.rsplit('/').next()?;
        self.schema.get("$defs")?.get(name)
    }

    /// The words that a field may hold, if it may hold nothing else.
    fn words(&self, property: &'a Value) -> Vec<&'a str> {
        if let Some(part) = self.target(property) {
            return self.words(part);
        }
        let parts = |key: &str| property.get(key).and_then(Value::as_array).into_iter().flatten();
        let listed = parts("enum").filter_map(Value::as_str);
        let variants = parts("oneOf").filter_map(|variant| variant.get("const")?.as_str());
        let others = parts("anyOf").flat_map(|part| self.words(part));
        listed.chain(variants).chain(others).collect()
    }

    /// True if a text by which this variant, or one of its own, is told from others is one that is meant.
    fn has_tag(&self, variant: &Value, is_meant: &dyn Fn(&str, &Value) -> bool) -> bool {
        let properties = variant.get("properties").and_then(Value::as_object);
        let is_tagged = properties
            .into_iter()
            .flatten()
            .any(|(name, property)| property.get("const").is_some_and(|tag| is_meant(name, tag)));
        is_tagged
            || alternatives(variant).flatten().chain(parts(variant)).any(|part| self.has_tag(part, is_meant))
            || self.target(variant).is_some_and(|part| self.has_tag(part, is_meant))
    }
}

/// The lists of variants of a schema, of each of which one holds.
fn alternatives(value: &Value) -> impl Iterator<Item = &Vec<Value>> {
    ["oneOf", "anyOf"].into_iter().filter_map(|key| value.get(key)?.as_array())
}

/// The parts of a schema, all of which hold.
fn parts(value: &Value) -> impl Iterator<Item = &Value> {
    value.get("allOf").and_then(Value::as_array).into_iter().flatten()
}

/// What JSON asks for.
type Fields = Map<String, Value>;

/// A verb of the list of all, for doors that take its name as data.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// The schema of its request.
    pub schema: fn() -> Schema,
    /// Adds its fields to a command line.
    pub arguments: fn(Command) -> Command,
    /// Reads a request.
    pub request: fn(Fields) -> Result<Box<dyn Request>, Failure>,
    /// Reads a request and answers it, if there is an answer to be believed.
    pub answer: fn(Fields, &Context<'_>) -> Result<Answer, Failure>,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Entry").field(&self.name).finish()
    }
}

impl Entry {
    /// The entry of a verb.
    pub const fn of<V: Verb + Send + Sync + 'static>() -> Self {
        Self {
            name: V::NAME,
            schema: || schema_for!(V),
            arguments: V::augment_args,
            request: |fields| Ok(Box::new(parse::<V>(fields)?)),
            answer: |fields, context| parse::<V>(fields)?.run(context)?.sound(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};
    use serde_json::json;

    use super::*;
    use crate::verbs::{Flame, Report};

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
        let lists =
            json!({"inputs": ["a.json"], "step": [3, 7], "rank": [5, 0], "time": [1_000_000, 2_000_000]});
        let words = ["a.json", "--step=3-7", "--rank=0,5", "--time=1ms..2ms"];
        assert_eq!(asked(lists).unwrap(), typed(&words));
        for wrong in
            [json!({"step": [3]}), json!({"rank": [0.5]}), json!({"time": [1, 2, 3]}), json!({"rank": []})]
        {
            assert!(asked(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_a_request_has_not_is_refused_with_a_hint() {
        let unknown = asked(json!({"inputs": ["a.json"], "sections": "kernels"})).unwrap_err();
        assert_eq!(unknown.message, "`report` has no field `sections`");
        assert_eq!(unknown.hint.as_deref(), Some("did you mean `section`?"));
        let asked_of_flame =
            |metric: &str| parse::<Flame>(Map::from_iter([("metric".to_owned(), metric.into())]));
        let unknown = asked_of_flame("time").unwrap_err();
        assert_eq!(unknown.message, "invalid `metric`: `time`");
        assert_eq!(unknown.hint.as_deref(), Some("expected one of cpu, gpu, calls, bytes"));
        assert_eq!(asked_of_flame("call").unwrap_err().hint.as_deref(), Some("did you mean `calls`?"));
        assert!(asked_of_flame("gpu").is_ok());
        let wrong = asked(json!({"inputs": ["a.json"], "step": "7-3"})).unwrap_err();
        assert!(wrong.message.contains("expected a step such as"), "{wrong}");
    }
}
