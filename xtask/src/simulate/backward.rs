//! The backward pass on the autograd thread, with the all-reduce of gradients as they become ready.

use super::events::Function;
use super::kernels::{self, AttentionShape, Layout, Product};
use super::memory::Block;
use super::recorder::ThreadKind;
use super::tape::{Node, Work};
use super::tensor::{Element, Input, Tensor};
use super::training::Trainer;

/// `DistributedDataParallel` sends the first bucket early and fills the others up to this, in bytes.
const FIRST_BUCKET: u64 = 1 << 20;
const BUCKET: u64 = 25 << 20;

/// The gradient on its way to the inputs.
#[derive(Debug, Default)]
pub(crate) struct Gradient {
    /// Its memory; three blocks between attention and the cut before it.
    blocks: Vec<Block>,
    /// What goes past the branches it is in.
    past: Vec<Block>,
    /// Gradients of weights whose transposition is still to come.
    weights: Vec<Block>,
    /// Elements waiting for an all-reduce, and how many all-reduces there were.
    bucket: u64,
    sent: u64,
}

impl Trainer {
    /// `loss.backward()`.
    pub(crate) fn backward(&mut self) {
        let recorder = &mut self.recorder;
        recorder.enter("torch/_tensor.py(570): backward");
        recorder.enter("torch/autograd/__init__.py(243): backward");
        let scalar = Tensor::new(self.element, &[]);
        let nothing = Input::Nothing;
        let keep =
            [Input::Tensor(scalar), nothing, nothing, nothing, Input::Scalar("False"), Input::Scalar("1")];
        recorder.open_op("aten::ones_like", &keep);
        let seed = recorder.empty(scalar);
        recorder.op("aten::fill_", &[Input::Tensor(scalar), Input::Scalar("1.")], |recorder| {
            recorder.launch(kernels::fill(1));
        });
        recorder.close();
        recorder.enter("torch/autograd/graph.py(815): _engine_run_backward");
        recorder.enter("<built-in method run_backward of torch._C._EngineBase object at 0x7f5b6c0a41e0>");
        recorder.switch(ThreadKind::Autograd);

        let mut gradient = Gradient { blocks: vec![seed], ..Gradient::default() };
        let mut tape = std::mem::take(&mut self.tape);
        for node in tape.drain(..).rev() {
            self.evaluate(node, &mut gradient);
        }
        self.tape = tape;
        self.free_all(gradient.blocks);
        for _ in 0..self.habits.small_messages {
            self.all_reduce(1);
        }
        for _ in 0..gradient.sent + self.habits.small_messages {
            self.recorder.call(Function::STREAM_WAIT_EVENT, 800, 1_500, false);
        }

        self.recorder.switch(ThreadKind::Main);
        for _ in 0..4 {
            self.recorder.leave();
        }
    }

    fn free_all(&mut self, blocks: Vec<Block>) {
        for block in blocks {
            self.recorder.free(block);
        }
    }

    /// Replaces the gradient; what it was before is released unless it goes past a branch.
    fn replace(&mut self, gradient: &mut Gradient, blocks: Vec<Block>) {
        let old = std::mem::replace(&mut gradient.blocks, blocks);
        for block in old {
            if !gradient.past.contains(&block) {
                self.recorder.free(block);
            }
        }
    }

    fn evaluate(&mut self, node: Node, gradient: &mut Gradient) {
        let Node { graph, gradient: arriving, work, saved } = node;
        self.recorder.open_backward(graph, work.node_name(), &[Input::Tensor(arriving)]);
        let parameters = self.node_backward(work, arriving, gradient);
        self.recorder.close();
        if let Work::LayerNorm { ends_branch: true, .. } = work {
            self.join_branch(arriving, gradient);
        }
        self.recorder.close();
        // The table of the embedding is the last parameter, so nothing may be left behind it.
        let is_last = matches!(work, Work::Embedding { .. });
        for (parameter, block) in parameters {
            self.accumulate(parameter, block, is_last, gradient);
        }
        self.free_all(saved);
    }

