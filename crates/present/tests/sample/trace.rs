//! A small recording with a little of everything that is drawn.

use eaves_analyze::timeline::TIMELINE;
use eaves_analyze::{Options, Outcome, report_of};
use eaves_model::Run;
use eaves_section::timeline::Charts;

/// Two steps of 1 ms. Calls that nest, one that leaves its caller, kernels that overlap on one stream, a copy, a
/// collective next to them, a range on the device, memory, and a name that would end an element.
pub(crate) const TRACE: &str = r#"{"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 1},
"traceEvents": [
{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "python"}},
{"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "main"}},
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "pid": 1, "tid": 1, "ts": 1000, "dur": 1000},
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#8", "pid": 1, "tid": 1, "ts": 2000, "dur": 1000},
{"ph": "X", "cat": "python_function", "name": "train.py(12): <module>", "pid": 1, "tid": 1, "ts": 1000, "dur": 900},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1100, "dur": 200, "args": {"Input Dims": [[8, 8], [8, 8]], "Input type": ["float", "float"]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1150, "dur": 20, "args": {"correlation": 1}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1180, "dur": 20, "args": {"correlation": 2}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 1, "tid": 1, "ts": 1210, "dur": 10, "args": {"correlation": 3}},
{"ph": "X", "cat": "cpu_op", "name": "</script><b>", "pid": 1, "tid": 2, "ts": 1400, "dur": 300},
{"ph": "X", "cat": "cpu_op", "name": "leaves", "pid": 1, "tid": 2, "ts": 1600, "dur": 300},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": 1650, "dur": 5, "args": {"correlation": 4}},
{"ph": "X", "cat": "kernel", "name": "void at::native::gemm<float>(float*)", "pid": 0, "tid": 7, "ts": 1300, "dur": 400, "args": {"correlation": 1, "device": 0, "stream": 7, "grid": [8, 1, 1], "block": [128, 1, 1]}},
{"ph": "X", "cat": "kernel", "name": "relu", "pid": 0, "tid": 7, "ts": 1600, "dur": 300, "args": {"correlation": 2, "device": 0, "stream": 7}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 7, "ts": 1950, "dur": 50, "args": {"correlation": 3, "device": 0, "stream": 7, "bytes": 4096, "memory bandwidth (GB/s)": 0.08}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 20, "ts": 2100, "dur": 700, "args": {"correlation": 4, "device": 0, "stream": 20}},
{"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#7", "pid": 0, "tid": 7, "ts": 1300, "dur": 700},
{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": 1110, "args": {"Total Allocated": 1048576, "Bytes": 1048576, "Device Id": 0, "Device Type": 1}},
{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": 2500, "args": {"Total Allocated": 524288, "Bytes": -524288, "Device Id": 0, "Device Type": 1}},
{"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 900, "dur": 2200}
]}
"#;

/// The recording read.
pub(crate) fn run() -> Run {
    let stream = Box::new(std::io::Cursor::new(TRACE.as_bytes()));
    eaves_ingest::read_stream("trace.json", stream, &eaves_ingest::Options::default()).unwrap()
}

/// The numbers and the charts of a run.
pub(crate) fn timeline(run: &Run) -> (Vec<Outcome>, Charts<'_>) {
    let options = Options::default();
    let outcomes = report_of(run, &options, &[&TIMELINE]).unwrap();
    (outcomes, eaves_analyze::timeline::charts(&run.recordings, &options))
}
