//! Every verb as data: what its request holds, and how its fields are written on a command line. Doors that are generated
//! or compared with each other read it.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, Command};
use serde_json::{Map, Value, json};

use crate::Entry;
use crate::verb::SchemaReader;
use crate::verbs::{ALL, Inputs};

/// Every verb by its name, with the JSON Schema of its request, and every field as an argument.
pub fn requests() -> Value {
    Value::Object(ALL.iter().map(|entry| (entry.name.to_owned(), described(entry))).collect())
}

fn described(entry: &Entry) -> Value {
    let command = (entry.arguments)(Command::new(entry.name));
    let own = command.get_arguments().map(|argument| described_argument(argument, None));
    let of_variants = command.get_subcommands().flat_map(|variant| {
        variant.get_arguments().map(|argument| described_argument(argument, Some(variant.get_name())))
    });
    let arguments: Vec<Value> = own.chain(of_variants).collect();
    json!({"request": (entry.schema)(), "arguments": arguments})
}

/// An argument of a verb, or of one of its variants, which `op` names.
fn described_argument(argument: &Arg, op: Option<&str>) -> Value {
    let parsed = argument.get_value_parser().type_id();
    let types = [TypeId::of::<PathBuf>(), TypeId::of::<OsString>(), TypeId::of::<Inputs>()];
    let values = argument.get_value_names().unwrap_or_default();
    let is_path = types.iter().any(|path| parsed == *path)
        || values.iter().any(|value| value.split('|').any(|word| word == "FILE"));
    let defaults = argument.get_default_values().iter().map(|value| value.to_string_lossy());
    json!({
        "op": op,
        "name": argument.get_id().as_str(),
        "positional": argument.is_positional(),
        "path": is_path,
        "default": defaults.collect::<Vec<_>>(),
    })
}

/// The fields of a request by name, with the variant that has them, if it has variants.
pub fn fields(entry: &Entry) -> BTreeSet<(Option<String>, String)> {
    let schema = (entry.schema)();
    let of = |op: Option<&str>| {
        let given = Map::from_iter(op.map(|op| (TAG.to_owned(), Value::from(op))));
        let names = SchemaReader::new(&schema, &given).fields().into_keys().map(str::to_owned);
        names.collect::<BTreeSet<String>>()
    };
    let mut variants = BTreeSet::new();
    collect_variants(schema.as_value(), &mut variants);
    // Without a variant that needs no name, the reader finds those of all.
    let without_variant = of(None);
    let mut fields = BTreeSet::new();
    if !without_variant.contains(TAG) {
        fields.extend(without_variant.into_iter().map(|name| (None, name)));
    }
    for variant in variants {
        let names = of(Some(variant)).into_iter().filter(|name| name != TAG);
        fields.extend(names.map(|name| (Some(variant.to_owned()), name)));
    }
    fields
}

/// The field that names a variant.
const TAG: &str = "op";

fn collect_variants<'a>(schema: &'a Value, variants: &mut BTreeSet<&'a str>) {
    match schema {
        Value::Object(members) => {
            let tag = schema.pointer("/properties/op/const").and_then(Value::as_str);
            variants.extend(tag);
            members.values().for_each(|member| collect_variants(member, variants));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_variants(item, variants)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::verbs::{Pair, find};

    /// What requests need besides the field that is tried.
    fn needed(verb: &str, op: Option<&str>) -> Map<String, Value> {
        let fields = match (verb, op) {
            ("device", Some("show")) => json!({"device": "h100-sxm"}),
            ("diff", _) => json!({"base": "a", "new": "b"}),
            ("counters", Some("check")) => json!({"file": "counters.txt"}),
            ("counters", Some("write")) => json!({"for": "roofline"}),
            ("export", _) => json!({"inputs": ["a"], "to": "chrome", "output": "trace.json"}),
            ("ingest", _) => json!({"inputs": ["a"], "output": "dataset"}),
            ("trigger", _) => json!({"of": "directory"}),
            ("ops", Some("check")) => json!({"script": "ops.rhai"}),
            ("predict", Some("conv")) => json!({"input": "1,64,8,8", "channels": 8}),
            ("predict", Some("model")) => json!({"model": "llama-3-8b"}),
            _ => json!({}),
        };
        let op = op.map(|op| ("op".to_owned(), Value::from(op)));
        fields.as_object().cloned().unwrap_or_default().into_iter().chain(op).collect()
    }

    /// Texts that name no file, whatever they hold.
    const TEXTS: [&str; 21] = [
        "activations",
        "arch",
        "cache",
        "compile_for",
        "compute",
        "config of a model",
        "dtype",
        "fail_on",
        "family",
        "for",
        "link",
        "output_precision",
        "precision",
        "ray",
        "run",
        "search",
        "section",
        "sql",
        "sweep",
        "vendor",
        "weights",
    ];

    /// A door that clients reach asks a request which files it reads and what it does besides. So a new field that may
    /// name a file is among the files of its verb, and a verb that writes says so.
    #[test]
    fn requests_say_which_files_they_read_and_that_they_write() {
        const FILE: &str = "nowhere/sentinel.yaml";
        let texts = [TypeId::of::<String>(), TypeId::of::<PathBuf>(), TypeId::of::<OsString>()];
        for entry in ALL {
            let command = (entry.arguments)(Command::new(entry.name));
            let own = command.get_arguments().map(|argument| (None, argument));
            let of_variants = command.get_subcommands().flat_map(|variant| {
                variant.get_arguments().map(|argument| (Some(variant.get_name()), argument))
            });
            for (op, argument) in own.chain(of_variants) {
                let (name, parsed) = (argument.get_id().as_str(), argument.get_value_parser().type_id());
                let text = match () {
                    () if parsed == TypeId::of::<Pair>() => format!("peaks={FILE},input={FILE}"),
                    () if texts.iter().any(|text| parsed == *text) || parsed == TypeId::of::<Inputs>() => {
                        FILE.to_owned()
                    }
                    () => continue,
                };
                let has_choice = !argument.get_possible_values().is_empty();
                let key = if (name, op) == ("config", Some("model")) { "config of a model" } else { name };
                if has_choice || TEXTS.contains(&key) {
                    continue;
                }
                let with = |value: Value| {
                    let mut fields = needed(entry.name, op);
                    fields.insert(name.to_owned(), value);
                    (entry.request)(fields)
                };
                let request = with(json!([text]))
                    .or_else(|_| with(json!(text)))
                    .unwrap_or_else(|failure| panic!("{} {op:?} {name}: {failure}", entry.name));
                let is_read = request.reads().iter().any(|path| path == Path::new(FILE));
                assert!(is_read || request.side_effect().is_some(), "{} {op:?} {name}", entry.name);
                assert!(name != "output" || request.side_effect().is_some(), "{}", entry.name);
            }
        }
    }

    #[test]
    fn fields_are_told_by_variant() {
        let of = |verb: &str| fields(find(verb).unwrap());
        let named = |op: Option<&str>, name: &str| (op.map(str::to_owned), name.to_owned());
        assert_eq!(of("info"), BTreeSet::from([named(None, "inputs")]));
        let of_ops =
            [named(Some("check"), "input"), named(Some("check"), "script"), named(Some("list"), "family")];
        assert_eq!(of("ops"), BTreeSet::from(of_ops));
        // A preset needs no variant, a kernel does.
        let of_bench = of("bench");
        assert!(of_bench.contains(&named(None, "preset")) && of_bench.contains(&named(Some("gemm"), "m")));
        assert!(!of_bench.contains(&named(None, "m")));
    }
}
