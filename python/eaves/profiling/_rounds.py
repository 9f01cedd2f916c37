"""Timing two functions against each other on a machine that does other things too.

The functions take turns, so that whatever slows the machine down slows both. Noise only ever adds time, so a low quantile
is nearer to the truth than the mean or the median; how sure it is says an interval from resampling the rounds.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

#: The quantile that stands for a call. A quarter of the rounds is at most this long.
QUANTILE = 0.25
#: How often rounds are drawn anew for an interval, and its level.
RESAMPLES = 2000
LEVEL = 0.95
#: Shorter calls are repeated within a round until it takes this long: the clock and the loop cost about 0.1 µs.
SHORTEST_ROUND_NS = 200_000


@dataclass(frozen=True)
class Comparison:
    """Two functions, timed in turns. Times are nanoseconds of one call."""

    first_ns: tuple[float, ...]
    second_ns: tuple[float, ...]

    @property
    def first(self) -> float:
        """Time per call of the first function: the lower quartile over rounds."""
        return quantile(self.first_ns, QUANTILE)

    @property
    def second(self) -> float:
        """A call of the second function."""
        return quantile(self.second_ns, QUANTILE)

    @property
    def speedup(self) -> float:
        """Speedup of the second function."""
        return self.first / self.second if self.second > 0 else math.nan

    def interval(self) -> tuple[float, float]:
        """95% confidence interval of the speedup, bootstrapped over rounds.

        Rounds are drawn in pairs, because both calls of a round share disturbances. The seed is fixed: equal times
        give equal intervals.
        """
        rounds = len(self.first_ns)
        if rounds < 2:
            return (math.nan, math.nan)
        draw = random.Random(0)
        ratios = []
        for _ in range(RESAMPLES):
            chosen = [draw.randrange(rounds) for _ in range(rounds)]
            second = quantile([self.second_ns[index] for index in chosen], QUANTILE)
            if second > 0:
                ratios.append(quantile([self.first_ns[index] for index in chosen], QUANTILE) / second)
        if not ratios:
            return (math.nan, math.nan)
        tail = (1 - LEVEL) / 2
        return (quantile(ratios, tail), quantile(ratios, 1 - tail))


def quantile(values: Sequence[float], share: float) -> float:
    """The quantile of ``values``, between two of them in proportion (type 7 of Hyndman and Fan, the usual one)."""
    if not values:
        return math.nan
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def take_turns(
    first: Callable[[], object],
    second: Callable[[], object],
    *,
    rounds: int,
    settle: Callable[[], None],
    clock: Callable[[], int] = time.perf_counter_ns,
) -> Comparison:
    """Times both functions ``rounds`` times in alternation, switching the order every round.

    ``settle`` waits for the device. It is called before reading the clock.
    """
    if rounds < 1:
        raise ValueError(f"at least one round is needed, not {rounds}")

    def timed(function: Callable[[], object], repeats: int) -> float:
        settle()
        begin = clock()
        for _ in range(repeats):
            function()
        settle()
        return (clock() - begin) / repeats

    repeats = tuple(
        max(1, math.ceil(SHORTEST_ROUND_NS / max(1.0, timed(function, 1)))) for function in (first, second)
    )
    first_ns: list[float] = []
    second_ns: list[float] = []
    for number in range(rounds):
        if number % 2 == 0:
            first_ns.append(timed(first, repeats[0]))
            second_ns.append(timed(second, repeats[1]))
        else:
            second_ns.append(timed(second, repeats[1]))
            first_ns.append(timed(first, repeats[0]))
    return Comparison(tuple(first_ns), tuple(second_ns))


def break_even_calls(compile_seconds: float, eager_seconds: float, compiled_seconds: float) -> float:
    """Number of calls after which compiling pays off; infinite if compiled calls are not faster."""
    gain = eager_seconds - compiled_seconds
    return compile_seconds / gain if gain > 0 else math.inf
