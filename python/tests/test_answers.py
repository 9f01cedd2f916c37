"""Answers from memory are those of the program, which reads, measures and forgets."""

from __future__ import annotations

import csv
import json
import math
import shutil
from pathlib import Path

import pytest
from conftest import EXAMPLES, ROOT

import eaves

TRACES = ["training", "host-bound", "communication-bound", "healthy", "damaged/truncated.json"]


@pytest.mark.parametrize("name", TRACES)
def test_reports_are_those_of_the_program(name, example, answer):
    report = eaves.read(example(name)).report()
    expected = answer("report", example(name))
    assert report.to_dict() == expected
    assert json.loads(report.to_json()) == expected
    assert list(report) == [section["id"] for section in expected["sections"]]
    assert [skipped.id for skipped in report.skipped] == [skipped["id"] for skipped in expected["skipped"]]


INPUTS = {
    "kernel table": ["kernels.csv"],
    "event list": ["events.json"],
    "NPU commands": ["commands.json"],
    "compile log": ["compile.log"],
    "memory snapshot": ["memory.pickle"],
    "saved report": ["saved.html"],
    "dataset": ["dataset"],
    "partial report": ["part.eaves-partial"],
    "mixed": ["training", "compile.log", "memory.pickle", "kernels.csv"],
}


@pytest.fixture
def every_kind(tmp_path: Path, program) -> Path:
    """A folder with an input of each kind."""
    for name in ("kernels.csv", "events.json", "commands.json"):
        shutil.copy(EXAMPLES / "measurements" / name, tmp_path)
    shutil.copy(ROOT / "crates/cli/tests/cli/compile.log", tmp_path)
    shutil.copy(ROOT / "fuzz/corpus/pickle/failed.pickle", tmp_path / "memory.pickle")
    shutil.copytree(EXAMPLES / "training", tmp_path / "training")
    for verb, output in (("report", "saved.html"), ("ingest", "dataset"), ("report", "part.eaves-partial")):
        assert program(verb, "training", "-o", output, cwd=tmp_path).returncode == 0
    return tmp_path


@pytest.mark.parametrize("names", INPUTS.values(), ids=INPUTS.keys())
def test_every_input_is_read(names, every_kind, answer, monkeypatch):
    monkeypatch.chdir(every_kind)
    recording = eaves.read(*names)
    assert recording.report().to_dict() == answer("report", *names)
    assert recording.info().to_dict() == answer("info", *names)


def test_sections_numbers_tables_and_findings_are_those_of_the_json(example, answer):
    report = eaves.read(example("training")).report()
    for section, expected in zip(report.sections, answer("report", example("training"))["sections"], strict=True):
        assert (section.id, section.title) == (expected["id"], expected["title"])
        assert report[section.id].to_dict() == section.to_dict() == expected
        for number, wanted in zip(section.numbers, expected["numbers"], strict=True):
            assert number.value == wanted["value"] and type(number.value) is type(wanted["value"])
            found = (number.id, number.rank, number.unit, number.provenance, number.explain, number.reason)
            assert found == (
                *(wanted[key] for key in ("id", "rank", "unit", "provenance", "explain")),
                wanted.get("reason"),
            )
            if isinstance(number.value, (int, float)):
                assert float(number) == number.value
        for table, wanted in zip(section.tables.values(), expected["tables"], strict=True):
            assert [column.id for column in table.columns] == [column["id"] for column in wanted["columns"]]
            assert [column.unit for column in table.columns] == [column["unit"] for column in wanted["columns"]]
            assert len(table) == table.num_rows == len(wanted["rows"])
            for index, column in enumerate(table.columns):
                cells = [row[index] for row in wanted["rows"]]
                # Numbers among texts are texts in a column that has one type.
                if any(isinstance(cell, str) for cell in cells):
                    cells = [cell if cell is None else str(cell) for cell in cells]
                assert table[column.id] == cells, (section.id, table.id, column.id)
        for finding, wanted in zip(section.findings, expected["findings"], strict=True):
            assert (finding.id, finding.claim, finding.severity) == (wanted["id"], wanted["claim"], wanted["severity"])
            assert (list(finding.gain_ns) if finding.gain_ns else None) == wanted["gain_ns"]
            assert (finding.gain_of, finding.gain_basis) == (wanted["gain_of"], wanted["gain_basis"])
            assert (finding.evidence, finding.next, finding.section) == (
                wanted["evidence"],
                wanted["next"],
                section.id,
            )


def test_a_report_is_a_mapping(example):
    report = eaves.read(example("training")).report()
    assert len(report) == len(report.keys()) == len(list(report.items()))
    assert "kernels" in report and "nothing" not in report and 3 not in report
    assert report.get("nothing") is None and report.get("nothing", 7) == 7
    assert report.get("kernels").id == "kernels"
    assert dict(report.items())["kernels"].id == "kernels"
    with pytest.raises(KeyError, match="there are"):
        report["nothing"]
    for skipped in report.skipped:
        with pytest.raises(KeyError, match="was skipped"):
            report[skipped.id]


