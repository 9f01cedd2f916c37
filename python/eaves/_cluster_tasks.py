"""What runs on the machines of a cluster, and how the driver waits for it. Functions that others run are in a module of their
own, so that they go by name: each machine runs those of the eaves that it has."""

from __future__ import annotations

import os
import sys
import time as clock
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from eaves import _core
from eaves._errors import EavesError

Key = TypeVar("Key")


def rank(name: str, file: str, how: dict[str, Any]) -> tuple[bytes, str | None]:
    """What is measured of a rank, or why it cannot be. A failure is an answer: to try again would not help.

    Tasks run in folders of their own, so the file is named in full; the report names it as the user did.
    """
    try:
        return _core.measure([file], shown=name, threads=1, **how), None
    except EavesError as error:
        return b"", error.message


def merge(*parts: bytes) -> bytes:
    """Several partial reports as one. Only ranks that were measured come here, so one without bytes was measured once more,
    because a machine with its bytes went away, and could not be read that time."""
    if not all(parts):
        raise EavesError("a rank that had been measured could not be read again when its machine was lost")
    return _core.merge(list(parts))


def write(
    file: str, ranks: Sequence[tuple[str, int]] | None, dataset: str, run: str, folder: str
) -> tuple[bytes, str | None]:
    """What became of an input that was read and written to a dataset, or why it cannot be written."""
    try:
        return _core.ingest_file(file, dataset, run, folder=folder, ranks=ranks), None
    except EavesError as error:
        return b"", error.message


def absolute(name: str) -> str:
    """A name as it is on every machine. Addresses of object stores are the same everywhere."""
    return name if "://" in name else os.path.abspath(name)


def ray_module() -> Any:
    """Ray, or what to do without it."""
    try:
        import ray
    except ImportError as error:
        raise EavesError("Ray is not installed", 'pip install "eaves[ray]"') from error
    return ray


@contextmanager
def connected(ray: Any, address: str | None) -> Iterator[None]:
    """A connection to the cluster; one that is there already is used, and stays."""
    if ray.is_initialized():
        yield
        return
    # Of a cluster that is started for this call nobody looks at the dashboard.
    dashboard = False if address in (None, "local") else None
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", include_dashboard=dashboard)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise EavesError(f"no connection to Ray: {error}", "`eaves cluster try` starts one on this machine") from error
    try:
        yield
    finally:
        ray.shutdown()


def as_completed(ray: Any, waiting: Mapping[Any, Key], at_once: int) -> Iterator[tuple[Key, Any, str | None]]:
    """The keys of calls whose answers are there, with the answer, or with what the cluster says of a call that failed
    however often it was tried."""
    left = dict(waiting)
    while left:
        done, _ = ray.wait(list(left), num_returns=min(len(left), at_once), timeout=0.5)
        for call in done:
            key = left.pop(call)
            try:
                yield key, ray.get(call), None
            except ray.exceptions.RayError as error:
                yield key, None, cause(ray, error)


def cause(ray: Any, error: BaseException) -> str:
    """What the cluster says of a failure, without its traceback."""
    lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("hint: ")]
    # An exception in a task comes with a traceback, which ends with what was raised.
    if lines and isinstance(error, ray.exceptions.RayTaskError):
        return lines[-1]
    return f"{type(error).__name__}: {lines[0] if lines else ''}".rstrip(": ")


class Progress:
    """How far it is, on stderr: a line that changes on a terminal, a line every ten seconds elsewhere."""

    def __init__(self, done_what: str, all_ranks: int, wanted: bool) -> None:
        self.done_what = done_what
        self.all_ranks = all_ranks
        self.wanted = wanted
        self.on_terminal = sys.stderr.isatty()
        self.last = clock.monotonic()
        self.done = 0
        self.failed = 0

    def one_more(self, failed: bool) -> None:
        """One more rank is done or has failed."""
        self.done += 1
        self.failed += failed
        pause = 0.1 if self.on_terminal else 10.0
        if not self.wanted or (clock.monotonic() - self.last < pause and self.done < self.all_ranks):
            return
        self.last = clock.monotonic()
        without = f", {self.failed} cannot be read" if self.failed else ""
        last = self.done == self.all_ranks
        end = "\r" if self.on_terminal and not last else "\n"
        print(f"{self.done_what} {self.done} of {self.all_ranks} ranks{without}", end=end, file=sys.stderr, flush=True)
