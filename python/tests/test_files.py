"""Files are there whole or not at all."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from eaves import _files
from eaves.profiling.hta import HTAAnalyzer, HTAReport
from eaves.profiling.profiler import ProfileSession
from eaves.profiling.timeline import EventType, TimelineData, TimelineEvent, TimelineGenerator, add
from eaves.profiling.torch_compile import CompileReport, TorchCompileAnalyzer

SOURCES = Path(_files.__file__).parent


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_when_it_is_finished(tmp_path):
    target = tmp_path / "deep" / "report.json"
    with _files.replacing(target) as unfinished:
        assert unfinished.suffix == ".json" and unfinished.parent == target.parent
        unfinished.write_text("half")
        assert not target.exists()
    assert names(target.parent) == ["report.json"]
    assert target.read_text() == "half"


def test_what_fails_leaves_what_was_there(tmp_path):
    target = tmp_path / "report.json"
    target.write_text("before")
    with pytest.raises(KeyboardInterrupt):
        with _files.replacing(target) as unfinished:
            unfinished.write_text("half")
            assert target.read_text() == "before"
            raise KeyboardInterrupt
    assert names(tmp_path) == ["report.json"]
    assert target.read_text() == "before"


def test_links_and_permissions_stay(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    assert _files.write(link, "after") == link
    assert link.is_symlink() and target.read_text() == "after"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "usual").write_text("")
    _files.write(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no such device here")
def test_a_device_is_written_to_and_stays_one():
    _files.write("/dev/null", "gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_the_form_is_that_of_the_format_else_of_the_name_else_the_first(tmp_path):
    forms = {"html": lambda: "a page", "json": lambda: "{}"}
    suffixes = {".json": "json"}
    for name, format, expected in [
        ("a.json", None, "{}"),
        ("a.JSON", None, "{}"),
        ("a.html", None, "a page"),
        ("a", None, "a page"),
        ("a.json", "html", "a page"),
        ("a.html", "json", "{}"),
    ]:
        assert _files.export(tmp_path / name, format, forms, suffixes).read_text() == expected
    with pytest.raises(ValueError, match="`html` or `json`, not 'pdf'"):
        _files.export(tmp_path / "b", "pdf", forms, suffixes)
    assert not (tmp_path / "b").exists()


def test_a_report_that_cannot_be_made_leaves_the_last_one(tmp_path):
    """JSON has no infinite number and a report by hand has no page: what was written before stays."""
    session = ProfileSession()
    session.kernel_summary = {"a": {"total_us": float("inf")}}
    timeline = TimelineData()
    add(timeline, TimelineEvent("a", EventType.CPU_OP, 0.0, float("inf")))
    broken = CompileReport(notes=[object()])  # type: ignore[list-item]
    for name, call in {
        "hta.html": lambda path: HTAAnalyzer().export_report(HTAReport(), path),
        "hta.json": lambda path: HTAAnalyzer().export_report(HTAReport(launch_stats={"a": float("inf")}), path),
        "compile.json": lambda path: TorchCompileAnalyzer().export_report(broken, path),
        "session.json": session.to_json,
        "timeline.json": lambda path: TimelineGenerator().export_chrome_trace(timeline, path),
        "data.json": lambda path: TimelineGenerator().export_visualization_data(timeline, path),
    }.items():
        path = tmp_path / name
        path.write_text("before")
        with pytest.raises((TypeError, ValueError)):
            call(path)
        assert path.read_text() == "before", name
    assert not any(name.startswith(".") for name in names(tmp_path))


def test_both_analysers_write_the_same_forms(tmp_path):
    for analyser, report in [(HTAAnalyzer(), HTAReport()), (TorchCompileAnalyzer(), CompileReport())]:
        path = analyser.export_report(report, tmp_path / "new" / "report.json")
        assert json.loads(path.read_text()) == report.to_dict()
        assert path.read_text().endswith("}\n")
        with pytest.raises(ValueError, match="`html` or `json`, not 'pdf'"):
            analyser.export_report(report, tmp_path / "report", format="pdf")


def test_nothing_else_writes_files():
    """Every file that the package writes goes through the one writer."""
    writers = ("write_text(", "write_bytes(", "json.dump(", "pickle.dump(", '"w"', "'w'", '"wb"')
    # A log that others read while it grows.
    allowed = {("_compile_log.py", '"w"')}
    for path in SOURCES.glob("*.py"):
        if path.name == "_files.py":
            continue
        text = path.read_text(encoding="utf-8")
        for writer in writers:
            assert writer not in text or (path.name, writer) in allowed, f"{path.name}: {writer}"
