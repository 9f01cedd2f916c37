//! The processor as a backend.

use eaves_roofline::device::detect::{Kind, Machine};
use eaves_roofline::measured::{Measurement, Spec};

use super::{FAMILIES, InstructionSet, Making};
use crate::backend::{Backend, BenchError, Options};
use crate::kernel::Kernel;
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
