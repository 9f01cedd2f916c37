//! Kinds of collectives: their names in every library, what their size is, and how bandwidth follows from it.

use eaves_section::kernel_name::function_path;
use serde::{Deserialize, Serialize};

/// What is exchanged between whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub(crate) enum Kind {
    AllGather,
    AllReduce,
    AllToAll,
    Barrier,
    Broadcast,
    /// Experts' results go back to the ranks of their tokens.
    Combine,
    /// Tokens go to the ranks of their experts.
    Dispatch,
    Gather,
    /// Nothing says what it is.
    Other,
    Reduce,
    ReduceScatter,
    Scatter,
    SendReceive,
}

/// Why a size is not known.
pub(crate) const NO_SIZE: &str = "bytes not recorded";
const NO_GROUP_SIZE: &str = "group size not recorded";
const NO_DATA: &str = "a barrier moves no data";
const NO_FACTOR: &str = "unknown kind of collective";
const NO_SHARE: &str = "number of ranks per token not recorded";

/// Words that decide, in this order, in names without anything but letters and digits. `allreduce` goes before
/// `reduce`, and `barrier` before all, because NCCL's barrier is called `all_reduce_barrier`.
const WORDS: [(&str, Kind); 28] = [
    ("barrier", Kind::Barrier),
    // Ranks tell each other how much will come, and wait for each other: DeepEP and HybridEP.
    ("cachednotify", Kind::Barrier),
    ("cleanlowlatencybuffer", Kind::Barrier),
    ("devicesync", Kind::Barrier),
    ("notifydispatch", Kind::Barrier),
    ("reducescatter", Kind::ReduceScatter),
    ("allreduce", Kind::AllReduce),
    ("allgather", Kind::AllGather),
    ("dispatch", Kind::Dispatch),
    ("combine", Kind::Combine),
    ("alltoall", Kind::AllToAll),
    ("exchangesplit", Kind::AllToAll),
    ("moea2a", Kind::AllToAll),
    ("collectivepermute", Kind::SendReceive),
    ("sendrecv", Kind::SendReceive),
    // Custom all-reduces of vLLM, SGLang, AITER and TensorRT-LLM.
    ("crossdevicereduce", Kind::AllReduce),
    ("multimemoneshotreduce", Kind::AllReduce),
    ("quickreduce", Kind::AllReduce),
    ("rmsnormlamport", Kind::AllReduce),
    ("broadcast", Kind::Broadcast),
    ("bcast", Kind::Broadcast),
    ("gather", Kind::Gather),
    ("scatter", Kind::Scatter),
    ("reduce", Kind::Reduce),
    ("send", Kind::SendReceive),
    ("recv", Kind::SendReceive),
    ("receive", Kind::SendReceive),
    ("signal", Kind::SendReceive),
];

