"""A job of many ranks on many machines: the ranks are tasks of Ray, and the report is that of reading them together.

::

    import eaves.cluster

    report = eaves.cluster.report("traces/", address="auto")
    print(report)

Each task measures one rank in Rust, without the interpreter's lock, and gives a few kilobytes; these are merged as a tree
of tasks, and the driver makes the report. The inputs must be where every machine finds them under the same name, and
eaves must be installed on all of them, in one version. ``ray`` is imported when it is used: ``pip install "eaves[ray]"``.
"""

from __future__ import annotations

import argparse
import os
import sys
import time as clock
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eaves import _core
from eaves._errors import EavesError

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["main", "measure", "report"]

#: Partials that one task puts together.
FAN_IN = 32


def report(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    address: str | None = None,
    *,
    sections: str | Sequence[str] | None = None,
    device: str | PathLike[str] | None = None,
    rank: int | str | Sequence[int] | None = None,
    step: int | str | tuple[int, int] | None = None,
    time: str | tuple[int, int] | None = None,
    details: bool = False,
    output: str | PathLike[str] | None = None,
    max_retries: int = 3,
    fan_in: int = FAN_IN,
    progress: bool = True,
) -> _core.Report:
    """The report of ``eaves.read(...).report()``, measured on a cluster.

    ``address`` is that of a Ray cluster, by default the one that ``RAY_ADDRESS`` names or else this machine. ``output`` is
    a file to write, which is there whole or not at all. A rank that cannot be read is named in ``report.warnings``, and the
    others are reported. ``max_retries`` is how often a rank is measured again whose machine went away.
    """
    how: dict[str, Any] = {"step": step, "time": time, "details": details}
    part = measure(inputs, address, **how, max_retries=max_retries, fan_in=fan_in, progress=progress)
    answer = _core.report_of(part, sections, device=device, rank=rank, **how)
    if output is not None:
        answer.save(output)
    return answer


def measure(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    address: str | None = None,
    *,
    step: int | str | tuple[int, int] | None = None,
    time: str | tuple[int, int] | None = None,
    details: bool = False,
    max_retries: int = 3,
    fan_in: int = FAN_IN,
    progress: bool = True,
) -> bytes:
    """What is measured of all ranks, as bytes: ``_core.report_of`` makes a report of them, and a file that holds them and
    ends in ``.eaves-partial`` is an input of ``eaves report``."""
    named = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    files = [str(file) for file in _core.files(named)]
    if "-" in files:
        raise EavesError("standard input is on this machine only", "give the name of a file that all machines see")
    how = {"step": step, "time": time, "details": details}
    ray = _ray()
    with _connected(ray, address):
        return _measured(ray, files, how, max_retries, max(2, fan_in), progress)


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise EavesError("Ray is not installed", 'pip install "eaves[ray]"') from error
    return ray


@contextmanager
def _connected(ray: Any, address: str | None) -> Iterator[None]:
    """A connection to the cluster; one that is there already is used, and stays."""
    if ray.is_initialized():
        yield
        return
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", include_dashboard=False if address is None else None)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise EavesError(f"no connection to Ray: {error}", "`eaves cluster try` starts one on this machine") from error
    try:
        yield
    finally:
        ray.shutdown()


def _rank(name: str, file: str, how: dict[str, Any]) -> tuple[bytes, str | None]:
    """What is measured of a rank, or why it cannot be. A failure is an answer: to try again would not help.

    Tasks run in folders of their own, so the file is named in full; the report names it as the user did.
    """
    try:
        return _core.measure([file], shown=name, threads=1, **how), None
    except EavesError as error:
        return b"", error.message


def _merge(*parts: bytes) -> bytes:
    return _core.merge([part for part in parts if part])


