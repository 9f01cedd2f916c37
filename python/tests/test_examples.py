"""Programs written for the classes that these have the names of run as they are, but for the import."""

from __future__ import annotations

import json
import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from pages import content, is_alone  # noqa: E402
from tiny_models import Perceptron  # noqa: E402

UNIFIED_PROFILER = '''
from eaves import UnifiedProfiler

profiler = UnifiedProfiler(
    output_dir="./profiles",
    enable_trace=True,
    enable_memory=True,
    enable_flame_graph=True,
)

# Profile a code block
with profiler.profile("my_benchmark") as session:
    output = model(input)
    loss = criterion(output, target)
    loss.backward()

# Access results
print(f"Total time: {session.total_time_ms:.2f}ms")
print(f"GPU time: {session.cuda_time_ms:.2f}ms")
print(f"Peak memory: {session.peak_memory_mb:.1f}MB")
print(f"Bottlenecks: {session.bottlenecks}")
print(f"Recommendations: {session.recommendations}")

# Top kernels
for kernel in session.kernels[:10]:
    print(f"  {kernel.name}: {kernel.cuda_time_us:.0f}μs")
'''

PROFILE_FUNCTION = '''
session = profiler.profile_function(
    model.forward,
    input_tensor,
    name="forward_pass",
    warmup=5,
    iterations=20,
)
'''

COMPARE_SESSIONS = '''
baseline_session = profiler.profile_function(baseline_model, input)
optimized_session = profiler.profile_function(optimized_model, input)

comparison = profiler.compare_sessions(baseline_session, optimized_session)
print(f"Speedup: {comparison['speedup']:.2f}x")
print(f"Memory saved: {comparison['memory_diff']['peak_mb']:.1f}MB")
'''

MEMORY_PROFILER = '''
from eaves import MemoryProfiler

mem_profiler = MemoryProfiler(
    sample_interval_ms=1.0,
    record_history=True,
)

with mem_profiler.track("training_step"):
    output = model(input)
    loss.backward()
    optimizer.step()

# Get timeline
timeline = mem_profiler.get_timeline()
for point in timeline:
    print(f"t={point['time_ms']:.1f}ms: {point['allocated_mb']:.1f}MB")

# Peak analysis
peak = mem_profiler.get_peak_analysis()
print(f"Peak: {peak['peak_allocated_mb']:.1f}MB at t={peak['peak_time_ms']:.1f}ms")

# Export
mem_profiler.export("memory_profile.json")
'''

FLAME_GRAPH = '''
from eaves import FlameGraphGenerator

generator = FlameGraphGenerator(
    min_duration_us=10.0,
    max_depth=50,
    group_small_kernels=True,
)

# From torch.profiler
with torch.profiler.profile() as prof:
    model(input)

flame_data = generator.from_profiler(prof)
generator.export(flame_data, "flame.html", format="html")

# From Chrome trace
flame_data = generator.from_chrome_trace("trace.json")
generator.export(flame_data, "flame.json", format="json")
'''

TIMELINE = '''
from eaves import TimelineGenerator

generator = TimelineGenerator(
    min_duration_us=1.0,
    include_python_events=True,
)

# From profiler
with torch.profiler.profile() as prof:
    model(input)

timeline = generator.from_profiler(prof)

# Statistics
print(f"Total: {timeline.total_time_us/1000:.2f}ms")
print(f"CPU active: {timeline.cpu_active_time_us/1000:.2f}ms")
print(f"GPU active: {timeline.gpu_active_time_us/1000:.2f}ms")
print(f"Overlap: {timeline.overlap_time_us/1000:.2f}ms")

# Export
generator.export_chrome_trace(timeline, "timeline_trace.json")
generator.generate_html_viewer(timeline, "timeline.html")
'''

HTA = '''
from eaves import HTAAnalyzer

analyzer = HTAAnalyzer(output_dir="./hta_output")

# Analyze existing trace
report = analyzer.analyze_trace("trace.json")

print(f"GPU idle: {report.gpu_idle_time_pct:.1f}%")
print(f"Compute: {report.compute_time_pct:.1f}%")
print(f"Communication: {report.communication_time_pct:.1f}%")

# Top kernels
for kernel in report.top_kernels[:5]:
    print(f"  {kernel['name']}: {kernel['time_us']:.0f}μs")

# Recommendations
for rec in report.recommendations:
    print(f"💡 {rec}")

# Export report
analyzer.export_report(report, "hta_report.html", format="html")
'''


