//! Products of matrices by NVIDIA's cuBLASLt: the line to be compared with.
#![expect(unsafe_code, reason = "functions of a library that is loaded at run time")]

use std::ffi::{c_int, c_void};

use cudarc::cublaslt::result::{self, CublasError};
use cudarc::cublaslt::sys::{self, cublasComputeType_t as Compute, cudaDataType_t as Type};
use eaves_roofline::measured::{Spec, Verification};
use eaves_roofline::{Precision, Work};

use super::device::{Device, Memory};
use super::driver::Gpu;
use super::gemm;
use super::numbers::{Matrix, Number};
use super::plan::Request;
use super::sampling::Call;
use crate::backend::BenchError;

/// The name in results.
pub(super) const NAME: &str = "cuBLASLt";

/// Bytes of scratch memory, as NVIDIA advises for Hopper; more than others need.
const SCRATCH: usize = 32 << 20;

/// Bytes that rows are padded to, which every algorithm takes.
const PITCH: usize = 64;

/// What is called of the library.
const FUNCTIONS: &[&str] = &[
    "cublasLtCreate",
    "cublasLtDestroy",
    "cublasLtMatmul",
    "cublasLtMatmulAlgoGetHeuristic",
    "cublasLtMatmulDescCreate",
    "cublasLtMatmulDescDestroy",
    "cublasLtMatmulDescSetAttribute",
    "cublasLtMatmulPreferenceCreate",
    "cublasLtMatmulPreferenceDestroy",
    "cublasLtMatmulPreferenceSetAttribute",
    "cublasLtMatrixLayoutCreate",
    "cublasLtMatrixLayoutDestroy",
];

/// Whether the library is there with all that is called of it.
pub fn has_cublaslt() -> bool {
    // SAFETY: NVIDIA's library; functions are looked for, not called.
    unsafe {
        sys::is_culib_present()
            && FUNCTIONS
                .iter()
                .all(|name| sys::culib().get::<unsafe extern "C" fn()>(name.as_bytes()).is_ok())
    }
}

/// Operands, what is accumulated in, and what results and factors are.
fn types(number: Number) -> Option<(Type, Compute, Type)> {
    let float = Type::CUDA_R_32F;
    Some(match number {
        Number::Fp32 => (float, Compute::CUBLAS_COMPUTE_32F, float),
        Number::Tf32 => (float, Compute::CUBLAS_COMPUTE_32F_FAST_TF32, float),
        Number::Fp16 => (Type::CUDA_R_16F, Compute::CUBLAS_COMPUTE_32F, float),
        Number::Bf16 => (Type::CUDA_R_16BF, Compute::CUBLAS_COMPUTE_32F, float),
        Number::Int8 => (Type::CUDA_R_8I, Compute::CUBLAS_COMPUTE_32I, Type::CUDA_R_32I),
        Number::E4m3 => (Type::CUDA_R_8F_E4M3, Compute::CUBLAS_COMPUTE_32F, float),
        // Two of this type are not multiplied.
        Number::E5m2 | Number::Fp64 | Number::E2m1 => return None,
    })
}

/// Something of the library's, and how it is given back.
struct Owned<T: Copy> {
    of: T,
    free: unsafe fn(T) -> Result<(), CublasError>,
}

impl<T: Copy> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: made by the library and given back once. Nothing can be done if it does not want it.
        let _kept = unsafe { (self.free)(self.of) };
    }
}

/// A product of matrices.
pub(super) struct Vendor {
    number: Number,
    shape: (usize, usize, usize),
    copies: usize,
    host: (Matrix, Matrix),
    left: Memory,
    right: Memory,
    out: Memory,
    scratch: Memory,
    algorithm: sys::cublasLtMatmulAlgo_t,
    layouts: [Owned<sys::cublasLtMatrixLayout_t>; 3],
    description: Owned<sys::cublasLtMatmulDesc_t>,
    // Dropped after all that was made with it.
    handle: Owned<sys::cublasLtHandle_t>,
    stream: sys::cudaStream_t,
    device: String,
}

