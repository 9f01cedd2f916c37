//! Kernels of a transformer: their names, launch shapes, and how long they take on the simulated device.

use super::device::Kernel;
use super::events::{Function, Launch, Name};
use super::pace::Cost;

/// A kernel of this many operations that moves this many bytes.
fn work(flop: u64, bytes: u64) -> Cost {
    Cost::Work { flop, bytes, rate: Cost::TUNED }
}

fn kernel(name: impl Into<Name>, grid: [u64; 3], block: [u64; 3], resources: [u64; 2], cost: Cost) -> Kernel {
    let [registers, shared_memory] = resources;
    Kernel {
        name: name.into(),
        function: Function::LAUNCH,
        launch: Launch { grid, block, registers, shared_memory },
        cost,
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

/// Which units multiply, and how well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// Tensor cores in bfloat16.
    BFloat16,
    /// Tensor cores in bfloat16 on rows that do not begin at multiples of 16 bytes: this many thousandths as fast.
    Unaligned(u64),
    /// Tensor cores in TF32.
    TensorFloat32,
    /// Float32 without tensor cores.
    Float32,
}

/// Matrix products of `m` x `k` by `k` x `n`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    pub(crate) batch: u64,
    pub(crate) m: u64,
    pub(crate) n: u64,
    pub(crate) k: u64,
    pub(crate) layout: Layout,
}

impl Product {
    pub(crate) fn new(m: u64, n: u64, k: u64, layout: Layout) -> Self {
        Self { batch: 1, m, n, k, layout }
    }

    pub(crate) fn batched(batch: u64, m: u64, n: u64, k: u64, layout: Layout) -> Self {
        Self { batch, m, n, k, layout }
    }
}

/// TF32 has half the peak of bfloat16; float32 has 19.5 of 312 Tflop/s, of which libraries reach 85 %.
const TENSOR_FLOAT_32_RATE: u64 = 500;
const FLOAT_32_RATE: u64 = 86;

/// The kernel of a matrix product.
pub(crate) fn gemm(product: Product, path: Path) -> Kernel {
    let Product { batch, m, n, k, layout } = product;
    // A library picks by size, and among near equals by what its heuristics say of the exact shape.
    let pick = match m.max(n) / 128 * (m.min(n) / 128) {
        0..=63 => 4 + (m / 64 + n / 64 + k / 64) % 2,
        64..=511 => 2 + (m / 64 + n / 64 + k / 64) % 3,
        _ => (m / 64 + n / 64 + k / 64) % 3,
    };
    let (mut height, mut width, registers, shared, threads, names) = TILES[pick as usize];
    let (name, rate) = match path {
        Path::BFloat16 => (names[layout as usize], Cost::TUNED),
        Path::Unaligned(rate) => (UNALIGNED[layout as usize], rate),
        Path::TensorFloat32 => (TENSOR_FLOAT_32[layout as usize], TENSOR_FLOAT_32_RATE),
        Path::Float32 => (FLOAT_32[layout as usize], FLOAT_32_RATE),
    };
    if path != Path::BFloat16 {
        (height, width) = (128, 128);
    }
    let flop = 2 * batch * m * n * k;
    let bytes = 2 * batch * (m * k + k * n + m * n);
    let grid = [n.div_ceil(width), m.div_ceil(height), batch];
    let cost = Cost::Work { flop, bytes, rate };
    kernel(name, grid, [threads, 1, 1], [registers, shared], cost)
}

const UNALIGNED: [&str; 3] = [
    "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_64x2_nn_align1>(cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_64x2_nn_align1::Params)",
    "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_64x2_nt_align1>(cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_64x2_nt_align1::Params)",
    "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_64x2_tn_align1>(cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_64x2_tn_align1::Params)",
];
const TENSOR_FLOAT_32: [&str; 3] = [
    "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4>(cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4::Params)",
    "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_32x3_nt_align4>(cutlass_80_tensorop_s1688gemm_128x128_32x3_nt_align4::Params)",
    "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_32x3_tn_align4>(cutlass_80_tensorop_s1688gemm_128x128_32x3_tn_align4::Params)",
];
const FLOAT_32: [&str; 3] = ["ampere_sgemm_128x128_nn", "ampere_sgemm_128x128_nt", "ampere_sgemm_128x128_tn"];

fn elementwise(name: impl Into<Name>, count: u64, tensors: u64) -> Kernel {
    kernel(name, [count.div_ceil(512), 1, 1], [128, 1, 1], [26, 0], work(count, count * 2 * tensors))
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

/// The same made by a compiler, which names it again for every shape.
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
        work(rows * width, 2 * rows * width),
    )
}

