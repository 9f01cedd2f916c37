"""The program: ``python -m eaves`` and the command ``eaves``."""

from __future__ import annotations

import os
import sys

from eaves import _core


def main() -> int:
    """Runs the program with the arguments of this process."""
    # What has to run in Python, a cluster, runs in this one.
    os.environ.setdefault("EAVES_PYTHON", sys.executable)
    return _core.run(["eaves", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
