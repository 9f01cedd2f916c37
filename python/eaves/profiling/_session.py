"""Fills a session with numbers from the analyses of its trace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from eaves.profiling._session_rules import Facts, judge
from eaves.profiling._torch import MEGABYTE, has_cuda, import_torch
from eaves.profiling.profiler import KernelInfo, ProfileSession

if TYPE_CHECKING:
    from eaves._core import Recording, Report


def fill(session: ProfileSession, trace: Path, *, memory: bool) -> None:
    """Reads the trace and stores analysis results in the session."""
    from eaves import read

    recording = read(trace)
    report = recording.report()
    timeline = read(trace, time=_window(session, recording)).timeline().report()["timeline"]
    nanoseconds = {
        name: float(timeline.number(f"{name}_ns").value or 0)
        for name in ("span", "cpu_active", "gpu_active", "overlap")
    }
    session.timeline_data = {f"{name}_time_us": value / 1e3 for name, value in nanoseconds.items()}
    per_iteration_ms = 1e6 * session.iterations
    session.cuda_time_ms = nanoseconds["gpu_active"] / per_iteration_ms
    session.cpu_time_ms = nanoseconds["cpu_active"] / per_iteration_ms

    on_gpu = "kernels" in report
    session.kernels = (
        gpu_kernels(report, recording, session.iterations) if on_gpu else cpu_operators(report, session.iterations)
    )
    session.kernel_summary = {
        kernel.name: {
            "total_us": kernel.duration_us,
            "count": kernel.call_count,
            "avg_us": kernel.duration_us / kernel.call_count if kernel.call_count else 0.0,
        }
        for kernel in session.kernels
    }
    if memory:
        _memory(session, report, recording)
    else:
        session.missing["memory"] = "memory was not recorded: `enable_memory=False`"
    _advise(session, report, nanoseconds, on_gpu)


def range_name(session: ProfileSession) -> str:
    """Name of the recorded block in the trace."""
    return f"eaves: {session.name}"


def _window(session: ProfileSession, recording: Recording) -> tuple[int, int]:
    """The block's time window in the trace; enclosing Python functions are recorded for longer."""
    slices = recording.table("slices").to_dict()
    starts = [int(start or 0) for start in slices["start_ns"]]
    # The span of the profiler itself begins before anything that it recorded, which is where the analyses begin to count.
    zero = min(start for start, kind in zip(starts, slices["kind"]) if kind != "span")
    name = range_name(session)
    # The GPU's side of the range has the same name and another category.
    found = zip(slices["name"], slices["category"])
    index = next(index for index, pair in enumerate(found) if pair == (name, "user_annotation"))
    begin = starts[index] - zero
    return (begin, begin + int(slices["duration_ns"][index] or 0))


def gpu_kernels(report: Report, recording: Recording, iterations: int) -> list[KernelInfo]:
    """GPU activities by name, longest first, with the launch of each name's longest call."""
    launches = _longest_calls(recording)
    kernels = []
    for row in report["kernels"].tables["by_name"].rows():
        name = str(row["name"])
        total_us = float(row["total_ns"] or 0) / 1e3 / iterations
        kernels.append(
            KernelInfo(
                name=name,
                duration_us=total_us,
                cuda_time_us=total_us,
                call_count=per_iteration(int(row["calls"] or 0), iterations),
                **launches.get(name, {}),
            )
        )
    return kernels


def cpu_operators(report: Report, iterations: int) -> list[KernelInfo]:
    """Operators by self time on the CPU, longest first; stands in for kernels without a GPU."""
    if "call-tree" not in report:
        return []
    operators = []
    for row in report["call-tree"].tables["by_operator"].rows():
        own_us = float(row["cpu_self_ns"] or 0) / 1e3 / iterations
        operators.append(
            KernelInfo(
                name=str(row["operator"]),
                duration_us=own_us,
                cpu_time_us=own_us,
                call_count=per_iteration(int(row["calls"] or 0), iterations),
            )
        )
    operators.sort(key=lambda operator: -operator.duration_us)
    return operators


def per_iteration(count: int, iterations: int) -> float:
    """Count per iteration; an integer if all iterations agree."""
    return count // iterations if count % iterations == 0 else count / iterations


def _longest_calls(recording: Recording) -> dict[str, dict[str, Any]]:
    longest: dict[str, tuple[int, dict[str, Any]]] = {}
    for row in recording.kernels.rows():
        name, duration = str(row["name"]), row["duration_ns"]
        if not isinstance(duration, int) or (name in longest and longest[name][0] >= duration):
            continue
        longest[name] = (
            duration,
            {
                "device_index": row.get("device"),
                "stream": row.get("stream"),
                "grid": _triple(row, "grid"),
                "block": _triple(row, "block"),
                "registers_per_thread": row.get("registers"),
                "shared_memory_bytes": row.get("shared_memory"),
            },
        )
    return {name: launch for name, (_, launch) in longest.items()}


def _triple(row: dict[str, Any], name: str) -> tuple[int, int, int] | None:
    values = (row.get(f"{name}_x"), row.get(f"{name}_y"), row.get(f"{name}_z"))
    if any(value is None for value in values):
        return None
    x, y, z = (int(value) for value in values if value is not None)
    return (x, y, z)


def _memory(session: ProfileSession, report: Report, recording: Recording) -> None:
    if has_cuda():
        return
    session.missing["reserved_memory_mb"] = "PyTorch's CPU allocator reserves nothing"
    if "memory" not in report:
        session.missing["peak_memory_mb"] = "no allocation was recorded"
        return
    for row in report["memory"].tables["by_device"].rows():
        if row["device"] == "cpu":
            start = float(row["start_bytes"] or 0)
            session.memory_source = "allocations on the CPU while recording, from the [memory] events of the trace"
            session.peak_memory_mb = (float(row["peak_bytes"] or 0) - start) / MEGABYTE
            session.allocated_memory_mb = (float(row["end_bytes"] or 0) - start) / MEGABYTE
    session.memory_timeline = memory_timeline(recording)


def memory_timeline(recording: Recording) -> list[dict[str, float]]:
    """Recorded memory events: time, and memory allocated since recording began."""
    events = recording.allocations.to_dict()
    points: list[dict[str, float]] = []
    total, first = 0, None
    for at, size in zip(events.get("time_ns", []), events.get("bytes", [])):
        if isinstance(at, int) and isinstance(size, int):
            first = at if first is None else first
            total += size
            points.append({"time_ms": (at - first) / 1e6, "allocated_mb": total / MEGABYTE})
    return points


def _advise(session: ProfileSession, report: Report, nanoseconds: dict[str, float], on_gpu: bool) -> None:
    capacity = None
    if has_cuda():
        cuda = import_torch().cuda
        capacity = cuda.get_device_properties(cuda.current_device()).total_memory / MEGABYTE
    advice = judge(
        Facts(
            kernels=[(kernel.name, kernel.duration_us) for kernel in session.kernels],
            on_gpu=on_gpu,
            total_ms=session.total_time_ms,
            gpu_busy_ms=session.cuda_time_ms,
            host_alone_ms=(nanoseconds["cpu_active"] - nanoseconds["overlap"]) / 1e6 / session.iterations,
            launches=sum(kernel.call_count for kernel in session.kernels) if on_gpu else 0,
            peak_mb=session.peak_memory_mb,
            capacity_mb=capacity,
        )
    )
    for finding in report.findings:
        if finding.severity != "info":
            advice.add(finding.claim, *([finding.next] if finding.next else []))
    session.bottlenecks = advice.bottlenecks
    session.recommendations = advice.recommendations
