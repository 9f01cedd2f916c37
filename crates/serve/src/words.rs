//! Fields of a request as words of a command line. Each field is checked, and stands in one word with its option, so that
//! no text that somebody sends is ever an option, a path or a command of its own.

use serde_json::{Map, Value};

use crate::Problem;

/// What a field may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// A whole number, also `4k`.
    Extent,
    /// Several of them with commas.
    Extents,
    /// A number.
    Number,
    /// Names with what belongs to them: `int4@128:fp16`, `mxfp4/int8`, with commas.
    Names,
    /// `m=1..4k:x2`.
    Sweep,
    /// A device of the catalogue.
    Device,
    /// A known model.
    Model,
    /// One of some words.
    Choice(&'static [&'static str]),
    /// There or not.
    Flag,
}

/// A field that a request may have.
pub(crate) type Field = (&'static str, Kind);

/// The words of some fields. Every field must be known.
pub(crate) fn options(fields: &Map<String, Value>, known: &[&[Field]]) -> Result<Vec<String>, Problem> {
    let mut words = Vec::new();
    for (name, value) in fields {
        let Some((_, kind)) = known.iter().copied().flatten().find(|(field, _)| field == name) else {
            let names: Vec<&str> = known.iter().copied().flatten().map(|(field, _)| *field).collect();
            return Err(Problem::bad(format!("`{name}` is no field of this"))
                .hint(format!("fields are {}", names.join(", "))));
        };
        let option = name.replace('_', "-");
        match (kind, value) {
            (_, Value::Null) | (Kind::Flag, Value::Bool(false)) => {}
            (Kind::Flag, Value::Bool(true)) => words.push(format!("--{option}")),
            (kind, value) => words.push(format!("--{option}={}", text(name, *kind, value)?)),
        }
    }
    Ok(words)
}

/// A value as the text that stands for it, if it is what it should be.
pub(crate) fn text(name: &str, kind: Kind, value: &Value) -> Result<String, Problem> {
    let wrong = |what: &str| Problem::bad(format!("`{name}` is {what}"));
    let given = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return Err(wrong("a text or a number")),
    };
    let letters = |more: &str| {
        let mut all = given.chars();
        // Nothing begins with a dash, a dot or a slash.
        given.len() <= 200
            && all.next().is_some_and(|first| first.is_ascii_alphanumeric())
            && all.all(|letter| letter.is_ascii_alphanumeric() || more.contains(letter))
    };
    let starts_with_digit = given.starts_with(|letter: char| letter.is_ascii_digit());
    let right = match kind {
        Kind::Extent => letters(".") && starts_with_digit,
        Kind::Extents => letters(".,") && starts_with_digit,
        Kind::Number => given.parse::<f64>().is_ok_and(f64::is_finite) && !given.starts_with('-'),
        Kind::Names => letters("_@:,/.-"),
        Kind::Sweep => letters("=.,:+-"),
        Kind::Device => return device(&given),
        Kind::Model => return model(&given),
        Kind::Choice(words) => {
            let known = words.contains(&given.as_str());
            return if known { Ok(given) } else { Err(wrong(&format!("one of {}", words.join(", ")))) };
        }
        Kind::Flag => return Err(wrong("true or false")),
    };
    let what = match kind {
        Kind::Extent | Kind::Number => "a number",
        Kind::Extents => "numbers with commas",
        Kind::Sweep => "a sweep such as `m=1..4k:x2`",
        _ => "names with commas",
    };
    if right { Ok(given) } else { Err(wrong(what)) }
}

/// A device of the catalogue by its id: files stay out of reach.
pub(crate) fn device(name: &str) -> Result<String, Problem> {
    match eaves_roofline::device::find(name) {
        Ok(device) => Ok(device.id),
        Err(unknown) => Err(Problem::bad(unknown.to_string()).hint("GET /api/v1/devices lists them")),
    }
}

fn model(name: &str) -> Result<String, Problem> {
    let known = eaves_roofline::predict::models::all();
    match known.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)) {
        Some((key, _)) => Ok((*key).to_owned()),
        None => Err(Problem::bad(format!("no model `{name}`")).hint("GET /api/v1/presets lists them")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(kind: Kind, value: Value) -> Result<String, Problem> {
        text("field", kind, &value)
    }

    #[test]
    fn values_are_what_they_should_be() {
        assert_eq!(of(Kind::Extent, json!(4096)).unwrap(), "4096");
        assert_eq!(of(Kind::Extent, json!("4k")).unwrap(), "4k");
        assert_eq!(of(Kind::Names, json!("int4@128:fp16,mxfp4/int8")).unwrap(), "int4@128:fp16,mxfp4/int8");
        assert_eq!(of(Kind::Sweep, json!("m=1..4k:x2")).unwrap(), "m=1..4k:x2");
        assert_eq!(of(Kind::Device, json!("H100-SXM")).unwrap(), "h100-sxm");
    }

    #[test]
    fn nothing_is_an_option_or_a_path() {
        for hostile in [
            json!("-1"),
            json!("--output=x"),
            json!("/etc/passwd"),
            json!("../x"),
            json!(""),
            json!("a b"),
            json!("4k\n--x"),
            json!("x;y"),
            json!("$(x)"),
            json!([1]),
            json!({}),
            json!(true),
            json!("é"),
            json!("1".repeat(999)),
        ] {
            for kind in [
                Kind::Extent,
                Kind::Extents,
                Kind::Names,
                Kind::Sweep,
                Kind::Device,
                Kind::Model,
                Kind::Choice(&["a"]),
            ] {
                assert!(of(kind, hostile.clone()).is_err(), "{kind:?} {hostile}");
            }
        }
        for path in ["peaks.yaml", "./h100.yaml", "a/b#c", "h100-sxm.yaml"] {
            assert!(of(Kind::Device, json!(path)).is_err(), "{path}");
            assert!(of(Kind::Model, json!(path)).is_err(), "{path}");
        }
        let fields = |value: Value| value.as_object().unwrap().clone();
        let known: &[Field] = &[("m", Kind::Extent), ("no_gate", Kind::Flag)];
        assert!(options(&fields(json!({"output": "x"})), &[known]).is_err());
        let words = options(&fields(json!({"m": 1, "no_gate": true})), &[known]).unwrap();
        assert_eq!(words, ["--m=1", "--no-gate"]);
        assert!(options(&fields(json!({"no_gate": "--x"})), &[known]).is_err());
    }
}
