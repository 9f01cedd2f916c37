"""From the log of torch.compile to the numbers of a report. All of them are those of `eaves compile`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eaves._core import Section
    from eaves.profiling.torch_compile import CompileBreak, CompileReport


def read_log(report: CompileReport, log_dir: Path) -> None:
    """Puts what the logs in a folder say into the report. If nothing was compiled, a note says so."""
    from eaves import EavesError, read_compile

    try:
        answer = read_compile(log_dir)
    except EavesError as error:
        report.notes.append(f"torch.compile logged nothing: {error.message}")
        return
    report.details = answer
    if "graph-breaks" in answer:
        section = answer["graph-breaks"]
        report.graph_breaks = breaks_of(section)
        report.total_graph_breaks = _count(section, "graph_breaks_met")
    if "recompiles" in answer:
        report.recompiles = _count(answer["recompiles"], "recompiles")
    if "compile-time" in answer and "caches" in answer["compile-time"].tables:
        caches = answer["compile-time"].tables["caches"].to_dict()
        report.cache_hits = sum(int(count or 0) for count in caches["hits"])
        report.cache_misses = sum(int(count or 0) for count in caches["misses"])
    if "fusion" in answer:
        _fusion(report, answer["fusion"])


def breaks_of(section: Section) -> list[CompileBreak]:
    """The breaks of the section, one for each kind and place, with PyTorch's words about it."""
    from eaves.profiling.torch_compile import CompileBreak

    told: dict[tuple[Any, Any], dict[str, list[str]]] = {}
    words_of: list[dict[str, Any]] = section.tables["told"].rows()
    for row in words_of:
        parts = told.setdefault((row["place"], row["kind"]), {})
        parts.setdefault(str(row["part"]), []).append(str(row["text"]))
    found = []
    rows: list[dict[str, Any]] = section.tables["breaks"].rows()
    for row in rows:
        # A place is `file:line`, or `?` if the log has none.
        line = str(row["place"]).rpartition(":")[2]
        words = told.get((row["place"], row["kind"]), {})
        found.append(
            CompileBreak(
                reason=str(row["title"]),
                suggestion=str(row["advice"]),
                file=row["file"] or None,
                line=int(line) if line.isdigit() else None,
                count=int(row["count"]),
                function=row["function"],
                explanation=" ".join(words.get("explanation", [])) or None,
                hints=words.get("hint", []),
                kind=row["kind"],
            )
        )
    return found


def _fusion(report: CompileReport, section: Section) -> None:
    report.graphs = len(section.tables["graphs"])
    report.ops_before_fusion = _count(section, "operators")
    report.ops_after_fusion = _count(section, "launches")
    report.fused_kernels = _count(section, "generated")
    ratio = section.number("fusion_ratio").value
    report.fusion_ratio = math.nan if ratio is None else float(ratio)


def _count(section: Section, name: str) -> int:
    """A count of the section; none is 0."""
    return int(section.number(name).value or 0)