impl Kind {
    /// The kind a name says: of a kernel, of an annotation such as `nccl:all_reduce`, of a recorded collective.
    pub(crate) fn of(name: &str) -> Self {
        // Behind the path stand types such as `ncclDevKernelArgsStorage`.
        let plain: String = function_path(name)
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_lowercase())
            .collect();
        let kind = WORDS.iter().find(|(word, _)| plain.contains(word)).map_or(Self::Other, |&(_, kind)| kind);
        // Mangled names end in types, and `EpCombineKernel` of MORI has a `EpDispatchCombineArgs`.
        match (kind, plain.find("dispatch"), plain.find("combine")) {
            (Self::Dispatch, Some(dispatch), Some(combine)) if combine < dispatch => Self::Combine,
            _ => kind,
        }
    }

    /// A stable snake_case name.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::AllGather => "all_gather",
            Self::AllReduce => "all_reduce",
            Self::AllToAll => "all_to_all",
            Self::Barrier => "barrier",
            Self::Broadcast => "broadcast",
            Self::Combine => "all_to_all_combine",
            Self::Dispatch => "all_to_all_dispatch",
            Self::Gather => "gather",
            Self::Other => "other",
            Self::Reduce => "reduce",
            Self::ReduceScatter => "reduce_scatter",
            Self::Scatter => "scatter",
            Self::SendReceive => "send_receive",
        }
    }

    /// True if no rank can leave before the last one came, so that the time beyond the shortest is waiting. The
    /// root of a broadcast may be done before the others begin, and low-latency exchanges of experts' tokens send in one
    /// kernel and receive in another.
    pub(crate) fn is_synchronising(self) -> bool {
        matches!(
            self,
            Self::AllGather | Self::AllReduce | Self::AllToAll | Self::Barrier | Self::ReduceScatter
        )
    }

    /// True if every rank of the group takes part in every call, in the same order.
    pub(crate) fn is_of_whole_group(self) -> bool {
        !matches!(self, Self::SendReceive | Self::Other)
    }

    /// True if a call has the same size on every rank. What is sent to whom may differ in an exchange of
    /// experts' tokens, and gathers and scatters record the size on their root only.
    pub(crate) fn has_one_size(self) -> bool {
        !self.is_of_experts()
            && !matches!(
                self,
                Self::AllToAll | Self::Gather | Self::Scatter | Self::SendReceive | Self::Other
            )
    }

    /// True of the two directions in which experts' tokens go.
    pub(crate) fn is_of_experts(self) -> bool {
        matches!(self, Self::Combine | Self::Dispatch)
    }

    /// The elements that count as the size of the call, as nccl-tests does (`doc/PERFORMANCE.md`): of an
    /// all-gather and a gather what comes out on all or the root, of a reduce-scatter and a scatter what goes in,
    /// of the others what one rank holds.
    pub(crate) fn elements(
        self,
        sent: Option<i64>,
        received: Option<i64>,
        group_size: Option<u32>,
    ) -> Result<i64, &'static str> {
        let times_group = |elements: Option<i64>| match (elements, group_size) {
            (Some(elements), Some(size)) => Ok(elements.saturating_mul(i64::from(size))),
            (Some(_), None) => Err(NO_GROUP_SIZE),
            (None, _) => Err(NO_SIZE),
        };
        let one = |elements: Option<i64>| elements.ok_or(NO_SIZE);
        match self {
            Self::AllGather => received.map_or_else(|| times_group(sent), Ok),
            Self::ReduceScatter => sent.map_or_else(|| times_group(received), Ok),
            Self::Gather => times_group(sent),
            Self::Scatter => times_group(received),
            Self::Barrier => Err(NO_DATA),
            Self::SendReceive => one(sent.max(received)),
            Self::AllReduce
            | Self::AllToAll
            | Self::Broadcast
            | Self::Combine
            | Self::Dispatch
            | Self::Reduce
            | Self::Other => one(sent.or(received)),
        }
    }

    /// What algorithm bandwidth is multiplied by to get bus bandwidth in a group of `n` ranks: nccl-tests,
    /// `doc/PERFORMANCE.md`; gather and scatter as in its `gather.cu` and `scatter.cu`.
    pub(crate) fn bus_factor(self, group_size: Option<u32>) -> Result<f64, &'static str> {
        let of_group = |factor: f64| {
            let size = group_size.filter(|&size| size > 0).ok_or(NO_GROUP_SIZE)?;
            Ok(factor * f64::from(size - 1) / f64::from(size))
        };
        match self {
            Self::AllReduce => of_group(2.0),
            Self::AllGather | Self::AllToAll | Self::Gather | Self::ReduceScatter | Self::Scatter => {
                of_group(1.0)
            }
            Self::Broadcast | Self::Reduce | Self::SendReceive => Ok(1.0),
            Self::Barrier => Err(NO_DATA),
            Self::Combine | Self::Dispatch => Err(NO_SHARE),
            Self::Other => Err(NO_FACTOR),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KernelType;

    #[test]
    fn names_of_every_library_are_known() {
        for (name, kind) in [
            ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Kind::AllReduce),
            (
                "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
                Kind::AllReduce,
            ),
            ("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", Kind::ReduceScatter),
            ("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Kind::AllGather),
            ("ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*)", Kind::Broadcast),
            ("ncclDevKernel_Reduce_Sum_f32_RING_LL", Kind::Reduce),
            ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", Kind::SendReceive),
            ("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", Kind::Other),
            ("mscclKernel_Sum_half_Simple_false(ncclDevComm*)", Kind::Other),
            ("void vllm::cross_device_reduce_1stage<__half, 2>(vllm::RankData*)", Kind::AllReduce),
            ("reduce_scatter_cross_device_store", Kind::ReduceScatter),
            ("multimem_one_shot_all_reduce_kernel", Kind::AllReduce),
            ("hcom_allReduce__503_0_1", Kind::AllReduce),
            ("oneccl_allgatherv_pipeline", Kind::AllGather),
            ("void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)", Kind::Dispatch),
            ("void dpsk::ep::internode::combine_ll<7168>(void*)", Kind::Combine),
            ("void dpsk::ep::internode::notify_dispatch<false, 4>(int const*)", Kind::Barrier),
            ("void deep_ep::internode::cached_notify<true>(int)", Kind::Barrier),
            (
                "_ZN4mori3moe24EpCombineIntraNodeKernelIDF16bEEvNS0_21EpDispatchCombineArgsIT_EE",
                Kind::Combine,
            ),
            ("void moeA2ADispatchKernel<8>(int const*)", Kind::Dispatch),
            (
                "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(int)",
                Kind::AllReduce,
            ),
            ("void c10d::symmetric_memory::barrier_kernel(unsigned int**, int)", Kind::Barrier),
            ("c10d::nvshmem_extension::allToAllV_2d(void*)", Kind::AllToAll),
            ("void mscclpp::collective::allreducePacket<float>(float*)", Kind::AllReduce),
            ("oneccl_allreduce_pcie<sycl::half>", Kind::AllReduce),
            ("ncclSymkDevKernel_AllGather_STMC(ncclSymkDevWorkArgs4K)", Kind::AllGather),
            ("_c10d_functional::all_to_all_single", Kind::AllToAll),
            ("_c10d_functional::reduce_scatter_tensor", Kind::ReduceScatter),
            ("vllm::all_reduce", Kind::AllReduce),
            ("symm_mem::multimem_all_gather_out", Kind::AllGather),
            ("FusedDispatch", Kind::Dispatch),
            ("allreduce_coalesced", Kind::AllReduce),
            ("_allgather_base", Kind::AllGather),
            ("_reduce_scatter_base", Kind::ReduceScatter),
            ("_reduce_oop", Kind::Reduce),
            ("all_to_allv", Kind::AllToAll),
            ("nccl:all_reduce_barrier", Kind::Barrier),
            ("nccl:send 0->1", Kind::SendReceive),
            ("nccl:coalesced", Kind::Other),
            ("gloo:all_reduce", Kind::AllReduce),
            ("hccl:allgather", Kind::AllGather),
        ] {
            assert_eq!(Kind::of(name), kind, "{name}");
        }
    }

    /// Kernels of each library are communication, and say their kind where their name has it.
    #[test]
    fn kernels_of_every_library_have_type_and_kind() {
        for (library, name, kind) in [
            ("AITER", "void aiter::cross_device_reduce_2stage<bf16, 8, false>", Kind::AllReduce),
            ("DeepEP", "void deep_ep::internode_ll::combine<false, 7168, 9>", Kind::Combine),
            ("DeepEP", "void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)", Kind::Dispatch),
            ("DeepEP", "void ep::internode::dispatch<false, 8, true, 8>(int4*)", Kind::Dispatch),
            ("DeepEP", "void ep::internode::cached_notify(int const*)", Kind::Barrier),
            ("HCCL of Ascend", "hcom_allGather__503_0_1", Kind::AllGather),
            ("HCCL of Gaudi", "hcclAllReduce", Kind::AllReduce),
            ("HybridEP", "void hybrid_ep::combine_kernel<unsigned short>(int)", Kind::Combine),
            ("MORI", "EpDispatchIntraNodeKernel_fp8_fnuz", Kind::Dispatch),
            ("MSCCL", "mscclKernel_Sum_half_Simple_false(ncclDevComm*)", Kind::Other),
            ("MSCCL++", "void mscclpp::collective::allgatherFullmesh<float>(float*)", Kind::AllGather),
            ("NCCL", "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", Kind::ReduceScatter),
            ("NVSHMEM", "nvshmemi_proxy_quiet_on_stream", Kind::Other),
            ("NVSHMEM", "void nvshmemi_alltoall_on_stream_kernel<long>(int)", Kind::AllToAll),
            ("oneCCL", "oneccl_allreduce_pcie<sycl::half>", Kind::AllReduce),
            ("RCCL", "void rccl_reduce_scatter<float>(float*)", Kind::ReduceScatter),
            ("SGLang", "all_reduce_one_shot_push_kernel", Kind::AllReduce),
            ("symmetric memory", "multimem_all_reduce_kernel<c10::BFloat16, 16>", Kind::AllReduce),
            ("symmetric memory", "_multimem_all_gather_kernel", Kind::AllGather),
            ("vLLM", "void vllm::cross_device_reduce_1stage<__half, 2>(vllm::RankData*)", Kind::AllReduce),
        ] {
            assert_eq!(KernelType::of_kernel(name), KernelType::Communication, "{library}: {name}");
            assert_eq!(Kind::of(name), kind, "{library}: {name}");
        }
    }

    #[test]
    fn sizes_are_those_of_nccl_tests() {
        let of = |kind: Kind| kind.elements(Some(10), Some(40), Some(4));
        assert_eq!([of(Kind::AllReduce), of(Kind::AllToAll), of(Kind::Broadcast)], [Ok(10); 3]);
        // What comes out of an all-gather; where that is not recorded, four times what goes in.
        assert_eq!([of(Kind::AllGather), Kind::AllGather.elements(Some(10), None, Some(4))], [Ok(40); 2]);
        assert_eq!(Kind::AllGather.elements(Some(10), None, None), Err(NO_GROUP_SIZE));
        assert_eq!(Kind::ReduceScatter.elements(Some(40), Some(10), None), Ok(40));
        assert_eq!(Kind::ReduceScatter.elements(None, Some(10), Some(4)), Ok(40));
        assert_eq!((of(Kind::Gather), of(Kind::Scatter)), (Ok(40), Ok(160)));
        assert_eq!(of(Kind::SendReceive), Ok(40));
        assert_eq!(Kind::AllReduce.elements(None, None, Some(4)), Err(NO_SIZE));
        assert_eq!(of(Kind::Barrier), Err(NO_DATA));
        assert_eq!(Kind::Gather.elements(Some(i64::MAX), None, Some(8)), Ok(i64::MAX));
    }

    #[test]
    fn factors_are_those_of_nccl_tests() {
        assert_eq!(Kind::AllReduce.bus_factor(Some(8)), Ok(1.75));
        assert_eq!(Kind::AllReduce.bus_factor(Some(1)), Ok(0.0));
        for kind in [Kind::AllGather, Kind::ReduceScatter, Kind::AllToAll, Kind::Gather, Kind::Scatter] {
            assert_eq!(kind.bus_factor(Some(8)), Ok(0.875));
            assert_eq!(kind.bus_factor(None), Err(NO_GROUP_SIZE));
            assert_eq!(kind.bus_factor(Some(0)), Err(NO_GROUP_SIZE));
        }
        for kind in [Kind::Broadcast, Kind::Reduce, Kind::SendReceive] {
            assert_eq!(kind.bus_factor(None), Ok(1.0));
        }
    }
}
