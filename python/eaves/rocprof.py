"""Running a program under AMD's profilers and reading the kernels that it launched."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from eaves._core import Table

#: What the folder of a run holds: what the profiler wrote, and every kernel.
RAW = "rocprof_raw"
KERNELS = "rocprof_kernels.parquet"


@dataclass(frozen=True)
class RocprofResult:
    """How a run under the profiler ended."""

    #: Whether the program ended well and something was recorded.
    success: bool
    #: That of the program; 124 after the time limit, 2 if the profiler is missing, refuses or fails.
    returncode: int
    command: tuple[str, ...]
    output_dir: Path
    #: What the profiler wrote.
    files: tuple[Path, ...] = field(default=())
    #: What program and profiler printed, and what eaves said about the run.
    stdout: str = ""
    stderr: str = ""


class RocprofWrapper:
    """Runs programs under rocprof.

    ``hip_trace`` records calls of HIP, ``hsa_trace`` those of HSA, ``sys_trace`` both, each with kernels and copies; ``stats`` lets
    the profiler write its own sums. ``counters`` is an input file of rocprof, names, or a set such as ``roofline``. ``tool`` may be
    ``rocprofv2`` or ``rocprofv3``. The command lines are those that the profilers really take (`eaves profile`).
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
        """Runs the command under the profiler, for ``timeout`` seconds at most, with ``env`` added to its environment.

        A program that fails is no exception: the result says how it ended. A folder with files of an earlier run is refused.
        """
        if isinstance(command, (str, bytes)) or not command:
            raise TypeError("the command is a list: the program and its arguments, such as ['python', 'inference.py']")
        arguments = self.arguments(command, timeout, env or {})
        run = subprocess.run(
            [sys.executable, "-m", "eaves", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        files = tuple(sorted(path for path in self.raw_dir.rglob("*") if path.is_file()))
        self.result = RocprofResult(
            success=run.returncode == 0,
            returncode=run.returncode,
            command=tuple(str(part) for part in command),
            output_dir=self.output_dir,
            files=files,
            stdout=run.stdout,
            stderr=run.stderr,
        )
        return self.result

    def parse_results(self, path: str | PathLike[str] | None = None) -> Table:
        """Every kernel of the last run, or of a folder or file of an earlier one.

        The columns are ``kernel_name``, ``start_ns``, ``duration_ns``, ``grid_x`` to ``block_z``, ``regs``, ``shared_mem``,
        ``stream_id`` and what else was recorded; a pandas, polars or Arrow table is one call away (`Table.to_pandas`).
        """
        from eaves import EavesError, read

        source = Path(path) if path is not None else self.raw_dir
        if not source.exists():
            said = f"\n{self.result.stderr.strip()}" if self.result is not None else ""
            raise EavesError(f"nothing was recorded in {source}{said}", "call `profile` first")
        return read(source).kernels

    def arguments(
        self, command: Sequence[str | PathLike[str]], timeout: float | None, env: Mapping[str, str]
    ) -> list[str]:
        """The arguments of `eaves` that do it."""
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
        """Where the profiler's own files are."""
        return self.output_dir / RAW

    @property
    def kernels_path(self) -> Path:
        """The Parquet file with every kernel."""
        return self.output_dir / KERNELS


__all__ = ["RocprofResult", "RocprofWrapper"]
