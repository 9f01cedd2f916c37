"""A job of many ranks on many machines: the ranks are tasks of Ray, and the report is that of reading them together.

::

    import eaves.cluster

    report = eaves.cluster.report("traces/", address="auto")
    print(report)

    print(eaves.cluster.ingest("traces/", "dataset", address="auto"))

Each task measures one rank in Rust, without the interpreter's lock, and gives a few kilobytes; these are merged as a tree
of tasks, and the driver makes the report. Or it writes one rank of a dataset, whole or not at all. Inputs and datasets must
be where every machine finds them under the same name, a shared file system or an object store, and eaves must be installed on
all of them, in one version. ``ray`` is imported when it is used: ``pip install "eaves[ray]"``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eaves import _cluster_tasks as tasks
from eaves import _core
from eaves._errors import EavesError

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["ingest", "main", "measure", "report", "write"]

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
    files = _core.files(_named(inputs))
    if "-" in files:
        raise EavesError("standard input is on this machine only", "name a file that all machines can access")
    how = {"step": step, "time": time, "details": details}
    ray = tasks.ray_module()
    with tasks.connected(ray, address):
        return _measured(ray, files, how, max_retries, max(2, fan_in), progress)


def ingest(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    dataset: str | PathLike[str],
    address: str | None = None,
    *,
    run: str | None = None,
    max_retries: int = 3,
    progress: bool = True,
) -> _core.Report:
    """Keeps recordings as a dataset of Parquet tables, as ``eaves ingest`` does, with the ranks as tasks of a cluster.

    ``dataset`` is a folder that all machines share, or an address of an object store; ``run`` is by default named after the
    inputs. Each task writes its own rank, whole or not at all; ranks whose input is as it was are left as they are. The
    answer lists what became of the inputs: those that could not be read are named in ``warnings``, and the others are there.
    ``max_retries`` is how often a rank is written again whose machine went away.
    """
    return _core.ingested(write(inputs, dataset, address, run=run, max_retries=max_retries, progress=progress))


def write(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    dataset: str | PathLike[str],
    address: str | None = None,
    *,
    run: str | None = None,
    max_retries: int = 3,
    progress: bool = True,
) -> bytes:
    """The same as :func:`ingest`, with the answer as bytes that ``_core.ingested`` makes a report of."""
    place = os.fspath(dataset)
    job = _core.Ingest(_named(inputs), place, run)
    ray = tasks.ray_module()
    with tasks.connected(ray, address):
        task = ray.remote(tasks.write).options(max_retries=max_retries)
        while todo := job.tasks():
            calls = {
                task.remote(file, ranks, tasks.absolute(place), job.run, os.getcwd()): file for file, ranks in todo
            }
            told = tasks.Progress("wrote", len(calls), progress)
            for file, answer, lost in tasks.as_completed(ray, calls, FAN_IN):
                content, problem = answer or (b"", lost)
                if problem is None:
                    job.answered(file, content)
                else:
                    job.failed(file, problem)
                told.one_more(problem is not None)
    return job.finish()


def _named(inputs: str | PathLike[str] | Sequence[str | PathLike[str]]) -> list[str | PathLike[str]]:
    return [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)


def _measured(
    ray: Any,
    files: list[str],
    how: dict[str, Any],
    max_retries: int,
    fan_in: int,
    progress: bool,
) -> bytes:
    rank = ray.remote(tasks.rank).options(num_returns=2, max_retries=max_retries)
    merge = ray.remote(tasks.merge).options(max_retries=max_retries)
    # What comes back first is small: whether there is a problem. The bytes stay where they are until they are merged.
    waiting: dict[Any, tuple[str, Any]] = {}
    for name in files:
        part, problem = rank.remote(name, tasks.absolute(name), how)
        waiting[problem] = (name, part)
    unreadable: list[tuple[str, str]] = []
    ready: list[Any] = []
    merged: list[Any] = []
    told = tasks.Progress("measured", len(files), progress)
    for (name, part), answer, lost in tasks.as_completed(ray, waiting, fan_in):
        why = lost if answer is None else answer
        if why is None:
            ready.append(part)
        else:
            unreadable.append((name, why))
        if len(ready) >= fan_in:
            merged.append(merge.remote(*ready))
            ready = []
        told.one_more(why is not None)
    level = merged + ready
    if not level:
        raise EavesError(f"none of {len(files)} ranks can be read; the first: {': '.join(unreadable[0])}")
    while len(level) > 1:
        groups = (level[start : start + fan_in] for start in range(0, len(level), fan_in))
        level = [merge.remote(*group) for group in groups]
    try:
        whole = ray.get(level[0])
    except ray.exceptions.RayError as error:
        in_task = isinstance(error, ray.exceptions.RayTaskError)
        hint = "run it again" if in_task else "more machines were lost than it tries again for: `max_retries`"
        raise EavesError(f"what was measured could not be merged: {tasks.cause(ray, error)}", hint) from error
    return _core.merge([whole], unreadable)


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m eaves.cluster measure INPUT... -o FILE``, ``... ingest INPUT... --dataset DATASET -o FILE`` and ``... try``:
    what ``eaves report --ray``, ``eaves ingest --ray`` and ``eaves cluster try`` run."""
    from eaves import _cluster_program

    return _cluster_program.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
