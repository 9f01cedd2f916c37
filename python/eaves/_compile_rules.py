"""What to do about graph breaks and about what compiling came to: the rules, with their limits. Pure functions."""

from __future__ import annotations

import math

#: Speedups below the first are slower, below the second hardly worth it, from the third on excellent.
SLOWER, LITTLE, EXCELLENT = 1.0, 1.2, 2.0
#: More than so many operators in a launch are well fused.
GOOD_FUSION = 2.0
#: Compiling for longer than this is long.
LONG_COMPILE_MS = 30_000.0

#: What the reason of a break contains, and what to do; the first that fits counts.
_SUGGESTIONS: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("data-dependent", "data dependent", "dynamic control flow", "generic_jump", ".item()"),
        "the path depends on values: use torch.cond or torch.where, or make shapes and conditions static",
    ),
    (("print", "logging", "logger"), "move printing and logging out of the compiled function"),
    (("assert",), "use torch._assert or torch._check in place of assert"),
    (("exception", "raise"), "raise and catch exceptions outside of the compiled function"),
    (("numpy",), "use PyTorch's operators in place of NumPy's"),
    (("unsupported", "not supported", "unimplemented"), "use an alternative that torch.compile supports"),
)
_REVIEW = "review the code at the break, or leave it out with torch.compiler.disable"


def suggestion(reason: str) -> str:
    """What to do about a graph break of this reason."""
    lower = reason.lower()
    for words, advice in _SUGGESTIONS:
        if any(word in lower for word in words):
            return advice
    return _REVIEW


def recommend(*, graph_breaks: int, speedup: float, fusion_ratio: float, compile_time_ms: float, mode: str) -> list[str]:
    """What to do next. Numbers that are not known (NaN) say nothing."""
    advice = []
    if graph_breaks > 0:
        advice.append(f"{graph_breaks} graph breaks: each ends a graph, so that nothing is fused across it; see their suggestions")
    if speedup < SLOWER:
        advice.append(f"compiled code is slower than eager ({speedup:.2f}x): compile a smaller part, or not at all")
    elif speedup < LITTLE:
        advice.append(
            f"compiled code is hardly faster ({speedup:.2f}x)"
            + ("" if mode == "max-autotune" else ': try mode="max-autotune"')
        )
    elif speedup >= EXCELLENT:
        advice.append(f"excellent: compiled code is {speedup:.2f} times as fast")
    if fusion_ratio > GOOD_FUSION:
        advice.append(f"fusion works well: {fusion_ratio:.1f} operators in a launch")
    if compile_time_ms > LONG_COMPILE_MS:
        advice.append(
            f"compiling takes {compile_time_ms / 1e3:.1f} s: keep the cache (TORCHINDUCTOR_CACHE_DIR), or compile repeated blocks "
            "once (regional compilation)"
        )
    return advice


def colour(speedup: float) -> str:
    """Green if it is worth it, amber if it is no loss, red if it is; grey if nobody knows."""
    if math.isnan(speedup):
        return "grey"
    if speedup >= LITTLE:
        return "green"
    return "amber" if speedup >= SLOWER else "red"
