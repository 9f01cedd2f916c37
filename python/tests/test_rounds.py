"""Timing in turns, with a clock that is told what to say."""

from __future__ import annotations

import math
import random

import pytest

from eaves.profiling import _rounds
from eaves.profiling._rounds import Comparison, break_even_calls, quantile, take_turns


class Machine:
    """A clock, and functions that take as long as they are told."""

    def __init__(self) -> None:
        self.now = 0
        self.calls: list[str] = []

    def clock(self) -> int:
        return self.now

    def function(self, name: str, *durations: int):
        queue = list(durations)

        def call() -> None:
            self.calls.append(name)
            self.now += queue.pop(0) if len(queue) > 1 else queue[0]

        return call


def test_quantiles_are_those_of_numpy():
    numpy = pytest.importorskip("numpy")
    draw = random.Random(7)
    for count in (1, 2, 3, 10, 37):
        values = [draw.uniform(0, 100) for _ in range(count)]
        for share in (0.0, 0.025, 0.25, 0.5, 0.975, 1.0):
            assert quantile(values, share) == pytest.approx(float(numpy.quantile(values, share)), rel=1e-12)


def test_a_quantile_of_nothing_is_unknown():
    assert math.isnan(quantile([], 0.5))


def test_functions_take_turns_and_the_first_changes():
    machine = Machine()
    long = _rounds.SHORTEST_ROUND_NS
    take_turns(
        machine.function("eager", 2 * long),
        machine.function("compiled", long),
        rounds=3,
        settle=lambda: None,
        clock=machine.clock,
    )
    # One call of each to see how long it takes, then the rounds.
    assert machine.calls == ["eager", "compiled", "eager", "compiled", "compiled", "eager", "eager", "compiled"]


def test_short_calls_are_repeated_and_times_are_of_one_call():
    machine = Machine()
    short = _rounds.SHORTEST_ROUND_NS // 4
    rounds = take_turns(
        machine.function("eager", short),
        machine.function("compiled", 4 * short),
        rounds=2,
        settle=lambda: None,
        clock=machine.clock,
    )
    assert machine.calls.count("eager") == 1 + 2 * 4
    assert machine.calls.count("compiled") == 1 + 2
    assert rounds.first_ns == (short, short)
    assert rounds.second_ns == (4 * short, 4 * short)
    assert rounds.speedup == 0.25


def test_the_device_is_waited_for_before_the_clock_is_read():
    machine = Machine()
    pending = [0]

    def launch() -> None:
        pending[0] += 1_000_000

    def settle() -> None:
        machine.now += pending[0]
        pending[0] = 0

    rounds = take_turns(launch, launch, rounds=2, settle=settle, clock=machine.clock)
    assert rounds.first_ns == (1_000_000, 1_000_000)


def test_a_disturbed_round_changes_nothing():
    quiet = Comparison((200.0,) * 10, (100.0,) * 10)
    disturbed = Comparison((200.0,) * 9 + (9000.0,), (100.0,) * 8 + (5000.0, 700.0))
    assert quiet.speedup == disturbed.speedup == 2.0
    low, high = quiet.interval()
    assert low == high == 2.0


def test_the_interval_holds_the_truth_and_narrows_with_rounds():
    draw = random.Random(3)

    def compare(count: int) -> Comparison:
        first = tuple(300 + draw.expovariate(1 / 30) for _ in range(count))
        second = tuple(200 + draw.expovariate(1 / 30) for _ in range(count))
        return Comparison(first, second)

    # The quartile of an exponential of mean 30 is 30 ln(4/3).
    truth = (300 + 30 * math.log(4 / 3)) / (200 + 30 * math.log(4 / 3))
    few, many = compare(10), compare(1000)
    assert few.interval() == few.interval()
    assert many.interval()[0] <= truth <= many.interval()[1]
    widths = [high - low for low, high in (few.interval(), many.interval())]
    assert widths[1] < widths[0] / 3


def test_one_round_has_no_interval():
    assert all(math.isnan(bound) for bound in Comparison((1.0,), (1.0,)).interval())


def test_rounds_are_needed():
    with pytest.raises(ValueError, match="at least one round"):
        take_turns(lambda: None, lambda: None, rounds=0, settle=lambda: None)


def test_break_even_is_compile_time_over_gain():
    # 30 s of compiling, 5 ms saved a call.
    assert break_even_calls(30.0, 0.015, 0.010) == pytest.approx(6000)
    assert break_even_calls(30.0, 0.010, 0.010) == math.inf
    assert break_even_calls(30.0, 0.010, 0.015) == math.inf
