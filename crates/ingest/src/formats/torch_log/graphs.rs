//! What graphs hold and what code launches: the two sides of a fusion ratio.

use super::records::lines;

/// Operators that need no kernel: they say how memory is looked at, or what is known of a shape.
const WITHOUT_KERNEL: &[&[u8]] = &[
    // tidy-alphabetical-start
    b"_assert_async",
    b"_assert_scalar",
    b"_reshape_alias",
    b"_unsafe_view",
    b"alias",
    b"as_strided",
    b"detach",
    b"diagonal",
    b"expand",
    b"movedim",
    b"permute",
    b"reshape",
    b"select",
    b"slice",
    b"split",
    b"split_with_sizes",
    b"squeeze",
    b"swapaxes",
    b"sym_constrain_range",
    b"sym_constrain_range_for_size",
    b"sym_numel",
    b"sym_size",
    b"sym_storage_offset",
    b"sym_stride",
    b"t",
    b"transpose",
    b"unbind",
    b"unfold",
    b"unsqueeze",
    b"view",
    b"view_as_complex",
    b"view_as_real",
    // tidy-alphabetical-end
];

/// Calls of operators in a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Operators {
    /// Those that compute.
    pub(super) computing: u32,
    /// Those without a kernel.
    pub(super) views: u32,
}

/// Counts `name = torch.ops.library.operator.overload(...)`.
pub(super) fn operators(payload: &[u8]) -> Operators {
    const CALL: &[u8] = b"= torch.ops.";
    let finder = memchr::memmem::Finder::new(CALL);
    let mut found = Operators::default();
    for line in lines(payload) {
        let Some(at) = finder.find(line) else { continue };
        // A comment quotes the user's code.
        if line.trim_ascii_start().starts_with(b"#") {
            continue;
        }
        let called = &line[at + CALL.len()..];
        let Some(end) = called.iter().position(|byte| !is_name(*byte) && *byte != b'.') else { continue };
        if called[end] != b'(' {
            continue;
        }
        let operator = called[..end].split(|byte| *byte == b'.').nth(1).unwrap_or_default();
        if WITHOUT_KERNEL.contains(&operator) {
            found.views += 1;
        } else {
            found.computing += 1;
        }
    }
    found
}

/// What the code of a graph launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Launches {
    /// Generated kernels.
    pub(super) generated: u32,
    /// Libraries and the user's own kernels.
    pub(super) external: u32,
    /// Operators called as eager mode would.
    pub(super) fallback: u32,
    /// Kernels that are defined.
    pub(super) kernels: u32,
    /// True if there is a function that launches.
    pub(super) has_call: bool,
    /// What the code says of itself: `0_forward`.
    pub(super) direction: Direction,
}

/// Which way the graph goes, as the code says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
    Inference,
    #[default]
    Unknown,
}

/// Counts launches in the functions that run the graph: `call`, and the parts that it is cut into.
pub(super) fn launches(payload: &[u8]) -> Launches {
    let mut found = Launches::default();
    // Indentation of the function that is gone through.
    let mut inside: Option<usize> = None;
    for line in lines(payload) {
        let content = line.trim_ascii_start();
        if content.is_empty() {
            continue;
        }
        let indentation = line.len() - content.len();
        if inside.is_some_and(|outer| indentation <= outer) {
            inside = None;
        }
        if let Some(function) = content.strip_prefix(b"def ") {
            if inside.is_none() && runs_graph(function) {
                inside = Some(indentation);
                found.has_call = true;
            }
        } else if inside.is_some() {
            launch(content, &mut found);
        } else if indentation == 0 {
            definition(content, &mut found);
        }
    }
    found
}

fn runs_graph(function: &[u8]) -> bool {
    function.starts_with(b"call(")
        || function.starts_with(b"partition_")
        || function.starts_with(b"subgraph_")
        || function.starts_with(b"call_")
}

fn definition(content: &[u8], found: &mut Launches) {
    if let Some(id) = content.strip_prefix(b"# AOT ID: ") {
        let names: [(&[u8], Direction); 3] = [
            (b"_forward'", Direction::Forward),
            (b"_backward'", Direction::Backward),
            (b"_inference'", Direction::Inference),
        ];
        let direction = names.iter().find(|(name, _)| memchr::memmem::find(id, name).is_some());
        found.direction = direction.map_or(Direction::Unknown, |(_, direction)| *direction);
    } else if let Some((name, value)) = assignment(content) {
        let defines = [&b"async_compile.triton("[..], b"async_compile.cpp_pybinding(", b"async_compile.cpp("];
        let is_kernel = name.starts_with(b"triton_") || name.starts_with(b"cpp_");
        found.kernels += u32::from(is_kernel && defines.iter().any(|start| value.starts_with(start)));
    }
}

