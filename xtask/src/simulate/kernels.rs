//! Kernels of a transformer: their names, launch shapes, and how long they take on the simulated device.

use super::device::Kernel;
use super::events::{Function, Launch, Name};

/// Dense bfloat16 peak and memory bandwidth of the simulated device, and the share of each that kernels reach.
/// The peaks are those of the NVIDIA A100 80GB data sheet; the shares are what well tuned kernels show.
const PEAK_FLOP_PER_NANOSECOND: f64 = 312_000.0;
const PEAK_BYTES_PER_NANOSECOND: f64 = 2_039.0;
const COMPUTE_SHARE: f64 = 0.62;
const BANDWIDTH_SHARE: f64 = 0.78;
/// No kernel is shorter.
const FLOOR_NANOSECONDS: f64 = 1_700.0;

fn nanoseconds(flop: u64, bytes: u64) -> u64 {
    let compute = flop as f64 / (PEAK_FLOP_PER_NANOSECOND * COMPUTE_SHARE);
    let memory = bytes as f64 / (PEAK_BYTES_PER_NANOSECOND * BANDWIDTH_SHARE);
    (FLOOR_NANOSECONDS + compute.max(memory)) as u64
}

fn kernel(name: impl Into<Name>, grid: [u64; 3], block: [u64; 3], resources: [u64; 2], time: u64) -> Kernel {
    let [registers, shared_memory] = resources;
    Kernel {
        name: name.into(),
        function: Function::LAUNCH,
        launch: Launch { grid, block, registers, shared_memory },
        nanoseconds: time,
    }
}

/// Which operands of a matrix product are transposed, as cuBLAS names it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Layout {
    Nn,
    Nt,
    Tn,
}

/// Tile height and width, registers, shared memory, threads, and the names by layout.
type Tile = (u64, u64, u64, u64, u64, [&'static str; 3]);

macro_rules! tile {
    ($height:literal, $width:literal, $stages:literal, $registers:literal, $shared:literal, $threads:literal) => {
        (
            $height,
            $width,
            $registers,
            $shared,
            $threads,
            [
                tile!(@name $height, $width, $stages, "nn"),
                tile!(@name $height, $width, $stages, "nt"),
                tile!(@name $height, $width, $stages, "tn"),
            ],
        )
    };
    (@name $height:literal, $width:literal, $stages:literal, $layout:literal) => {
        concat!(
            "ampere_bf16_s16816gemm_bf16_", $height, "x", $width, "_ldg8_f2f_stages_", $stages, "_", $layout
        )
    };
}

const TILES: [Tile; 6] = [
    tile!(256, 128, "64x3", 238, 147_456, 256),
    tile!(128, 256, "64x3", 232, 147_456, 256),
    tile!(128, 128, "64x3", 218, 98_304, 128),
    tile!(128, 128, "32x5", 230, 81_920, 128),
    tile!(128, 64, "32x6", 154, 73_728, 128),
    tile!(64, 64, "32x6", 96, 49_152, 128),
];

/// A matrix product of `m` x `k` by `k` x `n`.
pub(crate) fn gemm(m: u64, n: u64, k: u64, layout: Layout) -> Kernel {
    // A library picks by size, and among near equals by what its heuristics say of the exact shape.
    let pick = match m.max(n) / 128 * (m.min(n) / 128) {
        0..=63 => 4 + (m / 64 + n / 64 + k / 64) % 2,
        64..=511 => 2 + (m / 64 + n / 64 + k / 64) % 3,
        _ => (m / 64 + n / 64 + k / 64) % 3,
    };
    let (height, width, registers, shared, threads, names) = TILES[pick as usize];
    let flop = 2 * m * n * k;
    let bytes = 2 * (m * k + k * n + m * n);
    let grid = [n.div_ceil(width), m.div_ceil(height), 1];
    kernel(names[layout as usize], grid, [threads, 1, 1], [registers, shared], nanoseconds(flop, bytes))
}

fn elementwise(name: impl Into<Name>, count: u64, tensors: u64) -> Kernel {
    kernel(name, [count.div_ceil(512), 1, 1], [128, 1, 1], [26, 0], nanoseconds(count, count * 2 * tensors))
}

pub(crate) fn add(count: u64) -> Kernel {
    elementwise(
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
        count,
        3,
    )
}

pub(crate) fn scale(count: u64) -> Kernel {
    elementwise(
        "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 2ul> >(int, at::native::AUnaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 2ul>)",
        count,
        2,
    )
}

pub(crate) fn gelu(count: u64) -> Kernel {
    elementwise(
        "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul>)",
        count,
        2,
    )
}

/// The same made by a compiler, which names it anew for every shape.
pub(crate) fn fused_gelu(name: Name, count: u64) -> Kernel {
    Kernel { function: Function::DRIVER_LAUNCH, ..elementwise(name, count, 2) }
}

pub(crate) fn gelu_backward(count: u64) -> Kernel {
    elementwise(
        "void at::native::vectorized_elementwise_kernel<4, at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16, c10::BFloat16)#1}, std::array<char*, 3ul> >(int, at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16, c10::BFloat16)#1}, std::array<char*, 3ul>)",
        count,
        3,
    )
}

pub(crate) fn fill(count: u64) -> Kernel {
    elementwise(
        "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)",
        count,
        2,
    )
}

/// Sums the rows of a matrix, as the gradient of a bias does.
pub(crate) fn sum_rows(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::BFloat16, 4, 4> >(at::native::ReduceOp<c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::BFloat16, 4, 4>)",
        [width.div_ceil(128), (rows / 512).max(1), 1],
        [32, 16, 1],
        [40, 4_112],
        nanoseconds(rows * width, 2 * rows * width),
    )
}

pub(crate) fn concatenate(count: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::CatArrayBatchedCopy_aligned16_contig<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 3, 128, 1>(at::native::(anonymous namespace)::OpaqueType<2u>*, at::native::(anonymous namespace)::CatArrInputTensorMetadata<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 128, 1>, at::native::(anonymous namespace)::TensorSizeStride<unsigned int, 4u>, int, unsigned int)",
        [432, 3, 1],
        [128, 1, 1],
        [32, 0],
        nanoseconds(count, 4 * count),
    )
}

