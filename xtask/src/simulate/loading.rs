//! How a training process gets its next batch.

use super::tensor::{Element, Input, Tensor};
use super::training::Trainer;

/// Who makes the batches.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Loading {
    /// The training process itself: this many nanoseconds for each sample, from and to.
    InProcess { decoding: (u64, u64) },
    /// Worker processes that are ahead of it: this many nanoseconds to take a batch from the queue, from and to.
    Workers { queue: (u64, u64) },
}

impl Trainer {
    /// `next()` of the data loader.
    pub(crate) fn load_batch(&mut self) {
        match self.loading {
            Loading::InProcess { decoding } => self.decode_batch(decoding),
            Loading::Workers { queue } => self.take_batch(queue),
        }
    }

    fn take_batch(&mut self, (low, high): (u64, u64)) {
        let recorder = &mut self.recorder;
        recorder.enter("torch/utils/data/dataloader.py(701): __next__");
        recorder.open_annotation("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__".into());
        recorder.enter("torch/utils/data/dataloader.py(1448): _next_data");
        recorder.enter("torch/utils/data/dataloader.py(1402): _get_data");
        recorder.elapse(low, high);
        recorder.leave();
        recorder.leave();
        recorder.close();
        recorder.leave();
    }

    /// Decodes every sample and puts them together.
    fn decode_batch(&mut self, decoding: (u64, u64)) {
        let (low, high) = decoding;
        let (batch, sequence) = (self.shape.batch, self.sequence);
        let recorder = &mut self.recorder;
        recorder.enter("torch/utils/data/dataloader.py(701): __next__");
        recorder.open_annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__".into());
        recorder.enter("torch/utils/data/dataloader.py(757): _next_data");
        recorder.enter("torch/utils/data/_utils/fetch.py(47): fetch");
        let sample = Tensor::new(Element::Long, &[sequence]);
        for _ in 0..batch {
            recorder.enter("dataset.py(27): __getitem__");
            recorder.enter("dataset.py(41): decode");
            recorder.elapse(low, high);
            recorder.leave();
            recorder.op("aten::select", &[Input::Tensor(sample), Input::Scalar("0")], |recorder| {
                recorder.as_strided(sample, sample);
            });
            recorder.leave();
        }
        recorder.enter("torch/utils/data/_utils/collate.py(398): default_collate");
        let samples = vec![sample; batch as usize];
        let inputs = [Input::Tensors(&samples), Input::Scalar("0")];
        recorder.open_forward("aten::stack", &inputs);
        recorder.op("aten::cat", &inputs, |recorder| recorder.elapse(4_000, 9_000));
        recorder.close();
        recorder.leave();
        recorder.leave();
        recorder.leave();
        recorder.close();
        recorder.leave();
    }
}
