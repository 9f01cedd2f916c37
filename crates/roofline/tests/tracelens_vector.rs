//! Work of vector operators against the reference tables of TraceLens: every row with a formula of ours and numbers of
//! theirs. Where TraceLens is wrong (`docs/operators.md` lists how), the test computes from the row what its mistake is
//! and what is right, and that is compared; nothing is let through.

use std::collections::BTreeMap;

use crate::reference::{Row, json, rows, tables};
use eaves_roofline::ops::{Call, formula, wrapper};
use serde_json::Value;

const VECTOR: &[&str] = &[
    "activation",
    "elementwise",
    "hyper-connection",
    "indexing",
    "loss",
    "movement",
    "normalization",
    "optimizer",
    "pooling",
    "quantization",
    "random",
    "reduction",
    "rms norm",
    "rope",
    "softmax",
    "sorting",
    "triton",
];

/// A row as TraceLens has it.
struct Theirs {
    name: String,
    dims: Vec<Value>,
    types: Vec<String>,
    concrete: Vec<String>,
    flops: f64,
    bytes: Option<f64>,
}

impl Theirs {
    fn new(row: &Row) -> Option<Self> {
        let suffix = if row.contains_key("Input Dims_first") { "_first" } else { "" };
        let cell = |column: &str| row.get(&format!("{column}{suffix}")).map(String::as_str).unwrap_or("");
        let list = |column: &str| serde_json::from_str::<Vec<Value>>(&json(cell(column))).ok();
        let texts = |column: &str| {
            Some(list(column)?.iter().map(|text| text.as_str().unwrap_or("").to_owned()).collect::<Vec<_>>())
        };
        Some(Self {
            name: row.get("name")?.clone(),
            dims: list("Input Dims")?,
            types: texts("Input type")?,
            concrete: texts("Concrete Inputs")?,
            flops: cell("GFLOPS").parse::<f64>().ok()? * 1e9,
            bytes: cell("Data Moved (MB)").parse::<f64>().ok().map(|amount| amount * 1_048_576.0),
        })
    }

    fn shape(&self, index: usize) -> Vec<f64> {
        let extents = self.dims.get(index).and_then(Value::as_array);
        extents.into_iter().flatten().filter_map(Value::as_f64).collect()
    }

    fn elements(&self, index: usize) -> f64 {
        self.shape(index).iter().product()
    }

    fn has(&self, index: usize) -> bool {
        !self.shape(index).is_empty()
    }

    fn says(&self, index: usize) -> &str {
        self.concrete.get(index).map_or("", String::as_str)
    }

    /// Bytes of an element.
    fn size(&self, index: usize) -> f64 {
        size(&self.types[index])
    }
}

fn size(type_name: &str) -> f64 {
    match type_name {
        "double" | "long int" => 8.0,
        "float" | "int" | "Scalar" => 4.0,
        "c10::Half" | "c10::BFloat16" => 2.0,
        "bool" | "unsigned char" | "c10::Float8_e4m3fn" => 1.0,
        other => panic!("{other}"),
    }
}