def _measured(
    ray: Any,
    files: list[str],
    how: dict[str, Any],
    max_retries: int,
    fan_in: int,
    progress: bool,
) -> bytes:
    rank = ray.remote(_rank).options(num_returns=2, max_retries=max_retries)
    merge = ray.remote(_merge).options(max_retries=max_retries)
    # What comes back first is small: whether there is a problem. The bytes stay where they are until they are merged.
    waiting: dict[Any, tuple[str, Any]] = {}
    for name in files:
        part, problem = rank.remote(name, os.path.abspath(name), how)
        waiting[problem] = (name, part)
    unreadable: list[tuple[str, str]] = []
    ready: list[Any] = []
    merged: list[Any] = []
    told = _Progress(len(files), progress)
    while waiting:
        done, _ = ray.wait(list(waiting), num_returns=min(len(waiting), fan_in), timeout=0.5)
        for problem in done:
            name, part = waiting.pop(problem)
            try:
                why = ray.get(problem)
            except ray.exceptions.RayError as error:
                why = _first_line(error)
            if why is None:
                ready.append(part)
            else:
                unreadable.append((name, why))
        while len(ready) >= fan_in:
            merged.append(merge.remote(*ready[:fan_in]))
            del ready[:fan_in]
        told.tell(len(files) - len(waiting), len(unreadable))
    told.end()
    level = merged + ready
    if not level:
        raise EavesError(f"none of {len(files)} ranks can be read; the first: {': '.join(unreadable[0])}")
    while len(level) > 1:
        groups = (level[start : start + fan_in] for start in range(0, len(level), fan_in))
        level = [merge.remote(*group) for group in groups]
    return _core.merge([ray.get(level[0])], unreadable)


def _first_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}".rstrip(": ")


class _Progress:
    """How far it is, on stderr: a line that changes on a terminal, a line every ten seconds elsewhere."""

    def __init__(self, all_ranks: int, wanted: bool) -> None:
        self.all_ranks = all_ranks
        self.wanted = wanted
        self.on_terminal = sys.stderr.isatty()
        self.last = clock.monotonic()

    def tell(self, done: int, unreadable: int) -> None:
        pause = 0.1 if self.on_terminal else 10.0
        if not self.wanted or (clock.monotonic() - self.last < pause and done < self.all_ranks):
            return
        self.last = clock.monotonic()
        without = f", {unreadable} cannot be read" if unreadable else ""
        end = "\r" if self.on_terminal else "\n"
        print(f"measured {done} of {self.all_ranks} ranks{without}", end=end, file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.wanted and self.on_terminal:
            print(file=sys.stderr)


def _try(nodes: int) -> None:
    """A cluster on this machine, until Ctrl-C."""
    _ray()
    from ray.cluster_utils import Cluster

    share = max(1, (os.cpu_count() or 1) // max(1, nodes))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": share})
    try:
        for _ in range(nodes - 1):
            cluster.add_node(num_cpus=share)
        print(cluster.address, flush=True)
        print(f"a cluster of {nodes} nodes on this machine; Ctrl-C ends it. Use it with:", file=sys.stderr)
        print(f"  eaves report traces/ --ray {cluster.address}", file=sys.stderr, flush=True)
        while True:
            clock.sleep(3600)
    except KeyboardInterrupt:
        pass
    finally:
        cluster.shutdown()  # type: ignore[no-untyped-call]


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m eaves.cluster measure INPUT... -o FILE`` and ``python -m eaves.cluster try``: what ``eaves report --ray``
    and ``eaves cluster try`` run."""
    parser = argparse.ArgumentParser(prog="python -m eaves.cluster", description=(__doc__ or "").split("\n", 1)[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    measuring = verbs.add_parser("measure", help="measure ranks on a cluster and write one partial report")
    measuring.add_argument("inputs", nargs="+", metavar="INPUT")
    measuring.add_argument("-o", "--output", required=True, type=Path)
    measuring.add_argument("--address", help="of the cluster; by default this machine")
    measuring.add_argument("--step")
    measuring.add_argument("--time")
    measuring.add_argument("--details", action="store_true")
    measuring.add_argument("--quiet", action="store_true")
    trying = verbs.add_parser("try", help="start a cluster on this machine and print its address")
    trying.add_argument("--nodes", type=int, default=2)
    given = parser.parse_args(arguments)
    try:
        if given.verb == "try":
            _try(given.nodes)
            return 0
        part = measure(
            given.inputs,
            given.address,
            step=given.step,
            time=given.time,
            details=given.details,
            progress=not given.quiet,
        )
        from eaves._files import write

        write(given.output, part)
    except EavesError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
