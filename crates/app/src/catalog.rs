//! Every verb as data: what its request holds, and how its fields are written on a command line. Doors that are generated
//! or held against each other read it.

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
    use super::*;
    use crate::verbs::find;

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
