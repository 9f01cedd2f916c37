//! One verb as a function.

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use super::types::{Definitions, Types};

/// Longer lines of the generated files are broken.
const WIDTH: usize = 120;

/// Verbs that read files alone. Inputs of the others may be in memory.
const FROM_FILES: [&str; 1] = ["ingest"];

/// Fields that are a run.
const RUNS: [&str; 4] = ["base", "diff", "inputs", "new"];

/// Words of the language, which take a `_` as names.
const KEYWORDS: [&str; 5] = ["for", "from", "import", "in", "with"];

/// Verbs that answer with rows of no section: the function returns them as a table. What is answered with sections
/// instead is left to `ask`.
const OF_ROWS: [(&str, &str); 1] = [("query", "tables")];

/// A verb as a function.
pub(super) struct Function {
    name: String,
    verb: String,
    summary: String,
    returned: Returned,
    /// One, or one for each variant.
    calls: Vec<Call>,
}

/// What a function returns.
#[derive(Clone, Copy)]
enum Returned {
    Report,
    Rows,
}

impl Returned {
    fn of(verb: &str) -> Self {
        if OF_ROWS.iter().any(|(of_rows, _)| *of_rows == verb) { Self::Rows } else { Self::Report }
    }

    fn annotation(self) -> &'static str {
        match self {
            Self::Report => "Report",
            Self::Rows => "Table",
        }
    }

    /// The part of the report that is returned.
    fn part(self) -> &'static str {
        match self {
            Self::Report => "",
            Self::Rows => ".result",
        }
    }
}

/// A way to call it.
struct Call {
    /// The variant.
    op: Option<String>,
    summary: String,
    parameters: Vec<Parameter>,
}

struct Parameter {
    name: String,
    types: Types,
    /// None for those that must be given.
    default: Option<String>,
    is_positional: bool,
    /// True if it takes all that is given without a name.
    is_variadic: bool,
    summary: String,
}

impl Function {
    pub(super) fn read(name: &str, verb: &str, described: &Value) -> Result<Self> {
        let schema = described.get("request").context("no schema")?;
        let arguments = described.get("arguments").and_then(Value::as_array).context("no arguments")?;
        let reader = Reader {
            verb,
            arguments,
            definitions: Definitions(schema.get("$defs").and_then(Value::as_object)),
        };
        let calls = reader.calls(schema)?;
        let returned = Returned::of(verb);
        Ok(Self { name: name.to_owned(), verb: verb.to_owned(), summary: summary(schema)?, returned, calls })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The function as it runs.
    pub(super) fn definition(&self) -> String {
        match self.calls.as_slice() {
            [call] if call.op.is_none() => {
                let head = signature(&self.name, &call.parameters, self.returned);
                let request = if call.parameters.is_empty() { "{}" } else { "locals()" };
                format!(
                    "{head}:\n{}    return ask(\"{}\", {request}){}\n",
                    docstring(&self.summary, &call.parameters),
                    self.verb,
                    self.returned.part()
                )
            }
            calls => self.variants(calls),
        }
    }

    /// Type checkers know the fields of each variant; what runs takes them all.
    fn variants(&self, calls: &[Call]) -> String {
        let mut words = vec![Parameter::op(calls).annotated()];
        let mut request = vec!["\"op\": op".to_owned()];
        let mut positional =
            calls.iter().flat_map(|call| &call.parameters).filter(|known| known.is_positional);
        if let Some(known) = positional.next() {
            words.push(format!("{}: {} | None = None", known.name, known.types.text()));
            request.push(format!("\"{0}\": {0}", known.name));
        }
        words.push("**fields: Any".to_owned());
        request.push("**fields".to_owned());
        let mut text = format!("{}:\n    \"\"\"{}.\n", head(&self.name, &words, self.returned), self.summary);
        for call in calls {
            let names: Vec<&str> = call.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            let described = format!(
                "{}{}. Keywords: {}.",
                call.op.as_ref().map(|op| format!("`{op}`: ")).unwrap_or_default(),
                call.summary,
                if names.is_empty() { "none".to_owned() } else { names.join(", ") }
            );
            text.push_str(&format!("\n    {}\n", wrapped(&described, 4, 4)));
        }
        let request = request.join(", ");
        text.push_str(&format!("    \"\"\"\n    return ask(\"{}\", {{{request}}})\n", self.verb));
        text
    }

    /// The function as it is declared.
    pub(super) fn stub(&self) -> String {
        let declared = |call: &Call, decorator: &str| {
            let op = call.op.as_ref().map(|op| Parameter::variant(op));
            let parameters: Vec<&Parameter> = op.iter().chain(&call.parameters).collect();
            let summary = if call.op.is_some() { &call.summary } else { &self.summary };
            format!(
                "{decorator}{}:\n{}",
                signature(&self.name, parameters.iter().copied(), self.returned),
                docstring(summary, &call.parameters)
            )
        };
        let decorator = if self.calls.len() > 1 { "@overload\n" } else { "" };
        self.calls.iter().map(|call| declared(call, decorator)).collect()
    }
}

/// What is known of a verb.
struct Reader<'a> {
    verb: &'a str,
    arguments: &'a [Value],
    definitions: Definitions<'a>,
}

