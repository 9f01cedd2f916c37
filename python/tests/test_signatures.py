"""Names, arguments and defaults that programs rely on."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import pytest
from pages import content

import eaves


def defaults(function):
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "UnifiedProfiler",
            {
                "output_dir": "./profiles",
                "enable_trace": True,
                "enable_memory": True,
                "enable_flame_graph": True,
                "warmup_iterations": 3,
                "profile_iterations": 10,
                "record_shapes": True,
                "with_stack": True,
                "with_flops": True,
                "with_modules": True,
            },
        ),
        ("MemoryProfiler", {"sample_interval_ms": 1.0, "record_history": True, "track_allocations": True}),
        (
            "FlameGraphGenerator",
            {
                "min_duration_us": 10.0,
                "max_depth": 50,
                "group_small_kernels": True,
                "small_kernel_threshold_pct": 1.0,
            },
        ),
        ("TimelineGenerator", {"min_duration_us": 1.0, "include_python_events": True, "include_cuda_runtime": True}),
        ("TorchCompileAnalyzer", {"backend": "inductor", "mode": "default", "output_dir": "./compile_analysis"}),
    ],
)
def test_constructors(name, expected):
    assert defaults(getattr(eaves, name)) == expected


def test_analyses_of_compiling_warm_up_thrice_and_measure_ten_times():
    analyze, compare = (defaults(getattr(eaves.TorchCompileAnalyzer, name)) for name in ("analyze", "compare_modes"))
    assert analyze == {"warmup": 3, "iterations": 10} and compare["modes"] is None
    from eaves.profiling.torch_compile import MODES

    assert MODES == ("default", "reduce-overhead", "max-autotune")


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        (
            "ProfileSession",
            "total_time_ms cuda_time_ms cpu_time_ms peak_memory_mb allocated_memory_mb reserved_memory_mb kernels bottlenecks "
            "recommendations trace_path flame_graph_data kernel_summary flame_graph_path memory_snapshot_path timeline_data "
            "memory_timeline device_name timestamp",
        ),
        (
            "KernelInfo",
            "name duration_us cuda_time_us cpu_time_us device_index stream grid block registers_per_thread shared_memory_bytes "
            "call_count",
        ),
        (
            "HTAReport",
            "gpu_idle_time_pct compute_time_pct communication_time_pct top_kernels recommendations bottlenecks",
        ),
        (
            "CompileReport",
            "speedup compile_time_ms graph_breaks fusion_ratio ops_before_fusion ops_after_fusion recommendations eager_time_ms "
            "compiled_time_ms total_graph_breaks peak_memory_mb memory_savings_mb fused_kernels",
        ),
        ("CompileBreak", "reason suggestion"),
        (
            "TimelineData",
            "events cpu_events gpu_events streams total_time_us cpu_active_time_us gpu_active_time_us overlap_time_us",
        ),
    ],
)
def test_data_classes(name, fields):
    assert set(fields.split()) <= set(getattr(eaves, name).__dataclass_fields__)


def test_names_are_there_before_they_are_loaded():
    program = (
        "import sys, eaves\n"
        "assert 'UnifiedProfiler' in dir(eaves.profiling) and 'UnifiedProfiler' not in dir(eaves)\n"
        "from eaves import UnifiedProfiler, MemoryProfiler, FlameGraphGenerator, TimelineGenerator, HTAAnalyzer, RocprofWrapper\n"
        "from eaves.profiling.torch_compile import TorchCompileAnalyzer\n"
        "assert TorchCompileAnalyzer is eaves.TorchCompileAnalyzer\n"
        "assert not {'torch', 'numpy', 'pandas'} & set(sys.modules), 'too much is loaded'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    "command",
    [
        "flame trace.json -o out.html",
        "flame trace.json --output out.html",
        "flame trace.json --output out.json --json",
        "timeline trace.json -o out.html",
        "timeline trace.json --output out.html",
        "hta trace.json -o out.html",
        "hta trace.json --output out.html",
        "hta trace.json --output out.json --json",
    ],
)
def test_commands(command, tmp_path):
    """Command lines of programs that were written for ``python -m core.profiling``."""
    events = [
        {"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 0, "dur": 50},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 10, "dur": 5,
         "args": {"correlation": 7}},
        {"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": 30, "dur": 100,
         "args": {"correlation": 7, "stream": 7, "device": 0}},
    ]
    (tmp_path / "trace.json").write_text(json.dumps({"traceEvents": events}))
    run = subprocess.run(
        [sys.executable, "-m", "eaves", *command.split()], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    made = content(next(tmp_path.glob("out.*")))
    if command.endswith("--json"):
        document = json.loads(made)
        assert document["sections"]
        if command.startswith("hta"):
            assert document["kernel_analysis"]["top_kernels"][0]["time_us"] == 100
    else:
        assert "sgemm" in made