    /// Does the work of a node; answers the gradients of parameters that are complete now.
    fn node_backward(
        &mut self,
        work: Work,
        arriving: Tensor,
        gradient: &mut Gradient,
    ) -> Vec<(Tensor, Block)> {
        match work {
            Work::Addmm { input, weight } => return self.addmm_backward(arriving, input, weight, gradient),
            Work::Attention { shape, query } => self.attention_backward(arriving, shape, query, gradient),
            Work::Bmm { left, right } => {
                let blocks = self.batched_product_backward(left, right);
                self.replace(gradient, blocks);
            }
            Work::Embedding { table, tokens } => {
                return self.embedding_backward(arriving, table, tokens, gradient);
            }
            Work::Gelu => {
                let tensor = Input::Tensor(arriving);
                self.recorder.open_op("aten::gelu_backward", &[tensor, tensor, Input::Scalar("none")]);
                let block = self.recorder.allocate(arriving.bytes());
                self.recorder.launch(kernels::gelu_backward(arriving.count()));
                self.recorder.close();
                self.replace(gradient, vec![block]);
            }
            Work::LayerNorm { width, .. } => return self.layer_norm_backward(arriving, width, gradient),
            Work::LogSoftmax => {
                let tensor = Input::Tensor(arriving);
                let inputs = [tensor, tensor, Input::Scalar("1"), Input::Scalar(arriving.element.number())];
                self.recorder.open_op("aten::_log_softmax_backward_data", &inputs);
                let block = self.recorder.allocate(arriving.bytes());
                let [rows, width] = [arriving.dims()[0], arriving.dims()[1]];
                self.recorder.launch(kernels::log_softmax_backward(rows, width));
                self.recorder.close();
                self.replace(gradient, vec![block]);
            }
            Work::Loss { logits, targets } => self.loss_backward(logits, targets, gradient),
            Work::Operator { kernel: None, .. } => {}
            Work::Operator { operator, kernel: Some(kernel), .. } => {
                let tensor = Input::Tensor(arriving);
                self.recorder.open_op(operator, &[tensor, tensor]);
                let block = self.recorder.allocate(arriving.bytes());
                self.recorder.launch(kernel);
                self.recorder.close();
                self.replace(gradient, vec![block]);
            }
            Work::Reshape { input } => {
                let inputs = [Input::Tensor(arriving), Input::List(input.dims())];
                self.recorder.op("aten::reshape", &inputs, |recorder| {
                    recorder.op("aten::view", &inputs, |_| {});
                });
            }
            Work::Residual => gradient.past.extend(gradient.blocks.first()),
            Work::Softmax => {
                let tensor = Input::Tensor(arriving);
                let inputs = [tensor, tensor, Input::Scalar("-1"), Input::Scalar(arriving.element.number())];
                self.recorder.open_op("aten::_softmax_backward_data", &inputs);
                let block = self.recorder.allocate(arriving.bytes());
                let width = arriving.dims().last().copied().unwrap_or(1);
                self.recorder.launch(kernels::softmax_backward(arriving.count() / width, width));
                self.recorder.close();
                self.replace(gradient, vec![block]);
            }
            Work::Split { part } => {
                let parts = [part; 3];
                self.recorder.open_op("aten::cat", &[Input::Tensors(&parts), Input::Scalar("2")]);
                let block = self.recorder.allocate(3 * part.bytes());
                self.recorder.launch(kernels::concatenate(3 * part.count()));
                self.recorder.close();
                self.replace(gradient, vec![block]);
            }
            Work::Transpose { first, second } => self.recorder.transpose_below(arriving, first, second),
            Work::Weight { weight } => {
                self.recorder.transpose_matrix(arriving);
                return gradient.weights.pop().map(|block| (weight, block)).into_iter().collect();
            }
        }
        Vec::new()
    }

    fn join_branch(&mut self, tensor: Tensor, gradient: &mut Gradient) {
        let Some(past) = gradient.past.pop() else { return };
        let inputs = [Input::Tensor(tensor), Input::Tensor(tensor), Input::Scalar("1")];
        self.recorder.op("aten::add_", &inputs, |recorder| recorder.launch(kernels::add(tensor.count())));
        self.replace(gradient, vec![past]);
    }

