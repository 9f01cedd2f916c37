"""HTA (`traceinsight`) reads the examples, and eaves gives the same numbers.

Where the two differ on purpose (`docs/hta.md` gives the reasons), the difference is in the input or in the comparison:

- HTA drops the last profiler step. The copies of the examples that it reads have steps under another name, so that both
  look at the whole recording.
- HTA rounds times to microseconds (D1). It is asked not to. Its time stamps are then floats of 10^12 microseconds, which
  are exact to 0.25 ns, so that sums agree within nanoseconds.
- HTA rounds percentages and idle times to two decimals.
- HTA cuts each piece of the kernel type table to whole microseconds (D13).
- HTA counts an idle gap from the end of the previous activity of a stream, eaves from the latest end so far. Activities of
  a stream do not overlap in the examples, where both are the same.
"""

from __future__ import annotations

import gzip
import logging
import os
import warnings
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from conftest import EXAMPLES, Answer, ask

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")

from hta.trace_analysis import TraceAnalysis  # noqa: E402

NAMES = ["communication-bound", "healthy", "host-bound", "training"]
#: Rounding of time stamps to floats, in nanoseconds, once for each activity of a sum.
FLOAT_NS = 0.25
#: Types of kernels, as HTA names them.
TYPES = {"COMPUTATION": "compute", "COMMUNICATION": "communication", "MEMORY": "memory"}

example = pytest.mark.parametrize("name", NAMES)


@cache
def hta(name: str) -> Any:
    with TemporaryDirectory() as folder:
        for path in (EXAMPLES / name).glob("rank*.json.gz"):
            text = gzip.decompress(path.read_bytes()).replace(b"ProfilerStep#", b"Step ")
            (Path(folder) / path.name).write_bytes(gzip.compress(text, 1))
        return TraceAnalysis(trace_dir=folder)


def eaves(name: str) -> Answer:
    return ask("report", str(EXAMPLES / name), "--details")


def ranks(name: str) -> list[int]:
    found = sorted(hta(name).t.get_ranks())
    assert found == list(range(len(list((EXAMPLES / name).glob("rank*.json.gz")))))
    return found


def nanoseconds(microseconds: float) -> float:
    return 1e3 * microseconds


@example
def test_temporal_breakdown(name):
    ours = {row["rank"]: row for row in eaves(name).rows("temporal-breakdown", "by_rank")}
    theirs = hta(name).get_temporal_breakdown(visualize=False)
    assert len(theirs) == len(ours) == len(ranks(name))
    for _, row in theirs.iterrows():
        found = ours[row["rank"]]
        for column, key in [("idle", "idle"), ("compute", "compute"), ("non_compute", "non_compute"), ("kernel", "span")]:
            expected = nanoseconds(row[f"{column}_time(us)"])
            assert found[f"{key}_ns"] == pytest.approx(expected, abs=FLOAT_NS * 1000), (row["rank"], column)
        for key in ("idle", "compute", "non_compute"):
            assert found[f"{key}_pct"] == pytest.approx(row[f"{key}_time_pctg"], abs=0.0051)


@example
def test_communication_overlap(name):
    theirs = hta(name).get_comm_comp_overlap(visualize=False)
    if "comm-overlap" not in eaves(name).sections:
        # A single rank does not communicate, and HTA divides by zero.
        assert len(ranks(name)) == 1 and theirs["comp_comm_overlap_pctg"].isna().all()
        return
    ours = {row["rank"]: row["overlap_pct"] for row in eaves(name).rows("comm-overlap", "by_rank")}
    assert len(theirs) == len(ours) == len(ranks(name))
    for _, row in theirs.iterrows():
        assert ours[row["rank"]] == pytest.approx(row["comp_comm_overlap_pctg"], abs=0.0051)


@example
def test_kernel_types(name):
    def ours() -> dict[str, int]:
        rows = eaves(name).rows("kernel-types", "by_types")
        return {row["types"]: row["time_ns"] for row in rows}

    def types(text: str) -> frozenset[str]:
        return frozenset(TYPES.get(part, part) for part in text.replace(",", " ").split() if part not in ("overlapping", "and", "+"))

    theirs, _ = hta(name).get_gpu_kernel_breakdown(visualize=False)
    expected = {frozenset(TYPES[one] for one in row["kernel_type"].split(" overlapping ")): row["sum"] for _, row in theirs.iterrows()}
    found = {types(text): time for text, time in ours().items()}
    assert expected.keys() <= found.keys()
    # Each activity begins and ends a piece, and each piece loses up to a microsecond.
    pieces = 2 * len(eaves(name).rows("annotations", "activities"))
    for one, time in expected.items():
        lost = found[one] - nanoseconds(time)
        assert -FLOAT_NS * pieces <= lost <= 1e3 * pieces, one
    assert all(time < 1e3 * pieces for one, time in found.items() if one not in expected)


