//! The interface over HTTP, from `schema/openapi.json`.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;

use super::super::definitions;
use super::json::{kind, object};
use super::{code, list, page as finished, paragraph, period, prose, sentence, table, text};

const INTRODUCTION: &str = "\
# HTTP reference

The paths of `eaves serve` and `eaves open` below `/api/v1`. A running server shows them at `/api`,
and [the OpenAPI document](../../schema/openapi.json) at `/api/v1/openapi.json`. An error has a
status of 4xx or 5xx and the body [`ErrorBody`](#errorbody). The [server guide](../serve.md) covers
access, security and limits.

";

/// The tag of paths that take the request of a verb.
const VERBS: &str = "verbs";

/// An operation of a path.
struct Operation<'a> {
    method: String,
    path: &'a str,
    described: &'a Value,
}

pub(super) fn page() -> Result<String> {
    let api = definitions::read(definitions::HTTP)?;
    let mut page = INTRODUCTION.to_owned();
    let operations = operations(&api)?;
    let tags: BTreeSet<&str> = operations.iter().map(Operation::tag).collect();
    for tag in tags.iter().filter(|tag| **tag != VERBS) {
        page.push_str(&format!("## {}{}\n\n", tag[..1].to_uppercase(), &tag[1..]));
        for operation in operations.iter().filter(|operation| operation.tag() == *tag) {
            page.push_str(&operation.section());
        }
    }
    let verbs: Vec<&Operation<'_>> = operations.iter().filter(|operation| operation.tag() == VERBS).collect();
    if !verbs.is_empty() {
        page.push_str("## Verbs\n\n");
        page.push_str(&paragraph(
            "The body has the fields of [the request](../../schema/requests.json), named like the options of \
             the [command line](command-line.md) with `_` instead of `-`; the answer is the [JSON](json.md) of \
             the verb.",
        ));
        let rows: Vec<Vec<String>> = verbs
            .iter()
            .map(|verb| {
                let name = format!("{} {}", verb.method, verb.path);
                vec![code(&name), text(verb.described, "summary").map(sentence).unwrap_or_default()]
            })
            .collect();
        page.push_str(&table(&["path", "verb"], &rows));
    }
    page.push_str("## Objects\n\n");
    let schemas = api["components"]["schemas"].as_object().context("no schemas")?;
    let names_of_verbs: Vec<&str> = verbs.iter().filter_map(|verb| verb.path.rsplit('/').next()).collect();
    for (name, schema) in schemas {
        let owner = name.split('.').next().unwrap_or(name);
        if !names_of_verbs.contains(&owner) {
            page.push_str(&format!("### {}\n\n{}", code(name), object(schema)));
        }
    }
    Ok(finished(&page))
}

fn operations(api: &Value) -> Result<Vec<Operation<'_>>> {
    let paths = api["paths"].as_object().context("no paths")?;
    let mut operations = Vec::new();
    for (path, methods) in paths {
        for (method, described) in methods.as_object().context("no methods")? {
            operations.push(Operation { method: method.to_uppercase(), path, described });
        }
    }
    Ok(operations)
}

impl Operation<'_> {
    fn tag(&self) -> &str {
        list(self.described, "tags").first().and_then(Value::as_str).unwrap_or("others")
    }

    fn section(&self) -> String {
        let mut section = format!("### {}\n\n", code(&format!("{} {}", self.method, self.path)));
        for key in ["summary", "description"] {
            section.push_str(
                &text(self.described, key).map(|about| paragraph(&sentence(about))).unwrap_or_default(),
            );
        }
        let parameters = list(self.described, "parameters").iter().map(|parameter| {
            vec![
                code(text(parameter, "name").unwrap_or_default()),
                text(parameter, "in").unwrap_or_default().to_owned(),
                kind(&parameter["schema"]).replace(" or null", ""),
                text(parameter, "description").map(sentence).unwrap_or_default(),
            ]
        });
        section.push_str(&table(&["parameter", "in", "type", "meaning"], &parameters.collect::<Vec<_>>()));
        if let Some(body) = self.described.get("requestBody") {
            let about = text(body, "description").map(sentence).unwrap_or_else(|| content(body) + ".");
            section.push_str(&paragraph(&format!("Body: {about}")));
        }
        let answers = self.described["responses"].as_object().into_iter().flatten();
        // What is wrong with a request is said for all of them above.
        for (status, answer) in answers.filter(|(status, _)| *status != "4XX") {
            let about = text(answer, "description").unwrap_or_default();
            let status =
                if status == "200" { "Returns".to_owned() } else { format!("Status {status} returns") };
            section.push_str(&paragraph(&format!("{status} {}: {}", content(answer), period(&prose(about)))));
        }
        section
    }
}

/// The type of a body, with the object in it if that has a name.
fn content(body: &Value) -> String {
    let types = body["content"].as_object().into_iter().flatten().map(|(kind_of, content)| {
        match content.get("schema") {
            Some(schema) if schema.get("type") != Some(&Value::from("object")) => kind(schema),
            _ => code(kind_of),
        }
    });
    types.collect::<Vec<_>>().join(" or ")
}
