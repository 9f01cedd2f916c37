//! Operators of the user's own, defined in a script that needs no compiling and can do nothing but compute.
//!
//! A script calls `op` for every type it defines, with a function from the command to its work:
//!
//! ```
//! use eaves_roofline::scripts::Script;
//!
//! let text = r#"
//!     op("ID_SOFTMAX", |cmd| {
//!         let n = product(cmd.input_shape);
//!         #{ macs: 0, flops: 5 * n, bytes: 2 * n * cmd.element_bytes, symbol: "triangle-up" }
//!     });
//! "#;
//! let script = Script::compile(text, "ops.rhai")?;
//! let record = serde_json::json!({"type": "ID_SOFTMAX", "input_shape": [8, 128]});
//! let work = script.work("ID_SOFTMAX", &record, 2.0)?;
//! assert_eq!((work.flops, work.bytes), (5120.0, 4096.0));
//! # Ok::<(), eaves_roofline::scripts::ScriptError>(())
//! ```
//!
//! The language is [Rhai](https://rhai.rs/book). Files, modules, the clock and printing are out of reach; steps, time,
//! depth of calls and sizes are limited ([`Limits`]).

mod engine;
mod error;
mod values;

use std::fmt;
use std::path::{Path, PathBuf};

use rhai::{Dynamic, FnPtr};
use serde_json::Value;

use crate::{Engine, ops};
pub use engine::Limits;
use engine::Sandbox;
pub use error::ScriptError;
pub use values::{SYMBOLS, ScriptWork};

/// A compiled script.
pub struct Script {
    name: String,
    path: Option<PathBuf>,
    text: String,
    sandbox: Sandbox,
    /// Types with their functions, in the order of the script.
    operators: Vec<(String, FnPtr)>,
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types: Vec<&str> = self.types().collect();
        f.debug_struct("Script").field("name", &self.name).field("types", &types).finish()
    }
}

/// Two scripts are the same if they say the same.
impl PartialEq for Script {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Script {
    /// From a file.
    ///
    /// # Errors
    /// If it cannot be read, is not a script, or fails while it defines its operators.
    pub fn read(path: &Path) -> Result<Self, ScriptError> {
        let name = path.display().to_string();
        let text = text(path, &name)?;
        let script = Self::compile(&text, &name)?;
        Ok(Self { path: Some(path.to_owned()), ..script })
    }

    /// From a text; errors call it by `name`.
    ///
    /// # Errors
    /// As for [`Script::read`].
    pub fn compile(text: &str, name: &str) -> Result<Self, ScriptError> {
        Self::compile_with(text, name, Limits::default())
    }

    /// The same with other limits.
    ///
    /// # Errors
    /// As for [`Script::read`].
    pub fn compile_with(text: &str, name: &str, limits: Limits) -> Result<Self, ScriptError> {
        let named = |error: ScriptError| error.in_script(name);
        let (sandbox, operators) = Sandbox::load(text, limits).map_err(named)?;
        Ok(Self { name: name.to_owned(), path: None, text: text.to_owned(), sandbox, operators })
    }

    /// What errors call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The script as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The types it defines, in its order.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.operators.iter().map(|(name, _)| name.as_str())
    }

    /// Whether it defines this type.
    pub fn defines(&self, name: &str) -> bool {
        self.types().any(|defined| defined == name)
    }

    /// The work of a command of this type: its fields are the script's to read, and `element_bytes`, which may be less
    /// than one.
    ///
    /// # Errors
    /// If the type is not defined, its function fails or goes beyond a limit, or what it gives is not work.
    pub fn work(&self, name: &str, record: &Value, element_bytes: f64) -> Result<ScriptWork, ScriptError> {
        let command = values::command(record, element_bytes).map_err(ScriptError::new);
        self.run(name, command)
    }

    /// The work of an NPU command that is given as JSON; nothing for a type that the script does not define. What
    /// readers of commands ask before they use the formulas of [`ops::npu`].
    pub fn command(&self, name: &str, record: &str) -> Option<Result<ops::npu::NpuWork, String>> {
        self.defines(name).then(|| {
            let record: Value = serde_json::from_str(record).map_err(|error| error.to_string())?;
            let precision = ops::npu::precision(&record)?;
            let element_bytes = precision.element_bits / 8.0;
            let work = self.work(name, &record, element_bytes).map_err(|error| error.to_string())?;
            let ScriptWork { macs, bytes, flops, symbol } = work;
            Ok(ops::npu::NpuWork { macs, flops, bytes, precision, engine: Engine::Matrix, symbol })
        })
    }

    /// The work of a call of an operator as a recording describes it: `name`, `inputs` with `shape`, `dtype` and
    /// `element_bytes` of tensors and the texts of everything else, and `element_bytes` of the first tensor.
    ///
    /// # Errors
    /// As for [`Script::work`].
    pub fn recorded(&self, call: &ops::Call<'_>) -> Result<ScriptWork, ScriptError> {
        self.run(call.name, Ok(values::recorded(call)))
    }

    fn run(&self, name: &str, command: Result<Dynamic, ScriptError>) -> Result<ScriptWork, ScriptError> {
        let named = |error: ScriptError| error.in_operator(name).in_script(&self.name);
        let found = self.operators.iter().find(|(defined, _)| defined == name);
        let (_, function) = found.ok_or_else(|| named(ScriptError::new("the script does not define it")))?;
        let result = command.and_then(|command| self.sandbox.call(function, command)).map_err(named)?;
        values::work(result).map_err(|reason| named(ScriptError::new(reason)))
    }

    /// Reads the file again if it says something else by now; whether it did. If what it says now is wrong, the script
    /// stays as it was.
    ///
    /// # Errors
    /// As for [`Script::read`].
    pub fn reload_if_changed(&mut self) -> Result<bool, ScriptError> {
        let Some(path) = self.path.clone() else { return Ok(false) };
        if text(&path, &self.name)? == self.text {
            return Ok(false);
        }
        *self = Self::read(&path)?;
        Ok(true)
    }
}

/// A script longer than this is not one.
const LONGEST: u64 = 1 << 20;

fn text(path: &Path, name: &str) -> Result<String, ScriptError> {
    let failed = |reason: String| ScriptError::new(reason).in_script(name);
    let length = std::fs::metadata(path).map_err(|error| failed(format!("cannot be read: {error}")))?.len();
    if length > LONGEST {
        return Err(failed(format!("too large for a script: {length} bytes")));
    }
    std::fs::read_to_string(path).map_err(|error| failed(format!("cannot be read: {error}")))
}

#[cfg(test)]
mod tests;
