"""Running a program under AMD's profiler, with the stand-in that takes and refuses what the real one does."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from eaves import EavesError, RocprofWrapper
from eaves.profiling.rocprof import COLUMNS

ROOT = Path(__file__).resolve().parents[2]
STAND_IN = ROOT / "target/debug/examples/stand_in"

EXAMPLE = '''
from eaves import RocprofWrapper

# Initialize profiler
profiler = RocprofWrapper(
    output_dir="profiler_output",
    hip_trace=True,
    hsa_trace=False,
    stats=True
)

# Profile a command
result = profiler.profile(
    command=["python", "inference.py"],
    timeout=300
)

# Parse results
kernels = profiler.parse_results()
'''

@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A folder with the profiler on the PATH and a program to run."""
    if not STAND_IN.exists():
        if shutil.which("cargo") is None:
            pytest.skip("the stand-in for rocprof is not built, and there is no cargo")
        subprocess.run(["cargo", "build", "-p", "eaves-cli", "--example", "stand_in"], cwd=ROOT, check=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/rocprof").symlink_to(STAND_IN)
    (tmp_path / "bin/python").write_text('#!/bin/sh\necho "ran $1"\nexit ${CODE:-0}\n')
    (tmp_path / "bin/python").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_example(machine):
    names: dict = {}
    exec(compile(EXAMPLE, "<example>", "exec"), names)  # noqa: S102 - a program of this file
    result, kernels = names["result"], names["kernels"]
    assert result.success and result.returncode == 0
    assert "ran inference.py" in result.stdout
    # What the stand-in records: two launches of 3,431,611 ns each.
    assert [kernel["duration_ns"] for kernel in kernels] == [3_431_611, 3_431_611]
    assert all(kernel["kernel_name"].startswith("vector_add") for kernel in kernels)
    assert (machine / "profiler_output/rocprof_kernels.parquet").exists()
    assert (machine / "profiler_output/rocprof_raw/results.hip_stats.csv") in [
        machine / file if not file.is_absolute() else file for file in result.files
    ]


def test_kernels_are_those_of_the_parquet_file(machine):
    parquet = pytest.importorskip("pyarrow.parquet")
    profiler = RocprofWrapper()
    profiler.profile(["python", "inference.py"])
    table = parquet.read_table(profiler.kernels_path)
    assert table.column_names[:12] == list(COLUMNS)
    columns = profiler.parse_results().to_dict()
    for name in COLUMNS:
        found = table.column(name).to_pylist()
        if name == "start_ns":
            # The file has the time of day where it is known; distances are the same.
            assert [at - found[0] for at in found] == [at - columns[name][0] for at in columns[name]]
        else:
            assert columns[name] == found, name


def test_a_folder_of_an_earlier_run_can_be_read(machine):
    first = RocprofWrapper()
    first.profile(["python", "inference.py"])
    assert RocprofWrapper().parse_results() == first.parse_results()


def test_a_program_that_fails_is_no_exception(machine):
    result = RocprofWrapper().profile(["python", "inference.py"], env={"CODE": "3"})
    assert not result.success and result.returncode == 3


def test_a_folder_of_an_earlier_run_is_refused(machine):
    profiler = RocprofWrapper()
    assert profiler.profile(["python", "one.py"]).success
    again = profiler.profile(["python", "two.py"])
    assert not again.success and again.returncode == 2 and again.stderr


def test_the_arguments_are_those_that_the_options_mean():
    every = RocprofWrapper("out", hsa_trace=True, sys_trace=True, counters="input.txt", tool="rocprofv3")
    assert every.arguments(["./app", "-n", "1"], 1.5, {"A": "b=c"}) == (
        "profile --with rocprofv3 --output-dir out --hip --hsa --sys --stats --counters input.txt --timeout 1.5s --env A=b=c "
        "-- ./app -n 1"
    ).split()
    least = RocprofWrapper("out", hip_trace=False, stats=False)
    assert least.arguments(["./app"], None, {}) == "profile --with rocprof --output-dir out -- ./app".split()


def test_a_command_is_a_list():
    for command in ("python inference.py", []):
        with pytest.raises(TypeError, match="a list"):
            RocprofWrapper().profile(command)


def test_nothing_recorded_is_an_error_that_says_so(tmp_path):
    with pytest.raises(EavesError, match="nothing was recorded"):
        RocprofWrapper(tmp_path / "none").parse_results()


def test_an_earlier_recording_can_be_read(data):
    """Of a real device."""
    results = data("sources/003/real_rocprof_v1_vector_add") / "results.json"
    kernels = RocprofWrapper().parse_results(results)
    assert kernels and all(kernel["duration_ns"] > 0 and kernel["kernel_name"] for kernel in kernels)
    assert [kernel["start_ns"] for kernel in kernels] == sorted(kernel["start_ns"] for kernel in kernels)
