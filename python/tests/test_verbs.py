"""Every verb is a function, and every field of its request a keyword."""

from __future__ import annotations

import ast
import inspect
import json
import keyword
from pathlib import Path
from typing import Any

import pytest

import eaves
from eaves import _verbs

ROOT = Path(__file__).resolve().parents[2]
REQUESTS: dict[str, Any] = json.loads((ROOT / "schema" / "requests.json").read_text())
#: Verbs whose own name means something else in Python.
NAMES = {"compile": "read_compile", "memory": "read_memory"}


def fields(verb: str) -> dict[str | None, set[str]]:
    """The names of the fields, for each variant of a request."""
    schema = REQUESTS[verb]["request"]

    def target(part: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = schema.get("$defs", {}).get(part.get("$ref", "").rpartition("/")[2], {})
        return found

    def variants(part: dict[str, Any]) -> dict[str | None, set[str]]:
        if "properties" not in part and "$ref" in part:
            return variants(target(part))
        if parts := part.get("oneOf") or part.get("anyOf"):
            return {op: names for one in parts for op, names in variants(one).items()}
        properties = {**part.get("properties", {}), **target(part).get("properties", {})}
        return {properties.get("op", {}).get("const"): set(properties)}

    names = variants(schema)
    return {op: {f"{one}_" if keyword.iskeyword(one) else one for one in found} for op, found in names.items()}


def declared(function: str) -> list[set[str]]:
    """The parameters that the stub declares, for each way to call it."""
    stub = ast.parse(Path(_verbs.__file__).with_suffix(".pyi").read_text())
    found = [node.args for node in stub.body if isinstance(node, ast.FunctionDef) and node.name == function]
    return [
        {one.arg for one in [*args.args, *args.kwonlyargs, *([args.vararg] if args.vararg else [])]} for args in found
    ]


# `eaves.query` returns rows; the schema is in `eaves.ask("query", tables=True)`.
ELSEWHERE = {"query": {"tables"}}


@pytest.mark.parametrize("verb", REQUESTS)
def test_every_field_of_every_verb_is_a_parameter(verb: str) -> None:
    name = NAMES.get(verb, verb)
    function = getattr(eaves, name)
    assert name in eaves.__all__ and function.__doc__
    variants = {op: found - ELSEWHERE.get(verb, set()) for op, found in fields(verb).items()}
    assert sorted(map(sorted, declared(name))) == sorted(map(sorted, variants.values()))
    parameters = inspect.signature(function).parameters
    if set(variants) == {None}:
        assert set(parameters) == variants[None]
    else:
        assert any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())


def test_a_recording_stands_for_its_files(example, answer) -> None:
    path = example("training")
    recording = eaves.read(path)
    expected = answer("report", path, "--section=kernels", "--kernel-wait=1us", "--rank=0")
    assert eaves.report(recording, section="kernels", kernel_wait="1us", rank=0).to_dict() == expected
    assert eaves.report(path, section=["kernels"], kernel_wait="1us", rank=[0]).to_dict() == expected
    assert eaves.kernels(recording).to_dict() == answer("kernels", path)
    with pytest.raises(eaves.EavesError):
        eaves.report(recording, path)


def test_a_recording_is_looked_at_in_the_part_that_it_was_read_for(example, answer) -> None:
    path = example("training")
    part = eaves.read(path, step=3)
    assert eaves.kernels(part).to_dict() == eaves.kernels(path, step=3).to_dict()
    assert eaves.kernels(part, step=4).to_dict() == eaves.kernels(path, step=4).to_dict()


def test_parts_of_one_recording_are_compared(example) -> None:
    path = example("training")
    one, other = eaves.read(path, rank=0), eaves.read(path, rank=1)
    tables = [one.diff(other)["diff"].tables, other.diff(one)["diff"].tables]
    summaries = [tables[0]["summary"].rows(), tables[1]["summary"].rows()]
    assert [row["base_ns"] for row in summaries[0]] == [row["new_ns"] for row in summaries[1]]
    assert one.diff(one).to_dict() != one.diff(other).to_dict()


def test_answers_of_functions_are_drawn_as_the_program_draws_them(example, program, tmp_path) -> None:
    path = example("host-bound")
    for verb, ending in [("report", "html"), ("flame", "html"), ("flame", "svg"), ("timeline", "svg")]:
        ours, theirs = tmp_path / f"ours.{ending}", tmp_path / f"theirs.{ending}"
        getattr(eaves, verb)(path).save(ours)
        assert program(verb, path, "--quiet", "-o", str(theirs)).returncode == 0
        same = ours.read_bytes() == theirs.read_bytes()
        assert same, f"{ours} differs from {theirs}"


def test_conditions_that_hold_are_told(example) -> None:
    base, new = example("healthy"), example("training")
    report = eaves.diff(base, new, fail_on=["step>+1%", "step>+100000%"])
    assert [condition for condition, _ in report.failed] == ["step>+1%"]
    assert eaves.diff(base, new, fail_on="step>+1%").failed == report.failed
