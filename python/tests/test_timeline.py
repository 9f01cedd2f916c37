"""Timelines and flame graphs of real traces, held against sums over every nanosecond interval made here."""

from __future__ import annotations

import gzip
import json
import math

import pytest
from pages import content, is_alone

from eaves import EventType, FlameGraphGenerator, HTAAnalyzer, TimelineData, TimelineEvent, TimelineGenerator, read
from eaves.profiling.timeline import add

#: Busy time of the GPU in microseconds, as published with the traces' analysis: the union of kernels, copies and sets.
BUSY_US = {
    "critical_path_alexnet_benchmark_result_2869224_1695835535_trace.json.gz": 66_141,
    "critical_path_simple_add_benchmark_result_493459_1694039959_trace.json.gz": 49_758,
    "amd_trace_mi250_minitoy_train_ROCm6_2_kineto.json.gz": 149.0,
    "critical_path_cuda_event_sync_multi_stream_event_sync_trace.json.gz": 372,
    "trace_filter_sampled_rank-0.json.gz": 547_656,
}
GPU = {"kernel", "gpu_memcpy", "gpu_memset"}
HOST = {"cpu_op", "cuda_runtime", "cuda_driver", "python_function"}


@pytest.fixture
def traces(data):
    """Traces of HTA's own tests."""
    return data("sources/004/hta_test_traces")


def union(intervals):
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def length(intervals):
    return sum(end - start for start, end in intervals)


def intervals(path, categories):
    events = json.loads(gzip.open(path, "rt").read())["traceEvents"]
    # Microseconds with three decimals, as whole nanoseconds.
    return [
        (round(event["ts"] * 1000), round(event["ts"] * 1000) + round(event["dur"] * 1000))
        for event in events
        if event.get("ph") == "X" and event.get("cat") in categories
    ]


@pytest.mark.parametrize("name", BUSY_US)
def test_times_are_unions(name, traces):
    gpu, host = (union(intervals(traces / name, categories)) for categories in (GPU, HOST))
    both = length(gpu) + length(host) - length(union([*gpu, *host]))
    timeline = TimelineGenerator().from_chrome_trace(traces / name)
    assert timeline.gpu_active_time_us == pytest.approx(length(gpu) / 1e3, abs=1e-6)
    assert timeline.gpu_active_time_us == pytest.approx(BUSY_US[name], abs=0.6)
    assert timeline.cpu_active_time_us == pytest.approx(length(host) / 1e3, abs=1e-6)
    assert timeline.overlap_time_us == pytest.approx(both / 1e3, abs=1e-6)
    assert timeline.overlap_time_us <= timeline.gpu_active_time_us <= timeline.total_time_us


@pytest.mark.parametrize("name", BUSY_US)
def test_events_are_on_the_side_they_belong_to(name, traces):
    timeline = TimelineGenerator(min_duration_us=0).from_chrome_trace(traces / name)
    assert len(timeline.gpu_events) == len(intervals(traces / name, GPU))
    assert sum(len(events) for events in timeline.streams.values()) == len(timeline.gpu_events)
    assert len(timeline.cpu_events) + len(timeline.gpu_events) == len(timeline.events)
    assert not any(event.name.startswith(("cudaLaunch", "hipLaunch")) for event in timeline.gpu_events)
    starts = [event.start_us for event in timeline.events]
    assert starts == sorted(starts) and starts[0] >= 0


def test_what_is_left_out_changes_no_time(traces):
    path = traces / "critical_path_alexnet_benchmark_result_2869224_1695835535_trace.json.gz"
    every = TimelineGenerator(min_duration_us=0).from_chrome_trace(path)
    some = TimelineGenerator(min_duration_us=50, include_python_events=False, include_cuda_runtime=False).from_chrome_trace(path)
    assert len(some.events) < len(every.events)
    assert all(event.duration_us >= 50 for event in some.events)
    assert {event.event_type for event in some.events} == {EventType.CPU_OP, EventType.CUDA_KERNEL, EventType.CUDA_MEMCPY}
    assert some.gpu_active_time_us == every.gpu_active_time_us and some.cpu_active_time_us == every.cpu_active_time_us


