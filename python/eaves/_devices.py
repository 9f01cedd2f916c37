"""The catalog of devices."""

from __future__ import annotations

from eaves._verbs import device

TYPE_CHECKING = False
if TYPE_CHECKING:
    from eaves._core import Report
    from eaves._verbs import Path


def devices(name: Path | None = None, *, vendor: str | None = None) -> Report:
    """The devices of the catalog, or everything that is known about one of them or of a peaks file."""
    return device("list", vendor=vendor) if name is None else device("show", name)
