"""Answers the questions of Holistic Trace Analysis (HTA): GPU time breakdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eaves._files import export_report, known

if TYPE_CHECKING:
    from eaves._core import Report

#: How much of a report its JSON has.
KERNELS_SAVED = 10
COLLECTIVES_SAVED = 10
#: Limits of the rules.
IDLE_PCT = 30.0
COMMUNICATION_PCT = 20.0
MANY_LAUNCHES = 10_000
SHORT_KERNEL_US = 10.0
DOMINANT_SHARE = 0.50

_KEYS = ("temporal_breakdown", "kernel_analysis", "communication", "memory")


@dataclass
class HTAReport:
    """GPU time breakdown. Percentages of the GPU span (first start to last end); idle, compute, communication and
    memory add up to 100.

    Missing values are NaN or empty, and ``missing`` says why.
    """

    gpu_idle_time_pct: float = math.nan
    compute_time_pct: float = math.nan
    #: Communication that nothing else hides. All of it is ``communication_total_pct``.
    communication_time_pct: float = math.nan
    memory_time_pct: float = math.nan
    communication_total_pct: float = math.nan
    #: Dictionaries with ``name``, ``time_us`` and the same as ``duration_us``, ``count``, ``pct``; the longest first.
    top_kernels: list[dict[str, Any]] = field(default_factory=list)
    launch_stats: dict[str, Any] = field(default_factory=dict)
    communication_breakdown: dict[str, Any] | None = None
    collective_ops: list[dict[str, Any]] = field(default_factory=list)
    memory_bandwidth_gbps: float = math.nan
    memory_efficiency_pct: float = math.nan
    recommendations: list[str] = field(default_factory=list)
    bottlenecks: list[str] = field(default_factory=list)
    trace_path: str = ""
    missing: dict[str, str] = field(default_factory=dict)
    #: The whole answer, with every section.
    details: Report | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The report as saved."""
        return {
            "temporal_breakdown": {
                "gpu_idle_pct": known(self.gpu_idle_time_pct),
                "compute_pct": known(self.compute_time_pct),
                "communication_pct": known(self.communication_time_pct),
                "memory_pct": known(self.memory_time_pct),
                "communication_total_pct": known(self.communication_total_pct),
            },
            "kernel_analysis": {
                "top_kernels": self.top_kernels[:KERNELS_SAVED],
                "launch_stats": self.launch_stats,
            },
            "communication": {
                "breakdown": self.communication_breakdown,
                "collective_ops": self.collective_ops[:COLLECTIVES_SAVED],
            },
            "memory": {
                "bandwidth_gbps": known(self.memory_bandwidth_gbps),
                "efficiency_pct": known(self.memory_efficiency_pct),
            },
            "recommendations": self.recommendations,
            "bottlenecks": self.bottlenecks,
            "missing": self.missing,
        }

    def _repr_html_(self) -> str:
        return self.details._repr_html_() if self.details is not None else ""


class HTAAnalyzer:
    """Analyzes PyTorch traces of one rank or a whole job."""

    def __init__(self, output_dir: str | PathLike[str] = "./hta_output") -> None:
        self.output_dir = Path(output_dir)

    def analyze_trace(self, trace_path: str | PathLike[str] | Sequence[str | PathLike[str]]) -> HTAReport:
        """Analyzes a trace, or a folder or list of traces as a multi-rank job."""
        from eaves import read

        paths = [trace_path] if isinstance(trace_path, (str, PathLike)) else list(trace_path)
        answer = read(*paths).hta()
        report = from_answer(answer.to_dict())
        report.trace_path = ", ".join(str(path) for path in paths)
        report.details = answer
        return report

    def export_report(
        self, report: HTAReport, output_path: str | PathLike[str], format: str | None = None
    ) -> Path:
        """Writes the report as a self-contained page (``html``) or ``json``; by default according to the file name."""
        return export_report(output_path, format, report.to_dict, lambda: _page(report))


