"""The page of a compile report: the numbers, the breaks, and below them everything that the log says."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from eaves.profiling._compile_rules import colour

if TYPE_CHECKING:
    from eaves.profiling.torch_compile import CompileReport

# Of middle lightness: at least 3 to 1 against white and against the black of notebooks, as large text needs (WCAG 2.2, 1.4.3).
_COLOURS = {"green": "#1f9d55", "amber": "#c2700a", "red": "#e04848", "grey": "#808894"}
# Everything below one element, so that it reaches nothing else in a notebook; colours are those around it.
_SUMMARY_STYLE = (
    ".eaves-compile{line-height:1.45;"
    "table{border-collapse:collapse;margin:0 0 1rem;font-size:inherit}"
    "th,td{padding:.25rem .75rem .25rem 0;text-align:left!important;border-bottom:1px solid #8884;vertical-align:top}"
    "th{font-weight:600;white-space:nowrap}td{max-width:40rem}h2{font-size:1.15em;margin:1rem 0 .25rem}}"
)
_PAGE_STYLE = (
    "body{font-family:system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color-scheme:light dark}"
    "iframe{width:100%;height:80vh;border:1px solid #8884}"
)


def summary(report: CompileReport) -> str:
    """Numbers, breaks and advice, as a piece of HTML."""
    low, high = report.speedup_interval
    shade = _COLOURS[colour(report.speedup)]
    rows = [
        ("speedup", f'<b style="color:{shade}">{_number(report.speedup, "×")}</b> '
         f"(95 %: {_number(low, '×')} to {_number(high, '×')})"),
        ("eager call", _number(report.eager_time_ms, " ms", 3)),
        ("compiled call", _number(report.compiled_time_ms, " ms", 3)),
        ("compile time", f"{_number(report.compile_time_ms / 1e3, ' s')} ({_cache(report)})"),
        ("pays after", "never" if math.isinf(report.break_even_calls) else _number(report.break_even_calls, " calls", 0)),
        ("graph breaks", str(report.total_graph_breaks)),
        ("recompiles", str(report.recompiles)),
        ("fusion", f"{_number(report.fusion_ratio, '×')} ({report.ops_before_fusion} operators in {report.ops_after_fusion} "
         f"launches, {report.fused_kernels} of them generated)"),
        ("peak memory", f"{_number(report.peak_memory_mb, ' MB')}, {_number(report.memory_savings_mb, ' MB')} less than eager "
         f"({escape(report.memory_source)})"),
        ("largest error", f"{report.max_abs_error:.3g}"),
    ]
    lines = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows)
    breaks = "".join(
        f"<tr><td>{escape(one.location)}</td><td>{one.count}</td><td>{escape(one.reason)}</td>"
        f"<td>{escape(one.suggestion)}</td><td>{'<br>'.join(escape(hint) for hint in one.hints)}</td></tr>"
        for one in report.graph_breaks
    )
    table = (
        "<h2>Graph breaks</h2><table><tr><th>where</th><th>times</th><th>reason (PyTorch)</th><th>suggestion</th>"
        f"<th>hints (PyTorch)</th></tr>{breaks}</table>"
        if breaks
        else ""
    )
    remarks = "".join(f"<li>{escape(text)}</li>" for text in (*report.recommendations, *report.notes))
    advice = f"<h2>What to do</h2><ul>{remarks}</ul>" if remarks else ""
    return f'<div class="eaves-compile"><style>{_SUMMARY_STYLE}</style><table>{lines}</table>{table}{advice}</div>'


def page(report: CompileReport) -> str:
    """The same as a page that loads nothing."""
    title = f"torch.compile: {escape(report.backend)}, {escape(report.mode)}"
    details = ""
    if report.details is not None:
        inner = escape(report.details.to_html(), quote=True)
        details = f'<h2>Everything in the log</h2><iframe title="eaves compile" srcdoc="{inner}"></iframe>'
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_PAGE_STYLE}</style>\n'
        f"<h1>{title}</h1>\n{summary(report)}\n{details}\n</html>\n"
    )


def _number(value: float, unit: str, digits: int = 2) -> str:
    return "unknown" if math.isnan(value) else f"{value:.{digits}f}{unit}"


def _cache(report: CompileReport) -> str:
    if report.cache_hits + report.cache_misses == 0:
        return "no cache was asked"
    return f"cache: {report.cache_hits} hits, {report.cache_misses} misses"
