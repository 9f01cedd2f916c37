//! `fusion`: how many operators of a graph come to how many launches.

use eaves_model::compile::{CompileLog, CompiledGraph};
use eaves_section::Outcome;
use eaves_section::{Column, Finding, Number, Section, Severity, Skipped, Table, Unit, Value};

use super::names;

const NO_GRAPH: &str = "the log lacks the post-grad graph";
const NO_CALL: &str = "the generated code has no function `call`";
const NO_LAUNCH: &str = "nothing is launched";

/// What is launched in all; nothing if the code does not show it.
fn launches(graph: &CompiledGraph) -> Option<u64> {
    let generated = graph.generated?;
    Some(u64::from(generated) + u64::from(graph.external) + u64::from(graph.fallback))
}

fn ratio(operators: u64, launches: u64) -> Value {
    if launches == 0 { Value::Missing(NO_LAUNCH) } else { Value::Float(operators as f64 / launches as f64) }
}

pub(super) fn section(logs: &[CompileLog]) -> Outcome {
    let graphs: Vec<(&CompileLog, &CompiledGraph)> =
        logs.iter().flat_map(|log| log.graphs.iter().map(move |graph| (log, graph))).collect();
    if graphs.is_empty() {
        return Outcome::Skipped(Skipped {
            id: "fusion",
            missing: "the log has no Inductor output code".to_owned(),
            how_to_record: "compile with the backend `inductor` and record with TORCH_TRACE=DIR".to_owned(),
        });
    }
    // A ratio counts graphs of which both sides are known.
    let known = || graphs.iter().filter_map(|(_, graph)| Some((graph, graph.operators?, launches(graph)?)));
    let operators: u64 = known().map(|(_, operators, _)| u64::from(operators)).sum();
    let launched: u64 = known().map(|(.., launches)| launches).sum();
    let part = |of: fn(&CompiledGraph) -> u32| known().map(|(graph, ..)| u64::from(of(graph))).sum::<u64>();
    let number = |id, value: Value, explain| Number::formula(id, value, Unit::Count, explain);
    let numbers = vec![
        Number::formula(
            "fusion_ratio",
            ratio(operators, launched),
            Unit::None,
            "Post-grad operators without views, divided by launches in the generated code.",
        ),
        number("operators", operators.into(), "Post-grad operators, without views."),
        number(
            "launches",
            launched.into(),
            "Launches in the generated code: generated kernels, library calls and \
            fallbacks.",
        ),
        number(
            "generated",
            part(|graph| graph.generated.unwrap_or(0)).into(),
            "Launches of generated kernels.",
        ),
        number(
            "external",
            part(|graph| graph.external).into(),
            "Calls of libraries and user-defined kernels.",
        ),
        number("fallback", part(|graph| graph.fallback).into(), "Fallbacks to eager operators."),
    ];
    let findings = findings(&graphs);
    Outcome::Section(Section {
        id: "fusion",
        title: "Fusion",
        numbers,
        tables: vec![table(&graphs)],
        charts: Vec::new(),
        findings,
    })
}

fn table(graphs: &[(&CompileLog, &CompiledGraph)]) -> Table {
    let columns = vec![
        Column::new("id", "id", Unit::None),
        Column::new("kind", "graph", Unit::None),
        Column::new("function", "function", Unit::None),
        Column::new("operators", "operators", Unit::Count),
        Column::new("launches", "launches", Unit::Count),
        Column::new("fusion_ratio", "ratio", Unit::None),
        Column::new("generated", "generated", Unit::Count),
        Column::new("external", "library", Unit::Count),
        Column::new("fallback", "fallback", Unit::Count),
        Column::new("per_kernel", "per kernel", Unit::None),
        Column::new("views", "views", Unit::Count),
        Column::RANK,
    ];
    let rows = graphs.iter().map(|(log, graph)| {
        let compile = names::compile_of(log, Some(graph.compile));
        let operators = graph.operators.map(u64::from);
        let launched = launches(graph);
        let both = operators.zip(launched);
        let missing = if operators.is_none() { NO_GRAPH } else { NO_CALL };
        // A call of a library stands for one operator.
        let alone = u64::from(graph.external) + u64::from(graph.fallback);
        let per_kernel = operators
            .zip(graph.generated)
            .map(|(operators, generated)| ratio(operators.saturating_sub(alone), u64::from(generated)));
        vec![
            compile.map_or_else(String::new, |compile| compile.id.to_string()).into(),
            graph.kind.id().into(),
            compile.map_or_else(String::new, |compile| names::function(log, compile)).into(),
            operators.map_or(Value::Missing(NO_GRAPH), Value::from),
            launched.map_or(Value::Missing(NO_CALL), Value::from),
            both.map_or(Value::Missing(missing), |(operators, launched)| ratio(operators, launched)),
            graph.generated.map_or(Value::Missing(NO_CALL), |count| i64::from(count).into()),
            i64::from(graph.external).into(),
            i64::from(graph.fallback).into(),
            per_kernel.unwrap_or(Value::Missing(missing)),
            i64::from(graph.views).into(),
            log.rank.into(),
        ]
    });
    Table { id: "graphs", title: "Graphs in order of code generation", columns, rows: rows.collect() }
}

fn findings(graphs: &[(&CompileLog, &CompiledGraph)]) -> Vec<Finding> {
    let mut found = Vec::new();
    let fallbacks: u64 = graphs.iter().map(|(_, graph)| u64::from(graph.fallback)).sum();
    if fallbacks > 0 {
        let calls =
            if fallbacks == 1 { "1 operator runs".to_owned() } else { format!("{fallbacks} operators run") };
        found.push(Finding {
            id: "fallbacks",
            severity: Severity::Info,
            claim: format!("{calls} as an eager fallback between generated kernels and cannot be fused."),
            gain: None,
            evidence: "graphs: fallback".to_owned(),
            next: "find these operators in the generated code; some have a form that Inductor can lower"
                .to_owned(),
        });
    }
    let small =
        graphs.iter().filter(|(_, graph)| graph.operators == Some(1) && launches(graph) == Some(1)).count();
    if small > 1 {
        found.push(Finding {
            id: "tiny_graphs",
            severity: Severity::Info,
            claim: format!("{small} graphs contain a single operator: compiling them gains nothing."),
            gain: None,
            evidence: "graphs: operators".to_owned(),
            next: "compile a larger function around them, and fix the graph breaks between them".to_owned(),
        });
    }
    found
}
