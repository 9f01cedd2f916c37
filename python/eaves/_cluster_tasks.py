"""Tasks on the machines of a cluster, and how the driver waits for them. Remote functions are in a separate module,
so that Ray refers to them by name and each machine runs its installed eaves."""

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
    """Measures a rank, or returns why it cannot. A failure is a result: a retry would not help.

    Tasks run in separate folders, so the file name is absolute; the report shows the user's name.
    """
    try:
        return _core.measure([file], shown=name, threads=1, **how), None
    except EavesError as error:
        return b"", error.message


def merge(*parts: bytes) -> bytes:
    """Merges partial reports. Only measured ranks get here, so one without bytes was measured again after its machine
    was lost, and could not be read that time."""
    if not all(parts):
        raise EavesError("a rank that had been measured could not be read again when its machine was lost")
    return _core.merge(list(parts))


def write(
    file: str, ranks: Sequence[tuple[str, int]] | None, dataset: str, run: str, folder: str
) -> tuple[bytes, str | None]:
    """Reads an input and writes it to a dataset; returns the outcome, or why it failed."""
    try:
        return _core.ingest_file(file, dataset, run, folder=folder, ranks=ranks), None
    except EavesError as error:
        return b"", error.message


def absolute(name: str) -> str:
    """The absolute name of an input. Object store addresses stay as they are."""
    return name if "://" in name else os.path.abspath(name)


def ray_module() -> Any:
    """Imports Ray, or raises with a hint."""
    try:
        import ray
    except ImportError as error:
        raise EavesError("Ray is not installed", 'pip install "eaves[ray]"') from error
    return ray


@contextmanager
def connected(ray: Any, address: str | None) -> Iterator[None]:
    """Connects to the cluster; reuses and keeps an existing connection."""
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
    """Yields the keys of finished calls with their result, or with the error after all retries."""
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
    """The cluster's error message, without its traceback."""
    lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("hint: ")]
    # An exception in a task comes with a traceback, which ends with what was raised.
    if lines and isinstance(error, ray.exceptions.RayTaskError):
        return lines[-1]
    return f"{type(error).__name__}: {lines[0] if lines else ''}".rstrip(": ")


class Progress:
    """Progress on stderr: an updating line on a terminal, a line every ten seconds elsewhere."""

    def __init__(self, done_what: str, all_ranks: int, wanted: bool) -> None:
        self.done_what = done_what
        self.all_ranks = all_ranks
        self.wanted = wanted
        self.on_terminal = sys.stderr.isatty()
        self.last = clock.monotonic()
        self.done = 0
        self.failed = 0

    def one_more(self, failed: bool) -> None:
        """Counts a rank that finished or failed."""
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
