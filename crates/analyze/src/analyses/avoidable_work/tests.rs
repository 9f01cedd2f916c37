//! Patterns in small traces; times worked out by hand.

use eaves_model::{Ns, SliceKind};

use crate::section::{Finding, Severity};
use crate::test_trace::{TestTrace, run_of, section_of};

/// A host that launches kernels one by one, and a GPU that runs them one after the other.
#[derive(Default)]
struct Program {
    trace: TestTrace,
    host: i64,
    gpu: i64,
    launched: i64,
}

const MUL: &str = "void at::native::vectorized_elementwise_kernel<4, MulFunctor>";
const COPY: &str = "void at::native::unrolled_elementwise_kernel<direct_copy_kernel_cuda, LoadWithCast>";

impl Program {
    /// A kernel of this many nanoseconds inside operators, the outermost first.
    fn run(&mut self, operators: &[&str], kernel: &str, time: i64) -> &mut Self {
        self.launched += 1;
        let (start, end) = (self.host, self.host + 40);
        for (depth, name) in (0..).zip(operators) {
            self.trace.op(name, start + depth, end - depth);
        }
        self.trace.launch(self.launched, start + 15, start + 20);
        self.gpu = self.gpu.max(end);
        self.trace.kernel(kernel, self.launched, self.gpu, self.gpu + time);
        self.gpu += time;
        self.host = end;
        self
    }

    fn findings(self) -> Vec<Finding> {
        section_of(&run_of(vec![self.trace]), "avoidable-work").findings
    }
}

fn gain(finding: &Finding) -> (Ns, Ns) {
    let gain = finding.gain.as_ref().unwrap();
    (gain.low, gain.high)
}

#[test]
fn attention_is_two_products_and_a_softmax() {
    let mut program = Program::default();
    program
        .run(&["aten::mm"], "gemm", 4_000)
        .run(&["aten::matmul", "aten::bmm"], "gemm", 1_000)
        .run(&["aten::div"], MUL, 700)
        .run(&["aten::softmax", "aten::_softmax"], "softmax", 800)
        .run(&["aten::matmul", "aten::bmm"], "gemm", 1_000)
        .run(&["aten::mm"], "gemm", 4_000);
    let found = program.findings();
    assert_eq!((found.len(), found[0].id), (1, "unfused_attention"));
    // 3500 less 80 and 35% of the 2000 of the products.
    assert_eq!(gain(&found[0]), (Ns(1_900), Ns(2_800)));
    assert_eq!(found[0].severity, Severity::Critical);
}

#[test]
fn the_backward_of_attention_has_two_products_on_each_side() {
    let mut program = Program::default();
    program.run(&["aten::mm"], "gemm", 4_000);
    for _ in 0..2 {
        program.run(&["aten::bmm"], "gemm", 500);
    }
    program.run(&["aten::_softmax_backward_data"], "softmax", 600);
    for _ in 0..2 {
        program.run(&["aten::bmm"], "gemm", 500);
    }
    let found = program.findings();
    assert_eq!(gain(&found[0]), (Ns(2_600 - 1_600), Ns(2_600 - 700)));
}

#[test]
fn a_softmax_alone_is_no_attention() {
    let mut program = Program::default();
    program.run(&["aten::bmm"], "gemm", 900).run(&["aten::_softmax"], "softmax", 900);
    for _ in 0..6 {
        program.run(&["aten::mm"], "gemm", 900);
    }
    program.run(&["aten::bmm"], "gemm", 900);
    assert_eq!(program.findings(), []);
}

#[test]
fn pointwise_operators_in_a_row_are_a_chain() {
    let mut program = Program::default();
    program.run(&["aten::mm"], "gemm", 1_000);
    for time in [300, 400, 300] {
        program.run(&["aten::mul"], MUL, time);
    }
    program.run(&["aten::mm"], "gemm", 1_000).run(&["aten::mul"], MUL, 300).run(&["aten::mul"], MUL, 300);
    let found = program.findings();
    assert_eq!((found.len(), found[0].id), (1, "elementwise_chain"));
    assert_eq!(gain(&found[0]), (Ns(400), Ns(732)));
}

#[test]
fn conversions_and_copies_are_told_apart() {
    let mut program = Program::default();
    program
        .run(&["aten::mm"], "gemm", 1_000)
        .run(&["aten::to", "aten::_to_copy", "aten::copy_"], COPY, 200)
        .run(&["aten::contiguous", "aten::clone", "aten::copy_"], "direct_copy_kernel_cuda", 100);
    let found = program.findings();
    assert_eq!(found.iter().map(|finding| finding.id).collect::<Vec<_>>(), ["casts", "layout_copies"]);
    assert_eq!([gain(&found[0]), gain(&found[1])], [(Ns(0), Ns(200)), (Ns(0), Ns(100))]);
}

/// An update inside the annotation of an optimizer.
fn update(operators: &[&str]) -> Vec<Finding> {
    let mut program = Program::default();
    program.run(&["aten::mm"], "gemm", 2_000);
    let start = program.host;
    for operator in operators {
        program.run(&[operator], MUL, 100);
    }
    program.trace.host(SliceKind::Annotation, "Optimizer.step#AdamW.step", start, program.host);
    program.findings()
}

#[test]
fn an_optimizer_of_many_operations_is_not_fused() {
    let found = update(&["aten::_foreach_lerp_", "aten::_foreach_mul_", "aten::_foreach_addcdiv_"]);
    assert_eq!(found.iter().map(|finding| finding.id).collect::<Vec<_>>(), ["unfused_optimizer"]);
    // No pauses: the GPU runs behind the host.
    assert_eq!(gain(&found[0]), (Ns(165), Ns(210)));
    assert_eq!(update(&["aten::_fused_adamw_", "aten::_foreach_add_"]), []);
}

#[test]
fn products_in_fp32_are_faster_on_tensor_cores() {
    let products = |kernel: &str, device: &str| {
        let mut program = Program::default();
        program.trace.on_device(device, "", &[]);
        program.run(&["aten::mm"], kernel, 8_000).run(&["aten::mm"], "other", 2_000);
        program.findings()
    };
    let found = products("ampere_sgemm_128x64_tn", "NVIDIA A100-SXM4-80GB");
    assert_eq!((found.len(), found[0].id), (1, "tf32_off"));
    // 156 of TF32 to 19.5 of FP32: an eighth is left, or 1 / (0.6 * 8).
    assert_eq!(gain(&found[0]), (Ns(6_333), Ns(7_000)));
    assert_eq!(products("cutlass_80_tensorop_s1688gemm_128x128", "NVIDIA A100-SXM4-80GB"), []);
    assert_eq!(products("volta_sgemm_128x64_tn", "Tesla V100-SXM2-32GB"), []);
}
