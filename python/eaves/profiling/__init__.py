"""Profilers for a program of your own, as classes: what it does, where its memory goes, what ``torch.compile`` does to it.

Their names, arguments and fields are those of the ``core.profiling`` suite, so programs written for it run with another
import. Names are loaded when they are first used, and PyTorch when a class needs it.
"""

from __future__ import annotations

# Type checkers take it for true. Importing `typing` for it would take longer than all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # Names that are loaded when first used stand here too, for type checkers and editors.
    from eaves.profiling.flame_graph import FlameGraph, FlameGraphGenerator
    from eaves.profiling.hta import HTAAnalyzer, HTAReport
    from eaves.profiling.memory_profiler import MemoryProfiler, MemorySnapshot
    from eaves.profiling.profiler import KernelInfo, ProfileSession, UnifiedProfiler
    from eaves.profiling.rocprof import RocprofResult, RocprofWrapper
    from eaves.profiling.timeline import EventType, TimelineData, TimelineEvent, TimelineGenerator
    from eaves.profiling.torch_compile import CompileBreak, CompileReport, TorchCompileAnalyzer

# Every name, and the module of this package that has it. In order of name.
_MODULES: dict[str, str] = {
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
    "CompileBreak",
    "CompileReport",
    "EventType",
    "FlameGraph",
    "FlameGraphGenerator",
    "HTAAnalyzer",
    "HTAReport",
    "KernelInfo",
    "MemoryProfiler",
    "MemorySnapshot",
    "ProfileSession",
    "RocprofResult",
    "RocprofWrapper",
    "TimelineData",
    "TimelineEvent",
    "TimelineGenerator",
    "TorchCompileAnalyzer",
    "UnifiedProfiler",
]


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'eaves.profiling' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"eaves.profiling.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_MODULES))