impl Vendor {
    /// Makes operands and has the library choose an algorithm.
    pub(super) fn new(request: &Request, gpu: &Gpu) -> Result<(Self, Work), BenchError> {
        let Spec::Gemm { m, n, k, weights, activations } = request.spec else {
            return Err(request.unsupported("cuBLASLt multiplies matrices only"));
        };
        let shape = (m, n, k);
        let number = gemm::operands(request, shape, &weights, &activations)?;
        let Some((operands, compute, results)) = types(number) else {
            return Err(request.unsupported("cuBLASLt has no product of two such matrices"));
        };
        if !has_cublaslt() {
            return Err(request.unsupported("there is no cuBLASLt on this machine"));
        }
        let failed = |error: CublasError| BenchError::Device {
            device: gpu.info.name.clone(),
            cause: format!("cuBLASLt: {:?}", error.0),
        };
        let host = gemm::random(number, shape, PITCH);
        let row = Matrix::row_bytes(number, k, PITCH);
        let copies = request.copies(n * row);
        let device: &dyn Device = gpu;
        let left = device.filled(&host.0.bytes, 1)?;
        let right = device.filled(&host.1.bytes, copies)?;
        let (out, scratch) = (device.allocate(m * n * 4)?, device.allocate(SCRATCH)?);
        let handle = Owned { of: result::create_handle().map_err(failed)?, free: result::destroy_handle };
        // The library has columns where others have rows: C transposed is B times A transposed, and rows of both operands are
        // columns of k elements.
        let pitch = (row * 8 / number.bits()) as i64;
        let layout = |kind, rows: usize, columns: usize, pitch| {
            let of =
                result::create_matrix_layout(kind, rows as u64, columns as u64, pitch).map_err(failed)?;
            Ok(Owned { of, free: result::destroy_matrix_layout })
        };
        let layouts = [
            layout(operands, k, n, pitch)?,
            layout(operands, k, m, pitch)?,
            layout(results, n, m, n as i64)?,
        ];
        let description = Owned {
            of: result::create_matmul_desc(compute, results).map_err(failed)?,
            free: result::destroy_matmul_desc,
        };
        let (transposed, scratch_bytes): (c_int, usize) = (1, SCRATCH);
        let preference =
            Owned { of: result::create_matmul_pref().map_err(failed)?, free: result::destroy_matmul_pref };
        // SAFETY: all of it was made above; values are of the types that the attributes have.
        let chosen = unsafe {
            result::set_matmul_desc_attribute(
                description.of,
                sys::cublasLtMatmulDescAttributes_t::CUBLASLT_MATMUL_DESC_TRANSA,
                (&raw const transposed).cast(),
                size_of::<c_int>(),
            )
            .map_err(failed)?;
            result::set_matmul_pref_attribute(
                preference.of,
                sys::cublasLtMatmulPreferenceAttributes_t::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                (&raw const scratch_bytes).cast(),
                size_of::<usize>(),
            )
            .map_err(failed)?;
            let [a, b, c] = &layouts;
            result::get_matmul_algo_heuristic(
                handle.of,
                description.of,
                a.of,
                b.of,
                c.of,
                c.of,
                preference.of,
            )
            .map_err(failed)?
        };
        let stream = gpu.stream.cu_stream().cast();
        let out_type = if number == Number::Int8 { Precision::INT32 } else { Precision::FP32 };
        let vendor = Self {
            number,
            shape,
            copies,
            host,
            left,
            right,
            out,
            scratch,
            algorithm: chosen.algo,
            layouts,
            description,
            handle,
            stream,
            device: gpu.info.name.clone(),
        };
        Ok((vendor, gemm::work(number, shape, out_type)))
    }
}

impl Call for Vendor {
    fn launch(&self, turn: usize) -> Result<(), BenchError> {
        let (one, none) = (1_f32, 0_f32);
        let (whole, nothing) = (1_i32, 0_i32);
        let (alpha, beta): (*const c_void, *const c_void) = if self.number == Number::Int8 {
            ((&raw const whole).cast(), (&raw const nothing).cast())
        } else {
            ((&raw const one).cast(), (&raw const none).cast())
        };
        let step = self.right.bytes / self.copies.max(1);
        let weights = self.right.address + (turn % self.copies.max(1) * step) as u64;
        let [a, b, c] = &self.layouts;
        // SAFETY: layouts describe the memory that was made for them, which lives as long as this; factors are read before it
        // returns.
        let launched = unsafe {
            result::matmul(
                self.handle.of,
                self.description.of,
                alpha,
                beta,
                weights as *const c_void,
                a.of,
                self.left.address as *const c_void,
                b.of,
                self.out.address as *const c_void,
                c.of,
                self.out.address as *mut c_void,
                c.of,
                &self.algorithm,
                self.scratch.address as *mut c_void,
                SCRATCH,
                self.stream,
            )
        };
        launched.map_err(|error| BenchError::Device {
            device: self.device.clone(),
            cause: format!("cuBLASLt: {:?}", error.0),
        })
    }

    fn verify(&self, device: &dyn Device) -> Result<Verification, BenchError> {
        let count = self.shape.0 * self.shape.1;
        let found: Vec<f64> = if self.number == Number::Int8 {
            device.numbers::<i32>(&self.out, count)?.into_iter().map(f64::from).collect()
        } else {
            device.numbers::<f32>(&self.out, count)?.into_iter().map(f64::from).collect()
        };
        Ok(gemm::verify(self.number, self.shape, (&self.host.0, &self.host.1), &found))
    }
}