pub(crate) fn layer_norm(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, false>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)",
        [rows, 1, 1],
        [32, 4, 1],
        [34, 24],
        nanoseconds(8 * rows * width, 4 * rows * width),
    )
}

pub(crate) fn layer_norm_input_gradient(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float, false>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16 const*, c10::BFloat16*, int)",
        [rows, 1, 1],
        [256, 1, 1],
        [40, 128],
        nanoseconds(12 * rows * width, 6 * rows * width),
    )
}

pub(crate) fn layer_norm_parameter_gradient(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16, float, 64u, 1u, 128u, true, true, false>(long, long, c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16*, c10::BFloat16*)",
        [width.div_ceil(64), 1, 1],
        [64, 1, 1],
        [56, 0],
        nanoseconds(4 * rows * width, 4 * rows * width),
    )
}

/// Batch, heads, sequence and width of a head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttentionShape {
    pub(crate) batch: u64,
    pub(crate) heads: u64,
    pub(crate) sequence: u64,
    pub(crate) width: u64,
}

impl AttentionShape {
    fn count(self) -> u64 {
        self.batch * self.heads * self.sequence * self.width
    }

    /// A causal mask halves the work of two products of sequence x sequence.
    fn flop(self) -> u64 {
        2 * self.count() * self.sequence
    }
}

pub(crate) fn flash_forward(shape: AttentionShape) -> Kernel {
    kernel(
        "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, false, true, false, false, true, true, false, false>(pytorch_flash::Flash_fwd_params)",
        [shape.sequence.div_ceil(128), shape.batch, shape.heads],
        [128, 1, 1],
        [254, 49_152],
        nanoseconds(shape.flop() * 7 / 5, 8 * shape.count()),
    )
}

