"""How far is this program from what the hardware can do, and why?

The same analyses as the program ``eaves``, from Python::

    import eaves

    recording = eaves.read("trace.json.gz")
    report = recording.report()
    print(report)                                  # what the terminal shows
    report["temporal-breakdown"].number("idle_pct").value
    report["kernels"].tables["by_name"].to_pandas()
    report.save("report.html")

    recording.roofline(device="h100-sxm")
    recording.flame().save("flame.html")
    recording.diff(eaves.read("after.json.gz"))
    recording.query("SELECT name, sum(duration_ns) FROM kernels GROUP BY name").to_pandas()

Importing this package loads neither torch nor numpy nor pandas; what needs them loads them when it is used.
"""

from __future__ import annotations

from eaves._core import (
    Column,
    Finding,
    Flame,
    Input,
    InputWarning,
    Number,
    Recording,
    Report,
    Section,
    Skipped,
    Table,
    Timeline,
    __version__,
    ask,
    query,
    read,
    run,
)
from eaves._errors import EavesError
from eaves._questions import devices, diff, predict, read_compile, read_memory, roofline

# Type checkers take it for true. Importing `typing` for it would take longer than all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # Names that are loaded when first used stand here too, for type checkers and editors.
    from eaves.flame_graph import FlameGraph, FlameGraphGenerator
    from eaves.hta import HTAAnalyzer, HTAReport
    from eaves.memory_profiler import MemoryProfiler, MemorySnapshot
    from eaves.profiler import KernelInfo, ProfileSession, UnifiedProfiler
    from eaves.rocprof import RocprofResult, RocprofWrapper
    from eaves.timeline import EventType, TimelineData, TimelineEvent, TimelineGenerator
    from eaves.torch_compile import CompileBreak, CompileReport, TorchCompileAnalyzer

# Names that are loaded when first used, and the module of this package that has them. In order of name.
_LAZY: dict[str, str] = {
    "CompileBreak": "torch_compile",
    "CompileReport": "torch_compile",
    "EventType": "timeline",
    "FlameGraph": "flame_graph",
    "FlameGraphGenerator": "flame_graph",
    "HTAAnalyzer": "hta",
    "HTAReport": "hta",
    "KernelInfo": "profiler",
    "MemoryProfiler": "memory_profiler",
    "MemorySnapshot": "memory_profiler",
    "ProfileSession": "profiler",
    "RocprofResult": "rocprof",
    "RocprofWrapper": "rocprof",
    "TimelineData": "timeline",
    "TimelineEvent": "timeline",
    "TimelineGenerator": "timeline",
    "TorchCompileAnalyzer": "torch_compile",
    "UnifiedProfiler": "profiler",
}

__all__ = [
    "Column",
    "EavesError",
    "Finding",
    "Flame",
    "Input",
    "InputWarning",
    "Number",
    "Recording",
    "Report",
    "Section",
    "Skipped",
    "Table",
    "Timeline",
    "__version__",
    "ask",
    "devices",
    "diff",
    "predict",
    "query",
    "read",
    "read_compile",
    "read_memory",
    "roofline",
    "run",
    *_LAZY,
]


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'eaves' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"eaves.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_LAZY))
