//! Logs of `torch.compile` as `TORCH_TRACE` writes them, of any size. Kinds of records, their sizes and their shares are
//! those of logs of PyTorch 2.15: half of the bytes are events of phases, a fifth what caches say of their keys, a tenth
//! metrics with all settings.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Result;

use crate::simulate::random::Random;

/// How much of everything a compilation has.
#[derive(Clone, Copy)]
struct Shape {
    /// Phases inside of the outermost ones.
    phases: usize,
    /// Parts of a key that caches list, each of some hundred letters.
    components: usize,
    /// Settings in the metrics.
    settings: usize,
    /// Operators of a graph.
    operators: usize,
}

const REAL: Shape = Shape { phases: 55, components: 180, settings: 420, operators: 60 };
const SMALL: Shape = Shape { phases: 2, components: 1, settings: 2, operators: 3 };

/// Writes a log of about `size` bytes.
pub(crate) fn write(path: &Path, size: u64) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut log = Log::new();
    let mut written = 0;
    let mut frame = 0;
    while written < size {
        log.frame(frame, REAL);
        written += log.text.len() as u64;
        file.write_all(log.text.as_bytes())?;
        log.text.clear();
        frame += 1;
    }
    file.flush()?;
    Ok(())
}

/// A log of two frames, one of which is compiled twice: a seed of the fuzzer.
pub(super) fn small() -> String {
    let mut log = Log::new();
    log.frame(0, SMALL);
    log.frame(1, SMALL);
    log.text
}

/// What `TORCH_LOGS=graph_breaks,recompiles` prints.
pub(super) const TEXT: &str = "\
V1115 18:56:02.478000 6838 torch/_dynamo/symbolic_convert.py:551] [1/0] [__graph_breaks] Graph break in user code at /srv/train.py:12
V1115 18:56:02.478000 6838 torch/_dynamo/symbolic_convert.py:551] [1/0] [__graph_breaks] Graph Break Reason: Data-dependent branching
V1115 18:56:02.478000 6838 torch/_dynamo/symbolic_convert.py:551] [1/0] [__graph_breaks]   Explanation: Detected a branch.
V1115 18:56:02.478000 6838 torch/_dynamo/symbolic_convert.py:551] [1/0] [__graph_breaks]   Hint: Use `torch.cond`.
V1115 18:56:02.478000 6838 torch/_dynamo/symbolic_convert.py:551] [1/0] [__graph_breaks]  For more details about this graph break, please visit: https://example.org/gb/gb0170.html
[rank1]:V1115 18:56:15.383000 6838 torch/_dynamo/guards.py:6374] [5/1] [__recompiles] Recompiling function f in /srv/train.py:18
[rank1]:V1115 18:56:15.383000 6838 torch/_dynamo/guards.py:6374] [5/1] [__recompiles]     triggered by the following guard failure(s):
[rank1]:V1115 18:56:15.383000 6838 torch/_dynamo/guards.py:6374] [5/1] [__recompiles]     - 5/0: k == 1  # x*k  # train.py:19 in f
";

/// What `torch._dynamo.explain` returns.
pub(super) const EXPLANATION: &str = "\
Graph Count: 2
Graph Break Count: 1
Op Count: 5
Break Reasons:
  Break Reason 1:
    Reason: builtin: print [<class 'ConstantVariable'>] False
    User Stack:
      <FrameSummary file foo.py, line 5 in toy_example>
Ops per Graph:
  Ops 1:
    <built-in function add>
Out Guards:
";

struct Log {
    text: String,
    random: Random,
    /// Microseconds since 1970.
    time: u64,
    files: u32,
}

/// What a record belongs to.
#[derive(Clone, Copy)]
struct At {
    frame: usize,
    compile: usize,
}

impl Log {
    fn new() -> Self {
        let mut log =
            Self { text: String::new(), random: Random::new(11), time: 1_794_768_901_217_440, files: 0 };
        for file in ["/usr/lib/python3/site-packages/torch/_dynamo/eval_frame.py", "/srv/train.py"] {
            let number = log.files;
            log.record(
                "torch/_logging/structured.py:28",
                &format!("\"str\": [\"{file}\", {number}]"),
                None,
                None,
            );
            log.files += 1;
        }
        log
    }

    /// One record: what it is, which compilation it belongs to, and its payload.
    fn record(&mut self, place: &str, subject: &str, at: Option<At>, payload: Option<&str>) {
        let seconds = self.time / 1_000_000 % 60;
        self.text.push_str(&format!(
            "V1115 18:55:{seconds:02}.{:06} 6838 {place}] {{{subject}",
            self.time % 1_000_000
        ));
        if let Some(At { frame, compile }) = at {
            self.text.push_str(&format!(
                ", \"frame_id\": {frame}, \"frame_compile_id\": {compile}, \"attempt\": 0"
            ));
        }
        if let Some(payload) = payload {
            self.text.push_str(&format!(", \"has_payload\": \"{:x}\"", md5::compute(payload)));
        }
        self.text.push_str("}\n");
        for line in payload.into_iter().flat_map(|payload| payload.split('\n')) {
            self.text.push('\t');
            self.text.push_str(line);
            self.text.push('\n');
        }
        self.time += self.random.between(200, 4_000);
    }

