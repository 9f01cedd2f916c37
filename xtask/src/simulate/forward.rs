//! The forward pass of a small transformer, from tokens to the loss.

use super::kernels::{self, AttentionShape, Layout, Product};
use super::memory::Block;
use super::recorder::{GraphNode, Recorder};
use super::tape::{Node, Work};
use super::tensor::{Element, Input, Tensor};
use super::training::Trainer;

const GET_ATTRIBUTE: &str = "torch/nn/modules/module.py(1915): __getattr__";

impl Recorder {
    /// The view that most changes of shape end in.
    pub(crate) fn as_strided(&mut self, input: Tensor, output: Tensor) {
        let inputs = [
            Input::Tensor(input),
            Input::List(output.dims()),
            Input::List(output.strides()),
            Input::Scalar("0"),
        ];
        self.op("aten::as_strided", &inputs, |_| {});
    }

    /// `t()` below autograd.
    pub(crate) fn transpose_matrix(&mut self, matrix: Tensor) {
        self.op("aten::t", &[Input::Tensor(matrix)], |recorder| recorder.transpose_below(matrix, 0, 1));
    }

    pub(crate) fn transpose_below(&mut self, input: Tensor, first: u64, second: u64) {
        let inputs = [Input::Tensor(input), Input::Number(first), Input::Number(second)];
        self.op("aten::transpose", &inputs, |recorder| {
            recorder.as_strided(input, input.transpose(first as usize, second as usize));
        });
    }

    /// `empty()` on the device.
    pub(crate) fn empty(&mut self, output: Tensor) -> Block {
        let inputs = [
            Input::List(output.dims()),
            Input::Scalar(output.element.number()),
            Input::Scalar("0"),
            Input::Scalar("0"),
            Input::Scalar("False"),
            Input::Nothing,
        ];
        self.open_op("aten::empty", &inputs);
        let block = self.allocate(output.bytes());
        self.close();
        block
    }
}

impl Trainer {
    pub(crate) fn push(&mut self, graph: GraphNode, gradient: Tensor, work: Work, saved: Vec<Block>) {
        self.tape.push(Node { graph, gradient, work, saved });
    }

    fn view(&mut self, input: Tensor, output: Tensor) {
        let inputs = [Input::Tensor(input), Input::List(output.dims())];
        let graph = self.recorder.open_node("aten::view", &inputs);
        self.recorder.close();
        self.push(graph, output, Work::Reshape { input }, Vec::new());
    }

    fn transpose(&mut self, input: Tensor, first: u64, second: u64) -> Tensor {
        let output = input.transpose(first as usize, second as usize);
        let inputs = [Input::Tensor(input), Input::Number(first), Input::Number(second)];
        let graph = self.recorder.open_node("aten::transpose", &inputs);
        self.recorder.as_strided(input, output);
        self.recorder.close();
        self.push(graph, output, Work::Transpose { first, second }, Vec::new());
        output
    }

    fn linear(&mut self, instance: u64, input: Tensor, width: u64) -> Tensor {
        let (rows, depth) = (self.rows(), input.dims()[2]);
        let weight = Tensor::new(self.element, &[width, depth]);
        let bias = Tensor::new(self.element, &[width]);
        let output = Tensor::new(self.element, &[input.dims()[0], input.dims()[1], width]);
        let flat_input = Tensor::new(self.element, &[rows, depth]);
        let flat_output = Tensor::new(self.element, &[rows, width]);

        self.recorder.enter_module("Linear", instance, "torch/nn/modules/linear.py(124): forward");
        self.recorder.leaf(GET_ATTRIBUTE);
        self.recorder.leaf(GET_ATTRIBUTE);
        self.recorder.enter("<built-in function linear>");
        self.recorder.open_forward("aten::linear", &[input, weight, bias].map(Input::Tensor));
        let graph = self.recorder.open_node("aten::t", &[Input::Tensor(weight)]);
        self.recorder.transpose_below(weight, 0, 1);
        self.recorder.close();
        self.push(graph, weight.transpose(0, 1), Work::Weight { weight }, Vec::new());
        self.view(input, flat_input);
        let inputs = [
            Input::Tensor(bias),
            Input::Tensor(flat_input),
            Input::Tensor(weight.transpose(0, 1)),
            Input::Scalar("1"),
            Input::Scalar("1"),
        ];
        let graph = self.recorder.open_node("aten::addmm", &inputs);
        self.take_segment();
        let block = self.recorder.allocate(output.bytes());
        let kernel = self.product(Product::new(rows, width, depth, Layout::Tn));
        self.recorder.launch(kernel);
        self.recorder.close();
        self.push(graph, flat_output, Work::Addmm { input: flat_input, weight }, vec![block]);
        self.view(flat_output, output);
        self.recorder.close();
        self.recorder.leave();
        self.recorder.leave_module();
        self.watch(output);
        output
    }

