"""Runs a program under AMD's profilers and reads its kernels."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from os import PathLike

#: What the folder of a run holds: what the profiler wrote, and every kernel.
RAW = "rocprof_raw"
KERNELS = "rocprof_kernels.parquet"

#: What a kernel has, and what the tables of a recording call it.
COLUMNS: dict[str, str] = {
    "kernel_name": "name",
    "start_ns": "start_ns",
    "duration_ns": "duration_ns",
    **{f"{what}_{axis}": f"{what}_{axis}" for what in ("grid", "block") for axis in "xyz"},
    "regs": "registers",
    "shared_mem": "shared_memory",
    "stream_id": "stream",
}


@dataclass(frozen=True)
class RocprofResult:
    """Outcome of a profiler run."""

    #: Whether the program ended well and something was recorded.
    success: bool
    #: That of the program; 124 after the time limit, 2 if the profiler is missing, refuses or fails.
    returncode: int
    command: tuple[str, ...]
    output_dir: Path
    #: What the profiler wrote.
    files: tuple[Path, ...] = field(default=())
    #: Those of them that say most: the profiler writes some things several times.
    read: tuple[Path, ...] = field(default=())
    #: What program and profiler printed, and what eaves said about the run.
    stdout: str = ""
    stderr: str = ""


class Kernels(list[dict[str, Any]]):
    """Kernel launches in time order, as dictionaries with the keys of `COLUMNS`; missing values are None.

    The grid is in blocks. Times are nanoseconds on the recording's time base.
    """

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns as lists."""
        return {name: [kernel[name] for kernel in self] for name in COLUMNS}

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`."""
        return import_module("pandas").DataFrame(self.to_dict(), columns=list(COLUMNS))

    def to_polars(self) -> Any:
        """A `polars.DataFrame`."""
        return import_module("polars").DataFrame(self.to_dict())


class RocprofWrapper:
    """Runs programs under rocprof.

    ``hip_trace`` records HIP calls, ``hsa_trace`` HSA calls, ``sys_trace`` both, each with kernels and copies;
    ``stats`` also writes the profiler's own statistics. ``counters`` is a rocprof counter file, names, or a set such
    as ``roofline``. ``tool`` may be ``rocprofv2`` or ``rocprofv3``. Command lines are those of `eaves profile`.
    """

    def __init__(
        self,
        output_dir: str | PathLike[str] = "profiler_output",
        hip_trace: bool = True,
        hsa_trace: bool = False,
        stats: bool = True,
        *,
        sys_trace: bool = False,
        counters: str | PathLike[str] | None = None,
        tool: str = "rocprof",
    ) -> None:
        self.output_dir = Path(output_dir)
        self.hip_trace = hip_trace
        self.hsa_trace = hsa_trace
        self.sys_trace = sys_trace
        self.stats = stats
        self.counters = counters
        self.tool = tool
        self.result: RocprofResult | None = None

    def profile(
        self,
        command: Sequence[str | PathLike[str]],
        timeout: float | None = 300,
        env: Mapping[str, str] | None = None,
    ) -> RocprofResult:
        """Runs the command under the profiler, for at most ``timeout`` seconds, with ``env`` added to its
        environment.

        A failing program raises no exception: see the result. Raises if the folder contains files from an earlier
        run.
        """
        if isinstance(command, (str, bytes)) or not command:
            raise TypeError("the command is a list: the program and its arguments, such as ['python', 'inference.py']")
        arguments = self.arguments(command, timeout, env or {})
        with tempfile.TemporaryDirectory(prefix="eaves-") as folder:
            answer = Path(folder) / "report.json"
            run = subprocess.run(
                [sys.executable, "-m", "eaves", arguments[0], "--output", str(answer), *arguments[1:]],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
            report: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else {}
        files = tuple(sorted(path for path in self.raw_dir.rglob("*") if path.is_file()))
        self.result = RocprofResult(
            success=run.returncode == 0,
            returncode=run.returncode,
            command=tuple(str(part) for part in command),
            output_dir=self.output_dir,
            files=files,
            read=tuple(Path(found["path"]) for found in report.get("inputs", [])),
            stdout=run.stdout,
            stderr=run.stderr,
        )
        return self.result

    def parse_results(self, path: str | PathLike[str] | None = None) -> Kernels:
        """All kernels of the last run, or of an earlier run's folder or file; `kernels_path` has more columns."""
        from eaves import EavesError, read

        if path is not None:
            sources: Sequence[Path] = [Path(path)]
        elif self.result is not None:
            sources = self.result.read
        else:
            sources = recordings_in(self.raw_dir)
        if not sources:
            said = f"\n{self.result.stderr.strip()}" if self.result is not None else ""
            raise EavesError(f"nothing was recorded in {self.raw_dir}{said}", "call `profile` first")
        rows: list[dict[str, Any]] = [row for row in read(*sources).kernels.rows() if row["kind"] == "kernel"]
        rows.sort(key=lambda row: row["start_ns"])
        return Kernels({name: row.get(column) for name, column in COLUMNS.items()} for row in rows)

    def arguments(
        self, command: Sequence[str | PathLike[str]], timeout: float | None, env: Mapping[str, str]
    ) -> list[str]:
        """The equivalent `eaves` arguments."""
        arguments = ["profile", "--with", self.tool, "--output-dir", str(self.output_dir)]
        chosen = {
            "--hip": self.hip_trace,
            "--hsa": self.hsa_trace,
            "--sys": self.sys_trace,
            "--stats": self.stats,
        }
        arguments += [option for option, is_on in chosen.items() if is_on]
        if self.counters is not None:
            arguments += ["--counters", str(self.counters)]
        if timeout is not None:
            arguments += ["--timeout", f"{timeout:g}s"]
        for name, value in env.items():
            arguments += ["--env", f"{name}={value}"]
        return [*arguments, "--", *(str(part) for part in command)]

    @property
    def raw_dir(self) -> Path:
        """Folder of the profiler's own files."""
        return self.output_dir / RAW

    @property
    def kernels_path(self) -> Path:
        """Parquet file with all kernels."""
        return self.output_dir / KERNELS


def recordings_in(folder: Path) -> list[Path]:
    """The most complete files of a run, and its counter passes; profilers write some data several times."""
    for pattern in ("*.db", "*.json", "*results.csv", "*kernel_trace.csv"):
        found = sorted(folder.glob(pattern))
        if found:
            return [*found, *sorted(folder.glob("pmc_*/*.csv"))]
    return sorted(folder.glob("pmc_*/*.csv"))


__all__ = ["Kernels", "RocprofResult", "RocprofWrapper"]
