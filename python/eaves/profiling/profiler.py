"""Records a block or function with PyTorch's profiler and analyzes it."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eaves._files import json_text, known, replacing, write
from eaves.profiling._torch import (
    MEGABYTE,
    device_name,
    export_trace,
    file_stem,
    has_cuda,
    import_torch,
    start_recording,
    synchronize,
    unused_path,
)

if TYPE_CHECKING:
    from os import PathLike

#: How much of a session its JSON has.
KERNELS_SAVED = 50
SUMMARIES_SAVED = 20
#: Changes of a kernel that compare_sessions lists: at most so many, each of more than this.
CHANGES_LISTED = 20
CHANGE_US = 100.0


@dataclass
class KernelInfo:
    """A GPU activity, all calls of one name together; without a GPU, a CPU operator.

    Times and calls are per iteration. ``duration_us`` is its summed GPU duration, or self time on the CPU. Launch
    parameters (``grid`` and so on) are those of its longest call.
    """

    name: str
    duration_us: float
    cuda_time_us: float = 0.0
    cpu_time_us: float = 0.0
    device_index: int | None = None
    stream: int | None = None
    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    registers_per_thread: int | None = None
    shared_memory_bytes: int | None = None
    call_count: float = 1

    @property
    def time_us(self) -> float:
        """The same as ``duration_us``."""
        return self.duration_us

    def to_dict(self) -> dict[str, Any]:
        """Name, duration and calls, as in the session's JSON."""
        return {
            "name": self.name,
            "duration_us": self.duration_us,
            "time_us": self.duration_us,
            "call_count": self.call_count,
        }


