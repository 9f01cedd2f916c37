"""Host and GPU activity over time, as events and pages."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eaves._files import write, write_json
from eaves.profiling._torch import export_trace

if TYPE_CHECKING:
    from os import PathLike

#: Events that export_visualization_data keeps of each side, and of each stream: the longest.
EVENTS_SHOWN = 500
STREAM_EVENTS_SHOWN = 100


class EventType(str, Enum):
    """Event type."""

    CPU_OP = "cpu_op"
    CUDA_KERNEL = "cuda_kernel"
    CUDA_MEMCPY = "cuda_memcpy"
    CUDA_SYNC = "cuda_sync"
    CUDA_RUNTIME = "cuda_runtime"
    PYTHON = "python"

    @property
    def on_gpu(self) -> bool:
        """Whether it is GPU work; host calls and waiting are not."""
        return self in (EventType.CUDA_KERNEL, EventType.CUDA_MEMCPY)


#: Categories of a trace and the type that they are; of others there are no events. Copies and sets are one type.
CATEGORIES: dict[str, EventType] = {
    "cpu_op": EventType.CPU_OP,
    "cuda_driver": EventType.CUDA_RUNTIME,
    "cuda_runtime": EventType.CUDA_RUNTIME,
    "cuda_sync": EventType.CUDA_SYNC,
    "gpu_memcpy": EventType.CUDA_MEMCPY,
    "gpu_memset": EventType.CUDA_MEMCPY,
    "kernel": EventType.CUDA_KERNEL,
    "python_function": EventType.PYTHON,
    "user_annotation": EventType.PYTHON,
}


@dataclass
class TimelineEvent:
    """An event. Times are microseconds from the first event of the recording."""

    name: str
    event_type: EventType
    start_us: float
    duration_us: float
    #: The stream of the GPU, or None on the host.
    stream_id: int | None = None
    device_id: int | None = None
    thread_id: str | None = None
    process_id: str | None = None
    #: The number that a launch and what it launched share.
    correlation: int | None = None
    category: str = ""

    @property
    def end_us(self) -> float:
        """End time."""
        return self.start_us + self.duration_us

    def to_dict(self) -> dict[str, Any]:
        """A JSON-compatible dictionary."""
        return {
            "name": self.name,
            "type": self.event_type.value,
            "start_us": self.start_us,
            "duration_us": self.duration_us,
            "time_us": self.duration_us,
            "stream_id": self.stream_id,
            "device_id": self.device_id,
            "thread_id": self.thread_id,
            "process_id": self.process_id,
            "correlation": self.correlation,
            "category": self.category,
        }


@dataclass
class TimelineData:
    """Events, and host and GPU active time over the whole recording, regardless of filtered events."""

    events: list[TimelineEvent] = field(default_factory=list)
    cpu_events: list[TimelineEvent] = field(default_factory=list)
    gpu_events: list[TimelineEvent] = field(default_factory=list)
    #: Events of the GPU by stream.
    streams: dict[int, list[TimelineEvent]] = field(default_factory=dict)
    total_time_us: float = 0.0
    cpu_active_time_us: float = 0.0
    gpu_active_time_us: float = 0.0
    overlap_time_us: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """A JSON-compatible dictionary."""
        return {
            "events": [event.to_dict() for event in self.events],
            "cpu_events": [event.to_dict() for event in self.cpu_events],
            "gpu_events": [event.to_dict() for event in self.gpu_events],
            "streams": {str(stream): [event.to_dict() for event in events] for stream, events in self.streams.items()},
            "total_time_us": self.total_time_us,
            "cpu_active_time_us": self.cpu_active_time_us,
            "gpu_active_time_us": self.gpu_active_time_us,
            "overlap_time_us": self.overlap_time_us,
        }


class TimelineGenerator:
    """Creates timelines.

    Filters events shorter than ``min_duration_us`` and, on request, Python and runtime events; active times still
    include them.
    """

    def __init__(
        self,
        min_duration_us: float = 1.0,
        include_python_events: bool = True,
        include_cuda_runtime: bool = True,
    ) -> None:
        self.min_duration_us = min_duration_us
        self.include_python_events = include_python_events
        self.include_cuda_runtime = include_cuda_runtime

    def from_profiler(self, prof: Any) -> TimelineData:
        """Timeline of a ``torch.profiler.profile``."""
        with tempfile.TemporaryDirectory(prefix="eaves-") as folder:
            return self.from_chrome_trace(export_trace(prof, Path(folder) / "trace.json"))

    def from_chrome_trace(self, trace_path: str | PathLike[str]) -> TimelineData:
        """Timeline of a trace."""
        from eaves import read

        recording = read(trace_path)
        section = recording.timeline().report()["timeline"]

        def microseconds(name: str) -> float:
            return float(section.number(name).value or 0) / 1e3

        timeline = TimelineData(
            total_time_us=microseconds("span_ns"),
            cpu_active_time_us=microseconds("cpu_active_ns"),
            gpu_active_time_us=microseconds("gpu_active_ns"),
            overlap_time_us=microseconds("overlap_ns"),
        )
        for event in events_of(recording):
            if event.duration_us < self.min_duration_us:
                continue
            if event.event_type is EventType.PYTHON and not self.include_python_events:
                continue
            if event.event_type in (EventType.CUDA_RUNTIME, EventType.CUDA_SYNC) and not self.include_cuda_runtime:
                continue
            add(timeline, event)
        return timeline

    def export_chrome_trace(self, timeline: TimelineData, output_path: str | PathLike[str]) -> Path:
        """Writes the events as a trace for Perfetto, ``chrome://tracing`` and eaves."""
        content = {"traceEvents": [_chrome(event) for event in timeline.events], "displayTimeUnit": "ms"}
        return write_json(output_path, content, indent=None)

    def export_visualization_data(self, timeline: TimelineData, output_path: str | PathLike[str] | None = None) -> dict[str, Any]:
        """Chart data: the longest events of host, GPU and each stream, in time order."""
        data = {
            "cpu": _longest(timeline.cpu_events, EVENTS_SHOWN),
            "gpu": _longest(timeline.gpu_events, EVENTS_SHOWN),
            "streams": {
                str(stream): _longest(events, STREAM_EVENTS_SHOWN) for stream, events in timeline.streams.items()
            },
            "summary": {
                "total_time_us": timeline.total_time_us,
                "cpu_active_time_us": timeline.cpu_active_time_us,
                "gpu_active_time_us": timeline.gpu_active_time_us,
                "overlap_time_us": timeline.overlap_time_us,
            },
        }
        if output_path is not None:
            write_json(output_path, data)
        return data

    def generate_html_viewer(self, timeline: TimelineData, output_path: str | PathLike[str]) -> Path:
        """Writes a self-contained page with the events."""
        from eaves import read

        with tempfile.TemporaryDirectory(prefix="eaves-") as folder:
            trace = self.export_chrome_trace(timeline, Path(folder) / "timeline.json")
            return write(output_path, read(trace).timeline().to_html())


