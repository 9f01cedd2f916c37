"""Memory over time: a sampling thread while a block runs, plus every allocation on the CPU."""

from __future__ import annotations

import pickle
import tempfile
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eaves._files import export, json_text, write
from eaves.profiling._memory_sources import CudaAllocator, ResidentSet, Source, resident_bytes
from eaves.profiling._torch import MEGABYTE, export_trace, has_cuda, import_torch, is_recording, start_recording

if TYPE_CHECKING:
    from os import PathLike

#: What the last sample must exceed the first by to look like a leak.
LEAK_FACTOR = 1.1
#: Events of the GPU allocator that are kept; the oldest are dropped first.
HISTORY_ENTRIES = 100_000
#: Sizes that allocations are told apart by: the largest of each, exclusive.
SIZES: tuple[tuple[str, float], ...] = (
    ("<1KB", 1024),
    ("1KB-1MB", 1024**2),
    ("1MB-100MB", 100 * 1024**2),
    (">100MB", float("inf")),
)

_CLOCK_MARK, _CLOCK_MARKS = "eaves: clock", 5
_EVENTS = "tensors on the CPU since the tracked block began, from the [memory] events of torch.profiler"


@dataclass
class MemorySnapshot:
    """Memory at one point in time. 1 MB is 1,048,576 bytes."""

    time_ms: float
    allocated_mb: float
    reserved_mb: float
    #: The most allocated so far.
    peak_mb: float

    def to_dict(self) -> dict[str, float]:
        """The snapshot as a dictionary."""
        return dict(vars(self))


