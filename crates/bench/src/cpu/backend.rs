//! The processor as a backend.

use eaves_roofline::device::detect::{Kind, Machine};
use eaves_roofline::measured::{CacheState, Measurement, Spec};

use super::{FAMILIES, InstructionSet, Making};
use crate::backend::{Backend, BenchError, Options};
use crate::kernel::Kernel;
use crate::system::available_memory;
use crate::timing;

/// The last cache of processors that do not say.
const USUAL_LAST_CACHE: usize = 32 << 20;

/// The processor that eaves runs on.
#[derive(Clone, Debug)]
pub struct Cpu {
    /// Its name.
    pub name: String,
    /// Instructions that kernels use.
    pub instructions: InstructionSet,
    /// Bytes of its last cache.
    pub last_cache: usize,
}

impl Cpu {
    /// What the system says of it.
    pub fn detect() -> Self {
        let found = Machine::here().detect().into_iter().find(|found| found.kind == Kind::Cpu);
        // Main memory comes first, then caches, the last one first.
        let last =
            found.iter().flat_map(|found| &found.device.memory).find(|level| level.id.starts_with('l'));
        let last_cache = last.and_then(|level| level.size.as_ref()).map(|size| size.value as usize);
        Self {
            name: found.map_or_else(|| "CPU".to_owned(), |found| found.reported),
            instructions: InstructionSet::best(),
            // All caches of that level together: several sockets or dies have one each, and threads use all of them.
            last_cache: last_cache.unwrap_or(USUAL_LAST_CACHE),
        }
    }

    /// The kernel for a spec, with operands.
    pub fn kernel(&self, spec: &Spec, options: &Options) -> Result<Box<dyn Kernel>, BenchError> {
        let making = Making {
            // Never more than there are: kernels rely on it.
            instructions: self.instructions.min(InstructionSet::best()),
            threads: options.threads.max(1),
            state: options.state,
            last_cache: self.last_cache,
        };
        let bytes = operands(spec);
        let copies = if options.state == CacheState::Cold { 4.0 * self.last_cache as f64 } else { 0.0 };
        if available_memory().is_some_and(|available| bytes + made_from(spec) + copies > available) {
            return Err(BenchError::Memory { what: format!("{} {}", spec.family(), spec.shape()) });
        }
        if options.state == CacheState::LastLevel && bytes >= self.last_cache as f64 {
            let mebibytes = |bytes: f64| (bytes / f64::from(1 << 20)).ceil();
            return Err(BenchError::Unsupported {
                backend: self.id().to_owned(),
                what: format!("{} {} in the last cache", spec.family(), spec.shape()),
                why: format!(
                    "operands of {} MiB do not fit its {} MiB",
                    mebibytes(bytes),
                    mebibytes(self.last_cache as f64)
                ),
            });
        }
        FAMILIES.iter().find_map(|family| family(spec, &making)).unwrap_or_else(|| {
            Err(BenchError::Unsupported {
                backend: self.id().to_owned(),
                what: spec.family().to_owned(),
                why: "there is none yet".to_owned(),
            })
        })
    }
}

impl Backend for Cpu {
    fn id(&self) -> &'static str {
        "cpu"
    }

    fn device(&self) -> String {
        self.name.clone()
    }

    fn measure(&self, specs: &[Spec], options: &Options) -> Vec<Result<Measurement, BenchError>> {
        let made: Vec<_> = specs.iter().map(|spec| self.kernel(spec, options)).collect();
        let mut errors = Vec::with_capacity(made.len());
        let mut kernels = Vec::with_capacity(made.len());
        for result in made {
            match result {
                Ok(kernel) => {
                    kernels.push(kernel);
                    errors.push(None);
                }
                Err(error) => errors.push(Some(error)),
            }
        }
        let mut running: Vec<&mut dyn Kernel> = kernels.iter_mut().map(|kernel| &mut **kernel as _).collect();
        let measured = timing::measure(&mut running, options.threads, &self.name, &options.protocol);
        let mut measured = measured.into_iter();
        let lost = || BenchError::Device { device: self.name.clone(), cause: "no answer".to_owned() };
        errors.into_iter().map(|error| error.map_or_else(|| measured.next().ok_or_else(lost), Err)).collect()
    }
}

