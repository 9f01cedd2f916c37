//! What a model does that is written without fused operators: attention as matrix products, an activation as
//! arithmetic, casts and copies between operators.

use super::device::Kernel;
use super::habits::Habits;
use super::kernels::{self, AttentionShape, Layout, Path, Product};
use super::memory::Block;
use super::tape::Work;
use super::tensor::{Element, Input, Tensor};
use super::training::Trainer;

/// A tanh-approximated GELU, written out: the operator, its node, and how many tensors it takes.
const GELU: [(&str, &str, usize); 8] = [
    ("aten::mul", "MulBackward0", 2),
    ("aten::mul", "MulBackward0", 2),
    ("aten::mul", "MulBackward0", 1),
    ("aten::add", "AddBackward0", 2),
    ("aten::tanh", "TanhBackward0", 1),
    ("aten::add", "AddBackward0", 1),
    ("aten::mul", "MulBackward0", 2),
    ("aten::mul", "MulBackward0", 1),
];

impl Trainer {
    /// The kernel of a matrix product of the model.
    pub(crate) fn product(&self, product: Product) -> Kernel {
        // Tensor cores read 16 bytes at a time.
        let is_odd = [product.m, product.n, product.k].iter().any(|size| size % 8 != 0);
        let path = match self.element {
            Element::Float if self.habits.tensor_float_32 => Path::TensorFloat32,
            Element::Float => Path::Float32,
            _ if is_odd && self.habits.unaligned > 0 => Path::Unaligned(self.habits.unaligned),
            _ => Path::BFloat16,
        };
        kernels::gemm(product, path)
    }

