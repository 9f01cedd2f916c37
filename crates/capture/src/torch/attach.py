"""Tells `eaves attach` which processes compute, and when they made their first step.

Kineto takes a request for steps that comes before the first of them for a request for half a second, and says nothing.
So steps are asked for only where one was made. Run by `sitecustomize.py` once `torch` is imported, in one namespace with
`processes.py`.
"""

import os


class Announcer:
    def __init__(self, torch, directory):
        self.torch = torch
        self.directory = directory
        self.told = None

    def install(self):
        from torch.optim.optimizer import register_optimizer_step_post_hook

        if is_launcher(self.torch) or is_daemon():
            self.tell("aside")
            return
        self.tell_rank()
        register_optimizer_step_post_hook(self.after_optimizer)

    def after_optimizer(self, optimizer, arguments, named):
        process = os.getpid()
        if self.told != process and not self.torch.compiler.is_compiling():
            self.told = process
            self.tell_rank()
            self.tell("stepping")

    def tell_rank(self):
        """Kineto does not write it into what it records on demand."""
        rank = rank_of()
        if rank is not None:
            self.tell("rank", str(rank))

    def tell(self, what, text=""):
        try:
            with open(os.path.join(self.directory, f"{os.getpid()}.{what}"), "w", encoding="utf-8") as file:
                file.write(text)
        except OSError:
            pass


def start(torch):
    Announcer(torch, os.environ["EAVES_TORCH_ATTACH"]).install()
