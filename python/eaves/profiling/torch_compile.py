"""Benefits and obstacles of torch.compile: speed, memory, accuracy, graph breaks, fusion, compile time."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eaves.profiling import _compile_rules, _rounds
from eaves.profiling._compile_measure import Measurement, measure
from eaves._files import export_report, known
from eaves.profiling._torch import MEGABYTE, file_stem, unused_path

if TYPE_CHECKING:
    from os import PathLike

    from eaves._core import Report

#: The modes that compare_modes compares.
MODES = ("default", "reduce-overhead", "max-autotune")


@dataclass
class CompileBreak:
    """A graph break of torch.compile."""

    #: PyTorch's words.
    reason: str
    #: Ours.
    suggestion: str
    file: str | None = None
    line: int | None = None
    #: How often it was met.
    count: int = 1
    function: str | None = None
    #: What PyTorch says about it, and its hints, in its words.
    explanation: str | None = None
    hints: list[str] = field(default_factory=list)
    #: PyTorch's number of this kind of break, such as gb0059.
    kind: str | None = None

    @property
    def location(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}" if self.file else ""


@dataclass
class CompileReport:
    """Results of compiling. Times are per call, the lower quartile of alternating calls; 1 MB is 1,048,576 bytes.

    Unknown numbers are NaN, null in JSON.
    """

    speedup: float = math.nan
    #: Where the speedup lies with 95 % confidence.
    speedup_interval: tuple[float, float] = (math.nan, math.nan)
    eager_time_ms: float = math.nan
    compiled_time_ms: float = math.nan
    #: The first call less a later one.
    compile_time_ms: float = math.nan
    #: Calls after which compiling has paid for itself; infinite if a compiled call is not faster.
    break_even_calls: float = math.nan
    graph_breaks: list[CompileBreak] = field(default_factory=list)
    #: Breaks each time one was met.
    total_graph_breaks: int = 0
    recompiles: int = 0
    graphs: int = 0
    #: Operators that compute, over what is launched for them; NaN if no graph was compiled.
    fusion_ratio: float = math.nan
    ops_before_fusion: int = 0
    #: Launches: kernels that were generated, and those of libraries.
    ops_after_fusion: int = 0
    #: Kernels that were generated.
    fused_kernels: int = 0
    #: Peak of one compiled call, beyond what was in use before.
    peak_memory_mb: float = math.nan
    eager_peak_memory_mb: float = math.nan
    #: The peak of an eager call less that of a compiled one.
    memory_savings_mb: float = math.nan
    memory_source: str = ""
    #: The largest difference from eager results.
    max_abs_error: float = math.nan
    recommendations: list[str] = field(default_factory=list)
    #: What to know about how it was measured.
    notes: list[str] = field(default_factory=list)
    backend: str = "inductor"
    mode: str = "default"
    #: Compiled code that a cache had, and that it had not.
    cache_hits: int = 0
    cache_misses: int = 0
    #: The log that breaks and fusion are from.
    log_dir: Path | None = None
    #: Everything that the log says: `eaves compile`.
    details: Report | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The report as saved."""
        content: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if name == "details":
                continue
            if name == "graph_breaks":
                value = [asdict(one) for one in value]
            elif isinstance(value, tuple):
                value = [known(one) for one in value]
            elif isinstance(value, float):
                value = known(value)
            elif isinstance(value, Path):
                value = str(value)
            content[name] = value
        return content

    def _repr_html_(self) -> str:
        from eaves.profiling._compile_page import summary

        return summary(self)


