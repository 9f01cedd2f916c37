"""Questions in SQL, answered as other data bases answer them about the same files. Without SQL in the build, an error says so."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import eaves


def has_sql(example: Callable[[str], str]) -> bool:
    try:
        eaves.query("SELECT 1", example("training"))
    except eaves.EavesError as error:
        assert "has no SQL" in str(error)
        return False
    return True


@pytest.fixture
def training(example: Callable[[str], str]) -> str:
    if not has_sql(example):
        pytest.skip("this build has no SQL")
    return example("training")


def kernels(folder: str) -> dict[tuple[int, str], tuple[int, int]]:
    """Calls and nanoseconds of each kernel, by rank and name, as the files have them."""
    sums: dict[tuple[int, str], tuple[int, int]] = {}
    for file in sorted(Path(folder).glob("*.json.gz")):
        trace = json.loads(gzip.decompress(file.read_bytes()))
        for event in trace["traceEvents"]:
            if event.get("cat") == "kernel":
                key = (trace["distributedInfo"]["rank"], event["name"])
                calls, time = sums.get(key, (0, 0))
                sums[key] = (calls + 1, time + round(event["dur"] * 1000))
    return sums


SQL = "SELECT rank, name, count(*) AS calls, sum(duration_ns) AS ns FROM kernels WHERE kind = 'kernel' GROUP BY rank, name"


def test_an_answer_is_what_the_files_hold(training: str) -> None:
    answer = eaves.query(SQL, training)
    found = {(row["rank"], row["name"]): (row["calls"], row["ns"]) for row in answer.rows()}
    assert found == kernels(training)
    assert eaves.read(training).query(SQL).rows() == answer.rows()


def test_an_answer_is_arrow(training: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    answer = eaves.query("SELECT rank, 0.5 AS half, kind = 'kernel' AS yes, name FROM kernels LIMIT 2", training)
    table = pyarrow.table(answer)
    assert [str(field.type) for field in table.schema] == ["int64", "double", "bool", "string"]
    assert table.to_pydict() == answer.to_dict()
    assert answer["half"] == [0.5, 0.5] and len(answer) == 2


def test_what_is_wrong_is_said_with_its_place(training: str) -> None:
    with pytest.raises(eaves.EavesError, match=r"no column `nom` in `kernels` \(line 1, column 8\)"):
        eaves.query("SELECT nom FROM kernels", training)
    with pytest.raises(eaves.EavesError, match="only queries"):
        eaves.read(training).query("DROP TABLE kernels")
    with pytest.raises(eaves.EavesError):
        eaves.query("SELECT 1")
