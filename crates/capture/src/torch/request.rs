//! What to record of a program that uses PyTorch, and how the program hears of it.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// What to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Steps to record: of the optimizer, or calls of the outermost module where there is none.
    pub steps: u32,
    /// Steps that pass before. The first step is known by its end, so that at least one does.
    pub warmup: u32,
    /// What is allocated and freed.
    pub memory: bool,
    /// Python functions and modules.
    pub stacks: bool,
    /// Shapes of what operators take.
    pub shapes: bool,
    /// What the CUDA allocator did while the steps were recorded, as the snapshot that PyTorch writes.
    pub snapshot: bool,
    /// What memory of the host was for: parameters, gradients, activations. Takes memory, stacks and shapes, and time of the
    /// program once the steps are recorded.
    pub categories: bool,
    /// How long to record a program that has no steps.
    pub window: Duration,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            steps: 3,
            warmup: 2,
            memory: false,
            stacks: false,
            shapes: false,
            snapshot: false,
            categories: false,
            window: Duration::from_secs(2),
        }
    }
}

impl Request {
    /// The variables that say it. All of them are there, so that none that a shell has left over means anything.
    pub fn environment(&self, directory: &Path) -> Vec<(&'static str, OsString)> {
        let flag = |on: bool| OsString::from(if on { "1" } else { "0" });
        vec![
            ("EAVES_TORCH_DIRECTORY", directory.into()),
            ("EAVES_TORCH_STEPS", self.steps.max(1).to_string().into()),
            ("EAVES_TORCH_WARMUP", self.warmup.max(1).to_string().into()),
            ("EAVES_TORCH_MEMORY", flag(self.memory)),
            ("EAVES_TORCH_STACKS", flag(self.stacks)),
            ("EAVES_TORCH_SHAPES", flag(self.shapes)),
            ("EAVES_TORCH_SNAPSHOT", flag(self.snapshot)),
            ("EAVES_TORCH_CATEGORIES", flag(self.categories)),
            ("EAVES_TORCH_WINDOW_MS", self.window.as_millis().to_string().into()),
        ]
    }
}
