//! Operations and bytes by operator.
//!
//! Operations and bytes of every row must be the same, but for the deviations that `docs/operators.md` lists. Each of
//! them is computed here from the recorded arguments, so that a row differs by exactly that or the test fails.

use std::collections::BTreeMap;

use crate::reference::{Row, json, rows, tables};
use eaves_roofline::ops::{Call, MixtureOfExperts, Step, Tensor, Tokens, formula};
use eaves_roofline::{Precision, Work};

const CATEGORIES: &[&str] =
    &["attention", "convolution", "experts", "gemm", "grouped gemm", "recurrent", "state space"];

/// What TraceLens says of a row.
#[derive(Clone, Copy)]
struct Theirs {
    flops: f64,
    bytes: f64,
}

/// A row with the texts that stand before and after the names of its columns: tables of two runs have the run's name
/// before, tables of a family `_first` behind.
struct Columns<'a> {
    row: &'a Row,
    before: &'a str,
    behind: &'a str,
}

impl Columns<'_> {
    fn text(&self, column: &str) -> &str {
        let name = format!("{}{column}{}", self.before, self.behind);
        self.row.get(&name).map_or("", String::as_str)
    }

    fn call<'a>(&self, name: &'a str) -> Call<'a> {
        let list = |column| json(self.text(column));
        Call::parse(
            name,
            &list("Input Dims"),
            &list("Input type"),
            &list("Input Strides"),
            &list("Concrete Inputs"),
        )
        .unwrap()
    }

    fn theirs(&self) -> Option<Theirs> {
        let flops: f64 = self.text("GFLOPS").parse().ok()?;
        let bytes: f64 = self.text("Data Moved (MB)").parse().ok()?;
        Some(Theirs { flops: flops * 1e9, bytes: bytes * 1024.0 * 1024.0 })
    }

    /// A parameter of TraceLens' model.
    fn parameter(&self, name: &str) -> Option<String> {
        if let Some(value) = self.row.get(&format!("param: {name}")) {
            return Some(value.clone());
        }
        let all = self.row.get("perf_params")?;
        let (_, rest) = all.split_once(&format!("'{name}': "))?;
        let end = rest.find([',', '}'])?;
        Some(rest[..end].trim_matches('\'').to_owned())
    }

    fn number(&self, name: &str) -> f64 {
        self.parameter(name).unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
    }
}

/// Extents of an output, by the definition in PyTorch's documentation of `Conv2d`.
fn convolved(call: &Call<'_>, x: &Tensor, weight: &Tensor, first: usize) -> f64 {
    assert!(!call.flag(first + 3), "no table has a transposed convolution");
    let setting = |place: usize, axis: usize| {
        let list = call.integers(place);
        *list.get(axis).unwrap_or(&list[0]) as u64
    };
    let mut outputs = x.shape[0] * weight.shape[0];
    for axis in 0..x.shape.len() - 2 {
        let reach = setting(first + 2, axis) * (weight.shape[axis + 2] - 1) + 1;
        outputs *= (x.shape[axis + 2] + 2 * setting(first + 1, axis) - reach) / setting(first, axis) + 1;
    }
    outputs as f64
}

/// What TraceLens says, with its defects taken out.
fn corrected(call: &Call<'_>, theirs: Theirs) -> (Theirs, Option<&'static str>) {
    let size = |index: usize| call.tensor(index).unwrap().precision().unwrap().bytes(1.0);
    let Theirs { flops, bytes } = theirs;
    match call.name {
        // Defect 4: a bias is never counted.
        "aten::convolution" => match call.optional(2) {
            Some(bias) => {
                let outputs = convolved(call, call.tensor(0).unwrap(), call.tensor(1).unwrap(), 3);
                let bytes = bytes + bias.elements() * size(2);
                (Theirs { flops: flops + outputs, bytes }, Some("convolution: bias"))
            }
            None => (theirs, None),
        },
        // Defect 4: the mask is not looked at; both products are counted, the bias never.
        "aten::convolution_backward" => {
            let outputs = convolved(call, call.tensor(1).unwrap(), call.tensor(2).unwrap(), 4);
            let channels = call.tensor(2).unwrap().shape[0] as f64;
            let mask = call.flags(10);
            let products = f64::from(u8::from(mask[0])) + f64::from(u8::from(mask[1]));
            let bias = if mask[2] { 1.0 } else { 0.0 };
            let ours = Theirs {
                flops: flops * products / 2.0 + bias * outputs,
                bytes: bytes * products / 2.0 + bias * (outputs + channels) * size(0),
            };
            (ours, (mask != [true, true, false]).then_some("convolution: gradients not asked for"))
        }
        "aten::_scaled_dot_product_flash_attention" => {
            // Defect 2: two bytes an element whatever the type.
            let bytes = bytes * size(0) / 2.0;
            let queries = call.tensor(0).unwrap().shape[2] as f64;
            let keys = call.tensor(1).unwrap().shape[2] as f64;
            let mut note = (size(0) != 2.0).then_some("attention: bytes of an element");
            let mut flops = flops;
            if call.flag(4) {
                // Half of all pairs, where a triangle has its diagonal too.
                assert_eq!(queries, keys);
                flops *= (queries + 1.0) / queries;
                note = Some("attention: diagonal of the causal mask");
            }
            (Theirs { flops, bytes }, note)
        }
        "aiter::mha_batch_prefill" | "vllm::unified_attention_with_output" => {
            // The same diagonal in every chunk that is read: half a pair for every query.
            let [_, heads, key_dim] = call.tensor(0).unwrap().extents().unwrap();
            let value_dim = *call.tensor(2).unwrap().shape.last().unwrap() as f64;
            let step = call.step.unwrap();
            let diagonal = 2.0 * heads * (key_dim + value_dim) * step.prefill.queries / 2.0;
            let note = (diagonal > 0.0).then_some("attention: diagonal of the causal mask");
            (Theirs { flops: flops + diagonal, bytes }, note)
        }
        _ => (theirs, None),
    }
}