@pytest.fixture
def names(tmp_path, monkeypatch):
    """What the programs expect to be there, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
    model = Perceptron()
    values, target = torch.randn(16, 64), torch.randn(16, 8)
    criterion = torch.nn.MSELoss()
    return {
        "torch": torch,
        "model": model,
        "baseline_model": Perceptron(),
        "optimized_model": Perceptron(),
        "input": values,
        "input_tensor": values,
        "target": target,
        "criterion": criterion,
        "loss": criterion(model(values), target),
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.1),
    }


def run(program, names):
    exec(compile(program, "<example>", "exec"), names)  # noqa: S102 - a program of this file
    return names


@pytest.fixture
def trace(names):
    with torch.profiler.profile(with_stack=True) as recorder:
        names["model"](names["input"])
    recorder.export_chrome_trace("trace.json")
    return names


def test_unified_profiler(names, tmp_path, capsys):
    session = run(UNIFIED_PROFILER, names)["session"]
    printed = capsys.readouterr().out
    assert "Total time: " in printed and "nan" not in printed
    # A block that computes takes time, and the host works no longer than that.
    assert 0 < session.cpu_time_ms <= session.total_time_ms
    assert session.peak_memory_mb > 0
    assert session.cuda_time_ms == 0 or torch.cuda.is_available()
    assert session.trace_path.parent == tmp_path / "profiles" or not session.trace_path.is_absolute()
    assert session.trace_path.name.startswith("my_benchmark_") and session.trace_path.exists()
    # It is a trace of PyTorch, with the operators of the block.
    events = json.loads(session.trace_path.read_text())["traceEvents"]
    assert {"aten::linear", "aten::relu"} <= {event["name"] for event in events}
    assert {"aten::addmm"} <= {kernel.name for kernel in session.kernels} or torch.cuda.is_available()
    assert session.flame_graph_data["name"] in ("GPU Execution", "CPU Execution")
    assert is_alone(session.flame_graph_path)


def test_profile_function(names):
    calls = []
    model = names["model"]
    forward = model.forward
    model.forward = lambda values: calls.append(1) or forward(values)
    names["profiler"] = __import__("eaves").UnifiedProfiler()
    session = run(PROFILE_FUNCTION, names)["session"]
    assert len(calls) == 25
    assert session.iterations == 20 and session.name == "forward_pass"
    events = json.loads(session.trace_path.read_text())["traceEvents"]
    steps = {event["name"] for event in events if str(event.get("name", "")).startswith("ProfilerStep#")}
    assert steps == {f"ProfilerStep#{number}" for number in range(20)}
    if not torch.cuda.is_available():
        # Both layers, once each in each iteration.
        assert {kernel.name: kernel.call_count for kernel in session.kernels}["aten::addmm"] == 2


def test_compare_sessions(names, capsys):
    names["profiler"] = __import__("eaves").UnifiedProfiler()
    comparison = run(COMPARE_SESSIONS, names)["comparison"]
    baseline, optimized = names["baseline_session"], names["optimized_session"]
    assert comparison["speedup"] == baseline.total_time_ms / optimized.total_time_ms
    # Two models of one size need as much memory.
    assert comparison["memory_diff"]["peak_mb"] == 0
    assert "Memory saved: 0.0MB" in capsys.readouterr().out
    assert baseline.trace_path != optimized.trace_path
    assert baseline.iterations == 10


def test_memory_profiler(names, tmp_path, capsys):
    peak = run(MEMORY_PROFILER, names)["peak"]
    assert peak["peak_allocated_mb"] > 0
    saved = json.loads((tmp_path / "memory_profile.json").read_text())
    assert saved["timeline"] == names["timeline"] and saved["peak_analysis"] == peak
    assert list(saved["markers"]) == ["training_step"]
    assert "MB at t=" in capsys.readouterr().out


def test_flame_graph(trace, tmp_path):
    data = run(FLAME_GRAPH, trace)["flame_data"]
    assert is_alone(tmp_path / "flame.html") and "aten::linear" in content(tmp_path / "flame.html")
    saved = json.loads((tmp_path / "flame.json").read_text())
    assert saved == data and saved["trace_path"] == "trace.json"
    work = [saved]
    while work:
        node = work.pop()
        # To the rounding of floats: a frame has its own time and that of the frames in it.
        assert node["value"] >= sum(child["value"] for child in node["children"]) - 1e-6
        work += node["children"]


def test_timeline(names, tmp_path):
    timeline = run(TIMELINE, names)["timeline"]
    assert 0 < timeline.cpu_active_time_us <= timeline.total_time_us
    assert timeline.overlap_time_us <= min(timeline.cpu_active_time_us, timeline.gpu_active_time_us)
    assert {"aten::linear", "aten::relu"} <= {event.name for event in timeline.events}
    saved = json.loads((tmp_path / "timeline_trace.json").read_text())["traceEvents"]
    assert [event["name"] for event in saved] == [event.name for event in timeline.events]
    assert is_alone(tmp_path / "timeline.html") and "aten::linear" in content(tmp_path / "timeline.html")
    json.dumps(timeline.to_dict(), allow_nan=False)


def test_hta(trace, tmp_path, capsys):
    report = run(HTA, trace)["report"]
    assert is_alone(tmp_path / "hta_report.html")
    printed = capsys.readouterr().out
    if not torch.cuda.is_available():
        # Nothing is invented where nothing was recorded.
        assert math.isnan(report.gpu_idle_time_pct) and "GPU idle: nan%" in printed
        assert report.missing["gpu_idle_pct"] and "ProfilerActivity.CUDA" in report.recommendations[0]
