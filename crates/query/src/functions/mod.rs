//! Functions that SQL lacks and traces need.

mod intervals;
mod kernels;
mod roofline;

use std::hash::{Hash, Hasher};

use datafusion::logical_expr::{AggregateUDF, ScalarUDF};
use datafusion::prelude::SessionContext;

use crate::FunctionInfo;

/// What a function runs. The engine compares functions, and addresses of code tell none apart: their names do.
#[derive(Debug)]
struct Code<F>(F);

impl<F> PartialEq for Code<F> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<F> Eq for Code<F> {}

impl<F> Hash for Code<F> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// Makes all of them known.
pub(crate) fn register(context: &SessionContext) {
    for function in intervals::ALL {
        context.register_udaf(AggregateUDF::from(intervals::Measure::new(function)));
    }
    for function in kernels::ALL {
        context.register_udf(ScalarUDF::from(kernels::OfName::new(function)));
    }
    for function in roofline::ALL {
        context.register_udf(ScalarUDF::from(roofline::OfWork::new(function)));
    }
}

/// What there is, in name order.
pub(crate) fn all() -> Vec<FunctionInfo> {
    let intervals = intervals::ALL.iter().map(|function| function.info);
    let kernels = kernels::ALL.iter().map(|function| function.info);
    let roofline = roofline::ALL.iter().map(|function| function.info);
    let mut functions: Vec<FunctionInfo> = intervals.chain(kernels).chain(roofline).collect();
    functions.sort_by_key(|function| function.name);
    functions
}