def add(timeline: TimelineData, event: TimelineEvent) -> None:
    """Adds an event to its lists."""
    timeline.events.append(event)
    if not event.event_type.on_gpu:
        timeline.cpu_events.append(event)
        return
    timeline.gpu_events.append(event)
    if event.stream_id is not None:
        timeline.streams.setdefault(event.stream_id, []).append(event)


def events_of(recording: Any) -> list[TimelineEvent]:
    """Events of a recording in time order, rank by rank."""
    slices = recording.table("slices").to_dict()
    tracks = {(row.get("rank"), row["track"]): row for row in recording.table("tracks").rows()}
    numbers: dict[tuple[Any, Any], dict[str, Any]] = {}
    for name in ("gpu", "runtime", "syncs"):
        for row in recording.table(name).rows():
            numbers[(row.get("rank"), row["slice"])] = row
    starts = slices.get("start_ns", [])
    if not starts:
        return []
    zero = min(starts)
    ranks = slices.get("rank") or [None] * len(starts)
    events = []
    for index, category in enumerate(slices["category"]):
        kind = CATEGORIES.get(str(category))
        duration = slices["duration_ns"][index]
        if kind is None or duration is None:
            continue
        track = tracks.get((ranks[index], slices["track"][index]), {})
        known = numbers.get((ranks[index], slices["slice"][index]), {})
        events.append(
            TimelineEvent(
                name=str(slices["name"][index]),
                event_type=kind,
                start_us=(starts[index] - zero) / 1e3,
                duration_us=duration / 1e3,
                stream_id=known.get("stream"),
                device_id=known.get("device"),
                thread_id=_text(track.get("thread")),
                process_id=_text(track.get("process")),
                correlation=known.get("correlation"),
                category=str(category),
            )
        )
    events.sort(key=lambda event: event.start_us)
    return events


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _longest(events: list[TimelineEvent], count: int) -> list[dict[str, Any]]:
    longest = sorted(events, key=lambda event: -event.duration_us)[:count]
    return [event.to_dict() for event in sorted(longest, key=lambda event: event.start_us)]


def _chrome(event: TimelineEvent) -> dict[str, Any]:
    default = next(category for category, kind in CATEGORIES.items() if kind is event.event_type)
    # Whatever is not known is not to put host and GPU on one track.
    process, thread = ("GPU", event.stream_id or 0) if event.event_type.on_gpu else ("host", 0)
    numbers = {"stream": event.stream_id, "device": event.device_id, "correlation": event.correlation}
    return {
        "ph": "X",
        "cat": event.category or default,
        "name": event.name,
        "pid": process if event.process_id is None else event.process_id,
        "tid": thread if event.thread_id is None else event.thread_id,
        "ts": event.start_us,
        "dur": event.duration_us,
        "args": {name: value for name, value in numbers.items() if value is not None},
    }


__all__ = ["EventType", "TimelineData", "TimelineEvent", "TimelineGenerator"]
