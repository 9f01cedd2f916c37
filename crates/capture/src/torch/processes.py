"""Which process of a program this is: one that computes, or one that starts or serves others."""

import os
import sys

# Programs that start others and do not compute themselves. Modules of torch itself are known by their place.
LAUNCHERS = {"torchrun", "accelerate", "deepspeed", "horovodrun", "colossalai", "composer"}


def is_launcher(torch):
    """Also for modules of torch that run as programs, such as those that compile kernels."""
    path = getattr(sys.modules.get("__main__"), "__file__", None) or ""
    package = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
    name = os.path.splitext(os.path.basename(path))[0]
    if os.path.abspath(path).startswith(package) or name in LAUNCHERS:
        return True
    # While the packages around a module are imported, it is not yet what runs.
    words = getattr(sys, "orig_argv", [])
    return any(option == "-m" and module.startswith("torch.") for option, module in zip(words, words[1:3]))


def is_child():
    """True in processes of Python's own making."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


def is_daemon():
    """True in processes that serve another one, as those of pools do."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.current_process().daemon


def is_loader():
    """True in workers of a DataLoader."""
    worker = sys.modules.get("torch.utils.data._utils.worker")
    return worker is not None and getattr(worker, "_worker_info", None) is not None


def rank_of():
    """The rank among the processes of a job, if there is one."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank()
    for name in ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"):
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return None