def from_answer(answer: dict[str, Any]) -> HTAReport:
    """Creates the report from `eaves hta --json`."""
    time, kernels, communication, memory = (answer.get(key) or {} for key in _KEYS)
    missing: dict[str, str] = {}
    for part in (time, kernels, communication, memory):
        missing.update(part.get("missing") or {})
    report = HTAReport(
        gpu_idle_time_pct=_number(time.get("gpu_idle_pct")),
        compute_time_pct=_number(time.get("compute_pct")),
        communication_time_pct=_number(time.get("communication_pct")),
        memory_time_pct=_number(time.get("memory_pct")),
        communication_total_pct=_number(time.get("communication_total_pct")),
        top_kernels=list(kernels.get("top_kernels") or []),
        launch_stats=dict(kernels.get("launch_stats") or {}),
        communication_breakdown=communication.get("breakdown"),
        collective_ops=list(communication.get("collective_ops") or []),
        memory_bandwidth_gbps=_number(memory.get("bandwidth_gbps")),
        memory_efficiency_pct=_number(memory.get("efficiency_pct")),
        bottlenecks=list(answer.get("bottlenecks") or []),
        missing=missing,
    )
    report.recommendations = recommend(report)
    for advice in [*(answer.get("recommendations") or []), *_how_to_record(answer)]:
        if advice not in report.recommendations:
            report.recommendations.append(advice)
    return report


def recommend(report: HTAReport) -> list[str]:
    """Applies the rules. Recordings without GPU work are not judged."""
    if math.isnan(report.gpu_idle_time_pct):
        return []
    advice = []
    if report.gpu_idle_time_pct > IDLE_PCT:
        advice.append(
            f"the GPU is idle for {report.gpu_idle_time_pct:.1f}% of its span: launch ahead (CUDA Graphs, torch.compile), "
            "prefetch data, avoid synchronising calls"
        )
    if report.communication_time_pct > COMMUNICATION_PCT:
        advice.append(
            f"communication that nothing hides takes {report.communication_time_pct:.1f}% of the span: "
            "overlap it with compute, use larger buckets, or send less"
        )
    launches = report.launch_stats.get("total_kernels") or 0
    mean_us = _mean_kernel_us(report.launch_stats)
    if launches > MANY_LAUNCHES and mean_us < SHORT_KERNEL_US:
        advice.append(
            f"{launches} launches of kernels that take {mean_us:.1f} µs on average: fuse them (torch.compile) or use CUDA Graphs"
        )
    times = [float(kernel["time_us"]) for kernel in report.top_kernels[:20]]
    if times and sum(times) > 0 and times[0] > DOMINANT_SHARE * sum(times):
        share = 100 * times[0] / sum(times)
        advice.append(
            f"{report.top_kernels[0]['name']} takes {share:.1f}% of the time of the top kernels: begin with it"
        )
    return advice or [
        "the trace is well-optimized by these rules: little idle time, little exposed communication, no dominant kernel"
    ]


def _how_to_record(answer: dict[str, Any]) -> list[str]:
    """What to record instead, if there is no GPU work."""
    return [skipped["how_to_record"] for skipped in answer.get("skipped", []) if skipped["id"] == "hta-summary"]


def _mean_kernel_us(launch_stats: dict[str, Any]) -> float:
    """Mean kernel duration over all ranks."""
    ranks = launch_stats.get("by_rank") or []
    kernels = sum(rank["kernels"] for rank in ranks)
    total_ns = sum((rank["mean_kernel_ns"] or 0.0) * rank["kernels"] for rank in ranks)
    return float(total_ns) / kernels / 1e3 if kernels else math.nan


def _page(report: HTAReport) -> str:
    if report.details is None:
        raise ValueError("a page is made of an analysed trace; this report was made by hand: use format='json'")
    return report.details.to_html()


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


__all__ = ["HTAAnalyzer", "HTAReport"]