@dataclass
class ProfileSession:
    """A recording and its analysis. Times are per iteration; 1 MB is 1,048,576 bytes.

    Unknown numbers are NaN, null in JSON; ``missing`` says why.
    """

    name: str = ""
    #: Wall time, until the GPU had done its work. Recording is part of it.
    total_time_ms: float = math.nan
    #: Time in which the GPU worked: the union of kernels, copies and sets.
    cuda_time_ms: float = math.nan
    #: Time in which the host worked: the union of operators, calls and Python functions.
    cpu_time_ms: float = math.nan
    peak_memory_mb: float = math.nan
    allocated_memory_mb: float = math.nan
    reserved_memory_mb: float = math.nan
    kernels: list[KernelInfo] = field(default_factory=list)
    kernel_summary: dict[str, dict[str, float]] = field(default_factory=dict)
    bottlenecks: list[str] = field(default_factory=list)
    recommendations: list[str] = field(default_factory=list)
    trace_path: Path | None = None
    flame_graph_data: dict[str, Any] | None = None
    flame_graph_path: Path | None = None
    memory_snapshot_path: Path | None = None
    timeline_data: dict[str, float] | None = None
    memory_timeline: list[dict[str, float]] = field(default_factory=list)
    device_name: str = ""
    timestamp: str = ""
    iterations: int = 1
    #: What memory was counted by.
    memory_source: str = ""
    missing: dict[str, str] = field(default_factory=dict)
    #: What the block or function returned last, if `profile_function` called it.
    result: Any = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The session as saved."""
        summaries = sorted(self.kernel_summary.items(), key=lambda item: -item[1]["total_us"])
        return {
            "name": self.name,
            "timing": {
                "total_ms": known(self.total_time_ms),
                "cuda_ms": known(self.cuda_time_ms),
                "cpu_ms": known(self.cpu_time_ms),
            },
            "memory": {
                "peak_mb": known(self.peak_memory_mb),
                "allocated_mb": known(self.allocated_memory_mb),
                "reserved_mb": known(self.reserved_memory_mb),
                "source": self.memory_source,
            },
            "kernels": [kernel.to_dict() for kernel in self.kernels[:KERNELS_SAVED]],
            "kernel_summary": dict(summaries[:SUMMARIES_SAVED]),
            "bottlenecks": self.bottlenecks,
            "recommendations": self.recommendations,
            "device": self.device_name,
            "timestamp": self.timestamp,
            "iterations": self.iterations,
            "missing": self.missing,
        }

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """The session as JSON; also written to ``path`` if given."""
        text = json_text(self.to_dict())
        if path is not None:
            write(path, text + "\n")
        return text


class UnifiedProfiler:
    """Records blocks and functions with PyTorch's profiler and analyzes them.

    Writes traces to ``output_dir`` as ``<name>_<date>_<time>.json``, memory snapshots as ``<name>_memory.pickle``,
    flame graphs as ``<name>_<date>_<time>_flame.html``, without overwriting. ``with_modules`` is for older PyTorch
    versions; ``with_stack`` records modules.
    """

    def __init__(
        self,
        output_dir: str | PathLike[str] = "./profiles",
        enable_trace: bool = True,
        enable_memory: bool = True,
        enable_flame_graph: bool = True,
        warmup_iterations: int = 3,
        profile_iterations: int = 10,
        record_shapes: bool = True,
        with_stack: bool = True,
        with_flops: bool = True,
        with_modules: bool = True,
    ) -> None:
        self.output_dir = Path(output_dir)
        self.enable_trace = enable_trace
        self.enable_memory = enable_memory
        self.enable_flame_graph = enable_flame_graph
        self.warmup_iterations = warmup_iterations
        self.profile_iterations = profile_iterations
        self.record_shapes = record_shapes
        self.with_stack = with_stack
        self.with_flops = with_flops
        self.with_modules = with_modules
        self.sessions: list[ProfileSession] = []

    @contextmanager
    def profile(self, name: str = "profile") -> Iterator[ProfileSession]:
        """Records the block. The session is filled when the block ends; exceptions propagate unchanged."""
        session = ProfileSession(name=name)
        with self._recording(session):
            yield session

    def profile_function(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        name: str | None = None,
        warmup: int | None = None,
        iterations: int | None = None,
        **keywords: Any,
    ) -> ProfileSession:
        """Calls the function ``warmup`` times, then ``iterations`` times while recording.

        Session numbers are per iteration; the trace has all iterations as profiler steps.
        """
        warmup = self.warmup_iterations if warmup is None else warmup
        iterations = self.profile_iterations if iterations is None else iterations
        if warmup < 0 or iterations < 1:
            raise ValueError(f"warmup must be 0 or more and iterations 1 or more, not {warmup} and {iterations}")
        torch = import_torch()
        for _ in range(warmup):
            function(*arguments, **keywords)
        called = name or getattr(function, "__name__", None) or type(function).__name__
        session = ProfileSession(name=called, iterations=iterations)
        with self._recording(session):
            for step in range(iterations):
                # The name by which profilers and analyses know steps.
                with torch.profiler.record_function(f"ProfilerStep#{step}"):
                    session.result = function(*arguments, **keywords)
        return session

    def compare_sessions(self, baseline: ProfileSession, optimized: ProfileSession) -> dict[str, Any]:
        """Compares sessions. Differences are baseline minus optimized, so savings are positive."""
        faster = optimized.total_time_ms > 0
        return {
            "speedup": baseline.total_time_ms / optimized.total_time_ms if faster else math.nan,
            "timing_diff": {
                "total_ms": baseline.total_time_ms - optimized.total_time_ms,
                "cuda_ms": baseline.cuda_time_ms - optimized.cuda_time_ms,
                "cpu_ms": baseline.cpu_time_ms - optimized.cpu_time_ms,
            },
            "memory_diff": {"peak_mb": baseline.peak_memory_mb - optimized.peak_memory_mb},
            "kernel_changes": _kernel_changes(baseline, optimized),
        }

    @contextmanager
    def _recording(self, session: ProfileSession) -> Iterator[None]:
        from eaves.profiling._session import fill, range_name

        history = self.enable_memory and has_cuda()
        if has_cuda():
            import_torch().cuda.reset_peak_memory_stats()
        if history:
            import_torch().cuda.memory._record_memory_history()
        synchronize()
        recorder = start_recording(
            record_shapes=self.record_shapes,
            profile_memory=self.enable_memory,
            with_stack=self.with_stack,
            with_flops=self.with_flops,
        )
        begin = time.perf_counter_ns()
        try:
            with import_torch().profiler.record_function(range_name(session)):
                yield
                synchronize()
            elapsed = time.perf_counter_ns() - begin
        finally:
            recorder.stop()
            if history:
                session.memory_snapshot_path = self._save_history(session.name)
        now = datetime.now()
        session.total_time_ms = elapsed / 1e6 / session.iterations
        session.timestamp = now.isoformat(timespec="seconds")
        session.device_name = device_name()
        if self.enable_memory and has_cuda():
            cuda = import_torch().cuda
            session.memory_source = "PyTorch's caching allocator of the GPU"
            session.peak_memory_mb = cuda.max_memory_allocated() / MEGABYTE
            session.allocated_memory_mb = cuda.memory_allocated() / MEGABYTE
            session.reserved_memory_mb = cuda.memory_reserved() / MEGABYTE
        with tempfile.TemporaryDirectory(prefix="eaves-") as scratch:
            folder = self.output_dir if self.enable_trace else Path(scratch)
            trace = unused_path(folder / f"{file_stem(session.name)}_{now:%Y%m%d_%H%M%S}.json")
            export_trace(recorder, trace)
            session.trace_path = trace if self.enable_trace else None
            fill(session, trace, memory=self.enable_memory)
            if self.enable_flame_graph:
                self._draw_flame(session, trace)
        self.sessions.append(session)

    def _draw_flame(self, session: ProfileSession, trace: Path) -> None:
        from eaves.profiling.flame_graph import FlameGraphGenerator

        generator = FlameGraphGenerator()
        data = generator.from_chrome_trace(trace)
        session.flame_graph_data = data
        target = unused_path(self.output_dir / f"{trace.stem}_flame.html")
        session.flame_graph_path = generator.export(data, target, format="html")

    def _save_history(self, name: str) -> Path:
        memory = import_torch().cuda.memory
        target = unused_path(self.output_dir / f"{file_stem(name)}_memory.pickle")
        with replacing(target) as unfinished:
            memory._dump_snapshot(str(unfinished))
        memory._record_memory_history(enabled=None)
        return target


def _kernel_changes(baseline: ProfileSession, optimized: ProfileSession) -> list[dict[str, Any]]:
    """Added, removed and noticeably changed kernels, largest change first."""
    before = {kernel.name: kernel.duration_us for kernel in baseline.kernels}
    after = {kernel.name: kernel.duration_us for kernel in optimized.kernels}
    changes = []
    for name in [*before, *(name for name in after if name not in before)]:
        change: dict[str, Any] = {
            "name": name,
            "baseline_us": before.get(name, 0.0),
            "optimized_us": after.get(name, 0.0),
            "diff_us": before.get(name, 0.0) - after.get(name, 0.0),
        }
        if name not in before:
            changes.append({**change, "status": "added"})
        elif name not in after:
            changes.append({**change, "status": "removed"})
        elif abs(change["diff_us"]) > CHANGE_US:
            changes.append({**change, "status": "changed"})
    changes.sort(key=lambda change: -abs(change["diff_us"]))
    return changes[:CHANGES_LISTED]


__all__ = ["KernelInfo", "ProfileSession", "UnifiedProfiler"]
