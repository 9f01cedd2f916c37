"""Compiling small models for real: what is measured, and what the log says."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import tiny_models  # noqa: E402

from eaves.profiling._compile_measure import Measurement, bind, max_abs_error, peak_bytes  # noqa: E402
from eaves.profiling._compile_process import CannotHandOver, is_guarded, script_to_load  # noqa: E402
from eaves.profiling.torch_compile import CompileReport, TorchCompileAnalyzer, build  # noqa: E402

EXAMPLE = '''
from eaves.profiling.torch_compile import TorchCompileAnalyzer

analyzer = TorchCompileAnalyzer(
    backend="inductor",
    mode="default",
)

# Analyze model
report = analyzer.analyze(
    model,
    sample_input,
    warmup=3,
    iterations=10,
)

print(f"Speedup: {report.speedup:.2f}x")
print(f"Compile time: {report.compile_time_ms/1000:.1f}s")
print(f"Graph breaks: {report.total_graph_breaks}")
print(f"Fusion ratio: {report.fusion_ratio:.1f}x")

# Graph breaks
for break_info in report.graph_breaks:
    print(f"⚠️ {break_info.reason}")
    print(f"   💡 {break_info.suggestion}")

# Compare modes
results = analyzer.compare_modes(
    model,
    sample_input,
    modes=["default", "reduce-overhead", "max-autotune"]
)

for mode, report in results.items():
    print(f"{mode}: {report.speedup:.2f}x speedup")

# Export
analyzer.export_report(report, "compile_report.html", format="html")
'''

MEGABYTE = 1024 * 1024


def test_the_example(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"model": tiny_models.Pointwise(), "sample_input": torch.randn(64, 64)}
    with torch.no_grad():
        exec(compile(EXAMPLE, "<example>", "exec"), names)  # noqa: S102 - a program of this file
    printed = capsys.readouterr().out
    results = names["results"]
    assert list(results) == ["default", "reduce-overhead", "max-autotune"]
    for mode, report in results.items():
        assert report.mode == mode and f"{mode}: {report.speedup:.2f}x speedup" in printed
        low, high = report.speedup_interval
        assert 0 < low <= high and report.compile_time_ms > 0
        assert report.max_abs_error < 1e-5
        # Five operators on every element, in one loop.
        assert (report.ops_before_fusion, report.ops_after_fusion, report.fusion_ratio) == (5, 1, 5.0)
        assert report.total_graph_breaks == 0 and report.graph_breaks == []
        # Each began with an empty cache, in a process of its own.
        assert report.cache_hits == 0 and report.cache_misses > 0
        assert not any("in this process" in note for note in report.notes)
        assert report.memory_savings_mb == pytest.approx(report.eager_peak_memory_mb - report.peak_memory_mb)
    assert "Graph breaks: 0" in printed and "Fusion ratio: 5.0x" in printed
    page = (tmp_path / "compile_report.html").read_text()
    assert "torch.compile: inductor, max-autotune" in page and 'src="http' not in page


def test_every_break_is_found(tmp_path, capsys):
    analyzer = TorchCompileAnalyzer(output_dir=tmp_path)
    with torch.no_grad():
        report = analyzer.analyze(tiny_models.Broken(), torch.ones(4, 4), warmup=1, iterations=2)
    lines = [number for number, line in enumerate(open(tiny_models.__file__), 1) if "# break" in line]
    assert sorted(one.line for one in report.graph_breaks) == lines
    assert all(one.file.endswith("tiny_models.py") for one in report.graph_breaks)
    assert report.total_graph_breaks == 3
    by_line = {one.line: one for one in report.graph_breaks}
    assert "is_compiling" in by_line[lines[0]].suggestion
    assert "torch.cond" in by_line[lines[1]].suggestion
    assert "keep the value in a tensor" in by_line[lines[2]].suggestion
    assert all(one.hints and one.reason and one.explanation for one in report.graph_breaks)
    assert any("3 graph breaks" in text for text in report.recommendations)
    saved = json.loads(analyzer.export_report(report, tmp_path / "report.json").read_text())
    assert saved["total_graph_breaks"] == 3 and saved["graph_breaks"][0]["suggestion"]
    assert "tiny_models.py" in analyzer.export_report(report, tmp_path / "report.html").read_text()


def test_a_model_that_cannot_be_handed_over_is_measured_here_and_says_so(tmp_path):
    class Local(torch.nn.Module):
        def forward(self, values):
            return values.sin() + 1

    with torch.no_grad():
        reports = TorchCompileAnalyzer(backend="eager", output_dir=tmp_path).compare_modes(
            Local(), torch.ones(3), modes=["default"], warmup=1, iterations=2
        )
    (note,) = reports["default"].notes
    assert "measured in this process" in note and "pickle" in note
    assert reports["default"].max_abs_error == 0


def test_a_script_is_loaded_only_if_it_is_guarded(tmp_path):
    program = """