    fn layer_norm(&mut self, instance: u64, input: Tensor, ends_branch: bool) {
        let width = self.shape.hidden;
        let scale = Tensor::new(self.element, &[width]);
        let inputs = [
            Input::Tensor(input),
            Input::List(&[width]),
            Input::Tensor(scale),
            Input::Tensor(scale),
            Input::Scalar("1.0000000000000001e-05"),
            Input::Scalar("True"),
        ];
        let rows = self.rows();
        let recorder = &mut self.recorder;
        recorder.enter_module("LayerNorm", instance, "torch/nn/modules/normalization.py(217): forward");
        recorder.leaf(GET_ATTRIBUTE);
        recorder.leaf(GET_ATTRIBUTE);
        recorder.enter("torch/nn/functional.py(2900): layer_norm");
        recorder.leaf("<built-in function _has_torch_function_variadic>");
        recorder.enter("<built-in method layer_norm of type object at 0x7f5c3a0d2640>");
        recorder.open_forward("aten::layer_norm", &inputs);
        let graph = recorder.open_node("aten::native_layer_norm", &inputs[..5]);
        let statistics = Tensor::new(Element::Float, &[input.dims()[0], input.dims()[1], 1]);
        let saved = vec![recorder.empty(input), recorder.empty(statistics), recorder.empty(statistics)];
        recorder.launch(kernels::layer_norm(rows, width));
        recorder.close();
        recorder.close();
        recorder.leave();
        recorder.leave();
        recorder.leave_module();
        self.push(graph, input, Work::LayerNorm { width, ends_branch }, saved);
    }

    fn attention(&mut self, layer: u64, input: Tensor) {
        let (hidden, heads) = (self.shape.hidden, self.shape.heads);
        let (batch, sequence) = (self.shape.batch, self.sequence);
        self.recorder.enter_module("Attention", layer, "model.py(31): forward");
        self.recorder.leaf(GET_ATTRIBUTE);
        let joined = self.linear(4 * layer, input, 3 * hidden);
        let part = self.split(joined, hidden);
        let heads_apart = part.split_last(heads, hidden / heads);
        let mut query = heads_apart;
        for _ in 0..3 {
            self.recorder.enter("<built-in method view of Tensor object at 0x7f5a0c2be8a0>");
            self.view(part, heads_apart);
            self.recorder.leave();
            self.recorder.enter("<built-in method transpose of Tensor object at 0x7f5a0c2be8a0>");
            query = self.transpose(heads_apart, 1, 2);
            self.recorder.leave();
        }
        self.recorder.enter("<built-in function scaled_dot_product_attention>");
        let shape = AttentionShape { batch, heads, sequence, width: hidden / heads };
        let output = match self.habits.score_passes {
            0 => self.scaled_dot_product(shape, query),
            _ => self.eager_attention(shape),
        };
        self.recorder.leave();
        let gathered = self.transpose(output, 1, 2);
        self.view(gathered, input);
        self.recorder.leaf(GET_ATTRIBUTE);
        self.linear(4 * layer + 1, input, hidden);
        self.recorder.leave_module();
    }

    fn split(&mut self, joined: Tensor, size: u64) -> Tensor {
        let part = joined.narrow_last(size);
        let recorder = &mut self.recorder;
        recorder.enter("torch/_tensor.py(1022): split");
        recorder.enter("<built-in method split of Tensor object at 0x7f5a0c2be8a0>");
        let inputs = [Input::Tensor(joined), Input::Number(size), Input::Scalar("2")];
        let graph = recorder.open_node("aten::split", &inputs);
        for index in 0..3 {
            let (start, end) = (Input::Number(index * size), Input::Number((index + 1) * size));
            let whole = Input::Tensor(joined);
            recorder.op(
                "aten::narrow",
                &[whole, Input::Scalar("2"), start, Input::Number(size)],
                |recorder| {
                    let inputs = [whole, Input::Scalar("2"), start, end, Input::Scalar("1")];
                    recorder.op("aten::slice", &inputs, |recorder| recorder.as_strided(joined, part));
                },
            );
        }
        recorder.close();
        recorder.leave();
        recorder.leave();
        self.push(graph, part, Work::Split { part }, Vec::new());
        part
    }

