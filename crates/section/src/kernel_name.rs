//! Kernel names for tables that put several into one cell.

/// The name without return type, namespaces, templates and arguments. Of kernels that apply something to every
/// element, what they apply is added, for it says more than their name.
pub fn short_kernel_name(name: &str) -> String {
    let plain = name.strip_prefix("void ").unwrap_or(name);
    if !plain.contains(['<', '(']) || is_plain_text(plain) {
        return cut(last_segment(plain));
    }
    // `(anonymous namespace)::f<...>(...)`: its bracket is not an argument list.
    let plain = plain.replace("(anonymous namespace)::", "");
    let end = plain.find(['<', '(']).unwrap_or(plain.len());
    let base = last_segment(&plain[..end]);
    if base.is_empty() {
        return cut(&plain);
    }
    match APPLIERS.iter().any(|applier| base.contains(applier)).then(|| applied(&plain[end..])).flatten() {
        Some(function) => cut(&format!("{base}<{function}>")),
        None => cut(base),
    }
}

/// The part of a name before templates and arguments: return type, namespaces and function. Whole if it has neither.
pub fn function_path(name: &str) -> &str {
    const ANONYMOUS: &str = "(anonymous namespace)";
    let mut at = 0;
    while let Some(bracket) = name[at..].find(['<', '(']).map(|found| at + found) {
        if !name[bracket..].starts_with(ANONYMOUS) {
            return &name[..bracket];
        }
        at = bracket + ANONYMOUS.len();
    }
    name
}

/// Kernels that apply a function to every element.
const APPLIERS: [&str; 3] = ["elementwise_kernel", "reduce_kernel", "multi_tensor_apply_kernel"];

/// What stands between such a kernel and its function, whatever the function is.
const WRAPPERS: [&str; 12] = [
    "AUnaryFunctor",
    "Array",
    "BUnaryFunctor",
    "BinaryFunctor",
    "FusedOptimizerTensorListMetadata",
    "ReduceOp",
    "TensorListMetadata",
    "TensorListScalarListMetadata",
    "func_wrapper_t",
    "gpu_kernel_impl",
    "gpu_kernel_impl_nocast",
    "opmath_gpu_kernel_with_scalars",
];

/// The first name in a list of template arguments that is a function and no wrapper, number or type.
fn applied(arguments: &str) -> Option<&str> {
    let is_function = |word: &&str| {
        let leads = word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
        leads && word.len() > "unsigned".len() && !WRAPPERS.contains(word)
    };
    arguments.split(['<', '>', ',', '(', ')', '{', '}', ' ', '&', '*']).map(last_segment).find(is_function)
}

/// What stands behind the last `::`.
fn last_segment(path: &str) -> &str {
    path.trim().rsplit("::").find(|segment| !segment.is_empty()).unwrap_or(path).trim()
}

/// `Memcpy DtoH (Device -> Pageable)` is no call.
fn is_plain_text(name: &str) -> bool {
    name.contains(" (")
}

/// The longest name in a cell of several.
const LETTERS: usize = 56;

fn cut(name: &str) -> String {
    match name.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_ends_where_templates_and_arguments_begin() {
        for (name, path) in [
            ("void a::f<(b)1, c>(d*)", "void a::f"),
            ("void (anonymous namespace)::f<int>(g*)", "void (anonymous namespace)::f"),
            (
                "a::(anonymous namespace)::(anonymous namespace)::f",
                "a::(anonymous namespace)::(anonymous namespace)::f",
            ),
            ("f(int)", "f"),
            ("(anonymous namespace)", "(anonymous namespace)"),
            ("nccl:send 0->1", "nccl:send 0->1"),
            ("", ""),
        ] {
            assert_eq!(function_path(name), path);
        }
    }

    #[test]
    fn what_tells_kernels_apart_stays() {
        let cases = [
            ("ampere_sgemm_32x128_tn", "ampere_sgemm_32x128_tn"),
            ("Memcpy DtoH (Device -> Pageable)", "Memcpy DtoH (Device -> Pageable)"),
            ("Memset (Device)", "Memset (Device)"),
            ("void cub::DeviceScanKernel<int, 3>(int*, int)", "DeviceScanKernel"),
            (
                "void at::native::(anonymous namespace)::max_pool_forward_nchw<float, float>(int, float const*)",
                "max_pool_forward_nchw",
            ),
            (
                "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, \
                 at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>)",
                "vectorized_elementwise_kernel<CUDAFunctor_add>",
            ),
            (
                "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::\
                 direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}>(int)",
                "elementwise_kernel<direct_copy_kernel_cuda>",
            ),
            (
                "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::func_wrapper_t<\
                 float, at::native::sum_functor<float, float, float>>>>(int)",
                "reduce_kernel<sum_functor>",
            ),
            ("<unnamed>", "<unnamed>"),
            ("", ""),
        ];
        for (name, expected) in cases {
            assert_eq!(short_kernel_name(name), expected);
        }
        let long = "x".repeat(200);
        assert_eq!(short_kernel_name(&long).len(), LETTERS + 3);
    }
}