impl Reader<'_> {
    /// Every way to fill in a request.
    fn calls(&self, schema: &Value) -> Result<Vec<Call>> {
        let variants = ["oneOf", "anyOf"].iter().find_map(|key| schema.get(key)?.as_array());
        match (variants, self.definitions.target(schema)) {
            (Some(variants), _) => {
                let calls = variants.iter().map(|variant| self.calls(variant));
                Ok(calls.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
            }
            (None, Some(target)) if schema.get("properties").is_none() => self.calls(target),
            _ => {
                let op = schema.pointer("/properties/op/const").and_then(Value::as_str);
                Ok(vec![self.call(op, schema)?])
            }
        }
    }

    fn call(&self, op: Option<&str>, schema: &Value) -> Result<Call> {
        let mut parameters = Vec::new();
        for part in [Some(schema), self.definitions.target(schema)].into_iter().flatten() {
            let required: Vec<&str> = part
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let nothing = Map::new();
            let properties = part.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
            let is_shown = |name: &str| name != "op" && !OF_ROWS.contains(&(self.verb, name));
            for (name, property) in properties.iter().filter(|(name, _)| is_shown(name)) {
                let is_required = required.contains(&name.as_str());
                parameters
                    .push(self.parameter(op, name, property, is_required).with_context(|| name.clone())?);
            }
        }
        // Those that need no name come first; the last of them may be several, if the others are one.
        parameters.sort_by_key(|parameter: &Parameter| !parameter.is_positional);
        let positional = parameters.iter().filter(|parameter| parameter.is_positional);
        let lists = positional.filter(|parameter| parameter.types.is_list).count();
        let last = parameters.iter_mut().rfind(|parameter| parameter.is_positional);
        if let Some(last) = last.filter(|last| lists == 1 && last.types.is_list) {
            last.is_variadic = true;
        }
        Ok(Call { op: op.map(str::to_owned), summary: summary(schema)?, parameters })
    }

    fn parameter(
        &self,
        op: Option<&str>,
        name: &str,
        property: &Value,
        is_required: bool,
    ) -> Result<Parameter> {
        let argument =
            self.arguments.iter().find(|argument| argument["name"] == name && argument["op"].as_str() == op);
        let argument = argument.context("no argument of the command line")?;
        let mut types = Types::of(property, &self.definitions, argument["path"] == true)?;
        if RUNS.contains(&name) && !FROM_FILES.contains(&self.verb) {
            types.add_recording();
        }
        let is_positional = argument["positional"] == true;
        let default = if is_required || is_positional { None } else { Some(default(property, argument)?) };
        Ok(Parameter {
            name: if KEYWORDS.contains(&name) { format!("{name}_") } else { name.to_owned() },
            types,
            default,
            is_positional,
            is_variadic: false,
            summary: summary(property)?,
        })
    }
}

impl Parameter {
    fn variant(op: &str) -> Self {
        Self::literal(vec![op])
    }

