//! A benchmark as kernels: one shape in one precision each, so that each can be told when it has finished.

use eaves_app::parse;
use eaves_app::verbs::bench::{Bench, BenchKernel};
use serde_json::{Map, Value, json};

use crate::Problem;
use crate::requests::check_lists;
use crate::state::Shared;

/// More in one job would run for hours.
const MOST_KERNELS: usize = 1_000;
/// A longer side has no use, and its memory no room.
const MOST_EXTENT: u64 = 1_000_000;

/// The kernels that a request asks for: one of `eaves bench`, in which `kernel` may stand for `op` and be `preset`, too; or
/// products of any shapes, `{"kernel": "products", "shapes": [[m, n, k], ...]}`.
pub(super) fn kernels(mut asked: Map<String, Value>, shared: &Shared) -> Result<Vec<BenchKernel>, Problem> {
    check_lists(&asked)?;
    let requests = match asked.remove("kernel") {
        None => vec![asked],
        Some(kernel) if kernel == "preset" => vec![asked],
        Some(kernel) if kernel == "products" => products(asked)?,
        Some(kernel) => {
            asked.insert("op".to_owned(), kernel);
            vec![asked]
        }
    };
    let mut kernels = Vec::new();
    for fields in requests {
        let request: Bench = parse(fields)?;
        shared.permitted(&request)?;
        kernels.extend(request.kernels()?);
        if kernels.len() > MOST_KERNELS {
            return Err(Problem::bad(format!("more than {MOST_KERNELS} kernels")));
        }
    }
    if kernels.is_empty() { Err(Problem::bad("nothing to run")) } else { Ok(kernels) }
}

/// A request for each shape; of one row, it is a product of a matrix and a vector.
fn products(mut asked: Map<String, Value>) -> Result<Vec<Map<String, Value>>, Problem> {
    let shapes = asked.remove("shapes").unwrap_or_default();
    let extent = |value: &Value| value.as_u64().filter(|extent| (1..=MOST_EXTENT).contains(extent));
    let request = |shape: &Value| {
        let [m, n, k] = shape.as_array()?.as_slice() else { return None };
        let (m, n, k) = (extent(m)?, extent(n)?, extent(k)?);
        let own = match m {
            1 => json!({"op": "gemv", "n": n, "k": k}),
            _ => json!({"op": "gemm", "m": m, "n": n, "k": k}),
        };
        let mut fields = asked.clone();
        fields.extend(own.as_object().cloned()?);
        Some(fields)
    };
    let all: Option<Vec<Map<String, Value>>> =
        shapes.as_array().and_then(|shapes| shapes.iter().map(request).collect());
    all.ok_or_else(|| Problem::bad("`shapes` are `[[m, n, k], ...]`, each from 1 to 1000000"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    fn labels(asked: &Value) -> Result<Vec<String>, Problem> {
        let shared = Shared::new(Options::default());
        let kernels = kernels(asked.as_object().unwrap().clone(), &shared)?;
        Ok(kernels.iter().map(BenchKernel::label).collect())
    }

    #[test]
    fn kernels_are_named_one_by_one() {
        let preset = json!({"kernel": "preset", "preset": "ffn-up", "precision": "fp32,mxfp4/int8"});
        assert_eq!(labels(&preset).unwrap(), ["gemv 1x4096x14336 fp32", "gemv 1x4096x14336 mxfp4/int8"]);
        let gemm = json!({"kernel": "gemm", "n": "4k", "k": 64, "batch": "1,2"});
        assert_eq!(labels(&gemm).unwrap(), ["gemm 1x4096x64 fp32", "gemm 2x4096x64 fp32"]);
        let same = json!({"op": "gemm", "n": "4k", "k": 64, "batch": [1, 2], "precision": "fp32"});
        assert_eq!(labels(&same).unwrap(), labels(&gemm).unwrap());
        let products = json!({"kernel": "products", "shapes": [[1, 8, 16], [2, 8, 16]], "precision": "bf16"});
        assert_eq!(labels(&products).unwrap().len(), 2);
    }

    #[test]
    fn what_is_no_benchmark_is_refused() {
        for asked in [
            json!({}),
            json!({"kernel": "rm"}),
            json!({"kernel": ["gemm"]}),
            json!({"kernel": "preset"}),
            json!({"kernel": "preset", "preset": "none"}),
            json!({"kernel": "products"}),
            json!({"kernel": "products", "shapes": []}),
            json!({"kernel": "products", "shapes": [[1, 2]]}),
            json!({"kernel": "products", "shapes": [[0, 1, 1]]}),
            json!({"kernel": "products", "shapes": [[1, 1, 1_000_001]]}),
            json!({"kernel": "gemm", "precision": "--help"}),
            json!({"kernel": "gemm", "output": "x"}),
            json!({"kernel": "gemm", "device": "/etc/passwd"}),
            json!({"kernel": "gemm", "m": 1, "batch": vec![1; 2_000]}),
            json!({"kernel": "stream", "bytes": vec![1024; 500]}),
        ] {
            assert!(labels(&asked).is_err(), "{asked}");
        }
    }
}
