//! What a GPU activity is for: computing, communicating or moving memory.
//!
//! The table of [`RULES`] is the whole knowledge; a new library is one more line. Names are looked at once per
//! distinct name, not once per activity.

use eaves_model::{GpuId, SliceKind, StringId, Trace};
use serde::{Deserialize, Serialize};

use self::Pattern::{Contains, Prefix};

/// What a GPU activity is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[repr(u8)]
pub enum KernelType {
    /// Arithmetic and everything that is neither of the others.
    Compute,
    /// Exchange with other devices, also where it is fused with arithmetic: such a kernel waits for its peers.
    Communication,
    /// Copies and fills, also those that the driver runs as kernels.
    Memory,
}

impl KernelType {
    /// Every type, in the order of its number.
    pub const ALL: [Self; 3] = [Self::Compute, Self::Communication, Self::Memory];

    /// The type of an activity of a kind and a name.
    pub fn of(kind: SliceKind, name: &str) -> Self {
        match kind {
            SliceKind::Memcpy | SliceKind::Memset => Self::Memory,
            _ => Self::of_kernel(name),
        }
    }

    /// The type of a kernel of a name.
    pub fn of_kernel(name: &str) -> Self {
        let rule = RULES.iter().find(|rule| rule.pattern.matches(name));
        rule.map_or(Self::Compute, |rule| rule.kernel_type)
    }

    /// A stable lower-case name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Communication => "communication",
            Self::Memory => "memory",
        }
    }

    /// The bit of the type in a mask of types that run together.
    #[inline]
    pub fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Part of a kernel name.
#[derive(Clone, Copy, Debug)]
enum Pattern {
    /// The name begins so.
    Prefix(&'static str),
    /// The name has it somewhere: behind `void`, a namespace, or inside a mangled name.
    Contains(&'static str),
}

impl Pattern {
    fn matches(self, name: &str) -> bool {
        match self {
            Self::Prefix(prefix) => name.starts_with(prefix),
            Self::Contains(part) => name.contains(part),
        }
    }
}

struct Rule {
    kernel_type: KernelType,
    pattern: Pattern,
}

const fn memory(pattern: Pattern) -> Rule {
    Rule { kernel_type: KernelType::Memory, pattern }
}

const fn communication(pattern: Pattern) -> Rule {
    Rule { kernel_type: KernelType::Communication, pattern }
}

/// Kernels that do not compute, by name; the first rule that fits decides.
///
/// Deliberately absent: anything that would match inside an ordinary name. HTA 0.6.1 files every kernel with
/// `dma` or `Sync` in its name under "other" and everything that begins with `hip` under communication.
static RULES: &[Rule] = &[
    // Copies and fills that HIP runs as kernels (ROCm CLR, `BlitName` in rocclr/device/blit.cpp).
    memory(Prefix("__amd_rocclr_copyBuffer")),
    memory(Prefix("__amd_rocclr_copyImage")),
    memory(Prefix("__amd_rocclr_fillBuffer")),
    memory(Prefix("__amd_rocclr_fillImage")),
    // Copies as rocprofv3 names them.
    memory(Prefix("MEMORY_COPY_")),
    // Copies and fills of recorders that give them no kind of their own: CUPTI's names and roctracer's.
    memory(Prefix("Memcpy")),
    memory(Prefix("Memset")),
    memory(Prefix("hipMemcpy")),
    memory(Prefix("hipMemset")),
    // NCCL and RCCL: `ncclKernel_*` before 2.19, `ncclDevKernel_*` since, `ncclSymDevKernel_*` for symmetric
    // memory; the argument list names `ncclDevComm` or `ncclDevKernelArgsStorage` too.
    communication(Contains("nccl")),
    communication(Contains("rccl")),
    // MSCCL inside RCCL, and MSCCL++.
    communication(Contains("mscclKernel")),
    communication(Contains("mscclpp")),
    // HCCL of Habana Gaudi and of MTIA; HCOM of Ascend.
    communication(Contains("hccl")),
    communication(Prefix("hcom_")),
    // oneCCL of Intel.
    communication(Contains("oneccl")),
    // Custom all-reduce of vLLM, SGLang (`cross_device_reduce_1stage`) and AITER
    // (`reduce_scatter_cross_device_store`).
    communication(Contains("cross_device_reduce")),
    communication(Contains("cross_device_store")),
    // QuickReduce of vLLM, SGLang and AITER.
    communication(Contains("quickreduce")),
    communication(Contains("quick_reduce")),
    communication(Contains("allreduce_prototype")),
    // TensorRT-LLM and its copy in FlashInfer: fused with the normalisation behind it.
    communication(Contains("allreduce_fusion_kernel")),
    communication(Contains("trtllm_allreduce")),
    communication(Contains("AllReduceKernel")),
    communication(Contains("twoshotAllreduce")),
    communication(Contains("moeA2A")),
    // Symmetric memory of PyTorch.
    communication(Contains("one_shot_all_reduce")),
    communication(Contains("two_shot_all_reduce")),
    communication(Contains("multimem_")),
    // DeepEP: exchange of experts' tokens within and between nodes, plain and mangled. Its
    // `layout::get_dispatch_layout` works on one device only and is no exchange.
    communication(Contains("deep_ep::intranode")),
    communication(Contains("deep_ep::internode")),
    communication(Contains("deep_ep9intranode")),
    communication(Contains("deep_ep9internode")),
    communication(Contains("deep_ep12internode_ll")),
    // MORI of AMD: exchange of experts' tokens.
    communication(Contains("EpDispatchI")),
    communication(Contains("EpCombineI")),
    // NVSHMEM and rocSHMEM.
    communication(Contains("nvshmem")),
    communication(Contains("rocshmem")),
    // Userbuffers of Transformer Engine.
    communication(Contains("userbuffers")),
];

/// The types of the activities of one trace, looked up once per distinct name.
#[derive(Debug)]
pub struct KernelTypes<'a> {
    trace: &'a Trace,
    by_name: Vec<Option<KernelType>>,
}

impl<'a> KernelTypes<'a> {
    /// Nothing looked up yet.
    pub fn new(trace: &'a Trace) -> Self {
        Self { trace, by_name: vec![None; trace.strings.len()] }
    }

