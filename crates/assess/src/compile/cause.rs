//! Why guards fail, by how PyTorch words them.

/// A cause of recompilations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// Another size of a tensor.
    Size,
    /// Another layout of a tensor.
    Stride,
    /// Another number of dimensions.
    Dimensions,
    /// Another type of the elements.
    Precision,
    /// Another device, or another kind of tensor.
    Device,
    /// Whether gradients are wanted.
    Gradient,
    /// Another value of a number or text that an `nn.Module` holds.
    ModuleValue,
    /// Another value of a number, flag or text.
    Value,
    /// Another type of an object.
    Type,
    /// Another object.
    Identity,
    /// Another length of a list or dict, or other keys.
    Container,
    /// A switch of the whole program.
    GlobalState,
    /// Something else.
    Other,
}

impl Cause {
    /// Tells the cause from the guard as PyTorch prints it.
    pub fn of(guard: &str) -> Self {
        let has = |words: &[&str]| words.iter().any(|word| guard.contains(word));
        if has(&["size mismatch at index", ".size()[", "Eq(s", "Ne(s", "symbolic shape"]) {
            Self::Size
        } else if has(&["stride mismatch", ".stride()[", ".storage_offset()"]) {
            Self::Stride
        } else if has(&["rank mismatch", ".ndim"]) {
            Self::Dimensions
        } else if has(&["dtype mismatch", ".dtype"]) {
            Self::Precision
        } else if has(&["device index mismatch", "dispatch key set mismatch", ".device"]) {
            Self::Device
        } else if has(&["requires_grad mismatch", ".requires_grad"]) {
            Self::Gradient
        } else if has(&[
            "GLOBAL_STATE",
            "grad_mode",
            "___check_global_state",
            "deterministic",
            "torch_function_mode",
            "default_device",
            "autocast",
        ]) {
            Self::GlobalState
        } else if has(&["___check_type_id", "type(", "___check_type"]) {
            Self::Type
        } else if has(&["___check_obj_id", "___check_id_match", " is "]) {
            Self::Identity
        } else if has(&[
            "len(",
            "___dict_contains",
            "dict.keys",
            "___dict_version",
            "keys()",
            "tuple_iterator_len",
            " in ",
        ]) {
            Self::Container
        } else if has(&[" == ", " != "]) {
            if has(&["self", "_modules", "module"]) { Self::ModuleValue } else { Self::Value }
        } else {
            Self::Other
        }
    }

    /// What it is called in tables.
    pub fn id(self) -> &'static str {
        match self {
            Self::Size => "tensor size",
            Self::Stride => "tensor layout",
            Self::Dimensions => "tensor rank",
            Self::Precision => "type of elements",
            Self::Device => "tensor device or type",
            Self::Gradient => "requires_grad",
            Self::ModuleValue => "module attribute",
            Self::Value => "variable value",
            Self::Type => "object type",
            Self::Identity => "another object",
            Self::Container => "length or keys",
            Self::GlobalState => "global state",
            Self::Other => "other",
        }
    }

    /// What to do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Size => {
                "mark the dimension with torch._dynamo.mark_dynamic(tensor, dim), or compile with dynamic=True; \
                pad if there are only a few lengths"
            }
            Self::Stride => "pass tensors with one layout: call .contiguous() first",
            Self::Dimensions => {
                "pass tensors with the same number of dimensions, or compile one function for each"
            }
            Self::Precision => "convert before the call, or compile one function per type",
            Self::Device => "pass tensors of one device and type, or compile one function for each",
            Self::Gradient => "use separate compiled functions for calls with and without gradients",
            Self::ModuleValue => {
                "store changing values in a tensor (register_buffer), or set \
                torch._dynamo.config.allow_unspec_int_on_nn_module = True for integers"
            }
            Self::Value => {
                "pass changing values as tensors; integers become dynamic after their first change, flags and \
                strings do not"
            }
            Self::Type => "always pass the argument with the same type, not an int here and a float there",
            Self::Identity => {
                "reuse the object: a function, module or constant created for each call never matches its guard"
            }
            Self::Container => {
                "keep the length of lists and the keys of dicts fixed, or stack them into a tensor"
            }
            Self::GlobalState => {
                "set gradient mode, autocast and other global switches once, before the first call"
            }
            Self::Other => "find the value the guard checks, and keep it constant or make it a tensor",
        }
    }
}

/// A guard without what differs from run to run: numbers of objects.
pub(super) fn normalised(guard: &str) -> String {
    let mut text = String::with_capacity(guard.len());
    let mut rest = guard;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, digits) = rest.split_at(at);
        let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
        text.push_str(before);
        // Addresses are long; sizes and values are not.
        text.push_str(if end >= 10 { "…" } else { &digits[..end] });
        rest = &digits[end..];
    }
    text.push_str(rest);
    // `expected 8, actual 9`: the sizes of one dimension are one cause.
    match text.split_once(". expected ") {
        Some((before, _)) => before.to_owned(),
        None => text.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards as they stand in logs of PyTorch 2.15 and in its documentation of recompilations.
    #[test]
    fn guards_tell_their_causes() {
        for (guard, cause) in [
            ("tensor 'x' size mismatch at index 0. expected 8, actual 9", Cause::Size),
            ("tensor 'L['x']' stride mismatch at index 0. expected 4, actual 1", Cause::Stride),
            ("tensor 'x' rank mismatch. expected 2, actual 3", Cause::Dimensions),
            ("tensor 'x' dtype mismatch. expected Float, actual Half", Cause::Precision),
            ("tensor 'x' requires_grad mismatch. expected requires_grad=0", Cause::Gradient),
            ("tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU)", Cause::Device),
            ("k == 1", Cause::Value),
            ("L['self'].step == 3", Cause::ModuleValue),
            ("___check_type_id(k, 140332520275168), type=<class 'int'>", Cause::Type),
            ("___check_obj_id(fn, 140439264606080)", Cause::Identity),
            ("len(L['xs']) == 2", Cause::Container),
            ("GLOBAL_STATE changed: grad_mode", Cause::GlobalState),
        ] {
            assert_eq!(Cause::of(guard), cause, "{guard}");
        }
    }

    #[test]
    fn what_differs_from_run_to_run_is_left_out() {
        assert_eq!(normalised("___check_obj_id(fn, 140439264606080)"), "___check_obj_id(fn, …)");
        let size = "tensor 'x' size mismatch at index 0. expected 8, actual 9";
        assert_eq!(normalised(size), "tensor 'x' size mismatch at index 0");
        assert_eq!(normalised("k  == 1"), "k == 1");
    }
}
