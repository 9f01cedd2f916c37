//! What stacks tell: the line of the program, the operator, the module, the part of the step.

use std::rc::Rc;

use eaves_model::{MaybeU32, Trace};
use hashbrown::HashMap;

/// Frames of one stack that are told; recursion makes longer ones, which tell nothing new.
const MOST_FRAMES: usize = 40;

/// Operators that do nothing but allocate for the one around them, without what follows the underscore.
const ALLOCATORS: [&str; 6] = ["empty", "empty_like", "empty_strided", "new_empty", "resize_", "set_"];

/// What a stack says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// The innermost line that is not of a library: `model.py:12 forward`.
    pub(super) place: Option<String>,
    pub(super) operator: Option<String>,
    pub(super) module: Option<String>,
    /// Forward, backward, optimizer, or what else it was doing.
    pub(super) phase: &'static str,
    /// All lines of Python, innermost first.
    pub(super) lines: String,
}

/// A frame as what it is.
enum Frame<'a> {
    Python {
        file: &'a str,
        line: i64,
        function: &'a str,
    },
    /// A call of a module of the model, by its name.
    Module(&'a str),
    /// A function of Python that is not written in Python.
    BuiltIn(&'a str),
    Native(&'a str),
}

/// Looks at stacks, at each once.
pub(super) struct Names<'a> {
    trace: &'a Trace,
    known: HashMap<MaybeU32, Rc<Said>, foldhash::fast::FixedState>,
}

impl<'a> Names<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        Self { trace, known: HashMap::default() }
    }

    /// The text of a category.
    pub(super) fn text(&self, id: eaves_model::StringId) -> &'a str {
        self.trace.strings.get(id)
    }

    /// What a stack says.
    pub(super) fn of(&mut self, stack: MaybeU32) -> Rc<Said> {
        if let Some(known) = self.known.get(&stack) {
            return Rc::clone(known);
        }
        let frames: Vec<Frame<'_>> =
            self.trace.snapshot.frames_of(stack).map(|row| frame(self.trace, row)).collect();
        let said = Rc::new(said(&frames));
        self.known.insert(stack, Rc::clone(&said));
        said
    }
}

fn frame(trace: &Trace, row: usize) -> Frame<'_> {
    let frames = &trace.snapshot.frames;
    let (name, file) = (trace.strings.get(frames.name[row]), trace.strings.get(frames.file[row]));
    if let Some(module) = name.strip_prefix("nn.Module: ") {
        return Frame::Module(module);
    }
    if let Some(function) = name.strip_prefix("<built-in ") {
        // `<built-in function linear>`, `<built-in method randn of type object at 0x7f>`
        let function = function.trim_start_matches("function ").trim_start_matches("method ");
        return Frame::BuiltIn(function.split([' ', '>']).next().unwrap_or(function));
    }
    if let Some((file, line, function)) = line_of(name) {
        return Frame::Python { file, line, function };
    }
    let is_python = file.ends_with(".py") || file.starts_with('<');
    if is_python {
        Frame::Python { file, line: frames.line[row], function: name }
    } else {
        Frame::Native(name)
    }
}

/// File, line and function of a frame as a profile writes it, all in its name: `model.py(12): forward`.
pub(in super::super) fn line_of(name: &str) -> Option<(&str, i64, &str)> {
    let (place, function) = name.split_once("): ")?;
    let (file, line) = place.rsplit_once('(')?;
    Some((file, line.parse().ok()?, function))
}

/// True for files that are not the program's own.
pub(in super::super) fn is_library(file: &str) -> bool {
    let parts = ["site-packages/", "dist-packages/", "/torch/", "/lib/python3"];
    file.starts_with('<') || file.starts_with("torch/") || parts.iter().any(|part| file.contains(part))
}

/// The end of a path: its last two parts tell files apart, and more does not fit.
pub(in super::super) fn short(file: &str) -> &str {
    let mut parts = file.rmatch_indices('/');
    parts.nth(1).map_or(file, |(at, _)| &file[at + 1..])
}

