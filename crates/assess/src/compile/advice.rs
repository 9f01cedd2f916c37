//! What we would do about a graph break, by PyTorch's number of it. PyTorch's own hints are quoted elsewhere.

/// A line for each kind that is met often. Numbers are those of `torch/_dynamo/graph_break_registry.json`.
const BY_KIND: &[(u32, &str)] = &[
    (3, "return a list, or exhaust the generator inside the compiled function"),
    (7, CALL_OUTSIDE),
    (8, CALL_OUTSIDE),
    (9, CALL_OUTSIDE),
    (14, "compile around the RNN, or set torch._dynamo.config.allow_rnn = True"),
    (25, "remove the torch._dynamo.graph_break() call once it is no longer needed"),
    (29, "register the hook outside, or enable compiled autograd"),
    (33, KEEP_TENSOR),
    (34, "use torch._assert_async, or torch._check on sizes, instead of assert on values"),
    (35, BRANCH),
    (36, DYNAMIC_OUTPUT),
    (37, DYNAMIC_OUTPUT),
    (39, "see the recompilations: a guard keeps failing, and the rest runs uncompiled"),
    (46, "use torch.no_grad() instead of inference mode, or enter it outside"),
    (52, "split the function into smaller ones; see the restarts"),
    (59, "make this call before or after the compiled function, or express it with tensor operations"),
    (65, "fix the graph break inside the called function, which causes this one"),
    (66, "enter the context manager outside the compiled function"),
    (72, "work on a copy, or change the input outside the compiled function"),
    (75, "define the class at the top of its file"),
    (82, "simplify the statement, or move it outside"),
    (83, "register the hook outside, or enable compiled autograd"),
    (86, "pass the value as a constant, not as a tensor"),
    (88, "call the raising function outside, or check for the cause first"),
    (89, "call the raising function outside, or check for the cause first"),
    (90, REGISTER),
    (92, "return tensors and plain containers of them; create other objects outside"),
    (98, "compile around it: it is deliberately disabled, and each call splits the graph"),
    (99, "compile around it: it is deliberately disabled, and each call splits the graph"),
    (105, NUMPY),
    (106, NUMPY),
    (109, KEEP_TENSOR),
    (123, "call backward outside the compiled function"),
    (124, KEEP_TENSOR),
    (126, "create a new tensor instead of resizing one"),
    (142, "enter the context manager outside the compiled function"),
    (147, CALL_OUTSIDE),
    (151, "inspect signatures and frames outside the compiled function"),
    (156, "express the method call with tensor operations, or make it outside"),
    (157, NUMPY),
    (158, NUMPY),
    (170, BRANCH),
    (171, "use a plain string as the assert message"),
    (172, "use functional collectives, or wait outside the compiled function"),
    (177, REGISTER),
    (179, "copy outside the compiled function; use clone() for tensors"),
    (191, "do not let results depend on id() of objects"),
    (207, "sort outside, or with torch.sort on tensors"),
    (212, "profile around the compiled function, not inside"),
    (213, "replace the builtin by a tensor operation"),
    (219, "see the failures: the compiler backend raised, and this part runs uncompiled"),
    (222, "use a list or a dict instead of a set of tensors"),
    (231, NUMPY),
    (246, "pass num_classes to torch.nn.functional.one_hot"),
    (262, "enter the context manager outside the compiled function"),
    (263, "enter the context manager outside the compiled function"),
    (370, "profile around the compiled function, not inside"),
    (376, "compile around it: it is deliberately disabled, and each call splits the graph"),
    (377, "compile around it: it is deliberately disabled, and each call splits the graph"),
    (3069, REGISTER),
    (4198, "copy outside the compiled function; use clone() for tensors"),
    (7000, "move the breaking code out of the loop: such a break leaves the whole frame uncompiled"),
    (9193, "measure time around the compiled function, not inside"),
];

const PRINT: &str = "remove the output, or guard it with `if not torch.compiler.is_compiling():`";
const BRANCH: &str = "compute both sides and select with torch.where, or use torch.cond; evaluate a condition \
    that is fixed for the run outside and pass it as a bool";
const KEEP_TENSOR: &str = "keep the value in a tensor (torch.where, masks, tensor indices) and read it outside; \
    or set torch._dynamo.config.capture_scalar_outputs = True";
const DYNAMIC_OUTPUT: &str = "use an operation whose result has a fixed shape (masks, torch.where), or set \
                              torch._dynamo.config.capture_dynamic_output_shape_ops = True";
const CALL_OUTSIDE: &str = "call it outside the compiled function, or register it as an operator with \
    torch.library.custom_op";
const REGISTER: &str = "register it as a traceable operator: torch.library.custom_op with register_fake";
const NUMPY: &str = "use the PyTorch operation of the same name instead of NumPy's";

/// What stands in a title or context, for kinds that are not in the list.
const BY_WORD: &[(&[&str], &str)] = &[
    (&["print", "logging", "logger", "warnings.warn"], PRINT),
    (&["numpy", "ndarray"], NUMPY),
    (&["data-dependent", "data dependent", "dynamic control flow", "generic_jump"], BRANCH),
    (&["item()", "tolist"], KEEP_TENSOR),
    (&["assert"], "use torch._assert_async, or torch._check on sizes, instead of assert on values"),
    (&["context manager", "contextlib"], "enter the context manager outside the compiled function"),
    (&["exception", "raise"], "call the raising function outside, or check for the cause first"),
    (&["hook"], "register the hook outside, or enable compiled autograd"),
    (&["generator", "iterator", "next()"], "use a list instead of the iterator"),
    (&["fake tensor", "meta kernel", "not implemented in python", "c/c++"], REGISTER),
    (&["skipped", "unsupported function", "untraceable"], CALL_OUTSIDE),
    (
        &["torch.cond", "torch.while_loop", "torch.scan", "torch.map", "higher order"],
        "pass plain tensors and side-effect-free functions to the higher-order operator",
    ),
];

/// Ours, for a kind of break with its title and context.
pub(super) fn of(kind: Option<u32>, title: &str, context: &str) -> &'static str {
    // One number stands for all builtins, and one of them is met more than all others.
    let prints = kind == Some(59) && context.starts_with("builtin print");
    if prints {
        return PRINT;
    }
    if let Some((_, advice)) = BY_KIND.iter().find(|(known, _)| Some(*known) == kind) {
        return advice;
    }
    let text = format!("{title} {context}").to_lowercase();
    let found = BY_WORD.iter().find(|(words, _)| words.iter().any(|word| text.contains(word)));
    found.map_or(
        "move this line out of the compiled function, or express it with tensor operations",
        |(_, advice)| advice,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_in_order_and_once() {
        assert!(BY_KIND.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn a_break_of_no_known_kind_is_told_by_its_words() {
        assert_eq!(of(Some(59), "Failed to trace builtin operator", "builtin print [] False"), PRINT);
        assert_ne!(of(Some(59), "Failed to trace builtin operator", "builtin input [] False"), PRINT);
        assert_eq!(of(None, "generic_jump TensorVariable()", ""), BRANCH);
        assert_eq!(of(Some(99_999), "Something with numpy", ""), NUMPY);
    }
}
