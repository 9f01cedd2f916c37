"""What to say about what compiling came to: the rules, with their limits. Pure functions of numbers."""

from __future__ import annotations

import math

#: Speedups below the first are slower, below the second hardly worth it, from the third on excellent.
SLOWER, LITTLE, EXCELLENT = 1.0, 1.2, 2.0
#: More than so many operators in a launch are well fused.
GOOD_FUSION = 2.0
#: Compiling for longer than this is long.
LONG_COMPILE_MS = 30_000.0


def recommend(
    *, graph_breaks: int, speedup: float, fusion_ratio: float, compile_time_ms: float, mode: str
) -> list[str]:
    """What to do next. Numbers that are not known (NaN) say nothing."""
    advice = []
    if graph_breaks > 0:
        advice.append(
            f"{graph_breaks} graph breaks: each ends a graph, so that nothing is fused across it; see their suggestions"
        )
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
            f"compiling takes {compile_time_ms / 1e3:.1f} s: keep the cache (TORCHINDUCTOR_CACHE_DIR), "
            "or compile repeated blocks once (regional compilation)"
        )
    return advice


def colour(speedup: float) -> str:
    """Green if it is worth it, amber if it is no loss, red if it is; grey if nobody knows."""
    if math.isnan(speedup):
        return "grey"
    if speedup >= LITTLE:
        return "green"
    return "amber" if speedup >= SLOWER else "red"