    fn artifact(&mut self, name: &str, encoding: &str, at: At, payload: &str) {
        let subject = format!("\"artifact\": {{\"name\": \"{name}\", \"encoding\": \"{encoding}\"}}");
        self.record("torch/_inductor/compile_fx.py:1725", &subject, Some(at), Some(payload));
    }

    fn event(&mut self, edge: &str, name: &str, at: At, argument: &str) {
        let At { frame, compile } = at;
        let payload = format!(
            "{{\n\"name\": \"{name}\",\n\"ts\": {}.2,\n\"args\": {{\n\"compile_id\": \"{frame}/{compile}\"{argument}\n}},\n\
             \"ph\": \"{edge}\",\n\"cat\": \"dynamo_timed\",\n\"tid\": 0,\n\"pid\": 0\n}}",
            self.time
        );
        self.record("torch/_dynamo/utils.py:2473", "\"chromium_event\": {}", Some(at), Some(&payload));
    }

    /// A frame; every fourth is compiled again because a value changed.
    fn frame(&mut self, frame: usize, shape: Shape) {
        self.compile(At { frame, compile: 0 }, shape);
        if frame % 4 == 1 {
            let at = At { frame, compile: 1 };
            let reason = format!(
                "{frame}/0: k == 1                    # y = x * k  # train.py:{} in f{frame}",
                10 + frame
            );
            self.artifact("recompile_reasons", "json", at, &reason);
            self.compile(at, shape);
        }
    }

    fn compile(&mut self, at: At, shape: Shape) {
        let At { frame, compile } = at;
        let line = 10 + frame % 500;
        let begin = self.time;
        self.event("B", "dynamo", at, "");
        self.event("B", "entire_frame_compile", at, ",\n\"fn_name\": \"_compile.compile_inner\"");
        let stack = format!(
            "\"dynamo_start\": {{\"stack\": [{{\"line\": 3, \"name\": \"<module>\", \"filename\": 1, \"loc\": \"main()\"}}, \
             {{\"line\": 563, \"name\": \"__call__\", \"filename\": 0}}, {{\"line\": {line}, \"name\": \"f{frame}\", \"filename\": 1}}]}}"
        );
        self.record("torch/_dynamo/convert_frame.py:309", &stack, Some(at), None);
        for tensor in 0..3 {
            let subject = format!(
                "\"describe_tensor\": {{\"id\": {tensor}, \"ndim\": 2, \"dtype\": \"torch.float32\", \"size\": [128, 64], \
                 \"is_leaf\": true, \"stride\": [64, 1], \"storage\": {tensor}, \"describer_id\": {frame}}}"
            );
            self.record("torch/_subclasses/meta_utils.py:537", &subject, Some(at), None);
        }
        let graph = self.graph(shape, line);
        self.record(
            "torch/_dynamo/output_graph.py:1336",
            "\"dynamo_output_graph\": {\"sizes\": {}}",
            Some(at),
            Some(&graph),
        );
        if frame % 5 == 2 {
            self.artifact("dynamo_graph_break_reason", "string", at, &graph_break(line));
        }
        for phase in 0..shape.phases {
            let name = format!("pass.post_grad_passes.pass_{phase}");
            self.event("B", &name, at, "");
            // Some ends carry what the phase found.
            let argument = if phase % 12 == 5 {
                format!(",\n\"components\": [\n{}\n]", self.components(shape, "\n"))
            } else {
                String::new()
            };
            self.event("E", &name, at, &argument);
        }
        self.artifact("before_post_grad_graph", "string", at, &graph);
        self.artifact("inductor_post_grad_graph", "string", at, &graph);
        self.artifact("fx_graph_runnable", "string", at, &graph);
        let code = self.code(shape, frame);
        self.record(
            "torch/_inductor/graph.py:2000",
            "\"inductor_output_code\": {\"filename\": \"/tmp/c.py\"}",
            Some(at),
            Some(&code),
        );
        let lookup = format!(
            "{{\"key\": \"f{frame}\", \"cache_state\": \"miss\", \"components\": [{}]}}",
            self.components(shape, " ")
        );
        self.artifact("fx_graph_cache_miss", "json", at, &lookup);
        self.artifact(
            "aotautograd_cache_miss",
            "json",
            at,
            "{\"cache_state\": \"miss\", \"components\": []}",
        );
        self.record(
            "torch/_dynamo/guards.py:300",
            "\"dynamo_cpp_guards_str\": {}",
            Some(at),
            Some("TREE_GUARD_MANAGER:\n+- RootGuardManager"),
        );
        self.event("E", "entire_frame_compile", at, "");
        let metrics = self.metrics(at, shape, begin, line);
        self.record("torch/_dynamo/utils.py:2132", &metrics, Some(At { frame, compile }), None);
        self.event("E", "dynamo", at, "");
    }