def test_an_exported_timeline_is_a_trace_with_the_same_times(tmp_path, traces):
    path = traces / "critical_path_cuda_event_sync_multi_stream_event_sync_trace.json.gz"
    generator = TimelineGenerator(min_duration_us=0)
    timeline = generator.from_chrome_trace(path)
    again = generator.from_chrome_trace(generator.export_chrome_trace(timeline, tmp_path / "again.json"))
    assert again.gpu_active_time_us == pytest.approx(timeline.gpu_active_time_us)
    assert again.overlap_time_us == pytest.approx(timeline.overlap_time_us)
    assert set(again.streams) == set(timeline.streams) and len(timeline.streams) > 1
    assert len(again.events) == len(timeline.events)


@pytest.mark.parametrize("name", BUSY_US)
def test_flame_graphs_have_the_time_of_every_kernel(name, traces):
    kernels = intervals(traces / name, GPU)
    graph = FlameGraphGenerator().from_chrome_trace(traces / name)
    assert graph["name"] == "GPU Execution"
    # Whatever is too small or too deep to show stays in the total.
    assert graph["value"] == pytest.approx(length(kernels) / 1e3, abs=1e-6)
    assert graph["value"] == pytest.approx(sum(child["value"] for child in graph["children"]))


def test_where_the_time_of_the_gpu_went(traces):
    """The shares that the published analysis of the traces gives, to its two decimals."""
    report = HTAAnalyzer().analyze_trace(traces / "trace_filter_sampled_rank-0.json.gz")
    assert report.gpu_idle_time_pct == pytest.approx(55.21, abs=0.005)
    assert report.compute_time_pct == pytest.approx(17.20, abs=0.005)
    assert report.communication_time_pct + report.memory_time_pct == pytest.approx(27.59, abs=0.01)
    assert report.top_kernels[0]["time_us"] == report.top_kernels[0]["duration_us"]
    assert "idle for 55.2%" in report.recommendations[0]
    assert not any("cudaDeviceGetStreamPriorityRange" in text for text in report.recommendations)
    alexnet = HTAAnalyzer().analyze_trace(traces / "critical_path_alexnet_benchmark_result_2869224_1695835535_trace.json.gz")
    assert alexnet.gpu_idle_time_pct == pytest.approx(99.49, abs=0.005)
    assert alexnet.communication_time_pct == 0 and not math.isnan(alexnet.memory_bandwidth_gbps)


def made_by_hand():
    timeline = TimelineData(total_time_us=10.0)
    add(timeline, TimelineEvent("op", EventType.CPU_OP, 0.0, 4.0))
    add(timeline, TimelineEvent("launch", EventType.CUDA_RUNTIME, 1.0, 1.0, correlation=7))
    add(timeline, TimelineEvent("kernel", EventType.CUDA_KERNEL, 3.0, 5.0, stream_id=2, device_id=0, correlation=7))
    add(timeline, TimelineEvent("wait", EventType.CUDA_SYNC, 5.0, 5.0, stream_id=2))
    return timeline


def test_a_timeline_made_by_hand_can_be_read_drawn_and_saved(tmp_path):
    generator, timeline = TimelineGenerator(), made_by_hand()
    assert [event.name for event in timeline.gpu_events] == ["kernel"] and list(timeline.streams) == [2]
    section = read(generator.export_chrome_trace(timeline, tmp_path / "made.json")).timeline().report()["timeline"]
    assert section.number("gpu_active_ns").value == 5000
    assert section.number("overlap_ns").value == 1000
    timeline.events[2].name = "kernel of mine"
    page = generator.generate_html_viewer(timeline, tmp_path / "made.html")
    assert is_alone(page) and "kernel of mine" in content(page)
    assert json.loads(json.dumps(timeline.to_dict()))["gpu_events"][0]["type"] == "cuda_kernel"


def test_charts_get_the_longest_events_in_order(tmp_path):
    timeline = TimelineData()
    for number in range(1200):
        add(timeline, TimelineEvent(f"k{number}", EventType.CUDA_KERNEL, float(number), 1.0 + number % 100, stream_id=number % 2))
    data = TimelineGenerator().export_visualization_data(timeline, tmp_path / "data.json")
    assert len(data["gpu"]) == 500 and data["cpu"] == []
    assert {stream: len(events) for stream, events in data["streams"].items()} == {"0": 100, "1": 100}
    starts = [event["start_us"] for event in data["gpu"]]
    assert starts == sorted(starts)
    # 1200 events have 12 of each duration, so that the 500 longest reach down to 59.
    assert min(event["duration_us"] for event in data["gpu"]) == 59.0
    assert json.loads((tmp_path / "data.json").read_text()) == data