    /// The type of an activity.
    #[inline]
    pub fn of(&mut self, activity: GpuId) -> KernelType {
        let slice = self.trace.gpu.slice[activity.index()].index();
        match self.trace.slices.kind[slice] {
            SliceKind::Memcpy | SliceKind::Memset => KernelType::Memory,
            _ => self.of_name(self.trace.slices.name[slice]),
        }
    }

    fn of_name(&mut self, name: StringId) -> KernelType {
        let strings = &self.trace.strings;
        match self.by_name.get_mut(name.index()) {
            Some(known) => *known.get_or_insert_with(|| KernelType::of_kernel(strings.get(name))),
            None => KernelType::Compute,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_are(expected: KernelType, names: &[&str]) {
        for name in names {
            assert_eq!(KernelType::of(SliceKind::Kernel, name), expected, "{name}");
        }
    }

    #[test]
    fn communication_of_every_library_is_known() {
        all_are(
            KernelType::Communication,
            &[
                "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
                "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)",
                "void ncclSymDevKernel_AllReduce_AGxLL_R_Sum_bf16(ncclSymDevArgs)",
                "mscclKernel_Sum_half_Simple_false(ncclDevComm*, mscclAlgo*, mscclWork*)",
                "mscclKernel_Sum_hip_bfloat16_Simple_false",
                "void vllm::cross_device_reduce_1stage<__half, 2>(vllm::RankData*, vllm::RankSignals)",
                "void aiter::cross_device_reduce_2stage<bf16,8,false>",
                "_ZN5aiter33reduce_scatter_cross_device_storeIDF16bLi8EEEvPNS_8RankDataENS_11RankSignalsE",
                "void quickreduce::allreduce_prototype_twoshot<AllReduceTwoshot<__half, CodecQ4<__half,4>, true>>",
                "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<(flashinfer::\
                 trtllm_allreduce_fusion::AllReduceFusionPattern)1, __nv_bfloat16, 8, false, false>",
                "void tensorrt_llm::kernels::oneShotAllReduceKernel<__half, 2>(AllReduceParams)",
                "void c10d::symmetric_memory::one_shot_all_reduce_kernel<c10::BFloat16, 16, 8>",
                "void multimem_one_shot_all_reduce_kernel<c10::BFloat16, 16>",
                "two_shot_all_reduce_kernel_inplace",
                "void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*, int*, long*)",
                "void deep_ep::internode_ll::combine<false, 7168, 9>",
                "void primus_turbo::deep_ep::intranode::notify_dispatch<8>(int const*)",
                "_ZN7deep_ep12internode_ll8dispatchILb1EEEvPvS1_",
                "EpDispatchIntraNodeKernel_fp8_fnuz",
                "nvshmemi_proxy_quiet_on_stream",
                "hcom_allReduce__503_0_1",
                "userbuffers_fp16_sum_inplace_gpu_rr_rs_oop",
            ],
        );
    }

    #[test]
    fn copies_in_disguise_are_memory() {
        all_are(
            KernelType::Memory,
            &[
                "__amd_rocclr_copyBuffer.kd",
                "__amd_rocclr_copyBufferRectAligned",
                "__amd_rocclr_fillBufferAligned.kd",
                "MEMORY_COPY_DEVICE_TO_HOST",
                "Memcpy HtoD (Pageable -> Device)",
                "Memset (Device)",
            ],
        );
        assert_eq!(KernelType::of(SliceKind::Memcpy, "CopyDeviceToHost"), KernelType::Memory);
        assert_eq!(KernelType::of(SliceKind::Memset, "ncclBufferReset"), KernelType::Memory);
    }

    #[test]
    fn ordinary_names_that_look_like_more_stay_compute() {
        all_are(
            KernelType::Compute,
            &[
                // HTA files these under communication or "other".
                "hipblaslt_gemm_kernel",
                "void transpose_sdma_friendly<float>(float*)",
                "void at::native::batch_norm_collect_statistics_channels_last_SyncBatchNorm",
                "void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*, int*)",
                "__amd_rocclr_streamOpsWait",
                "_combined_routing_memset",
                "void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::OpaqueType<2u>>",
                "ampere_sgemm_128x128_tn",
                "",
            ],
        );
    }

    #[test]
    fn bits_are_distinct_and_in_order() {
        assert_eq!(KernelType::ALL.map(KernelType::bit), [1, 2, 4]);
    }
}