pub(crate) fn concatenate(count: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::CatArrayBatchedCopy_aligned16_contig<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 3, 128, 1>(at::native::(anonymous namespace)::OpaqueType<2u>*, at::native::(anonymous namespace)::CatArrInputTensorMetadata<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 128, 1>, at::native::(anonymous namespace)::TensorSizeStride<unsigned int, 4u>, int, unsigned int)",
        [432, 3, 1],
        [128, 1, 1],
        [32, 0],
        work(count, 4 * count),
    )
}

pub(crate) fn layer_norm(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, false>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)",
        [rows, 1, 1],
        [32, 4, 1],
        [34, 24],
        work(8 * rows * width, 4 * rows * width),
    )
}

pub(crate) fn layer_norm_input_gradient(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float, false>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16 const*, c10::BFloat16*, int)",
        [rows, 1, 1],
        [256, 1, 1],
        [40, 128],
        work(12 * rows * width, 6 * rows * width),
    )
}

pub(crate) fn layer_norm_parameter_gradient(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16, float, 64u, 1u, 128u, true, true, false>(long, long, c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16*, c10::BFloat16*)",
        [width.div_ceil(64), 1, 1],
        [64, 1, 1],
        [56, 0],
        work(4 * rows * width, 4 * rows * width),
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
        work(shape.flop() * 7 / 5, 8 * shape.count()),
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
            work(2 * shape.count(), 4 * shape.count()),
        ),
        kernel(
            "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 8, cutlass::bfloat16_t> >, false, true, false, false, true, true, false>(pytorch_flash::Flash_bwd_params)",
            blocks,
            [256, 1, 1],
            [254, 147_456],
            work(shape.flop() * 9 / 2, 16 * shape.count()),
        ),
        kernel(
            "void pytorch_flash::flash_bwd_convert_dq_kernel<pytorch_flash::Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 8, cutlass::bfloat16_t> > >(pytorch_flash::Flash_bwd_params, int)",
            grid,
            [256, 1, 1],
            [63, 16_384],
            work(shape.count(), 6 * shape.count()),
        ),
    ]
}

/// Products of float32 as three of TF32: a sixth of the rate of bfloat16.
const THREE_TENSOR_FLOAT_32_RATE: u64 = 167;

pub(crate) fn efficient_forward(shape: AttentionShape) -> Kernel {
    kernel(
        "fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float, cutlass::arch::Sm80, true, 64, 64, 64, true, true>::Params)",
        [shape.sequence.div_ceil(64), shape.heads, shape.batch],
        [32, 4, 1],
        [255, 21_248],
        Cost::Work { flop: shape.flop(), bytes: 8 * shape.count(), rate: THREE_TENSOR_FLOAT_32_RATE },
    )
}

pub(crate) fn efficient_backward(shape: AttentionShape) -> Kernel {
    kernel(
        "fmha_cutlassB_f32_aligned_64x64_k64_sm80(PyTorchMemEffAttention::AttentionBackwardKernel<cutlass::arch::Sm80, float, true, false, false, 64, 64, 64, false>::Params)",
        [1, shape.heads, shape.batch],
        [32, 4, 1],
        [255, 69_632],
        Cost::Work {
            flop: shape.flop() * 5 / 2,
            bytes: 16 * shape.count(),
            rate: THREE_TENSOR_FLOAT_32_RATE,
        },
    )
}

pub(crate) fn embedding(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned int, 2, 2, -2, true>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, at::cuda::detail::TensorInfo<c10::BFloat16 const, unsigned int>, at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, unsigned int, long)",
        [864, 1, 1],
        [128, 1, 1],
        [32, 0],
        work(rows * width, 4 * rows * width),
    )
}

pub(crate) fn embedding_backward(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::embedding_backward_feature_kernel<c10::BFloat16, float, long>(long const*, c10::BFloat16 const*, c10::BFloat16*, int, long, int)",
        [width.div_ceil(32), 1, 1],
        [32, 32, 1],
        [36, 4_224],
        work(rows * width, 24 * rows * width),
    )
}

pub(crate) fn log_softmax(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, c10::BFloat16, at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(c10::BFloat16*, c10::BFloat16 const*, int)",
        [rows, 1, 1],
        [1024, 1, 1],
        [32, 128],
        work(5 * rows * width, 6 * rows * width),
    )
}

pub(crate) fn log_softmax_backward(rows: u64, width: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::cunn_SoftMaxBackward<8, c10::BFloat16, float, c10::BFloat16, at::native::(anonymous namespace)::LogSoftMaxBackwardEpilogue>(c10::BFloat16*, c10::BFloat16 const*, c10::BFloat16 const*, long)",
        [rows, 1, 1],
        [1024, 1, 1],
        [32, 128],
        work(5 * rows * width, 8 * rows * width),
    )
}

pub(crate) fn loss(rows: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<c10::BFloat16, float, long>(c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, long const*, c10::BFloat16 const*, bool, long, long, long, long)",
        [1, 1, 1],
        [32, 1, 1],
        [32, 512],
        work(rows, 640 * rows),
    )
}

