//! The rows: each distinct operator with its arguments is looked at once, however often it was called.

use eaves_assess::roofline::Load;
use eaves_model::{Extent, GpuId, SliceId, StringId, Trace};
use eaves_roofline::Arithmetic;
use eaves_roofline::ops::{self, Formula, Rule, Step};
use eaves_roofline::scripts::Script;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::Class;
use super::autograd::{Autograd, EVALUATION};
use super::launches::Launches;
use super::loads::{copied, filled, kernel_decides, scripted, why_unattributed};
use super::matching::MatchedBy;
use super::neighbors;
use super::steps::Steps;
use crate::RankView;

/// How kernel names that `torch.compile` generates begin.
const GENERATED: &str = "triton_";

/// Why what the framework does itself has no formula.
const FRAMEWORK: &str = "framework overhead: views, allocation, dispatch or autograd bookkeeping";

/// The category of operators without a formula.
pub(super) const OTHER: &str = "other";

/// Why an operator with operators inside it has no work of its own.
pub(super) const OWNED_INSIDE: &str = "inner operators own part of its work";

/// What makes two calls the same row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) class: Class,
    pub(super) name: StringId,
    /// Shapes, types, strides, scalars. Those of the forward operator on a backward function.
    pub(super) arguments: [StringId; 4],
    /// The forward operator of a backward function; what launched an unattributed activity.
    pub(super) of: StringId,
    /// True if operators inside own what they launched, so that the operator's formula says too much.
    pub(super) partly: bool,
    /// The annotation of a server's step around the call, where the formula needs it.
    pub(super) step: StringId,
    /// The element type of lists of tensors, which is not recorded with them, by the kernel name.
    pub(super) element: Option<&'static str>,
    /// What it was computed in by the kernel name, where the operator leaves it open.
    pub(super) computed: Option<Arithmetic>,
    /// Shapes and types of the gradients of the results, where the arguments do not say what the results are.
    pub(super) gradient: [StringId; 2],
    /// Bytes of a copy or memset that is looked at by itself.
    pub(super) bytes: Option<i64>,
    /// Blocks and threads of a kernel that is looked at by itself: launches of another size are other work.
    pub(super) launch: [Extent; 2],
    /// The number of what an operator launched itself, where the formula needs it.
    pub(super) launches: u32,
    /// What calls without a recorded launch were matched by.
    pub(super) matched: Option<MatchedBy>,
    /// Which other operators say what the arguments leave open.
    pub(super) told: Told,
}

/// Which other operators say what the arguments of one leave open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Told {
    /// None, or its backward function.
    #[default]
    Nothing,
    /// The one around it has its arguments.
    Around,
    /// The one around it and the next agree on its result.
    Neighbors,
}

impl Told {
    /// For people; empty if no other says anything.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Around => "arguments of the enclosing operator",
            Self::Neighbors => "arguments of the enclosing operator and of the next",
        }
    }
}

impl Key {
    /// The row of a kernel that belongs to no operator.
    pub(super) fn kernel(class: Class, name: StringId, launched_by: StringId) -> Self {
        let none = StringId::NONE;
        Self {
            class,
            name,
            arguments: [none; 4],
            of: launched_by,
            partly: false,
            step: none,
            element: None,
            computed: None,
            gradient: [none; 2],
            bytes: None,
            launch: [Extent::default(); 2],
            launches: 0,
            matched: None,
            told: Told::Nothing,
        }
    }

    /// The row of a kernel whose counters say what it did.
    pub(super) fn counted(name: StringId, grid: Extent, block: Extent) -> Self {
        Self { launch: [grid, block], ..Self::kernel(Class::Kernel, name, StringId::NONE) }
    }
}

/// A row without its times.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) key: Key,
    pub(super) category: &'static str,
    pub(super) load: Result<Load, String>,
}

/// What is known of an operator's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It has no formula.
    NoFormula,
    /// Its formula has no answer for these arguments.
    Unanswered,
    /// It has one, but usually calls others that have formulas too, which are nearer to what was done.
    Wrapper,
    /// It has one.
    Known,
}

