//! Collectives as PyTorch records them: the operator, its arguments, the range, and the kernel.

use std::fmt::Write;

use super::kernels;
use super::tensor::{Input, Tensor, push_inputs};
use super::training::Trainer;

impl Trainer {
    /// Sums a bucket of gradients over all ranks.
    pub(crate) fn all_reduce(&mut self, elements: u64) {
        let bucket = Tensor::new(self.element, &[elements]);
        let (rank, world, link) = (self.rank, self.world, self.link);
        let ranks: Vec<String> = (0..world).map(|rank| rank.to_string()).collect();
        let ranks = ranks.join(", ");
        let dtype = bucket.element.scalar_type();
        let recorder = &mut self.recorder;
        let with_shapes = recorder.process.with_shapes;
        let tensors = [bucket];
        recorder.open_op("c10d::allreduce_", &[Input::Tensors(&tensors), Input::Nothing, Input::Nothing]);
        let on_operator = recorder.events.keep(|text| {
            text.push_str("\"Record function id\": 0, ");
            let _ = write!(
                text,
                "\"Collective name\": \"allreduce\", \"Process Group Description\": \"default_pg\", \"dtype\": \"{dtype}\", \"Rank\": {rank}, "
            );
            let world_text = world.to_string();
            let inputs = [
                Input::Tensors(&tensors),
                Input::Nothing,
                Input::Nothing,
                Input::Scalar("0"),
                Input::Nothing,
                Input::Scalar("[]"),
                Input::Scalar("[]"),
                Input::Scalar("0"),
                Input::Scalar("1"),
                Input::Scalar(&world_text),
            ];
            if with_shapes {
                push_inputs(text, &inputs);
                text.push_str(", ");
            }
            let _ = write!(
                text,
                "\"Out msg nelems\": {elements}, \"Process Group Name\": \"0\", \"Global rank stride\": 1, \"Out split size\": \"[]\", \"In split size\": \"[]\", \"Process Group Ranks\": \"[{ranks}]\", \"Group size\": {world}, \"Global rank start\": 0, \"In msg nelems\": {elements}"
            );
        });
        recorder.open_described("record_param_comms", on_operator);
        recorder.open_annotation("nccl:all_reduce".into());
        let on_kernel = recorder.events.keep(|text| {
            let _ = write!(
                text,
                ", \"Collective name\": \"allreduce\", \"In msg nelems\": {elements}, \"Out msg nelems\": {elements}, \"Group size\": {world}, \"dtype\": \"{dtype}\", \"In split size\": \"[]\", \"Out split size\": \"[]\", \"Process Group Name\": \"0\", \"Process Group Description\": \"default_pg\", \"Process Group Ranks\": \"[{ranks}]\""
            );
        });
        recorder.launch_collective(kernels::all_reduce(bucket.bytes(), world, link), on_kernel);
        recorder.close();
        recorder.close();
        recorder.close();
    }
}