/// A mistake of TraceLens: which, and the FLOPs and bytes that are right instead.
type Mistake = Option<(&'static str, f64, f64)>;

/// Only one element is written by any reduction (3.9 #1), integers are summed in their own type.
fn reduction(row: &Theirs) -> Mistake {
    let (input, written) = (row.elements(0) * row.size(0), row.size(0));
    let bytes = row.bytes?;
    if row.name == "aten::cumsum" {
        let right = input + row.elements(0) * 8.0;
        return (row.types[0] == "int").then_some(("integers are summed in 64 bits", row.flops, right));
    }
    assert_eq!(bytes, input + written, "{}", row.name);
    let shape = row.shape(0);
    let dims: Vec<i64> = serde_json::from_str(row.says(1)).unwrap_or_default();
    let reduced = |index: usize| {
        let from_end = index as i64 - shape.len() as i64;
        dims.is_empty() || dims.iter().any(|dim| *dim == index as i64 || *dim == from_end)
    };
    let outputs: f64 = (0..shape.len()).filter(|index| !reduced(*index)).map(|index| shape[index]).product();
    (outputs != 1.0).then_some(("3.9 #1 outputs of reductions", row.flops, input + outputs * written))
}

/// Evaluation counts as training and a scale and a bias are always there (3.9 #5).
fn normalization(row: &Theirs) -> Mistake {
    let layer = row.name.contains("layer");
    let group = row.name.contains("group");
    let (scale, bias) = match row.name.as_str() {
        name if layer || name == "aten::group_norm" => (2, 3),
        _ => (1, 2),
    };
    let channels = if layer {
        serde_json::from_str::<Vec<f64>>(row.says(1)).ok()?.iter().product()
    } else {
        row.shape(0)[1]
    };
    let size = row.size(0);
    let (mut flops, mut bytes) = (row.flops, row.bytes?);
    for operand in [scale, bias] {
        if !row.has(operand) {
            bytes -= channels * size;
        }
    }
    if !layer && !group && row.says(5) == "False" {
        flops -= 3.0 * row.elements(0);
        bytes -= 2.0 * channels * size;
    }
    (Some(bytes) != row.bytes).then_some(("3.9 #5 evaluation and scales of normalisation", flops, bytes))
}

/// The backward of groups takes their number for that of channels and has a scale always; that of the others has one
/// if the input has (3.9 #5), and writes gradients nobody wants.
fn normalization_backward(row: &Theirs) -> Mistake {
    let size = row.size(0);
    let wanted = |index: usize| -> Vec<bool> {
        row.says(index).trim_matches(['[', ']']).split(',').map(|flag| flag.trim() == "True").collect()
    };
    let (bytes, reason) = if row.name.contains("rms") {
        let width: f64 = serde_json::from_str::<Vec<f64>>(row.says(2)).ok()?.iter().product();
        let gone = [row.has(4), wanted(5)[1]].iter().filter(|there| !**there).count() as f64;
        let flops = if row.has(4) { row.flops } else { row.flops - row.elements(0) };
        let right = row.bytes? - gone * width * size;
        return (gone > 0.0).then_some(("3.9 #5 evaluation and scales of normalisation", flops, right));
    } else if row.name.contains("group") {
        let (channels, groups): (f64, f64) = (row.says(6).parse().ok()?, row.says(8).parse().ok()?);
        let wanted = wanted(9);
        let kept = [true, row.has(4), wanted[1], wanted[2]].iter().filter(|there| **there).count() as f64;
        (
            row.bytes? - 4.0 * groups * size + kept * channels * size,
            "channels of group normalisation backward",
        )
    } else if row.name.contains("layer") {
        // Their flags: the scale, and the bias with it.
        let width: f64 = serde_json::from_str::<Vec<f64>>(row.says(2)).ok()?.iter().product();
        let wanted = wanted(7);
        let theirs = if row.has(5) { 4.0 } else { 1.0 };
        let kept = [true, row.has(5), wanted[1], wanted[2]].iter().filter(|there| **there).count() as f64;
        (row.bytes? + (kept - theirs) * width * size, "gradients nobody wants")
    } else {
        return None;
    };
    (Some(bytes) != row.bytes).then_some((reason, row.flops, bytes))
}

/// What MIOpen and cuDNN do backward they do in training only; TraceLens finds no flag and takes it for evaluation. The
/// other kinds have their flag, but always a scale and all gradients (3.9 #5).
fn batch_normalization_backward(row: &Theirs) -> Mistake {
    let (elements, channels, size) = (row.elements(0), row.shape(0)[1], row.size(0));
    if row.name.contains("miopen") || row.name.contains("cudnn") {
        assert_eq!(
            (row.flops.round(), row.bytes?),
            (4.0 * elements + 3.0 * channels, (2.0 * elements + channels) * size)
        );
        let right = (3.0 * elements + 4.0 * channels) * size;
        return Some(("training of vendors' batch normalisation", 9.0 * elements, right));
    }
    let flags: Vec<bool> =
        row.says(9).trim_matches(['[', ']']).split(',').map(|flag| flag.trim() == "True").collect();
    let gone = [row.has(2), flags[1], flags[2]].iter().filter(|there| !**there).count() as f64;
    let right = row.bytes? - gone * channels * size;
    (gone > 0.0).then_some(("3.9 #5 evaluation and scales of normalisation", row.flops, right))
}

/// A scale is always there (3.9 #5).
fn rms_norm(row: &Theirs) -> Mistake {
    if row.name != "aten::_fused_rms_norm" || row.has(2) {
        return None;
    }
    let width: f64 = serde_json::from_str::<Vec<f64>>(row.says(1)).ok()?.iter().product();
    let (flops, bytes) = (row.flops - row.elements(0), row.bytes? - width * row.size(0));
    Some(("3.9 #5 evaluation and scales of normalisation", flops, bytes))
}

/// Booleans have no size (3.9 #7).
fn copy(row: &Theirs) -> Mistake {
    let moved = row.elements(0) * row.size(0) + row.elements(1) * row.size(1);
    row.bytes.is_none().then(|| {
        assert!(row.types.iter().any(|name| name == "bool"));
        ("3.9 #7 booleans", row.flops, moved)
    })
}

/// Eager operators count one operation for an element whatever the function, generated kernels more: one table holds for
/// both here.
fn function(row: &Theirs) -> Mistake {
    let operations = match row.name.as_str() {
        "aten::pow" | "aten::rsqrt" => 2.0,
        "aten::sigmoid" | "aten::silu" => 4.0,
        _ => return None,
    };
    Some(("operations of functions", operations * row.flops, row.bytes?))
}

/// Floats have no size, and every pointwise kernel is taken to update an argument in place (3.9 #6).
fn triton(row: &Theirs) -> Mistake {
    if !row.name.starts_with("triton_poi") {
        return None;
    }
    let tensors: Vec<usize> = (0..row.dims.len()).filter(|index| row.has(*index)).collect();
    let once: f64 = tensors.iter().map(|index| row.elements(*index) * row.size(*index)).sum();
    // By what the kernels do: a product of two tensors has no third to write to; a sum of two, a conversion and a pad
    // have one.
    let right = match row.name.as_str() {
        "triton_poi_fused__unsafe_view_mul_silu_2" => return None,
        "triton_poi_fused__unsafe_view_add_3"
        | "triton_poi_fused__to_copy_1"
        | "triton_poi_fused_constant_pad_nd_moe_forward_0" => once,
        other => panic!("{other}"),
    };
    Some(("3.9 #6 generated kernels", row.flops, right))
}

fn mistake(row: &Theirs, category: &str) -> Mistake {
    match category {
        "reduction" => reduction(row),
        "normalization" if row.name.ends_with("batch_norm_backward") => batch_normalization_backward(row),
        "normalization" | "rms norm" if row.name.ends_with("backward") => normalization_backward(row),
        "normalization" => normalization(row),
        "rms norm" => rms_norm(row),
        "elementwise" if row.name == "aten::copy_" => copy(row),
        "activation" | "elementwise" => function(row),
        "triton" => triton(row),
        _ => None,
    }
}

fn near(ours: f64, right: f64) -> bool {
    (ours - right).abs() <= 1e-9 * right.abs()
}

#[test]
fn rows_match_or_differ_by_a_mistake_that_is_known() {
    let Some(root) = eaves_testing::data("tracelens") else { return };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut sheets: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for table in tables(&root, |_| true) {
        for row in rows(&table) {
            let Some(name) = row.get("name") else { continue };
            let Some(formula) = formula(name).filter(|formula| VECTOR.contains(&formula.category)) else {
                continue;
            };
            let Some(theirs) = Theirs::new(&row) else { continue };
            let list = |values: &[String]| serde_json::to_string(values).unwrap();
            let dims = serde_json::to_string(&theirs.dims).unwrap();
            let call = Call::parse(name, &dims, &list(&theirs.types), "", &list(&theirs.concrete)).unwrap();
            let work = match (formula.work)(&call) {
                Ok(work) => work,
                Err(reason) => {
                    wrong.push(format!("{name} {dims}: {reason}"));
                    continue;
                }
            };
            let known = mistake(&theirs, formula.category);
            let (reason, flops, bytes) =
                known.unwrap_or(("equal", theirs.flops, theirs.bytes.unwrap_or(f64::NAN)));
            if !near(work.flops, flops) || !near(work.bytes(), bytes) {
                let (our_flops, our_bytes) = (work.flops, work.bytes());
                wrong.push(format!(
                    "{name} {dims} {:?} {:?} ({reason}): {our_flops} {our_bytes}, right {flops} {bytes}",
                    theirs.types, theirs.concrete
                ));
            }
            *counts.entry(reason).or_default() += 1;
            let sheet = table.file_name().unwrap().to_string_lossy().into_owned();
            *sheets.entry(sheet).or_default() += 1;
        }
    }
    println!("compared: {counts:?}\nby table: {sheets:?}");
    assert!(wrong.is_empty(), "{} differ: {wrong:#?}", wrong.len());
    let total: usize = counts.values().sum();
    assert!(total >= 500, "{total} rows");
    assert_eq!(counts.len(), 9, "{counts:?}");
}

/// Operators with GPU time that have no formula, and why.
const NONE: &[(&str, &str)] = &[
    ("SortTokens", "its outputs are recorded nowhere"),
    ("TopK", "the type of its indices is recorded nowhere"),
    ("hipLaunchKernel", "a kernel without an operator"),
    ("hipModuleLaunchKernel", "a kernel without an operator"),
    (
        "pseudo_op::moe_triton_unfused_finalize_matmul_scatter",
        "invented by TraceLens for kernels of a mixture of experts",
    ),
    ("pseudo_op::moe_triton_unfused_down", "invented by TraceLens for kernels of a mixture of experts"),
    ("pseudo_op::moe_triton_unfused_up", "invented by TraceLens for kernels of a mixture of experts"),
    ("sglang_profiler::forward_batch_info_compute_position_triton", "a few hundred bytes"),
];

#[test]
fn operators_with_gpu_time_have_a_formula_or_a_reason_for_none() {
    let Some(root) = eaves_testing::data("tracelens") else { return };
    for table in tables(&root, |name| name == "unified_perf_summary.csv") {
        let (mut all, mut with_formula, mut named) = (0.0, 0.0, 0.0);
        for row in rows(&table) {
            let name = row["name"].split("->").next().unwrap_or_default();
            let time: f64 = row["Kernel Time (µs)_sum"].parse().unwrap();
            all += time;
            if formula(name).is_some() || wrapper(name).is_some() {
                with_formula += time;
            } else if NONE.iter().any(|(none, _)| *none == name) {
                named += time;
            } else {
                println!("{}: {name} {:.3} %", table.display(), 100.0 * time);
            }
        }
        println!("{}: {:.2} % with a formula", table.display(), 100.0 * with_formula / all);
        assert!((with_formula + named) / all >= 0.97, "{}", table.display());
    }
}

/// Categories of TraceLens whose operators are not matrix products, attention or experts.
const CATEGORIES: &[&str] = &[
    "CrossEntropy_bwd",
    "CrossEntropy_fwd",
    "CustomCollective",
    "GroupQuant",
    "NORM_bwd",
    "NORM_fwd",
    "RMSNorm",
    "RoPE_bwd",
    "RoPE_fwd",
    "elementwise",
    "mHC",
    "reduce",
];

#[test]
fn every_vector_name_of_the_catalogue_has_a_formula_or_a_reason_for_none() {
    let Some(root) = eaves_testing::data("tracelens") else { return };
    let (mut known, mut missing) = (0, Vec::new());
    for row in rows(&root.join("op_catalogue.csv")) {
        let name = row["op"].as_str();
        // Kernels that TraceLens gives their own row have no arguments.
        if !CATEGORIES.contains(&row["category"].as_str()) || name.ends_with("(Synthetic Op)") {
            continue;
        }
        if formula(name).is_some() || wrapper(name).is_some() {
            known += 1;
        } else {
            missing.push(name.to_owned());
        }
    }
    println!("{known} with a formula");
    // The order of its arguments is not known.
    assert_eq!(missing, ["sglang::reg_all_gather_into_tensor"]);
    assert!(known >= 100, "{known}");
}
