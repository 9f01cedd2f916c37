"""A page for a flame graph that is only data: one that was made of a list, or changed by hand.

Flame graphs of traces are drawn by the analyses themselves, with search and several orders.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any
from zlib import crc32

_ROW = 20
_WIDTH = 1200
#: Narrower frames would not be seen.
_NARROWEST = 0.25
_PALETTE = ("#e07a5f", "#e9a15b", "#f2c14e", "#b5c267", "#81b29a", "#5fa8a0", "#5b8fb9", "#7d84b2", "#a178a8", "#c97b94")


def picture(root: Mapping[str, Any]) -> str:
    """The graph as SVG: the root on top, each frame as wide as its value."""
    total = float(root["value"])
    parts: list[str] = []
    left_out = 0
    deepest = 0
    # Position, depth and frame. Without recursion: stacks may be deeper than Python's.
    work: list[tuple[float, int, Mapping[str, Any]]] = [(0.0, 0, root)]
    while work:
        start, depth, frame = work.pop()
        value = float(frame["value"])
        width = _WIDTH * value / total if total > 0 else _WIDTH if depth == 0 else 0.0
        if width < _NARROWEST:
            left_out += 1
            continue
        deepest = max(deepest, depth)
        parts.append(_frame(str(frame["name"]), value, total, _WIDTH * start / total if total > 0 else 0.0, depth, width))
        for child in frame.get("children", ()):
            work.append((start, depth + 1, child))
            start += float(child["value"])
    height = (deepest + 1) * _ROW + _ROW
    note = f"{left_out} frames are too narrow to draw" if left_out else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="100%" '
        f'font-family="system-ui, sans-serif" font-size="12">{"".join(parts)}'
        f'<text x="4" y="{height - 6}" fill="#888">{note}</text></svg>'
    )


def page(root: Mapping[str, Any]) -> str:
    """The graph as a page that loads nothing."""
    title = escape(str(root["name"]))
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>\n'
        "<style>body{background:#0f172a;color:#e2e8f0;font-family:system-ui,sans-serif;margin:1rem}</style>\n"
        f"<h1>{title}</h1>\n{picture(root)}\n</html>\n"
    )


def _frame(name: str, value: float, total: float, left: float, depth: int, width: float) -> str:
    share = 100 * value / total if total > 0 else 0.0
    fits = int(width / 7) - 1
    label = name if len(name) <= fits else name[: fits - 1] + "…" if fits > 2 else ""
    colour = _PALETTE[crc32(name.encode("utf-8", "replace")) % len(_PALETTE)]
    return (
        f"<g><title>{escape(name)}: {value:.1f} µs, {share:.1f}%</title>"
        f'<rect x="{left:.2f}" y="{depth * _ROW}" width="{width:.2f}" height="{_ROW - 1}" rx="2" fill="{colour}"/>'
        f'<text x="{left + 4:.2f}" y="{depth * _ROW + 14}" fill="#111">{escape(label)}</text></g>'
    )
