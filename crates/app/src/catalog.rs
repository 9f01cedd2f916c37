//! Every verb as data: what its request holds, and how its fields are written on a command line. Doors that are generated
//! or held against each other read it.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, Command};
use serde_json::{Value, json};

use crate::Entry;
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Map;

    use super::*;
    use crate::verb::SchemaReader;

    /// What a command line has and requests do not: it says where an answer goes, and runs programs.
    #[test]
    fn every_field_is_an_argument_and_every_argument_a_field() {
        for entry in ALL {
            let command = (entry.arguments)(Command::new(entry.name));
            let own = command.get_arguments();
            let variants: Vec<&Command> = command.get_subcommands().collect();
            let of = |op: Option<&str>| -> BTreeSet<String> {
                let schema = (entry.schema)();
                let given = Map::from_iter(op.map(|op| ("op".to_owned(), Value::from(op))));
                SchemaReader::new(&schema, &given).fields().into_keys().map(str::to_owned).collect()
            };
            if variants.is_empty() {
                let arguments: BTreeSet<String> =
                    own.map(|argument| argument.get_id().as_str().to_owned()).collect();
                assert_eq!(of(None), arguments, "{}", entry.name);
                continue;
            }
            let all: BTreeSet<String> = of(None);
            assert!(
                own.into_iter().all(|argument| all.contains(argument.get_id().as_str())),
                "{}",
                entry.name
            );
            for variant in variants {
                let names = variant.get_arguments().map(|argument| argument.get_id().as_str().to_owned());
                let arguments: BTreeSet<String> = names.chain(["op".to_owned()]).collect();
                assert_eq!(of(Some(variant.get_name())), arguments, "{} {}", entry.name, variant.get_name());
            }
        }
    }
}
