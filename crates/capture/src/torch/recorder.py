"""Records some steps of a program that uses PyTorch. Run by `sitecustomize.py` once `torch` is imported, in one namespace
with `processes.py`, `signs.py`, `categories.py` and `ending.py`.

What counts as a step is found out while the program runs. The end of an optimizer's step is the surest sign and wins
whenever it comes; without an optimizer it is the end of a call of the outermost module; without either, a window of time.
What a weaker sign led to is dropped when a stronger one is seen.

Every function here that the program calls into catches what goes wrong, for it is not the program's business; only
KeyboardInterrupt and SystemExit pass, for they are.
"""

import atexit
import functools
import os
import threading
import time
import warnings
import weakref

# So many steps of other optimizers in a row mean that the one we count by is no longer in use. More than any loop of
# several optimizers (adversarial training, one optimizer for each parameter) has between two steps of the same one.
STRANGERS = 256
# Events of the allocator that are kept for a snapshot.
MOST_ENTRIES = 1_000_000


class Settings:
    """What `eaves` asks for, by variables of the environment."""

    def __init__(self):
        number = lambda name: int(os.environ["EAVES_TORCH_" + name])
        self.directory = os.environ["EAVES_TORCH_DIRECTORY"]
        self.steps = max(number("STEPS"), 1)
        self.warmup = max(number("WARMUP"), 1)
        self.memory = number("MEMORY") == 1
        self.stacks = number("STACKS") == 1
        self.shapes = number("SHAPES") == 1
        self.snapshot = number("SNAPSHOT") == 1
        self.categories = number("CATEGORIES") == 1
        self.window = number("WINDOW_MS") / 1000


