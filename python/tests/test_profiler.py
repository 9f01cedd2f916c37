"""Recorded sessions, held against the events of their traces."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from tiny_models import Perceptron  # noqa: E402

from eaves import UnifiedProfiler, read  # noqa: E402
from eaves.profiling._session import gpu_kernels, per_iteration  # noqa: E402

MEGABYTE = 1024 * 1024
ALEXNET = "sources/004/hta_test_traces/critical_path_alexnet_benchmark_result_2869224_1695835535_trace.json.gz"
on_cpu = pytest.mark.skipif(torch.cuda.is_available(), reason="about operators of the CPU")


def events(path, category):
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened as file:
        return [event for event in json.load(file)["traceEvents"] if event.get("cat") == category]


def own_times(operators):
    """Own time by name, by brute force: what is inside an operator on its thread and in nothing smaller is not its own."""
    own = defaultdict(int)
    by_thread = defaultdict(list)
    for event in operators:
        start = round(event["ts"] * 1000)
        by_thread[event["tid"]].append((start, start + round(event["dur"] * 1000), event["name"]))
    for slices in by_thread.values():
        stack = []
        for start, end, name in sorted(slices, key=lambda one: (one[0], -one[1])):
            while stack and stack[-1][0] <= start:
                stack.pop()
            if stack:
                own[stack[-1][1]] -= end - start
            own[name] += end - start
            stack.append((end, name))
    return own


@on_cpu
def test_operators_have_their_own_time_and_calls_of_one_iteration(tmp_path):
    model, values = Perceptron(), torch.randn(8, 64)
    session = UnifiedProfiler(tmp_path, with_stack=False).profile_function(model, values, warmup=1, iterations=4)
    recorded = events(session.trace_path, "cpu_op")
    own, calls = own_times(recorded), Counter(event["name"] for event in recorded)
    assert {kernel.name for kernel in session.kernels} == set(calls)
    for kernel in session.kernels:
        assert kernel.duration_us == pytest.approx(own[kernel.name] / 1e3 / 4, abs=1e-3)
        assert kernel.call_count == calls[kernel.name] / 4
        assert (kernel.cpu_time_us, kernel.cuda_time_us) == (kernel.duration_us, 0.0)
    durations = [kernel.duration_us for kernel in session.kernels]
    assert durations == sorted(durations, reverse=True)
    # Own times of one thread cannot overlap, so all of them fit into the time in which the host worked.
    # Compared in whole nanoseconds of all four iterations, as they were recorded: sums of fractions are rounded.
    assert round(4e3 * sum(durations)) <= round(4e6 * session.cpu_time_ms)
    assert session.cpu_time_ms <= session.total_time_ms
    summary = session.kernel_summary["aten::addmm"]
    assert summary["count"] == 2 and summary["avg_us"] == pytest.approx(summary["total_us"] / 2)


@on_cpu
def test_the_peak_is_that_of_the_block(tmp_path):
    held = torch.empty(50 * MEGABYTE, dtype=torch.uint8)
    with UnifiedProfiler(tmp_path).profile("memory") as session:
        first = torch.empty(6 * MEGABYTE, dtype=torch.uint8)
        second = torch.empty(3 * MEGABYTE, dtype=torch.uint8)
        del first
        third = torch.empty(2 * MEGABYTE, dtype=torch.uint8)
    assert session.peak_memory_mb == pytest.approx(9, rel=0.01)
    assert session.allocated_memory_mb == pytest.approx(5, rel=0.01)
    assert "[memory] events" in session.memory_source and "reserved_memory_mb" in session.missing
    assert max(point["allocated_mb"] for point in session.memory_timeline) == pytest.approx(session.peak_memory_mb)
    assert json.loads(session.to_json())["memory"]["reserved_mb"] is None
    del held, second, third


@on_cpu
def test_an_operator_that_dominates_is_named(tmp_path):
    matrix = torch.randn(700, 700)
    session = UnifiedProfiler(tmp_path).profile_function(torch.mm, matrix, matrix, warmup=1, iterations=3)
    longest = session.kernels[0]
    share = longest.duration_us / sum(kernel.duration_us for kernel in session.kernels)
    # It takes nearly all of the time, unless the machine did something else just then; said is what is so.
    said = [text for text in session.bottlenecks if text.startswith(f"Single operator dominates: {longest.name} takes")]
    assert len(said) == (1 if share > 0.5 else 0)
    assert not any("CUDA" in text or "launches" in text for text in session.bottlenecks)


def test_nothing_is_left_in_the_folder_that_was_not_asked_for(tmp_path):
    profiler = UnifiedProfiler(tmp_path / "none", enable_trace=False, enable_memory=False, enable_flame_graph=False)
    with profiler.profile("quiet") as session:
        torch.ones(3).sum()
    assert session.trace_path is None and session.flame_graph_path is None and session.flame_graph_data is None
    assert not (tmp_path / "none").exists()
    assert session.total_time_ms > 0 and session.kernels
    assert session.missing["memory"].startswith("memory was not recorded")


def test_names_become_files_and_none_is_overwritten(tmp_path):
    profiler = UnifiedProfiler(tmp_path, enable_flame_graph=False)
    for _ in range(3):
        with profiler.profile("../step 1/x"):
            torch.ones(1)
    paths = [session.trace_path for session in profiler.sessions]
    assert len(set(paths)) == 3 and all(path.parent == tmp_path and path.exists() for path in paths)
    assert paths[0].name.startswith("_step_1_x_")


def test_an_exception_passes_and_the_next_block_can_be_recorded(tmp_path):
    profiler = UnifiedProfiler(tmp_path)
    with pytest.raises(ZeroDivisionError), profiler.profile("fails"):
        1 / 0
    assert profiler.sessions == [] and not torch.autograd._profiler_enabled()
    with profiler.profile("works") as session:
        torch.ones(3).sum()
    assert session.total_time_ms > 0


def test_two_profilers_at_once_are_refused(tmp_path):
    with torch.profiler.profile(), pytest.raises(RuntimeError, match="only one at a time"):
        with UnifiedProfiler(tmp_path).profile("second"):
            pass


@pytest.mark.parametrize(("warmup", "iterations"), [(0, 1), (2, 3), (None, None)])
def test_as_many_calls_as_asked_for(tmp_path, warmup, iterations):
    calls = []
    profiler = UnifiedProfiler(tmp_path, warmup_iterations=1, profile_iterations=2, enable_flame_graph=False)
    session = profiler.profile_function(lambda: calls.append(1) or len(calls), warmup=warmup, iterations=iterations)
    expected = 3 if warmup is None else warmup + iterations
    assert len(calls) == expected == session.result


def test_counts_of_an_iteration_are_whole_if_all_are_alike():
    assert per_iteration(20, 10) == 2 and isinstance(per_iteration(20, 10), int)
    assert per_iteration(25, 10) == 2.5


def test_kernels_of_a_gpu_are_sums_by_name_with_their_longest_launch(data):
    alexnet = data(ALEXNET)
    recording = read(alexnet)
    kernels = gpu_kernels(recording.report(), recording, iterations=1)
    launched = [event for kind in ("kernel", "gpu_memcpy", "gpu_memset") for event in events(alexnet, kind)]
    totals, longest = defaultdict(float), {}
    for event in launched:
        totals[event["name"]] += event["dur"]
        if event["name"] not in longest or event["dur"] > longest[event["name"]]["dur"]:
            longest[event["name"]] = event
    assert {kernel.name: kernel.cuda_time_us for kernel in kernels} == pytest.approx(totals)
    assert sum(kernel.call_count for kernel in kernels) == len(launched)
    for kernel in kernels:
        arguments = longest[kernel.name]["args"]
        assert kernel.duration_us == kernel.cuda_time_us == kernel.time_us and kernel.cpu_time_us == 0
        assert kernel.stream == arguments["stream"] and kernel.device_index == arguments["device"]
        if "grid" in arguments:
            assert kernel.registers_per_thread == arguments["registers per thread"] or len(
                [event for event in launched if event["name"] == kernel.name and event["dur"] == longest[kernel.name]["dur"]]
            ) > 1
            assert kernel.grid is not None and kernel.block == tuple(arguments["block"])