def test_numbers_of_several_ranks_need_a_rank(example):
    section = eaves.read(example("training")).report("temporal-breakdown")["temporal-breakdown"]
    with pytest.raises(KeyError, match="name a rank, one of 0, 1"):
        section.number("idle_pct")
    parts = ["idle_pct", "compute_pct", "non_compute_pct"]
    for rank in (0, 1):
        # By definition idle, compute and everything else are all of the time.
        assert math.isclose(sum(float(section.number(part, rank)) for part in parts), 100.0)
        assert section.number("idle_pct", rank=rank).rank == rank
        assert str(section.number("idle_pct", rank)).endswith("%")
    with pytest.raises(KeyError, match="idle_pct"):
        section.number("nothing")


SELECTIONS = [
    ({"rank": 1}, ["--rank", "1"]),
    ({"rank": "0-1"}, ["--rank", "0-1"]),
    ({"rank": [1, 0]}, ["--rank", "0,1"]),
    ({"step": 3}, ["--step", "3"]),
    ({"step": (3, 4)}, ["--step", "3-4"]),
    ({"time": (0, 5_000_000)}, ["--time", "0..5ms"]),
    ({"time": "1ms..5ms", "rank": 0}, ["--time", "1ms..5ms", "--rank", "0"]),
]


@pytest.mark.parametrize(("keywords", "options"), SELECTIONS)
def test_parts_are_those_of_the_program(keywords, options, example, answer):
    recording = eaves.read(example("training"), **keywords)
    sections = ["kernels", "temporal-breakdown", "steps"]
    expected = answer("report", example("training"), *options, *(f"--section={one}" for one in sections))
    assert recording.report(sections).to_dict()["sections"] == expected["sections"]


@pytest.mark.parametrize(
    ("ask", "verb"),
    [
        (lambda recording: recording.hta(), ["hta"]),
        (lambda recording: recording.info(), ["info"]),
        (lambda recording: recording.roofline(), ["roofline"]),
        (lambda recording: recording.roofline("a100-sxm", sparse=True), ["roofline", "--device=a100-sxm", "--sparse"]),
        (lambda recording: recording.report("roofline", device="mi300x"), ["report", "--section=roofline", "--device=mi300x"]),
        (lambda recording: recording.report("queue-length", details=True), ["report", "--section=queue-length", "--details"]),
        (lambda recording: recording.flame().report(), ["flame"]),
        (lambda recording: recording.flame("gpu", order="inverted").report(), ["flame", "--metric=gpu", "--order=inverted"]),
        (lambda recording: recording.timeline().report(), ["timeline"]),
    ],
)
def test_other_questions_have_the_answers_of_the_program(ask, verb, example, answer):
    name, *options = verb
    assert ask(eaves.read(example("training"))).to_dict() == answer(name, example("training"), *options)


def test_comparisons_are_those_of_the_program(example, answer):
    base, new = example("healthy"), example("training")
    expected = answer("diff", base, new)
    assert eaves.read(base).diff(eaves.read(new)).to_dict() == expected
    assert eaves.diff(base, new).to_dict() == expected
    compared = eaves.read(new).flame(base=eaves.read(base))
    assert compared.report().to_dict()["sections"] == answer("flame", new, "--diff", base)["sections"]


@pytest.mark.parametrize(
    ("ask", "arguments"),
    [
        (lambda _: eaves.devices(), ["device", "list"]),
        (lambda _: eaves.devices("h100-sxm"), ["device", "show", "h100-sxm"]),
        (lambda _: eaves.devices(vendor="amd"), ["device", "list", "--vendor", "amd"]),
        (
            lambda _: eaves.predict("gemm", m=4096, n="4k", k=4096, precision=["fp16"], device="h100-sxm"),
            ["predict", "gemm", "--m=4096", "--n=4k", "--k=4096", "--device=h100-sxm"],
        ),
        (
            lambda _: eaves.predict("model", "llama-3-8b", context="8k", batch=16, device="h100-sxm"),
            ["predict", "model", "llama-3-8b", "--context=8k", "--batch=16", "--device=h100-sxm"],
        ),
        (
            lambda path: eaves.roofline(Path(path("measurements/kernels.csv")), device="h100-sxm", dtype="fp16"),
            ["roofline", "measurements/kernels.csv", "--device=h100-sxm", "--dtype=fp16"],
        ),
        (lambda path: eaves.read_memory(path("training")), ["memory", "training"]),
    ],
)
def test_questions_without_a_recording_are_those_of_the_program(ask, arguments, example, answer):
    words = [example(word) if word in ("training", "measurements/kernels.csv") else word for word in arguments]
    assert ask(example).to_dict() == answer(*words)


def test_a_prediction_is_work_over_the_peak():
    """2·4096³ operations at the 989.4 TFLOP/s of dense fp16 that NVIDIA publishes for the H100 SXM."""
    table = eaves.predict("gemm", m=4096, n=4096, k=4096, device="h100-sxm")["predict"].tables
    (row,) = next(iter(table.values())).rows()
    assert row["flops"] == 2 * 4096**3
    assert math.isclose(row["time_ns"], 2 * 4096**3 / 989.4e12 * 1e9, rel_tol=2e-3)