    fn addmm_backward(
        &mut self,
        arriving: Tensor,
        input: Tensor,
        weight: Tensor,
        gradient: &mut Gradient,
    ) -> Vec<(Tensor, Block)> {
        let [rows, width] = [arriving.dims()[0], arriving.dims()[1]];
        let depth = input.dims()[1];
        let of_input = self.product(Product::new(rows, depth, width, Layout::Nn));
        let of_weight = self.product(Product::new(depth, width, rows, Layout::Nt));
        let recorder = &mut self.recorder;
        recorder.transpose_matrix(weight.transpose(0, 1));
        recorder.open_op("aten::mm", &[Input::Tensor(arriving), Input::Tensor(weight)]);
        let input_gradient = recorder.allocate(input.bytes());
        recorder.launch(of_input);
        recorder.close();
        recorder.transpose_matrix(input);
        let inputs = [Input::Tensor(input.transpose(0, 1)), Input::Tensor(arriving)];
        recorder.open_op("aten::mm", &inputs);
        let weight_gradient = recorder.allocate(weight.bytes());
        recorder.launch(of_weight);
        recorder.close();
        let sum = [Input::Tensor(arriving), Input::List(&[0]), Input::Scalar("True"), Input::Nothing];
        recorder.open_op("aten::sum", &sum);
        let bias = Tensor::new(self.element, &[width]);
        let bias_gradient = recorder.allocate(bias.bytes());
        recorder.launch(kernels::sum_rows(rows, width));
        recorder.close();
        let row = Tensor::new(self.element, &[1, width]);
        recorder.op("aten::view", &[Input::Tensor(row), Input::List(&[width])], |_| {});
        gradient.weights.push(weight_gradient);
        self.replace(gradient, vec![input_gradient]);
        vec![(bias, bias_gradient)]
    }

    fn layer_norm_backward(
        &mut self,
        arriving: Tensor,
        width: u64,
        gradient: &mut Gradient,
    ) -> Vec<(Tensor, Block)> {
        let rows = self.rows();
        let scale = Tensor::new(self.element, &[width]);
        let statistics = Tensor::new(Element::Float, &[arriving.dims()[0], arriving.dims()[1], 1]);
        let inputs = [
            Input::Tensor(arriving),
            Input::Tensor(arriving),
            Input::List(&[width]),
            Input::Tensor(statistics),
            Input::Tensor(statistics),
            Input::Tensor(scale),
            Input::Tensor(scale),
            Input::Scalar("[True, True, True]"),
        ];
        let recorder = &mut self.recorder;
        recorder.open_op("aten::native_layer_norm_backward", &inputs);
        let blocks = [recorder.empty(arriving), recorder.empty(scale), recorder.empty(scale)];
        recorder.launch(kernels::layer_norm_input_gradient(rows, width));
        recorder.launch(kernels::layer_norm_parameter_gradient(rows, width));
        recorder.close();
        self.replace(gradient, vec![blocks[0]]);
        vec![(scale, blocks[1]), (scale, blocks[2])]
    }

    fn attention_backward(
        &mut self,
        arriving: Tensor,
        shape: AttentionShape,
        query: Tensor,
        gradient: &mut Gradient,
    ) {
        let recorder = &mut self.recorder;
        let inputs = [
            Input::Tensor(arriving),
            Input::Tensor(query),
            Input::Tensor(query),
            Input::Tensor(query),
            Input::Tensor(arriving),
            Input::Scalar("0."),
            Input::Scalar("True"),
        ];
        let [outer, inner] = match self.element {
            Element::Float => [
                "aten::_scaled_dot_product_efficient_attention_backward",
                "aten::_efficient_attention_backward",
            ],
            _ => ["aten::_scaled_dot_product_flash_attention_backward", "aten::_flash_attention_backward"],
        };
        recorder.open_op(outer, &inputs);
        recorder.open_op(inner, &inputs);
        let output = Tensor::new(self.element, &[shape.batch, shape.sequence, shape.heads, shape.width]);
        let blocks: Vec<Block> = (0..3).map(|_| recorder.empty(output)).collect();
        let accumulator = Tensor::new(Element::Float, output.dims());
        let temporary = recorder.empty(accumulator);
        match self.element {
            Element::Float => recorder.launch(kernels::efficient_backward(shape)),
            _ => kernels::flash_backward(shape).into_iter().for_each(|kernel| recorder.launch(kernel)),
        }
        recorder.free(temporary);
        recorder.close();
        recorder.close();
        self.replace(gradient, blocks);
    }

