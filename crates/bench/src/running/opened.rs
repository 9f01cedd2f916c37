//! What can run kernels here.

use crate::Backend;
use crate::cpu::Cpu;
use crate::opencl::{self, Kind, OpenCl};

/// The backends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackendKind {
    /// The processor.
    #[default]
    Cpu,
    /// A device of OpenCL.
    OpenCl,
    /// An NVIDIA GPU.
    Cuda,
}

/// Why a backend is unavailable, and what to try.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unavailable {
    /// Why.
    pub message: String,
    /// What to try.
    pub hint: &'static str,
}

impl Unavailable {
    pub(super) fn new(message: impl ToString, hint: &'static str) -> Self {
        Self { message: message.to_string(), hint }
    }
}

/// A backend that was opened.
pub enum Opened {
    /// The processor.
    Cpu(Cpu),
    /// A device of OpenCL.
    OpenCl(Box<OpenCl>),
    /// An NVIDIA GPU, or a compiler for one.
    #[cfg(feature = "cuda")]
    Cuda(Box<dyn Backend>),
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Opened").field(&self.backend().id()).finish()
    }
}

impl BackendKind {
    /// Every backend.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::OpenCl, Self::Cuda];

    /// Its name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::OpenCl => "opencl",
            Self::Cuda => "cuda",
        }
    }

    /// Opens it. `architecture` is one of CUDA that kernels are compiled for and not run.
    ///
    /// # Errors
    /// If this machine or this build has no such backend.
    pub fn open(self, architecture: Option<&str>) -> Result<Opened, Unavailable> {
        if architecture.is_some() && self != Self::Cuda {
            return Err(Unavailable::new(
                "kernels are compiled without being run for CUDA alone",
                "give --backend cuda with --compile-for",
            ));
        }
        match self {
            Self::Cpu => Ok(Opened::Cpu(Cpu::detect())),
            Self::OpenCl => opencl(),
            Self::Cuda => cuda(architecture),
        }
    }
}

fn opencl() -> Result<Opened, Unavailable> {
    let hint = "install a driver, such as PoCL's for processors; `--backend cpu` needs none";
    let platforms = opencl::platforms().map_err(|error| Unavailable::new(error, hint))?;
    let mut devices: Vec<_> = platforms.into_iter().flat_map(|platform| platform.devices).collect();
    // A GPU is meant where there is one.
    devices.sort_by_key(|device| device.kind == Kind::Cpu);
    let device = devices.first().ok_or_else(|| Unavailable::new("no OpenCL device on this machine", hint))?;
    let opened = OpenCl::open(device).map_err(|error| Unavailable::new(error, hint))?;
    Ok(Opened::OpenCl(Box::new(opened)))
}

#[cfg(not(feature = "cuda"))]
fn cuda(_architecture: Option<&str>) -> Result<Opened, Unavailable> {
    Err(Unavailable::new(
        "this eaves was built without CUDA",
        "build it with `--features cuda`, or use `--backend opencl`, which runs on NVIDIA's GPUs too",
    ))
}

#[cfg(feature = "cuda")]
fn cuda(architecture: Option<&str>) -> Result<Opened, Unavailable> {
    use crate::cuda::{Architecture, Cuda, devices};
    let hint =
        "`--compile-for sm_90` compiles kernels without a GPU; `--backend opencl` and `cpu` need no CUDA";
    if let Some(name) = architecture {
        let architecture: Architecture = name.parse().map_err(|_| {
            Unavailable::new(
                format!("`{name}` is no architecture"),
                "such as sm_80, sm_89, sm_90a, sm_100a or sm_120a",
            )
        })?;
        return Ok(Opened::Cuda(Box::new(CompileOnly(architecture))));
    }
    let found = devices();
    let Some(info) = found.devices.first() else {
        let reason = found.reason.unwrap_or_else(|| "there is no NVIDIA GPU".to_owned());
        return Err(Unavailable::new(format!("CUDA cannot be used: {reason}"), hint));
    };
    let gpu = Cuda::open(info).map_err(|error| Unavailable::new(error, hint))?;
    Ok(Opened::Cuda(Box::new(gpu)))
}

/// Kernels of CUDA that are compiled and not run.
#[cfg(feature = "cuda")]
struct CompileOnly(crate::cuda::Architecture);

#[cfg(feature = "cuda")]
impl Backend for CompileOnly {
    fn id(&self) -> &'static str {
        "cuda"
    }

    fn device(&self) -> String {
        self.0.to_string()
    }

    fn measure(
        &self,
        specs: &[crate::Spec],
        _options: &crate::Options,
    ) -> Vec<Result<crate::Measurement, crate::BenchError>> {
        specs.iter().map(|spec| crate::cuda::compile_only(spec, self.0)).collect()
    }
}

impl Opened {
    /// Backend and options for running kernels.
    pub fn backend(&self) -> &dyn Backend {
        match self {
            Self::Cpu(cpu) => cpu,
            Self::OpenCl(device) => device.as_ref(),
            #[cfg(feature = "cuda")]
            Self::Cuda(backend) => backend.as_ref(),
        }
    }
}