class TorchCompileAnalyzer:
    """Compares a compiled model with the original.

    Logs go to ``output_dir``, one folder per analysis; `eaves compile` reads them, too.
    """

    def __init__(
        self,
        backend: str = "inductor",
        mode: str = "default",
        output_dir: str | PathLike[str] = "./compile_analysis",
    ) -> None:
        self.backend = backend
        self.mode = mode
        self.output_dir = Path(output_dir)

    def analyze(
        self, model: Callable[..., Any], sample_input: Any, warmup: int = 3, iterations: int = 10
    ) -> CompileReport:
        """Compiles and measures the model in this process. A tuple of inputs is several arguments, a dictionary
        keyword arguments.

        Calls ``torch._dynamo.reset`` first, or nothing would be compiled. Uses the disk cache as it is; see
        `cache_hits` and `cache_misses`.
        """
        log_dir = self._log_dir(self.mode)
        return self._measured_here(model, sample_input, self.mode, warmup, iterations, log_dir)

    def compare_modes(
        self,
        model: Callable[..., Any],
        sample_input: Any,
        modes: Sequence[str] | None = None,
        warmup: int = 3,
        iterations: int = 10,
    ) -> dict[str, CompileReport]:
        """Reports for each mode, each measured in a separate process with an empty cache.

        Models that cannot be pickled are measured in this process, each mode with an empty cache; notes say so.
        """
        from eaves.profiling._compile_process import CannotHandOver, measure_apart

        reports: dict[str, CompileReport] = {}
        for mode in modes if modes is not None else MODES:
            log_dir = self._log_dir(mode)
            try:
                measured = measure_apart(
                    model,
                    sample_input,
                    backend=self.backend,
                    mode=mode,
                    warmup=warmup,
                    iterations=iterations,
                    log_dir=log_dir,
                )
                reports[mode] = build(measured, log_dir, backend=self.backend, mode=mode)
            except CannotHandOver as reason:
                with _empty_cache():
                    report = self._measured_here(model, sample_input, mode, warmup, iterations, log_dir)
                report.notes.append(f"measured in this process, where earlier modes may have warmed things up: {reason}")
                reports[mode] = report
        return reports

    def export_report(
        self, report: CompileReport, output_path: str | PathLike[str], format: str | None = None
    ) -> Path:
        """Writes the report as a self-contained page (``html``) or ``json``; by default according to the file name."""
        from eaves.profiling._compile_page import page

        return export_report(output_path, format, report.to_dict, lambda: page(report))

    def _measured_here(
        self, model: Callable[..., Any], sample_input: Any, mode: str, warmup: int, iterations: int, log_dir: Path
    ) -> CompileReport:
        from eaves.profiling._compile_log import recorded

        with recorded(log_dir):
            measured = measure(
                model, sample_input, backend=self.backend, mode=mode, warmup=warmup, iterations=iterations
            )
        return build(measured, log_dir, backend=self.backend, mode=mode)

    def _log_dir(self, mode: str) -> Path:
        path = unused_path(self.output_dir / f"{file_stem(mode)}_{datetime.now():%Y%m%d_%H%M%S}")
        path.mkdir(parents=True)
        return path


def build(measured: Measurement, log_dir: Path, *, backend: str, mode: str) -> CompileReport:
    """Creates the report from measurements and logs."""
    from eaves.profiling._compile_sections import read_log

    rounds = _rounds.Comparison(tuple(measured.eager_ns), tuple(measured.compiled_ns))
    compile_ns = max(0.0, measured.first_call_ns - rounds.second)
    report = CompileReport(
        speedup=rounds.speedup,
        speedup_interval=rounds.interval(),
        eager_time_ms=rounds.first / 1e6,
        compiled_time_ms=rounds.second / 1e6,
        compile_time_ms=compile_ns / 1e6,
        break_even_calls=_rounds.break_even_calls(compile_ns / 1e9, rounds.first / 1e9, rounds.second / 1e9),
        max_abs_error=measured.max_abs_error,
        memory_source=measured.memory_source,
        notes=list(measured.notes),
        backend=backend,
        mode=mode,
        log_dir=log_dir,
    )
    eager, compiled = measured.eager_peak_bytes, measured.compiled_peak_bytes
    if eager is not None and compiled is not None:
        report.eager_peak_memory_mb = eager / MEGABYTE
        report.peak_memory_mb = compiled / MEGABYTE
        report.memory_savings_mb = (eager - compiled) / MEGABYTE
    read_log(report, log_dir)
    report.recommendations = _compile_rules.recommend(
        graph_breaks=report.total_graph_breaks,
        speedup=report.speedup,
        fusion_ratio=report.fusion_ratio,
        compile_time_ms=report.compile_time_ms,
        mode=mode,
    )
    return report


@contextmanager
def _empty_cache() -> Iterator[None]:
    """Uses a temporary, empty torch.compile cache."""
    from torch._inductor.runtime.cache_dir_utils import temporary_cache_dir

    with tempfile.TemporaryDirectory(prefix="eaves-cache-") as folder, temporary_cache_dir(folder):
        yield


__all__ = ["CompileBreak", "CompileReport", "TorchCompileAnalyzer"]
