"""A job of several ranks, and a cluster of Ray on this machine that loses nodes."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")


def trace(rank: int, ranks: int) -> str:
    """A step of a rank: a kernel that is longer on higher ranks, and a collective that ends everywhere at once."""
    kernel = 100 + 5 * rank
    events = [
        {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0, "dur": 900},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "args": {"correlation": 1}},
        {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": kernel, "args": {"correlation": 1, "device": 0, "stream": 7}},
        {
            "ph": "X",
            "cat": "kernel",
            "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            "pid": 0,
            "tid": 20,
            "ts": 20 + kernel,
            "dur": 800 - kernel,
            "args": {"device": 0, "stream": 20},
        },
    ]
    header = {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks}}
    return json.dumps({**header, "traceEvents": events})


def write_job(folder: Path, ranks: int = 12) -> Path:
    """A folder with a trace a rank."""
    folder.mkdir()
    for rank in range(ranks):
        (folder / f"rank{rank}.json").write_text(trace(rank, ranks))
    return folder


def start(**of_head: Any) -> tuple[Any, list[Any]]:
    """A head that measures nothing, and two nodes."""
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    # Other tests in this process want the print of Python.
    os.environ["RAY_TQDM_PATCH_PRINT"] = "0"
    # Ray asks for a token once one was ever made in this home; what the tests start is nobody else's.
    os.environ["RAY_AUTH_MODE"] = "disabled"
    # Jobs run the `python` that they find.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    from ray import cloudpickle
    from ray.cluster_utils import Cluster

    # Tasks of the tests call functions of this module, which the workers cannot import.
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    system = {
        # Answers are kept where they were made, as large ones are, and so are lost with a node.
        "max_direct_call_object_size": 1,
        # A node is missed after ten seconds instead of a minute.
        "health_check_period_ms": 1000,
        "health_check_failure_threshold": 10,
    }
    head = {"num_cpus": 0, "object_store_memory": 80 << 20, "_system_config": system, **of_head}
    made = Cluster(initialize_head=True, head_node_args=head)
    nodes = [add_node(made), add_node(made)]
    made.wait_for_nodes()
    return made, nodes


def until_gone(begun: Path, doomed: str, file: str) -> None:
    """Called by a task that is done. All wait until the doomed node is gone, but for the first task of that node: one answer is
    in its memory then, and another task still runs there."""
    import ray

    node = ray.get_runtime_context().get_node_id()
    (begun / f"{node}-{Path(file).name}").touch()
    gone = begun / "gone"
    while not gone.exists() and (node != doomed or len(list(begun.glob(f"{doomed}-*"))) >= 2):
        time.sleep(0.01)


def add_node(made: Any) -> Any:
    return made.add_node(num_cpus=1, object_store_memory=80 << 20)


@contextmanager
def taken_away(made: Any, nodes: list[Any], when: Callable[[], bool], gone: Path) -> Iterator[None]:
    """The last node is killed as soon as something holds, while the block runs, and a file tells so. Then another takes its
    place."""
    done = threading.Event()
    killed = threading.Event()

    def watch() -> None:
        while not done.is_set():
            if when():
                made.remove_node(nodes[-1], allow_graceful=False)
                gone.touch()
                killed.set()
                return
            time.sleep(0.01)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield
    finally:
        done.set()
        watching.join()
        if killed.is_set():
            nodes[-1] = add_node(made)
            made.wait_for_nodes()
    assert killed.is_set(), "the work was done before a node could be taken away"
