"""From the log of torch.compile to the numbers of a report. All of them are those of `eaves compile`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eaves import _compile_rules

if TYPE_CHECKING:
    from eaves._core import Section
    from eaves.torch_compile import CompileReport


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
        report.graph_breaks = breaks_of(answer["graph-breaks"])
        report.total_graph_breaks = sum(one.count for one in report.graph_breaks)
    if "recompiles" in answer:
        report.recompiles = int(_value(answer["recompiles"], "recompiles") or 0)
    if "fusion" in answer:
        _fusion(report, answer["fusion"])


def breaks_of(section: Section) -> list[Any]:
    """The breaks of the section, one for each place and reason."""
    from eaves.torch_compile import CompileBreak

    found = []
    rows: list[dict[str, Any]] = section.tables["breaks"].rows()
    for row in rows:
        reason = str(row["reason"] or "")
        found.append(
            CompileBreak(
                reason=reason,
                suggestion=_compile_rules.suggestion(reason),
                file=_text(row.get("file")),
                line=int(row["line"]) if row.get("line") is not None else None,
                count=int(row["count"] or 1),
                hints=[hint for hint in str(row.get("hints") or "").splitlines() if hint],
                break_id=_text(row.get("id")),
            )
        )
    return found


def _fusion(report: CompileReport, section: Section) -> None:
    report.ops_before_fusion = int(_value(section, "operators") or 0)
    report.ops_after_fusion = int(_value(section, "launches") or 0)
    ratio = _value(section, "fusion_ratio")
    report.fusion_ratio = float(ratio) if ratio is not None else math.nan


def _value(section: Section, name: str) -> Any:
    """A number of the section, or None if it has none of this name."""
    try:
        return section.number(name).value
    except KeyError:
        return None


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