@example
def test_kernels(name):
    """HTA's table has no calls, but sums and means."""
    table = "by_rank_and_name" if len(ranks(name)) > 1 else "by_name"
    ours = {(row.get("rank", 0), row["name"]): row for row in eaves(name).rows("kernels", table)}
    _, theirs = hta(name).get_gpu_kernel_breakdown(visualize=False, num_kernels=100_000)
    assert len(theirs) == len(ours)
    for _, row in theirs.iterrows():
        found = ours[row["rank"], row["name"]]
        for column, key in [("sum (us)", "total_ns"), ("max (us)", "max_ns"), ("min (us)", "min_ns"), ("mean (us)", "mean_ns")]:
            assert found[key] == pytest.approx(nanoseconds(row[column]), rel=1e-9, abs=0.01), (row["name"], column)
        assert found["type"] == TYPES[row["kernel_type"]]
        if found["calls"] > 1:
            assert found["std_ns"] == pytest.approx(nanoseconds(row["stddev"]), rel=1e-6, abs=0.01), row["name"]


@example
def test_idle_time(name):
    ours = {(row["rank"], row["stream"]): row for row in eaves(name).rows("idle-time", "by_stream")}
    lengths = {(row["rank"], row["stream"], row["cause"]): row for row in eaves(name).rows("idle-time", "gap_lengths")}
    theirs, statistics = hta(name).get_idle_time_breakdown(ranks=ranks(name), visualize=False, show_idle_interval_stats=True)
    for _, row in theirs.iterrows():
        found = ours[row["rank"], row["stream"]][f"{row['idle_category']}_ns"]
        assert found == pytest.approx(nanoseconds(row["idle_time"]), abs=5.1), dict(row)
    compared = 0
    for cause, row in statistics.iterrows():
        if row["count"] == 0:
            continue
        found = lengths[row["rank"], row["stream"], cause]
        assert found["gaps"] == row["count"]
        for column, key in [("mean", "mean_ns"), ("min", "min_ns"), ("50%", "median_ns"), ("max", "max_ns")]:
            assert found[key] == pytest.approx(nanoseconds(row[column]), abs=5.1), (cause, column)
        compared += 1
    assert compared >= len(ours)


@example
def test_launches(name):
    ours: dict[tuple[int, int], dict[str, Any]] = {
        (row["rank"], row["correlation"]): row for row in eaves(name).rows("launch-stats", "launches")
    }
    theirs = hta(name).get_cuda_kernel_launch_stats(ranks=ranks(name), visualize=False)
    compared = 0
    for rank, table in theirs.items():
        for _, row in table.iterrows():
            found = ours[rank, row["correlation"]]
            assert found["cpu_ns"] == pytest.approx(nanoseconds(row["cpu_duration"]), abs=FLOAT_NS)
            assert found["gpu_ns"] == pytest.approx(nanoseconds(row["gpu_duration"]), abs=FLOAT_NS)
            assert found["delay_ns"] == pytest.approx(nanoseconds(row["launch_delay"]), abs=4 * FLOAT_NS)
            compared += 1
    assert compared == len(ours) > 100


@example
def test_queue_length(name):
    ours = {(row["rank"], row["stream"]): row for row in eaves(name).rows("queue-length", "by_stream")}
    theirs = hta(name).get_queue_length_summary(ranks=ranks(name))
    assert len(theirs) == len(ours)
    for place, row in theirs["queue_length"].iterrows():
        found = ours[place]
        assert found["changes"] == row["count"]
        for column, key in [("mean", "mean"), ("std", "std"), ("min", "min"), ("50%", "median"), ("max", "max")]:
            assert found[key] == pytest.approx(row[column], rel=1e-9), (place, column)


@example
def test_memory_bandwidth(name):
    ours = {(row["rank"], row["name"]): row for row in eaves(name).rows("memory-bandwidth", "by_kind")}
    theirs = hta(name).get_memory_bw_summary(ranks=ranks(name))
    assert len(theirs) == len(ours)
    for place, row in theirs["memory_bw_gbps"].iterrows():
        found = ours[place]
        assert found["changes"] == row["count"]
        for column, key in [("mean", "mean_gbps"), ("min", "min_gbps"), ("50%", "median_gbps"), ("max", "max_gbps")]:
            assert found[key] == pytest.approx(row[column], rel=1e-6), (place, column)


@example
def test_profiler_steps(name):
    """On the recording itself, of which HTA drops the last step."""
    steps = TraceAnalysis(trace_dir=str(EXAMPLES / name)).get_profiler_steps()
    ours = sorted({row["step"] for row in eaves(name).rows("steps", "by_step")})
    assert list(steps) in (ours, ours[:-1]) and len(ours) >= 3
