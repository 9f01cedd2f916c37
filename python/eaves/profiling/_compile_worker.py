"""The process in which one mode of torch.compile is measured: ``python -m eaves.profiling._compile_worker FOLDER``.

The folder is the starter's own: ``request.pt`` has the model, ``settings.json`` the rest; ``result.json`` is the answer.
"""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any


def run(folder: Path) -> None:
    """Does what the request says."""
    settings: dict[str, Any] = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    sys.path[:] = settings["path"]
    _load_main(settings["main"])
    from eaves.profiling._compile_log import recorded
    from eaves.profiling._compile_measure import measure
    from eaves._files import write_json
    from eaves.profiling._torch import import_torch

    torch = import_torch()
    # A file that the starter wrote a moment ago, into a folder that only its user can write to.
    request = torch.load(folder / "request.pt", weights_only=False)
    torch.set_num_threads(settings["threads"])
    torch.set_grad_enabled(settings["gradients"])
    with recorded(Path(settings["log_dir"])):
        measured = measure(
            request["model"],
            request["sample_input"],
            backend=settings["backend"],
            mode=settings["mode"],
            warmup=settings["warmup"],
            iterations=settings["iterations"],
        )
    write_json(folder / "result.json", measured.to_dict())


def _load_main(path: str | None) -> None:
    """Loads the starter's script, under the name that Python's multiprocessing uses, if classes of the model are in it."""
    if path is None:
        return
    module = ModuleType("__mp_main__")
    module.__dict__.update(runpy.run_path(path, run_name="__mp_main__"))
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module


if __name__ == "__main__":
    run(Path(sys.argv[1]))
