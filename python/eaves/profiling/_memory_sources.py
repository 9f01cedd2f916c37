"""Where numbers about memory come from. Each source says what it counts, and that is written beside its numbers."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Protocol

from eaves.profiling._torch import import_torch

_STATM = Path("/proc/self/statm")


class Source(Protocol):
    """Something that can be asked at any time how much memory is in use."""

    #: What `read` counts.
    allocated: str
    reserved: str

    def read(self) -> tuple[int, int]:
        """Bytes allocated and bytes reserved, now."""
        ...

    def peak(self) -> tuple[int, int] | None:
        """The most that ever was, if the source keeps it; else samples have to do."""
        ...

    def reset_peak(self) -> None:
        """Forgets the peak of earlier."""
        ...


class CudaAllocator:
    """PyTorch's caching allocator of the current GPU."""

    allocated = "tensors on the GPU, counted by PyTorch's caching allocator"
    reserved = "memory that PyTorch's caching allocator holds on the GPU"

    def __init__(self) -> None:
        self._cuda = import_torch().cuda

    def read(self) -> tuple[int, int]:
        """Bytes of tensors, and bytes held by the allocator."""
        return (int(self._cuda.memory_allocated()), int(self._cuda.memory_reserved()))

    def peak(self) -> tuple[int, int] | None:
        """The peaks that the allocator itself keeps, exact."""
        return (int(self._cuda.max_memory_allocated()), int(self._cuda.max_memory_reserved()))

    def reset_peak(self) -> None:
        """Lets the allocator count its peaks anew."""
        self._cuda.reset_peak_memory_stats()


class ResidentSet:
    """The memory that the operating system gives this process: everything, not tensors only."""

    allocated = "resident set of the process, which is more than its tensors"
    reserved = allocated

    def read(self) -> tuple[int, int]:
        """The resident set, as both numbers: the system does not know which of it is in use."""
        resident = resident_bytes()
        return (resident, resident)

    def peak(self) -> tuple[int, int] | None:
        """Nothing: what the system keeps is the peak of the whole life of the process."""
        return None

    def reset_peak(self) -> None:
        """Nothing to forget."""


def resident_bytes() -> int:
    """The resident set of this process.

    From ``/proc/self/statm``, whose second number is pages (proc(5)); elsewhere from ``psutil``.
    """
    if _STATM.exists():
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    try:
        psutil = import_module("psutil")
    except ImportError as error:
        raise RuntimeError(
            "this system does not say how much memory a process has without the package `psutil` (`pip install psutil`)"
        ) from error
    return int(psutil.Process().memory_info().rss)