fn said(frames: &[Frame<'_>]) -> Said {
    let python = || {
        frames.iter().filter_map(|frame| match *frame {
            Frame::Python { file, line, function } => Some((file, line, function)),
            _ => None,
        })
    };
    let shown = |(file, line, function): (&str, i64, &str)| format!("{}:{line} {function}", short(file));
    let own = python().find(|(file, ..)| !is_library(file));
    let place = own.or_else(|| python().next()).map(shown).or_else(|| backward(frames));
    let module = module(frames);
    let phase = phase(frames, module.is_some());
    let lines: Vec<String> = python().take(MOST_FRAMES).map(shown).collect();
    Said { place, operator: operator(frames), module, phase, lines: lines.join(" < ") }
}

/// The function of the backward pass on a stack without Python: the engine has threads of its own.
fn backward(frames: &[Frame<'_>]) -> Option<String> {
    frames.iter().find_map(|frame| match *frame {
        // `torch::autograd::generated::MmBackward0::apply(...)`, `...::MulBackward0_apply_functional(...)`
        Frame::Native(name) => {
            let part = name.split("::").find(|part| part.contains("Backward"))?;
            let end = part.find("Backward")? + "Backward".len();
            let digits = part[end..].bytes().take_while(u8::is_ascii_digit).count();
            Some(format!("{} (backward)", &part[..end + digits]))
        }
        _ => None,
    })
}

/// The innermost operator that does more than allocate.
fn operator(frames: &[Frame<'_>]) -> Option<String> {
    let named = frames.iter().filter_map(|frame| match *frame {
        // `at::_ops::mm::call(at::Tensor const&, ...)`
        Frame::Native(name) => {
            let rest = &name[name.find("at::_ops::")? + "at::_ops::".len()..];
            let (operator, _) = rest.split_once("::")?;
            let is_allocator = ALLOCATORS.iter().any(|allocator| {
                let rest = operator.strip_prefix(allocator);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_') || allocator.ends_with('_'))
            });
            (!is_allocator).then(|| format!("aten::{operator}"))
        }
        Frame::BuiltIn(name) => Some(name.to_owned()),
        _ => None,
    });
    let mut named = named;
    named.next()
}

/// The innermost module: by its name, or by the file of its `forward` and the line that called it.
fn module(frames: &[Frame<'_>]) -> Option<String> {
    let named = frames.iter().find_map(|frame| match *frame {
        Frame::Module(name) => Some(name.to_owned()),
        _ => None,
    });
    if named.is_some() {
        return named;
    }
    let python: Vec<(&str, i64, &str)> = frames
        .iter()
        .filter_map(|frame| match *frame {
            Frame::Python { file, line, function } => Some((file, line, function)),
            _ => None,
        })
        .collect();
    let is_call = |(file, _, function): &(&str, i64, &str)| {
        file.ends_with("nn/modules/module.py") && function.ends_with("_call_impl")
    };
    let at = (1..python.len()).find(|&at| is_call(&python[at]) && !is_call(&python[at - 1]))?;
    let (file, _, function) = python[at - 1];
    let caller = python[at..].iter().find(|frame| !is_call(frame));
    let caller = caller.map(|&(file, line, _)| format!(", called at {}:{line}", short(file)));
    Some(format!("{} {function}{}", short(file), caller.unwrap_or_default()))
}

/// What the program was doing.
fn phase(frames: &[Frame<'_>], in_module: bool) -> &'static str {
    let any = |is: &dyn Fn(&Frame<'_>) -> bool| frames.iter().any(is);
    if any(&|frame| match frame {
        Frame::Python { function, .. } => function.contains("run_backward"),
        Frame::BuiltIn(name) => name.contains("run_backward"),
        Frame::Native(name) => name.contains("autograd::Engine::"),
        Frame::Module(_) => false,
    }) {
        return "backward";
    }
    let in_file = |part: &'static str| {
        any(&move |frame| matches!(frame, Frame::Python { file, .. } if file.contains(part)))
    };
    if in_file("torch/optim/") {
        "optimizer"
    } else if in_module {
        "forward"
    } else if in_file("torch/utils/data/") {
        "data loading"
    } else {
        "other"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(file: &'static str, line: i64, function: &'static str) -> Frame<'static> {
        Frame::Python { file, line, function }
    }

    const CALL: &str = "/usr/lib/python3/dist-packages/torch/nn/modules/module.py";

    #[test]
    fn a_stack_tells_line_operator_module_and_phase() {
        let frames = [
            Frame::Native("torch::unwind::unwind()"),
            Frame::Native("at::_ops::empty_memory_format::redispatch(c10::DispatchKeySet)"),
            Frame::Native("at::_ops::mm::call(at::Tensor const&, at::Tensor const&)"),
            Frame::Native("at::_ops::linear::call(at::Tensor const&)"),
            python("/usr/lib/python3/dist-packages/torch/nn/modules/linear.py", 125, "forward"),
            python(CALL, 1780, "_call_impl"),
            python(CALL, 1771, "_wrapped_call_impl"),
            python("/srv/me/net/model.py", 41, "forward"),
            python(CALL, 1780, "_call_impl"),
            python("/srv/me/train.py", 9, "<module>"),
        ];
        let said = said(&frames);
        assert_eq!(said.place.as_deref(), Some("net/model.py:41 forward"));
        assert_eq!(said.operator.as_deref(), Some("aten::mm"));
        assert_eq!(said.module.as_deref(), Some("modules/linear.py forward, called at net/model.py:41"));
        assert_eq!(said.phase, "forward");
        assert!(
            said.lines.starts_with("modules/linear.py:125 forward < modules/module.py:1780 _call_impl < ")
        );
    }

    #[test]
    fn backward_and_optimizer_are_told_by_the_files() {
        let backward = [
            Frame::Native(
                "torch::autograd::Engine::evaluate_function(std::shared_ptr<torch::autograd::GraphTask>&)",
            ),
            python("train.py", 3, "main"),
        ];
        assert_eq!(said(&backward).phase, "backward");
        assert_eq!(said(&backward).module, None);
        let optimizer =
            [python("/x/site-packages/torch/optim/adamw.py", 7, "step"), python("train.py", 4, "main")];
        assert_eq!(said(&optimizer).phase, "optimizer");
        assert_eq!(said(&optimizer).place.as_deref(), Some("train.py:4 main"));
        let engine = [
            Frame::Native("at::_ops::mm::call()"),
            Frame::Native("torch::autograd::generated::MmBackward0_apply_functional(std::vector<int>)"),
        ];
        assert_eq!(said(&engine).place.as_deref(), Some("MmBackward0 (backward)"));
        assert_eq!(said(&[]), Said { phase: "other", ..Said::default() });
    }
}
