"""``python -m eaves.cluster``: what ``eaves report --ray``, ``eaves ingest --ray`` and ``eaves cluster try`` run."""

from __future__ import annotations

import argparse
import base64
import gzip
import os
import sys
import time as clock
from collections.abc import Sequence
from pathlib import Path

from eaves import _cluster_tasks as tasks
from eaves import cluster
from eaves._errors import EavesError
from eaves._files import write

#: Bytes of a line of an answer; a multiple of three, so that lines are text of their own.
LINE = 12288
#: The largest answer that a log is asked to hold, packed. The dashboard holds the log in memory several times.
LARGEST = 256 << 20


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; returns 0, or 2 on failure."""
    given = _parser().parse_args(arguments)
    try:
        if given.verb == "try":
            _try(given.nodes)
            return 0
        if given.folder is not None:
            _enter(given.folder, [*given.inputs, *([given.dataset] if given.verb == "ingest" else [])])
        answer = _measured(given) if given.verb == "measure" else _ingested(given)
        if given.log is None:
            write(given.output, answer)
        else:
            tell(answer, given.log)
    except EavesError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m eaves.cluster", description="Ranks on a cluster of Ray.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("inputs", nargs="+", metavar="INPUT")
    where = common.add_mutually_exclusive_group(required=True)
    where.add_argument("-o", "--output", type=Path, help="the file that the answer is written to")
    where.add_argument("--log", metavar="TOKEN", help="print the answer as lines that begin with this token")
    common.add_argument("--address", help="of the cluster; by default this machine")
    common.add_argument("--folder", help="that names of inputs are in")
    common.add_argument("--quiet", action="store_true")
    measuring = verbs.add_parser("measure", parents=[common], help="measure ranks and give one partial report")
    measuring.add_argument("--step")
    measuring.add_argument("--time")
    measuring.add_argument("--details", action="store_true")
    ingesting = verbs.add_parser("ingest", parents=[common], help="write ranks to a dataset and give what became of them")
    ingesting.add_argument("--dataset", required=True)
    ingesting.add_argument("--run")
    trying = verbs.add_parser("try", help="start a cluster on this machine and print its address")
    trying.add_argument("--nodes", type=int, default=2)
    return parser


def _measured(given: argparse.Namespace) -> bytes:
    return cluster.measure(
        given.inputs,
        given.address,
        step=given.step,
        time=given.time,
        details=given.details,
        progress=not given.quiet,
    )


def _ingested(given: argparse.Namespace) -> bytes:
    return cluster.write(given.inputs, given.dataset, given.address, run=given.run, progress=not given.quiet)


def _enter(folder: str, names: Sequence[str]) -> None:
    """Changes to the submitter's folder, if a relative name refers to it."""
    if all("://" in name or os.path.isabs(name) for name in names):
        return
    try:
        os.chdir(folder)
    except OSError as error:
        raise EavesError(
            f"no such folder on the cluster: {folder} ({error.strerror})",
            "give names that the cluster knows: of a shared file system, or addresses such as s3://BUCKET/PATH",
        ) from error


def tell(answer: bytes, token: str) -> None:
    """Prints a result as lines of text."""
    packed = gzip.compress(answer, compresslevel=6, mtime=0)
    if len(packed) > LARGEST:
        raise EavesError(
            f"the answer has {len(packed) >> 20} MB, which is too much for a log",
            "submit `eaves report INPUT --ray auto --partial -o FILE` itself, with FILE where you can read it",
        )
    lines = range(0, len(packed), LINE)
    for start in lines:
        print(f"eaves-answer:{token}:{base64.b64encode(packed[start : start + LINE]).decode()}")
    print(f"eaves-answer:{token}:end:{len(lines)}", flush=True)


def _try(nodes: int) -> None:
    """Runs a cluster on this machine until Ctrl-C."""
    tasks.ray_module()
    from ray.cluster_utils import Cluster

    share = max(1, (os.cpu_count() or 1) // max(1, nodes))
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": share})
    try:
        for _ in range(nodes - 1):
            made.add_node(num_cpus=share)
        print(made.address, flush=True)
        print(f"a cluster of {nodes} nodes on this machine; Ctrl-C ends it. Use it with:", file=sys.stderr)
        print(f"  eaves report traces/ --ray {made.address}", file=sys.stderr, flush=True)
        dashboard = made.head_node.webui_url if made.head_node else None
        if dashboard:
            print(f"  eaves report traces/ --ray http://{dashboard}", file=sys.stderr, flush=True)
        while True:
            clock.sleep(3600)
    except KeyboardInterrupt:
        pass
    finally:
        made.shutdown()  # type: ignore[no-untyped-call]
