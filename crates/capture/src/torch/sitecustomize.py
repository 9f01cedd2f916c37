"""Lets `eaves profile` and `eaves attach` record a program that uses PyTorch, without a change to the program.

Python imports `sitecustomize` when it starts; `eaves` puts this one in front of the path. It waits for `torch` to be
imported, hands over to the `sitecustomize` that it hides, and is out of the way. Nothing but `os` and `sys` is imported,
for both are there already, and a program without PyTorch pays for one comparison of strings per imported module.
"""

import os
import sys


def _directory():
    return os.path.dirname(os.path.abspath(__file__))


class _Watcher:
    """Among the finders of modules: knows nothing of any module, but hears that `torch` is looked for."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "torch":
            return None
        try:
            sys.meta_path.remove(_Watcher)
        except ValueError:
            return None
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None:
                return _armed(spec)
        return None


def _armed(spec):
    """The module as it was found, with us behind its execution."""
    loader = spec.loader
    execute = getattr(loader, "exec_module", None)
    if execute is None:
        return spec

    def exec_module(module):
        try:
            # Whoever asks for the loader later finds it as it was.
            del loader.exec_module
        except AttributeError:
            pass
        execute(module)
        _start(module)

    try:
        loader.exec_module = exec_module
    except AttributeError:
        pass
    return spec


def _start(module):
    """Nothing that goes wrong in here is the program's business."""
    try:
        names = {"__name__": "eaves_torch"}
        recorder = ("signs.py", "categories.py", "ending.py", "recorder.py")
        for part in ("processes.py", *(("attach.py",) if os.environ.get("EAVES_TORCH_ATTACH") else recorder)):
            path = os.path.join(_DIRECTORY, part)
            with open(path, encoding="utf-8") as file:
                exec(compile(file.read(), path, "exec"), names)
        names["start"](module)
    except Exception as error:
        if os.environ.get("EAVES_TORCH_DEBUG"):
            sys.stderr.write("eaves: nothing is recorded: %r\n" % (error,))


def _hand_over():
    """Runs the `sitecustomize` that would have been imported without us. Its errors are its own."""
    for finder in list(sys.meta_path):
        find = getattr(finder, "find_spec", None)
        spec = find("sitecustomize", None, None) if find else None
        if spec is None:
            continue
        from importlib.util import module_from_spec

        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        if spec.loader is not None:
            spec.loader.exec_module(module)
        return


_DIRECTORY = _directory()
# The path as the program would have it. Children find us through the environment.
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != _DIRECTORY]
if os.environ.get("EAVES_TORCH_DIRECTORY") or os.environ.get("EAVES_TORCH_ATTACH"):
    # Kineto tells of devices that it does not find, and of each start and stop up to level 5.
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")
    sys.meta_path.insert(0, _Watcher)
_hand_over()
