"""The device catalog."""

from __future__ import annotations

from eaves._verbs import device

TYPE_CHECKING = False
if TYPE_CHECKING:
    from eaves._core import Report
    from eaves._verbs import Path


def devices(name: Path | None = None, *, vendor: str | None = None) -> Report:
    """Lists the device catalog, or describes one device or peaks file."""
    return device("list", vendor=vendor) if name is None else device("show", name)