    fn scaled_dot_product(&mut self, shape: AttentionShape, query: Tensor) -> Tensor {
        let tensors = [query; 3].map(Input::Tensor);
        let [query_input, key, value] = tensors;
        let recorder = &mut self.recorder;
        recorder.open_forward(
            "aten::scaled_dot_product_attention",
            &[
                query_input,
                key,
                value,
                Input::Nothing,
                Input::Scalar("0."),
                Input::Scalar("True"),
                Input::Nothing,
                Input::Scalar("False"),
            ],
        );
        let options = [Input::Scalar("0."), Input::Scalar("True"), Input::Scalar("False"), Input::Nothing];
        let [dropout, causal, debug, scale] = options;
        if self.element == Element::Float {
            return self.efficient_attention(shape, query);
        }
        let recorder = &mut self.recorder;
        let graph = recorder.open_node(
            "aten::_scaled_dot_product_flash_attention",
            &[query_input, key, value, dropout, causal, debug, scale],
        );
        for _ in 0..3 {
            recorder.transpose_below(query, 1, 2);
        }
        let output = Tensor::new(self.element, &[shape.batch, shape.sequence, shape.heads, shape.width]);
        let inputs = [Input::Tensor(query.transpose(1, 2)); 3];
        recorder.open_op(
            "aten::_flash_attention_forward",
            &[
                inputs[0],
                inputs[1],
                inputs[2],
                Input::Nothing,
                Input::Nothing,
                Input::Number(shape.sequence),
                Input::Number(shape.sequence),
                dropout,
                causal,
                debug,
                scale,
            ],
        );
        let log_sum = Tensor::new(Element::Float, &[shape.batch, shape.heads, shape.sequence]);
        let saved = vec![
            recorder.empty(output),
            recorder.empty(log_sum),
            recorder.empty(Tensor::new(Element::Long, &[2])),
        ];
        recorder.launch(kernels::flash_forward(shape));
        recorder.close();
        recorder.transpose_below(output, 1, 2);
        recorder.close();
        recorder.close();
        let output = output.transpose(1, 2);
        self.push(graph, output, Work::Attention { shape, query }, saved);
        output
    }

    /// The same in float32, which flash attention does not know.
    fn efficient_attention(&mut self, shape: AttentionShape, query: Tensor) -> Tensor {
        let [one, two, three] = [query; 3].map(Input::Tensor);
        let (yes, nothing) = (Input::Scalar("True"), Input::Nothing);
        let inputs = [one, two, three, nothing, yes, Input::Scalar("0."), yes, nothing];
        let recorder = &mut self.recorder;
        let graph = recorder.open_node("aten::_scaled_dot_product_efficient_attention", &inputs);
        for _ in 0..3 {
            recorder.transpose_below(query, 1, 2);
        }
        let output = Tensor::new(self.element, &[shape.batch, shape.sequence, shape.heads, shape.width]);
        recorder.open_op("aten::_efficient_attention_forward", &inputs);
        let log_sum = Tensor::new(Element::Float, &[shape.batch, shape.heads, shape.sequence]);
        let saved = vec![recorder.empty(output), recorder.empty(log_sum)];
        recorder.launch(kernels::efficient_forward(shape));
        recorder.close();
        recorder.transpose_below(output, 1, 2);
        recorder.close();
        recorder.close();
        let output = output.transpose(1, 2);
        self.push(graph, output, Work::Attention { shape, query }, saved);
        output
    }

    fn gelu(&mut self, instance: u64, input: Tensor) {
        let recorder = &mut self.recorder;
        recorder.enter_module("GELU", instance, "torch/nn/modules/activation.py(734): forward");
        recorder.enter("<built-in function gelu>");
        let graph = recorder.open_node("aten::gelu", &[Input::Tensor(input), Input::Scalar("none")]);
        let block = recorder.allocate(input.bytes());
        let kernel = match self.fused {
            None => kernels::gelu(input.count()),
            Some(number) => {
                let name = recorder.events.name(format_args!("triton_poi_fused_gelu_{number}"));
                kernels::fused_gelu(name, input.count())
            }
        };
        recorder.launch(kernel);
        recorder.close();
        recorder.leave();
        recorder.leave_module();
        self.push(graph, input, Work::Gelu, vec![block]);
    }

    fn add_residual(&mut self, input: Tensor) {
        let inputs = [Input::Tensor(input), Input::Tensor(input), Input::Scalar("1")];
        let graph = self.recorder.open_node("aten::add", &inputs);
        let block = self.recorder.allocate(input.bytes());
        self.recorder.launch(kernels::add(input.count()));
        self.recorder.close();
        self.push(graph, input, Work::Residual, vec![block]);
    }

