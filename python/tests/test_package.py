"""What the package promises beside its answers: a quick import, a free interpreter, errors and types."""

from __future__ import annotations

import ast
import errno
import importlib.metadata
import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import eaves
from eaves import _core


def run(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_loads_nothing_heavy():
    """Nothing but its own modules, so that it takes no longer than loading them does."""
    loaded = run("import sys; before = set(sys.modules); import eaves; print(sorted(set(sys.modules) - before))")
    own = ["__future__", "errno", "eaves", "eaves._core", "eaves._devices", "eaves._errors", "eaves._verbs"]
    assert set(ast.literal_eval(loaded)) <= set(own)


def test_reading_and_asking_loads_nothing_heavy(example):
    script = f"""
import sys, eaves
report = eaves.read({example("host-bound")!r}).report()
report["kernels"].tables, str(report), report._repr_html_(), report.to_dict()
print([name for name in ["torch", "numpy", "pandas", "polars", "pyarrow"] if name in sys.modules])
"""
    assert run(script) == "[]\n"


def test_other_threads_run_while_something_is_read(example):
    """A thread reads from a pipe that the main thread fills: with the interpreter's lock held both would wait forever."""
    script = f"""
import eaves, os, threading
reading, writing = os.pipe()
os.dup2(reading, 0)
answers = []
thread = threading.Thread(target=lambda: answers.append(eaves.read("-")))
thread.start()
with open({example("host-bound/rank0.json.gz")!r}, "rb") as file, open(writing, "wb") as pipe:
    pipe.write(file.read())
thread.join()
print(answers[0].ranks)
"""
    assert run(script) == "[0]\n"


def test_several_threads_ask_at_once(example):
    from concurrent.futures import ThreadPoolExecutor

    recording = eaves.read(example("training"))
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: recording.report("kernels").to_json(), range(8)))
    assert len(set(answers)) == 1


def test_errors_have_a_message_and_a_hint(example, tmp_path):
    with pytest.raises(eaves.EavesError, match="no such file") as caught:
        eaves.read(tmp_path / "absent.json")
    assert caught.value.hint and caught.value.hint in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.message, again.hint) == (caught.value.message, caught.value.hint)
    recording = eaves.read(example("host-bound"))
    for ask, message in [
        (lambda: recording.report("kernals"), "no section `kernals`"),
        (lambda: recording.report(device="h1000"), "h1000"),
        (lambda: recording.table("nothing"), "no table `nothing`"),
        (lambda: recording.flame("time"), "invalid `metric`: `time`"),
        (lambda: recording.flame(order="alphabetical"), "invalid `order`: `alphabetical`"),
        (lambda: recording.report().save(tmp_path / "report.docx"), "unknown output format"),
        (lambda: recording.report().save(tmp_path / "absent" / "report.html"), "no such directory"),
        (lambda: recording.export(tmp_path / "x", to="nothing"), "invalid `to`: `nothing`"),
        (lambda: recording.flame(base=recording, order="time"), "cannot be in time order"),
        (lambda: eaves.read(example("host-bound"), rank=7), "no recording of rank 7"),
        (lambda: eaves.read(example("host-bound"), step="x"), "expected a step"),
        (lambda: eaves.read(example("host-bound"), step=10_000).report(), "no steps 10000"),
        (lambda: eaves.read(example("measurements/peaks.yaml")), "peaks.yaml"),
        (lambda: eaves.predict("gemm", sizes=3), "`predict` has no field `sizes`"),
        (lambda: eaves.ask("reports", inputs=["x"]), "no verb `reports`"),
    ]:
        with pytest.raises(eaves.EavesError) as caught:
            ask()
        assert message in caught.value.message, caught.value
    assert list(tmp_path.iterdir()) == [], "what fails leaves no file"
    with pytest.raises(TypeError):
        eaves.read()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        eaves.nothing  # noqa: B018


