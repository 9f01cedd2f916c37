"""Datasets whose ranks are written by tasks of a cluster: the same bytes as those of one machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from machines import needs_ray, taken_away, trace, until_gone

import eaves
from eaves import _cluster_tasks, cluster

pytestmark = needs_ray


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def actions(report: eaves.Report) -> list[str]:
    (table,) = report.to_dict()["sections"][0]["tables"]
    return [row[1] for row in table["rows"]]


def test_the_dataset_is_that_of_one_machine(job, machines, tmp_path, monkeypatch, program):
    made, _ = machines
    monkeypatch.chdir(tmp_path)
    (job / "rank12.json").write_text("<html>")
    # Says that it is rank 3, which another is that comes first by name.
    (job / "rank30.json").write_text(trace(3, 12).replace("gemm", "other"))
    here = eaves.ingest("job", output="here")
    there = cluster.ingest("job", "there", made.address)
    assert there.to_json() == here.to_json()
    assert content(tmp_path / "there") == content(tmp_path / "here")
    assert actions(there) == ["added"] * 12
    assert any("rank12.json" in warning.message for warning in there.warnings)
    # What is as it was is not read again.
    (job / "rank7.json").write_text(trace(7, 12).replace("gemm", "matmul"))
    command = [sys.executable, "-m", "eaves", "ingest", "job", "-o", "there", "--ray", made.address, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "not added" in done.stderr and "rank12.json" in done.stderr
    assert done.stdout == program("ingest", "job", "-o", "here", "--json").stdout
    rows = json.loads(done.stdout)["sections"][0]["tables"][0]["rows"]
    assert [row[0] for row in rows if row[1] == "replaced"] == [7]
    assert content(tmp_path / "there") == content(tmp_path / "here")


def test_nothing_that_can_be_read_leaves_nothing(machines, tmp_path):
    made, _ = machines
    (tmp_path / "page.json").write_text("<html>")
    with pytest.raises(eaves.EavesError, match="page.json"):
        cluster.ingest(tmp_path / "page.json", tmp_path / "dataset", made.address)
    assert not (tmp_path / "dataset").exists()
    with pytest.raises(eaves.EavesError, match="this machine only"):
        cluster.ingest("-", tmp_path / "dataset", made.address)


def test_a_node_that_goes_away_in_the_middle_changes_nothing(job, machines, tmp_path, monkeypatch):
    made, nodes = machines
    monkeypatch.chdir(tmp_path)
    here = eaves.ingest("job", output="here")
    doomed = nodes[-1].node_id
    begun = tmp_path / "begun"
    begun.mkdir()

    def slow(
        file: str, ranks: Sequence[tuple[str, int]] | None, dataset: str, run: str, folder: str
    ) -> tuple[bytes, str | None]:
        from eaves import _cluster_tasks

        answer = _cluster_tasks.write(file, ranks, dataset, run, folder)
        until_gone(begun, doomed, file)
        return answer

    monkeypatch.setattr(_cluster_tasks, "write", slow)
    with taken_away(made, nodes, lambda: len(list(begun.glob(f"{doomed}-*"))) >= 2, begun / "gone"):
        there = cluster.ingest("job", "there", made.address)
    assert there.to_json() == here.to_json()
    assert content(tmp_path / "there") == content(tmp_path / "here")


def test_a_driver_that_is_killed_leaves_whole_ranks(job, machines, tmp_path):
    made, _ = machines
    arguments = ["ingest", str(job), "--dataset", "there", "--address", made.address, "-o", "answer", "--quiet"]
    script = f"""
import os, signal
from eaves import _cluster_tasks, cluster
usual = _cluster_tasks.as_completed
def killed(*given):
    for number, answer in enumerate(usual(*given)):
        if number == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        yield answer
_cluster_tasks.as_completed = killed
cluster.main({arguments!r})
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, timeout=300)
    assert done.returncode == -signal.SIGKILL
    assert not (tmp_path / "answer").exists()
    seen = sorted((tmp_path / "there" / "run=job").glob("rank=*"))
    assert seen and all((rank / "rank.json").is_file() for rank in seen)
    assert eaves.read(tmp_path / "there").report().sections
    environment = {**os.environ, "EAVES_PYTHON": sys.executable}
    command = [sys.executable, "-m", "eaves", "ingest", str(job), "-o", "here", "--quiet"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=300)
    cluster.ingest(job, tmp_path / "there", made.address)
    assert content(tmp_path / "there") == content(tmp_path / "here")


def test_ranks_in_a_bucket(job, monkeypatch):
    """On a cluster that is started for the call, with the environment of this process."""
    moto = pytest.importorskip("moto.server", reason="moto[server] is not installed")
    boto3 = pytest.importorskip("boto3")
    server = moto.ThreadedMotoServer(port=0, verbose=False)
    server.start()
    try:
        endpoint = "http://127.0.0.1:{}".format(server.get_host_and_port()[1])
        keys: dict[str, Any] = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_REGION": "us-east-1"}
        for name, value in {**keys, "AWS_ALLOW_HTTP": "true", "AWS_ENDPOINT_URL": endpoint}.items():
            monkeypatch.setenv(name, value)
        client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
        client.create_bucket(Bucket="bucket")
        for file in sorted(job.iterdir()):
            client.put_object(Bucket="bucket", Key=f"job/{file.name}", Body=file.read_bytes())
        whole = eaves.read("s3://bucket/job").report()
        assert cluster.report("s3://bucket/job", "local").to_json() == whole.to_json()
        assert actions(cluster.ingest("s3://bucket/job", "s3://bucket/dataset", "local")) == ["added"] * 12
        assert eaves.read("s3://bucket/dataset").report().to_json() == whole.to_json()
        assert actions(cluster.ingest("s3://bucket/job", "s3://bucket/dataset", "local")) == ["skipped"] * 12
    finally:
        server.stop()
