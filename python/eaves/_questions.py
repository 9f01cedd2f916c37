"""Questions that a verb of the program answers as a whole: their options are those of the verb."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from eaves import _core

if TYPE_CHECKING:
    from os import PathLike
    from typing import TypeAlias

    from eaves._core import Report

    Path: TypeAlias = str | PathLike[str]
    Option: TypeAlias = bool | int | float | str | PathLike[str] | list[str] | tuple[str, ...] | None


def _text(value: bool | int | float | Path) -> str:
    return value if isinstance(value, str) else os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _arguments(options: dict[str, Option]) -> list[str]:
    """Keyword arguments as options of the command line: ``kv_heads=8`` is ``--kv-heads=8``."""
    arguments: list[str] = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            arguments.append(option)
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        arguments.extend(f"{option}={_text(one)}" for one in values)
    return arguments


def _inputs(paths: tuple[Path, ...]) -> list[str]:
    """Paths as arguments. None is taken for an option, and `--` stays free for the verbs that run programs."""
    texts = [_text(path) for path in paths]
    return [os.path.join(os.curdir, text) if text.startswith("-") else text for text in texts]


def devices(name: Path | None = None, *, vendor: str | None = None) -> Report:
    """The devices of the catalogue, or everything that is known about one of them or of a peaks file."""
    if name is not None:
        return _core.ask(["device", "show", *_inputs((name,))])
    return _core.ask(["device", "list", *_arguments({"vendor": vendor})])


def diff(base: Path, new: Path, **options: Option) -> Report:
    """What changed between two runs that are traces, folders of ranks, or saved reports."""
    return _core.ask(["diff", *_arguments(options), *_inputs((base, new))])


def predict(what: str, *names: str, **options: Option) -> Report:
    """How long a shape or a model takes at best on a device.

    ``what`` is ``gemm``, ``gemv``, ``attention``, ``conv``, ``ffn`` or ``model``; the options are those of
    ``eaves predict``::

        eaves.predict("gemm", m=4096, n=4096, k=4096, precision="fp16", device="h100-sxm")
        eaves.predict("model", "llama-3-8b", context="8k", batch=16, device="h100-sxm")
    """
    return _core.ask(["predict", what, *_arguments(options), *names])


def read_compile(*paths: Path, **options: Option) -> Report:
    """What `torch.compile` did: graph breaks, recompiles, compile time and fusion, from logs of ``TORCH_TRACE``."""
    return _core.ask(["compile", *_arguments(options), *_inputs(paths)])


def read_memory(*paths: Path, **options: Option) -> Report:
    """Who held memory at its peak, from traces, CUDA memory snapshots or memory timelines."""
    return _core.ask(["memory", *_arguments(options), *_inputs(paths)])


def roofline(*inputs: Path, **options: Option) -> Report:
    """How far kernels, operators, commands and messages are from what a device can do.

    Takes tables of kernels, events, NPU commands and benchmarks besides traces; for a trace that is read already
    there is :meth:`Recording.roofline`.
    """
    return _core.ask(["roofline", *_arguments(options), *_inputs(inputs)])