    /// An operator of one kernel, whose backward is one too.
    fn operator(&mut self, name: &'static str, node: &'static str, inputs: &[Input<'_>], step: Step) {
        let Step { output, kernel } = step;
        let graph = self.recorder.open_node(name, inputs);
        let block = self.recorder.allocate(output.bytes());
        self.recorder.launch(kernel);
        self.recorder.close();
        let work = Work::Operator { node, operator: "aten::mul", kernel: Some(kernel) };
        self.push(graph, output, work, vec![block]);
    }

    /// The activation, operator by operator.
    pub(crate) fn written_out_gelu(&mut self, input: Tensor) {
        let count = usize::try_from(self.habits.activation_operators).unwrap_or(0);
        self.recorder.enter("model.py(12): gelu");
        for &(name, node, tensors) in GELU.iter().cycle().take(count) {
            let second = if tensors == 2 { Input::Tensor(input) } else { Input::Scalar("0.5") };
            let kernel = match tensors {
                2 => kernels::multiply(input.count()),
                _ => kernels::scale(input.count()),
            };
            let inputs = [Input::Tensor(input), second];
            let inputs = if name == "aten::tanh" { &inputs[..1] } else { &inputs[..] };
            self.operator(name, node, inputs, Step { output: input, kernel });
        }
        self.recorder.leave();
    }

    /// Attention as products and a softmax over all scores.
    pub(crate) fn eager_attention(&mut self, shape: AttentionShape) -> Tensor {
        let AttentionShape { batch, heads, sequence, width } = shape;
        let pairs = batch * heads;
        let query = Tensor::new(self.element, &[pairs, sequence, width]);
        let key = Tensor::new(self.element, &[pairs, width, sequence]);
        let scores = Tensor::new(self.element, &[pairs, sequence, sequence]);
        self.batched_product(query, key);
        let kernel = kernels::scale(scores.count());
        for _ in 1..self.habits.score_passes {
            let inputs = [Input::Tensor(scores), Input::Scalar("8.")];
            self.operator("aten::div", "DivBackward0", &inputs, Step { output: scores, kernel });
        }
        let last = Input::Scalar("-1");
        let recorder = &mut self.recorder;
        recorder.open_forward("aten::softmax", &[Input::Tensor(scores), last, Input::Nothing]);
        let inputs = [Input::Tensor(scores), last, Input::Scalar("False")];
        let graph = recorder.open_node("aten::_softmax", &inputs);
        let block = recorder.allocate(scores.bytes());
        recorder.launch(kernels::softmax(pairs * sequence, sequence));
        recorder.close();
        recorder.close();
        self.push(graph, scores, Work::Softmax, vec![block]);
        self.batched_product(scores, query);
        Tensor::new(self.element, &[batch, heads, sequence, width])
    }

    fn batched_product(&mut self, left: Tensor, right: Tensor) {
        let (&[batch, m, k], &[_, _, n]) = (left.dims(), right.dims()) else { return };
        let output = Tensor::new(self.element, &[batch, m, n]);
        let kernel = self.product(Product::batched(batch, m, n, k, Layout::Tn));
        let inputs = [left, right].map(Input::Tensor);
        self.recorder.open_forward("aten::matmul", &inputs);
        let graph = self.recorder.open_node("aten::bmm", &inputs);
        let block = self.recorder.allocate(output.bytes());
        self.recorder.launch(kernel);
        self.recorder.close();
        self.recorder.close();
        self.push(graph, output, Work::Bmm { left, right }, vec![block]);
    }

    /// The backward of a product; answers the memory of the gradients.
    pub(crate) fn batched_product_backward(&mut self, left: Tensor, right: Tensor) -> Vec<Block> {
        let (&[batch, m, k], &[_, _, n]) = (left.dims(), right.dims()) else { return Vec::new() };
        let arriving = Tensor::new(self.element, &[batch, m, n]);
        let of_left = self.product(Product::batched(batch, m, k, n, Layout::Nt));
        let of_right = self.product(Product::batched(batch, k, n, m, Layout::Nn));
        let mut blocks = Vec::new();
        for (inputs, output, kernel) in [
            ([arriving, right.transpose(1, 2)], left, of_left),
            ([left.transpose(1, 2), arriving], right, of_right),
        ] {
            self.recorder.open_op("aten::bmm", &inputs.map(Input::Tensor));
            blocks.push(self.recorder.allocate(output.bytes()));
            self.recorder.launch(kernel);
            self.recorder.close();
        }
        blocks
    }

    /// What the program does to the activations of a layer besides the model.
    pub(crate) fn handle_activations(&mut self, input: Tensor) {
        let Habits { casts, layout_copies, clones, .. } = self.habits;
        for _ in 0..casts {
            self.cast(input, Element::Float);
            self.cast(Tensor::new(Element::Float, input.dims()), self.element);
        }
        for _ in 0..layout_copies {
            self.copy_layout(input);
        }
        for _ in 0..clones {
            self.clone_tensor(input);
        }
    }

    /// Computes figures of the output of a product, as people do who look for numbers that are not finite.
    pub(crate) fn watch(&mut self, output: Tensor) {
        for _ in 0..self.habits.figures {
            let recorder = &mut self.recorder;
            recorder.enter("model.py(90): watch");
            let inputs = [Input::Tensor(output), Input::Nothing];
            recorder.open_op("aten::mean", &inputs);
            let block = recorder.empty(Tensor::new(self.element, &[]));
            recorder.launch(kernels::sum_rows(output.count() / 512, 512));
            recorder.close();
            if self.habits.reads_figures {
                self.read();
            }
            self.recorder.free(block);
            self.recorder.leave();
        }
    }

    /// `tensor.to(element)`.
    fn cast(&mut self, input: Tensor, element: Element) {
        let output = Tensor::new(element, input.dims());
        let kernel = kernels::cast(input.count());
        let (no, number) = (Input::Scalar("False"), Input::Scalar(element.number()));
        let recorder = &mut self.recorder;
        recorder.open_forward("aten::to", &[Input::Tensor(input), number, no, no, Input::Nothing]);
        let inputs = [Input::Tensor(input), number, Input::Nothing, Input::Nothing, Input::Nothing, no];
        let graph = recorder.open_node("aten::_to_copy", &inputs);
        let block = recorder.empty(output);
        let inputs = [Input::Tensor(output), Input::Tensor(input), no];
        recorder.op("aten::copy_", &inputs, |recorder| recorder.launch(kernel));
        recorder.close();
        recorder.close();
        let work = Work::Operator { node: "ToCopyBackward0", operator: "aten::copy_", kernel: Some(kernel) };
        self.push(graph, output, work, vec![block]);
    }

    /// `tensor.transpose(1, 2).contiguous()`.
    fn copy_layout(&mut self, input: Tensor) {
        let from = input.transpose(1, 2);
        let output = Tensor::new(input.element, from.dims());
        let kernel = kernels::layout_copy(input.count());
        let (no, contiguous) = (Input::Scalar("False"), Input::Scalar("0"));
        let recorder = &mut self.recorder;
        recorder.open_forward("aten::contiguous", &[Input::Tensor(from), contiguous]);
        let graph = recorder.open_node("aten::clone", &[Input::Tensor(from), contiguous]);
        let block = recorder.empty(output);
        let inputs = [Input::Tensor(output), Input::Tensor(from), no];
        recorder.op("aten::copy_", &inputs, |recorder| recorder.launch(kernel));
        recorder.close();
        recorder.close();
        let work = Work::Operator { node: "CloneBackward0", operator: "aten::clone", kernel: None };
        self.push(graph, output, work, vec![block]);
    }

    /// `tensor.clone()`.
    fn clone_tensor(&mut self, input: Tensor) {
        let no = Input::Scalar("False");
        let recorder = &mut self.recorder;
        let graph = recorder.open_node("aten::clone", &[Input::Tensor(input), Input::Nothing]);
        let block = recorder.empty(input);
        let inputs = [Input::Tensor(input), Input::Tensor(input), no];
        recorder.op("aten::copy_", &inputs, |recorder| recorder.copy_on_device(input.bytes()));
        recorder.close();
        let work = Work::Operator { node: "CloneBackward0", operator: "aten::clone", kernel: None };
        self.push(graph, input, work, vec![block]);
    }
}

/// What an operator makes, and by which kernel.
struct Step {
    output: Tensor,
    kernel: Kernel,
}
