//! What kernel names say.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::error::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use eaves_analyze::{KernelType, short_kernel_name};

use super::Code;
use crate::FunctionInfo;

/// A text of a text.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Function {
    pub(super) info: FunctionInfo,
    apply: Code<fn(&str) -> Cow<'static, str>>,
}

/// All of them, by name.
pub(super) static ALL: &[Function] = &[
    Function {
        info: FunctionInfo {
            name: "kernel_type",
            call: "kernel_type(name)",
            about: "Kernel class by name: compute, communication or memory",
        },
        apply: Code(|name| KernelType::of_kernel(name).id().into()),
    },
    Function {
        info: FunctionInfo {
            name: "short_kernel_name",
            call: "short_kernel_name(name)",
            about: "Kernel name without return type, namespaces, templates and arguments",
        },
        apply: Code(|name| short_kernel_name(name).into()),
    },
];

/// A function as the engine knows it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct OfName {
    function: &'static Function,
    signature: Signature,
}

impl OfName {
    pub(super) fn new(function: &'static Function) -> Self {
        Self { function, signature: Signature::string(1, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for OfName {
    fn name(&self) -> &str {
        self.function.info.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = arguments.number_rows;
        let names =
            arguments.args.into_iter().next().map(|argument| argument.into_array(rows)).transpose()?;
        let names = names.map(|names| cast(&names, &DataType::Utf8)).transpose()?;
        let Some(names) = names else { return Ok(ColumnarValue::Scalar(None::<&str>.into())) };
        let names = names.as_string::<i32>();
        // Names are few, and looking at them takes time.
        let mut known: HashMap<&str, Cow<'static, str>> = HashMap::new();
        for name in names.iter().flatten() {
            known.entry(name).or_insert_with(|| (self.function.apply.0)(name));
        }
        let answer = |name: Option<&str>| name.and_then(|name| known.get(name)).map(AsRef::as_ref);
        let answers: StringArray = names.iter().map(answer).collect::<Vec<Option<&str>>>().into();
        debug_assert_eq!(answers.len(), names.len());
        Ok(ColumnarValue::Array(Arc::new(answers)))
    }
}
