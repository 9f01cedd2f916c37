"""Tables as others see them, against the trace itself as a general parser reads it."""

from __future__ import annotations

import gc
import gzip
import json

import pytest

import eaves

pa = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def path() -> str:
    from conftest import EXAMPLES

    return str(EXAMPLES / "training" / "rank0.json.gz")


@pytest.fixture(scope="module")
def events(path):
    """The events of the file, read by Python."""
    with gzip.open(path, "rt") as file:
        return json.load(file)["traceEvents"]


def nanoseconds(microseconds) -> int:
    return round(microseconds * 1000)


def complete(events, *categories):
    return [event for event in events if event.get("ph") == "X" and event.get("cat") in categories]


def test_kernels_are_those_of_the_file(path, events):
    rows = eaves.read(path).kernels.rows()
    expected = complete(events, "kernel", "gpu_memcpy", "gpu_memset")
    assert len(rows) == len(expected) > 100

    def of_row(row):
        return (row["name"], row["duration_ns"], row["device"], row["stream"], row["correlation"])

    def of_event(event):
        arguments = event["args"]
        return (
            event["name"],
            nanoseconds(event["dur"]),
            arguments.get("device"),
            arguments.get("stream"),
            arguments.get("correlation"),
        )

    assert sorted(map(of_row, rows)) == sorted(map(of_event, expected))
    kinds = {"kernel": "kernel", "gpu_memcpy": "memcpy", "gpu_memset": "memset"}
    assert sorted(row["kind"] for row in rows) == sorted(kinds[event["cat"]] for event in expected)
    # Starts count from a zero of our own.
    starts = sorted(nanoseconds(event["ts"]) for event in expected)
    ours = sorted(row["start_ns"] for row in rows)
    assert [start - ours[0] for start in ours] == pytest.approx([start - starts[0] for start in starts], abs=1)


def test_grids_are_those_of_the_file_and_nothing_elsewhere(path, events):
    rows = eaves.read(path).kernels.rows()
    grids = sorted(tuple(event["args"]["grid"]) for event in complete(events, "kernel"))
    ours = [(row["grid_x"], row["grid_y"], row["grid_z"]) for row in rows if row["kind"] == "kernel"]
    assert sorted(ours) == grids
    assert all(row["grid_x"] is None for row in rows if row["kind"] != "kernel")


def test_operators_are_those_of_the_file(path, events):
    rows = eaves.read(path).operators.rows()
    kinds = {"cpu_op": "op", "user_annotation": "annotation", "gpu_user_annotation": "gpu_annotation"}
    expected = complete(events, *kinds)
    ours = sorted((row["kind"], row["name"], row["duration_ns"]) for row in rows)
    assert {kind for kind, _, _ in ours} == set(kinds.values())
    assert ours == sorted((kinds[event["cat"]], event["name"], nanoseconds(event["dur"])) for event in expected)


def test_every_table_is_valid_arrow_with_the_same_values(path):
    recording = eaves.read(path)
    assert {"slices", "ops", "gpu", "tracks"} <= set(recording.tables)
    for name, table in recording.tables.items():
        arrow = pa.table(table)
        arrow.validate(full=True)
        assert arrow.num_rows == len(table) > 0
        assert arrow.column_names == [column.id for column in table.columns]
        assert arrow.to_pydict() == table.to_dict(), name
    for table in recording.report()["kernels"].tables.values():
        assert pa.table(table).to_pylist() == table.rows()


def test_ranks_are_batches_told_apart_by_a_column(path):
    import pyarrow.compute as compute
    from conftest import EXAMPLES

    recording = eaves.read(EXAMPLES / "training")
    arrow = pa.table(recording.kernels)
    assert arrow.column("name").num_chunks == 2
    alone = pa.table(eaves.read(path).kernels)
    first = arrow.filter(compute.equal(arrow["rank"], 0))
    assert first.drop_columns(["rank"]).to_pydict() == alone.to_pydict()
    assert sorted(set(recording.kernels["rank"])) == [0, 1]