def test_errors_say_who_can_do_something(example, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        eaves.read(tmp_path / "absent.json")
    assert isinstance(caught.value, eaves.InputError) and caught.value.errno == errno.ENOENT
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.message, again.hint) == (eaves.MissingInputError, caught.value.message, caught.value.hint)
    (tmp_path / "trace.json").write_text("<html>")
    with pytest.raises(eaves.InputError) as caught:
        eaves.read(tmp_path / "trace.json")
    assert not isinstance(caught.value, FileNotFoundError)
    for wrong in [
        lambda: eaves.report(example("host-bound"), section="kernals"),
        lambda: eaves.report(example("host-bound"), step="x"),
        lambda: eaves.ask("report", inputs=[example("host-bound")], sections="kernels"),
        lambda: eaves.flame(example("host-bound"), metric="time"),
    ]:
        with pytest.raises(eaves.UsageError):
            wrong()
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError, match="does not support"):
        eaves.ask("report", inputs=[object()])


def test_names_that_are_loaded_late_can_be_loaded():
    for name in eaves.__all__:
        assert getattr(eaves, name) is not None
    assert set(eaves.__all__) <= set(dir(eaves))
    for name in eaves.profiling.__all__:
        assert getattr(eaves, name) is getattr(eaves.profiling, name)
    assert set(eaves.profiling.__all__) == set(eaves.profiling._MODULES) <= set(dir(eaves.profiling))
    assert not set(eaves.profiling.__all__) & set(eaves.__all__)


def test_the_version_is_that_of_the_workspace():
    manifest = (Path(__file__).resolve().parents[2] / "Cargo.toml").read_text()
    assert f'version = "{eaves.__version__}"' in manifest
    assert importlib.metadata.version("eaves") == eaves.__version__


def test_types_are_installed():
    folder = Path(_core.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_core.pyi").exists()


def stubs() -> ast.Module:
    return ast.parse((Path(_core.__file__).parent / "_core.pyi").read_text())


def test_stubs_are_what_there_is():
    written = {node.name: node for node in stubs().body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    there = {name for name in vars(_core) if not name.startswith("__")}
    assert set(written) == there
    for name, node in written.items():
        thing = getattr(_core, name)
        assert thing.__doc__, name
        if isinstance(node, ast.FunctionDef):
            check_parameters(node, thing)
            continue
        members = {member.name: member for member in node.body if isinstance(member, ast.FunctionDef)}
        public = {member for member in vars(thing) if not member.startswith("__") or member in members}
        assert public == set(members), name
        for member, definition in members.items():
            if not definition.decorator_list and not member.startswith("__"):
                check_parameters(definition, getattr(thing, member), f"{name}.{member}")


def check_parameters(node: ast.FunctionDef, function: object, name: str = "") -> None:
    """The same parameters, of the same kind, in the same order, with the same defaults."""
    found = [parameter for parameter in inspect.signature(function).parameters.values() if parameter.name != "self"]
    arguments = node.args
    plain = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args] if argument.arg != "self"]
    several = [arguments.vararg.arg] if arguments.vararg else []
    others = [arguments.kwarg.arg] if arguments.kwarg else []
    keywords = [argument.arg for argument in arguments.kwonlyargs]
    assert [parameter.name for parameter in found] == plain + several + keywords + others, name
    kinds = [parameter.name for parameter in found if parameter.kind is inspect.Parameter.KEYWORD_ONLY]
    assert kinds == keywords, name
    defaults = dict(zip(reversed(plain), reversed(arguments.defaults), strict=False))
    defaults |= {name: value for name, value in zip(keywords, arguments.kw_defaults, strict=True) if value is not None}
    for parameter in found:
        if parameter.name in defaults:
            assert parameter.default == ast.literal_eval(defaults[parameter.name]), (name, parameter.name)
        else:
            assert parameter.default is inspect.Parameter.empty or parameter.name in several + others, (name, parameter.name)
