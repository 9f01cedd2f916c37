//! Kernels that run in alternation, so that they can be compared.

use std::sync::LazyLock;

use crate::cpu::{Cpu, Making, gemm};
use crate::system::available_memory;
use crate::timing;
use crate::{BenchError, CacheState, Kernel, Measurement, Options, Spec};

use super::{Code, Task};

/// Operands of kernels that are run in alternation may take so much memory together, or half of what is free if that is more.
pub(super) const MOST_MEMORY: usize = 1 << 30;

/// Bytes that operands of a group may take.
pub(super) fn room() -> usize {
    let half = available_memory().map_or(0, |bytes| (bytes / 2.0) as usize);
    half.max(MOST_MEMORY)
}

/// How many of the first tasks are run in alternation: the same conditions, and operands that fit in so much memory together.
pub(super) fn together(tasks: &[Task], first: &Task, room: usize) -> usize {
    let mut memory = 0_usize;
    let fits = |task: &&Task| {
        memory = memory.saturating_add(operand_bytes(task));
        task.options == first.options && memory <= room
    };
    tasks.iter().take_while(fits).count().max(1)
}

/// Measures kernels of the processor in alternation, some of them by the code of somebody else.
pub(super) fn in_turns(tasks: &[Task], options: &Options) -> Vec<Result<Measurement, BenchError>> {
    let cpu = Cpu::detect();
    let making = Making {
        instructions: cpu.instructions,
        threads: options.threads,
        state: options.state,
        last_cache: cpu.last_cache,
    };
    let made = tasks.iter().map(|task| match task.code {
        Code::Own => cpu.kernel(&task.spec, options),
        Code::Product(code) => gemm::make(&task.spec, &making, code),
    });
    let mut made: Vec<Result<Box<dyn Kernel>, BenchError>> = made.collect();
    let mut running: Vec<&mut dyn Kernel> =
        made.iter_mut().flatten().map(|kernel| &mut **kernel as _).collect();
    let mut measured =
        timing::measure(&mut running, options.threads, &cpu.name, &options.protocol).into_iter();
    let lost = || BenchError::Device { device: cpu.name.clone(), cause: "no answer".to_owned() };
    made.into_iter().map(|kernel| kernel.and_then(|_| measured.next().ok_or_else(lost))).collect()
}

/// Bytes that the operands of a kernel take about, copies included.
pub(super) fn operand_bytes(task: &Task) -> usize {
    let bytes = match task.spec {
        Spec::Gemv { n, k, weights, .. } | Spec::Gemm { n, k, weights, .. } => {
            weights.bytes(n as f64 * k as f64)
        }
        Spec::Stream { bytes, .. } => bytes as f64,
        Spec::Attention { shape, precision } => {
            precision.bytes(2.0 * (shape.batch * shape.kv_heads * shape.context * shape.dimension) as f64)
        }
        _ => 0.0,
    };
    /// Copies of operands that are cold are together this many times the last cache.
    const COPIES: f64 = 4.0;
    static LAST_CACHE: LazyLock<f64> = LazyLock::new(|| Cpu::detect().last_cache as f64);
    // The last copy may begin just before that is reached.
    (if task.options.state == CacheState::Cold { bytes + COPIES * *LAST_CACHE } else { bytes }) as usize
}
