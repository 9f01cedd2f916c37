"""tlparse reads compilation logs, and eaves finds the same compilations, graph breaks, recompilations and caches."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from conftest import ROOT, Answer

PROGRAM = """
import torch

@torch.compile
def step(x):
    y = x + 1
    print('side effect')
    if y.sum() > 0:
        y = y * 2
    return y + 1

for size in (4, 8, 16):
    step(torch.ones(size))
"""


def tlparse(log: Path, folder: Path) -> Path:
    command = [str(Path(sys.executable).with_name("tlparse")), str(log), "-o", str(folder), "--overwrite", "--no-browser"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def artifacts(folder: Path) -> dict[str, list[dict[str, str]]]:
    """What tlparse wrote, by compilation; what belongs to none is left out."""
    directory = json.loads((folder / "compile_directory.json").read_text())
    return {name.strip("[]"): found["artifacts"] for name, found in directory.items() if name.startswith("[")}


def compilations(folder: Path) -> dict[str, float]:
    """Time of whole compilations in microseconds, from the events that tlparse extracts."""
    begun: dict[str, float] = {}
    spent: Counter[str] = Counter()
    for event in json.loads((folder / "chromium_events.json").read_text()):
        if event["name"] != "entire_frame_compile":
            continue
        compilation = event["args"]["compile_id"]
        if event["ph"] == "B":
            begun[compilation] = event["ts"]
        else:
            spent[compilation] += event["ts"] - begun.pop(compilation)
    assert not begun
    return dict(spent)


def compare(log: Path, folder: Path) -> Answer:
    found = tlparse(log, folder)
    by_compilation = artifacts(found)
    ours = Answer("compile", str(log))
    ids = {row["id"].split("_")[0] for row in ours.rows("compile-time", "compiles")}
    assert ids == {name.split("_")[0] for name in by_compilation if has_metrics(by_compilation[name])}
    names = Counter(one["name"].rsplit("_", 1)[0] for files in by_compilation.values() for one in files)
    assert ours.number("graph-breaks", "graph_breaks_met") == names["dynamo_graph_break_reason"]
    assert ours.number("recompiles", "recompiles") == names["recompile_reasons"]
    cache = next(row for row in ours.rows("compile-time", "caches") if row["cache"] == "fx graph")
    theirs = [names[f"fx_graph_cache_{answer}"] for answer in ("hit", "miss", "bypass")]
    assert [cache["hits"], cache["misses"], cache["bypasses"]] == theirs
    times = compilations(found)
    for row in ours.rows("compile-time", "compiles"):
        expected = times.get(row["id"])
        assert expected is None or abs(row["time_ns"] - 1e3 * expected) <= 1e3, row
    assert times
    return ours


def has_metrics(files: list[dict[str, str]]) -> bool:
    return any(one["name"].startswith("compilation_metrics") for one in files)


def test_a_log_of_the_project(tmp_path):
    ours = compare(ROOT / "crates/cli/tests/cli/compile.log", tmp_path / "parsed")
    assert ours.number("compile-time", "compiles") == 2


def test_a_log_recorded_on_the_spot(torch_program, tmp_path):
    torch_program(PROGRAM, TORCH_TRACE=str(tmp_path / "logs"), TORCHINDUCTOR_CACHE_DIR=str(tmp_path / "cache"))
    (log,) = (tmp_path / "logs").iterdir()
    ours = compare(log, tmp_path / "parsed")
    assert ours.number("graph-breaks", "graph_breaks") >= 2
    assert ours.number("recompiles", "recompiles") >= 1
