"""Memory over time, with allocations whose sizes are known."""

from __future__ import annotations

import json
import pickle
import threading
import time

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from eaves import MemoryProfiler, read  # noqa: E402

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="sizes are those of the CPU allocator, or of a stand-in")

MEGABYTE = 1024 * 1024


def tensor(megabytes):
    return torch.empty(megabytes * MEGABYTE, dtype=torch.uint8)


def test_the_peak_is_exact_however_short_it_was():
    profiler = MemoryProfiler(sample_interval_ms=10_000)
    with profiler.track("block"):
        kept = tensor(10)
        for _ in range(3):
            short = tensor(64)
            del short
        other = tensor(5)
    peak = profiler.get_peak_analysis()
    assert peak["peak_allocated_mb"] == pytest.approx(74, rel=0.01)
    assert peak["current_allocated_mb"] == pytest.approx(15, rel=0.01)
    marker = profiler.markers["block"]
    assert marker["start_ms"] <= peak["peak_time_ms"] <= marker["end_ms"]
    assert "[memory] events" in peak["source"]["allocated_mb"]
    assert "resident set" in peak["source"]["reserved_mb"]
    del kept, other


def test_the_peak_is_that_of_the_analyses(tmp_path):
    profiler = MemoryProfiler()
    recorder = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True)

    def work():
        first = torch.randn(300, 300)
        second = first @ first
        third = (first + second).relu()
        del first, second
        return third.softmax(0)

    work()
    with profiler.track():
        work()
    with recorder:
        work()
    recorder.export_chrome_trace(str(tmp_path / "trace.json"))
    row = next(row for row in read(tmp_path / "trace.json").report()["memory"].tables["by_device"].rows())
    peak_mb = (row["peak_bytes"] - row["start_bytes"]) / MEGABYTE
    assert profiler.get_peak_analysis()["peak_allocated_mb"] == pytest.approx(peak_mb, rel=1e-9)


def test_samples_are_taken_while_the_block_runs():
    """Counts, not times: a block that waits for samples ends only if a thread takes them."""
    profiler = MemoryProfiler(sample_interval_ms=1.0, record_history=False)
    with profiler.track():
        deadline = time.monotonic() + 60
        while len(profiler.samples) < 20 and time.monotonic() < deadline:
            time.sleep(0.001)
    assert len(profiler.samples) >= 20
    times = [point["time_ms"] for point in profiler.get_timeline()]
    assert times == sorted(times)
    # Late samples are possible, early ones are not: no more of them than intervals went by. First and last are not the thread's.
    inner = times[1:-1]
    assert len(inner) <= (inner[-1] - times[0]) / profiler.sample_interval_ms
    assert not any(thread.name == "eaves memory sampler" for thread in threading.enumerate())


def test_a_long_interval_leaves_the_first_and_last_sample():
    profiler = MemoryProfiler(sample_interval_ms=1e6, record_history=False)
    with profiler.track():
        pass
    assert len(profiler.samples) == 2


def test_samples_show_what_was_allocated_when_they_were_taken():
    profiler = MemoryProfiler(sample_interval_ms=1e6)
    with profiler.track():
        before = profiler.sample()
        first = tensor(8)
        time.sleep(0.005)
        between = profiler.sample()
        time.sleep(0.005)
        second = tensor(16)
        time.sleep(0.005)
        both = profiler.sample()
        time.sleep(0.005)
        del second
        time.sleep(0.005)
        after = profiler.sample()
    assert [round(one.allocated_mb) for one in (before, between, both, after)] == [0, 8, 24, 8]
    assert [round(one.peak_mb) for one in (before, between, both, after)] == [0, 8, 24, 24]
    assert all(one.reserved_mb > 0 for one in (before, between, both, after))
    del first


def test_without_history_it_is_the_process():
    profiler = MemoryProfiler(record_history=False)
    with profiler.track():
        kept = torch.ones(64 * MEGABYTE, dtype=torch.uint8)
    peak = profiler.get_peak_analysis()
    assert "resident set" in profiler.source["allocated_mb"]
    # Pages that were written to are resident.
    grown = peak["peak_allocated_mb"] - profiler.samples[0].allocated_mb
    assert grown >= 60
    assert profiler.get_allocation_sizes() == {}
    del kept


def test_growth_by_more_than_a_tenth_looks_like_a_leak():
    profiler = MemoryProfiler(record_history=False)
    with profiler.track():
        pass
    first = profiler.samples[0]
    profiler.samples[-1].allocated_mb = first.allocated_mb * 1.1
    assert profiler.get_peak_analysis()["potential_leak"] is False
    profiler.samples[-1].allocated_mb = first.allocated_mb * 1.1001
    assert profiler.get_peak_analysis()["potential_leak"] is True


def test_allocations_by_size():
    profiler = MemoryProfiler()
    with profiler.track():
        for size in (512, 1024, 1024 * 1024 - 64, 1024 * 1024, 100 * 1024 * 1024):
            torch.empty(size, dtype=torch.uint8)
    sizes = profiler.get_allocation_sizes()
    assert {label: size["count"] for label, size in sizes.items()} == {"<1KB": 1, "1KB-1MB": 2, "1MB-100MB": 1, ">100MB": 1}
    assert sizes[">100MB"]["bytes"] == 100 * 1024 * 1024