    fn embed(&mut self, tokens: Tensor, output: Tensor) {
        let (rows, width) = (self.rows(), self.shape.hidden);
        let table = Tensor::new(self.element, &[self.shape.vocabulary, width]);
        let recorder = &mut self.recorder;
        recorder.enter_module("Embedding", 0, "torch/nn/modules/sparse.py(190): forward");
        recorder.leaf(GET_ATTRIBUTE);
        recorder.enter("torch/nn/functional.py(2437): embedding");
        recorder.enter("<built-in method embedding of type object at 0x7f5c3a0d2640>");
        let no = Input::Scalar("False");
        let inputs = [Input::Tensor(table), Input::Tensor(tokens), Input::Scalar("-1"), no, no];
        let graph = recorder.open_node("aten::embedding", &inputs);
        let flat = Tensor::new(Element::Long, &[rows]);
        recorder.op("aten::reshape", &[Input::Tensor(tokens), Input::Scalar("[-1]")], |recorder| {
            recorder.op("aten::view", &[Input::Tensor(tokens), Input::List(&[rows])], |_| {});
        });
        recorder
            .open_op("aten::index_select", &[Input::Tensor(table), Input::Scalar("0"), Input::Tensor(flat)]);
        let block = recorder.allocate(output.bytes());
        recorder.launch(kernels::embedding(rows, width));
        recorder.close();
        let flat_output = Tensor::new(self.element, &[rows, width]);
        recorder.op("aten::view", &[Input::Tensor(flat_output), Input::List(output.dims())], |_| {});
        recorder.close();
        recorder.leave();
        recorder.leave();
        recorder.leave_module();
        self.push(graph, output, Work::Embedding { table, tokens }, vec![block]);
    }

    /// The model: tokens to logits.
    pub(crate) fn forward(&mut self, tokens: Tensor) -> Tensor {
        let hidden = Tensor::new(self.element, &[self.shape.batch, self.sequence, self.shape.hidden]);
        self.recorder.enter_module("Transformer", 0, "model.py(78): forward");
        self.embed(tokens, hidden);
        for layer in 0..self.shape.layers {
            self.recorder.enter_module("Block", layer, "model.py(61): forward");
            self.recorder.leaf(GET_ATTRIBUTE);
            self.layer_norm(2 * layer, hidden, true);
            self.attention(layer, hidden);
            self.add_residual(hidden);
            self.recorder.leaf(GET_ATTRIBUTE);
            self.layer_norm(2 * layer + 1, hidden, true);
            self.recorder.enter_module("FeedForward", layer, "model.py(48): forward");
            let wide = self.linear(4 * layer + 2, hidden, 4 * self.shape.hidden);
            match self.habits.activation_operators {
                0 => self.gelu(layer, wide),
                _ => self.written_out_gelu(wide),
            }
            self.handle_activations(wide);
            self.linear(4 * layer + 3, wide, self.shape.hidden);
            self.recorder.leave_module();
            self.add_residual(hidden);
            self.recorder.leave_module();
        }
        self.layer_norm(2 * self.shape.layers, hidden, false);
        let logits = self.linear(4 * self.shape.layers, hidden, self.shape.vocabulary);
        self.recorder.leave_module();
        logits
    }

    /// The loss of the logits.
    pub(crate) fn loss(&mut self, logits: Tensor) {
        let (rows, width) = (self.rows(), self.shape.vocabulary);
        let flat = Tensor::new(self.element, &[rows, width]);
        let targets = Tensor::new(Element::Long, &[rows]);
        self.view(logits, flat);
        let recorder = &mut self.recorder;
        recorder.enter("torch/nn/functional.py(3400): cross_entropy");
        recorder.enter("<built-in function cross_entropy_loss>");
        let (one, ignored) = (Input::Scalar("1"), Input::Scalar("-100"));
        let (scores, labels) = (Input::Tensor(flat), Input::Tensor(targets));
        let inputs = [scores, labels, Input::Nothing, one, ignored, Input::Scalar("0.")];
        recorder.open_forward("aten::cross_entropy_loss", &inputs);
        recorder.open_forward("aten::log_softmax", &[scores, one, Input::Nothing]);
        let softmax = recorder.open_node("aten::_log_softmax", &[scores, one, Input::Scalar("False")]);
        let probabilities = recorder.allocate(flat.bytes());
        recorder.launch(kernels::log_softmax(rows, width));
        recorder.close();
        recorder.close();
        recorder.open_forward("aten::nll_loss_nd", &inputs[..5]);
        recorder.open_forward("aten::nll_loss", &inputs[..5]);
        let loss = recorder.open_node("aten::nll_loss_forward", &inputs[..5]);
        let saved = vec![recorder.allocate(2), recorder.allocate(2)];
        recorder.launch(kernels::loss(rows));
        for _ in 0..4 {
            recorder.close();
        }
        recorder.leave();
        recorder.leave();
        self.push(softmax, flat, Work::LogSoftmax, vec![probabilities]);
        self.push(loss, Tensor::new(self.element, &[]), Work::Loss { logits: flat, targets }, saved);
    }
}