    fn components(&mut self, shape: Shape, between: &str) -> String {
        let part = |log: &mut Self, index: usize| {
            let hash = log.random.next();
            format!(
                "\"[k{hash:016x}] example_inputs[{index}]: TensorMetadata(dtype=torch.float32, shape=torch.Size([128, 64]), \
                 stride=(64, 1), device=device(type='cpu'), layout=torch.strided, memory_format=torch.contiguous_format, \
                 storage_offset=0, storage_bytes=None, requires_grad=False, is_quantized=False, is_conj=False)\\n\""
            )
        };
        let parts: Vec<String> = (0..shape.components).map(|index| part(self, index)).collect();
        parts.join(&format!(",{between}"))
    }

    fn graph(&mut self, shape: Shape, line: usize) -> String {
        let mut text =
            "class GraphModule(torch.nn.Module):\n    def forward(self, arg0_1: \"f32[128, 64]\"):\n"
                .to_owned();
        text.push_str(&format!("        # File: /srv/train.py:{line} in f, code: return x.sin() + 1\n"));
        for operator in 0..shape.operators {
            let called = ["aten.mul.Tensor", "aten.permute.default", "aten.add.Tensor", "aten.addmm.default"]
                [operator % 4];
            text.push_str(&format!(
                "        op_{operator}: \"f32[128, 64][64, 1]cpu\" = torch.ops.{called}(arg0_1, {});  arg0_1 = None\n",
                self.random.between(1, 9)
            ));
        }
        text.push_str("        return (op_0,)\n        ");
        text
    }

    fn code(&mut self, shape: Shape, frame: usize) -> String {
        let mut text =
            format!("# AOT ID: ['{frame}_inference']\nfrom ctypes import c_void_p\nimport torch\n\n");
        text.push_str("cpp_fused_0 = async_compile.cpp_pybinding(['const float*', 'float*'], r'''\nextern \"C\"  void kernel(const float* in_ptr0)\n{\n");
        for index in 0..shape.operators {
            text.push_str(&format!("    auto tmp{index} = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x1 + {index}L*x0), 8);\n"));
        }
        text.push_str("}\n''')\n\n\nclass Runner:\n    def call(self, args):\n        arg0_1, = args\n");
        for index in 0..=shape.operators / 8 {
            text.push_str(&format!("        extern_kernels.addmm(arg0_1, arg0_1, out=buf{index})\n        cpp_fused_0(arg0_1, buf{index})\n"));
        }
        text.push_str("        return (buf0, )\n\nrunner = Runner(partitions=[])\ncall = runner.call\n");
        text
    }

    fn metrics(&mut self, at: At, shape: Shape, begin: u64, line: usize) -> String {
        let At { frame, compile } = at;
        let total = self.time - begin;
        let settings = |log: &mut Self, name: &str| {
            let settings: Vec<String> = (0..shape.settings)
                .map(|index| {
                    format!("\\\"{name}.setting_of_the_compiler_{index}\\\": {}", log.random.between(0, 99))
                })
                .collect();
            format!("\"{name}\": \"{{{}}}\"", settings.join(", "))
        };
        let (dynamo, inductor) = (settings(self, "dynamo_config"), settings(self, "inductor_config"));
        format!(
            "\"compilation_metrics\": {{\"compile_id\": \"{frame}/{compile}\", \"co_name\": \"f{frame}\", \"co_filename\": \"/srv/train.py\", \
             \"co_firstlineno\": {line}, \"guard_count\": 65, \"graph_op_count\": {}, \"fail_type\": null, \"fail_reason\": null, \
             \"restart_reasons\": [], {dynamo}, \"is_forward\": true, \"start_time_us\": {begin}, \"duration_us\": {total}, \
             \"dynamo_cumulative_compile_time_us\": {total}, \"aot_autograd_cumulative_compile_time_us\": {}, \
             \"inductor_cumulative_compile_time_us\": {}, \"inductor_code_gen_cumulative_compile_time_us\": {}, \
             \"triton_compile_time_us\": {}, {inductor}, \"cudagraph_skip_reason\": null}}",
            shape.operators,
            total * 9 / 10,
            total * 7 / 10,
            total * 6 / 10,
            total * 4 / 10,
        )
    }
}

fn graph_break(line: usize) -> String {
    format!(
        "Graph break in user code at /srv/train.py:{line}\nGraph Break Reason: Encountered graph break when attempting to trace CALL:\n\n\
         Failed to trace builtin operator\n  Explanation: Dynamo does not know how to trace builtin operator `print`\n  \
         Hint: Avoid calling builtin `print`.\n  Hint: Please report an issue to PyTorch.\n\n  Developer debug context: builtin print [] False\n\n \
         For more details about this graph break, please visit: https://example.org/gb/gb0059.html\n\nUser code traceback:\n  \
         File \"/srv/train.py\", line 3, in <module>\n    main()\n  File \"/srv/train.py\", line {line}, in f\n    print(x)\n    ~~~~~^^^\n\n\
         Traceback (most recent call last):\n  File \"/usr/lib/python3/site-packages/torch/_dynamo/exc.py\", line 819, in unimplemented\n    raise"
    )
}
