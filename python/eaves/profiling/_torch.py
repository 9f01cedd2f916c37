"""PyTorch helpers: lazy import, device synchronization, recording, export.

``import eaves`` imports nothing from here; PyTorch is imported on first use.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eaves._files import replacing

if TYPE_CHECKING:
    from types import ModuleType

#: Bytes of what the dictionaries call MB. It is a MiB, as PyTorch's own summaries count.
MEGABYTE = 1024 * 1024


def import_torch() -> ModuleType:
    """Imports PyTorch, or raises an error that names what needs it."""
    try:
        import torch
    except ImportError as error:
        raise ImportError(
            "recording needs PyTorch, which is not installed here (`pip install torch`); "
            "reading and analysing traces works without it"
        ) from error
    module: ModuleType = torch
    return module


def has_cuda() -> bool:
    """Whether PyTorch can use an NVIDIA or AMD GPU."""
    return bool(import_torch().cuda.is_available())


def synchronize() -> None:
    """Waits for the GPU, if there is one."""
    if has_cuda():
        import_torch().cuda.synchronize()


def device_name() -> str:
    """Name of the current GPU, or ``cpu``."""
    torch = import_torch()
    return str(torch.cuda.get_device_name()) if has_cuda() else "cpu"


def is_recording() -> bool:
    """Whether a PyTorch profiler is already running; only one can."""
    return bool(import_torch().autograd._profiler_enabled())


def start_recording(
    *,
    record_shapes: bool = False,
    profile_memory: bool = False,
    with_stack: bool = False,
    with_flops: bool = False,
) -> Any:
    """Starts a profiler that records the host and all GPUs."""
    torch = import_torch()
    if is_recording():
        raise RuntimeError("a profiler of PyTorch is recording already, and there can be only one at a time")
    activities = [torch.profiler.ProfilerActivity.CPU]
    if has_cuda():
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    recorder = torch.profiler.profile(
        activities=activities,
        record_shapes=record_shapes,
        profile_memory=profile_memory,
        with_stack=with_stack,
        with_flops=with_flops,
    )
    recorder.start()
    return recorder


def export_trace(recorder: Any, path: Path) -> Path:
    """Writes the recording as a Chrome trace and returns its path."""
    if getattr(recorder, "profiler", None) is None:
        raise ValueError("this profiler has recorded nothing: use it in a `with` statement first")
    with replacing(path) as unfinished:
        recorder.export_chrome_trace(str(unfinished))
    return path


def file_stem(name: str) -> str:
    """``name`` as a file name part: separators and wildcards become ``_``."""
    return re.sub(r"[^\w.-]+", "_", name).strip(".") or "profile"


def unused_path(path: Path) -> Path:
    """``path``, with ``-2``, ``-3``, ... before its suffix if it exists, to avoid overwriting."""
    candidate, number = path, 2
    while candidate.exists():
        candidate = path.with_name(f"{path.stem}-{number}{path.suffix}")
        number += 1
    return candidate
