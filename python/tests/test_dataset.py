"""A dataset is plain Parquet: other programs read the same sums in it that the program tells, and that the traces hold."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path

import pytest

EXAMPLE = "training"
Sums = dict[tuple[int, str], tuple[int, int]]


@pytest.fixture
def dataset(tmp_path, program, example) -> Path:
    done = program("ingest", example(EXAMPLE), "-o", str(tmp_path / "dataset"), "--run", "monday")
    assert done.returncode == 0, done.stderr
    return tmp_path / "dataset"


def kernels_of_traces(folder: str) -> Sums:
    """Calls and nanoseconds of each kernel, by rank and name, as the files have them."""
    sums: defaultdict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0])
    for file in sorted(Path(folder).glob("*.json.gz")):
        trace = json.loads(gzip.decompress(file.read_bytes()))
        for event in trace["traceEvents"]:
            if event.get("cat") == "kernel":
                entry = sums[trace["distributedInfo"]["rank"], event["name"]]
                entry[0] += 1
                entry[1] += round(event["dur"] * 1000)
    return {key: (calls, time) for key, (calls, time) in sums.items()}


def elements_of_traces(folder: str) -> dict[int, int]:
    """Elements that collectives sent on the device, by rank, as the files have them."""
    sums: defaultdict[int, int] = defaultdict(int)
    for file in sorted(Path(folder).glob("*.json.gz")):
        trace = json.loads(gzip.decompress(file.read_bytes()))
        for event in trace["traceEvents"]:
            if event.get("cat") == "kernel" and "Collective name" in event.get("args", {}):
                sums[trace["distributedInfo"]["rank"]] += event["args"]["In msg nelems"]
    return dict(sums)


def kernels_of_program(answer, dataset: Path) -> Sums:
    document = answer("kernels", str(dataset))
    section = next(section for section in document["sections"] if section["id"] == "kernels")
    table = next(table for table in section["tables"] if table["id"] == "by_rank_and_name")
    place = {column["id"]: index for index, column in enumerate(table["columns"])}
    return {
        (row[place["rank"]], row[place["name"]]): (row[place["calls"]], row[place["total_ns"]])
        for row in table["rows"]
        if not row[place["name"]].startswith("Mem")
    }


def test_duckdb_reads_the_sums_of_the_program(dataset, answer, example):
    duckdb = pytest.importorskip("duckdb")
    slices = f"read_parquet('{dataset}/run=*/rank=*/slices.parquet', hive_partitioning = true)"
    rows = duckdb.sql(
        f"select rank, name, count(*), sum(duration_ns) from {slices} where kind = 'kernel' group by all"
    ).fetchall()
    found = {(rank, name): (calls, int(time)) for rank, name, calls, time in rows}
    assert found == kernels_of_traces(example(EXAMPLE))
    assert found == kernels_of_program(answer, dataset)
    # Tables are joined by the numbers of rows, within a rank.
    collectives = f"read_parquet('{dataset}/run=*/rank=*/collectives.parquet', hive_partitioning = true)"
    rows = duckdb.sql(
        f"select c.rank, sum(c.in_elements) from {collectives} c join {slices} s"
        " on s.run = c.run and s.rank = c.rank and s.slice = c.slice where s.kind = 'kernel' group by all"
    ).fetchall()
    elements = elements_of_traces(example(EXAMPLE))
    assert elements and {rank: int(count) for rank, count in rows} == elements


def test_polars_reads_the_sums_of_the_program(dataset, answer, example):
    polars = pytest.importorskip("polars")
    slices = polars.scan_parquet(f"{dataset}/run=*/rank=*/slices.parquet", hive_partitioning=True)
    kernels = slices.filter(polars.col("kind").cast(polars.String) == "kernel")
    by_name = kernels.group_by("rank", polars.col("name").cast(polars.String)).agg(
        polars.len().alias("calls"), polars.col("duration_ns").sum()
    )
    rows = by_name.select("rank", "name", "calls", "duration_ns").collect().rows()
    found = {(rank, name): (calls, time) for rank, name, calls, time in rows}
    assert found == kernels_of_traces(example(EXAMPLE))
    assert found == kernels_of_program(answer, dataset)


def test_every_table_is_read_by_others(dataset):
    duckdb = pytest.importorskip("duckdb")
    for folder in sorted(dataset.glob("run=*/rank=*")):
        tables = json.loads((folder / "rank.json").read_text())["tables"]
        assert {f"{table['name']}.parquet" for table in tables} | {"rank.json"} == {
            path.name for path in folder.iterdir()
        }
        for table in tables:
            path = folder / f"{table['name']}.parquet"
            ((rows,),) = duckdb.sql(f"select count(*) from '{path}'").fetchall()
            assert rows == table["rows"], path
