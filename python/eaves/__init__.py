"""Analyzes GPU and NPU programs: how close they run to the hardware's limits, and why not closer.

The analyses of the program ``eaves``, in Python::

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

Classes that profile your own program are in :mod:`eaves.profiling`. Importing this package does not load torch, numpy
or pandas; they are loaded on first use.
"""

from __future__ import annotations

from eaves import _verbs
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
    read,
    run,
)
from eaves._devices import devices
from eaves._errors import EavesError, InputError, MissingInputError, UsageError
from eaves._verbs import *

# Type checkers take it for true. Importing `typing` for it would take longer than all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # Names of `eaves.profiling` that this package has too, for type checkers and editors.
    from eaves.profiling import CompileBreak as CompileBreak
    from eaves.profiling import CompileReport as CompileReport
    from eaves.profiling import EventType as EventType
    from eaves.profiling import FlameGraph as FlameGraph
    from eaves.profiling import FlameGraphGenerator as FlameGraphGenerator
    from eaves.profiling import HTAAnalyzer as HTAAnalyzer
    from eaves.profiling import HTAReport as HTAReport
    from eaves.profiling import KernelInfo as KernelInfo
    from eaves.profiling import MemoryProfiler as MemoryProfiler
    from eaves.profiling import MemorySnapshot as MemorySnapshot
    from eaves.profiling import ProfileSession as ProfileSession
    from eaves.profiling import RocprofResult as RocprofResult
    from eaves.profiling import RocprofWrapper as RocprofWrapper
    from eaves.profiling import TimelineData as TimelineData
    from eaves.profiling import TimelineEvent as TimelineEvent
    from eaves.profiling import TimelineGenerator as TimelineGenerator
    from eaves.profiling import TorchCompileAnalyzer as TorchCompileAnalyzer
    from eaves.profiling import UnifiedProfiler as UnifiedProfiler

__all__ = [
    "Column",
    "EavesError",
    "Finding",
    "Flame",
    "Input",
    "InputError",
    "InputWarning",
    "MissingInputError",
    "Number",
    "Recording",
    "Report",
    "Section",
    "Skipped",
    "Table",
    "Timeline",
    "UsageError",
    "__version__",
    "ask",
    "devices",
    "profiling",
    "read",
    "run",
]
__all__ += _verbs.__all__


def __getattr__(name: str) -> Any:
    """Loads the package `eaves.profiling` and its names on first use."""
    from importlib import import_module

    profiling = import_module("eaves.profiling")
    if name == "profiling":
        return profiling
    if name not in profiling.__all__:
        raise AttributeError(f"module 'eaves' has no attribute {name!r}")
    value = getattr(profiling, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