class Recorder(Signs, Ending):
    def __init__(self, torch, settings):
        self.torch = torch
        self.settings = settings
        self.modules = ()
        self.own_module = ()
        self.depth = threading.local()
        self.called = weakref.WeakSet()
        self.has_optimizer = False
        self.foreign = False
        self.opened = threading.Event()
        self.calls = []
        self.fresh()

    def fresh(self):
        """As if nothing had happened in this process yet."""
        self.process = os.getpid()
        self.level = NOTHING
        self.over = False
        self.profiler = None
        self.saved = None
        self.driver = None
        self.thread = None
        self.strangers = 0
        self.count = 0
        self.began = 0.0
        self.length = 0.0
        self.ours = None
        self.handles_termination = False

    def install(self):
        torch = self.torch
        from torch.optim import Optimizer
        from torch.optim.optimizer import register_optimizer_step_post_hook
        from torch.nn.modules import module

        register_optimizer_step_post_hook(self.after_optimizer)
        self.modules = (
            module.register_module_forward_pre_hook(self.before_module),
            after_calls(module, self.after_module),
        )
        # A program that calls a compiled model would be told of hooks that are not its own, and do nothing to it.
        warnings.filterwarnings("ignore", r"Using `torch\.compile\(module\)` when there are global hooks", UserWarning)
        self.await_optimizer(Optimizer)
        self.watch_profilers(torch.autograd.profiler)
        if self.settings.snapshot:
            self.remember_allocations()
        atexit.register(self.finish)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.forked)
        thread = threading.Thread(target=self.wait_for_window, name="eaves-window", daemon=True)
        thread.start()

    def step_ended(self, level, driver):
        if level < self.level or self.is_elsewhere(level):
            return
        if level > self.level:
            self.drop()
            self.level, self.count, self.strangers = level, 0, 0
            self.driver, self.thread = weakref.ref(driver), threading.get_ident()
        if self.saved is not None or threading.get_ident() != self.thread:
            return
        if self.driver() is not driver:
            self.strangers += 1
            if self.strangers < STRANGERS and self.driver() is not None:
                return
            self.driver = weakref.ref(driver)
        self.strangers = 0
        self.count += 1
        if self.profiler is not None:
            self.step()
        elif self.count == max(self.settings.warmup - 1, 1):
            self.begin(self.schedule)

    def is_elsewhere(self, level):
        """True in processes whose steps nobody asks for. Pools of processes that prepare data call modules too."""
        return is_loader() or (level == MODULE and is_daemon()) or is_launcher(self.torch)

    def schedule(self, step):
        """Which part of the recording a step is, of which there are as many before it as its number."""
        from torch.profiler import ProfilerAction

        step = max(step, self.count)
        last = self.settings.warmup + self.settings.steps - 1
        if step < self.settings.warmup:
            return ProfilerAction.WARMUP
        if step < last:
            return ProfilerAction.RECORD
        return ProfilerAction.RECORD_AND_SAVE if step == last else ProfilerAction.NONE

    def begin(self, schedule):
        torch = self.torch
        if self.foreign or getattr(torch.autograd.profiler, "_is_profiler_enabled", False):
            self.step_aside()
            return
        from torch.profiler import ProfilerActivity, profile, supported_activities

        activities = set(supported_activities())
        if not torch.cuda.is_initialized():
            # To ask for it would initialise it, and programs have reasons for when they do.
            activities.discard(ProfilerActivity.CUDA)
        self.finish_when_ended()
        self.ours = threading.get_ident()
        try:
            profiler = profile(
                activities=activities,
                schedule=schedule,
                on_trace_ready=self.save if schedule else None,
                record_shapes=self.settings.shapes,
                profile_memory=self.settings.memory,
                with_stack=self.settings.stacks,
            )
            profiler.step_num = self.count
            profiler.start()
        finally:
            self.ours = None
        self.profiler = profiler
        self.began = time.monotonic()
        self.describe_host(profiler)

    def describe_host(self, profiler):
        """How many threads an operator may use, and on how many processors. No trace has it otherwise."""
        try:
            affinity = getattr(os, "sched_getaffinity", None)
            processors = os.cpu_count() if affinity is None else len(affinity(0))
            profiler.add_metadata_json("eaves_processors", str(processors or 0))
            profiler.add_metadata_json("eaves_operator_threads", str(self.torch.get_num_threads()))
        except Exception:
            # A recording without it is still a recording.
            pass

    def step(self):
        self.ours = threading.get_ident()
        try:
            self.profiler.step()
            if self.saved is not None:
                self.profiler.stop()
        finally:
            self.ours = None
        if self.saved is not None:
            self.profiler = None
            self.write_snapshot()
            self.unhook_modules()
            self.leave_termination()
            if self.level == MODULE:
                self.tell_of_module()

    @guarded
    def open_window(self):
        if not self.shows_nothing() or is_importing(sys._getframe()):
            return
        self.level, self.thread = WINDOW, threading.get_ident()
        self.begin(None)
        self.opened.set()

    @guarded
    def close_window(self):
        """What was recorded stays in memory: it is written at the end if nothing better came."""
        if self.level == WINDOW and self.profiler is not None and not self.length:
            self.profiler.stop()
            self.length = time.monotonic() - self.began

    def save(self, profiler, unfinished=None):
        """Writes a trace, under its own name only when it is whole."""
        os.makedirs(self.settings.directory, exist_ok=True)
        path = self.path(".pt.trace.json")
        partial = path + ".partial"
        profiler.export_chrome_trace(partial)
        added = self.categories_of(profiler, partial)
        if unfinished is not None or added is not None:
            if not finish_trace(partial, unfinished, added):
                self.note("note", "categories of memory are left out: this torch writes traces in another form")
        os.replace(partial, path)
        self.saved = path

    def categories_of(self, profiler, trace):
        """What makes the events that say what memory was for; nothing if nobody asks, or if a snapshot says more."""
        settings = self.settings
        wanted = settings.categories and settings.memory and settings.stacks and settings.shapes
        if not wanted or self.torch.cuda.is_initialized():
            return None
        if os.path.getsize(trace) > LARGEST_TRACE:
            self.note("note", "categories of memory are left out: too much was recorded; fewer steps (--steps) would have them")
            return None

        def events(base):
            try:
                return category_events(self.torch, profiler, base)
            except Exception as error:
                # Internals of torch, which change.
                self.note("note", f"categories of memory are not known: {type(error).__name__}: {error}")
                return []

        return events

    def drop(self):
        """Forgets what a weaker sign led to."""
        profiler, self.profiler = self.profiler, None
        if profiler is not None and not self.length:
            profiler.on_trace_ready = None
            profiler.stop()
        self.length = 0.0
        if self.saved is not None:
            saved, self.saved = self.saved, None
            os.remove(saved)

    def watch_profilers(self, module):
        """Torch has room for one profiler at a time, and the program's own comes first."""
        for name in ("_prepare_profiler", "_enable_profiler"):
            original = getattr(module, name, None)
            if original is not None:
                setattr(module, name, self.watched(original, name == "_prepare_profiler"))

    def watched(self, original, prepares):
        @functools.wraps(original)
        def call(*arguments, **named):
            if self.ours != threading.get_ident():
                self.met_another(prepares)
            return original(*arguments, **named)

        return call

    @guarded
    def met_another(self, prepares):
        self.foreign = prepares
        if self.profiler is not None and not self.length:
            self.drop()
            self.step_aside()

    def step_aside(self):
        self.over = True
        self.note("nothing", "the program uses torch.profiler itself, which nothing here disturbs; "
                  "`eaves report` reads the traces that it exports")

    def remember_allocations(self):
        cuda = self.torch.cuda
        lazy = getattr(cuda, "_lazy_call", None)
        if lazy is not None and self.torch.backends.cuda.is_built():
            lazy(lambda: cuda.memory._record_memory_history(max_entries=MOST_ENTRIES))

    def write_snapshot(self):
        cuda = self.torch.cuda
        if not self.settings.snapshot or not cuda.is_initialized():
            return
        os.makedirs(self.settings.directory, exist_ok=True)
        path = self.path(".snapshot.pickle")
        cuda.memory._dump_snapshot(path + ".partial")
        os.replace(path + ".partial", path)
        cuda.memory._record_memory_history(enabled=None)


def start(torch):
    Recorder(torch, Settings()).install()