def test_what_the_terminal_shows_is_what_print_shows(example, program):
    environment = {"COLUMNS": "80", "PATH": ""}
    shown = program("report", example("host-bound"), "--color=never", env=environment)
    assert str(eaves.read(example("host-bound")).report()) == shown.stdout
    drawn = program("flame", example("host-bound"), "--color=never", env=environment)
    assert str(eaves.read(example("host-bound")).flame()) == drawn.stdout
    lines = program("timeline", example("host-bound"), "--color=never", env=environment)
    assert str(eaves.read(example("host-bound")).timeline()) == lines.stdout


FILES = [
    (lambda recording, path: recording.report().save(path), "report", ["html", "json", "md", "csv", "txt"]),
    (lambda recording, path: recording.roofline().save(path), "roofline", ["html", "json", "svg", "png"]),
    (
        lambda recording, path: recording.flame().save(path),
        "flame",
        ["html", "svg", "png", "folded", "d3.json", "speedscope.json", "json", "txt"],
    ),
    (lambda recording, path: recording.timeline().save(path), "timeline", ["html", "svg", "png", "json", "txt"]),
]


@pytest.mark.parametrize(("save", "verb", "endings"), FILES)
def test_files_are_those_of_the_program(save, verb, endings, example, program, tmp_path):
    recording = eaves.read(example("host-bound"))
    for ending in endings:
        ours, theirs = tmp_path / f"ours.{ending}", tmp_path / f"theirs.{ending}"
        done = program(verb, example("host-bound"), "--quiet", "-o", str(theirs))
        if ending == "png" and "has no PNG" in done.stderr:
            with pytest.raises(eaves.EavesError, match="has no PNG"):
                save(recording, ours)
            continue
        assert done.returncode == 0, done.stderr
        save(recording, ours)
        if verb == "roofline" and ending in ("svg", "png"):
            # The program writes the name of the input into the picture.
            assert ours.stat().st_size > 1_000
        else:
            # Not compared in the assertion: what differs in half a megabyte takes pytest the better part of an hour.
            same = ours.read_bytes() == theirs.read_bytes()
            assert same, f"{ours} differs from {theirs}"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_a_folder_has_a_file_for_each_table(example, tmp_path):
    report = eaves.read(example("host-bound")).report(["kernels", "steps"])
    report.save(f"{tmp_path}/tables/")
    with open(tmp_path / "tables" / "kernels.by_name.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    table = next(iter(report["kernels"].tables.values()))
    assert [row["name"] for row in rows] == table["name"]
    assert [int(row["total_ns"]) for row in rows] == table["total_ns"]


def test_flames_are_trees(example):
    flame = eaves.read(example("training/rank0.json.gz")).flame("cpu")
    root = flame.to_dict()

    def check(node):
        children = node.get("children", [])
        assert sum(child["value"] for child in children) <= node["value"] * (1 + 1e-12)
        return 1 + sum(check(child) for child in children)

    assert check(root) > 10
    stacks = [line.rsplit(" ", 1) for line in flame.to_folded().splitlines()]
    # Stacks are nanoseconds, trees microseconds.
    assert sum(int(amount) for _, amount in stacks) == pytest.approx(root["value"] * 1e3)
    assert (flame.metric, flame.order) == ("cpu", "left-heavy")
    assert flame.title.endswith("rank0.json.gz")


def test_exports_read_back_as_the_same(example, tmp_path):
    recording = eaves.read(example("training"))
    files = recording.export(tmp_path / "chrome", to="chrome")
    assert len(files) == 2
    again = eaves.read(tmp_path / "chrome")
    assert again.report("kernels").to_dict()["sections"] == recording.report("kernels").to_dict()["sections"]
    (file,) = recording.export(tmp_path / "slices.csv", to="csv", table="slices")
    with open(file, newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [int(row["start_ns"]) for row in rows] == recording.table("slices")["start_ns"]


def test_what_was_read_is_told(example):
    recording = eaves.read(example("training"))
    assert recording.ranks == [0, 1]
    assert [one.rank for one in recording.inputs] == [0, 1]
    assert all(one.format == "kineto" and one.container == "gzip" and one.events > 0 for one in recording.inputs)
    assert recording.steps and all(isinstance(step, int) for step in recording.steps)
    assert len(recording.devices) == 1
    slices = recording.table("slices").rows()
    kept = [one for one in slices if one["kind"] != "span" and one["rank"] == 0]
    span = max(one["start_ns"] + one["duration_ns"] for one in kept) - min(one["start_ns"] for one in kept)
    assert recording.duration_ns >= span
    damaged = eaves.read(example("damaged/truncated.json"))
    assert any(not warning.harmless for warning in damaged.warnings)
    assert damaged.warnings[0].message and damaged.warnings[0].count >= 1
