//! The language without anything that reaches out of it, and the limits it runs in.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicFnPackage, BasicIteratorPackage, BasicMapPackage,
    BasicMathPackage, BasicStringPackage, LogicPackage, MoreStringPackage, Package,
};
use rhai::{AST, Array, Dynamic, Engine, EvalAltResult, FLOAT, FnPtr, Position};

use super::ScriptError;
use crate::Precision;

/// What a script may take for its definitions, and again for each command. Sizes are checked where values are made, not
/// where they are put into a map; as a map grows by one value in a few steps, all of them together stay below 200 MB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps: about one for each operation, call or turn of a loop.
    pub steps: u64,
    /// Time.
    pub time: Duration,
    /// How deep functions may call each other.
    pub depth: usize,
    /// Bytes of a text.
    pub text: usize,
    /// Elements of a list or map, those inside included.
    pub list: usize,
    /// Variables at a time.
    pub variables: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 50_000,
            time: Duration::from_secs(1),
            depth: 16,
            text: 1 << 12,
            list: 1 << 10,
            variables: 256,
        }
    }
}

/// Operators by name while a script defines them; nothing once it has.
type Definitions = Arc<Mutex<Option<Vec<(String, FnPtr)>>>>;

/// A script with the machine that runs it.
pub(super) struct Sandbox {
    engine: Engine,
    ast: AST,
    limits: Limits,
    clock: Arc<Clock>,
}

/// When the running script must have ended, in nanoseconds after the clock began.
struct Clock {
    began: Instant,
    end: AtomicU64,
}

impl Clock {
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn allow(&self, time: Duration) {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.end.store(self.now().saturating_add(time), Ordering::Relaxed);
    }
}

impl Sandbox {
    /// Runs a script's definitions.
    pub(super) fn load(text: &str, limits: Limits) -> Result<(Self, Vec<(String, FnPtr)>), ScriptError> {
        let clock = Arc::new(Clock { began: Instant::now(), end: AtomicU64::new(0) });
        let definitions: Definitions = Arc::new(Mutex::new(Some(Vec::new())));
        let mut engine = restricted(&limits, Arc::clone(&clock));
        provide(&mut engine, Arc::clone(&definitions));
        let ast = engine.compile(text).map_err(|error| ScriptError::parsing(&error))?;
        let sandbox = Self { engine, ast, limits, clock };
        sandbox.clock.allow(limits.time);
        let ran = sandbox.engine.run_ast(&sandbox.ast);
        ran.map_err(|error| ScriptError::running(&error, &limits))?;
        let operators = definitions.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
        Ok((sandbox, operators))
    }

    /// What a function of the script gives for a command.
    pub(super) fn call(&self, function: &FnPtr, command: Dynamic) -> Result<Dynamic, ScriptError> {
        self.clock.allow(self.limits.time);
        let result = function.call(&self.engine, &self.ast, (command,));
        result.map_err(|error| ScriptError::running(&error, &self.limits))
    }
}

/// Arithmetic, texts, lists and maps, in limits. Modules and the clock are not compiled in; of the standard library
/// `LanguageCorePackage` is skipped, which can make the process sleep.
fn restricted(limits: &Limits, clock: Arc<Clock>) -> Engine {
    let mut engine = Engine::new_raw();
    ArithmeticPackage::new().register_into_engine(&mut engine);
    BasicArrayPackage::new().register_into_engine(&mut engine);
    BasicFnPackage::new().register_into_engine(&mut engine);
    BasicIteratorPackage::new().register_into_engine(&mut engine);
    BasicMapPackage::new().register_into_engine(&mut engine);
    BasicMathPackage::new().register_into_engine(&mut engine);
    BasicStringPackage::new().register_into_engine(&mut engine);
    LogicPackage::new().register_into_engine(&mut engine);
    MoreStringPackage::new().register_into_engine(&mut engine);
    for word in ["debug", "eval", "print"] {
        engine.disable_symbol(word);
    }
    engine
        .set_max_operations(limits.steps)
        .set_max_call_levels(limits.depth)
        .set_max_expr_depths(64, 32)
        .set_max_string_size(limits.text)
        .set_max_array_size(limits.list)
        .set_max_map_size(limits.list)
        .set_max_variables(limits.variables)
        .set_max_functions(256)
        .set_strict_variables(true)
        .set_fail_on_invalid_map_property(true)
        // Looking at the clock costs more than a step.
        .on_progress(move |steps| {
            let late = steps % 64 == 0 && clock.now() > clock.end.load(Ordering::Relaxed);
            late.then_some(Dynamic::UNIT)
        });
    engine
}

/// What scripts have beyond the language.
fn provide(engine: &mut Engine, definitions: Definitions) {
    engine.register_fn("op", move |name: &str, function: FnPtr| -> Result<(), Box<EvalAltResult>> {
        let mut open = definitions.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(operators) = open.as_mut() else { return Err(failed("`op` belongs outside of functions")) };
        if operators.iter().any(|(defined, _)| defined == name) {
            return Err(failed(format!("`{name}` is defined twice")));
        }
        operators.push((name.to_owned(), function));
        Ok(())
    });
    engine.register_fn("product", |list: Array| -> Result<FLOAT, Box<EvalAltResult>> {
        list.iter().map(number).product()
    });
    engine.register_fn("element_bytes", |name: &str| -> Result<FLOAT, Box<EvalAltResult>> {
        let precision: Precision = name.parse().map_err(|error| failed(format!("{error}")))?;
        Ok(precision.element_bits / 8.0)
    });
}

fn failed(reason: impl Into<String>) -> Box<EvalAltResult> {
    EvalAltResult::ErrorRuntime(Dynamic::from(reason.into()), Position::NONE).into()
}

/// Extents are products of large numbers: floats hold them where integers overflow.
fn number(value: &Dynamic) -> Result<FLOAT, Box<EvalAltResult>> {
    let float = value.as_float().or_else(|_| value.as_int().map(|integer| integer as FLOAT));
    float.map_err(|found| failed(format!("`product` is of numbers, not of {found}")))
}
