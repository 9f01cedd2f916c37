"""Comparing sessions, and what is saved of one, with numbers made by hand."""

from __future__ import annotations

import json
import math

import pytest

from eaves import KernelInfo, ProfileSession, UnifiedProfiler


def session(total, kernels, **more):
    return ProfileSession(
        total_time_ms=total,
        kernels=[KernelInfo(name=name, duration_us=duration) for name, duration in kernels.items()],
        **more,
    )


def test_differences_are_baseline_less_optimized():
    before = session(10.0, {}, cuda_time_ms=8.0, cpu_time_ms=9.0, peak_memory_mb=100.0)
    after = session(4.0, {}, cuda_time_ms=3.0, cpu_time_ms=10.0, peak_memory_mb=60.0)
    found = UnifiedProfiler().compare_sessions(before, after)
    assert found == {
        "speedup": 2.5,
        "timing_diff": {"total_ms": 6.0, "cuda_ms": 5.0, "cpu_ms": -1.0},
        "memory_diff": {"peak_mb": 40.0},
        "kernel_changes": [],
    }


def test_kernels_that_changed_came_or_went():
    before = session(1.0, {"same": 500.0, "little": 500.0, "faster": 500.0, "gone": 5.0})
    after = session(1.0, {"same": 500.0, "little": 400.0, "faster": 399.0, "new": 700.0})
    changes = UnifiedProfiler().compare_sessions(before, after)["kernel_changes"]
    assert [(change["name"], change["status"], change["diff_us"]) for change in changes] == [
        ("new", "added", -700.0),
        ("faster", "changed", 101.0),
        ("gone", "removed", 5.0),
    ]


def test_at_most_twenty_changes():
    before = session(1.0, {str(number): 1.0 + number for number in range(30)})
    changes = UnifiedProfiler().compare_sessions(before, session(1.0, {}))["kernel_changes"]
    assert len(changes) == 20 and changes[0]["name"] == "29"


def test_what_is_saved():
    made = session(2.0, {f"kernel {number}": float(number) for number in range(60)})
    made.kernel_summary = {
        kernel.name: {"total_us": kernel.duration_us, "count": 1, "avg_us": kernel.duration_us} for kernel in made.kernels
    }
    saved = json.loads(made.to_json())
    assert saved["timing"] == {"total_ms": 2.0, "cuda_ms": None, "cpu_ms": None}
    assert set(saved["memory"]) >= {"peak_mb", "allocated_mb", "reserved_mb"}
    assert len(saved["kernels"]) == 50 and len(saved["kernel_summary"]) == 20
    first = saved["kernels"][7]
    assert first["name"] == "kernel 7" and first["duration_us"] == first["time_us"] == 7.0 and first["call_count"] == 1
    assert list(saved["kernel_summary"])[0] == "kernel 59"
    assert set(saved) >= {"bottlenecks", "recommendations", "device", "timestamp"}


def test_an_unknown_time_has_no_speedup():
    assert math.isnan(UnifiedProfiler().compare_sessions(session(1.0, {}), session(math.nan, {}))["speedup"])


@pytest.mark.parametrize("arguments", [{"warmup": -1}, {"iterations": 0}])
def test_numbers_of_calls_are_checked(arguments):
    with pytest.raises(ValueError, match="warmup must be 0 or more"):
        UnifiedProfiler().profile_function(lambda: None, **arguments)