import torch
from eaves.profiling.torch_compile import TorchCompileAnalyzer

class Model(torch.nn.Module):
    def forward(self, values):
        return values + 1

def main():
    with torch.no_grad():
        report = TorchCompileAnalyzer(backend="eager").compare_modes(Model(), torch.ones(2), ["default"], 1, 2)["default"]
    print("notes:", report.notes)

{guard}
"""
    folder = os.path.dirname(os.path.dirname(sys.modules["eaves"].__file__))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])}
    for guard, words in (('if __name__ == "__main__":\n    main()', "notes: []"), ("main()", "cannot be loaded without running")):
        script = tmp_path / "script.py"
        script.write_text(program.format(guard=guard))
        run = subprocess.run(
            [sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        # Loaded, not run again.
        assert run.stdout.count("notes:") == 1 and words in run.stdout


@pytest.mark.parametrize(
    ("source", "guarded"),
    [
        ('if __name__ == "__main__":\n    pass', True),
        ("if '__main__' == __name__:\n    pass", True),
        ("def f():\n    if __name__ == '__main__':\n        pass", False),
        ("main()", False),
        ("not python", False),
    ],
)
def test_guards_are_seen(source, guarded):
    assert is_guarded(source) is guarded


def test_a_model_of_a_module_needs_no_script():
    assert script_to_load(tiny_models.Perceptron()) is None
    assert script_to_load(tiny_models.Perceptron().forward) is None


def test_a_model_of_the_prompt_cannot_be_handed_over(monkeypatch):
    model = type("Model", (torch.nn.Module,), {"__module__": "__main__"})()
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    with pytest.raises(CannotHandOver, match="notebook"):
        script_to_load(torch.nn.Sequential(model))


def test_inputs_are_arguments():
    def function(*arguments, **keywords):
        return (arguments, keywords)

    assert bind(function, 1)() == ((1,), {})
    assert bind(function, (1, 2))() == bind(function, [1, 2])() == ((1, 2), {})
    assert bind(function, {"a": 1})() == ((), {"a": 1})


def test_errors_are_the_largest_difference():
    nan, inf = math.nan, math.inf
    one = {"a": torch.tensor([1.0, nan, inf]), "b": [torch.tensor([True, False]), "text"]}
    assert max_abs_error(one, {"a": torch.tensor([1.25, nan, inf]), "b": [torch.tensor([True, False]), "text"]}) == 0.25
    assert max_abs_error(one, {"a": torch.tensor([1.0, 0.0, inf]), "b": [torch.tensor([True, False]), "text"]}) == inf
    assert max_abs_error(one, {"a": torch.tensor([1.0, nan, inf]), "b": [torch.tensor([True, True]), "text"]}) == 1.0
    assert max_abs_error(torch.ones(2), torch.ones(3)) == inf
    assert max_abs_error(torch.ones(2), (torch.ones(2),)) == inf
    assert max_abs_error(torch.tensor([1 + 1j]), torch.tensor([4 + 5j])) == 5.0
    assert math.isnan(max_abs_error("text", "text")) and math.isnan(max_abs_error(torch.ones(0), torch.ones(0)))


@pytest.mark.skipif(torch.cuda.is_available(), reason="sizes are those of the CPU allocator")
def test_the_peak_of_a_call():
    def call():
        first = torch.empty(3 * MEGABYTE, dtype=torch.uint8)
        del first
        return torch.empty(2 * MEGABYTE, dtype=torch.uint8)

    assert peak_bytes(call) == pytest.approx(3 * MEGABYTE, rel=0.01)
    assert peak_bytes(lambda: None) in (None, 0)


def test_reports_are_made_of_what_was_measured(tmp_path):
    measured = Measurement(
        eager_ns=[20e6] * 10,
        compiled_ns=[10e6] * 10,
        first_call_ns=5_010_000_000,
        max_abs_error=math.inf,
        eager_peak_bytes=3 * MEGABYTE,
        compiled_peak_bytes=MEGABYTE,
    )
    again = Measurement.from_dict(json.loads(json.dumps(measured.to_dict(), allow_nan=False)))
    assert again == measured
    report = build(measured, tmp_path, backend="inductor", mode="default")
    assert report.speedup == 2.0 and report.speedup_interval == (2.0, 2.0)
    assert (report.eager_time_ms, report.compiled_time_ms, report.compile_time_ms) == (20.0, 10.0, 5000.0)
    # Five seconds, ten milliseconds saved a call.
    assert report.break_even_calls == 500
    assert (report.peak_memory_mb, report.memory_savings_mb) == (1.0, 2.0)
    # The folder has no log: that is said, and nothing is made up for it.
    assert len(report.notes) == 1 and math.isnan(report.fusion_ratio)
    saved = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert saved["max_abs_error"] is None and saved["fusion_ratio"] is None


def test_a_report_of_nothing_has_a_page():
    assert "unknown" in CompileReport()._repr_html_()
