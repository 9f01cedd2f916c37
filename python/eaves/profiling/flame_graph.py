"""Flame graphs from traces, profilers and kernel lists, as d3-flame-graph JSON and as pages."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from eaves._files import export_report
from eaves.profiling._torch import export_trace

if TYPE_CHECKING:
    from os import PathLike

    from eaves._core import Flame

#: What the root is called, by what is drawn.
ROOT_NAMES = {"gpu": "GPU Execution", "cpu": "CPU Execution"}
#: What is too small to show, put together.
SMALL = "[small kernels]"

#: Kinds of kernels, by what their names contain; the first that fits counts.
KERNEL_KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Matrix Multiply", ("gemm", "matmul")),
    ("Convolution", ("conv",)),
    ("Softmax", ("softmax",)),
    ("Activation", ("relu", "gelu", "silu")),
    ("Normalization", ("norm",)),
    ("Attention", ("attention",)),
    ("Elementwise", ("elementwise", "pointwise")),
    ("Reduction", ("reduce", "sum")),
    ("Memory Copy", ("copy", "memcpy")),
    ("Memory Fill", ("fill", "zero")),
)
OTHER = "Other"


class FlameGraph(dict[str, Any]):
    """Nested ``name``, ``value`` and ``children`` for d3-flame-graph; values are microseconds, including callees.

    ``trace_path`` is the source trace, ``warnings`` its warnings.
    """

    def __init__(self, tree: Mapping[str, Any], drawing: Flame | None = None) -> None:
        super().__init__(tree)
        #: The same as a drawing, if it is of a trace.
        self.drawing = drawing

    def _repr_html_(self) -> str:
        if self.drawing is not None:
            return self.drawing._repr_html_()
        from eaves.profiling._flame_page import picture

        return picture(self)


class FlameGraphGenerator:
    """Creates flame graphs.

    Frames below ``min_duration_us`` and, with ``group_small_kernels``, below ``small_kernel_threshold_pct`` of the
    total are grouped, which preserves totals; calls deeper than ``max_depth`` count for their callers.
    """

    def __init__(
        self,
        min_duration_us: float = 10.0,
        max_depth: int = 50,
        group_small_kernels: bool = True,
        small_kernel_threshold_pct: float = 1.0,
    ) -> None:
        self.min_duration_us = min_duration_us
        self.max_depth = max_depth
        self.group_small_kernels = group_small_kernels
        self.small_kernel_threshold_pct = small_kernel_threshold_pct

    def from_profiler(self, prof: Any, metric: Literal["cpu", "gpu"] | None = None) -> FlameGraph:
        """Call tree of a ``torch.profiler.profile``, starting at Python functions with ``with_stack=True``."""
        with tempfile.TemporaryDirectory(prefix="eaves-") as folder:
            graph = self.from_chrome_trace(export_trace(prof, Path(folder) / "trace.json"), metric)
        # The file is gone; what it said is not.
        graph.pop("trace_path", None)
        return graph

    def from_chrome_trace(
        self, trace_path: str | PathLike[str], metric: Literal["cpu", "gpu"] | None = None
    ) -> FlameGraph:
        """Call tree of a trace with its GPU time, or host time without a GPU.

        ``metric`` selects one of them.
        """
        from eaves import read

        recording = read(trace_path)
        chosen = metric or ("gpu" if len(recording.table("gpu")) else "cpu")
        drawing = recording.flame(
            chosen,
            min_duration_ns=round(self.min_duration_us * 1e3),
            min_share=self.small_kernel_threshold_pct if self.group_small_kernels else None,
            max_depth=self.max_depth,
        )
        tree = renamed(drawing.to_dict())
        tree["name"] = ROOT_NAMES[chosen]
        graph = FlameGraph(tree, drawing)
        graph["trace_path"] = str(trace_path)
        graph["warnings"] = [warning.message for warning in recording.warnings]
        return graph

    def from_kernel_list(self, kernels: Iterable[Any]) -> FlameGraph:
        """Groups kernels by kind: objects or dictionaries with ``name`` and ``duration_us`` or ``time_us``."""
        by_kind: dict[str, dict[str, float]] = {}
        for kernel in kernels:
            name, duration = _name_and_duration(kernel)
            names = by_kind.setdefault(kernel_kind(name), {})
            names[name] = names.get(name, 0.0) + duration
        total = sum(sum(names.values()) for names in by_kind.values())
        limit = self.min_duration_us
        if self.group_small_kernels:
            limit = max(limit, total * self.small_kernel_threshold_pct / 100)
        kinds: list[dict[str, Any]] = [
            {"name": kind, "value": sum(names.values()), "children": _leaves(names, limit)}
            for kind, names in by_kind.items()
        ]
        kinds.sort(key=lambda kind: -kind["value"])
        return FlameGraph({"name": ROOT_NAMES["gpu"], "value": total, "children": kinds})

    def export(
        self, flame_data: Mapping[str, Any], output_path: str | PathLike[str], format: str = "html"
    ) -> Path:
        """Writes a self-contained page (``html``) or d3-flame-graph JSON (``json``)."""
        return export_report(output_path, format, lambda: flame_data, lambda: _page(flame_data))


def _page(flame_data: Mapping[str, Any]) -> str:
    if isinstance(flame_data, FlameGraph) and flame_data.drawing is not None:
        return flame_data.drawing.to_html()
    from eaves.profiling._flame_page import page

    return page(flame_data)


def renamed(root: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the tree with this package's name for small-call frames.

    Iterative, because stacks may exceed Python's recursion limit.
    """
    result: dict[str, Any] = {}
    work = [(root, result)]
    while work:
        source, target = work.pop()
        name = str(source["name"])
        target["name"] = SMALL if name == "[small]" else name
        target["value"] = source["value"]
        target["children"] = []
        for child in source.get("children", ()):
            copy: dict[str, Any] = {}
            target["children"].append(copy)
            work.append((child, copy))
    return result


def kernel_kind(name: str) -> str:
    """Kernel kind by name."""
    lower = name.lower()
    for kind, words in KERNEL_KINDS:
        if any(word in lower for word in words):
            return kind
    return OTHER


def _name_and_duration(kernel: Any) -> tuple[str, float]:
    if isinstance(kernel, Mapping):
        duration = kernel["duration_us"] if "duration_us" in kernel else kernel["time_us"]
        return (str(kernel["name"]), float(duration))
    return (str(kernel.name), float(kernel.duration_us))


def _leaves(names: Mapping[str, float], limit: float) -> list[dict[str, Any]]:
    leaves: list[dict[str, Any]] = []
    small = 0.0
    for name, value in sorted(names.items(), key=lambda item: -item[1]):
        if value >= limit:
            leaves.append({"name": name, "value": value, "children": []})
        else:
            small += value
    if small > 0:
        leaves.append({"name": SMALL, "value": small, "children": []})
    return leaves


__all__ = ["FlameGraph", "FlameGraphGenerator"]
