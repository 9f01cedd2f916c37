"""Rules and thresholds for advice on a recorded session. Pure functions of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

#: A kernel with more than this share of all kernel time dominates.
DOMINANT_SHARE = 0.50
#: More than this share of the device's memory is nearly all of it.
MEMORY_SHARE = 0.80
#: The host holds the GPU up if it alone works for more than this share of the time in which anything works.
HOST_SHARE = 0.30
#: That many launches, so closely, are a program made of launches.
MANY_LAUNCHES = 1000
LAUNCHES_PER_MS = 100


@dataclass(frozen=True)
class Facts:
    """Per-iteration inputs of the rules."""

    #: Names and times of kernels, or of operators where there is no GPU, the longest first.
    kernels: Sequence[tuple[str, float]]
    on_gpu: bool
    total_ms: float
    gpu_busy_ms: float
    #: Time in which the host worked and the GPU did not.
    host_alone_ms: float
    launches: float
    peak_mb: float | None = None
    capacity_mb: float | None = None


@dataclass
class Advice:
    """A problem and its fix."""

    bottlenecks: list[str] = field(default_factory=list)
    recommendations: list[str] = field(default_factory=list)

    def add(self, bottleneck: str, *recommendations: str) -> None:
        """Adds a problem; repeated advice is dropped."""
        self.bottlenecks.append(bottleneck)
        for recommendation in recommendations:
            if recommendation not in self.recommendations:
                self.recommendations.append(recommendation)


def judge(facts: Facts) -> Advice:
    """Applies all rules, in order."""
    advice = Advice()
    _dominant_kernel(facts, advice)
    _little_memory_left(facts, advice)
    _slow_host(facts, advice)
    _many_launches(facts, advice)
    return advice


def _dominant_kernel(facts: Facts, advice: Advice) -> None:
    total = sum(time for _, time in facts.kernels)
    if total <= 0:
        return
    name, time = facts.kernels[0]
    share = time / total
    if share <= DOMINANT_SHARE:
        return
    what = "kernel" if facts.on_gpu else "operator"
    advice.add(f"Single {what} dominates: {name} takes {100 * share:.1f}% of the time of all {what}s")
    lower = name.lower()
    # `mm` alone is how PyTorch calls its matrix products: aten::mm, aten::addmm, aten::bmm.
    if "matmul" in lower or "gemm" in lower or (not facts.on_gpu and lower.endswith("mm")):
        advice.recommendations.append(
            "use torch.compile or Tensor Cores (TF32, FP16, BF16, FP8) for the matrix products"
            if facts.on_gpu
            else "use torch.compile, or BF16 where the processor has it, for the matrix products"
        )
    elif "elementwise" in lower or "pointwise" in lower:
        advice.recommendations.append("fuse elementwise work: torch.compile does it")


def _little_memory_left(facts: Facts, advice: Advice) -> None:
    if facts.peak_mb is None or not facts.capacity_mb:
        return
    share = facts.peak_mb / facts.capacity_mb
    if share > MEMORY_SHARE:
        advice.add(
            f"High memory use: the peak is {100 * share:.1f}% of what the device has",
            "use activation checkpointing or mixed precision to need less memory",
        )


def _slow_host(facts: Facts, advice: Advice) -> None:
    worked = facts.host_alone_ms + facts.gpu_busy_ms
    if not facts.on_gpu or worked <= 0:
        return
    share = facts.host_alone_ms / worked
    if share > HOST_SHARE:
        advice.add(
            f"CPU overhead: the host works alone for {100 * share:.1f}% of the time in which anything works",
            "use CUDA Graphs (`torch.compile(mode=\"reduce-overhead\")`), so that the host launches less",
        )


def _many_launches(facts: Facts, advice: Advice) -> None:
    if not facts.on_gpu or facts.launches <= MANY_LAUNCHES or facts.total_ms <= 0:
        return
    rate = facts.launches / facts.total_ms
    if rate > LAUNCHES_PER_MS:
        advice.add(
            f"Many small launches: {facts.launches:.0f} in {facts.total_ms:.1f} ms, {rate:.0f} in each",
            "use CUDA Graphs or torch.compile, so that there are fewer launches",
        )
