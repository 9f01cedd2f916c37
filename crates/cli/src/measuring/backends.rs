//! What can run kernels here.

use std::sync::LazyLock;

use anyhow::Result;
use clap::ValueEnum;
use eaves_bench::cpu::gemm;
use eaves_bench::cpu::{Cpu, Making};
use eaves_bench::opencl::{self, Kind, OpenCl};
use eaves_bench::{Backend, BenchError, CacheState, Kernel, Measurement, Options, Spec, timing};

use super::{Code, Task};
use crate::failure::hinted;

/// The backends by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BackendName {
    #[default]
    Cpu,
    Opencl,
    Cuda,
}

/// A backend that was opened.
pub(crate) enum Opened {
    /// The processor.
    Cpu(Cpu),
    /// A device of OpenCL.
    OpenCl(Box<OpenCl>),
    /// An NVIDIA GPU, or a compiler for one.
    #[cfg(feature = "cuda")]
    Cuda(Box<dyn Backend>),
}

/// Every backend by name, with why it cannot be used here, if it cannot.
pub(crate) fn backends() -> Vec<(String, Option<String>)> {
    let named = |backend: &BackendName| {
        let name = backend.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        (name, open(*backend, None).err().map(|error| error.to_string()))
    };
    BackendName::value_variants().iter().map(named).collect()
}

/// Opens the backend of this name.
///
/// `architecture` is one of CUDA that kernels are compiled for and not run.
pub(crate) fn open(name: BackendName, architecture: Option<&str>) -> Result<Opened> {
    if architecture.is_some() && name != BackendName::Cuda {
        return Err(hinted(
            "kernels are compiled without being run for CUDA alone",
            "give --backend cuda with --compile-for",
        ));
    }
    match name {
        BackendName::Cpu => Ok(Opened::Cpu(Cpu::detect())),
        BackendName::Opencl => {
            let hint = "install a driver, such as PoCL's for processors; `--backend cpu` needs none";
            let platforms = opencl::platforms().map_err(|error| hinted(error.to_string(), hint))?;
            let mut devices: Vec<_> = platforms.into_iter().flat_map(|platform| platform.devices).collect();
            // A GPU is meant where there is one.
            devices.sort_by_key(|device| device.kind == Kind::Cpu);
            let device = devices
                .first()
                .ok_or_else(|| hinted("there is no device of OpenCL on this machine", hint))?;
            let opened = OpenCl::open(device).map_err(|error| hinted(error.to_string(), hint))?;
            Ok(Opened::OpenCl(Box::new(opened)))
        }
        BackendName::Cuda => cuda(architecture),
    }
}

#[cfg(not(feature = "cuda"))]
fn cuda(_architecture: Option<&str>) -> Result<Opened> {
    Err(hinted(
        "this eaves was built without CUDA",
        "build it with `--features cuda`, or use `--backend opencl`, which runs on NVIDIA's GPUs too",
    ))
}

#[cfg(feature = "cuda")]
fn cuda(architecture: Option<&str>) -> Result<Opened> {
    use eaves_bench::cuda::{Architecture, Cuda, devices};
    let hint =
        "`--compile-for sm_90` compiles kernels without a GPU; `--backend opencl` and `cpu` need no CUDA";
    if let Some(name) = architecture {
        let architecture: Architecture = name.parse().map_err(|_| {
            hinted(format!("`{name}` is no architecture"), "such as sm_80, sm_89, sm_90a, sm_100a or sm_120a")
        })?;
        return Ok(Opened::Cuda(Box::new(CompileOnly(architecture))));
    }
    let found = devices();
    let Some(info) = found.devices.first() else {
        let reason = found.reason.unwrap_or_else(|| "there is no NVIDIA GPU".to_owned());
        return Err(hinted(format!("CUDA cannot be used: {reason}"), hint));
    };
    let gpu = Cuda::open(info).map_err(|error| hinted(error.to_string(), hint))?;
    Ok(Opened::Cuda(Box::new(gpu)))
}

/// Kernels of CUDA that are compiled and not run.
#[cfg(feature = "cuda")]
struct CompileOnly(eaves_bench::cuda::Architecture);

#[cfg(feature = "cuda")]
impl Backend for CompileOnly {
    fn id(&self) -> &'static str {
        "cuda"
    }

    fn device(&self) -> String {
        self.0.to_string()
    }

    fn measure(&self, specs: &[Spec], _options: &Options) -> Vec<Result<Measurement, BenchError>> {
        specs.iter().map(|spec| eaves_bench::cuda::compile_only(spec, self.0)).collect()
    }
}

impl Opened {
    pub(crate) fn backend(&self) -> &dyn Backend {
        match self {
            Self::Cpu(cpu) => cpu,
            Self::OpenCl(device) => device.as_ref(),
            #[cfg(feature = "cuda")]
            Self::Cuda(backend) => backend.as_ref(),
        }
    }
}

/// Measures kernels of the processor in turns, some of them by the code of somebody else.
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
    /// Copies of operands that are cold are together so many times the last cache.
    const COPIES: f64 = 4.0;
    static LAST_CACHE: LazyLock<f64> = LazyLock::new(|| Cpu::detect().last_cache as f64);
    // The last copy may begin just before that is reached.
    (if task.options.state == CacheState::Cold { bytes + COPIES * *LAST_CACHE } else { bytes }) as usize
}
