"""CPU seconds of each analysis of HTA, after loading: the calls that eaves answers with one report."""

import sys
import time

from hta.trace_analysis import TraceAnalysis


def timed(name, call):
    start = time.process_time()
    try:
        call()
        outcome = "ok"
    except Exception as error:
        outcome = type(error).__name__
    print(f"{name} {time.process_time() - start:.3f} {outcome}", flush=True)


analysis = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir="")
timed("temporal_breakdown", lambda: analysis.get_temporal_breakdown(visualize=False))
timed("idle_time_breakdown", lambda: analysis.get_idle_time_breakdown(visualize=False))
timed("gpu_kernel_breakdown", lambda: analysis.get_gpu_kernel_breakdown(visualize=False))
timed("comm_comp_overlap", lambda: analysis.get_comm_comp_overlap(visualize=False))
timed("cuda_kernel_launch_stats", lambda: analysis.get_cuda_kernel_launch_stats(visualize=False))
timed("queue_length_summary", lambda: analysis.get_queue_length_summary())
timed("memory_bw_summary", lambda: analysis.get_memory_bw_summary())
timed("gpu_kernels_with_user_annotations", lambda: analysis.get_gpu_kernels_with_user_annotations(0))
timed("critical_path_1_step", lambda: analysis.critical_path_analysis(0, "ProfilerStep", 1))
timed("aten_op_kernels_and_delay", lambda: analysis.get_aten_op_kernels_and_delay(ranks=[0]))