class MemoryProfiler:
    """Tracks memory in use while a block runs.

    ``sample_interval_ms`` is the sampling interval. ``record_history`` also records every allocation, which makes the
    peak exact: on a GPU through the history of PyTorch's allocator (`export_snapshot`), on the CPU through the
    profiler's memory events. ``track_allocations`` counts allocations by size (`get_allocation_sizes`) and needs the
    history.

    `source` says what the numbers count: GPU allocators know their totals; PyTorch's CPU allocator does not, so
    without ``record_history`` the numbers cover the whole process.
    """

    def __init__(
        self,
        sample_interval_ms: float = 1.0,
        record_history: bool = True,
        track_allocations: bool = True,
    ) -> None:
        if not sample_interval_ms > 0:
            raise ValueError(f"sample_interval_ms must be more than 0, not {sample_interval_ms}")
        self.sample_interval_ms = sample_interval_ms
        self.record_history = record_history
        self.track_allocations = track_allocations
        self.samples: list[MemorySnapshot] = []
        self.markers: dict[str, dict[str, float]] = {}
        self._origin_ns: int | None = None
        self._device: Source | None = None
        self._peak: tuple[float, float] | None = None
        self._reserved_peak_mb = 0.0
        self._allocations: list[int] = []
        self._snapshot: Any = None
        self._marks_ms: list[tuple[float, float]] = []
        self._lock = threading.Lock()

    @property
    def source(self) -> dict[str, str]:
        """What the numbers count, by name."""
        source = self._measured()
        if self._counts_events():
            return {"allocated_mb": _EVENTS, "reserved_mb": ResidentSet.reserved}
        return {"allocated_mb": source.allocated, "reserved_mb": source.reserved}

    @contextmanager
    def track(self, name: str = "default") -> Iterator[MemoryProfiler]:
        """Samples memory while the block runs. Consecutive blocks share one time axis."""
        if self._counts_events() and is_recording():
            raise RuntimeError(
                "a profiler of PyTorch is recording already: every allocation on the CPU is known only to a profiler of its own; "
                "use `record_history=False` to sample the process instead"
            )
        source = self._measured()
        self._start_clock()
        first = len(self.samples)
        source.reset_peak()
        recorder = self._start_history()
        stop = threading.Event()
        sampler = threading.Thread(target=self._sample_until, args=(stop,), name="eaves memory sampler", daemon=True)
        begin_ms = self._now_ms()
        self.sample()
        sampler.start()
        try:
            yield self
        finally:
            stop.set()
            sampler.join()
            self.sample()
            self.markers[self._unused_marker(name)] = {"start_ms": begin_ms, "end_ms": self._now_ms()}
            self._finish_history(recorder, first)
            self._note_peak(source, first)

    def sample(self) -> MemorySnapshot:
        """Takes a sample now, in addition to the sampling thread."""
        source = self._measured()
        self._start_clock()
        with self._lock:
            now = self._now_ms()
            allocated, reserved = (value / MEGABYTE for value in source.read())
            before = self.samples[-1].peak_mb if self.samples else 0.0
            taken = MemorySnapshot(now, allocated, reserved, max(before, allocated))
            self.samples.append(taken)
        return taken

    def get_timeline(self) -> list[dict[str, float]]:
        """All samples: ``time_ms`` since the first, ``allocated_mb``, ``reserved_mb``, and ``peak_mb`` so far."""
        return [taken.to_dict() for taken in self.samples]

    def get_peak_analysis(self) -> dict[str, Any]:
        """The peak and its time, what remains allocated, and whether memory grew by more than 10% from first to last
        sample."""
        if not self.samples or self._peak is None:
            raise RuntimeError("nothing was tracked yet: use `with profiler.track(...):`")
        peak_mb, peak_time_ms = self._peak
        first, last = self.samples[0], self.samples[-1]
        # Events count from the start of their block, so that only the process as a whole can be compared over blocks.
        of_process = self._counts_events()
        begun, ended = (first.reserved_mb, last.reserved_mb) if of_process else (first.allocated_mb, last.allocated_mb)
        return {
            "peak_allocated_mb": peak_mb,
            "peak_reserved_mb": self._reserved_peak_mb,
            "peak_time_ms": peak_time_ms,
            "current_allocated_mb": last.allocated_mb,
            "potential_leak": begun > 0 and ended > LEAK_FACTOR * begun,
            "source": self.source,
        }

    def get_allocation_sizes(self) -> dict[str, dict[str, int]]:
        """Number and bytes of allocations by size; empty without a history."""
        if not self._allocations:
            return {}
        sizes = {label: {"count": 0, "bytes": 0} for label, _ in SIZES}
        for size in self._allocations:
            label = next(label for label, limit in SIZES if size < limit)
            sizes[label]["count"] += 1
            sizes[label]["bytes"] += size
        return sizes

    def export(self, path: str | PathLike[str], format: str | None = None) -> Path:
        """Writes timeline, peak and tracked blocks as ``json`` or ``pickle``; by default according to the file name."""
        content = {
            "timeline": self.get_timeline(),
            "peak_analysis": self.get_peak_analysis(),
            "markers": self.markers,
            "source": self.source,
            "allocation_sizes": self.get_allocation_sizes(),
        }
        forms: dict[str, Callable[[], str | bytes]] = {
            "json": lambda: json_text(content) + "\n",
            "pickle": lambda: pickle.dumps(content),
        }
        return export(path, format, forms, {".pickle": "pickle", ".pkl": "pickle"})

    def export_snapshot(self, path: str | PathLike[str]) -> Path:
        """Writes the GPU allocator history as a PyTorch memory snapshot for `eaves memory`."""
        if self._snapshot is None:
            raise RuntimeError("there is no history of a GPU's allocator: it needs a GPU and `record_history=True`")
        return write(path, pickle.dumps(self._snapshot))

    def _measured(self) -> Source:
        if self._device is None:
            self._device = CudaAllocator() if has_cuda() else ResidentSet()
        return self._device

    def _counts_events(self) -> bool:
        """Whether allocations are known from profiler events."""
        return self.record_history and isinstance(self._measured(), ResidentSet)

    def _start_clock(self) -> None:
        if self._origin_ns is None:
            self._origin_ns = time.perf_counter_ns()

    def _now_ms(self) -> float:
        return (time.perf_counter_ns() - (self._origin_ns or 0)) / 1e6

    def _unused_marker(self, name: str) -> str:
        number, marker = 2, name
        while marker in self.markers:
            marker, number = f"{name}#{number}", number + 1
        return marker

    def _sample_until(self, stop: threading.Event) -> None:
        interval = self.sample_interval_ms / 1e3
        due = time.monotonic() + interval
        while not stop.wait(max(0.0, due - time.monotonic())):
            self.sample()
            due += interval
            if due < time.monotonic():
                # What was missed is not made up for: samples that follow each other at once say the same.
                due = time.monotonic() + interval

    def _start_history(self) -> Any:
        if not self.record_history:
            return None
        if self._counts_events():
            recorder = start_recording(profile_memory=True)
            self._marks_ms = [self._mark() for _ in range(_CLOCK_MARKS)]
            return recorder
        import_torch().cuda.memory._record_memory_history(max_entries=HISTORY_ENTRIES)
        return None

    def _mark(self) -> tuple[float, float]:
        """An event timed by both clocks, to align samples and events."""
        before = self._now_ms()
        with import_torch().profiler.record_function(_CLOCK_MARK):
            after = self._now_ms()
        return (before, after)

    def _finish_history(self, recorder: Any, first: int) -> None:
        if not self.record_history:
            return
        if recorder is None:
            memory = import_torch().cuda.memory
            self._snapshot = memory._snapshot()
            memory._record_memory_history(enabled=None)
            if self.track_allocations:
                for trace in self._snapshot["device_traces"]:
                    self._allocations += [event["size"] for event in trace if event["action"] == "alloc"]
            return
        recorder.stop()
        self._count_events(recorder, first)

    def _count_events(self, recorder: Any, first: int) -> None:
        """Adds allocated tensor memory from the recording to this block's samples."""
        from eaves import read

        with tempfile.TemporaryDirectory(prefix="eaves-") as folder:
            recording = read(export_trace(recorder, Path(folder) / "memory.json"))
        events = recording.allocations.to_dict()
        slices = recording.table("slices")
        marked_ns = [int(at or 0) for at, name in zip(slices["start_ns"], slices["name"]) if name == _CLOCK_MARK]
        # Of the marks, the one that nothing came in between.
        closest = min(range(_CLOCK_MARKS), key=lambda index: self._marks_ms[index][1] - self._marks_ms[index][0])
        zero_ns = sorted(marked_ns)[closest] - round(1e6 * self._marks_ms[closest][0])
        times: list[float] = []
        totals: list[float] = []
        total = 0
        for at, size in zip(events.get("time_ns", []), events.get("bytes", [])):
            if not isinstance(at, int) or not isinstance(size, int):
                continue
            total += size
            times.append((at - zero_ns) / 1e6)
            totals.append(total / MEGABYTE)
            if size > 0 and self.track_allocations:
                self._allocations.append(size)
        highest = 0.0
        running = [highest := max(highest, value) for value in totals]
        before = self.samples[first - 1].peak_mb if first > 0 else 0.0
        for taken in self.samples[first:]:
            index = bisect_right(times, taken.time_ms) - 1
            taken.allocated_mb = totals[index] if index >= 0 else 0.0
            taken.peak_mb = max(before, running[index] if index >= 0 else 0.0)
        if totals and (self._peak is None or highest > self._peak[0]):
            self._peak = (highest, times[totals.index(highest)])

    def _note_peak(self, source: Source, first: int) -> None:
        taken = self.samples[first:]
        kept = source.peak()
        self._reserved_peak_mb = max(
            self._reserved_peak_mb, max(one.reserved_mb for one in taken), kept[1] / MEGABYTE if kept else 0.0
        )
        if self._counts_events():
            self._peak = self._peak or (0.0, taken[0].time_ms)
            return
        highest = max(taken, key=lambda one: one.allocated_mb)
        # The allocator's own peak may lie between two samples; when it was is then known to the nearest sample only.
        peak_mb = max(highest.allocated_mb, kept[0] / MEGABYTE if kept else 0.0)
        if self._peak is None or peak_mb > self._peak[0]:
            self._peak = (peak_mb, highest.time_ms)


__all__ = ["MemoryProfiler", "MemorySnapshot", "resident_bytes"]
