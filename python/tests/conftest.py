"""What tests of the package share: the examples of the project, and the program that answers are compared with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from machines import start, write_job

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
#: Reference data: recordings of real programs. They are not part of the project.
DATA = ROOT / os.environ.get("EAVES_TEST_DATA", "../shared/data")


@pytest.fixture
def data() -> Callable[[str], Path]:
    """The path of a file or folder of the reference data; without it, the test is skipped."""

    def path(name: str) -> Path:
        if not (DATA / name).exists():
            pytest.skip(f"no reference data at {DATA / name}; EAVES_TEST_DATA names the folder")
        return DATA / name

    return path


@pytest.fixture
def example() -> Callable[[str], str]:
    """The path of an example."""

    def path(name: str) -> str:
        assert (EXAMPLES / name).exists(), name
        return str(EXAMPLES / name)

    return path


@pytest.fixture
def program() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the program that comes with the package."""

    def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "eaves", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)

    return run


@pytest.fixture
def answer(program: Callable[..., subprocess.CompletedProcess[str]]) -> Callable[..., dict[str, Any]]:
    """What the program prints as JSON."""

    def ask(*arguments: str) -> dict[str, Any]:
        done = program(*arguments, "--json", "--quiet")
        assert done.returncode == 0, done.stderr
        value: dict[str, Any] = json.loads(done.stdout)
        return value

    return ask


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A folder with twelve ranks."""
    return write_job(tmp_path / "job")


@pytest.fixture(scope="module")
def machines() -> Iterator[tuple[Any, list[Any]]]:
    """A cluster of a head that measures nothing and two nodes, and the nodes."""
    made, nodes = start(include_dashboard=False)
    yield made, nodes
    made.shutdown()