/// One line of a function that runs the graph.
fn launch(content: &[u8], found: &mut Launches) {
    let called = assignment(content).map_or(content, |(_, value)| value);
    let name_length = called.iter().position(|byte| !is_name(*byte)).unwrap_or(called.len());
    let (name, rest) = called.split_at(name_length);
    let is_run = rest.starts_with(b".run(");
    if name == b"extern_kernels" && rest.starts_with(b".") {
        found.external += 1;
    } else if name.starts_with(b"triton_") || name.starts_with(b"cpp_") || name.starts_with(b"multi_kernel_")
    {
        found.generated += u32::from(is_run || rest.starts_with(b"("));
    } else if is_run {
        // A Triton kernel that the user wrote.
        found.external += 1;
    } else if name == b"aten" || name == b"torch" && rest.starts_with(b".ops.") {
        found.fallback += u32::from(is_call(rest));
    }
}

/// `.ops.library.operator.overload(`
fn is_call(rest: &[u8]) -> bool {
    rest.starts_with(b".") && rest.iter().find(|byte| !is_name(**byte) && **byte != b'.') == Some(&b'(')
}

/// `name = value`
fn assignment(content: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = content.iter().position(|byte| !is_name(*byte))?;
    let value = content[length..].strip_prefix(b" = ")?;
    (length > 0).then_some((&content[..length], value))
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_told_from_views_and_comments() {
        let graph = b"\tclass GraphModule(torch.nn.Module):
\t    def forward(self, a: \"f32[4]\"):
\t        # File: x.py:3 in f, code: y = torch.ops.aten.sin(x)
\t        t: \"f32[4]\" = torch.ops.aten.permute.default(a, [1, 0])
\t        mm: \"f32[4]\" = torch.ops.aten.mm.default(a, t);  a = t = None
\t        two = torch.ops.aten.var_mean.correction(mm, [1])
\t        one = two[0];  two = None
\t        size = torch.ops.aten.sym_size.int(mm, 0)
\t        own = torch.ops.mylib.op.default(one)
\t        return (own,)";
        assert_eq!(operators(graph), Operators { computing: 3, views: 2 });
    }

    #[test]
    fn launches_are_those_of_the_functions_that_run() {
        let code = b"\t# AOT ID: ['3_backward']
\timport torch
\tcpp_fused_0 = async_compile.cpp_pybinding(['const float*'], '''
\textern \"C\" void kernel() { cpp_fused_9(1); }
\t''')
\ttriton_poi_1 = async_compile.triton('triton_poi_1', '''
\tdef triton_poi_1(in_ptr0):
\t    triton_helpers.maximum(a, b)
\t''', device_str='cuda')
\tdef partition_0(args):
\t    triton_poi_1.run(buf0, 4, stream=stream0)
\tclass Runner:
\t    def call(self, args):
\t        a, b = args
\t        # Topologically Sorted Source Nodes: [linear]
\t        extern_kernels.addmm(a, b, out=buf0)

\t        buf1 = extern_kernels.convolution(a, b)
\t        buf2 = empty_strided_cpu((16, 1), (1, 16), torch.float32)
\t        cpp_fused_0(buf2, buf0)
\t        add_kernel_0.run(a, b, grid=(1,), stream=stream0)
\t        buf3 = torch.ops.aten.sort.default(buf2)
\t        return (buf3, )
\trunner = Runner(partitions=[])
\tdef benchmark_compiled_module(args):
\t    cpp_fused_0(1)";
        let found = launches(code);
        assert_eq!(found.direction, Direction::Backward);
        let counts = (found.generated, found.external, found.fallback, found.kernels, found.has_call);
        assert_eq!(counts, (2, 3, 1, 2, true));
    }

    #[test]
    fn code_of_another_language_has_no_call() {
        let found = launches(b"\t#include <torch/csrc/inductor/aoti_runtime/interface.h>\n\tint main() {}");
        assert!(!found.has_call);
    }
}
