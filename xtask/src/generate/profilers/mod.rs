//! Large files in the form of vendors' profilers, for benchmarks.

pub(crate) mod ncu;
pub(crate) mod rocprofv3;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Names of kernels as compilers write them.
const KERNELS: [&str; 6] = [
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char *, 3>>(int, T2, T3)",
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x256_32x3_tn_align8>(T1::Params)",
    "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, 0, 0, cutlass::bfloat16_t>, 0, 1, 0>(Flash_fwd_params)",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float>>>(T3)",
    "triton_poi_fused_add_mul_silu_7",
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, T2, const T1 *)",
];

/// Writes parts until the file has about `size` bytes.
fn fill(
    path: &Path,
    size: u64,
    head: &str,
    mut part: impl FnMut(u64, &mut Vec<u8>) -> io::Result<()>,
    tail: &str,
) -> io::Result<u64> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    out.write_all(head.as_bytes())?;
    let (mut written, mut count, mut buffer) = (head.len() as u64, 0, Vec::new());
    while written < size {
        buffer.clear();
        part(count, &mut buffer)?;
        out.write_all(&buffer)?;
        written += buffer.len() as u64;
        count += 1;
    }
    out.write_all(tail.as_bytes())?;
    out.flush()?;
    Ok(count)
}