pub(crate) fn loss_backward(rows: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::nll_loss_backward_reduce_cuda_kernel_2d<c10::BFloat16, long>(c10::BFloat16*, c10::BFloat16 const*, long const*, c10::BFloat16 const*, c10::BFloat16 const*, bool, int, int, long, long)",
        [1, 1, 1],
        [32, 1, 1],
        [24, 0],
        work(rows, 480 * rows),
    )
}

/// One of the kernels that update a list of parameters.
pub(crate) fn fused_adam(count: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<c10::BFloat16, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float*, float*>(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<c10::BFloat16, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float*, float*)",
        [count.div_ceil(65_536).min(320), 1, 1],
        [512, 1, 1],
        [48, 0],
        work(12 * count, 14 * count),
    )
}

/// One of the kernels that do one operation to a list of parameters.
pub(crate) fn foreach(count: u64, tensors: u64) -> Kernel {
    kernel(
        "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<3>, at::native::(anonymous namespace)::PointwiseOpListFunctor<c10::BFloat16, 3, 3, 0>, std::multiplies<float>, float>(at::native::(anonymous namespace)::TensorListMetadata<3>, at::native::(anonymous namespace)::PointwiseOpListFunctor<c10::BFloat16, 3, 3, 0>, std::multiplies<float>, float)",
        [count.div_ceil(65_536).min(320), 1, 1],
        [512, 1, 1],
        [38, 0],
        work(count, 2 * tensors * count),
    )
}

/// One operation on one parameter.
pub(crate) fn in_place(count: u64, tensors: u64) -> Kernel {
    elementwise(
        "void at::native::vectorized_elementwise_kernel<4, at::native::addcmul_cuda_kernel(at::TensorIteratorBase&, c10::Scalar const&)::{lambda()#2}::operator()() const::{lambda(c10::BFloat16, c10::BFloat16, c10::BFloat16)#1}, std::array<char*, 4ul> >(int, at::native::addcmul_cuda_kernel(at::TensorIteratorBase&, c10::Scalar const&)::{lambda()#2}::operator()() const::{lambda(c10::BFloat16, c10::BFloat16, c10::BFloat16)#1}, std::array<char*, 4ul>)",
        count,
        tensors,
    )
}

/// One of the operations of an activation that is written out.
pub(crate) fn multiply(count: u64) -> Kernel {
    elementwise(
        "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int, at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul>)",
        count,
        3,
    )
}

/// A cast between bfloat16 and float32.
pub(crate) fn cast(count: u64) -> Kernel {
    elementwise(
        "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>, 4, TrivialOffsetCalculator<1, unsigned int>, TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<1>, at::native::memory::StoreWithCast<1> >(int, at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>, TrivialOffsetCalculator<1, unsigned int>, TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<1>, at::native::memory::StoreWithCast<1>)",
        count,
        3,
    )
}

/// A copy into another layout. Its rows are read across, so that it moves twice its bytes.
pub(crate) fn layout_copy(count: u64) -> Kernel {
    elementwise(
        "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1}>(at::TensorIteratorBase&, at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1} const&)::{lambda(int)#1}>(int, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1}>(at::TensorIteratorBase&, at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1} const&)::{lambda(int)#1})",
        count,
        4,
    )
}

pub(crate) fn softmax(rows: u64, width: u64) -> Kernel {
    kernel(
        "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 9, false, false>(c10::BFloat16*, c10::BFloat16 const*, int, int, int, bool const*, int, bool)",
        [rows.div_ceil(4), 1, 1],
        [32, 4, 1],
        [40, 0],
        work(5 * rows * width, 4 * rows * width),
    )
}

pub(crate) fn softmax_backward(rows: u64, width: u64) -> Kernel {
    kernel(
        "void (anonymous namespace)::softmax_warp_backward<float, c10::BFloat16, float, 9, false, false>(c10::BFloat16*, float const*, float const*, int, int, int, bool const*)",
        [rows.div_ceil(4), 1, 1],
        [32, 4, 1],
        [40, 0],
        work(5 * rows * width, 6 * rows * width),
    )
}

/// A ring all-reduce: with two ranks every byte crosses the link once in each direction, with many twice.
pub(crate) fn all_reduce(bytes: u64, world: u64, link_bytes_per_nanosecond: u64) -> Kernel {
    let world = world.max(2);
    let bytes = bytes * 2 * (world - 1) / world;
    Kernel {
        function: Function::LAUNCH_EXTENDED,
        ..kernel(
            "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            [24, 1, 1],
            [512, 1, 1],
            [96, 0],
            Cost::Fixed(14_000 + bytes / link_bytes_per_nanosecond),
        )
    }
}
