"""Ranks that are measured by other processes, and on a cluster of Ray on this machine."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import eaves
from eaves import _core, cluster

HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed")


def trace(rank: int, ranks: int) -> str:
    """A step of a rank: a kernel that is longer on higher ranks, and a collective that ends everywhere at once."""
    kernel = 100 + 5 * rank
    events = [
        {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0, "dur": 900},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "args": {"correlation": 1}},
        {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": kernel, "args": {"correlation": 1, "device": 0, "stream": 7}},
        {
            "ph": "X",
            "cat": "kernel",
            "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            "pid": 0,
            "tid": 20,
            "ts": 20 + kernel,
            "dur": 800 - kernel,
            "args": {"device": 0, "stream": 20},
        },
    ]
    header = {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks}}
    return json.dumps({**header, "traceEvents": events})


@pytest.fixture
def job(tmp_path) -> Path:
    folder = tmp_path / "job"
    folder.mkdir()
    for rank in range(12):
        (folder / f"rank{rank}.json").write_text(trace(rank, 12))
    return folder


def test_parts_in_any_tree_are_the_report_of_all(job):
    whole = eaves.read(job).report()
    files = _core.files([job])
    assert len(files) == 12
    parts = [_core.measure([file]) for file in files]
    left, right = _core.merge(parts[:5][::-1]), _core.merge(parts[5:])
    assert _core.report_of(_core.merge([right, left])).to_json() == whole.to_json()
    # Of ranks 0, 1, 2, 10 and 11 one alone: the same sections as its own recording has.
    alone = eaves.read(job / "rank2.json").report()
    assert _core.report_of(left, rank=2).to_dict()["sections"] == alone.to_dict()["sections"]


def test_what_cannot_be_read_is_named(job):
    part = _core.merge([_core.measure([job / "rank0.json"])], [("rank1.json", "no such file")])
    (warning,) = [one for one in _core.report_of(part).warnings if one.kind == "unreadable"]
    assert warning.path == "rank1.json" and "no such file" in warning.message


def test_other_bytes_are_an_error(job):
    part = _core.measure([job / "rank0.json"])
    for bytes_ in (b"", b"text", part[: len(part) // 2], part + b"more"):
        with pytest.raises(eaves.EavesError):
            _core.report_of(bytes_)
    with pytest.raises(eaves.EavesError, match="other options"):
        _core.report_of(part, step=1)


def test_an_arrow_library_reads_the_bytes(job):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.ipc.open_stream(_core.measure([job])).read_all()
    assert table.column_names == ["rank", "path", "analysis", "part", "checksum"]
    # What is known of the inputs as a set is of no rank.
    assert sorted(set(table["rank"].to_pylist()) - {None}) == list(range(12))


def test_without_ray_the_error_says_what_to_install(job, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(eaves.EavesError, match=r"eaves\[ray\]"):
        cluster.report(job)


@pytest.fixture(scope="module")
def machines():
    """A head that measures nothing, and two nodes."""
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    # Other tests in this process want the print of Python.
    os.environ["RAY_TQDM_PATCH_PRINT"] = "0"
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [made.add_node(num_cpus=1), made.add_node(num_cpus=1)]
    made.wait_for_nodes()
    yield made, nodes
    made.shutdown()


@needs_ray
def test_a_report_on_a_cluster_is_that_of_one_machine(job, machines, tmp_path, monkeypatch):
    made, _ = machines
    monkeypatch.chdir(job.parent)
    whole = eaves.read("job").report()
    answer = cluster.report("job", made.address, fan_in=4, output=tmp_path / "report.json")
    assert answer.to_json() == whole.to_json()
    assert (tmp_path / "report.json").read_text() == whole.to_json()
    # The program does the same through the interpreter that it came with.
    command = [sys.executable, "-m", "eaves", "report", "job", "--ray", made.address, "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, whole.to_json()), done.stderr


@needs_ray
def test_a_broken_rank_is_named_and_the_others_are_reported(job, machines):
    made, _ = machines
    (job / "rank5.json").write_text("")
    answer = cluster.report(job, made.address)
    (warning,) = [one for one in answer.warnings if one.kind == "unreadable"]
    assert warning.path is not None and warning.path.endswith("rank5.json")
    (job / "rank5.json").unlink()
    assert answer.to_dict()["sections"] == eaves.read(job).report().to_dict()["sections"]


@needs_ray
def test_a_driver_that_is_killed_leaves_no_output(job, machines, tmp_path):
    """At the worst moment: everything is written, and not yet under its name."""
    made, _ = machines
    target = tmp_path / "out.eaves-partial"
    script = f"""
import os, signal, sys
from eaves import _files, cluster
_files.os.replace = lambda *names: os.kill(os.getpid(), signal.SIGKILL)
cluster.main(["measure", {str(job)!r}, "-o", {str(target)!r}, "--address", {made.address!r}, "--quiet"])
"""
    done = subprocess.run([sys.executable, "-c", script], timeout=120)
    assert done.returncode == -signal.SIGKILL
    assert not target.exists()


@needs_ray
def test_a_node_that_goes_away_changes_nothing(job, machines):
    """Last, for it takes a node away."""
    import ray

    made, nodes = machines
    whole = eaves.read(job).report()

    def slow(file: str) -> tuple[bytes, str | None]:
        time.sleep(0.2)
        return cluster._rank(file, file, {})

    ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
    try:
        held = ray.remote(slow).options(num_returns=2, max_retries=3)
        calls = [held.remote(str(file)) for file in _core.files([job])]
        ray.wait([problem for _, problem in calls], num_returns=2)
        made.remove_node(nodes[1], allow_graceful=False)
        merge = ray.remote(cluster._merge).options(max_retries=3)
        part = ray.get(merge.remote(*[part for part, _ in calls]))
        assert _core.report_of(part).to_json() == whole.to_json()
        assert cluster.report(job).to_json() == whole.to_json()
    finally:
        ray.shutdown()
