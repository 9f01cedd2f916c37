"""Prints the Python reference as Markdown: signatures and docstrings of the package in the working directory."""

import ast
import re
import textwrap
from pathlib import Path

PACKAGE = Path("python/eaves")
WIDTH = 100

INTRODUCTION = """\
# Python reference

Every function and class of the package `eaves`, from its type stubs and docstrings. The [Python
guide](../python.md) and the [profiling suite guide](../python-profiling.md) show how to use them.
"""

# What the package loads for itself, and for tasks on other machines.
INTERNAL = {"Ingest", "files", "ingest_file", "ingested", "measure", "merge", "report_of"}

lines: list[str] = [INTRODUCTION]


def parse(name: str) -> ast.Module:
    return ast.parse((PACKAGE / name).read_text())


def source(name: str) -> list[str]:
    return (PACKAGE / name).read_text().splitlines()


def paragraphs(text: str) -> None:
    """Prose of a docstring: reStructuredText's code becomes Markdown's, `Args:` a table, indented blocks code."""
    text = re.sub(r":(?:mod|class|func|meth):`([^`]*)`", r"`\1`", text.replace("``", "`"))
    is_code = False
    for block in re.split(r"\n\s*\n", text):
        if block.startswith("Args:"):
            arguments(block)
        elif block.strip() == "::":
            is_code = True
        elif is_code and block.startswith("    "):
            lines.append(f"```python\n{textwrap.dedent(block)}\n```\n")
        else:
            is_code = block.endswith("::")
            prose = " ".join(block.split()).replace("::", ":")
            lines.append(textwrap.fill(prose, WIDTH, break_long_words=False, break_on_hyphens=False) + "\n")


def arguments(block: str) -> None:
    found = re.split(r"\n    (?! )", textwrap.dedent(block))[1:]
    pairs = [" ".join(item.split()).split(": ", 1) for item in found]
    table("argument", [(f"`{name}`", meaning) for name, meaning in pairs])


def table(head: str, rows: list[tuple[str, ...]]) -> None:
    if not rows:
        return
    heads = (head, "type", "meaning") if len(rows[0]) == 3 else (head, "meaning")
    lines.append(f"| {' | '.join(heads)} |")
    lines.append("|" + "---|" * len(heads))
    for row in rows:
        cells = [re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in row]
        lines.append(("| " + " | ".join(cells) + " |").replace("|  |", "| |"))
    lines.append("")


def signature(function: ast.FunctionDef, owner: str = "") -> str:
    """The call with its types, one argument a line where it is long."""
    taken = function.args
    if owner and taken.args and taken.args[0].arg in {"self", "cls"}:
        taken.args = taken.args[1:]
    if owner and taken.posonlyargs and taken.posonlyargs[0].arg in {"self", "cls"}:
        taken.posonlyargs = taken.posonlyargs[1:]
    name = f"{owner}{function.name}".replace("_core.", "")
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    returns = returns.replace("_core.", "")
    parts = [default_apart(part) for part in apart(ast.unparse(taken))]
    short = f"{name}({', '.join(parts)}){returns}"
    if len(short) <= 88:
        return short
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"


def apart(text: str, separator: str = ",") -> list[str]:
    """Parts of a text between separators that are in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def default_apart(parameter: str) -> str:
    """Spaces around the `=` of a default, as the stubs have them."""
    return " = ".join(apart(parameter, "=")).replace("'", '"')


def functions(nodes: list[ast.stmt], names: set[str], module: str) -> None:
    """Functions by name, with all forms of those that have several."""
    groups: dict[str, list[ast.FunctionDef]] = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and node.name in names:
            groups.setdefault(node.name, []).append(node)
    for name, forms in sorted(groups.items()):
        lines.append(f"### `{module}.{name}`\n")
        for form in forms:
            lines.append(f"```python\n{signature(form, f'{module}.')}\n```\n")
            paragraphs(ast.get_docstring(form) or "")


def described(node: ast.ClassDef, source: list[str]) -> None:
    bases = [ast.unparse(base) for base in node.bases]
    lines.append(f"### `{node.name}`\n")
    about = ast.get_docstring(node)
    if about:
        paragraphs(about)
    if bases:
        lines.append(f"Bases: {', '.join(f'`{base}`' for base in bases)}.\n")
    fields = []
    methods = []
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and not item.target.id.startswith("_"):
            fields.append((f"`{item.target.id}`", f"`{ast.unparse(item.annotation)}`", comment_above(source, item.lineno) if source else ""))
        elif isinstance(item, ast.FunctionDef):
            is_property = any(ast.unparse(decorator) in {"property", "cached_property"} for decorator in item.decorator_list)
            summary = " ".join((ast.get_docstring(item) or "").replace("``", "`").split())
            if is_property:
                kind = f"`{ast.unparse(item.returns)}`" if item.returns else ""
                fields.append((f"`{item.name}`", kind, summary))
            elif item.name == "__init__" and node.name not in EXCEPTIONS or not item.name.startswith("_"):
                methods.append(item)
    table("attribute", fields)
    for method in methods:
        owner = "" if method.name == "__init__" else f"{node.name}."
        text = signature(method, owner or " ").strip()
        if method.name == "__init__":
            text = text.replace("__init__", node.name, 1).removesuffix(" -> None")
        lines.append(f"```python\n{text}\n```\n")
        about = ast.get_docstring(method)
        if about:
            paragraphs(about)


def comment_above(source: list[str], line: int) -> str:
    """The comment that starts with `#:` above a field."""
    above: list[str] = []
    while (text := source[line - 2 - len(above)].lstrip()).startswith("#:"):
        above.insert(0, text[2:].strip())
    return " ".join(above).replace("``", "`")


EXCEPTIONS = {"EavesError", "InputError", "MissingInputError", "UsageError"}


def main() -> None:
    core = parse("_core.pyi").body
    public = {name.value for node in core if isinstance(node, ast.Assign) for name in node.value.elts} - INTERNAL
    lines.append("## Functions\n")
    functions([*core, *parse("_devices.py").body], public | {"devices"}, "eaves")
    lines.append("## Verbs\n\nThe [verbs of the command line](command-line.md) as functions. `path` may be a recording in memory.\n")
    verbs = parse("_verbs.pyi").body
    functions(verbs, {node.name for node in verbs if isinstance(node, ast.FunctionDef)}, "eaves")
    lines.append("## Classes\n")
    for node in core:
        if isinstance(node, ast.ClassDef) and node.name in public:
            described(node, [])
    lines.append("## Errors\n")
    for node in parse("_errors.py").body:
        if isinstance(node, ast.ClassDef):
            described(node, source("_errors.py"))
    lines.append("## Ray clusters\n")
    cluster = parse("cluster.py").body
    functions(cluster, {"ingest", "measure", "report"}, "eaves.cluster")
    lines.append("## Profiling suite\n\nNames of `eaves.profiling`.\n")
    suite = {}
    for path in sorted((PACKAGE / "profiling").glob("[!_]*.py")):
        name = f"profiling/{path.name}"
        for node in parse(name).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                suite[node.name] = (node, source(name))
    for _, (node, text) in sorted(suite.items()):
        described(node, text)
    print("\n".join(lines).rstrip())


main()
