"""Measuring a mode of torch.compile in a process and with a cache of its own, so that no mode profits from another."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eaves.profiling._compile_measure import Measurement
from eaves._files import write_json
from eaves.profiling._torch import import_torch


class CannotHandOver(Exception):
    """The model cannot be given to another process. The text says why, and what would help."""


class WorkerFailed(Exception):
    """The process ended without a result. The text is the end of what it said."""


def measure_apart(
    model: Callable[..., Any],
    sample_input: Any,
    *,
    backend: str,
    mode: str,
    warmup: int,
    iterations: int,
    log_dir: Path,
) -> Measurement:
    """Measures in a new process with an empty cache."""
    torch = import_torch()
    main = script_to_load(model)
    with tempfile.TemporaryDirectory(prefix="eaves-compile-") as name:
        folder = Path(name)
        try:
            torch.save({"model": model, "sample_input": sample_input}, folder / "request.pt")
        except Exception as error:  # noqa: BLE001 - pickling calls code of the user, which may raise anything
            raise CannotHandOver(f"the model or its input cannot be pickled ({error})") from error
        settings = {
            "path": sys.path,
            "main": main,
            "threads": torch.get_num_threads(),
            "gradients": torch.is_grad_enabled(),
            "backend": backend,
            "mode": mode,
            "warmup": warmup,
            "iterations": iterations,
            "log_dir": str(log_dir.absolute()),
        }
        write_json(folder / "settings.json", settings)
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache")}
        # Its own log is what is read; one that the user asked for is of this process.
        environment.pop("TORCH_TRACE", None)
        run = subprocess.run(
            [sys.executable, "-m", "eaves.profiling._compile_worker", str(folder)],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        result = folder / "result.json"
        if run.returncode != 0 or not result.exists():
            said = "\n".join(run.stdout.strip().splitlines()[-12:])
            raise WorkerFailed(f"the process for mode {mode!r} ended with {run.returncode}:\n{said}")
        return Measurement.from_dict(json.loads(result.read_text(encoding="utf-8")))


def script_to_load(model: Any) -> str | None:
    """The script that another process must load to know the classes of the model; None if there is nothing in it.

    Loading runs the script again. That is safe only if it guards what it does with ``if __name__ == "__main__"``, as
    multiprocessing asks for as well.
    """
    if not any(type(part).__module__ == "__main__" for part in _parts(model)) and _module_of(model) != "__main__":
        return None
    path = getattr(sys.modules.get("__main__"), "__file__", None)
    if path is None:
        raise CannotHandOver("the model is defined in a notebook or at the prompt: put its class into a file of its own")
    if not is_guarded(Path(path).read_text(encoding="utf-8")):
        raise CannotHandOver(
            f"the model is defined in the script {path}, which cannot be loaded without running it: put the class into a file of "
            'its own, or what the script does below `if __name__ == "__main__":`'
        )
    return str(Path(path).absolute())


def is_guarded(source: str) -> bool:
    """Whether a script has a line ``if __name__ == "__main__":`` at its outermost level."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return False
    for statement in tree.body:
        if isinstance(statement, ast.If) and isinstance(statement.test, ast.Compare):
            sides = [statement.test.left, *statement.test.comparators]
            names = {side.id for side in sides if isinstance(side, ast.Name)}
            values = {side.value for side in sides if isinstance(side, ast.Constant)}
            if "__name__" in names and "__main__" in values:
                return True
    return False


def _parts(model: Any) -> list[Any]:
    modules = getattr(model, "modules", None)
    return list(modules()) if callable(modules) else [model]


def _module_of(model: Any) -> str | None:
    return getattr(model, "__module__", None)
