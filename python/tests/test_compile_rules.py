"""The rules about compiling, each at its limit."""

from __future__ import annotations

import math

import pytest

from eaves.profiling._compile_rules import colour, recommend

UNREMARKABLE = {"graph_breaks": 0, "speedup": 1.5, "fusion_ratio": 2.0, "compile_time_ms": 30_000.0, "mode": "default"}


def advice(**changes):
    return recommend(**{**UNREMARKABLE, **changes})


def test_within_the_limits_there_is_nothing_to_say():
    assert advice() == []
    assert advice(speedup=math.nan, fusion_ratio=math.nan, compile_time_ms=math.nan) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"graph_breaks": 1}, "1 graph breaks"),
        ({"speedup": 0.99}, "slower than eager (0.99x)"),
        ({"speedup": 1.0}, "max-autotune"),
        ({"speedup": 1.19}, "max-autotune"),
        ({"speedup": 2.0}, "excellent"),
        ({"fusion_ratio": 2.01}, "2.0 operators in a launch"),
        ({"compile_time_ms": 30_001.0}, "30.0 s"),
    ],
)
def test_beyond_each_limit_one_thing_is_said(changes, words):
    found = advice(**changes)
    assert len(found) == 1 and words in found[0]


def test_from_a_fifth_faster_on_it_is_fine_and_max_autotune_is_not_advised_to_itself():
    assert advice(speedup=1.2) == [] and advice(speedup=1.99) == []
    assert "max-autotune" not in advice(speedup=1.1, mode="max-autotune")[0]


def test_colours():
    assert [colour(value) for value in (1.2, 1.19, 1.0, 0.99, math.nan)] == ["green", "amber", "amber", "red", "grey"]
