"""The structured log of torch.compile, as ``TORCH_TRACE`` writes it, of a part of this process."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from eaves.profiling._torch import import_torch


@contextmanager
def recorded(folder: Path) -> Iterator[Path]:
    """Writes what is compiled in the block to a log in ``folder``, which `eaves compile` reads.

    PyTorch reads the variable ``TORCH_TRACE`` when it is imported, which is long past; its log is a logger like others, so a
    handler is added to it, and taken away afterwards. A log of the user's own goes on.
    """
    import_torch()
    from torch._logging import _internal, structured

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"dedicated_log_torch_trace_{os.getpid()}_{len(list(folder.iterdir()))}.log"
    handler = logging.FileHandler(path, mode="w", encoding="utf-8", delay=True)
    handler.setFormatter(_internal.TorchLogsFormatter(trace=True))
    log: Any = _internal.trace_log
    log.addHandler(handler)
    try:
        # Names of files are numbers that are explained once a process. What was explained before is explained again here.
        for text, number in list(structured.INTERN_TABLE.items()):
            _internal.trace_structured("str", partial(_pair, text, number), suppress_context=True)
        yield path
    finally:
        log.removeHandler(handler)
        handler.close()


def _pair(text: str, number: int) -> tuple[str, int]:
    return (text, number)
