"""Eager against compiled, measured: time, memory and results. Runs in this process or in one of its own."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from eaves.profiling import _rounds
from eaves.profiling._torch import export_trace, has_cuda, import_torch, is_recording, start_recording, synchronize


@dataclass
class Measurement:
    """What was measured."""

    eager_ns: list[float]
    compiled_ns: list[float]
    #: The first call of the compiled function, which compiles it.
    first_call_ns: int
    max_abs_error: float = math.nan
    eager_peak_bytes: int | None = None
    compiled_peak_bytes: int | None = None
    memory_source: str = ""
    notes: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The same as a dictionary that JSON can hold; an unknown error is None."""
        content = asdict(self)
        content["max_abs_error"] = self.max_abs_error if math.isfinite(self.max_abs_error) else repr(self.max_abs_error)
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Measurement:
        """What `to_dict` made."""
        return cls(**{**content, "max_abs_error": float(content["max_abs_error"])})


def bind(function: Callable[..., Any], sample_input: Any) -> Callable[[], Any]:
    """A call with the input: a tuple or list is several arguments, a dictionary is arguments by name."""
    if isinstance(sample_input, (tuple, list)):
        return lambda: function(*sample_input)
    if isinstance(sample_input, Mapping):
        return lambda: function(**sample_input)
    return lambda: function(sample_input)


def measure(
    model: Callable[..., Any], sample_input: Any, *, backend: str, mode: str, warmup: int, iterations: int
) -> Measurement:
    """Compiles the model and holds it against itself.

    Compiling is the first call and nothing else; what warm-up takes is in no number.
    """
    torch = import_torch()
    torch._dynamo.reset()
    settings = {} if mode == "default" else {"mode": mode}
    eager, compiled = bind(model, sample_input), bind(torch.compile(model, backend=backend, **settings), sample_input)
    expected = _seeded(eager)
    synchronize()
    begin = time.perf_counter_ns()
    found = _seeded(compiled)
    synchronize()
    first_call_ns = time.perf_counter_ns() - begin
    error = max_abs_error(expected, found)
    del expected, found
    for _ in range(warmup):
        eager()
        compiled()
    rounds = _rounds.take_turns(eager, compiled, rounds=iterations, settle=synchronize)
    measured = Measurement(
        eager_ns=list(rounds.first_ns),
        compiled_ns=list(rounds.second_ns),
        first_call_ns=first_call_ns,
        max_abs_error=error,
    )
    if has_cuda():
        measured.memory_source = "PyTorch's caching allocator of the GPU"
    else:
        measured.memory_source = "allocations on the CPU during one call, from the [memory] events of a recording"
    if not has_cuda() and is_recording():
        measured.notes.append("peaks of memory are not known: a profiler of PyTorch is recording already")
    else:
        measured.eager_peak_bytes, measured.compiled_peak_bytes = peak_bytes(eager), peak_bytes(compiled)
    return measured


def peak_bytes(call: Callable[[], Any]) -> int | None:
    """The most memory that was in use at once during a call, beyond what was in use before it."""
    if has_cuda():
        cuda = import_torch().cuda
        synchronize()
        before = cuda.memory_allocated()
        cuda.reset_peak_memory_stats()
        call()
        synchronize()
        return int(cuda.max_memory_allocated() - before)
    from eaves import read

    recorder = start_recording(profile_memory=True)
    try:
        call()
    finally:
        recorder.stop()
    with tempfile.TemporaryDirectory(prefix="eaves-") as folder:
        report = read(export_trace(recorder, Path(folder) / "memory.json")).report("memory")
    if "memory" not in report:
        return None
    for row in report["memory"].tables["by_device"].rows():
        if row["device"] == "cpu":
            return int(row["peak_bytes"] or 0) - int(row["start_bytes"] or 0)
    return None


def max_abs_error(expected: Any, found: Any) -> float:
    """The largest difference of any two numbers of two results; infinite if one is not a number and the other is, or if the
    results are not of one form. NaN if they have no numbers."""
    torch = import_torch()
    from torch.utils import _pytree

    first, first_form = _pytree.tree_flatten(expected)
    second, second_form = _pytree.tree_flatten(found)
    if first_form != second_form:
        return math.inf
    largest = math.nan
    for one, other in zip(first, second):
        if not isinstance(one, torch.Tensor):
            continue
        if one.shape != other.shape:
            return math.inf
        if one.numel() == 0:
            continue
        wide = torch.complex128 if one.is_complex() else torch.float64
        one, other = one.detach().to(wide), other.detach().to(wide)
        # Equal infinities differ by nothing, and so do two results that are both not numbers.
        same = (one == other) | (one.isnan() & other.isnan())
        difference = (one - other).abs().masked_fill(same, 0.0)
        value = math.inf if bool(difference.isnan().any()) else float(difference.max())
        largest = value if math.isnan(largest) else max(largest, value)
    return largest


def _seeded(call: Callable[[], Any]) -> Any:
    """A call with random numbers from a fixed seed, so that dropout drops the same where the generator is the same."""
    torch = import_torch()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return call()