def test_columns_are_lent_and_not_copied(path):
    recording = eaves.read(path)
    before = pa.total_allocated_bytes()
    first, second = pa.table(recording.table("slices")), pa.table(recording.table("slices"))
    assert pa.total_allocated_bytes() == before
    for name in ("start_ns", "duration_ns", "name", "category", "track", "position"):
        one, other = first[name].chunk(0), second[name].chunk(0)
        data = [(array.indices if pa.types.is_dictionary(array.type) else array).buffers()[1] for array in (one, other)]
        # Two exports made apart have the same memory, so neither made any.
        assert data[0].address == data[1].address, name
    texts = [table["name"].chunk(0).dictionary.buffers()[2] for table in (first, second)]
    assert texts[0].address == texts[1].address
    # What is stored packed has to be unpacked, once each.
    tables = [pa.table(recording.table("gpu")) for _ in range(2)]
    grids = [table["grid_x"].chunk(0).buffers()[1].address for table in tables]
    assert grids[0] != grids[1]


def test_columns_outlive_the_recording(path):
    recording = eaves.read(path)
    expected = recording.table("slices")["start_ns"]
    arrow = pa.table(recording.table("slices"))
    del recording
    gc.collect()
    # Memory that was given back would be overwritten here.
    scratch = [bytearray(1 << 20) for _ in range(64)]
    assert arrow["start_ns"].to_pylist() == expected
    del scratch


def test_pandas_has_the_values_and_the_nulls(path):
    pytest.importorskip("pandas")
    recording = eaves.read(path)
    frame = recording.kernels.to_pandas()
    assert frame["duration_ns"].tolist() == recording.kernels["duration_ns"]
    assert frame["name"].astype(str).tolist() == recording.kernels["name"]
    missing = [value is None for value in recording.kernels["grid_x"]]
    assert frame["grid_x"].isna().tolist() == missing and any(missing) and not all(missing)
    totals = frame.groupby("name", observed=True)["duration_ns"].sum().to_dict()
    table = next(iter(recording.report("kernels")["kernels"].tables.values())).to_pandas()
    kernels = frame[frame["kind"] == "kernel"]["name"].astype(str).unique()
    assert set(table["name"]) >= set(kernels)
    for name, total in zip(table["name"], table["total_ns"], strict=True):
        assert totals[name] == total


def test_polars_has_the_values_and_the_nulls(path):
    pl = pytest.importorskip("polars")
    recording = eaves.read(path)
    frame = recording.kernels.to_polars()
    assert frame["duration_ns"].to_list() == recording.kernels["duration_ns"]
    assert frame["name"].cast(pl.String).to_list() == recording.kernels["name"]
    assert frame["grid_x"].to_list() == recording.kernels["grid_x"]
    for name, table in recording.tables.items():
        assert len(pl.DataFrame(table)) == len(table), name


def test_a_table_without_rows_has_columns(path):
    table = eaves.read(path).table("asyncs")
    assert len(table) == 0 and len(table.columns) > 3
    assert pa.table(table).num_rows == 0
    assert table.rows() == [] and table["start_ns"] == []


def test_units_are_told(path):
    recording = eaves.read(path)
    schema = pa.table(recording.kernels).schema
    assert schema.field("duration_ns").metadata == {b"unit": b"ns"}
    table = next(iter(recording.report("kernels")["kernels"].tables.values()))
    field = pa.schema(table).field("total_ns")
    assert field.metadata[b"unit"] == b"ns" and field.metadata[b"title"]


def test_a_capsule_that_nobody_takes_is_given_back(path):
    table = eaves.read(path).table("slices")
    for _ in range(100):
        table.__arrow_c_stream__()
        table.__arrow_c_schema__()
    stream = pa.RecordBatchReader.from_stream(table)
    assert sum(len(batch) for batch in stream) == len(table)
