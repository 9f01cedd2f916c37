"""The server's description of its interface, held against what it does, by schemathesis."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("schemathesis", reason="schemathesis is not installed")


@pytest.fixture
def server(example: Callable[[str], str], tmp_path: Path) -> Iterator[str]:
    """The address of a server with an example, in a folder of its own: clients may save files in it."""
    command = [sys.executable, "-m", "eaves", "serve", "--port", "0", example("training")]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        found = next((m for line in process.stderr if (m := re.search(r"http://\S+", line))), None)
        assert found, "it serves nowhere"
        yield found[0].rstrip("/")
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_what_is_described_is_what_is_answered(server: str) -> None:
    # Streams do not end, and benchmarks would measure other tests; those of `device` and `validate` take longer than a client waits. That whatever a schema allows is accepted cannot
    # hold: names of devices, and that a window begins before it ends, are not in the description. A build without SQL says
    # that it has none, which is an error of the server by its number.
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{server}/api/v1/openapi.json"]
    command += ["--exclude-path-regex", "/(live|events|bench|query|query/tables|verbs/(device|validate))$", "--exclude-checks", "positive_data_acceptance"]
    command += ["--max-examples", "20", "--seed", "1", "--generation-database", "none"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert answer.returncode == 0, answer.stdout[-8000:]
    tested = re.search(r"Tested: (\d+)", answer.stdout)
    assert tested and int(tested[1]) >= 20, answer.stdout[-2000:]
