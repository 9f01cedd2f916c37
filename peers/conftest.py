"""What comparisons with other tools share. `cargo xtask test --only peers` runs them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
PROGRAM = os.environ.get("EAVES", str(ROOT / "target/debug/eaves"))


def pytest_configure(config: pytest.Config) -> None:
    # What other tools call and what is deprecated there is not ours to mend.
    config.addinivalue_line("filterwarnings", "ignore")


class Answer:
    """A document that `eaves` printed as JSON."""

    def __init__(self, *arguments: str) -> None:
        done = subprocess.run([PROGRAM, *arguments, "--json", "--quiet"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        self.sections = {section["id"]: section for section in json.loads(done.stdout)["sections"]}

    def rows(self, section: str, table: str) -> list[dict[str, Any]]:
        """The rows of a table by column."""
        found = next(one for one in self.sections[section]["tables"] if one["id"] == table)
        columns = [column["id"] for column in found["columns"]]
        return [dict(zip(columns, row, strict=True)) for row in found["rows"]]

    def number(self, section: str, name: str) -> Any:
        """A number of the whole section."""
        return next(one["value"] for one in self.sections[section]["numbers"] if one["id"] == name)


@cache
def ask(*arguments: str) -> Answer:
    return Answer(*arguments)


@pytest.fixture
def torch_program(tmp_path: Path) -> Callable[..., str]:
    """Runs a program with PyTorch in a folder of the test, and returns what it prints."""
    python = os.environ.get("EAVES_TEST_PYTHON")
    if python is None:
        pytest.skip("no Python with PyTorch; EAVES_TEST_PYTHON names one")

    def run(text: str, **environment: str) -> str:
        script = tmp_path / "program.py"
        script.write_text(text)
        variables = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
        variables.pop("PYTHONPATH", None)
        done = subprocess.run([python, str(script)], cwd=tmp_path, env=variables, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