/// How much a formula says of a call, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sure {
    /// Nothing.
    Unanswered,
    /// A part: something that was not recorded is missing.
    AtLeast,
    /// Everything.
    Known,
}

/// Where the work of an operator is known from.
#[derive(Clone, Copy)]
pub(super) enum Found {
    /// A formula of ours.
    Ours {
        formula: &'static Formula,
        /// Whether it is that of an operator that usually only calls others.
        is_wrapper: bool,
    },
    /// A formula of the user, which wins over ours.
    Script,
}

impl Found {
    /// The formula of the backward pass, from the arguments of the forward one.
    pub(super) fn backward(self) -> Option<Rule> {
        match self {
            Self::Ours { formula, .. } => formula.backward,
            Self::Script => None,
        }
    }
}

/// What a recording says about a call besides its arguments.
#[derive(Clone, Copy)]
pub(super) struct Around {
    /// One of the kernels that were launched inside it.
    pub(super) kernel: StringId,
    /// What a kernel inside it computed in, by its name.
    pub(super) computed: Option<Arithmetic>,
    /// The operator around it.
    pub(super) parent: Option<SliceId>,
    /// The next operator inside that one.
    pub(super) next: Option<SliceId>,
}

/// Rows by key.
pub(super) struct Rows<'a> {
    trace: &'a Trace,
    script: Option<&'a Script>,
    formulas: HashMap<StringId, Option<Found>, FixedState>,
    steps: Option<Steps>,
    launches: Launches,
    autograd: Option<Autograd>,
    arithmetics: HashMap<StringId, Option<Arithmetic>, FixedState>,
    replays: HashMap<StringId, bool, FixedState>,
    has_list: HashMap<StringId, bool, FixedState>,
    elements: HashMap<StringId, Option<&'static str>, FixedState>,
    by_key: HashMap<Key, u32, FixedState>,
    rows: Vec<Row>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(trace: &'a Trace, script: Option<&'a Script>, launches: Launches) -> Self {
        Self {
            trace,
            script,
            formulas: HashMap::default(),
            steps: None,
            launches,
            autograd: None,
            arithmetics: HashMap::default(),
            replays: HashMap::default(),
            has_list: HashMap::default(),
            elements: HashMap::default(),
            by_key: HashMap::default(),
            rows: Vec::new(),
        }
    }

    pub(super) fn into_rows(self) -> (Vec<Row>, Launches) {
        (self.rows, self.launches)
    }

    /// The row of a slice in the table of operators.
    pub(super) fn operator(&self, slice: SliceId) -> Option<usize> {
        self.trace.ops.slice.binary_search(&slice).ok()
    }

    /// The formula of an operator with this name.
    pub(super) fn formula(&mut self, name: StringId) -> Option<Found> {
        let (trace, script) = (self.trace, self.script);
        *self.formulas.entry(name).or_insert_with(|| {
            let name = trace.strings.get(name);
            if script.is_some_and(|script| script.defines(name)) {
                return Some(Found::Script);
            }
            let found = ops::formula(name).map(|formula| Found::Ours { formula, is_wrapper: false });
            found.or_else(|| Some(Found::Ours { formula: ops::wrapper(name)?, is_wrapper: true }))
        })
    }

    /// What is known of an operator's work.
    pub(super) fn answer(&mut self, slice: SliceId, around: Around) -> Answer {
        let Some(found) = self.formula(self.trace.slices.name[slice.index()]) else {
            return Answer::NoFormula;
        };
        let row = self.of_operator(slice, around);
        match self.rows[row as usize].load {
            Err(_) => Answer::Unanswered,
            Ok(_) if matches!(found, Found::Ours { is_wrapper: true, .. }) => Answer::Wrapper,
            Ok(_) => Answer::Known,
        }
    }

    /// Whether an activity was launched as part of a graph.
    pub(super) fn replays(&mut self, rank: &RankView<'_>, activity: GpuId) -> bool {
        let Some(launch) = rank.links().launch(activity) else { return false };
        let name = self.trace.slices.name[launch.index()];
        let trace = self.trace;
        *self.replays.entry(name).or_insert_with(|| trace.strings.get(name).contains("GraphLaunch"))
    }

    /// Whether a kernel was generated by `torch.compile`.
    pub(super) fn is_generated(&self, kernel: StringId) -> bool {
        self.text(kernel).starts_with(GENERATED)
    }

    /// Whether a kernel's name and the size of its launch say that it fills memory, and how much.
    pub(super) fn fills(&self, kernel: StringId, launch: [Extent; 2]) -> bool {
        filled(self.text(kernel), launch).is_some()
    }

    /// How much the formula of a row says.
    fn sure(&self, row: u32) -> Sure {
        match &self.rows[row as usize].load {
            Err(_) => Sure::Unanswered,
            Ok(load) if load.at_least => Sure::AtLeast,
            Ok(_) => Sure::Known,
        }
    }

    /// Whether the formula of a row has no answer.
    pub(super) fn is_unanswered(&self, row: u32) -> bool {
        self.rows[row as usize].load.is_err()
    }

    /// What a kernel computes in, if its name says so.
    pub(super) fn arithmetic(&mut self, kernel: StringId) -> Option<Arithmetic> {
        let trace = self.trace;
        *self
            .arithmetics
            .entry(kernel)
            .or_insert_with(|| ops::arithmetic_of_kernel(trace.strings.get(kernel)))
    }

    /// The key of an operator.
    pub(super) fn key_of(&self, slice: SliceId) -> Key {
        let ops = &self.trace.ops;
        let arguments = self.operator(slice).map_or([StringId::NONE; 4], |row| {
            [ops.input_dims[row], ops.input_types[row], ops.input_strides[row], ops.concrete_inputs[row]]
        });
        let name = self.trace.slices.name[slice.index()];
        let launches = self.launches.number(slice);
        Key { arguments, launches, ..Key::kernel(Class::Operator, name, StringId::NONE) }
    }

    /// The row of an operator. What its arguments leave open, a kernel, the operator around it, its backward function or
    /// the step of the server around it may say.
    pub(super) fn of_operator(&mut self, slice: SliceId, around: Around) -> u32 {
        let mut key = self.key_of(slice);
        let own = self.text(key.name);
        let is_told = |parent: &SliceId| ops::is_told_by(own, self.trace.slice_name(*parent));
        if let Some(parent) = around.parent.filter(is_told) {
            let row = self.of(key);
            if self.is_unanswered(row) {
                key = Key { arguments: self.key_of(parent).arguments, told: Told::Around, ..key };
            }
        }
        let key = self.completed(key, slice, around.kernel);
        let key = self.with_neighbors(key, around);
        self.computed(key, around.computed)
    }

    /// The row of a backward function, if its forward operator tells what it must do.
    pub(super) fn of_backward(&mut self, slice: SliceId, around: Around) -> Option<u32> {
        if !self.trace.slice_name(slice).starts_with(EVALUATION) {
            return None;
        }
        let number = self.trace.ops.sequence_number[self.operator(slice)?].get()?;
        let forward = self.autograd().forward(number)?;
        let name = self.trace.slices.name[slice.index()];
        let forward = self.key_of(forward);
        let key = self.with_gradient(Key { name, of: forward.name, ..forward }, number, forward.name);
        Some(self.computed(key, around.computed))
    }

    /// Whether the forward operator of a backward function tells what it must do.
    pub(super) fn tells_backward(&mut self, slice: SliceId, around: Around) -> bool {
        self.of_backward(slice, around).is_some_and(|row| !self.is_unanswered(row))
    }

    /// The row with a key, or of the same computed in what a kernel says, if the operator leaves that open.
    fn computed(&mut self, key: Key, computed: Option<Arithmetic>) -> u32 {
        let row = self.of(key);
        match (&self.rows[row as usize].load, computed) {
            (Ok(load), Some(arithmetic)) if kernel_decides(load, arithmetic) => {
                self.of(Key { computed, ..key })
            }
            _ => row,
        }
    }

    fn autograd(&mut self) -> &Autograd {
        let (made, trace) = (self.autograd.take(), self.trace);
        let found = made.unwrap_or_else(|| {
            let has_backward = |name| self.formula(name).is_some_and(|found| found.backward().is_some());
            Autograd::of(trace, has_backward)
        });
        self.autograd.insert(found)
    }

    /// The key with the gradients that the backward function was given, if these help.
    fn with_gradient(&mut self, key: Key, number: i64, operator: StringId) -> Key {
        let row = self.of(key);
        let sure = self.sure(row);
        if sure == Sure::Known {
            return key;
        }
        let (trace, operator) = (self.trace, self.text(operator));
        let Some(gradient) = self.autograd().gradient(trace, number, operator) else { return key };
        let hinted = Key { gradient, ..key };
        let row = self.of(hinted);
        if self.sure(row) > sure { hinted } else { key }
    }

    /// The key with the result that the operators around and behind it agree on, if these help.
    fn with_neighbors(&mut self, key: Key, around: Around) -> Key {
        let row = self.of(key);
        if !self.is_unanswered(row) || !neighbors::TOLD.contains(&self.text(key.name)) {
            return key;
        }
        let (Some(parent), Some(next)) = (around.parent, around.next) else { return key };
        let [parent, next] = [parent, next].map(|slice| self.key_of(slice).arguments);
        let text = |[dims, types, ..]: [StringId; 4]| [self.text(dims), self.text(types)];
        if !neighbors::agree(text(parent), text(next)) {
            return key;
        }
        let hinted = Key { gradient: [next[0], next[1]], told: Told::Neighbors, ..key };
        let row = self.of(hinted);
        if self.is_unanswered(row) { key } else { hinted }
    }

    /// The key with what its arguments leave open.
    fn completed(&mut self, key: Key, slice: SliceId, kernel: StringId) -> Key {
        let row = self.of(key);
        let sure = self.sure(row);
        if sure == Sure::Known || self.formula(key.name).is_none() {
            return key;
        }
        let trace = self.trace;
        let types = key.arguments[1];
        let mut key = key;
        let has_list =
            *self.has_list.entry(types).or_insert_with(|| trace.strings.get(types).contains("TensorList"));
        if sure == Sure::Unanswered && has_list {
            key.element = *self.elements.entry(kernel).or_insert_with(|| {
                ops::element_type_of_kernel(trace.strings.get(kernel)).map(|precision| precision.name)
            });
        } else if sure == Sure::Unanswered {
            let steps = self.steps.get_or_insert_with(|| Steps::of(trace));
            if let Some(step) = steps.around(trace, slice) {
                key.step = step;
            }
        }
        let recorded = self.operator(slice).and_then(|row| trace.ops.sequence_number[row].get());
        match recorded.or_else(|| self.autograd().number(slice)) {
            Some(number) => self.with_gradient(key, number, key.name),
            None => key,
        }
    }

    /// The row of calls that were matched to those of another.
    pub(super) fn matched(&mut self, row: u32, by: MatchedBy) -> u32 {
        self.of(Key { class: Class::Matched, matched: Some(by), ..self.rows[row as usize].key })
    }

    /// The row of calls in a replay that the row would be of, had they been launched one by one.
    pub(super) fn captured(&mut self, row: u32, by: MatchedBy) -> u32 {
        match self.rows[row as usize].key {
            key @ Key { class: Class::Operator, .. } => {
                self.of(Key { class: Class::Captured, matched: Some(by), ..key })
            }
            _ => row,
        }
    }

    /// The class of a row.
    pub(super) fn class(&self, row: u32) -> Class {
        self.rows[row as usize].key.class
    }

    /// The row with a key.
    pub(super) fn of(&mut self, key: Key) -> u32 {
        if let Some(&row) = self.by_key.get(&key) {
            return row;
        }
        let (category, load) = self.evaluate(&key);
        self.rows.push(Row { key, category, load });
        let row = (self.rows.len() - 1) as u32;
        self.by_key.insert(key, row);
        row
    }

    fn evaluate(&mut self, key: &Key) -> (&'static str, Result<Load, String>) {
        let launched_by = self.trace.strings.get(key.of);
        if let Some(bytes) = key.bytes {
            return ("copy", copied(self.text(key.name), bytes as f64));
        }
        match key.class {
            Class::Communication => {
                return (
                    Class::Communication.id(),
                    Err("communication is not compared with memory".to_owned()),
                );
            }
            Class::Framework => {
                return (Class::Framework.id(), Err(FRAMEWORK.to_owned()));
            }
            Class::Replay => {
                let reason =
                    format!("{launched_by} replays a graph: the captured operators are not recorded");
                return (Class::Replay.id(), Err(reason));
            }
            Class::Unattributed => {
                let name = self.trace.strings.get(key.name);
                if let Some(load) = filled(name, key.launch) {
                    return ("movement", Ok(load));
                }
                return (Class::Unattributed.id(), Err(why_unattributed(self.trace, name, launched_by)));
            }
            // Which type of operations bounds it depends on the device.
            Class::Kernel => {
                return (Class::Kernel.id(), Err("not compared with a device".to_owned()));
            }
            Class::Captured | Class::Matched | Class::Operator => {}
        }
        let is_backward = key.of != StringId::NONE;
        if is_backward && self.is_generated(key.name) {
            return (
                "triton",
                Err(format!("its arguments were not recorded; it is part of `{launched_by}`")),
            );
        }
        let name = if is_backward { key.of } else { key.name };
        let Some(found) = self.formula(name) else {
            return (OTHER, Err("no formula for this operator".to_owned()));
        };
        let category = match found {
            Found::Ours { formula, .. } => formula.category,
            Found::Script => "script",
        };
        // A wrapper that launches kernels next to those of operators inside it does its own work with them. The time of a
        // thread between such operators is no work.
        let is_wrapper = matches!(found, Found::Ours { is_wrapper: true, .. });
        let says_too_much = key.partly && (!is_wrapper || self.trace.gpu.is_empty());
        let load = self.load(key, name, found, is_backward).and_then(|load| {
            if says_too_much {
                return Err(OWNED_INSIDE.to_owned());
            }
            Ok(load)
        });
        let computed = |load: Load| Load { arithmetic: key.computed.or(load.arithmetic), ..load };
        (category, load.map(computed))
    }

    fn load(&self, key: &Key, name: StringId, found: Found, is_backward: bool) -> Result<Load, String> {
        let [dims, types, strides, concrete] = key.arguments.map(|text| self.text(text));
        // What the operator around it was given is not its own stack.
        let own = if key.told == Told::Around { "" } else { self.text(name) };
        let call = ops::Call::parse(own, dims, types, strides, concrete)?;
        let call = ops::Call { name: self.text(name), ..call };
        let launches = self.launches.list(self.trace, key.launches);
        let call = ops::Call { step: Step::parse(self.text(key.step)), launches, ..call };
        let call = match key.element.and_then(|name| name.parse().ok()) {
            Some(element) => call.with_list_precision(element),
            None => call,
        };
        let [shapes, types] = key.gradient.map(|text| self.text(text));
        let gradients = ops::Call::parse("", shapes, types, "", "").ok();
        let output = gradients.and_then(|call| call.tensors().next().cloned());
        let call = ops::Call { output, ..call };
        match (found, self.script) {
            (Found::Script, Some(script)) if !is_backward => scripted(script, &call),
            (Found::Ours { formula, .. }, _) if !is_backward => {
                (formula.work)(&call).map(|work| Load::from(&work))
            }
            _ => {
                let rule = found.backward().ok_or("no formula for its backward")?;
                rule(&call).map(|work| Load::from(&work))
            }
        }
    }

    fn text(&self, text: StringId) -> &'a str {
        self.trace.strings.get(text)
    }
}
