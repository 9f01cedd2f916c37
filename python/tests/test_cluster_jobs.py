"""Jobs of a real head with its dashboard, submitted by the program alone."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from machines import needs_ray, start

import eaves

HAS_DASHBOARD = importlib.util.find_spec("aiohttp") is not None
pytestmark = [needs_ray, pytest.mark.skipif(not HAS_DASHBOARD, reason="ray[default] is not installed")]


@pytest.fixture(scope="module")
def dashboard() -> Iterator[str]:
    made, _ = start(include_dashboard=True, dashboard_host="127.0.0.1", dashboard_port=8265)
    yield f"http://{made.head_node.webui_url}"
    made.shutdown()


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "eaves", *arguments]


def without_python(**more: str) -> dict[str, str]:
    """An environment in which the program finds no Python."""
    return {**os.environ, "EAVES_PYTHON": "/nowhere/python", "PATH": "/nowhere", **more}


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = without_python()
    return subprocess.run(command(*arguments), cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def jobs(dashboard: str) -> list[Any]:
    with urllib.request.urlopen(f"{dashboard}/api/jobs/", timeout=10) as answer:
        listed: list[Any] = json.load(answer)
    return [one for one in listed if one["type"] == "SUBMISSION"]


def test_a_report_is_that_of_one_machine(job, dashboard, tmp_path):
    here = run(tmp_path, "report", "job", "--json", "--quiet")
    there = run(tmp_path, "report", "job", "--json", "--ray", dashboard)
    assert there.returncode == 0, there.stderr
    assert there.stdout == here.stdout
    assert "measured 12 of 12 ranks" in there.stderr
    (job / "rank5.json").write_text("")
    there = run(tmp_path, "report", "job", "-o", "report.html", "--ray", dashboard)
    assert there.returncode == 0 and "rank5.json" in there.stderr, there.stderr
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_a_dataset_is_that_of_one_machine(job, dashboard, tmp_path):
    here = run(tmp_path, "ingest", "job", "-o", "here", "--json")
    there = run(tmp_path, "ingest", "job", "-o", "there", "--json", "--ray", dashboard)
    assert there.returncode == 0, there.stderr
    assert there.stdout == here.stdout
    reports = [eaves.read(tmp_path / name).report().to_json() for name in ("here", "there")]
    assert reports[0] == reports[1]


def test_what_fails_there_is_said_here(dashboard, tmp_path):
    done = run(tmp_path, "report", "absent", "--ray", dashboard)
    assert done.returncode == 2
    assert "the job failed on the cluster" in done.stderr and "absent" in done.stderr, done.stderr
    done = run(tmp_path, "report", "absent", "--quiet", "--ray", dashboard)
    assert done.returncode == 2 and "absent" in done.stderr, done.stderr


def test_an_interruption_stops_the_job(job, dashboard, tmp_path):
    os.mkfifo(job / "slow.json")
    known = {one["submission_id"] for one in jobs(dashboard)}
    arguments = command("report", "job", "-o", "report.json", "--ray", dashboard)
    client = subprocess.Popen(arguments, cwd=tmp_path, env=without_python(), stderr=subprocess.DEVNULL)

    def mine() -> list[str]:
        return [one["status"] for one in jobs(dashboard) if one["submission_id"] not in known]

    deadline = time.monotonic() + 180
    while mine() != ["RUNNING"]:
        assert time.monotonic() < deadline, mine()
        time.sleep(0.2)
    client.send_signal(signal.SIGINT)
    assert client.wait(timeout=60) == 130
    while mine() != ["STOPPED"]:
        assert time.monotonic() < deadline, mine()
        time.sleep(0.2)
    assert not (tmp_path / "report.json").exists()