/// Rows of weights that are drawn at random, as FP64; others repeat them.
const DISTINCT_ROWS: usize = 251;

/// Bytes of the numbers that operands are made from, next to them.
fn made_from(spec: &Spec) -> f64 {
    match *spec {
        Spec::Gemv { n, k, .. } | Spec::Gemm { n, k, .. } => 8.0 * n.min(DISTINCT_ROWS) as f64 * k as f64,
        _ => 0.0,
    }
}

/// Bytes that operands of a spec need at the very least.
fn operands(spec: &Spec) -> f64 {
    let size = |dimension: usize| dimension as f64;
    match *spec {
        Spec::Stream { bytes, .. } => size(bytes),
        Spec::Gemv { n, k, weights, .. } => weights.bytes(size(n) * size(k)) + 4.0 * (size(n) + size(k)),
        Spec::Gemm { m, n, k, weights, activations } => {
            let operands = weights.bytes(size(n) * size(k)) + activations.bytes(size(m) * size(k));
            operands + 4.0 * size(m) * size(n)
        }
        Spec::Attention { shape, precision } => {
            let sequence = size(shape.batch) * size(shape.dimension);
            let cache = precision.bytes(2.0 * sequence * size(shape.kv_heads) * size(shape.context));
            cache + 4.0 * 2.0 * sequence * size(shape.heads) * size(shape.queries)
        }
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use eaves_roofline::Precision;
    use eaves_roofline::measured::{Attend, Stream};

    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_does_not_fit_is_refused_before_it_is_made() {
        const HUGE: usize = 1 << 40;
        let (weights, activations) = (Precision::FP32, Precision::FP32);
        let shape = Attend {
            batch: 1,
            heads: 1,
            kv_heads: 1,
            queries: 1,
            context: HUGE,
            dimension: 1 << 24,
            causal: false,
        };
        let options = Options { threads: 1, state: CacheState::Hot, protocol: timing::Protocol::default() };
        for spec in [
            Spec::Gemv { n: 1, k: HUGE, weights, activations },
            Spec::Gemm { m: HUGE, n: HUGE, k: HUGE, weights, activations },
            Spec::Attention { shape, precision: Precision::FP32 },
        ] {
            let refused = Cpu::detect().kernel(&spec, &options).err();
            assert!(matches!(refused, Some(BenchError::Memory { .. })), "{spec:?}: {refused:?}");
        }
        // A single row of bits that fits is made from numbers that do not.
        let cpu = Cpu::detect();
        let available = available_memory().unwrap() as usize;
        let (weights, k) = ("int4".parse().unwrap(), available / 251 / 8 + 1);
        let spec = Spec::Gemv { n: 251, k, weights, activations };
        assert!(operands(&spec) < available as f64 / 2.0);
        assert!(matches!(cpu.kernel(&spec, &options).err(), Some(BenchError::Memory { .. })));
    }

    /// Whatever the family, what is to be in the last cache must fit it.
    #[test]
    fn what_is_to_be_in_the_last_cache_fits_it() {
        let cpu = Cpu { last_cache: 1 << 20, ..Cpu::detect() };
        let (weights, activations) = (Precision::FP32, Precision::FP32);
        let options =
            Options { threads: 1, state: CacheState::LastLevel, protocol: timing::Protocol::default() };
        let attention = |context: usize| {
            let shape =
                Attend { batch: 1, heads: 1, kv_heads: 1, queries: 1, context, dimension: 64, causal: false };
            Spec::Attention { shape, precision: Precision::FP32 }
        };
        let pairs = [
            [256, 512].map(|side| Spec::Gemm { m: side, n: side, k: side, weights, activations }),
            [256, 512].map(|side| Spec::Gemv { n: side, k: side, weights, activations }),
            [1 << 19, 1 << 20].map(|bytes| Spec::Stream { stream: Stream::Read { streams: 1 }, bytes }),
            [1024, 2048].map(attention),
        ];
        for [fits, exceeds] in pairs {
            assert!(cpu.kernel(&fits, &options).is_ok(), "{fits:?}");
            let refused = cpu.kernel(&exceeds, &options).err();
            assert!(matches!(refused, Some(BenchError::Unsupported { .. })), "{exceeds:?}: {refused:?}");
        }
    }
}
