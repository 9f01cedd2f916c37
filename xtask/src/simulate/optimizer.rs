//! AdamW: fused, operation by operation, or parameter by parameter.

use super::habits::Optimizer;
use super::kernels;
use super::recorder::Recorder;
use super::tensor::{Element, Input, Tensor};
use super::training::Trainer;

/// The operations of an update with how many tensors each reads and writes: weight decay, the two moments, the
/// denominator, the step. (`_single_tensor_adamw` and `_multi_tensor_adamw` of `torch/optim/adam.py`.)
const OPERATIONS: [(&str, &str, u64); 8] = [
    ("aten::mul_", "aten::_foreach_mul_", 2),
    ("aten::lerp_", "aten::_foreach_lerp_", 3),
    ("aten::mul_", "aten::_foreach_mul_", 2),
    ("aten::addcmul_", "aten::_foreach_addcmul_", 3),
    ("aten::sqrt", "aten::_foreach_sqrt", 2),
    ("aten::div_", "aten::_foreach_div_", 2),
    ("aten::add_", "aten::_foreach_add_", 2),
    ("aten::addcdiv_", "aten::_foreach_addcdiv_", 4),
];

impl Trainer {
    /// `optimizer.step()`.
    pub(crate) fn optimize(&mut self, step: u64) {
        let recorder = &mut self.recorder;
        recorder.enter("torch/optim/lr_scheduler.py(140): wrapper");
        recorder.enter("torch/optim/optimizer.py(473): wrapper");
        recorder.open_annotation("Optimizer.step#AdamW.step".into());
        recorder.enter("torch/optim/optimizer.py(72): _use_grad");
        recorder.enter("torch/optim/adamw.py(209): step");
        recorder.enter("torch/optim/adamw.py(134): _init_group");
        for _ in &self.parameters {
            recorder.leaf("<built-in function is_complex>");
            recorder.small_calls();
            recorder.leaf("<built-in method append of list object at 0x7f5a2cc1d7c0>");
            recorder.leaf("<built-in method append of list object at 0x7f5a2cc1d8c0>");
        }
        recorder.leave();
        recorder.enter("torch/optim/adamw.py(876): adamw");
        match self.habits.optimizer {
            Optimizer::Fused => self.fused(step),
            Optimizer::Foreach => foreach(&mut self.recorder, &self.parameters),
            Optimizer::Loop => one_by_one(&mut self.recorder, &self.parameters),
        }
        let recorder = &mut self.recorder;
        for _ in 0..3 {
            recorder.leave();
        }
        recorder.close();
        recorder.leave();
        recorder.leave();
    }

    fn fused(&mut self, step: u64) {
        let recorder = &mut self.recorder;
        recorder.enter("torch/optim/adamw.py(747): _fused_adamw");
        let steps = vec![Tensor::new(Element::Float, &[]); self.parameters.len()];
        recorder.op("aten::_foreach_add_", &[Input::Tensors(&steps), Input::Scalar("1")], |recorder| {
            recorder.launch(kernels::fill(steps.len() as u64))
        });
        let rate = (3e-4 * (1.0 - step as f64 / 1e6)).to_string();
        let list = Input::Tensors(&self.parameters);
        let no = Input::Scalar("False");
        let inputs = [
            list,
            list,
            list,
            list,
            Input::Tensors(&[]),
            Input::Tensors(&steps),
            Input::Scalar(&rate),
            Input::Scalar("0.90000000000000002"),
            Input::Scalar("0.94999999999999996"),
            Input::Scalar("0.10000000000000001"),
            Input::Scalar("1e-08"),
            no,
            no,
            Input::Nothing,
            Input::Nothing,
        ];
        let mut left: u64 = self.parameters.iter().map(Tensor::count).sum();
        recorder.op("aten::_fused_adamw_", &inputs, |recorder| {
            // One launch takes 320 chunks of 65536 elements.
            while left > 0 {
                let chunk = left.min(320 * 65_536);
                recorder.launch(kernels::fused_adam(chunk));
                left -= chunk;
            }
        });
        recorder.leave();
    }
}

fn foreach(recorder: &mut Recorder, parameters: &[Tensor]) {
    recorder.enter("torch/optim/adamw.py(520): _multi_tensor_adamw");
    let count: u64 = parameters.iter().map(Tensor::count).sum();
    let list = Input::Tensors(parameters);
    for (_, name, tensors) in OPERATIONS {
        recorder.op(name, &[list, list], |recorder| {
            let mut left = count;
            while left > 0 {
                let chunk = left.min(320 * 65_536);
                recorder.launch(kernels::foreach(chunk, tensors));
                left -= chunk;
            }
        });
    }
    recorder.leave();
}

fn one_by_one(recorder: &mut Recorder, parameters: &[Tensor]) {
    recorder.enter("torch/optim/adamw.py(320): _single_tensor_adamw");
    for parameter in parameters {
        for (name, _, tensors) in OPERATIONS {
            let input = Input::Tensor(*parameter);
            recorder.op(name, &[input, input], |recorder| {
                recorder.launch(kernels::in_place(parameter.count(), tensors));
            });
        }
    }
    recorder.leave();
}
