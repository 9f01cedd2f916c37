"""The rules about where the time of the GPU went, each at its limit, and how an answer becomes a report."""

from __future__ import annotations

import json
import math

import pytest

from eaves.profiling.hta import HTAAnalyzer, HTAReport, from_answer, recommend


def report(**changes):
    fields = {
        "gpu_idle_time_pct": 30.0,
        "compute_time_pct": 50.0,
        "communication_time_pct": 20.0,
        "memory_time_pct": 0.0,
        "top_kernels": [{"name": "a", "time_us": 5.0}, {"name": "b", "time_us": 5.0}],
        "launch_stats": {"total_kernels": 10_000, "by_rank": [{"kernels": 10_000, "mean_kernel_ns": 9_999.0}]},
    }
    return HTAReport(**{**fields, **changes})


def test_at_every_limit_it_is_well_optimized():
    advice = recommend(report())
    assert len(advice) == 1 and "well-optimized" in advice[0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"gpu_idle_time_pct": 30.1}, "idle for 30.1%"),
        ({"communication_time_pct": 20.1}, "takes 20.1%"),
        (
            {"launch_stats": {"total_kernels": 10_001, "by_rank": [{"kernels": 10_001, "mean_kernel_ns": 9_900.0}]}},
            "10001 launches of kernels that take 9.9 µs",
        ),
        ({"top_kernels": [{"name": "a", "time_us": 5.1}, {"name": "b", "time_us": 4.9}]}, "a takes 51.0%"),
    ],
)
def test_beyond_each_limit_one_thing_is_said(changes, words):
    advice = recommend(report(**changes))
    assert len(advice) == 1 and words in advice[0]


def test_many_kernels_that_are_long_are_no_problem():
    stats = {"total_kernels": 20_000, "by_rank": [{"kernels": 20_000, "mean_kernel_ns": 10_000.0}]}
    assert "well-optimized" in recommend(report(launch_stats=stats))[0]


def test_means_of_ranks_are_weighted_by_kernels():
    # (30000 * 4 us + 10000 * 24 us) / 40000 = 9 us.
    stats = {
        "total_kernels": 40_000,
        "by_rank": [{"kernels": 30_000, "mean_kernel_ns": 4_000.0}, {"kernels": 10_000, "mean_kernel_ns": 24_000.0}],
    }
    assert "take 9.0 µs" in recommend(report(launch_stats=stats))[0]


def test_without_gpu_work_nothing_is_judged_and_the_report_says_how_to_record():
    answer = {
        "temporal_breakdown": {"gpu_idle_pct": None, "missing": {"gpu_idle_pct": "no GPU"}},
        "kernel_analysis": {"top_kernels": None, "launch_stats": None},
        "communication": {"breakdown": None, "collective_ops": None},
        "memory": {"bandwidth_gbps": None, "efficiency_pct": None},
        "bottlenecks": [],
        "recommendations": [],
        "skipped": [{"id": "hta-summary", "missing": "no GPU", "how_to_record": "record the GPU"}],
    }
    found = from_answer(answer)
    assert math.isnan(found.gpu_idle_time_pct) and found.top_kernels == []
    assert found.recommendations == ["record the GPU"]
    assert found.missing == {"gpu_idle_pct": "no GPU"}
    saved = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert saved["temporal_breakdown"]["gpu_idle_pct"] is None


def test_the_json_has_its_layout(tmp_path):
    kernels = [{"name": str(number), "time_us": 1.0, "duration_us": 1.0} for number in range(20)]
    path = HTAAnalyzer().export_report(report(top_kernels=kernels), tmp_path / "hta.json", format="json")
    saved = json.loads(path.read_text())
    assert set(saved) >= {"temporal_breakdown", "kernel_analysis", "communication", "memory", "recommendations", "bottlenecks"}
    assert set(saved["temporal_breakdown"]) >= {"gpu_idle_pct", "compute_pct", "communication_pct", "memory_pct"}
    assert len(saved["kernel_analysis"]["top_kernels"]) == 10 and "launch_stats" in saved["kernel_analysis"]
    assert set(saved["communication"]) == {"breakdown", "collective_ops"}
    assert set(saved["memory"]) == {"bandwidth_gbps", "efficiency_pct"}


def test_unknown_formats_and_pages_of_nothing_are_refused(tmp_path):
    with pytest.raises(ValueError, match="not 'pdf'"):
        HTAAnalyzer().export_report(report(), tmp_path / "x", format="pdf")
    with pytest.raises(ValueError, match="made by hand"):
        HTAAnalyzer().export_report(report(), tmp_path / "x.html")
