//! What goes into a script and what comes out.

use rhai::{Array, Dynamic, FLOAT, Map};
use serde_json::Value;

use crate::ops::{self, Input, Tensor};

/// Shapes of points in charts that a script may ask for.
pub const SYMBOLS: &[&str] =
    &["circle", "cross", "diamond", "pentagon", "square", "star", "triangle-up", "x"];

/// Work of a command, from a script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScriptWork {
    /// Multiply-adds.
    pub macs: f64,
    /// Bytes that must be moved.
    pub bytes: f64,
    /// Additions and multiplications; twice the multiply-adds unless the script says otherwise.
    pub flops: f64,
    /// The shape in charts, one of [`SYMBOLS`]; a diamond unless the script says otherwise.
    pub symbol: &'static str,
}

/// How deep lists and objects of a command may be nested.
const DEEPEST: usize = 32;

/// A command as scripts see it.
pub(super) fn command(record: &Value, element_bytes: f64) -> Result<Dynamic, String> {
    let Value::Object(fields) = record else { return Err("the command is not an object".to_owned()) };
    let mut map = Map::new();
    for (name, value) in fields {
        map.insert(name.into(), dynamic(value, 0)?);
    }
    map.insert("element_bytes".into(), Dynamic::from_float(element_bytes));
    Ok(Dynamic::from_map(map))
}

fn dynamic(value: &Value, depth: usize) -> Result<Dynamic, String> {
    if depth > DEEPEST {
        return Err(format!("the command is nested more than {DEEPEST} deep"));
    }
    Ok(match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(truth) => Dynamic::from_bool(*truth),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => Dynamic::from_int(integer),
            None => Dynamic::from_float(number.as_f64().unwrap_or(FLOAT::NAN)),
        },
        Value::String(text) => text.clone().into(),
        Value::Array(list) => {
            let list: Array = list.iter().map(|value| dynamic(value, depth + 1)).collect::<Result<_, _>>()?;
            Dynamic::from_array(list)
        }
        Value::Object(fields) => {
            let mut map = Map::new();
            for (name, value) in fields {
                map.insert(name.into(), dynamic(value, depth + 1)?);
            }
            Dynamic::from_map(map)
        }
    })
}

/// A recorded call as scripts see it.
pub(super) fn recorded(call: &ops::Call<'_>) -> Dynamic {
    let inputs: Array = call
        .inputs
        .iter()
        .map(|input| match input {
            Input::Tensor(found) => tensor(found),
            Input::List(tensors) => Dynamic::from_array(tensors.iter().map(tensor).collect()),
            Input::Scalar(text) => text.clone().into(),
        })
        .collect();
    let mut map = Map::new();
    map.insert("name".into(), call.name.to_owned().into());
    map.insert("inputs".into(), Dynamic::from_array(inputs));
    map.insert("element_bytes".into(), call.tensors().next().map_or(Dynamic::UNIT, element_bytes));
    Dynamic::from_map(map)
}

fn tensor(tensor: &Tensor) -> Dynamic {
    let extent = |extent: &u64| match i64::try_from(*extent) {
        Ok(integer) => Dynamic::from_int(integer),
        Err(_) => Dynamic::from_float(*extent as FLOAT),
    };
    let mut map = Map::new();
    map.insert("shape".into(), Dynamic::from_array(tensor.shape.iter().map(extent).collect()));
    map.insert("dtype".into(), tensor.type_name.clone().into());
    map.insert("element_bytes".into(), element_bytes(tensor));
    Dynamic::from_map(map)
}

/// Nothing if the type is unknown.
fn element_bytes(tensor: &Tensor) -> Dynamic {
    tensor.precision.map_or(Dynamic::UNIT, |precision| Dynamic::from_float(precision.element_bits / 8.0))
}

/// What a function gave, if it is work.
pub(super) fn work(result: Dynamic) -> Result<ScriptWork, String> {
    let found = result.type_name();
    let Some(map) = result.read_lock::<Map>() else {
        return Err(format!("a function returns #{{ macs: ..., bytes: ... }}, not {found}"));
    };
    let known = ["bytes", "flops", "macs", "symbol"];
    if let Some(other) = map.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("`{other}` is not one of {}", known.join(", ")));
    }
    let macs = amount(&map, "macs")?.ok_or("`macs` is missing")?;
    let bytes = amount(&map, "bytes")?.ok_or("`bytes` is missing")?;
    let flops = amount(&map, "flops")?.unwrap_or(2.0 * macs);
    Ok(ScriptWork { macs, bytes, flops, symbol: symbol(&map)? })
}

fn amount(map: &Map, name: &str) -> Result<Option<f64>, String> {
    let Some(value) = map.get(name) else { return Ok(None) };
    let number = value.as_float().or_else(|_| value.as_int().map(|integer| integer as FLOAT));
    let number = number.map_err(|found| format!("`{name}` is {found}, not a number"))?;
    if number.is_finite() && number >= 0.0 {
        Ok(Some(number))
    } else {
        Err(format!("`{name}` is {number}, not a finite number of zero or more"))
    }
}

fn symbol(map: &Map) -> Result<&'static str, String> {
    let Some(value) = map.get("symbol") else { return Ok("diamond") };
    let asked = value.clone().into_string().map_err(|found| format!("`symbol` is {found}, not a text"))?;
    let found = SYMBOLS.iter().find(|symbol| **symbol == asked);
    found.copied().ok_or_else(|| format!("the symbol `{asked}` is not one of {}", SYMBOLS.join(", ")))
}
