//! A benchmark as kernels: one shape in one precision each, so that each can be told when it has finished.

use serde_json::{Map, Value};

use crate::words::{Field, Kind, options, text};
use crate::{Engine, Problem};

/// One kernel of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kernel {
    /// For people.
    pub(crate) label: String,
    /// The command line that runs it.
    pub(crate) words: Vec<String>,
}

/// More in one job would run for hours.
const MOST_KERNELS: usize = 1_000;

/// A longer side has no use, and its memory no room.
const MOST_EXTENT: u64 = 1_000_000;

const COMMON: &[Field] = &[
    ("backend", Kind::Choice(&["cpu", "opencl", "cuda"])),
    ("threads", Kind::Extents),
    ("seconds", Kind::Number),
    ("state", Kind::Choice(&["hot", "llc", "cold"])),
    ("device", Kind::Device),
];
const ATTENTION: &[Field] = &[
    ("batch", Kind::Extent),
    ("heads", Kind::Extent),
    ("kv_heads", Kind::Extent),
    ("queries", Kind::Extent),
    ("context", Kind::Extent),
    ("head_dim", Kind::Extent),
    ("causal", Kind::Flag),
];
const PRODUCT: &[Field] = &[("m", Kind::Extent), ("n", Kind::Extent), ("k", Kind::Extent)];
/// What attention is run in if somebody says `all`.
const WIDE: [&str; 4] = ["fp64", "fp32", "fp16", "bf16"];

/// The kernels that a request asks for.
pub(crate) fn plan(mut asked: Map<String, Value>, engine: &dyn Engine) -> Result<Vec<Kernel>, Problem> {
    let kernel =
        asked.remove("kernel").and_then(|kernel| kernel.as_str().map(str::to_owned)).unwrap_or_default();
    // Fields that are lists become one kernel an element.
    let mut lists = Vec::new();
    let mut list = |name: &'static str, kind| -> Result<(), Problem> {
        if let Some(value) = asked.remove(name).filter(|value| !value.is_null()) {
            let all = text(name, kind, &value)?;
            lists.push((
                name,
                all.split(',').filter(|one| !one.is_empty()).map(str::to_owned).collect::<Vec<_>>(),
            ));
        }
        Ok(())
    };
    let mut shapes: Option<Vec<[u64; 3]>> = None;
    let fields: &[Field] = match kernel.as_str() {
        "attention" => {
            list("precision", Kind::Names)?;
            ATTENTION
        }
        "gemm" => {
            list("batch", Kind::Extents)?;
            list("implementation", Kind::Names)?;
            list("precision", Kind::Names)?;
            PRODUCT
        }
        "gemv" => {
            list("precision", Kind::Names)?;
            &PRODUCT[1..]
        }
        "stream" => {
            list("bytes", Kind::Extents)?;
            list("kind", Kind::Names)?;
            &[]
        }
        "fma" => {
            list("types", Kind::Names)?;
            &[]
        }
        "preset" => {
            list("precision", Kind::Names)?;
            let preset = asked.remove("preset").unwrap_or_default();
            shapes = Some(preset_shapes(&preset, engine)?);
            &[]
        }
        "products" => {
            list("precision", Kind::Names)?;
            shapes = Some(given_shapes(&asked.remove("shapes").unwrap_or_default())?);
            &[]
        }
        _ => {
            return Err(Problem::bad("`kernel` says what to run")
                .hint("one of attention, fma, gemm, gemv, preset, products, stream"));
        }
    };
    for (name, all) in &mut lists {
        if *name == "precision" && all.len() == 1 && all[0].eq_ignore_ascii_case("all") {
            *all = if kernel == "attention" {
                WIDE.map(str::to_owned).to_vec()
            } else {
                every_precision(engine)?
            };
        }
    }
    let given = options(&asked, &[fields, COMMON])?;
    let mut kernels = vec![Kernel { label: kernel.clone(), words: vec!["bench".to_owned(), kernel.clone()] }];
    if let Some(shapes) = shapes {
        kernels = shapes.into_iter().map(product).collect();
    }
    for kernel in &mut kernels {
        let is_shape = |word: &&str| !COMMON.iter().any(|(name, _)| word.starts_with(name));
        let shape: Vec<&str> =
            given.iter().filter_map(|word| word.strip_prefix("--")).filter(is_shape).collect();
        if !shape.is_empty() {
            kernel.label = format!("{} {}", kernel.label, shape.join(" "));
        }
        kernel.words.extend(given.iter().cloned());
    }
    for (name, all) in lists {
        let with = |kernel: &Kernel, one: &String| Kernel {
            label: format!("{} {one}", kernel.label),
            words: kernel.words.iter().cloned().chain([format!("--{name}={one}")]).collect(),
        };
        kernels = kernels.iter().flat_map(|kernel| all.iter().map(move |one| with(kernel, one))).collect();
        if kernels.len() > MOST_KERNELS {
            return Err(Problem::bad(format!("more than {MOST_KERNELS} kernels")));
        }
    }
    if kernels.is_empty() { Err(Problem::bad("there is nothing to run")) } else { Ok(kernels) }
}

/// A product of these extents; with one row, of a matrix and a vector.
fn product([m, n, k]: [u64; 3]) -> Kernel {
    let mut words = vec!["bench".to_owned(), if m == 1 { "gemv" } else { "gemm" }.to_owned()];
    if m > 1 {
        words.push(format!("--m={m}"));
    }
    words.extend([format!("--n={n}"), format!("--k={k}")]);
    Kernel { label: format!("{} {m}x{n}x{k}", words[1]), words }
}

/// The shapes of `products`: `[[m, n, k], ...]`.
fn given_shapes(value: &Value) -> Result<Vec<[u64; 3]>, Problem> {
    let extent = |value: &Value| value.as_u64().filter(|extent| (1..=MOST_EXTENT).contains(extent));
    let shape = |value: &Value| match value.as_array()?.as_slice() {
        [m, n, k] => Some([extent(m)?, extent(n)?, extent(k)?]),
        _ => None,
    };
    let all: Option<Vec<[u64; 3]>> = value
        .as_array()
        .filter(|all| all.len() <= MOST_KERNELS)
        .and_then(|all| all.iter().map(shape).collect());
    all.ok_or_else(|| Problem::bad("`shapes` are `[[m, n, k], ...]`, each from 1 to 1000000"))
}

fn presets(engine: &dyn Engine) -> Result<Value, Problem> {
    let bytes = engine.known("presets")?;
    serde_json::from_slice(&bytes).map_err(|error| Problem::internal(error.to_string()))
}

fn every_precision(engine: &dyn Engine) -> Result<Vec<String>, Problem> {
    let known = presets(engine)?;
    let names = known["bench_precisions"].as_array().into_iter().flatten();
    Ok(names.filter_map(|name| name.as_str().map(str::to_owned)).collect())
}

fn preset_shapes(preset: &Value, engine: &dyn Engine) -> Result<Vec<[u64; 3]>, Problem> {
    let known = presets(engine)?;
    let all = || known["shapes"].as_array().into_iter().flatten();
    let Some(found) = all().find(|one| one["key"] == *preset) else {
        let names: Vec<&str> = all().filter_map(|one| one["key"].as_str()).collect();
        return Err(
            Problem::bad("`preset` is the name of some shapes").hint(format!("one of {}", names.join(", ")))
        );
    };
    let shape = |shape: &Value| Some([shape[0].as_u64()?, shape[1].as_u64()?, shape[2].as_u64()?]);
    Ok(found["shapes"].as_array().into_iter().flatten().filter_map(shape).collect())
}
