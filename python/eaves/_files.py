"""Atomic file writes, and report formats."""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from os import PathLike


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """A temporary name next to ``path``, renamed to ``path`` when the block ends, or deleted if it raises.

    Readers of ``path`` see the old content until then. Creates missing folders.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    # A file behind a link is replaced, not the link.
    target = target.resolve()
    if target.exists() and not target.is_file():
        # A device or a pipe is written to; a folder is an error of whoever writes.
        yield target
        return
    # Its suffix stays: exporters go by it.
    unfinished = target.with_name(f".{secrets.token_hex(4)}.{target.name}")
    # Made here, so that it is nobody else's, with the permissions of any new file, or of the one that it replaces.
    os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    try:
        if target.exists():
            os.chmod(unfinished, target.stat().st_mode & 0o777)
        yield unfinished
        os.replace(unfinished, target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def write(path: str | PathLike[str], content: str | bytes) -> Path:
    """Writes a file and returns its path."""
    with replacing(path) as unfinished:
        unfinished.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return Path(path)


def write_json(path: str | PathLike[str], content: Any, indent: int | None = 2) -> Path:
    """Writes JSON and returns the path. Raises for numbers that JSON does not have."""
    return write(path, json_text(content, indent) + "\n")


def json_text(content: Any, indent: int | None = 2) -> str:
    """Serializes to JSON."""
    return json.dumps(content, indent=indent, allow_nan=False)


def export(
    path: str | PathLike[str],
    format: str | None,
    forms: Mapping[str, Callable[[], str | bytes]],
    suffixes: Mapping[str, str],
) -> Path:
    """Writes a file in one of several formats and returns its path.

    The format is ``format``; by default, ``suffixes`` maps the file name to one, else the first of ``forms`` is used.
    Only that format is produced, before the file is created.
    """
    target = Path(path)
    chosen = format or suffixes.get(target.suffix.lower(), next(iter(forms)))
    if chosen not in forms:
        raise ValueError(f"format is {' or '.join(f'`{form}`' for form in forms)}, not {chosen!r}")
    return write(target, forms[chosen]())


def export_report(
    path: str | PathLike[str], format: str | None, content: Callable[[], Any], page: Callable[[], str]
) -> Path:
    """Writes a report as a self-contained page (``html``) or ``json``; by default according to the file name."""
    forms = {"html": page, "json": lambda: json_text(content()) + "\n"}
    return export(path, format, forms, {".json": "json"})


def known(value: float) -> float | None:
    """Converts a number for JSON; unknown becomes null."""
    return value if math.isfinite(value) else None