/// The three kernels of the backward.
pub(crate) fn flash_backward(shape: AttentionShape) -> [Kernel; 3] {
    let blocks = [shape.sequence.div_ceil(128), shape.batch, shape.heads];
    let grid = [shape.sequence.div_ceil(64), shape.batch, shape.heads];
    [
        kernel(
            "void pytorch_flash::flash_bwd_dot_do_o_kernel<true, pytorch_flash::Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 8, cutlass::bfloat16_t> > >(pytorch_flash::Flash_bwd_params)",
            grid,
            [256, 1, 1],
            [46, 0],
            nanoseconds(2 * shape.count(), 4 * shape.count()),
        ),
        kernel(
            "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 8, cutlass::bfloat16_t> >, false, true, false, false, true, true, false>(pytorch_flash::Flash_bwd_params)",
            blocks,
            [256, 1, 1],
            [254, 147_456],
            nanoseconds(shape.flop() * 9 / 2, 16 * shape.count()),
        ),
        kernel(
            "void pytorch_flash::flash_bwd_convert_dq_kernel<pytorch_flash::Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 8, cutlass::bfloat16_t> > >(pytorch_flash::Flash_bwd_params, int)",
            grid,
            [256, 1, 1],
            [63, 16_384],
            nanoseconds(shape.count(), 6 * shape.count()),
        ),
    ]
}

pub(crate) fn embedding(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned int, 2, 2, -2, true>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, at::cuda::detail::TensorInfo<c10::BFloat16 const, unsigned int>, at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, unsigned int, long)",
        [864, 1, 1],
        [128, 1, 1],
        [32, 0],
        nanoseconds(rows * width, 4 * rows * width),
    )
}

pub(crate) fn embedding_backward(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::embedding_backward_feature_kernel<c10::BFloat16, float, long>(long const*, c10::BFloat16 const*, c10::BFloat16*, int, long, int)",
        [width.div_ceil(32), 1, 1],
        [32, 32, 1],
        [36, 4_224],
        nanoseconds(rows * width, 24 * rows * width),
    )
}

pub(crate) fn log_softmax(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, c10::BFloat16, at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(c10::BFloat16*, c10::BFloat16 const*, int)",
        [rows, 1, 1],
        [1024, 1, 1],
        [32, 128],
        nanoseconds(5 * rows * width, 6 * rows * width),
    )
}

pub(crate) fn log_softmax_backward(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::cunn_SoftMaxBackward<8, c10::BFloat16, float, c10::BFloat16, at::native::(anonymous namespace)::LogSoftMaxBackwardEpilogue>(c10::BFloat16*, c10::BFloat16 const*, c10::BFloat16 const*, long)",
        [rows, 1, 1],
        [1024, 1, 1],
        [32, 128],
        nanoseconds(5 * rows * width, 8 * rows * width),
    )
}

pub(crate) fn loss(rows: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<c10::BFloat16, float, long>(c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, long const*, c10::BFloat16 const*, bool, long, long, long, long)",
        [1, 1, 1],
        [32, 1, 1],
        [32, 512],
        nanoseconds(rows, 640 * rows),
    )
}

pub(crate) fn loss_backward(rows: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::nll_loss_backward_reduce_cuda_kernel_2d<c10::BFloat16, long>(c10::BFloat16*, c10::BFloat16 const*, long const*, c10::BFloat16 const*, c10::BFloat16 const*, bool, int, int, long, long)",
        [1, 1, 1],
        [32, 1, 1],
        [24, 0],
        nanoseconds(rows, 480 * rows),
    )
}

/// One of the kernels that update a list of parameters.
pub(crate) fn fused_adam(count: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<c10::BFloat16, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float*, float*>(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<c10::BFloat16, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float*, float*)",
        [count.div_ceil(65_536).min(320), 1, 1],
        [512, 1, 1],
        [48, 0],
        nanoseconds(12 * count, 14 * count),
    )
}

/// A ring all-reduce. Between two ranks every byte crosses the link once in each direction.
pub(crate) fn all_reduce(bytes: u64, link_bytes_per_nanosecond: u64) -> Kernel {
    Kernel {
        function: Function::LAUNCH_EXTENDED,
        ..kernel(
            "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            [24, 1, 1],
            [512, 1, 1],
            [96, 0],
            14_000 + bytes / link_bytes_per_nanosecond,
        )
    }
}