/// Layers of experts whose parameters are not among the recorded arguments: the peer adds operators of its own to the
/// trace, with parameters it finds elsewhere. The formula is the same.
fn experts(columns: &Columns<'_>, name: &str) -> Option<Work> {
    let is_up = match name {
        "pseudo_op::moe_triton_unfused_up" => true,
        "pseudo_op::moe_triton_unfused_down" => false,
        _ => return None,
    };
    let activations = Precision::from_torch(&columns.parameter("input_dtype").unwrap()).unwrap();
    let layer = MixtureOfExperts {
        tokens: columns.number("num_tokens"),
        hidden: columns.number("hidden_dim"),
        intermediate: columns.number("inter_dim"),
        experts: columns.number("num_experts"),
        top_k: columns.number("topk"),
        gated: columns.parameter("gated").unwrap() == "True",
        weights: columns.parameter("weight_dtype").unwrap().parse().unwrap(),
        activations,
        output: activations,
        compute: None,
    };
    Some(if is_up { layer.up() } else { layer.down() })
}

/// The step that paged attention was called in, from the parameters that the peer took from the same annotation.
fn step(columns: &Columns<'_>) -> Option<Step> {
    columns.parameter("c_sqsk")?.parse::<f64>().ok()?;
    let tokens = |kind: &str| Tokens {
        queries: columns.number(&format!("{kind}_sq")),
        keys: columns.number(&format!("{kind}_sk")),
        squares: columns.number(&format!("{kind}_sqsq")),
        products: columns.number(&format!("{kind}_sqsk")),
    };
    Some(Step { prefill: tokens("c"), decode: tokens("g"), queries_only: false })
}

fn is_family(name: &str) -> bool {
    ["CONV_", "GEMM", "GroupedGEMM", "InferenceAttention", "MoE_", "SDPA_", "unified_perf_summary"]
        .iter()
        .any(|family| name.starts_with(family))
}

#[derive(Default)]
struct Found {
    compared: BTreeMap<String, usize>,
    deviations: BTreeMap<&'static str, usize>,
    /// Rows that the peer has no numbers for.
    unmodelled: BTreeMap<String, usize>,
    differences: Vec<String>,
}

impl Found {
    fn compare(&mut self, place: &str, name: &str, work: &Work, theirs: Theirs) {
        for (what, ours, theirs) in
            [("FLOPs", work.flops, theirs.flops), ("bytes", work.bytes(), theirs.bytes)]
        {
            *self.compared.entry(format!("{name} {what}")).or_default() += 1;
            let near = (ours - theirs).abs() <= 1e-9 * theirs.abs();
            if !near {
                self.differences.push(format!("{place} {name} {what}: ours {ours}, theirs {theirs}"));
            }
        }
    }

    fn row(&mut self, place: &str, is_unified: bool, columns: &Columns<'_>) {
        let name = columns.row["name"].as_str();
        let Some(theirs) = columns.theirs() else {
            if formula(name).is_some_and(|formula| CATEGORIES.contains(&formula.category)) {
                *self.unmodelled.entry(name.to_owned()).or_default() += 1;
            }
            return;
        };
        if let Some(work) = experts(columns, name) {
            return self.compare(place, name, &work, theirs);
        }
        let formula = match formula(name) {
            Some(formula) if CATEGORIES.contains(&formula.category) => formula,
            // Copies into a cache are next to attention in their tables, and their own family here.
            Some(_) => return,
            None if is_unified => return,
            None => return self.differences.push(format!("{place} {name}: no formula")),
        };
        let mut call = columns.call(name);
        call.step = step(columns);
        let (expected, deviation) = corrected(&call, theirs);
        match (formula.work)(&call) {
            Ok(work) => self.compare(place, name, &work, expected),
            Err(reason) => self.differences.push(format!("{place} {name}: {reason}")),
        }
        if let Some(deviation) = deviation {
            *self.deviations.entry(deviation).or_default() += 1;
        }
    }
}

#[test]
fn operations_and_bytes_are_those_of_tracelens() {
    let Some(root) = eaves_testing::data("tracelens") else { return };
    let mut found = Found::default();
    let tables = tables(&root, is_family);
    for table in &tables {
        let place = table.strip_prefix(&root).unwrap().display().to_string();
        let is_unified = place.contains("unified_perf_summary");
        for row in rows(table) {
            for column in row.keys().filter(|column| column.contains("Input Dims")) {
                let (before, behind) = column.split_once("Input Dims").unwrap();
                if !row[column].is_empty() {
                    found.row(&place, is_unified, &Columns { row: &row, before, behind });
                }
            }
        }
    }
    let total: usize = found.compared.values().sum();
    println!("{total} values of {} tables: {:#?}", tables.len(), found.compared);
    println!("deviations: {:#?}", found.deviations);
    println!("without numbers of the peer: {:#?}", found.unmodelled);
    let shown: Vec<_> = found.differences.iter().take(40).collect();
    assert!(shown.is_empty(), "{} differences: {shown:#?}", found.differences.len());
    assert!(total > 300, "only {total} values were compared");
}