def test_blocks_follow_each_other():
    profiler = MemoryProfiler(sample_interval_ms=1e6)
    for size in (4, 12, 8):
        with profiler.track("step"):
            torch.empty(size * MEGABYTE, dtype=torch.uint8)
    assert list(profiler.markers) == ["step", "step#2", "step#3"]
    peak = profiler.get_peak_analysis()
    assert peak["peak_allocated_mb"] == pytest.approx(12, rel=0.01)
    assert profiler.markers["step#2"]["start_ms"] <= peak["peak_time_ms"] <= profiler.markers["step#2"]["end_ms"]
    peaks = [point["peak_mb"] for point in profiler.get_timeline()]
    assert peaks == sorted(peaks) and len(peaks) == 6


def test_an_exception_passes_and_what_was_tracked_stays():
    profiler = MemoryProfiler()
    with pytest.raises(KeyError, match="mine"), profiler.track():
        tensor(3)
        raise KeyError("mine")
    assert profiler.get_peak_analysis()["peak_allocated_mb"] == pytest.approx(3, rel=0.01)
    assert not torch.autograd._profiler_enabled()


def test_a_second_profiler_is_refused_with_a_way_out():
    profiler = MemoryProfiler()
    with torch.profiler.profile(), pytest.raises(RuntimeError, match="record_history=False"), profiler.track():
        pass


def test_files(tmp_path):
    profiler = MemoryProfiler()
    with pytest.raises(RuntimeError, match="nothing was tracked"):
        profiler.export(tmp_path / "nothing.json")
    with profiler.track():
        tensor(1)
    saved = json.loads(profiler.export(tmp_path / "memory.json").read_text())
    assert saved == pickle.loads(profiler.export(tmp_path / "memory.pickle").read_bytes())
    assert set(saved) >= {"timeline", "peak_analysis", "markers"}
    assert set(saved["timeline"][0]) == {"time_ms", "allocated_mb", "reserved_mb", "peak_mb"}
    assert set(saved["markers"]["default"]) == {"start_ms", "end_ms"}
    with pytest.raises(ValueError, match="not 'csv'"):
        profiler.export(tmp_path / "memory.csv", format="csv")
    with pytest.raises(RuntimeError, match="needs a GPU"):
        profiler.export_snapshot(tmp_path / "snapshot.pickle")


@pytest.mark.parametrize("interval", [0, -1, float("nan")])
def test_the_interval_is_checked(interval):
    with pytest.raises(ValueError, match="sample_interval_ms"):
        MemoryProfiler(sample_interval_ms=interval)


class Allocator:
    """A stand-in for the allocator of a GPU: it keeps its peaks, as the real one does."""

    def __init__(self):
        self.allocated, self.reserved, self.peak, self.history = 10 * MEGABYTE, 20 * MEGABYTE, 0, []

    def allocate(self, megabytes):
        self.allocated += megabytes * MEGABYTE
        self.reserved = max(self.reserved, self.allocated)
        self.peak = max(self.peak, self.allocated)
        if megabytes > 0:
            self.history.append({"action": "alloc", "size": megabytes * MEGABYTE})
        else:
            self.history.append({"action": "free_completed", "size": -megabytes * MEGABYTE})


@pytest.fixture
def gpu(monkeypatch):
    allocator = Allocator()
    cuda = torch.cuda
    monkeypatch.setattr("eaves.profiling.memory_profiler.has_cuda", lambda: True)
    monkeypatch.setattr(cuda, "memory_allocated", lambda: allocator.allocated)
    monkeypatch.setattr(cuda, "memory_reserved", lambda: allocator.reserved)
    monkeypatch.setattr(cuda, "max_memory_allocated", lambda: allocator.peak)
    monkeypatch.setattr(cuda, "max_memory_reserved", lambda: allocator.reserved)
    monkeypatch.setattr(cuda, "reset_peak_memory_stats", lambda: setattr(allocator, "peak", allocator.allocated))
    recording = []
    monkeypatch.setattr(
        cuda.memory, "_record_memory_history", lambda enabled="all", max_entries=0: recording.append(enabled)
    )
    monkeypatch.setattr(cuda.memory, "_snapshot", lambda: {"segments": [], "device_traces": [allocator.history]})
    yield allocator
    # What was switched on is switched off.
    assert recording[-1:] in ([], [None])


def test_on_a_gpu_it_is_the_allocator_with_its_own_peak(gpu, tmp_path):
    gpu.peak = 900 * MEGABYTE
    profiler = MemoryProfiler(sample_interval_ms=1e6)
    with profiler.track():
        gpu.allocate(64)
        gpu.allocate(-64)
        gpu.allocate(2)
    peak = profiler.get_peak_analysis()
    # Between two samples, and not that of earlier.
    assert peak["peak_allocated_mb"] == 74 and peak["peak_reserved_mb"] == 74
    assert peak["current_allocated_mb"] == 12 and peak["potential_leak"] is True
    assert "caching allocator" in peak["source"]["allocated_mb"]
    assert {label: size["count"] for label, size in profiler.get_allocation_sizes().items() if size["count"]} == {"1MB-100MB": 2}
    snapshot = pickle.loads(profiler.export_snapshot(tmp_path / "snapshot.pickle").read_bytes())
    assert [event["action"] for event in snapshot["device_traces"][0]] == ["alloc", "free_completed", "alloc"]
    assert [point["allocated_mb"] for point in profiler.get_timeline()] == [10, 12]


def test_on_a_gpu_a_tenth_more_is_no_leak(gpu):
    profiler = MemoryProfiler(record_history=False)
    with profiler.track():
        gpu.allocate(1)
    assert profiler.get_peak_analysis()["potential_leak"] is False
    with pytest.raises(RuntimeError, match="needs a GPU"):
        profiler.export_snapshot("nowhere")
