"""Reports on jobs with many ranks, on a Ray cluster: each rank is a Ray task, and the report equals that of reading
all ranks together.

::

    import eaves.cluster

    report = eaves.cluster.report("traces/", address="auto")
    print(report)

    print(eaves.cluster.ingest("traces/", "dataset", address="auto"))

Each task measures one rank in Rust, without the GIL, and returns a few kilobytes, which are merged in a tree of
tasks; the driver creates the report. For datasets, each task writes one rank atomically. Inputs and datasets must
have the same name on every machine (a shared file system or an object store), and all machines need the same eaves
version. ``ray`` is imported on use: ``pip install "eaves[ray]"``.
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
    """Measures ``eaves.read(...).report()`` on a cluster.

    ``address`` is a Ray cluster; the default is ``RAY_ADDRESS``, else this machine. ``output`` is a file to write
    atomically. Unreadable ranks are named in ``report.warnings``; the others are reported. ``max_retries`` limits the
    retries of a rank whose machine was lost.
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
    """Measures all ranks and returns partial results as bytes. ``_core.report_of`` creates a report from them; saved
    as ``.eaves-partial``, they are an input of ``eaves report``."""
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
    """Stores recordings as a Parquet dataset, like ``eaves ingest``, with one task per rank on a cluster.

    ``dataset`` is a shared folder or an object store address; ``run`` defaults to the name of the inputs. Each task
    writes its rank atomically; unchanged ranks are skipped. The report lists the outcome of each input; unreadable
    ones are named in ``warnings``. ``max_retries`` limits the retries of a rank whose machine was lost.
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
    """Like :func:`ingest`, but returns bytes for ``_core.ingested``."""
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
