//! An NVIDIA GPU as a backend.

use eaves_roofline::Engine;
use eaves_roofline::measured::{CacheState, Conditions, Execution, Measurement, Spec, summary, violations};

use super::driver::{DeviceInfo, Gpu};
use super::nvml::Monitor;
use super::plan::{Plan, Prepared, Request, plan};
use super::sampling::{Call, GpuRunner};
use super::vendor::{self, Vendor};
use super::{Architecture, Compiler};
use crate::backend::{Backend, BenchError, Options};
use crate::timing::{Run, sample_all};

/// Whose kernels are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kernels {
    /// Those of eaves.
    #[default]
    Own,
    /// Products of matrices by NVIDIA's cuBLASLt, if the machine has it.
    CublasLt,
}

/// An NVIDIA GPU.
pub struct Cuda {
    gpu: Gpu,
    monitor: Option<Monitor>,
    /// Units that peaks are measured of: if it is not said, the matrix units for what they compute, else the vector units.
    pub engine: Option<Engine>,
    /// Whose kernels are run.
    pub kernels: Kernels,
}

impl Cuda {
    /// Opens a device.
    pub fn open(info: &DeviceInfo) -> Result<Self, BenchError> {
        let gpu = Gpu::open(info)?;
        Ok(Self { gpu, monitor: Monitor::of_only_device(), engine: None, kernels: Kernels::default() })
    }

    /// What the device says of itself.
    pub fn info(&self) -> &DeviceInfo {
        &self.gpu.info
    }

    fn request(&self, spec: &Spec, state: CacheState) -> Request {
        let DeviceInfo { units, last_cache, .. } = self.gpu.info;
        Request { spec: *spec, engine: self.engine, state, units, last_cache }
    }

    fn prepare(&self, request: &Request) -> Result<(Described, Box<dyn Call>), BenchError> {
        match self.kernels {
            Kernels::Own => {
                let plan = plan(request)?;
                supported(&plan, self.gpu.info.architecture)?;
                let call = Prepared::new(&plan, &self.gpu)?;
                let described = Described::new(plan, self.gpu.info.architecture, self.gpu.compiler());
                Ok((described, Box::new(call)))
            }
            Kernels::CublasLt => {
                let (vendor, work) = Vendor::new(request, &self.gpu)?;
                let implementation = vendor::NAME.to_owned();
                Ok((Described { implementation, work, chores: Vec::new() }, Box::new(vendor)))
            }
        }
    }

    fn finished(
        &self,
        spec: &Spec,
        options: &Options,
        (described, call): (Described, &dyn Call),
        run: Run,
    ) -> Result<Measurement, BenchError> {
        let verification = call.verify(&self.gpu)?;
        let mut clocks: Vec<f64> =
            run.samples.iter().filter(|sample| sample.is_clean()).filter_map(|sample| sample.clock).collect();
        clocks.sort_by(f64::total_cmp);
        let mut measurement = Measurement {
            conditions: conditions(self.device(), described.implementation, options.state),
            spec: *spec,
            work: described.work,
            chores: described.chores,
            time: summary(&run.samples, run.pieces),
            samples: run.samples,
            clock: clocks.get(clocks.len() / 2).copied(),
            verification: Some(verification),
            execution: Execution::Executed,
            violations: Vec::new(),
        };
        measurement.violations = violations(&measurement, &Default::default());
        Ok(measurement)
    }
}

/// What a measurement says of a kernel next to numbers.
struct Described {
    implementation: String,
    work: eaves_roofline::Work,
    chores: Vec<eaves_roofline::measured::Chore>,
}

impl Described {
    fn new(plan: Plan, architecture: Architecture, compiler: &Compiler) -> Self {
        let slower = plan.program.quicker_on(architecture);
        let slower = slower.map_or(String::new(), |name| format!(", where {name} would be quicker"));
        let implementation = format!("{}{slower} ({})", plan.implementation, compiler.name());
        Self { implementation, work: plan.work, chores: plan.chores }
    }
}

fn conditions(device: String, implementation: String, state: CacheState) -> Conditions {
    Conditions { backend: "cuda".to_owned(), device, implementation, threads: 1, state, huge_pages: None }
}

/// An error if the architecture lacks what the program needs.
fn supported(plan: &Plan, architecture: Architecture) -> Result<(), BenchError> {
    let needs = plan.program.needs;
    if needs.met_by(architecture) {
        return Ok(());
    }
    Err(BenchError::Unsupported {
        backend: "cuda".to_owned(),
        what: plan.program.id.to_owned(),
        why: format!("it needs {needs}, and this is {architecture}"),
    })
}

impl Backend for Cuda {
    fn id(&self) -> &'static str {
        "cuda"
    }

    fn device(&self) -> String {
        self.gpu.info.name.clone()
    }

    fn measure(&self, specs: &[Spec], options: &Options) -> Vec<Result<Measurement, BenchError>> {
        let (mut described, mut calls, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for spec in specs {
            match self.prepare(&self.request(spec, options.state)) {
                Ok((words, call)) => {
                    described.push(words);
                    calls.push(call);
                    places.push(Ok(*spec));
                }
                Err(error) => places.push(Err(error)),
            }
        }
        let mut crew = match GpuRunner::new(&self.gpu, &calls, self.monitor.as_ref()) {
            Ok(crew) => crew,
            Err(error) => {
                return places.into_iter().map(|place| Err(place.err().unwrap_or(error.clone()))).collect();
            }
        };
        let runs = sample_all(&mut crew, &vec![1; calls.len()], &options.protocol);
        let errors = std::mem::take(&mut crew.errors);
        let mut done = described.into_iter().zip(&calls).zip(runs).zip(errors);
        let lost = || BenchError::Device { device: self.device(), cause: "no answer".to_owned() };
        places
            .into_iter()
            .map(|place| {
                let spec = place?;
                let (((words, call), run), error) = done.next().ok_or_else(lost)?;
                error.map_or_else(|| self.finished(&spec, options, (words, &**call), run), Err)
            })
            .collect()
    }
}

/// Compiles the kernel of a spec for an architecture that need not be there: what one multiprocessor would have to do, and
/// no time. An error if there is no such kernel, or the architecture or the compiler refuses it.
pub fn compile_only(spec: &Spec, architecture: Architecture) -> Result<Measurement, BenchError> {
    let plan = planned_for(spec, architecture)?;
    compiled(spec, plan, architecture, &Compiler::find()?)
}

/// As [`compile_only`], with a compiler that is loaded already.
pub fn compile_only_with(
    compiler: &Compiler,
    spec: &Spec,
    architecture: Architecture,
) -> Result<Measurement, BenchError> {
    compiled(spec, planned_for(spec, architecture)?, architecture, compiler)
}

fn planned_for(spec: &Spec, architecture: Architecture) -> Result<Plan, BenchError> {
    let state = CacheState::Hot;
    let plan = plan(&Request { spec: *spec, engine: None, state, units: 1, last_cache: 0 })?;
    supported(&plan, architecture)?;
    Ok(plan)
}

fn compiled(
    spec: &Spec,
    plan: Plan,
    architecture: Architecture,
    compiler: &Compiler,
) -> Result<Measurement, BenchError> {
    compiler.compile(plan.program, &plan.defines, architecture)?;
    let described = Described::new(plan, architecture, compiler);
    Ok(Measurement {
        conditions: conditions(architecture.to_string(), described.implementation, CacheState::Hot),
        spec: *spec,
        work: described.work,
        chores: described.chores,
        samples: Vec::new(),
        time: None,
        clock: None,
        verification: None,
        execution: Execution::CompiledOnly,
        violations: Vec::new(),
    })
}
