//! A device of OpenCL as a backend.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use eaves_roofline::measured::{CacheState, Conditions, Execution, Measurement, Spec, summary, violations};

use super::devices::{DeviceInfo, Kind};
use super::driver::{Driver, OwnProgram};
use super::launch::Prepared;
use super::sampling::{DeviceRunner, cut_to_slices};
use super::{attention, exp, fma, gemm, gemv, stream};
use crate::backend::{Backend, BenchError, Options};
use crate::timing::{Run, sample_all};

/// Bytes to assume for the last cache of a device that does not tell.
const UNTOLD_CACHE: u64 = 32 << 20;

/// Copies of the operands exceed the last cache by this factor.
const COLD_FACTOR: u64 = 4;

/// A device of OpenCL.
pub struct OpenCl {
    info: DeviceInfo,
    /// Compiled kernels by source and options; released before what they were compiled for.
    programs: RefCell<HashMap<(&'static str, String), Rc<OwnProgram>>>,
    driver: Driver,
    /// A text of the sources and what stands there instead.
    #[cfg(test)]
    pub(super) patch: Option<(&'static str, &'static str)>,
    /// Whether kernels are shared out as on a graphics processor.
    #[cfg(test)]
    pub(super) shared_groups: bool,
}

impl OpenCl {
    /// Opens a device.
    pub fn open(info: &DeviceInfo) -> Result<Self, BenchError> {
        Self::opened(info.clone(), None)
    }

    /// Opens this many units of a device, if its driver can divide it: those of processors do. On a machine that does other
    /// things too, one unit is seldom disturbed where all of them always are.
    pub fn open_units(info: &DeviceInfo, units: u32) -> Result<Self, BenchError> {
        let units = units.clamp(1, info.units.max(1));
        Self::opened(DeviceInfo { units, ..info.clone() }, (units < info.units).then_some(units))
    }

    fn opened(info: DeviceInfo, units: Option<u32>) -> Result<Self, BenchError> {
        Ok(Self {
            driver: Driver::open(info.device, units, &info.name)?,
            info,
            programs: RefCell::default(),
            #[cfg(test)]
            patch: None,
            #[cfg(test)]
            shared_groups: false,
        })
    }

    /// What the device says of itself.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Whether the device is the processor: items then do as much as possible by themselves.
    pub(super) fn is_processor(&self) -> bool {
        #[cfg(test)]
        if self.shared_groups {
            return false;
        }
        self.info.kind == Kind::Cpu
    }

    pub(super) fn driver(&self) -> &Driver {
        &self.driver
    }

    /// The error for what this device cannot do.
    pub(super) fn unsupported(&self, what: impl Into<String>, why: impl Into<String>) -> BenchError {
        BenchError::Unsupported { backend: self.id().to_owned(), what: what.into(), why: why.into() }
    }

    /// How many copies of operands of this many bytes there are: one, or as many as do not fit the last cache. An error if
    /// they are to be in that cache, and are too large for it.
    pub(super) fn copies(&self, state: CacheState, bytes: usize) -> Result<usize, BenchError> {
        let cache = self.info.cache.unwrap_or(UNTOLD_CACHE);
        match state {
            CacheState::Hot => Ok(1),
            CacheState::LastLevel if bytes as u64 >= cache => {
                let why = format!("the last cache has {cache}");
                Err(self.unsupported(format!("{bytes} bytes in the last cache"), why))
            }
            CacheState::LastLevel => Ok(1),
            CacheState::Cold => {
                let wanted = cache.saturating_mul(COLD_FACTOR).div_ceil((bytes as u64).max(1));
                Ok(usize::try_from(wanted).unwrap_or(usize::MAX).max(1))
            }
        }
    }

    /// Compiles a source, once for each set of options.
    pub(super) fn program(&self, source: &'static str, options: &str) -> Result<Rc<OwnProgram>, BenchError> {
        let key = (source, options.to_owned());
        if let Some(program) = self.programs.borrow().get(&key) {
            return Ok(Rc::clone(program));
        }
        #[cfg(test)]
        let source = &*self.patch.map_or_else(|| source.to_owned(), |(from, to)| source.replace(from, to));
        let program = Rc::new(self.driver.build(source, options)?);
        self.programs.borrow_mut().insert(key, Rc::clone(&program));
        Ok(program)
    }

    /// The kernel for a spec, with operands.
    pub(super) fn prepare(&self, spec: &Spec, options: &Options) -> Result<Prepared, BenchError> {
        let mut prepared = match spec {
            Spec::Exp => exp::prepare(self),
            Spec::Softmax => Err(BenchError::Unsupported {
                backend: "opencl".to_owned(),
                what: spec.family().to_owned(),
                why: "attention is compared with exponentials".to_owned(),
            }),
            Spec::Stream { stream, bytes } => stream::prepare(self, *stream, *bytes, options.state),
            Spec::Fma { arithmetic } => fma::prepare(self, *arithmetic),
            Spec::Gemv { .. } => gemv::prepare(self, spec, options.state),
            Spec::Gemm { .. } => gemm::prepare(self, spec, options.state),
            Spec::Attention { shape, precision } => {
                attention::prepare(self, shape, *precision, options.state)
            }
        }?;
        cut_to_slices(&self.driver, &self.info, &mut prepared)?;
        Ok(prepared)
    }

    fn finished(&self, kernel: &Prepared, run: Run) -> Result<Measurement, BenchError> {
        let verification = (kernel.check)(&self.driver)?;
        let mut measurement = Measurement {
            spec: kernel.spec,
            conditions: Conditions {
                backend: self.id().to_owned(),
                device: self.device(),
                implementation: kernel.implementation.clone(),
                threads: 1,
                state: kernel.state,
                huge_pages: None,
            },
            work: kernel.work.clone(),
            chores: kernel.chores.clone(),
            time: summary(&run.samples, run.pieces),
            samples: run.samples,
            clock: None,
            verification: Some(verification),
            execution: Execution::Executed,
            violations: Vec::new(),
        };
        measurement.violations = violations(&measurement, &Default::default());
        Ok(measurement)
    }
}

impl Backend for OpenCl {
    fn id(&self) -> &'static str {
        "opencl"
    }

    fn device(&self) -> String {
        self.info.name.clone()
    }

    fn measure(&self, specs: &[Spec], options: &Options) -> Vec<Result<Measurement, BenchError>> {
        let mut kernels = Vec::with_capacity(specs.len());
        let made: Vec<Option<BenchError>> = specs
            .iter()
            .map(|spec| self.prepare(spec, options).map(|kernel| kernels.push(kernel)).err())
            .collect();
        let pieces: Vec<usize> = kernels.iter().map(Prepared::pieces).collect();
        let mut crew = DeviceRunner::new(&self.driver, &self.info, &kernels);
        let runs = sample_all(&mut crew, &pieces, &options.protocol);
        let errors = std::mem::take(&mut crew.errors);
        let mut measured = kernels
            .iter()
            .zip(runs)
            .zip(errors)
            .map(|((kernel, run), error)| error.map_or_else(|| self.finished(kernel, run), Err));
        let lost = || BenchError::Device { device: self.device(), cause: "no answer".to_owned() };
        made.into_iter()
            .map(|error| error.map_or_else(|| measured.next().unwrap_or_else(|| Err(lost())), Err))
            .collect()
    }
}
