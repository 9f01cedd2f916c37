"""Looking into pages."""

from __future__ import annotations

import base64
import gzip
import re
from pathlib import Path


def content(page: Path) -> str:
    """The text of a page, with what is packed into it."""
    text = page.read_text(encoding="utf-8")
    packed = re.findall(r'<script [^>]*data-packed="gzip">([^<]*)<', text)
    return text + "".join(gzip.decompress(base64.b64decode(one)).decode("utf-8", "replace") for one in packed)


def is_alone(page: Path) -> bool:
    """Whether a page loads nothing."""
    text = page.read_text(encoding="utf-8")
    assert text.lstrip().lower().startswith("<!doctype html>")
    return not any(f'{attribute}="{scheme}' in text for attribute in ("src", "href") for scheme in ("http", "//"))
