"""Ranks that are measured by other processes, and on a cluster of Ray on this machine."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from machines import needs_ray, taken_away, until_gone

import eaves
from eaves import _cluster_tasks, _core, cluster


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
    with pytest.raises(eaves.EavesError, match="different options"):
        _core.report_of(part, step=1)


def test_a_rank_that_is_lost_while_merging_is_an_error(job):
    part = _core.measure([job / "rank0.json"])
    assert _cluster_tasks.merge(part) == _core.merge([part])
    with pytest.raises(eaves.EavesError, match="could not be read again"):
        _cluster_tasks.merge(part, b"")


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
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
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
    done = subprocess.run([sys.executable, "-c", script], timeout=300)
    assert done.returncode == -signal.SIGKILL
    assert not target.exists()


@needs_ray
def test_a_node_that_goes_away_in_the_middle_changes_nothing(job, machines, tmp_path, monkeypatch):
    made, nodes = machines
    whole = eaves.read(job).report()
    doomed = nodes[-1].node_id
    begun = tmp_path / "begun"
    begun.mkdir()

    def slow(name: str, file: str, how: dict[str, Any]) -> tuple[bytes, str | None]:
        from eaves import _cluster_tasks

        answer = _cluster_tasks.rank(name, file, how)
        until_gone(begun, doomed, file)
        return answer

    monkeypatch.setattr(_cluster_tasks, "rank", slow)
    # One rank is measured there, and its answer is in the memory of that node; another is being measured.
    with taken_away(made, nodes, lambda: len(list(begun.glob(f"{doomed}-*"))) >= 2, begun / "gone"):
        answer = cluster.report(job, made.address, fan_in=4)
    assert answer.to_json() == whole.to_json()
    lost = {path.name.removeprefix(f"{doomed}-") for path in begun.glob(f"{doomed}-*")}
    elsewhere = {path.name.split("-", 1)[1] for path in begun.glob("*-*") if not path.name.startswith(doomed)}
    assert lost and lost <= elsewhere, "what the lost node had measured was measured again"