    fn loss_backward(&mut self, logits: Tensor, targets: Tensor, gradient: &mut Gradient) {
        let scalar = Input::Tensor(Tensor::new(self.element, &[]));
        let (one, ignored) = (Input::Scalar("1"), Input::Scalar("-100"));
        let (scores, labels) = (Input::Tensor(logits), Input::Tensor(targets));
        let recorder = &mut self.recorder;
        recorder.open_op(
            "aten::nll_loss_backward",
            &[scalar, scores, labels, Input::Nothing, one, ignored, scalar],
        );
        let block = recorder.allocate(logits.bytes());
        recorder.op("aten::zero_", &[scores], |recorder| recorder.clear(logits.bytes()));
        recorder.launch(kernels::loss_backward(targets.count()));
        recorder.close();
        self.replace(gradient, vec![block]);
    }

    fn embedding_backward(
        &mut self,
        arriving: Tensor,
        table: Tensor,
        tokens: Tensor,
        gradient: &mut Gradient,
    ) -> Vec<(Tensor, Block)> {
        let (rows, width) = (self.rows(), self.shape.hidden);
        let no = Input::Scalar("False");
        let inputs = [
            Input::Tensor(arriving),
            Input::Tensor(tokens),
            Input::Number(self.shape.vocabulary),
            Input::Scalar("-1"),
            no,
            no,
        ];
        let recorder = &mut self.recorder;
        recorder.open_op("aten::embedding_backward", &inputs);
        recorder.open_op("aten::embedding_dense_backward", &inputs[..5]);
        let block = recorder.empty(table);
        recorder.op("aten::zero_", &[Input::Tensor(table)], |recorder| recorder.clear(table.bytes()));
        recorder.launch(kernels::embedding_backward(rows, width));
        recorder.close();
        recorder.close();
        self.replace(gradient, Vec::new());
        vec![(table, block)]
    }

    /// Takes in the gradient of a parameter and sends the bucket if that filled it.
    fn accumulate(&mut self, parameter: Tensor, block: Block, is_last: bool, gradient: &mut Gradient) {
        let recorder = &mut self.recorder;
        let arguments = recorder.events.keep(|text| text.push_str("\"Record function id\": 0"));
        recorder.open_described(
            "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
            arguments,
        );
        let inputs = [Input::Tensor(parameter)];
        recorder.op("torch::autograd::AccumulateGrad", &inputs, |recorder| {
            recorder.op("aten::detach", &inputs, |recorder| recorder.op("detach", &inputs, |_| {}));
        });
        if self.distributed {
            recorder.op("torch::distributed::reducer::mul_out", &inputs, |recorder| {
                let inputs = [Input::Tensor(parameter), Input::Scalar("0.5"), Input::Tensor(parameter)];
                recorder
                    .op("aten::mul", &inputs, |recorder| recorder.launch(kernels::scale(parameter.count())));
            });
        }
        recorder.free(block);
        gradient.bucket += parameter.count();
        let limit = if gradient.sent == 0 { FIRST_BUCKET } else { BUCKET };
        let is_full = gradient.bucket * parameter.element.bytes() >= limit && !self.habits.late_gradients;
        if self.distributed && (is_last || is_full) {
            self.all_reduce(gradient.bucket);
            gradient.bucket = 0;
            gradient.sent += 1;
        }
        self.recorder.close();
    }
}