    fn op(calls: &[Call]) -> Self {
        let is_optional = calls.iter().any(|call| call.op.is_none());
        let op = Self::literal(calls.iter().filter_map(|call| call.op.as_deref()).collect());
        Self { default: is_optional.then(|| "None".to_owned()), ..op }
    }

    fn literal(words: Vec<&str>) -> Self {
        Self {
            name: "op".to_owned(),
            types: Types::literal(&words),
            default: None,
            is_positional: true,
            is_variadic: false,
            summary: String::new(),
        }
    }

    fn annotated(&self) -> String {
        if self.is_variadic {
            return format!("*{}: {}", self.name, self.types.item());
        }
        let types = self.types.text();
        match self.default.as_deref() {
            None => format!("{}: {types}", self.name),
            Some("None") => format!("{}: {types} | None = None", self.name),
            Some(default) => format!("{}: {types} = {default}", self.name),
        }
    }
}

/// The first line of a description, or all of it in one.
fn summary(schema: &Value) -> Result<String> {
    let text = schema.get("description").and_then(Value::as_str).context("no description")?;
    Ok(text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.').replace('\\', "\\\\"))
}

/// The default as Python writes it; the one of the command line where the schema has none that Python could write.
fn default(property: &Value, argument: &Value) -> Result<String> {
    match property.get("default") {
        Some(Value::Array(values)) => literal_of(values),
        Some(Value::Null) | None => {
            let typed = argument["default"].as_array().context("no defaults")?;
            if typed.is_empty() { Ok("None".to_owned()) } else { literal_of(typed) }
        }
        Some(value) => literal(value),
    }
}

/// A list; a single element stands for itself.
fn literal_of(values: &[Value]) -> Result<String> {
    if let [only] = values {
        return literal(only);
    }
    let literals = values.iter().map(literal).collect::<Result<Vec<String>>>()?;
    Ok(format!("({})", literals.join(", ")))
}

fn literal(value: &Value) -> Result<String> {
    Ok(match value {
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        // The command line has texts alone.
        Value::String(text) if text == "true" || text == "false" => literal(&Value::Bool(text == "true"))?,
        Value::String(text) if text.parse::<f64>().is_ok() => text.clone(),
        Value::String(text) => format!("\"{text}\""),
        other => bail!("a default that is not written yet: {other}"),
    })
}

/// The head of a function, on one line if it fits.
fn signature<'a>(
    name: &str,
    parameters: impl IntoIterator<Item = &'a Parameter>,
    returned: Returned,
) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut has_star = false;
    for parameter in parameters {
        if !parameter.is_positional && !has_star {
            words.push("*".to_owned());
            has_star = true;
        }
        has_star |= parameter.is_variadic;
        words.push(parameter.annotated());
    }
    head(name, &words, returned)
}

fn head(name: &str, words: &[String], returned: Returned) -> String {
    let returned = returned.annotation();
    let line = format!("def {name}({}) -> {returned}", words.join(", "));
    if line.len() < WIDTH {
        return line;
    }
    let lines: String = words.iter().map(|word| format!("    {word},\n")).collect();
    format!("def {name}(\n{lines}) -> {returned}")
}

fn docstring(summary: &str, parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return format!("    \"\"\"{summary}.\"\"\"\n");
    }
    let mut text = format!("    \"\"\"{summary}.\n\n    Args:\n");
    for parameter in parameters {
        let start = format!("        {}: ", parameter.name);
        let described = wrapped(&format!("{}.", parameter.summary), start.len(), 12);
        text.push_str(&format!("{start}{described}\n"));
    }
    text.push_str("    \"\"\"\n");
    text
}

/// A text that begins at a column, with its other lines indented.
fn wrapped(text: &str, start: usize, indent: usize) -> String {
    let mut lines = String::new();
    let mut column = start;
    for word in text.split(' ') {
        let width = word.chars().count();
        if column > indent && column + 1 + width > WIDTH {
            lines.push_str(&format!("\n{}", " ".repeat(indent)));
            column = indent;
        } else if !lines.is_empty() {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += width;
    }
    lines
}
